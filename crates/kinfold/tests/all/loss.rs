//! The loss that is reported is the loss of what is published: worked out again, in floating point,
//! from the published texts and the original alone, by code that shares nothing with the engine.

use crate::support::{Dice, choices_for, read_csv, rounds, run_with_threads, sample};
use kinfold::model::policy::{Policy, Rounding};
use kinfold::model::table::{Column, Table};
use kinfold::{publish, solve};

fn is_missing(text: &str) -> bool {
    ["", "NA"].contains(&text)
}

fn day(text: &str) -> f64 {
    // Within three months of 2024, a leap year.
    let month: usize = text[5..7].parse().unwrap();
    [0.0, 31.0, 60.0][month - 1] + text[8..10].parse::<f64>().unwrap()
}

fn level(text: &str) -> f64 {
    ["low", "middle", "high", "top"].iter().position(|l| *l == text).unwrap() as f64
}

/// Every way to cut `[lo-hi]` or `[lo..hi]`, of which one reads as two values.
fn range(cell: &str, mark: char, value: &dyn Fn(&str) -> Option<f64>) -> (f64, f64) {
    let Some(inner) = cell.strip_prefix('[').and_then(|c| c.strip_suffix(']')) else {
        let single = value(cell).unwrap();
        return (single, single);
    };
    let cut = |(at, _)| Some((value(&inner[..at])?, value(&inner[at + 1..])?));
    let signed = |(at, _)| Some((value(&inner[..at])?, value(&inner[at + 2..])?));
    let found =
        inner.match_indices(mark).find_map(cut).or_else(|| inner.match_indices("..").find_map(signed));
    found.unwrap_or_else(|| panic!("{cell} is no range"))
}

/// Reads a value.
type Read<'a> = Box<dyn Fn(&str) -> Option<f64> + 'a>;

/// The share of a rounded column's cells that a published cell covers.
fn rounded_loss(cell: &str, kind: &str, step: &str, present: &[&str], domain: Option<(f64, f64)>) -> f64 {
    let number = |t: &str| t.parse::<f64>().ok();
    let (mark, place): (char, Read<'_>) = match (kind, step) {
        ("numeric", _) => ('-', Box::new(number)),
        ("date", "month") => ('/', Box::new(|t| (t.len() == 10).then(|| t[5..7].parse().unwrap()))),
        // The first of January 2024 is a Monday.
        ("date", _) => ('/', Box::new(|t| (t.len() == 10).then(|| ((day(t) - 1.0) / 7.0).floor()))),
        _ => ('-', Box::new(|t| Some((level(t) / 2.0).floor()))),
    };
    let step = if kind == "numeric" { step.parse().unwrap() } else { 1.0 };
    let cell_of = |value: f64| (value / step + 1e-9).floor();
    let values = || present.iter().map(|t| place(t).unwrap());
    let own = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    let (low, high) = if kind == "ordinal" { (0.0, 1.0) } else { domain.unwrap_or(own) };
    let all = cell_of(high) - cell_of(low) + 1.0;
    if is_missing(cell) {
        return 1.0 / all;
    }
    let (from, to) = range(cell, mark, &*place);
    // A cell that ends where the next one begins does not reach into it.
    let next = kind == "numeric" && (to / step).fract() == 0.0;
    (cell_of(to) - cell_of(from) + if next { 0.0 } else { 1.0 }) / all
}

fn cell_loss(cell: &str, suppressed: bool, kind: &str, column: &Column, domain: Option<(f64, f64)>) -> f64 {
    if cell == "*" {
        return 1.0;
    }
    if suppressed {
        return 0.0;
    }
    let texts: Vec<&str> = (0..column.distinct() as u32).map(|c| column.text(c)).collect();
    let present: Vec<&str> = texts.iter().copied().filter(|t| !is_missing(t)).collect();
    let holes = usize::from(present.len() < texts.len());
    let on_a_line = |mark: char, value: &dyn Fn(&str) -> Option<f64>, domain: Option<(f64, f64)>| {
        if is_missing(cell) {
            return 0.0;
        }
        let values: Vec<f64> = present.iter().map(|t| value(t).unwrap()).collect();
        let own = (
            values.iter().copied().fold(f64::MAX, f64::min),
            values.iter().copied().fold(f64::MIN, f64::max),
        );
        let (low, high) = domain.unwrap_or(own);
        let (from, to) = range(cell, mark, value);
        if to == from { 0.0 } else { (to - from) / (high - low) }
    };
    match kind {
        "numeric" => on_a_line('-', &|t| t.parse().ok(), domain),
        "date" => on_a_line('/', &|t| (t.len() == 10).then(|| day(t)), None),
        "ordinal" => on_a_line('-', &|t| Some(level(t)), Some((0.0, 3.0))),
        "category" => {
            let labels = cell.strip_prefix('{').map_or(1, |c| c.split('|').count());
            (labels - 1) as f64 / (present.len() + holes) as f64
        }
        _ => {
            let leaves = match cell {
                "broadleaf" => 3.0,
                "conifer" => 2.0,
                _ => 1.0,
            };
            (leaves - 1.0) / (4 + holes) as f64
        }
    }
}

fn published_loss(original: &Table, release: &Table, policy: &Policy) -> (f64, f64) {
    let (mut loss, mut everything) = (0.0, 0.0);
    let suppressed = policy.objective.suppresses();
    let people = release
        .column("people")
        .map(|c| c.codes().iter().map(|&e| c.text(e).parse::<f64>().unwrap()).collect::<Vec<_>>());
    for (said, quasi) in policy.quasi() {
        let (published, column) = (release.column(&said.name).unwrap(), original.column(&said.name).unwrap());
        let kind = quasi.kind.as_ref().unwrap().word();
        let domain = quasi.domain.as_ref().map(|d| (d.low.parse().unwrap(), d.high.parse().unwrap()));
        for (row, &code) in published.codes().iter().enumerate() {
            let size = people.as_ref().map_or(1.0, |p| p[row]);
            let cell = published.text(code);
            let lost = match quasi.round {
                Some(Rounding::To(step)) if cell != "*" => {
                    let texts = (0..column.distinct() as u32).map(|c| column.text(c));
                    let present: Vec<&str> = texts.filter(|t| !is_missing(t)).collect();
                    rounded_loss(cell, kind, &step.to_string(), &present, domain)
                }
                _ => cell_loss(cell, suppressed, kind, column, domain),
            };
            loss += size * quasi.weight * lost;
            everything += size * quasi.weight;
        }
    }
    (loss, loss / everything)
}

#[test]
fn the_loss_is_what_the_published_table_says() {
    let mut dice = Dice(51);
    let mut tables = 0;
    while tables < rounds(150) {
        let Some(sample) = sample(&mut dice, 5, 40).filter(|s| s.encoded.problem.may_withhold() == 0) else {
            continue;
        };
        for choice in choices_for(&sample.encoded.problem) {
            let outcome = solve(&sample.encoded.problem, &choice, &run_with_threads(1)).unwrap();
            let mut bytes = Vec::new();
            publish(&sample.table, &sample.policy, &sample.encoded, &outcome.solution)
                .write_csv(&mut bytes)
                .unwrap();
            let release = read_csv(std::str::from_utf8(&bytes).unwrap());
            let (loss, average) = published_loss(&sample.table, &release, &sample.policy);
            let reported = outcome.solution.loss(&sample.encoded.problem).cells();
            assert!(
                (loss - reported).abs() < 1e-5,
                "{choice}: {loss} is published, {reported} reported\n{}",
                sample.recipe
            );
            let reported = outcome.solution.average_loss(&sample.encoded.problem);
            assert!((average - reported).abs() < 1e-6, "{choice}\n{}", sample.recipe);
        }
        tables += 1;
    }
}
