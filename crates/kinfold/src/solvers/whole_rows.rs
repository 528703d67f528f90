//! Between rows and groups of records, where every row is one person and all are released.

use crate::Unsupported;
use crate::bounds::price::Members;
use kinfold_model::{Found, Problem};
use std::collections::BTreeMap;

/// Declines what is not made of whole rows of one person each, all of which are released.
pub fn supports_whole_rows(problem: &Problem, key: &str) -> Result<(), Unsupported> {
    one_person_each(problem, key)?;
    releases_everybody(problem, key)?;
    crate::bounds::supports(problem)
}

/// Declines rows of several people, or of nobody.
pub(super) fn one_person_each(problem: &Problem, key: &str) -> Result<(), Unsupported> {
    Unsupported::unless((0..problem.rows() as u32).all(|row| problem.row_size(row) == 1), || {
        format!("{key} does not take rows with a count other than 1")
    })
}

/// Declines where rows may be withheld, which would change what the best is.
pub fn releases_everybody(problem: &Problem, key: &str) -> Result<(), Unsupported> {
    Unsupported::unless(problem.may_withhold() == 0, || {
        format!("{key} does not choose rows to withhold: do not allow withholding")
    })
}

/// The groups of an answer by records, those that are larger than need be in parts of k people and a rest.
pub fn grouping(problem: &Problem, found: &Found) -> Vec<Members> {
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&group, row) in found.group_of.iter().zip(0..) {
        rows.entry(group).or_default().push(problem.record_of(row));
    }
    let k = problem.k() as usize;
    let mut groups = Vec::new();
    for mut records in rows.into_values() {
        records.sort_unstable();
        while !records.is_empty() {
            let size = if records.len() >= 2 * k { k } else { records.len() };
            let rest = records.split_off(size);
            let mut members: BTreeMap<u32, u64> = BTreeMap::new();
            records.iter().for_each(|&record| *members.entry(record).or_default() += 1);
            groups.push(members.into_iter().collect());
            records = rest;
        }
    }
    groups
}

/// Gives every row a group: those of a record in the order of the table.
pub fn found(problem: &Problem, groups: &[Members]) -> Found {
    let mut next = vec![0; problem.records()];
    let mut group_of = vec![0; problem.rows()];
    for (group, members) in (0u32..).zip(groups) {
        for &(record, copies) in members {
            let from = next[record as usize];
            next[record as usize] += copies as usize;
            for &row in &problem.rows_of(record)[from..from + copies as usize] {
                group_of[row as usize] = group;
            }
        }
    }
    Found::plain(group_of)
}
