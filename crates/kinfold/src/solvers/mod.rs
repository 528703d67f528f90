//! Every solver, in one list. To add one: a file here, a line below, a case in `testdata/cases`.

mod all_groups;
mod anneal;
pub mod auto;
pub(crate) mod clusters;
pub mod columns;
mod exact;
mod greedy_search;
pub(crate) mod initial;
mod k_member;
pub(crate) mod levels;
mod mondrian;
mod partition;
pub mod places;
pub mod polish;
pub(crate) mod stars;
mod tree_greedy;
pub(crate) mod whole_rows;

use crate::Solver;

/// The one list of solvers of this crate.
pub const SOLVERS: &[&dyn Solver] = &[
    &initial::Initial,
    &mondrian::Mondrian,
    &greedy_search::GreedySearch,
    &k_member::KMember,
    &tree_greedy::TreeGreedy,
    &anneal::Anneal,
    &polish::Polish,
    &exact::Exact,
    &levels::Levels,
    &stars::facility::Facility,
    &columns::Columns,
    &clusters::gather::Gather,
    &clusters::cellular::Cellular,
    &clusters::mdav::Mdav,
    &clusters::micro::Micro,
    &places::labels::Labels,
    &places::labels::Intervals,
    &places::regions::RegionTree,
    &places::points::Boxes,
];

/// Solvers of other crates, each with the feature of the command that brings it.
pub const ELSEWHERE: &[(&str, &str)] = &[("milp", "exact"), ("stars-pattern", "exact")];

/// Names that solvers had before, and how they are said now. To be dropped with the next version.
pub const RENAMED: &[(&str, &str)] = &[
    ("gather-outliers", "gather"),
    ("kr-center", "gather"),
    ("kr-center-outliers", "gather"),
    ("r-cellular", "cellular"),
    ("r-cellular-outliers", "cellular"),
    ("label-best", "labels"),
    ("label-exact", "labels:prove"),
    ("interval-optimal", "intervals"),
    ("gps-rectangles", "boxes"),
    ("box-cuts", "boxes"),
];
