//! Truth of a release of one line per group: every line holds as many rows of the original as it says, each
//! within its radius, and the unchanged columns list their values.
//!
//! Rows of the original are paired with lines that may hold them, a line as often as it says. Every unchanged
//! column is compared by itself: whether one pairing fits several columns at once is as hard as matching in
//! three dimensions (Karp 1972).

use super::balls::Balls;
use super::centres::{multiset, told_size};
use super::matching::{Edges, largest_matching};
use super::truth::{MOST_PAIRS, MOST_WORK};
use super::{Published, VerifyError};
use crate::encode::Encoded;
use crate::policy::{Policy, Role};
use crate::table::{Column, Table, distinct_rows};
use std::collections::BTreeMap;

/// What lines say of the original: the rows they speak of, and the most of those that the original has, in the
/// column that fits worst.
pub(super) struct Told {
    pub(super) rows: u64,
    pub(super) found: u64,
}

/// Compares lines with the rows of the original.
pub(super) fn compare(
    published: &Published,
    original: &Table,
    policy: &Policy,
    encoded: &Encoded,
) -> Result<Told, VerifyError> {
    let (balls, looks) = Balls::read(published, original, policy, encoded);
    let sizes: Vec<u64> =
        (0..looks.len() as u32).map(|line| told_size(published, line).unwrap_or(0)).collect();
    let rows = sizes.iter().fold(0u64, |sum, &size| sum.saturating_add(size));
    let records: Vec<u32> = (0..original.rows() as u32).map(|row| encoded.problem.record_of(row)).collect();
    if looks.len() as u64 * encoded.problem.records() as u64 > MOST_WORK {
        return Err(VerifyError::Undecided);
    }
    let holds = |line: usize, record: u32| balls.holds(looks[line], record);
    let columns: Vec<(&Column, &Column)> = policy
        .columns
        .iter()
        .filter(|c| matches!(c.role, Role::Sensitive(_) | Role::Keep))
        .filter_map(|c| Some((published.table.column(&c.name)?, original.column(&c.name)?)))
        .collect();
    let mut found = rows;
    for column in columns.into_iter().map(Some).chain([None]) {
        // What a line holds: how often which value; without a column, how often any.
        let held = |line: usize| -> Vec<(Option<String>, u64)> {
            let Some((told, _)) = column else { return vec![(None, sizes[line])] };
            let values = multiset(told.text(told.codes()[line]), &policy.format).unwrap_or_default();
            values.into_iter().map(|(value, count)| (Some(value), count)).collect()
        };
        let mut rows_of: BTreeMap<Option<&str>, Vec<u32>> = BTreeMap::new();
        let values: Vec<u32> = match column {
            Some((_, original)) => original.codes().to_vec(),
            None => vec![0; original.rows()],
        };
        // Rows with the same record and value are one, as often as they occur.
        let right = distinct_rows(&[&records, &values], original.rows());
        for (node, &row) in (0u32..).zip(&right.first) {
            let value = column.map(|(_, original)| original.text(values[row as usize]));
            rows_of.entry(value).or_default().push(node);
        }
        let room = right.sums(std::iter::repeat(1));
        let (mut wanted, mut edges) = (Vec::new(), Edges { starts: vec![0], to: Vec::new() });
        for line in 0..looks.len() {
            published.call().check()?;
            for (value, count) in held(line) {
                let nodes = rows_of.get(&value.as_deref()).map(Vec::as_slice).unwrap_or_default();
                let fits = |node: &&u32| holds(line, records[right.first[**node as usize] as usize]);
                edges.to.extend(nodes.iter().filter(fits));
                edges.starts.push(edges.to.len());
                wanted.push(count);
            }
            if edges.to.len() > MOST_PAIRS {
                return Err(VerifyError::Undecided);
            }
        }
        found = found.min(largest_matching(&wanted, &room, &edges, published.call())?);
    }
    Ok(Told { rows, found })
}
