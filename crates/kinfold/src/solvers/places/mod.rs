//! Solvers for objective `group-size`: places and labels, one value one group, the largest group as small as
//! possible (paper *geo*).
//!
//! # Withholding
//! Where people may be withheld, the least limit L is found that this does not rule out ([`least_limit`]):
//! who is larger than L alone, or is cut off with fewer than k by their going, must go in every release that
//! keeps L, and no release has a smaller largest group. The paper's algorithms then group those who stay. As
//! none of them is larger than L, and L is at least k, factors that are proven against k and the largest
//! value hold against the best release with withholding. With what may still be withheld the largest groups
//! are trimmed.

mod areas;
pub(crate) mod bins;
mod boxes;
mod label_sizes;
pub(crate) mod labels;
pub(crate) mod points;
pub(crate) mod regions;
mod trim;

use crate::Unsupported;
use crate::parts::numbering::number;
use kinfold_model::cost::least_limit;
use kinfold_model::{Found, Problem};
pub use label_sizes::{LabelSizes, label_sizes, people_per_label};

/// The test that holds these solvers to their promises on every input they take.
pub const SHOWN_BY: &str = "promises_hold_with_counts_withholding_missing_values_and_weights";

/// Declines what has several quasi-identifiers.
fn takes_one_column(problem: &Problem, key: &str) -> Result<(), Unsupported> {
    let columns = problem.rules().len();
    Unsupported::unless(columns == 1, || format!("{key} takes one quasi-identifier, not {columns} columns"))
}

/// For every record whether it has to be withheld from the start, and how many people may be withheld beside
/// those.
fn withheld_first(problem: &Problem) -> (Vec<bool>, u64) {
    if problem.may_withhold() == 0 {
        return (vec![false; problem.records()], 0);
    }
    let (_, goes) = least_limit(problem);
    let gone: u64 = (0..problem.records() as u32)
        .filter(|&record| goes[record as usize])
        .map(|record| problem.record_size(record))
        .sum();
    (goes, problem.may_withhold().saturating_sub(gone))
}

/// The answer in which every list of records is a group; those in none are withheld.
fn found(problem: &Problem, groups: impl Iterator<Item: IntoIterator<Item = u32>>) -> Found {
    let rows = groups.map(|records| records.into_iter().flat_map(|record| problem.rows_of(record)).copied());
    let mut found = Found::of_groups(problem.rows(), rows);
    number(&mut found.group_of);
    found
}
