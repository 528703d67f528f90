//! Every solver, in one list. To add one: a file here, a line below, a case in `testdata/cases`.

mod anneal;
pub mod auto;
mod clusters;
pub mod columns;
mod exact;
mod greedy_search;
mod initial;
mod k_member;
#[cfg(feature = "exact")]
mod milp;
mod mondrian;
mod partition;
pub mod places;
pub mod polish;
mod small;
mod split_carry;
mod stars;
mod tree_greedy;
mod whole_rows;

use crate::solve::Solver;

/// The one list of solvers.
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
    #[cfg(feature = "exact")]
    &milp::Milp,
    &stars::cover::StarsCover,
    &stars::ball::Ball,
    &stars::facility::Facility,
    #[cfg(feature = "exact")]
    &stars::pattern::Pattern,
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

/// Solvers that this build lacks, each with the feature that brings it.
pub const LACKING: &[(&str, &str)] =
    if cfg!(feature = "exact") { &[] } else { &[("milp", "exact"), ("stars-pattern", "exact")] };
