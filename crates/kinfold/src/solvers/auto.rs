//! Picks solvers that fit the size of the problem, and says why.

use crate::solve::{Card, Choice, Promise};
use kinfold_model::cost::Objective;
use kinfold_model::problem::Problem;
use std::collections::BTreeMap;

/// What `auto` says of itself.
pub const CARD: Card = Card {
    key: "auto",
    title: "picks among the others by size and k, and says why",
    paper: "measurements in bench/",
    objectives: &[Objective::Ncp],
    promise: Promise::Heuristic,
    runtime: "seconds up to 60,000 distinct records, n log n beyond",
    not_for: "comparing solvers: name them",
    settings: &[],
};

/// Up to here two quadratic solvers take about a second together: run both.
const SMALL: usize = 20_000;
/// Up to here one quadratic solver takes a few seconds.
const MEDIUM: usize = 60_000;

/// The solvers to try, of which the best answer counts, and why these.
pub(crate) fn choose(problem: &Problem) -> (Vec<Choice>, Option<String>) {
    let records = problem.records();
    let (keys, why): (&[&'static str], String) = if records <= SMALL {
        (
            &["greedy-search", "k-member"],
            format!("{records} distinct records are few enough to try both, and keep the better"),
        )
    } else if records <= MEDIUM && problem.k() < 15 {
        (
            &["k-member"],
            format!(
                "{records} distinct records are few enough to compare all, and it loses least at small k"
            ),
        )
    } else if records <= MEDIUM {
        (
            &["greedy-search"],
            format!(
                "{records} distinct records are few enough to compare all, and it loses least at large k"
            ),
        )
    } else {
        (
            &["initial", "mondrian"],
            format!(
                "{records} distinct records are too many to compare all; both of these are fast, and the better is kept"
            ),
        )
    };
    let choices = keys.iter().map(|&key| Choice::Named { key, settings: BTreeMap::new() }).collect();
    (choices, Some(why))
}
