//! Every solver, in one list. To add one: a file here, a line below, a case in `testdata/cases`.

pub mod auto;
mod greedy_search;
mod initial;
mod k_member;
mod mondrian;

use crate::solve::Solver;

/// The one list of solvers.
pub const SOLVERS: &[&dyn Solver] =
    &[&initial::Initial, &mondrian::Mondrian, &greedy_search::GreedySearch, &k_member::KMember];
