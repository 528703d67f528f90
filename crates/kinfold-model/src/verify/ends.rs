//! Are ends rounded as the policy says? Read from the published cells, by arithmetic of its own.

use super::Published;
use super::cover::{Reader, Reading, Said};
use super::looks::Looks;
use crate::grid::Step;
use crate::kind::Kind;
use crate::policy::{Form, Policy, Quasi, Rounding};
use crate::value::{Number, day_of, is_midnight};
use chrono::{Datelike, Days, NaiveDate};

/// Columns with cells that are not on the grid of the policy, and in how many rows. Where the data chose the
/// grid, it is not known: then no cell may tell one value.
pub(super) fn unrounded(
    published: &Published,
    policy: &Policy,
    columns: &[Vec<String>],
) -> Vec<(String, usize)> {
    // What the labels of form codes stand for is in another file.
    if policy.form == Form::Codes && published.lookup.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for ((said, quasi), names) in policy.quasi().zip(columns) {
        let name = &said.name;
        let step = match quasi.round {
            Some(Rounding::Exact) => continue,
            Some(Rounding::To(step)) => Some(step),
            None if policy.blunt => None,
            None => continue,
        };
        let looks = Looks::new(&said.name, names, published, policy);
        let distinct = looks.distinct(published.table.rows());
        let bad = kinds(quasi, step).into_iter().find_map(|kind| {
            let reader = Reader::new(&kind, &policy.format, policy.missing_in(name));
            let said: Vec<Said> = distinct.first.iter().map(|&row| looks.said(&reader, row, true)).collect();
            // A column whose kind is not known is of this kind if some cell is a range of it.
            let sure = quasi.kind.is_some()
                || step.is_some()
                || said.iter().any(|said| said.ranges().any(|(a, b)| a < b));
            sure.then(|| said.iter().map(|said| !is_rounded(said, &kind, step)).collect::<Vec<bool>>())
        });
        let rows = bad.map_or(0, |bad| distinct.of_row.iter().filter(|&&look| bad[look as usize]).count());
        if rows > 0 {
            found.push((said.name.clone(), rows));
        }
    }
    found
}

/// What the values of a column can be.
fn kinds(quasi: &Quasi, step: Option<Step>) -> Vec<Kind> {
    match (&quasi.kind, step) {
        (Some(kind), Some(_)) => vec![kind.clone()],
        (Some(kind), None) if kind.ordered() && (kind.numeric() || kind.dates()) => vec![kind.clone()],
        // A level is a band already, and labels have no ends.
        (Some(_), None) => Vec::new(),
        (None, Some(Step::Number(_))) => vec![Kind::Numeric],
        (None, Some(_)) => vec![Kind::Date],
        (None, None) => vec![Kind::Numeric, Kind::Date],
    }
}

fn is_rounded(said: &Said, kind: &Kind, step: Option<Step>) -> bool {
    let missing = said.readings().contains(&Reading::Missing);
    missing || *said == Said::Star || said.ranges().any(|(low, high)| on_grid(low, high, kind, step))
}

/// Whether the low end is the start of a cell, and the high end the start of another, or the last whole number or
/// day before it.
fn on_grid(low: Number, high: Number, kind: &Kind, step: Option<Step>) -> bool {
    let Some(step) = step else { return low < high };
    let whole = Number::whole(1);
    match (step, kind) {
        (Step::Number(step), Kind::Ordinal(levels)) => {
            let last = high == Number::whole(levels.len() as i64 - 1);
            let next = high.plus(whole);
            low <= high
                && is_multiple(low, step)
                && (last || next.is_some_and(|next| is_multiple(next, step)))
        }
        (Step::Number(step), _) => {
            let next = high.plus(whole).filter(|_| high.is_whole());
            let ends = is_multiple(high, step) || next.is_some_and(|next| is_multiple(next, step));
            low < high && is_multiple(low, step) && ends
        }
        _ => {
            let day = |value: Number| day_of(value).filter(|_| is_midnight(value));
            let (Some(low), Some(high)) = (day(low), day(high)) else { return false };
            let next = high.checked_add_days(Days::new(1));
            low < high
                && starts(low, step)
                && (starts(high, step) || next.is_some_and(|next| starts(next, step)))
        }
    }
}

fn is_multiple(value: Number, step: Number) -> bool {
    let product = value.steps(step).and_then(|steps| step.times(steps));
    product == Some(value)
}

/// Whether a cell of the calendar begins on this day.
fn starts(day: NaiveDate, step: Step) -> bool {
    match step {
        Step::Number(_) => false,
        Step::Days(7) => day.weekday() == chrono::Weekday::Mon,
        Step::Days(days) => (day.num_days_from_ce() - 1) % days as i32 == 0,
        Step::Months(months) => {
            day.day() == 1 && (day.year() as u32 * 12 + day.month() - 1).is_multiple_of(months)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Format, default_missing};

    fn rounded(kind: &Kind, step: &str, cell: &str) -> bool {
        let (format, missing) = (Format::default(), default_missing());
        let said = Reader::new(kind, &format, &missing).cell(cell, false);
        is_rounded(&said, kind, Step::parse(step))
    }

    #[test]
    fn ends_lie_on_the_grid_or_just_before_it() {
        let good = ["[20-25]", "[20-24]", "[0-99]", "[-5..4]", "*", "NA", ""];
        let bad = ["20", "[21-25]", "[20-26]", "[20-23]", "[20-24.5]", "[20-20]", "[25-20]", "x", "{20|25}"];
        assert!(good.iter().all(|cell| rounded(&Kind::Numeric, "5", cell)));
        bad.iter().for_each(|cell| assert!(!rounded(&Kind::Numeric, "5", cell), "{cell}"));
        assert!(rounded(&Kind::Numeric, "0.5", "[1-1.5]") && !rounded(&Kind::Numeric, "0.5", "[1-1.4]"));
        let good = ["[2024-02-01/2024-02-29]", "[2024-02-01/2024-03-01]", "[2023-12-01/2024-01-31]"];
        let bad = [
            "[2024-02-02/2024-02-29]",
            "[2024-02-01/2024-02-28]",
            "2024-02-01",
            "[2024-02-01/2024-02-29T10:00]",
        ];
        assert!(good.iter().all(|cell| rounded(&Kind::Date, "month", cell)));
        bad.iter().for_each(|cell| assert!(!rounded(&Kind::Date, "month", cell), "{cell}"));
        assert!(rounded(&Kind::Date, "week", "[2024-01-01/2024-01-07]"));
        assert!(!rounded(&Kind::Date, "week", "[2024-01-02/2024-01-08]"));
        assert!(rounded(&Kind::Date, "5 years", "[1990-01-01/1994-12-31]"));
        assert!(!rounded(&Kind::Date, "5 years", "[1991-01-01/1995-12-31]"));
        let levels = Kind::Ordinal(["a", "b", "c", "d", "e"].map(String::from).to_vec());
        assert!(["[a-b]", "[a-d]", "e", "[c-e]"].iter().all(|cell| rounded(&levels, "2", cell)));
        assert!(["a", "[b-c]", "[a-c]"].iter().all(|cell| !rounded(&levels, "2", cell)));
    }

    #[test]
    fn where_the_data_chose_the_grid_no_cell_tells_one_value() {
        assert!(["[20-24]", "[1-7]", "*"].iter().all(|cell| rounded(&Kind::Numeric, "any", cell)));
        assert!(["20", "[20-20]"].iter().all(|cell| !rounded(&Kind::Numeric, "any", cell)));
    }
}
