//! Does every cell stand on a level that the policy allows, and is nothing beyond its top or bottom? Read from the
//! published cells, by arithmetic of its own.

use super::Published;
use super::cover::{Reader, Reading, Said};
use super::looks::Looks;
use super::names::{self, Named};
use crate::grid::Step;
use crate::hierarchy::Hierarchy;
use crate::kind::{Kind, Prefixes, value_of};
use crate::ladder::{Bands, Ladder};
use crate::policy::{Form, Policy, Quasi, Range};
use crate::value::{Number, day_of, start_of};
use chrono::{Datelike, Days, Months, NaiveDate};
use std::collections::BTreeSet;

/// Columns with cells outside the levels that are allowed, and in how many rows.
pub(super) fn off_level(
    published: &Published,
    policy: &Policy,
    columns: &[Vec<String>],
) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut tell = |name: &str, rows: usize| {
        if rows > 0 {
            found.push((name.to_owned(), rows));
        }
    };
    let rows = published.table.rows();
    // What the labels of form codes stand for is in another file.
    let hidden = policy.form == Form::Codes && published.lookup.is_empty();
    if policy.form != Form::Centres && !hidden {
        for ((said, quasi), names) in policy.quasi().zip(columns) {
            let Some(allowed) = Allowed::of_quasi(quasi, policy) else { continue };
            let looks = Looks::new(&said.name, names, published, policy);
            let distinct = looks.distinct(rows);
            let missing = policy.missing_in(&said.name);
            let bad: Vec<bool> = distinct
                .first
                .iter()
                .map(|&row| {
                    let (text, null) = looks.text(row);
                    looks.parts().len() != 1 || !allowed.has(text, null, missing, policy)
                })
                .collect();
            tell(&said.name, distinct.of_row.iter().filter(|&&look| bad[look as usize]).count());
        }
    }
    for said in policy.columns.iter().filter(|_| !policy.per_group) {
        let Some(recoded) = &said.recoded else { continue };
        let Some(column) = published.table.column(&said.name) else { continue };
        let allowed =
            Allowed::new(&recoded.kind, Range::only(recoded.level), Bands::default(), recoded.unknown);
        let missing = policy.missing_in(&said.name);
        let bad: Vec<bool> = (0..column.distinct() as u32)
            .map(|entry| !allowed.has(column.text(entry), column.is_null(entry), missing, policy))
            .collect();
        tell(&said.name, column.codes().iter().filter(|&&entry| bad[entry as usize]).count());
    }
    found
}

/// The cells that a column may have.
pub(super) struct Allowed<'a> {
    kind: &'a Kind,
    range: Range,
    bands: Bands,
    /// The names that a hierarchy has on the levels that are allowed.
    names: BTreeSet<&'a str>,
    /// Whether a star may stand there.
    star: bool,
}

impl<'a> Allowed<'a> {
    fn of_quasi(quasi: &'a Quasi, policy: &Policy) -> Option<Self> {
        let line = !quasi.bands.is_empty();
        let laddered = matches!(quasi.kind, Some(Kind::Ladder(_)));
        if !line && !laddered && quasi.range == Range::ALL {
            return None;
        }
        let mut allowed = Self::new(quasi.kind.as_ref()?, quasi.range, quasi.bands, quasi.unknown);
        // Where cells are only suppressed, a star is no level.
        allowed.star |= policy.objective.suppresses() || quasi.range.coarsest.is_none();
        // Above the root, which may have a name, a star covers missing values, too.
        if let Some(Kind::Hierarchy(hierarchy)) = &quasi.kind {
            allowed.star |= quasi.range.has(hierarchy.tree().levels() - 1);
        }
        Some(allowed)
    }

    /// One for every level below the star; none for a column without levels.
    pub(super) fn by_level(kind: &'a Kind, bands: Bands) -> Vec<Self> {
        let only = |level| Self::new(kind, Range::only(level), bands, false);
        (0..kind.levels()).map(only).collect()
    }

    fn new(kind: &'a Kind, range: Range, bands: Bands, unknown: bool) -> Self {
        let names = match kind {
            Kind::Hierarchy(hierarchy) => names_of(hierarchy, range),
            _ => BTreeSet::new(),
        };
        Self { kind, range, bands, names, star: unknown }
    }

    pub(super) fn has(&self, text: &str, null: bool, missing: &[String], policy: &Policy) -> bool {
        if null || missing.iter().any(|token| token == text.trim_ascii()) {
            return true;
        }
        if [policy.format.star.as_str(), "*"].contains(&text) {
            return self.star || self.names.contains("*");
        }
        match self.kind {
            Kind::Hierarchy(_) => self.names.contains(text) || self.names.contains(text.trim_ascii()),
            Kind::Prefix(Prefixes { lengths, bare }) => self.has_beginning(text, lengths, *bare),
            Kind::Ladder(ladder) => self.has_interval(text, ladder),
            kind => on_line(kind, text, self.bands, policy, missing),
        }
    }

    fn has_beginning(&self, text: &str, lengths: &[usize], bare: Option<usize>) -> bool {
        let start = text.strip_suffix('*').filter(|start| !start.is_empty());
        let length = start.unwrap_or(text).trim_ascii().chars().count();
        // A code that is shorter than a level's length stands there as it is.
        let finest = self.range.finest.checked_sub(1).and_then(|at| lengths.get(at));
        match start {
            None => Some(length) == bare || finest.is_none_or(|&finest| length < finest),
            Some(_) if bare.is_some() => false,
            Some(_) => {
                let level = lengths.iter().position(|&own| own == length).map(|at| at + 1);
                level.is_some_and(|level| self.range.has(level))
            }
        }
    }

    fn has_interval(&self, text: &str, ladder: &Ladder) -> bool {
        let Bands { top, bottom } = ladder.bands;
        if self.range.finest == 0
            && let Some(value) = value_of(&ladder.base, text)
        {
            return top.is_none_or(|top| value < top) && bottom.is_none_or(|bottom| value >= bottom);
        }
        // A whole number may be an interval of width 1.
        let named = names::read(&ladder.base, text).or_else(|| {
            let value = value_of(&ladder.base, text)?;
            Some(Named::between(value, value))
        });
        let Some(named) = named else { return false };
        let below = match named.to {
            Some(last) if named.closed => last.plus(Number::whole(1)),
            to => to,
        };
        match (named.from, below) {
            (None, below) => bottom.is_some() && below == bottom,
            (from, None) => top.is_some() && from == top,
            (Some(from), Some(below)) => {
                let levels = self.range.finest.max(1)..=self.range.coarsest.unwrap_or(ladder.steps.len());
                levels.into_iter().any(|level| {
                    let ends = ladder.steps.get(level - 1).and_then(|&step| around(from, step, ladder));
                    ends.is_some_and(|(low, high)| {
                        let low = bottom.map_or(low, |bottom| low.max(bottom));
                        let high = top.map_or(high, |top| high.min(top));
                        (from, below) == (low, high)
                    })
                })
            }
        }
    }
}

/// The names of all nodes on these levels.
fn names_of(hierarchy: &Hierarchy, range: Range) -> BTreeSet<&str> {
    let tree = hierarchy.tree();
    let levels = range.finest..=range.coarsest.unwrap_or(tree.levels() - 1).min(tree.levels() - 1);
    levels
        .flat_map(|level| (0..tree.leaves()).map(move |leaf| tree.at_level(level, leaf)))
        .collect::<BTreeSet<u32>>()
        .into_iter()
        .map(|node| hierarchy.label(node))
        .collect()
}

/// The interval of a step that holds this value, counted anew.
fn around(value: Number, step: Step, ladder: &Ladder) -> Option<(Number, Number)> {
    let months = |first: Option<NaiveDate>, months: u32| {
        let first = first?;
        Some((start_of(first), start_of(first.checked_add_months(Months::new(months))?)))
    };
    match step {
        Step::Number(width) => {
            let steps = value.minus(ladder.origin)?.steps(width)?;
            let low = ladder.origin.plus(width.times(steps)?)?;
            Some((low, low.plus(width)?))
        }
        Step::Days(days) => {
            let day = day_of(value)?;
            let into = match days {
                7 => day.weekday().num_days_from_monday(),
                days => (day.num_days_from_ce() as u32 - 1) % days,
            };
            let first = day.checked_sub_days(Days::new(into.into()))?;
            Some((start_of(first), start_of(first.checked_add_days(Days::new(days.into()))?)))
        }
        Step::Months(number @ (1 | 3)) => {
            let day = day_of(value)?;
            months(NaiveDate::from_ymd_opt(day.year(), day.month0() / number * number + 1, 1), number)
        }
        Step::Months(number) => {
            let years = (number / 12).max(1) as i32;
            months(NaiveDate::from_ymd_opt(day_of(value)?.year().div_euclid(years) * years, 1, 1), number)
        }
    }
}

/// Whether a cell of a line tells nothing beyond its ends.
fn on_line(kind: &Kind, text: &str, bands: Bands, policy: &Policy, missing: &[String]) -> bool {
    let said = Reader::new(kind, &policy.format, missing).cell(text, false);
    let Said::Either(readings) = said else { return true };
    let inside = |value: Number| {
        bands.top.is_none_or(|top| value < top) && bands.bottom.is_none_or(|bottom| value >= bottom)
    };
    readings.iter().any(|reading| match reading {
        Reading::Range(low, high) => inside(*low) && inside(*high),
        Reading::Interval(named) => {
            // A band must be the policy's own: where another one begins tells an exact value beyond its ends.
            let ours = |named: Option<Number>, band: Option<Number>| named.is_none() || named == band;
            let low = named.from.is_none_or(|from| inside(from) || named.bands.top == Some(from));
            low && named.to.is_none_or(inside)
                && ours(named.bands.top, bands.top)
                && ours(named.bands.bottom, bands.bottom)
        }
        _ => false,
    })
}
