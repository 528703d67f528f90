//! How large the largest group of labels is for one k after the other (paper *geo*, Figure 7): by Fold and
//! Spread, with labels at random, by falling and by ascending count; by `labels`; and what it is at
//! least.
//!
//! Each number is that of the solver of this name with the same seed. Orders are found once for all k.

use super::bins::{self, Items};
use super::labels::Shelf;
use crate::{Run, Stopped};
use kinfold_model::Problem;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The people in the largest group for one k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LabelSizes {
    /// The least that a group must hold.
    pub k: u64,
    /// `label-fold:order=random`.
    pub random_fold: u64,
    /// `label-spread:order=random`.
    pub random_spread: u64,
    /// `label-fold`.
    pub sorted_fold: u64,
    /// `label-spread`.
    pub sorted_spread: u64,
    /// `label-fold:order=ascending`.
    pub ascending_fold: u64,
    /// `label-spread:order=ascending`.
    pub ascending_spread: u64,
    /// `labels`.
    #[serde(rename = "label_best")]
    pub best: u64,
    /// No grouping has less.
    pub bound: u64,
    /// No grouping has more groups.
    pub most_groups: u64,
}

/// How many people have each label of a problem with one quasi-identifier, in the order of labels.
pub fn people_per_label(problem: &Problem) -> Vec<u64> {
    Shelf::new(problem).sizes
}

/// The largest groups for every one of these ks for which there is a grouping: from 1 to all people.
pub fn label_sizes(people: &[u64], ks: &[u64], run: &Run) -> Result<Vec<LabelSizes>, Stopped> {
    let any = Items { sizes: people, k: 1 };
    let ks: Vec<u64> = ks.iter().copied().filter(|k| (1..=any.total()).contains(k)).collect();
    let (falling, rising, random) = (any.by_falling_size(), any.by_rising_size(), any.at_random(run.seed));
    let done = AtomicUsize::new(0);
    let one = |&k: &u64| {
        let items = Items { k, ..any };
        let sizes = LabelSizes {
            k,
            random_fold: bins::fold(&items, &random).fullest(),
            random_spread: bins::spread(&items, &random).fullest(),
            sorted_fold: bins::fold(&items, &falling).fullest(),
            sorted_spread: bins::spread(&items, &falling).fullest(),
            ascending_fold: bins::fold(&items, &rising).fullest(),
            ascending_spread: bins::spread(&items, &rising).fullest(),
            best: bins::best_of(&items, &falling).fullest(),
            bound: items.bound(),
            most_groups: items.most_bins(),
        };
        run.report((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / ks.len() as f64, None);
        sizes
    };
    run.in_pool(|| run.each(&ks, one))
}
