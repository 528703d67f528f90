//! Sorted runs: the initial feasible solution of paper *optimize*, section 2.3.
//!
//! # The problem
//! A first valid grouping, at once, for tables of any size.
//!
//! # The idea
//! Sort the rows, comparing columns of small variance first, and cut the sorted list into runs of k
//! people. Neighbours in such an order are often alike. What is left at the end, fewer than k
//! people, stays with the last run.
//!
//! # Example
//! Ages 61, 35, 36, 63 with k = 2: sorted 35, 36 | 61, 63.
//!
//! # What it lacks
//! The order looks at the last columns only among rows that agree on all columns before: on wide
//! tables these are published almost blank.

use crate::parts::closing::Closing;
use crate::parts::order::{ORDER, sorted_records_as_set};
use crate::{Answer, Card, Run, Solver, Stopped};
use kinfold_model::{Found, Objective, Problem};

/// The solver `initial`.
pub struct Initial;

const CARD: Card = Card {
    key: "initial",
    title: "sort the rows, cut the list into runs of k",
    paper: "Liang, Samavi: optimization-based k-anonymity algorithms, section 2.3",
    objectives: Objective::BY_CELL,
    runtime: "n log n",
    not_for: "least loss: it is where others start",
    settings: &[ORDER],
    ..Card::BASE
};

impl Solver for Initial {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        run.check()?;
        let rows = sorted_records_as_set(problem, run)
            .into_iter()
            .flat_map(|record| problem.rows_of(record))
            .copied();
        let mut group_of = vec![0; problem.rows()];
        cut_into_runs(problem, rows, 0, &mut group_of);
        Ok(Found::plain(group_of).into())
    }
}

/// Numbers runs of at least k people that fulfil what else is required, from `next` on; a short last run joins
/// the one before.
/// Returns the number after the last; it is `next` itself if the rows did not fill one run.
pub(super) fn cut_into_runs(
    problem: &Problem,
    rows: impl Iterator<Item = u32>,
    next: u32,
    group_of: &mut [u32],
) -> u32 {
    let (mut group, mut closing) = (next, Closing::new(problem));
    let mut short = Vec::new();
    for row in rows {
        group_of[row as usize] = group;
        short.push(row);
        if closing.take(row) {
            group += 1;
            closing = Closing::new(problem);
            short.clear();
        }
    }
    if group > next {
        for row in short {
            group_of[row as usize] = group - 1;
        }
    }
    group
}
