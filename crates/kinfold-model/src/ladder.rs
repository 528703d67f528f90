//! Ladders of numbers and dates: nested intervals, and what values are called on each of their levels.
//!
//! Level 0 is the value itself, the levels above it are the intervals of each step, and the last level is the root,
//! `*`. Numbers are cut at multiples of a width from the origin: `20-29` where all values are whole, `[20-30)` where
//! they are not; `-10..-1` where one end is negative. Dates are cut by the calendar: `2024-02-29`, `2024-W09`, `2024-02`,
//! `2024-Q1`, `2024`, `2020s`.
//!
//! **Top and bottom coding** cuts the line: all values from `top` on are one band, `90+`, and all values below `bottom`
//! are another, `<18`. A band is itself on every level below the root, and intervals end where it begins.

use crate::grid::{Grid, Step, is_unit};
use crate::kind::Kind;
use crate::value::{Number, date_text, day_of, start_of};
use chrono::{Datelike, Days, NaiveDate};

/// Where a line is cut off: everything beyond is one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bands {
    /// Everything from here on is one band.
    pub top: Option<Number>,
    /// Everything below is one band.
    pub bottom: Option<Number>,
}

impl Bands {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a value lies in one of them.
    pub(crate) fn holds(&self, value: Number) -> bool {
        self.top.is_some_and(|top| value >= top) || self.bottom.is_some_and(|bottom| value < bottom)
    }

    /// The nearest value that is not beyond the ends.
    pub(crate) fn clamped(&self, value: Number) -> Number {
        let value = self.top.map_or(value, |top| value.min(top));
        self.bottom.map_or(value, |bottom| value.max(bottom))
    }

    /// What the band that a value lies in is called.
    pub(crate) fn name(&self, kind: &Kind, value: Number) -> Option<String> {
        match (self.bottom, self.top) {
            (Some(bottom), _) if value < bottom => Some(format!("<{}", end_text(kind, bottom)?)),
            (_, Some(top)) if value >= top => Some(format!("{}+", end_text(kind, top)?)),
            _ => None,
        }
    }
}

/// An end as it stands in a name: a number as the column writes it, a date as `2024-02-29`.
pub(crate) fn end_text(kind: &Kind, value: Number) -> Option<String> {
    if kind.dates() { day_of(value).map(|day| day.to_string()) } else { kind.text(value, "") }
}

/// A ladder of numbers or dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ladder {
    /// What the values are: numbers or dates, in whatever spelling.
    pub base: Kind,
    /// The widths of its levels, narrowest first.
    pub steps: Vec<Step>,
    /// Where numbers are counted from.
    pub origin: Number,
    /// Where the line is cut off.
    pub bands: Bands,
}

/// From the first to below the second.
pub(crate) type Interval = (Number, Number);

impl Ladder {
    /// Number of levels, the values and the root included.
    pub fn levels(&self) -> usize {
        self.steps.len() + 2
    }

    /// The interval that a value lies in on a level of intervals, cut where a band begins.
    pub(crate) fn interval(&self, level: usize, value: Number) -> Option<Interval> {
        let step = *self.steps.get(level.checked_sub(1)?)?;
        let grid = Grid { step, whole: false };
        let origin = if self.base.numeric() { self.origin } else { Number::whole(0) };
        let cell = grid.cell(&self.base, value.minus(origin)?)?;
        let (low, high) = grid.ends(&self.base, cell, cell)?;
        let (low, high) = (low.plus(origin)?, high.plus(origin)?);
        Some((self.bands.bottom.map_or(low, |b| low.max(b)), self.bands.top.map_or(high, |t| high.min(t))))
    }

    /// What a value is called on a level. `whole`: all values of the column are whole numbers, and so are the widths.
    pub(crate) fn name(&self, level: usize, value: Number, whole: bool) -> Option<String> {
        if level + 1 == self.levels() {
            return Some("*".to_owned());
        }
        if let Some(name) = self.bands.name(&self.base, value) {
            return Some(name);
        }
        if level == 0 {
            return match self.base.dates() {
                true if is_unit(&self.base, value) => end_text(&self.base, value),
                true => date_text(value, "0000-00-00T00"),
                false => end_text(&self.base, value),
            };
        }
        let (low, below) = self.interval(level, value)?;
        if self.base.dates() {
            return date_name(self.steps[level - 1], low, below);
        }
        let text = |end| end_text(&self.base, end);
        let middle = if low < Number::whole(0) { ".." } else { "-" };
        if !whole {
            return Some(format!("[{}{middle}{})", text(low)?, text(below)?));
        }
        let last = below.minus(Number::whole(1))?;
        if last == low { text(low) } else { Some(format!("{}{middle}{}", text(low)?, text(last)?)) }
    }

    /// The names of a value from a level up to the root.
    pub(crate) fn names(&self, from: usize, value: Number, whole: bool) -> Option<Vec<String>> {
        (from..self.levels()).map(|level| self.name(level, value, whole)).collect()
    }

    /// The least value of the cell that a value is in on a level: it stands for all of them.
    pub(crate) fn first_of(&self, level: usize, value: Number) -> Option<Number> {
        match (self.bands.bottom, self.bands.top) {
            (Some(bottom), _) if value < bottom => bottom.minus(Number::whole(1)),
            (_, Some(top)) if value >= top => Some(top),
            _ if level == 0 => Some(value),
            _ => Some(self.interval(level, value)?.0),
        }
    }

    /// The part of the line that a name stands for, as far as values can lie: in whole numbers up to the last of them.
    pub(crate) fn extent(
        &self,
        level: usize,
        value: Number,
        whole: bool,
        (low, high): (Number, Number),
    ) -> Option<(Number, Number)> {
        let ends = match (self.bands.bottom, self.bands.top) {
            (Some(bottom), _) if value < bottom => (low.min(bottom), bottom),
            (_, Some(top)) if value >= top => return Some((top.min(high), high)),
            _ if level == 0 => return Some((value, value)),
            _ if level + 1 == self.levels() => return Some((low, high)),
            _ => self.interval(level, value)?,
        };
        let last = if whole { ends.1.minus(Number::whole(1))? } else { ends.1 };
        Some((ends.0.clamp(low, high), last.clamp(low, high)))
    }

    /// Whether values of this column are whole numbers, and intervals end with the last of them.
    pub(crate) fn is_whole(&self, mut values: impl Iterator<Item = Number>) -> bool {
        let whole_step = |step: &Step| matches!(step, Step::Number(step) if step.is_whole());
        let ends = [self.bands.top, self.bands.bottom, Some(self.origin)];
        self.base.numeric()
            && self.steps.iter().all(whole_step)
            && ends.into_iter().flatten().all(Number::is_whole)
            && values.all(Number::is_whole)
    }
}

/// The name of a part of the calendar; of a part that a band cuts, both days.
fn date_name(step: Step, low: Number, below: Number) -> Option<String> {
    let (first, next) = (day_of(low)?, day_of(below)?);
    let uncut = Grid { step, whole: false }
        .cell(&Kind::Date, low)
        .and_then(|cell| Grid { step, whole: false }.ends(&Kind::Date, cell, cell));
    if uncut != Some((start_of(first), start_of(next))) || low != start_of(first) {
        let last = if start_of(next) == below { next.checked_sub_days(Days::new(1))? } else { next };
        return Some(if first == last { first.to_string() } else { format!("{first}..{last}") });
    }
    Some(match step {
        Step::Months(1) => first.format("%Y-%m").to_string(),
        Step::Months(3) => format!("{}-Q{}", first.format("%Y"), first.month0() / 3 + 1),
        Step::Months(12) => first.format("%Y").to_string(),
        Step::Months(120) => format!("{}s", first.format("%Y")),
        Step::Days(7) => week_name(first),
        _ => first.to_string(),
    })
}

/// `2024-W09`: weeks as ISO 8601 counts them.
fn week_name(monday: NaiveDate) -> String {
    let week = monday.iso_week();
    format!("{:04}-W{:02}", week.year(), week.week())
}

/// Whether the cells of the second step are made of whole cells of the first.
pub(crate) fn nests(inner: Step, outer: Step) -> bool {
    match (inner, outer) {
        (Step::Number(inner), Step::Number(outer)) => {
            inner < outer && outer.steps(inner).and_then(|n| inner.times(n)) == Some(outer)
        }
        (Step::Days(inner), Step::Days(outer)) => inner < outer && outer.is_multiple_of(inner),
        (Step::Months(inner), Step::Months(outer)) => inner < outer && outer.is_multiple_of(inner),
        (Step::Days(1), Step::Months(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::value_of;

    fn ladder(base: Kind, steps: &[&str], bottom: Option<&str>, top: Option<&str>) -> Ladder {
        let end = |text: Option<&str>| text.map(|text| value_of(&base, text).unwrap());
        let bands = Bands { top: end(top), bottom: end(bottom) };
        let steps = steps.iter().map(|step| Step::parse(step).unwrap()).collect();
        Ladder { base, steps, origin: Number::whole(0), bands }
    }

    fn names(ladder: &Ladder, value: &str, whole: bool) -> Vec<String> {
        ladder.names(0, value_of(&ladder.base, value).unwrap(), whole).unwrap()
    }

    #[test]
    fn numbers_have_names_on_every_level() {
        let age = ladder(Kind::Numeric, &["5", "10"], Some("18"), Some("85"));
        assert_eq!(names(&age, "37", true), ["37", "35-39", "30-39", "*"]);
        assert_eq!(names(&age, "83", true), ["83", "80-84", "80-84", "*"]);
        assert_eq!(names(&age, "19", true), ["19", "18-19", "18-19", "*"]);
        assert_eq!(names(&age, "97", true), ["85+", "85+", "85+", "*"]);
        assert_eq!(names(&age, "17", true), ["<18", "<18", "<18", "*"]);
        let decimals = ladder(Kind::Numeric, &["0.5", "1"], None, None);
        assert_eq!(names(&decimals, "1.7", false), ["1.7", "[1.5-2)", "[1-2)", "*"]);
        assert_eq!(names(&decimals, "-0.2", false), ["-0.2", "[-0.5..0)", "[-1..0)", "*"]);
        let debts = ladder(Kind::Numeric, &["10"], None, None);
        assert_eq!(names(&debts, "-7", true), ["-7", "-10..-1", "*"]);
        let shifted = Ladder { origin: Number::whole(3), ..ladder(Kind::Numeric, &["10"], None, None) };
        assert_eq!(names(&shifted, "12", true), ["12", "3-12", "*"]);
    }

    #[test]
    fn dates_have_names_on_every_level() {
        let dates = ladder(Kind::Date, &["month", "quarter", "year", "decade"], None, Some("2020-05-15"));
        assert_eq!(
            names(&dates, "2019-05-31", false),
            ["2019-05-31", "2019-05", "2019-Q2", "2019", "2010s", "*"]
        );
        let cut =
            ["2020-05-03", "2020-05-01..2020-05-14", "2020-04-01..2020-05-14", "2020-01-01..2020-05-14"];
        assert_eq!(names(&dates, "2020-05-03", false)[..4], cut);
        assert_eq!(names(&dates, "2020-05-15", false)[..2], ["2020-05-15+", "2020-05-15+"]);
        let weeks = ladder(Kind::Date, &["week"], None, None);
        assert_eq!(names(&weeks, "2021-01-01", false), ["2021-01-01", "2020-W53", "*"]);
        assert_eq!(names(&weeks, "2024-02-01T10:30", false)[1], "2024-W05");
    }

    #[test]
    fn levels_nest_or_not() {
        let step = |text| Step::parse(text).unwrap();
        let pairs = [
            ("5", "10"),
            ("0.5", "2"),
            ("month", "quarter"),
            ("year", "decade"),
            ("day", "month"),
            ("day", "week"),
        ];
        assert!(pairs.iter().all(|(a, b)| nests(step(a), step(b)) && !nests(step(b), step(a))));
        let pairs = [("5", "12"), ("week", "month"), ("10", "10"), ("week", "year")];
        assert!(pairs.iter().all(|(a, b)| !nests(step(a), step(b))));
    }
}
