//! Numbers and dates as people write them in other places: `29/02/2024`, `1.234,5`. Values that come in such a
//! spelling go out in it.

mod dates;
mod guess;

use crate::value::{DAY, Number, SECOND, parse_number};
pub use dates::{DateFormat, FormatError};
pub use guess::{Guess, guess};

/// How a column writes its numbers or dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    Date(DateFormat),
    Number(Decimal),
}

/// The sign before the fraction of a number. The other one, a blank or an apostrophe may stand between groups of three
/// digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimal {
    /// `1,234.5`
    Point,
    /// `1.234,5`
    Comma,
}

impl Decimal {
    pub(crate) const ALL: &'static [Self] = &[Self::Point, Self::Comma];

    pub(crate) fn sign(self) -> char {
        match self {
            Self::Point => '.',
            Self::Comma => ',',
        }
    }

    /// The one of this sign.
    pub(crate) fn of_sign(sign: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|decimal| decimal.sign().to_string() == sign)
    }

    /// The word for it in flags.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Comma => "comma",
        }
    }

    /// Reads a number. What stands between groups of digits is the same sign everywhere, with three digits after it.
    fn parse(self, text: &str) -> Option<Number> {
        let text = text.trim();
        let (sign, rest) = match text.as_bytes().first()? {
            b'-' | b'+' => text.split_at(1),
            _ => ("", text),
        };
        let (whole, fraction) = match rest.split_once(self.sign()) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (rest, None),
        };
        // A fraction has no groups; an exponent may follow it.
        if whole.is_empty() && fraction.is_none()
            || fraction.is_some_and(|fraction| fraction.contains(['.', ',']))
        {
            return None;
        }
        let others = ['.', ',', ' ', '\'', '’', '\u{a0}', '\u{202f}'];
        let between = whole.chars().find(|c| others.contains(c) && *c != self.sign());
        let whole = match between {
            Some(mark) => {
                let mut groups = whole.split(mark);
                let first = groups.next()?;
                let groups: Vec<&str> = groups.collect();
                let digits = |group: &&str| group.bytes().all(|b| b.is_ascii_digit());
                let fit = (1..=3).contains(&first.len())
                    && !first.starts_with('0')
                    && groups.iter().all(|g| g.len() == 3 && digits(g));
                fit.then(|| first.to_owned() + &groups.concat())?
            }
            None => whole.to_owned(),
        };
        parse_number(&format!("{sign}{whole}.{}", fraction.unwrap_or("0"))).or_else(|| {
            // `2e3` has no fraction to put in place.
            (between.is_none() && fraction.is_none()).then(|| parse_number(text)).flatten()
        })
    }
}

impl Spelling {
    /// The word for the kind of its values.
    pub fn kind_word(&self) -> &'static str {
        match self {
            Self::Date(_) => "date",
            Self::Number(_) => "numeric",
        }
    }

    /// As a policy writes it: a format of dates, or a decimal sign.
    pub fn pattern(&self) -> String {
        match self {
            Self::Date(format) => format.pattern().to_owned(),
            Self::Number(decimal) => decimal.sign().to_string(),
        }
    }

    /// As a sentence has it: values that are so written.
    pub fn told(&self) -> String {
        match self {
            Self::Date(format) => format!("dates written {}", format.pattern()),
            Self::Number(decimal) => {
                format!("numbers with the decimal sign {:?}", decimal.sign().to_string())
            }
        }
    }

    /// As a flag writes it after the name of a column.
    pub(crate) fn flag(&self) -> String {
        match self {
            Self::Date(format) => format!("date={}", format.pattern()),
            Self::Number(decimal) => format!("numeric={}", decimal.word()),
        }
    }

    /// Reads a text; `None` if it is not spelled like that.
    pub(crate) fn value(&self, text: &str) -> Option<Number> {
        match self {
            Self::Date(format) => format.parse(text),
            Self::Number(decimal) => decimal.parse(text),
        }
    }

    /// Writes a value; `None` if it has no such spelling.
    pub fn text(&self, value: Number) -> Option<String> {
        match self {
            Self::Date(format) => format.text(value),
            Self::Number(decimal) => Some(value.to_string().replace('.', &decimal.sign().to_string())),
        }
    }

    /// The least difference of two dates, in nanoseconds; none of numbers.
    pub(crate) fn step(&self) -> Option<i64> {
        match self {
            Self::Date(format) if format.seconds() => Some(SECOND),
            Self::Date(format) if format.hours() => Some(60 * SECOND),
            Self::Date(_) => Some(DAY),
            Self::Number(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_both_spellings() {
        let comma = |text: &str| Decimal::Comma.parse(text).map(|n| n.to_string()).unwrap_or_default();
        for (text, value) in [
            ("1,5", "1.5"),
            ("-0,25", "-0.25"),
            ("1.234,5", "1234.5"),
            ("1.234.567", "1234567"),
            ("1 234", "1234"),
            ("12\u{202f}345,00", "12345"),
            ("12'345", "12345"),
            ("7", "7"),
            (",5", "0.5"),
            ("2e3", "2000"),
            (" 3 ", "3"),
        ] {
            assert_eq!(comma(text), value, "{text}");
        }
        for none in [
            "1.5",
            "1.23,4",
            "1.2345",
            "1,2,3",
            "1,234.5",
            ".234",
            "1.234 567",
            "x",
            "",
            "-",
            "1.-34,0",
            "0.123",
        ] {
            assert_eq!(comma(none), "", "{none}");
        }
        let point = |text: &str| Decimal::Point.parse(text).map(|n| n.to_string()).unwrap_or_default();
        assert_eq!(point("1,234.50") + "|" + &point("1.5") + "|" + &point("1,5"), "1234.5|1.5|");
        assert_eq!(
            Spelling::Number(Decimal::Comma).text(parse_number("-1234.5").unwrap()).unwrap(),
            "-1234,5"
        );
    }
}
