//! How a stranger reads the names of intervals: `20-29`, `[20-30)`, `-10..-1`, `90+`, `<18`, `2024-02`, `2024-Q1`,
//! `2020s`, `2024-W05`. Read from the text alone: this is not the code that wrote it.

use crate::kind::{Kind, value_of};
use crate::ladder::Bands;
use crate::value::{DAY, Number, start_of};
use chrono::{Months, NaiveDate, Weekday};

/// An interval as a name says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    /// Its low end, which lies in it; none if it has none.
    pub(super) from: Option<Number>,
    /// Its high end; none if it has none.
    pub(super) to: Option<Number>,
    /// Whether the high end lies in it.
    pub(super) closed: bool,
    /// The bands at its ends, as they are named.
    pub(super) bands: Bands,
}

impl Named {
    fn below(from: Number, below: Number) -> Self {
        Self { from: Some(from), to: Some(below), closed: false, bands: Bands::default() }
    }

    pub(super) fn is_before(&self, value: Number) -> bool {
        self.from.is_some_and(|from| value < from)
    }

    pub(super) fn is_after(&self, value: Number) -> bool {
        self.to.is_some_and(|to| if self.closed { value > to } else { value >= to })
    }

    pub(super) fn holds(&self, value: Number) -> bool {
        !self.is_before(value) && !self.is_after(value)
    }

    /// Where the values in it begin and end in an ascending list.
    pub(super) fn places(&self, sorted: &[Number]) -> (usize, usize) {
        let first = sorted.partition_point(|&value| self.is_before(value));
        (first, sorted.partition_point(|&value| !self.is_after(value)))
    }

    /// Both ends.
    pub(super) fn ends(&self) -> (Option<Number>, Option<Number>) {
        (self.from, self.to)
    }
}

/// A band at the end of a line: `90+`, `<18`.
pub(super) fn band(kind: &Kind, text: &str) -> Option<Named> {
    if let Some(end) = text.strip_suffix('+') {
        let top = Some(end_of(kind, end)?);
        return Some(Named { from: top, to: None, closed: false, bands: Bands { top, bottom: None } });
    }
    let bottom = Some(end_of(kind, text.strip_prefix('<')?)?);
    Some(Named { from: None, to: bottom, closed: false, bands: Bands { top: None, bottom } })
}

/// A range of which an end is a band: from `80` to `90+`.
pub(super) fn reaching(kind: &Kind, low: &str, high: &str) -> Option<Named> {
    let (from, bottom) = match low.strip_prefix('<') {
        Some(end) => (None, Some(end_of(kind, end)?)),
        None => (Some(value_of(kind, low)?), None),
    };
    let (to, top) = match high.strip_suffix('+') {
        Some(end) => (None, Some(end_of(kind, end)?)),
        None => (Some(value_of(kind, high)?), None),
    };
    let bands = Bands { top, bottom };
    Some(Named { from, to, closed: to.is_some(), bands }).filter(|_| !bands.is_empty())
}

/// An end: a value of the column, or a day where it holds dates.
fn end_of(kind: &Kind, text: &str) -> Option<Number> {
    if kind.dates() { day(text).map(start_of).or_else(|| value_of(kind, text)) } else { value_of(kind, text) }
}

/// The interval of this name.
pub(super) fn read(base: &Kind, text: &str) -> Option<Named> {
    if let Some(band) = band(base, text) {
        return Some(band);
    }
    if base.dates() {
        return part_of_calendar(text);
    }
    let open = text.strip_prefix('[').and_then(|text| text.strip_suffix(')'));
    let inner = open.unwrap_or(text);
    let both = |at: usize, mark: &str| {
        let (low, high) = (&inner[..at], inner[at..].strip_prefix(mark)?);
        Some((value_of(base, low)?, value_of(base, high)?))
    };
    let cuts = inner.char_indices().flat_map(|(at, _)| [(at, ".."), (at, "-")]);
    let (low, high) = cuts.into_iter().find_map(|(at, mark)| both(at, mark))?;
    Some(Named { from: Some(low), to: Some(high), closed: open.is_none(), bands: Bands::default() })
}

fn part_of_calendar(text: &str) -> Option<Named> {
    let year = |text: &str| digits(text, 4).and_then(|year| NaiveDate::from_ymd_opt(year as i32, 1, 1));
    let months = |first: Option<NaiveDate>, months: u32| {
        let first = first?;
        Some(Named::below(start_of(first), start_of(first.checked_add_months(Months::new(months))?)))
    };
    let after = |day: NaiveDate| start_of(day).plus(Number::whole(DAY));
    if let Some((first, last)) = text.split_once("..") {
        return Some(Named::below(start_of(day(first)?), after(day(last)?)?));
    }
    if let Some(decade) = text.strip_suffix('s') {
        return months(year(decade).filter(|_| decade.ends_with('0')), 120);
    }
    match text.split_once('-') {
        None => months(year(text), 12),
        Some((of, part)) => {
            let first = year(of)?;
            if let Some(quarter) = part.strip_prefix('Q') {
                let quarter = digits(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
                return months(first.checked_add_months(Months::new(3 * quarter - 3)), 3);
            }
            if let Some(week) = part.strip_prefix('W') {
                let number = digits(of, 4)? as i32;
                let monday = NaiveDate::from_isoywd_opt(number, digits(week, 2)?, Weekday::Mon)?;
                return Some(Named::below(start_of(monday), start_of(monday).plus(Number::whole(7 * DAY))?));
            }
            match digits(part, 2) {
                Some(month) => {
                    let month = Some(month).filter(|month| (1..=12).contains(month))?;
                    months(first.checked_add_months(Months::new(month - 1)), 1)
                }
                None => Some(Named::below(start_of(day(text)?), after(day(text)?)?)),
            }
        }
    }
}

fn day(text: &str) -> Option<NaiveDate> {
    let parts: Vec<&str> = text.split('-').collect();
    match parts[..] {
        [year, month, day] => {
            NaiveDate::from_ymd_opt(digits(year, 4)? as i32, digits(month, 2)?, digits(day, 2)?)
        }
        _ => None,
    }
}

fn digits(text: &str, number: usize) -> Option<u32> {
    (text.len() == number && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(kind: &Kind, text: &str) -> Option<[String; 2]> {
        let named = read(kind, text)?;
        let show = |end: Option<Number>| match end {
            Some(end) if kind.dates() => crate::value::day_of(end).unwrap().to_string(),
            Some(end) => end.to_string(),
            None => String::new(),
        };
        Some([show(named.from), show(named.to)])
    }

    #[test]
    fn names_of_intervals_are_read() {
        let two = |a: &str, b: &str| Some([a.to_owned(), b.to_owned()]);
        for (text, expected) in [
            ("20-29", two("20", "29")),
            ("[20-30)", two("20", "30")),
            ("[-0.5..0)", two("-0.5", "0")),
            ("-10..-1", two("-10", "-1")),
            ("90+", two("90", "")),
            ("<18", two("", "18")),
        ] {
            assert_eq!(ends(&Kind::Numeric, text), expected, "{text}");
        }
        for (text, expected) in [
            ("2024", two("2024-01-01", "2025-01-01")),
            ("2020s", two("2020-01-01", "2030-01-01")),
            ("2024-02", two("2024-02-01", "2024-03-01")),
            ("2024-Q4", two("2024-10-01", "2025-01-01")),
            ("2020-W53", two("2020-12-28", "2021-01-04")),
            ("2024-02-29", two("2024-02-29", "2024-03-01")),
            ("2020-05-01..2020-05-14", two("2020-05-01", "2020-05-15")),
            ("2020-01-01+", two("2020-01-01", "")),
        ] {
            assert_eq!(ends(&Kind::Date, text), expected, "{text}");
        }
        for odd in ["", "20", "20-", "a-b", "[20-29", "2024-13", "20+5"] {
            assert_eq!(ends(&Kind::Numeric, odd).filter(|_| odd != "2024-13"), None, "{odd}");
        }
        for odd in ["2024-13", "2024-Q5", "2024-W54", "2023s", "24", "2024-2", "2024-02-30"] {
            assert_eq!(ends(&Kind::Date, odd), None, "{odd}");
        }
    }
}
