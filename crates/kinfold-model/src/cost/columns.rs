//! Whole columns (paper *suppress*, section 3.1): a quasi-identifier is published as it is only if every
//! group has one value in it. Otherwise it is dropped: all its cells are stars, and it costs its weight,
//! once.
//!
//! Rows that are withheld cost nothing by themselves: columns are all that counts here, and the policy says
//! how many people may be left out.

use super::{Cost, Rule};
use crate::problem::Problem;

/// For every quasi-identifier whether it is dropped: some group has several values in it.
pub fn dropped<'g>(problem: &Problem, groups: impl Iterator<Item = &'g [u32]>) -> Vec<bool> {
    let mut dropped = vec![false; problem.rules().len()];
    for rows in groups {
        let Some((&first, others)) = rows.split_first() else { continue };
        let first = problem.codes(problem.record_of(first));
        for &row in others {
            let codes = problem.codes(problem.record_of(row));
            dropped.iter_mut().zip(first.iter().zip(codes)).for_each(|(d, (a, b))| *d |= a != b);
        }
    }
    dropped
}

/// What these groups cost: the weights of the columns that are dropped.
pub fn columns_cost<'g>(problem: &Problem, groups: impl Iterator<Item = &'g [u32]>) -> Cost {
    let dropped = dropped(problem, groups);
    let full = problem.rules().iter().map(Rule::full);
    Cost(full.zip(dropped).map(|(full, dropped)| if dropped { full } else { 0 }).sum())
}
