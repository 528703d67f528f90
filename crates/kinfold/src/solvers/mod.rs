//! Every solver, in one list. To add one: a file here, a line below, a case in `testdata/cases`.

mod anneal;
pub mod auto;
mod exact;
mod greedy_search;
mod initial;
mod k_member;
mod mondrian;
pub mod polish;
mod tree_greedy;

use crate::solve::Solver;

/// The one list of solvers.
pub const SOLVERS: &[&dyn Solver] = &[
    &initial::Initial,
    &mondrian::Mondrian,
    &greedy_search::GreedySearch,
    &k_member::KMember,
    &tree_greedy::TreeGreedy,
    &anneal::Anneal,
    &exact::Exact,
];
