//! Formats of dates: `%d/%m/%Y`, with the letters of `strftime`.

use crate::value::{DAY, Number, SECOND};
use chrono::format::{Fixed, Item, Numeric, Pad};
use chrono::{Datelike, Month, NaiveDate, NaiveTime, TimeDelta};
use std::fmt;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    pattern: String,
    items: Vec<Item<'static>>,
}

/// What is wrong with a format.
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    #[error("%{0} is not known")]
    Unknown(char),
    #[error("%y does not tell the century")]
    Century,
    #[error("a part of the date occurs twice")]
    Twice,
    #[error("a date needs its day, month and year")]
    Part,
    #[error("a time of day needs hours and minutes")]
    Time,
}

impl DateFormat {
    pub(crate) fn new(pattern: &str) -> Result<Self, FormatError> {
        let letter_of = |letter: char| Item::OwnedLiteral(letter.to_string().into());
        let number = |part, padded| Item::Numeric(part, if padded { Pad::Zero } else { Pad::None });
        let mut items = Vec::new();
        let mut letters = pattern.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                items.push(letter_of(letter));
                continue;
            }
            let mut code = letters.next().unwrap_or('%');
            let padded = code != '-';
            if !padded {
                code = letters.next().unwrap_or('-');
            }
            items.push(match code {
                'Y' => number(Numeric::Year, true),
                'm' => number(Numeric::Month, padded),
                'b' => Item::Fixed(Fixed::ShortMonthName),
                'B' => Item::Fixed(Fixed::LongMonthName),
                'd' => number(Numeric::Day, padded),
                'e' => number(Numeric::Day, false),
                'H' => number(Numeric::Hour, padded),
                'M' => number(Numeric::Minute, true),
                'S' => number(Numeric::Second, true),
                '%' if padded => letter_of('%'),
                'y' => return Err(FormatError::Century),
                other => return Err(FormatError::Unknown(other)),
            });
        }
        let format = Self { pattern: pattern.to_owned(), items };
        let named = format.items.iter().filter(|item| matches!(item, Item::Fixed(_))).count();
        let [year, month, date] = [Numeric::Year, Numeric::Month, Numeric::Day].map(|p| format.count(p));
        let time = [Numeric::Hour, Numeric::Minute, Numeric::Second].map(|part| format.count(part));
        let day = [year, month + named, date];
        if day.iter().chain(&time).any(|&times| times > 1) {
            Err(FormatError::Twice)
        } else if day.contains(&0) {
            Err(FormatError::Part)
        } else if time[0] != time[1] || time[2] > time[1] {
            Err(FormatError::Time)
        } else {
            Ok(format)
        }
    }

    fn count(&self, wanted: Numeric) -> usize {
        self.items.iter().filter(|item| matches!(item, Item::Numeric(part, _) if *part == wanted)).count()
    }

    pub(crate) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether it tells the time of day.
    pub(crate) fn hours(&self) -> bool {
        self.count(Numeric::Hour) > 0
    }

    pub(crate) fn seconds(&self) -> bool {
        self.count(Numeric::Second) > 0
    }

    /// Reads a date, as the number that [`parse_date`](crate::value::parse_date) gives it. Zeros that fill up a part
    /// may be missing.
    pub(crate) fn parse(&self, text: &str) -> Option<Number> {
        let mut rest = text.trim_ascii();
        let (mut year, mut month, mut day, mut seconds) = (0, 0, 0, 0);
        for item in &self.items {
            match item {
                Item::OwnedLiteral(letter) => rest = rest.strip_prefix(&**letter)?,
                Item::Fixed(_) => month = take_month(&mut rest)?,
                Item::Numeric(Numeric::Year, _) => year = take_digits(&mut rest, 4, 4)?,
                Item::Numeric(part, _) => {
                    let number = take_digits(&mut rest, 1, 2)?;
                    match part {
                        Numeric::Month => month = number,
                        Numeric::Day => day = number,
                        Numeric::Hour if number < 24 => seconds += 3600 * number,
                        Numeric::Minute if number < 60 => seconds += 60 * number,
                        Numeric::Second if number < 60 => seconds += number,
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        let date = NaiveDate::from_ymd_opt(year as i32, month, day).filter(|_| rest.is_empty())?;
        let days = Number::whole(date.num_days_from_ce().into()).times(DAY)?;
        days.plus(Number::whole(seconds.into()).times(SECOND)?)
    }

    /// Writes a date; `None` if the format cannot tell all of it.
    pub(crate) fn text(&self, value: Number) -> Option<String> {
        let (days, within) = value.days_and_nanoseconds()?;
        let date = NaiveDate::from_num_days_from_ce_opt(days)?;
        let step = if self.seconds() { SECOND } else { 60 * SECOND };
        if within % step != 0 || within > 0 && !self.hours() {
            return None;
        }
        let moment = date.and_time(NaiveTime::MIN) + TimeDelta::nanoseconds(within);
        Some(moment.format_with_items(self.items.iter()).to_string())
    }
}

impl fmt::Display for DateFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

/// Takes as many digits as there are, of so many at least and at most.
fn take_digits(rest: &mut &str, least: usize, most: usize) -> Option<u32> {
    let length = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (digits, after) = rest.split_at(length);
    *rest = after;
    (length >= least).then(|| digits.parse().ok())?
}

/// Takes the name of a month, short or long, in small or capital letters.
fn take_month(rest: &mut &str) -> Option<u32> {
    let (number, length) = (1..=12).find_map(|number: u8| {
        let name = Month::try_from(number).ok()?.name();
        let fits = |name: &str| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        let length = [name.len(), 3].into_iter().find(|&length| fits(&name[..length]))?;
        Some((number.into(), length))
    })?;
    *rest = &rest[length..];
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_date;

    fn format(pattern: &str) -> DateFormat {
        DateFormat::new(pattern).unwrap()
    }

    #[test]
    fn dates_come_and_go_in_their_format() {
        for (pattern, text, iso) in [
            ("%d/%m/%Y", "29/02/2024", "2024-02-29"),
            ("%m/%d/%Y", "02/29/2024", "2024-02-29"),
            ("%-d.%-m.%Y", "2.1.1980", "1980-01-02"),
            ("%Y%m%d", "19800102", "1980-01-02"),
            ("%d-%b-%Y", "02-Jan-1980", "1980-01-02"),
            ("%B %e, %Y", "January 2, 1980", "1980-01-02"),
            ("%d.%m.%Y %H:%M", "02.01.1980 07:05", "1980-01-02T07:05"),
            ("%d.%m.%Y %H:%M:%S", "02.01.1980 07:05:09", "1980-01-02T07:05:09"),
            ("%d%%%m%%%Y", "02%01%1980", "1980-01-02"),
        ] {
            assert_eq!(format(pattern).parse(text), parse_date(iso), "{text}");
            assert_eq!(format(pattern).text(parse_date(iso).unwrap()).as_deref(), Some(text));
        }
        assert_eq!(format("%d/%m/%Y").parse(" 2/1/1980 "), parse_date("1980-01-02"), "zeros may be missing");
        assert_eq!(format("%d %b %Y").parse("02 january 1980"), parse_date("1980-01-02"));
    }

    #[test]
    fn what_is_no_such_date() {
        for text in
            ["31/02/2024", "02/29/2024", "29/02/24", "29/02/2024 ", "29-02-2024", "29/02/20245", "", "x"]
        {
            let none = text.trim() != "29/02/2024";
            assert_eq!(format("%d/%m/%Y").parse(text).is_none(), none, "{text}");
        }
        assert_eq!(format("%d/%m/%Y %H:%M").parse("01/01/2024 24:00"), None);
        // A format without times cannot tell noon, one without seconds no seconds.
        assert_eq!(format("%d/%m/%Y").text(parse_date("2024-01-01T12:00").unwrap()), None);
        assert_eq!(format("%d/%m/%Y %H:%M").text(parse_date("2024-01-01T12:00:30").unwrap()), None);
    }

    #[test]
    fn formats_that_are_none() {
        for (pattern, why) in [
            ("%d/%m/%y", FormatError::Century),
            ("%d/%m", FormatError::Part),
            ("dd/mm/yyyy", FormatError::Part),
            ("%d/%m/%Y/%d", FormatError::Twice),
            ("%d/%m/%b/%Y", FormatError::Twice),
            ("%d/%m/%Y %M", FormatError::Time),
            ("%d/%m/%Y %H", FormatError::Time),
            ("%q/%m/%Y", FormatError::Unknown('q')),
        ] {
            assert_eq!(DateFormat::new(pattern), Err(why), "{pattern}");
        }
    }
}
