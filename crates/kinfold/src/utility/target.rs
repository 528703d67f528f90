//! Is a column still predicted from the quasi-identifiers? Naive Bayes with one count added to every bin,
//! trained on the original and on the release, tested on rows of the original.
//!
//! A cell of the release counts for every bin that it covers, by its share. The model is small and has nothing
//! to tune, so it is the data that is compared.

use crate::Error;
use crate::parts::random::Random;
use crate::report::TargetUtility;
use kinfold_model::verify::Spread;
use kinfold_model::{Column, Published, Table};
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
        let (class, people) = (classes.of[code as usize], spread.original_people[row] as f64);
        by_original.learn(class, people, |c| [(spread.columns[c].original[row], 1.0)]);
    }
    let translated = classes.translated(before, after);
    for (row, &code) in after.codes().iter().enumerate() {
        if rows.is_some_and(|rows| rows.get(row).is_some_and(|&row| tested[row as usize])) {
            continue;
        }
        let people = spread.released_people.get(row).copied().unwrap_or(1) as f64;
        let shares = |c: usize| &spread.columns[c].shares[spread.columns[c].looks[row] as usize];
        by_release.learn(translated[code as usize], people, shares);
    }
    let (by_original, by_release) = (by_original.trained(), by_release.trained());
    let (mut right, mut right_by_release, mut all) = (0.0, 0.0, 0.0);
    let mut commonest = vec![0.0; classes.count];
    for (row, &code) in before.codes().iter().enumerate().filter(|(row, _)| tested[*row]) {
        let (class, people) = (classes.of[code as usize], spread.original_people[row] as f64);
        let hit = |model: &Model| if model.guess(row) == class { people } else { 0.0 };
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
        let rows = column.rows_of_codes();
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

/// People by class, and by class and bin for every column; once it is trained, the logarithms of their shares.
struct Model<'a> {
    spread: &'a Spread,
    classes: Vec<f64>,
    /// Column by column: class × bins.
    bins: Vec<Vec<f64>>,
}

impl<'a> Model<'a> {
    fn new(spread: &'a Spread, classes: usize) -> Self {
        // One count added to every bin, so that nothing is impossible.
        let bins = spread.columns.iter().map(|column| vec![1.0; column.bins * classes]).collect();
        Self { spread, classes: vec![1.0; classes], bins }
    }

    /// Counts a row of a class: for every column the bins that it may be in, by their shares.
    fn learn<S: AsRef<[(u32, f64)]>>(&mut self, class: usize, people: f64, shares: impl Fn(usize) -> S) {
        self.classes[class] += people;
        for (c, column) in self.spread.columns.iter().enumerate() {
            for &(bin, share) in shares(c).as_ref() {
                self.bins[c][class * column.bins + bin as usize] += people * share;
            }
        }
    }

    fn trained(mut self) -> Self {
        for (bins, column) in self.bins.iter_mut().zip(&self.spread.columns) {
            for class in bins.chunks_exact_mut(column.bins) {
                let all: f64 = class.iter().sum();
                class.iter_mut().for_each(|count| *count = (*count / all).ln());
            }
        }
        self.classes.iter_mut().for_each(|count| *count = count.ln());
        self
    }

    /// The likeliest class of a row of the original; the commonest of equals.
    fn guess(&self, row: usize) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (class, &prior) in self.classes.iter().enumerate() {
            let columns = self.bins.iter().zip(&self.spread.columns);
            let logs = columns.map(|(logs, c)| logs[class * c.bins + c.original[row] as usize]);
            let score = prior + logs.sum::<f64>();
            if score > best.0 {
                best = (score, class);
            }
        }
        best.1
    }
}
