//! How many rows of a large table have a value of their own, without remembering all values.
//!
//! Values are sampled by their hash: of a value in the sample every row is counted, so that it is known
//! whether it occurs once. The share among sampled values is an unbiased estimate, and exact while all fit.
//! What is counted in parts adds up to the same, whatever the parts.

use crate::certificate::Fnv;
use crate::identifying::{FEW_ROWS, Identifying, judged};
use crate::kind::is_missing;
use crate::policy::Policy;
use crate::table::{Column, Table, distinct_rows, scrambled};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// So many values are remembered at most.
const MOST: usize = 1 << 18;

/// The values of a column, or of several together, that are in the sample.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Singles {
    rows: u64,
    missing_rows: u64,
    /// Hashes of the sample start with so many zeros.
    zeros: u32,
    rows_of: BTreeMap<u64, u64>,
}

impl Singles {
    fn add(&mut self, hash: u64, rows: u64) {
        self.rows += rows;
        if hash.leading_zeros() >= self.zeros {
            *self.rows_of.entry(hash).or_default() += rows;
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        while self.rows_of.len() > MOST {
            self.zeros += 1;
            self.rows_of.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        }
    }

    pub(crate) fn add_column(&mut self, column: &Column, missing: &[String]) {
        let rows = column.rows_of_codes().into_iter().map(|rows| rows as u64);
        for (code, rows) in (0u32..).zip(rows).filter(|&(_, rows)| rows > 0) {
            self.add(hash_of(column, code), rows);
            self.missing_rows += if is_missing(column, code, missing) { rows } else { 0 };
        }
    }

    pub(crate) fn add_columns(&mut self, columns: &[&Column], rows: usize) {
        let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes()).collect();
        let looks = distinct_rows(&codes, rows);
        let sizes = looks.sums(std::iter::repeat(1));
        let hashes: Vec<Vec<u64>> = columns.iter().map(|column| hashes(column)).collect();
        for (&row, size) in looks.first.iter().zip(sizes) {
            let codes =
                columns.iter().zip(&hashes).map(|(c, hashes)| hashes[c.codes()[row as usize] as usize]);
            self.add(mixed(codes), size);
        }
    }

    /// Counts the rows of another part.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.rows += other.rows;
        self.missing_rows += other.missing_rows;
        self.zeros = self.zeros.max(other.zeros);
        for (hash, rows) in other.rows_of {
            *self.rows_of.entry(hash).or_default() += rows;
        }
        self.rows_of.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        self.shrink();
    }

    /// About the share of rows that have a value of their own.
    pub(crate) fn share(&self) -> f64 {
        let rows: u64 = self.rows_of.values().sum();
        self.rows_of.values().filter(|&&rows| rows == 1).count() as f64 / rows.max(1) as f64
    }

    pub(crate) fn identifying(&self, name: &str) -> Option<Identifying> {
        let values = (self.rows_of.len() as u64).saturating_mul(1 << self.zeros.min(40));
        let values = values.saturating_sub(u64::from(self.missing_rows > 0));
        judged(name, self.rows as usize, values as usize, || self.share())
    }
}

/// A number that looks random, for every text of a column.
pub fn hashes(column: &Column) -> Vec<u64> {
    (0..column.distinct() as u32).map(|code| hash_of(column, code)).collect()
}

/// What several texts come to together.
pub fn mixed(hashes: impl Iterator<Item = u64>) -> u64 {
    hashes.fold(0, |hash, own| scrambled(hash ^ own))
}

/// Nulls and empty texts are alike: a text file has no nulls.
fn hash_of(column: &Column, code: u32) -> u64 {
    let mut hash = Fnv::default();
    column.text(code).bytes().for_each(|byte| hash.add_byte(byte));
    scrambled(hash.get())
}

/// The columns of a large table that are published as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Unchanged {
    columns: Vec<(String, Singles)>,
    together: Singles,
}

impl Unchanged {
    /// What a policy publishes as it is; no row is counted yet.
    pub fn new(policy: &Policy) -> Self {
        let kept = policy.columns.iter().filter(|said| said.published_untouched() && !policy.per_group);
        Self {
            columns: kept.map(|said| (said.name.clone(), Singles::default())).collect(),
            ..Self::default()
        }
    }

    /// Counts the rows of a part.
    pub fn add(&mut self, part: &Table, policy: &Policy) {
        let kept: Vec<&Column> = self.columns.iter().filter_map(|(name, _)| part.column(name)).collect();
        if !kept.is_empty() {
            self.together.add_columns(&kept, part.rows());
        }
        for (name, singles) in &mut self.columns {
            if let Some(column) = part.column(name) {
                singles.add_column(column, policy.missing_in(name));
            }
        }
    }

    /// Counts the rows of another part.
    pub fn absorb(&mut self, other: Self) {
        self.together.absorb(other.together);
        for ((_, own), (_, other)) in self.columns.iter_mut().zip(other.columns) {
            own.absorb(other);
        }
    }

    /// About the share of rows that no other row equals on all these columns together; 0 where there are so few
    /// rows that they differ by chance.
    pub(crate) fn unique_share(&self) -> f64 {
        if self.columns.is_empty() || self.together.rows < FEW_ROWS as u64 {
            0.0
        } else {
            self.together.share()
        }
    }

    /// The columns that seem to name people although the policy does not acknowledge it.
    pub fn unacknowledged<'a>(&'a self, policy: &'a Policy) -> impl Iterator<Item = (&'a str, Identifying)> {
        let open = |name: &str| policy.columns.iter().any(|said| said.name == name && !said.acknowledged);
        let found = self.columns.iter().filter(move |(name, _)| open(name));
        found.filter_map(|(name, singles)| Some((name.as_str(), singles.identifying(name)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: usize, rows: std::ops::Range<usize>) -> Table {
        let cells: Vec<String> = rows.map(|row| format!("v{}", row % values)).collect();
        Table::from_cells(&["x"], &cells.iter().map(|cell| vec![cell.as_str()]).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn few_values_are_counted_exactly_whatever_the_parts() {
        // Of 1,500 rows with 1,000 values, 500 are alone.
        let (mut whole, mut parts) = (Singles::default(), Singles::default());
        whole.add_column(&column(1_000, 0..1_500).columns()[0], &[]);
        for start in [0, 500, 1_000] {
            let mut part = Singles::default();
            part.add_columns(&[&column(1_000, start..start + 500).columns()[0]], 500);
            parts.absorb(part);
        }
        assert_eq!((whole.share(), parts.share()), (500.0 / 1_500.0, 500.0 / 1_500.0));
        assert_eq!(whole.identifying("code"), None);
        assert_eq!(whole.identifying("patient_id"), Some(Identifying::Named));
    }

    #[test]
    fn of_many_values_a_sample_tells() {
        // 600,000 values, 400,000 of which occur once in 800,000 rows.
        let mut singles = Singles::default();
        for start in (0..800_000).step_by(100_000) {
            singles.add_column(&column(600_000, start..start + 100_000).columns()[0], &[]);
        }
        assert!(singles.zeros > 0 && singles.rows_of.len() <= MOST);
        assert!((singles.share() - 0.5).abs() < 0.01, "{}", singles.share());
        assert_eq!(singles.identifying("weight"), None);
    }
}
