//! Every solver, in one list. To add one: a file here, a line below, a case in `testdata/cases`.

mod all_groups;
mod anneal;
pub mod auto;
mod clusters;
pub mod columns;
mod exact;
mod greedy_search;
pub(crate) mod initial;
mod k_member;
mod mondrian;
mod partition;
pub mod places;
pub mod polish;
mod small;
mod split_carry;
pub(crate) mod stars;
mod tree_greedy;
pub(crate) mod whole_rows;

use crate::solve::Solver;

/// The one list of solvers of this crate.
pub const SOLVERS: &[&dyn Solver] = &[
    &initial::Initial,
    &mondrian::Mondrian,
    &greedy_search::GreedySearch,
    &k_member::KMember,
    &tree_greedy::TreeGreedy,
    &split_carry::SplitCarry,
    &anneal::Anneal,
    &polish::Polish,
    &exact::Exact,
    &stars::cover::StarsCover,
    &stars::ball::Ball,
    &stars::facility::Facility,
    &columns::Columns,
    &clusters::gather::Gather,
    &clusters::outliers::GatherOutliers,
    &clusters::kr_center::KrCenter,
    &clusters::kr_outliers::KrCenterOutliers,
    &clusters::cellular::Cellular,
    &clusters::r_cellular::RCellular,
    &clusters::r_outliers::RCellularOutliers,
    &clusters::mdav::Mdav,
    &clusters::micro::Micro,
    &places::labels::FOLD,
    &places::labels::SPREAD,
    &places::labels::FIVE_HALVES,
    &places::labels::RELAXED,
    &places::labels::BEST,
    &places::labels::EXACT,
    &places::labels::INTERVALS,
    &places::regions::RegionTree,
    &places::points::GpsRectangles,
    &places::points::BoxCuts,
];

/// Solvers of other crates, each with the feature of the command that brings it.
pub const ELSEWHERE: &[(&str, &str)] = &[("milp", "exact"), ("stars-pattern", "exact")];
