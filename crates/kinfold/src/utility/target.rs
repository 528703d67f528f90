//! Is a column still predicted from the quasi-identifiers? Naive Bayes with one count added to every bin,
//! trained on the original and on the release, tested on rows of the original.
//!
//! A cell of the release counts for every bin that it covers, by its share. The model is small and has nothing
//! to tune, so it is the data that is compared.

use crate::error::Error;
use crate::parts::random::Random;
use crate::report::TargetUtility;
use kinfold_model::table::{Column, Table};
use kinfold_model::verify::{Published, Spread};
use std::collections::BTreeMap;

/// Values of the target beyond the commonest ones are one class.
const CLASSES: usize = 32;
/// One row in so many is held out.
const HELD_OUT: u64 = 5;

pub(super) fn predict(
    published: &Published,
    original: &Table,
    spread: &Spread,
    name: &str,
    rows: Option<&[u32]>,
    seed: u64,
) -> Result<TargetUtility, Error> {
    let missing = |of: &str| {
        Error::unsuitable(
            format!("{of} has no column {name:?} to predict"),
            "a target is a column that is published unchanged: one with role sensitive or keep",
        )
    };
    let before = original.column(name).ok_or_else(|| missing("the original"))?;
    let after = published.column(name).filter(|column| column.codes().len() == published.rows());
    let after = after.ok_or_else(|| missing("the release"))?;
    if spread.columns.iter().any(|column| column.name == name) {
        return Err(missing("the release"));
    }
    let classes = Classes::new(before);
    let tested: Vec<bool> = (0..original.rows() as u64)
        .map(|row| Random::new(seed ^ row << 1).next().is_multiple_of(HELD_OUT))
        .collect();
    let mut by_original = Model::new(spread, classes.count);
    let mut by_release = Model::new(spread, classes.count);
    for (row, &code) in before.codes().iter().enumerate().filter(|(row, _)| !tested[*row]) {
        by_original.learn(
            classes.of[code as usize],
            spread.original_people[row] as f64,
            |model, c, weight| {
                model.add(c, spread.columns[c].original[row], weight);
            },
        );
    }
    let translated = classes.translated(before, after);
    for (row, &code) in after.codes().iter().enumerate() {
        if rows.is_some_and(|rows| rows.get(row).is_some_and(|&row| tested[row as usize])) {
            continue;
        }
        let weight = spread.released_people.get(row).copied().unwrap_or(1) as f64;
        by_release.learn(translated[code as usize], weight, |model, c, weight| {
            let column = &spread.columns[c];
            for &(bin, share) in &column.shares[column.looks[row] as usize] {
                model.add(c, bin, weight * share);
            }
        });
    }
    let (by_original, by_release) = (by_original.finished(), by_release.finished());
    let (mut right, mut right_by_release, mut all) = (0.0, 0.0, 0.0);
    let mut commonest = vec![0.0; classes.count];
    for (row, &code) in before.codes().iter().enumerate().filter(|(row, _)| tested[*row]) {
        let (class, people) = (classes.of[code as usize], spread.original_people[row] as f64);
        let hit = |model: &Trained| if model.guess(spread, row) == class { people } else { 0.0 };
        right += hit(&by_original);
        right_by_release += hit(&by_release);
        commonest[class] += people;
        all += people;
    }
    let share = |people: f64| people / f64::max(all, 1.0);
    Ok(TargetUtility {
        column: name.to_owned(),
        model: "naive Bayes",
        classes: classes.count,
        tested_rows: tested.iter().filter(|tested| **tested).count(),
        held_out: rows.is_some(),
        accuracy_before: share(right),
        accuracy_after: share(right_by_release),
        base_rate: share(commonest.into_iter().fold(0.0, f64::max)),
    })
}

/// The values of the target as numbers, the commonest first.
struct Classes {
    /// For every entry of the original's dictionary.
    of: Vec<usize>,
    count: usize,
}

impl Classes {
    fn new(column: &Column) -> Self {
        let mut rows = vec![0u64; column.distinct()];
        column.codes().iter().for_each(|&code| rows[code as usize] += 1);
        let mut codes: Vec<usize> = (0..column.distinct()).collect();
        codes.sort_by_key(|&code| (std::cmp::Reverse(rows[code]), code));
        let count = codes.len().clamp(1, CLASSES);
        let mut of = vec![0; column.distinct()];
        codes.iter().enumerate().for_each(|(rank, &code)| of[code] = rank.min(count - 1));
        Self { of, count }
    }

    /// The same for the dictionary of the release.
    fn translated(&self, original: &Column, release: &Column) -> Vec<usize> {
        let known: BTreeMap<&str, usize> =
            (0..original.distinct()).map(|code| (original.text(code as u32), self.of[code])).collect();
        let class = |code: u32| known.get(release.text(code)).copied().unwrap_or(self.count - 1);
        (0..release.distinct() as u32).map(class).collect()
    }
}

/// People by class, and by class and bin for every column.
struct Model {
    classes: Vec<f64>,
    /// Column by column: class × bins.
    bins: Vec<Vec<f64>>,
    widths: Vec<usize>,
    class: usize,
}

impl Model {
    fn new(spread: &Spread, classes: usize) -> Self {
        let widths: Vec<usize> = spread.columns.iter().map(|column| column.bins).collect();
        // One count added to every bin, so that nothing is impossible.
        let bins = widths.iter().map(|width| vec![1.0; width * classes]).collect();
        Self { classes: vec![1.0; classes], bins, widths, class: 0 }
    }

    fn learn(&mut self, class: usize, weight: f64, add: impl Fn(&mut Self, usize, f64)) {
        self.classes[class] += weight;
        self.class = class;
        (0..self.widths.len()).for_each(|c| add(self, c, weight));
    }

    fn add(&mut self, column: usize, bin: u32, weight: f64) {
        self.bins[column][self.class * self.widths[column] + bin as usize] += weight;
    }

    fn finished(self) -> Trained {
        let mut logs = self.bins;
        for (bins, &width) in logs.iter_mut().zip(&self.widths) {
            for class in bins.chunks_exact_mut(width) {
                let all: f64 = class.iter().sum();
                class.iter_mut().for_each(|count| *count = (*count / all).ln());
            }
        }
        Trained { classes: self.classes.iter().map(|count| count.ln()).collect(), logs, widths: self.widths }
    }
}

struct Trained {
    classes: Vec<f64>,
    logs: Vec<Vec<f64>>,
    widths: Vec<usize>,
}

impl Trained {
    /// The likeliest class of a row of the original; the commonest of equals.
    fn guess(&self, spread: &Spread, row: usize) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (class, &prior) in self.classes.iter().enumerate() {
            let columns = self.logs.iter().zip(&self.widths).zip(&spread.columns);
            let score: f64 = prior
                + columns
                    .map(|((logs, width), column)| logs[class * width + column.original[row] as usize])
                    .sum::<f64>();
            if score > best.0 {
                best = (score, class);
            }
        }
        best.1
    }
}
