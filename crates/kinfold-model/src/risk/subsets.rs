//! Which few columns single people out: distinction and separation of every small set of quasi-identifiers
//! (Motwani and Xu 2007).

use crate::call::{Call, Stopped};
use crate::members::Members;
use crate::table::{Distinct, distinct_rows};
use serde::Serialize;

/// How well a set of columns tells people apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Subset {
    /// The columns.
    pub columns: Vec<String>,
    /// Classes over people: 1 if everybody is unique.
    pub distinction: f64,
    /// The share of pairs of people that differ on some of the columns.
    pub separation: f64,
    /// The share of people whom nobody equals on the columns.
    pub unique: f64,
}

/// Every set of columns up to a size, and all columns together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Subsets {
    /// Columns of the largest sets that were looked at, besides the set of all.
    pub up_to: usize,
    /// The sets, smaller ones first, in the order of the columns.
    pub sets: Vec<Subset>,
    /// All columns together.
    pub all: Subset,
}

/// Counting takes about so many steps at most; with more columns or rows, sets are smaller.
const WORK: u64 = 400_000_000;
/// Pairs of a class and a code up to which they are counted in a list instead of a hash table.
const DENSE: usize = 1 << 22;

/// Looks at every set of up to `up_to` of these columns (names and the code of every row); every row stands
/// for so many people, and is one of these records: it is known which rows are equal on all columns.
pub(crate) fn subsets(
    columns: &[(&str, &[u32])],
    records: &Distinct,
    people: &[u64],
    up_to: usize,
    call: &Call,
) -> Result<Subsets, Stopped> {
    // Rows that are equal on all columns are so on every set of them.
    let weights = records.sums(people.iter().copied());
    let numbered = |(_, codes): &(&str, &[u32])| {
        let own: Vec<u32> = records.first.iter().map(|&row| codes[row as usize]).collect();
        let looks = distinct_rows(&[&own], own.len());
        (looks.of_row, looks.first.len())
    };
    let numbered: Vec<(Vec<u32>, usize)> = columns.iter().map(numbered).collect();
    let up_to = affordable(columns.len(), weights.len(), up_to);
    let mut walk = Walk {
        names: columns.iter().map(|(name, _)| *name).collect(),
        columns: &numbered,
        weights: &weights,
        total: people.iter().sum(),
        up_to,
        sets: Vec::new(),
        call,
    };
    walk.grow(&mut Vec::new(), &vec![0; weights.len()], 1)?;
    let mut sets = walk.sets.split_off(0);
    sets.sort_by_key(|set| set.columns.len());
    let everything: Vec<usize> = (0..columns.len()).collect();
    let classes: Vec<u32> = (0..weights.len() as u32).collect();
    let all = walk.measured(&everything, &classes, weights.len());
    Ok(Subsets { up_to, sets, all })
}

/// The largest size up to which all sets can be looked at.
fn affordable(columns: usize, records: usize, up_to: usize) -> usize {
    let mut work = 0u64;
    let mut sets = 1u64;
    for size in 1..=up_to.min(columns) {
        sets = sets * (columns + 1 - size) as u64 / size as u64;
        work = work.saturating_add(sets.saturating_mul(records as u64));
        if work > WORK && size > 1 {
            return size - 1;
        }
    }
    up_to.min(columns)
}

struct Walk<'a> {
    names: Vec<&'a str>,
    /// The codes of every column, without gaps, and how many there are.
    columns: &'a [(Vec<u32>, usize)],
    weights: &'a [u64],
    total: u64,
    up_to: usize,
    sets: Vec<Subset>,
    call: &'a Call,
}

impl Walk<'_> {
    /// Adds every later column to a set whose classes are known, depth first.
    fn grow(&mut self, set: &mut Vec<usize>, classes: &[u32], count: usize) -> Result<(), Stopped> {
        for column in set.last().map_or(0, |last| last + 1)..self.columns.len() {
            self.call.check()?;
            let (codes, values) = &self.columns[column];
            let (finer, finer_count) = refined(classes, count, codes, *values);
            set.push(column);
            let measured = self.measured(set, &finer, finer_count);
            self.sets.push(measured);
            if set.len() < self.up_to {
                self.grow(set, &finer, finer_count)?;
            }
            set.pop();
        }
        Ok(())
    }

    fn measured(&self, set: &[usize], classes: &[u32], count: usize) -> Subset {
        let mut sizes = vec![0u64; count];
        classes.iter().zip(self.weights).for_each(|(&class, &people)| sizes[class as usize] += people);
        let total = self.total.max(1) as f64;
        let pairs = |people: u64| people as f64 * (people as f64 - 1.0);
        let alike: f64 = sizes.iter().map(|&size| pairs(size)).sum();
        let all = pairs(self.total).max(1.0);
        let (present, unique) = sizes.iter().fold((0u64, 0u64), |(present, unique), &size| {
            (present + u64::from(size > 0), unique + u64::from(size == 1))
        });
        Subset {
            columns: set.iter().map(|&column| self.names[column].to_owned()).collect(),
            distinction: present as f64 / total,
            separation: 1.0 - alike / all,
            unique: unique as f64 / total,
        }
    }
}

/// Classes with one column more, and how many there are.
fn refined(classes: &[u32], count: usize, codes: &[u32], values: usize) -> (Vec<u32>, usize) {
    match count.checked_mul(values).filter(|&pairs| pairs <= DENSE) {
        Some(pairs) => {
            let mut number = vec![u32::MAX; pairs];
            let mut next = 0;
            let finer = classes.iter().zip(codes).map(|(&class, &code)| {
                let slot = &mut number[class as usize * values + code as usize];
                if *slot == u32::MAX {
                    *slot = next;
                    next += 1;
                }
                *slot
            });
            (finer.collect(), next as usize)
        }
        None => class_by_class(classes, count, codes, values),
    }
}

/// The same where there are too many pairs for a list of them: class by class, a list of codes will do.
fn class_by_class(classes: &[u32], count: usize, codes: &[u32], values: usize) -> (Vec<u32>, usize) {
    let by_class = Members::new(count, (0u32..).zip(classes.iter().copied()));
    // For every code the class that had it last, and the number of the two together.
    let (mut last, mut found) = (vec![(u32::MAX, 0); values], 0);
    let mut finer = vec![0; classes.len()];
    for &record in by_class.all() {
        let class = classes[record as usize];
        let seen = &mut last[codes[record as usize] as usize];
        if seen.0 != class {
            *seen = (class, found);
            found += 1;
        }
        finer[record as usize] = seen.1;
    }
    (finer, found as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn classes_are_the_same_with_a_list_and_without() {
        let classes: Vec<u32> = (0..200u32).map(|row| row * row % 7 % 5).collect();
        let codes: Vec<u32> = (0..200u32).map(|row| row * 13 % 11 % 9).collect();
        let (dense, sparse) = (refined(&classes, 5, &codes, 9), class_by_class(&classes, 5, &codes, 9));
        assert_eq!(dense.1, sparse.1);
        let renumbered = distinct_rows(&[&sparse.0], 200);
        assert_eq!((renumbered.of_row, renumbered.first.len()), dense);
    }

    #[test]
    fn every_set_is_as_counting_pairs_has_it() {
        let columns: Vec<Vec<u32>> = (0..5u32)
            .map(|c| (0..60u32).map(|row| (row * row + 7 * row * c + c) % (2 + 2 * c)).collect())
            .collect();
        let names = ["a", "b", "c", "d", "e"];
        let named: Vec<(&str, &[u32])> = names.into_iter().zip(columns.iter().map(Vec::as_slice)).collect();
        let people: Vec<u64> = (0..60).map(|row| 1 + row % 3).collect();
        let codes: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let found = subsets(&named, &distinct_rows(&codes, 60), &people, 4, &Call::new()).unwrap();
        assert_eq!((found.sets.len(), found.up_to), (5 + 10 + 10 + 5, 4));
        let total: u64 = people.iter().sum();
        for set in found.sets.iter().chain([&found.all]) {
            let chosen: Vec<&[u32]> =
                named.iter().filter(|(n, _)| set.columns.iter().any(|c| c == n)).map(|(_, c)| *c).collect();
            let mut sizes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for row in 0..60 {
                *sizes.entry(chosen.iter().map(|c| c[row]).collect()).or_default() += people[row];
            }
            let alike: u64 = sizes.values().map(|s| s * (s - 1)).sum();
            let separation = 1.0 - alike as f64 / (total * (total - 1)) as f64;
            let unique = sizes.values().filter(|&&s| s == 1).count() as f64 / total as f64;
            assert!((set.separation - separation).abs() < 1e-12, "{set:?}");
            assert_eq!((set.distinction, set.unique), (sizes.len() as f64 / total as f64, unique));
        }
        assert_eq!(found.all.columns, names);
    }

    #[test]
    fn many_columns_make_smaller_sets() {
        assert_eq!(affordable(8, 100_000, 4), 4);
        assert_eq!(affordable(40, 100_000, 4), 2);
        assert_eq!(affordable(3, 10, 4), 3);
        assert_eq!(affordable(500, 10_000_000, 4), 1);
    }
}
