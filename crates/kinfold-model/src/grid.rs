//! Blunt ends: a grid on an ordered column, so that the ends of a published range are nobody's value.
//!
//! The line is cut into cells of equal width: 5 years of age, a month, two levels. Each cell holds its lower
//! end and all values below the next cell. A group is published from the start of its first cell to the end
//! of its last one, and a group within one cell as that cell. So a range says which cells its rows lie in,
//! and nothing of where in them.

use crate::kind::Kind;
use crate::value::{Number, day_of, is_midnight, parse_number, start_of};
use chrono::{Datelike, Days, NaiveDate};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// How many cells a column has, about, where the data choose the step.
const CELLS: f64 = 20.0;

/// The width of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// So much; of an ordinal column, so many levels.
    Number(Number),
    /// So many months, counted from January of year 0.
    Months(u32),
    /// So many days, counted from a Monday.
    Days(u32),
}

impl Step {
    /// `5`, `month`, `2 weeks`; units are day, week, month, quarter, year and decade.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(number) = parse_number(text) {
            return (number > Number::whole(0)).then_some(Self::Number(number));
        }
        let (count, unit) = match text.trim_ascii().split_once(' ') {
            Some((count, unit)) => (count.parse::<u32>().ok()?, unit.trim_ascii()),
            None => (1, text.trim_ascii()),
        };
        let count = Some(count).filter(|count| (1..=1_000).contains(count))?;
        Some(match unit.strip_suffix('s').unwrap_or(unit) {
            "day" => Self::Days(count),
            "week" => Self::Days(7 * count),
            "month" => Self::Months(count),
            "quarter" => Self::Months(3 * count),
            "year" => Self::Months(12 * count),
            "decade" => Self::Months(120 * count),
            _ => return None,
        })
    }

    /// Whether a column of this kind can be cut so.
    pub(crate) fn fits(self, kind: &Kind) -> bool {
        match (self, kind) {
            (Self::Number(step), Kind::Ordinal(levels)) => {
                step.is_whole() && step > Number::whole(1) && step <= Number::whole(levels.len() as i64)
            }
            (Self::Number(_), kind) => kind.numeric(),
            (Self::Months(_) | Self::Days(_), kind) => kind.dates(),
        }
    }

    /// A round step that cuts the way from the lowest to the highest value into about twenty cells; `None`
    /// where values are bands already: levels, unless they are many. `fine`: some value has a fraction, or a
    /// time of day.
    pub(crate) fn pick(kind: &Kind, low: Number, high: Number, fine: bool) -> Option<Self> {
        let nearest = |target: f64, steps: Vec<(Self, f64)>| {
            let off = |width: f64| (width.max(f64::MIN_POSITIVE) / target).ln().abs();
            steps.into_iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1))).map(|(step, _)| step)
        };
        let round = |around: f64| -> Vec<(Self, f64)> {
            let exponent = around.log10().floor() as i32;
            let near = [exponent, exponent + 1].into_iter().flat_map(|e| [1, 2, 5].map(|m| (m, e)));
            near.map(|(m, e)| Number::normal(m, e)).map(|n| (Self::Number(n), n.to_f64())).collect()
        };
        match kind {
            kind if kind.numeric() => {
                let width = high.to_f64() - low.to_f64();
                // Where all values are the same, their size says how fine they are.
                let width = if width > 0.0 { width } else { low.to_f64().abs().max(1.0) };
                let target = (width / CELLS).clamp(1e-300, 1e300);
                let target = if fine { target } else { target.max(2.0) };
                nearest(target, round(target))
            }
            kind if kind.dates() => {
                let days = (high.to_f64() - low.to_f64()) / 86_400e9;
                let calendar =
                    [1, 3, 12, 24, 60, 120, 240, 600, 1_200].map(|n| (Self::Months(n), 30.44 * f64::from(n)));
                let short = [(Self::Days(1), 1.0), (Self::Days(7), 7.0)];
                let steps = short.into_iter().skip(usize::from(!fine)).chain(calendar);
                nearest((days / CELLS).max(1.0), steps.collect())
            }
            Kind::Ordinal(levels) => {
                let target = levels.len() as f64 / CELLS;
                let step = nearest(target, round(target.max(1.0)))?;
                (target > 1.5).then_some(step).filter(|step| step.fits(kind))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, unit) = match *self {
            Self::Number(step) => return write!(f, "{step}"),
            Self::Months(n) if n % 12 == 0 => (n / 12, "year"),
            Self::Months(n) => (n, "month"),
            Self::Days(n) if n % 7 == 0 => (n / 7, "week"),
            Self::Days(n) => (n, "day"),
        };
        if count == 1 { f.write_str(unit) } else { write!(f, "{count} {unit}s") }
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(from)?).ok_or_else(|| D::Error::custom("not a step"))
    }
}

/// The cells of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// How wide a cell is.
    pub step: Step,
    /// Whether values are whole numbers, days or levels and a cell holds several: it ends with the last of
    /// them, as in 20–24. Otherwise it ends where the next one begins.
    pub whole: bool,
}

impl Grid {
    /// The grid of a column with these values.
    pub(crate) fn new(step: Step, kind: &Kind, mut values: impl Iterator<Item = Number>) -> Self {
        let several = match step {
            Step::Number(step) => step.is_whole() && step > Number::whole(1),
            Step::Months(_) => true,
            Step::Days(days) => days > 1,
        };
        Self { step, whole: several && values.all(|value| is_unit(kind, value)) }
    }

    /// The number of the cell that a value lies in; `None` if it lies in none, or too far out.
    pub(crate) fn cell(&self, kind: &Kind, value: Number) -> Option<i64> {
        if self.whole && !is_unit(kind, value) {
            return None;
        }
        match self.step {
            Step::Number(step) => value.steps(step),
            Step::Months(months) => {
                let day = day_of(value)?;
                Some((i64::from(day.year()) * 12 + i64::from(day.month0())).div_euclid(months.into()))
            }
            Step::Days(days) => {
                Some((i64::from(day_of(value)?.num_days_from_ce()) - 1).div_euclid(days.into()))
            }
        }
    }

    /// Where a cell begins.
    fn start(&self, cell: i64) -> Option<Number> {
        match self.step {
            Step::Number(step) => step.times(cell),
            Step::Months(months) => {
                let months = cell.checked_mul(months.into())?;
                let year = i32::try_from(months.div_euclid(12)).ok()?;
                let month = months.rem_euclid(12) as u32 + 1;
                written(NaiveDate::from_ymd_opt(year, month, 1))
            }
            Step::Days(days) => {
                let days = i32::try_from(cell.checked_mul(days.into())? + 1).ok()?;
                written(NaiveDate::from_num_days_from_ce_opt(days))
            }
        }
    }

    /// The ends of a range from one cell to another.
    pub(crate) fn ends(&self, kind: &Kind, first: i64, last: i64) -> Option<(Number, Number)> {
        let (low, next) = (self.start(first)?, self.start(last.checked_add(1)?)?);
        let high = match kind {
            _ if !self.whole => next,
            kind if kind.dates() => start_of(day_of(next)?.checked_sub_days(Days::new(1))?),
            // The last cell may have fewer levels than the others.
            Kind::Ordinal(levels) => {
                next.plus(Number::whole(-1))?.min(Number::whole(levels.len() as i64 - 1))
            }
            _ => next.plus(Number::whole(-1))?,
        };
        Some((low, high))
    }
}

/// The start of a day whose year has four digits.
fn written(day: Option<NaiveDate>) -> Option<Number> {
    day.filter(|day| (0..=9_999).contains(&day.year())).map(start_of)
}

/// Whether a value is a whole number, or a day without a time.
pub(crate) fn is_unit(kind: &Kind, value: Number) -> bool {
    if kind.dates() { is_midnight(value) } else { value.is_whole() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::value_of;

    fn published(kind: &Kind, step: &str, values: &[&str]) -> Vec<(String, String)> {
        let values: Vec<Number> = values.iter().map(|text| value_of(kind, text).unwrap()).collect();
        let grid = Grid::new(Step::parse(step).unwrap(), kind, values.iter().copied());
        let text = |value: Number| match kind {
            Kind::Date => day_of(value).unwrap().to_string(),
            _ => value.to_string(),
        };
        let ends = |&value: &Number| {
            let cell = grid.cell(kind, value).unwrap();
            let (low, high) = grid.ends(kind, cell, cell).unwrap();
            assert!(low <= value && value <= high && low < high);
            (text(low), text(high))
        };
        values.iter().map(ends).collect()
    }

    #[test]
    fn a_value_lies_in_its_cell() {
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
        };
        let numbers = published(&Kind::Numeric, "5", &["20", "24", "25", "-1"]);
        assert_eq!(numbers, pairs(&[("20", "24"), ("20", "24"), ("25", "29"), ("-5", "-1")]));
        let fractions = published(&Kind::Numeric, "0.5", &["1", "1.49", "-0.1"]);
        assert_eq!(fractions, pairs(&[("1", "1.5"), ("1", "1.5"), ("-0.5", "0")]));
        // A cell of one whole number would tell it.
        assert_eq!(published(&Kind::Numeric, "1", &["3"]), pairs(&[("3", "4")]));
        let days = published(&Kind::Date, "month", &["2024-02-29", "2023-12-31"]);
        assert_eq!(days, pairs(&[("2024-02-01", "2024-02-29"), ("2023-12-01", "2023-12-31")]));
        let times = published(&Kind::Date, "quarter", &["2024-02-29T12:00", "2024-04-01"]);
        assert_eq!(times, pairs(&[("2024-01-01", "2024-04-01"), ("2024-04-01", "2024-07-01")]));
        let weeks = published(&Kind::Date, "week", &["2024-01-07", "2024-01-08"]);
        assert_eq!(weeks, pairs(&[("2024-01-01", "2024-01-07"), ("2024-01-08", "2024-01-14")]));
        assert_eq!(published(&Kind::Date, "decade", &["1999-05-05"]), pairs(&[("1990-01-01", "1999-12-31")]));
        let day = published(&Kind::Date, "day", &["1999-05-05"]);
        assert_eq!(day, pairs(&[("1999-05-05", "1999-05-06")]));
    }

    #[test]
    fn steps_are_read_and_written() {
        let cases = [
            ("5", "5"),
            ("0.50", "0.5"),
            ("month", "month"),
            ("2 weeks", "2 weeks"),
            ("quarter", "3 months"),
            ("decade", "10 years"),
            ("12 months", "year"),
        ];
        for (text, canonical) in cases {
            let step = Step::parse(text).unwrap();
            assert_eq!(step.to_string(), canonical);
            assert_eq!(Step::parse(canonical), Some(step));
        }
        for odd in ["0", "-5", "fortnight", "0 days", "month year", "", "none"] {
            assert_eq!(Step::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn the_data_choose_about_twenty_cells() {
        let picked = |kind: &Kind, low: &str, high: &str, fine| {
            let value = |text| value_of(kind, text).unwrap();
            Step::pick(kind, value(low), value(high), fine).map(|step| step.to_string()).unwrap_or_default()
        };
        assert_eq!(picked(&Kind::Numeric, "17", "90", false), "5");
        assert_eq!(picked(&Kind::Numeric, "1", "16", false), "2");
        assert_eq!(picked(&Kind::Numeric, "0.1", "0.9", true), "0.05");
        assert_eq!(picked(&Kind::Numeric, "0", "100000", false), "5000");
        assert_eq!(picked(&Kind::Numeric, "7", "7", false), "2");
        assert_eq!(picked(&Kind::Date, "2020-01-01", "2021-12-31", false), "month");
        assert_eq!(picked(&Kind::Date, "1930-01-01", "2010-12-31", false), "5 years");
        assert_eq!(picked(&Kind::Date, "2020-01-01", "2020-01-21", true), "day");
        assert_eq!(picked(&Kind::Date, "2020-01-01", "2020-01-21", false), "week");
        let levels = |n: usize| Kind::Ordinal((0..n).map(|i| i.to_string()).collect());
        assert_eq!([picked(&levels(12), "0", "9", false), picked(&levels(100), "0", "9", false)], ["", "5"]);
    }
}
