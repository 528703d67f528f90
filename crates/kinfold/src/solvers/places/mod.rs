//! Solvers for objective `group-size`: places and labels, one value one group, the largest group as small as possible (paper *geo*).

pub(crate) mod labels;
pub(crate) mod points;
pub(crate) mod regions;

use crate::solve::Unsupported;
use kinfold_model::judge::{Found, WITHHELD};
use kinfold_model::problem::Problem;

/// Declines what has another number of quasi-identifiers.
fn takes_columns(problem: &Problem, key: &str, columns: usize) -> Result<(), Unsupported> {
    let found = problem.rules().len();
    if found == columns {
        return Ok(());
    }
    let wanted = if columns == 1 {
        "one quasi-identifier".to_owned()
    } else {
        "the two coordinates of points".to_owned()
    };
    Err(Unsupported(format!("{key} takes {wanted}, not {found} columns")))
}

/// The answer in which every record is in a group of its number; those without one are withheld. Groups may have any numbers.
fn found(problem: &Problem, group_of_record: &[Option<u32>]) -> Found {
    let mut number = std::collections::BTreeMap::new();
    let group_of = (0..problem.rows() as u32)
        .map(|row| match group_of_record[problem.record_of(row) as usize] {
            Some(group) => {
                let next = number.len() as u32;
                *number.entry(group).or_insert(next)
            }
            None => WITHHELD,
        })
        .collect();
    Found::plain(group_of)
}
