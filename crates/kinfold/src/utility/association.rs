//! How two columns go together, before and after: joint shares of bins, and the mutual information in them.

use super::Groups;
use crate::report::PairUtility;
use kinfold_model::table::distinct_rows;
use kinfold_model::verify::{Spread, SpreadColumn};

/// Two columns of an original and its release.
pub(super) struct Pair {
    pub(super) columns: [usize; 2],
    /// People of the original by the bins of both, the second column's bins side by side.
    pub(super) before: Vec<f64>,
    /// The same of the release, by uniform spreading.
    pub(super) after: Vec<f64>,
    /// The looks of both columns that occur together, and how many people have them.
    pub(super) looks: Vec<([u32; 2], f64)>,
}

impl Pair {
    pub(super) fn new(spread: &Spread, groups: &Groups, a: usize, b: usize) -> Self {
        let [one, other] = [a, b].map(|c| &spread.columns[c]);
        let width = other.bins;
        let mut before = vec![0.0; one.bins * width];
        for ((&i, &j), &people) in one.original.iter().zip(&other.original).zip(&spread.original_people) {
            before[i as usize * width + j as usize] += people as f64;
        }
        let both = distinct_rows(&[&groups.looks[a], &groups.looks[b]], groups.people.len());
        let look = |&group: &u32| ([a, b].map(|c| groups.looks[c][group as usize]), 0.0);
        let mut looks: Vec<([u32; 2], f64)> = both.first.iter().map(look).collect();
        both.of_row.iter().zip(&groups.people).for_each(|(&at, people)| looks[at as usize].1 += people);
        let mut after = vec![0.0; one.bins * width];
        for &([i, j], people) in &looks {
            for &(bin, share) in &one.shares[i as usize] {
                let row = &mut after[bin as usize * width..][..width];
                for &(across, part) in &other.shares[j as usize] {
                    row[across as usize] += people * share * part;
                }
            }
        }
        Self { columns: [a, b], before, after, looks }
    }

    pub(super) fn report(&self, spread: &Spread) -> PairUtility {
        let [one, other] = self.columns.map(|c| &spread.columns[c]);
        PairUtility {
            columns: [one.name.clone(), other.name.clone()],
            before: information(&self.before, one, other),
            after: information(&self.after, one, other),
        }
    }
}

/// Bins are joined to so many per column: with few people per cell, chance looks like association.
const COARSE: usize = 12;

fn coarse(column: &SpreadColumn, bin: usize) -> usize {
    let last = COARSE - 1;
    if column.bins <= COARSE {
        bin
    } else if bin + 1 == column.bins {
        // Missing values stay apart.
        last
    } else if column.ordered {
        bin * last / (column.bins - 1)
    } else {
        // Labels are in the order of their number of rows.
        bin.min(last - 1)
    }
}

/// Mutual information in bits.
fn information(joint: &[f64], one: &SpreadColumn, other: &SpreadColumn) -> f64 {
    let mut cells = [[0.0f64; COARSE]; COARSE];
    for (at, people) in joint.iter().enumerate() {
        cells[coarse(one, at / other.bins)][coarse(other, at % other.bins)] += people;
    }
    let all: f64 = joint.iter().sum();
    let rows = cells.map(|row| row.iter().sum::<f64>());
    let mut across = [0.0; COARSE];
    cells.iter().for_each(|row| across.iter_mut().zip(row).for_each(|(sum, cell)| *sum += cell));
    let mut bits = 0.0;
    for (row, &sum) in cells.iter().zip(&rows) {
        for (&cell, &column) in row.iter().zip(&across).filter(|(cell, _)| **cell > 0.0) {
            bits += cell / all * (cell * all / (sum * column)).log2();
        }
    }
    bits.max(0.0)
}
