//! Form `centres`: every group is published as what is in its middle, with its size and its radius (paper
//! *cluster*, figure 1).
//!
//! Under `radius` and `cellular` the middle is a record of the table, letter for letter, or where the policy
//! allows it the middle of the group, which it always is under `sse`: the mean of numbers, the median of
//! dates and levels, the most frequent label. With one line per group, the untouched columns say how often
//! each value occurs: `{cold:2|flu:1}`.

use super::cells::{Cells, Release, ReleasedColumn, released, set};
use kinfold_model::cost::{Cost, MIDDLE, ONE, radius};
use kinfold_model::encode::{Coding, Encoded};
use kinfold_model::judge::Solution;
use kinfold_model::kind::{Kind, value_of};
use kinfold_model::metric::Axis;
use kinfold_model::policy::{Format, GROUP_COLUMNS, Policy, Role};
use kinfold_model::problem::Problem;
use kinfold_model::table::{Column, Table};
use kinfold_model::value::{Number, parse_number};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Significant digits of a mean, unless it needs more.
const DIGITS: usize = 12;
/// A mean is off by less than this share of a distance of 1.
const FINE: f64 = 1e-7;
/// Decimals of a radius, which is rounded up.
const DECIMALS: u32 = 9;

pub(super) fn publish(table: &Table, policy: &Policy, encoded: &Encoded, solution: &Solution) -> Release {
    let groups = 0..solution.groups();
    let middles: Vec<Middle> =
        groups.clone().map(|group| Middle::of(table, encoded, solution, group)).collect();
    let mut columns = Vec::new();
    for (position, column) in table.columns().iter().enumerate() {
        let name = column.name().to_owned();
        match policy.role(column.name()) {
            Some(Role::Quasi(_)) => {
                let Some(number) = encoded.codings.iter().position(|c| c.column == position) else {
                    continue;
                };
                let texts = middles.iter().map(|middle| middle.cells[number].clone()).collect();
                let records = (0..solution.groups()).all(|g| solution.centre(g).is_some_and(|c| c != MIDDLE));
                let mean = !records && encoded.codings[number].kind.numeric();
                columns.push(ReleasedColumn::new(name, Cells::Ends(texts, (!mean).then(|| column.clone()))));
            }
            Some(role) if role.published() && policy.per_group => {
                let texts =
                    groups.clone().map(|group| multiset(column, solution.rows(group), &policy.format));
                columns.push(ReleasedColumn::new(name, Cells::Grouped(texts.map(Some).collect())));
            }
            Some(role) if role.published() => {
                columns.push(ReleasedColumn::new(name, Cells::Untouched(column.clone())))
            }
            _ => {}
        }
    }
    let sizes = groups.clone().map(|group| Some(solution.rows(group).len().to_string())).collect();
    let largest = middles.iter().map(|middle| middle.radius).max().filter(|_| policy.one_radius);
    let radii = middles.iter().map(|middle| Some(radius_text(largest.unwrap_or(middle.radius)))).collect();
    for (name, texts) in GROUP_COLUMNS.into_iter().zip([sizes, radii]) {
        columns.push(ReleasedColumn::new(name, Cells::Ends(texts, None)));
    }
    let rows = if policy.per_group {
        groups.filter_map(|group| solution.rows(group).first().copied()).collect()
    } else {
        released(solution)
    };
    Release {
        delimiter: table.delimiter(),
        columns,
        rows,
        group_of: solution.group_of().to_vec(),
        labels: None,
    }
}

/// What is in the middle of a group: a cell per quasi-identifier, and how far the furthest row is from it.
struct Middle {
    cells: Vec<Option<String>>,
    radius: Cost,
}

impl Middle {
    fn of(table: &Table, encoded: &Encoded, solution: &Solution, group: usize) -> Self {
        let problem = &encoded.problem;
        let column = |coding: &Coding| &table.columns()[coding.column];
        let record = solution.centre(group).filter(|&centre| centre != MIDDLE);
        if let (Some(centre), Some(radius)) = (record, solution.radius(problem, group)) {
            let codes = problem.codes(centre).iter().zip(&encoded.codings);
            let cells = codes.map(|(&code, coding)| spelled(column(coding), coding, code)).collect();
            return Self { cells, radius };
        }
        let codes = |number: usize| {
            let mut codes: Vec<u32> = solution
                .rows(group)
                .iter()
                .map(|&row| problem.codes(problem.record_of(row))[number])
                .collect();
            codes.sort_unstable();
            codes
        };
        let cells = encoded.codings.iter().enumerate().map(|(number, coding)| {
            let codes = codes(number);
            let spelled = |code: u32| spelled(column(coding), coding, code);
            match &coding.kind {
                kind if kind.numeric() => {
                    let value = |&code: &u32| value_of(kind, &spelled(code)?);
                    let values: Vec<Number> = codes.iter().filter_map(value).collect();
                    let mean = mean(&values, unit(problem, number));
                    match kind {
                        Kind::Spelled(spelling) => parse_number(&mean).and_then(|mean| spelling.text(mean)),
                        _ => Some(mean),
                    }
                }
                kind if kind.ordered() => spelled(codes[(codes.len() - 1) / 2]),
                _ => {
                    let most = codes.chunk_by(|a, b| a == b).max_by_key(|c| (c.len(), Reverse(c[0])));
                    spelled(most.map_or(0, |same| same[0]))
                }
            }
        });
        let radius = radius(problem, MIDDLE, solution.rows(group)).unwrap_or(Cost::ZERO);
        Self { cells: cells.collect(), radius }
    }
}

fn spelled(column: &Column, coding: &Coding, code: u32) -> Option<String> {
    coding.word(code).filter(|&word| !column.is_null(word)).map(|word| column.text(word).to_owned())
}

/// Which difference of a column's numbers is a distance of 1; 0 if none is.
fn unit(problem: &Problem, number: usize) -> f64 {
    let slope = |axis: &Axis| match axis {
        Axis::Line { column, origin: (_, slope), .. } if *column == number => Some(*slope),
        _ => None,
    };
    let slope = problem.clusters().metric.axes.iter().find_map(slope);
    slope.filter(|&slope| slope > 0.0).map_or(0.0, |slope| ONE as f64 / slope)
}

/// The mean of some numbers: twelve digits of it, or more if these are too coarse for distances.
fn mean(values: &[Number], unit: f64) -> String {
    let sum: f64 = values.iter().map(|value| value.to_f64()).sum();
    let mean = sum / values.len().max(1) as f64;
    let last = 10f64.powi(mean.abs().log10().floor().max(-300.0) as i32 + 1 - DIGITS as i32);
    let fine = unit * FINE;
    if last <= fine || mean == 0.0 {
        let rounded = format!("{mean:.0$e}", DIGITS - 1).parse().unwrap_or(mean);
        return rounded.to_string();
    }
    // From the first of them on: their differences are small.
    let first = values[0];
    let beyond: f64 = values.iter().filter_map(|value| value.minus(first)).map(Number::to_f64).sum();
    let places = if fine > 0.0 { (-fine.log10().floor()).clamp(0.0, 15.0) as usize } else { 0 };
    let exact = parse_number(&format!("{:.places$}", beyond / values.len() as f64));
    let text = exact.and_then(|beyond| first.plus(beyond)).map(|mean| mean.to_string());
    text.filter(|text| parse_number(text).is_some()).unwrap_or_else(|| mean.to_string())
}

/// A radius as a decimal number, no less than it is.
fn radius_text(radius: Cost) -> String {
    let power = 10u128.pow(DECIMALS);
    let parts = (u128::from(radius.0) * power).div_ceil(u128::from(ONE));
    let text = format!("{}.{:0width$}", parts / power, parts % power, width = DECIMALS as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Every value of a column among these rows, with how often it occurs, in the order of their texts.
fn multiset(column: &Column, rows: &[u32], format: &Format) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &row in rows {
        *counts.entry(column.text(column.codes()[row as usize])).or_default() += 1;
    }
    set(format, counts.into_iter().map(|(value, count)| (value, format!(":{count}"))))
}
