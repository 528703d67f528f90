//! Picks a solver that fits the problem, and says why.

use super::SOLVERS;
use super::clusters::micro::Micro;
use super::polish::Polish;
use super::stars::facility::Facility;
use crate::run::Effort;
use crate::solve::{Card, Choice, Promise, Solver};
use kinfold_model::cost::Objective;
use kinfold_model::problem::Problem;
use std::collections::BTreeMap;

/// What `auto` says of itself.
pub const CARD: Card = Card {
    key: "auto",
    title: "picks the solver that loses least, and says why",
    paper: "measurements in bench/",
    objectives: Objective::ALL,
    uses_effort: true,
    promise: Promise::Heuristic,
    cases: &[],
    slow: false,
    runtime: "linear in rows; --effort says how much work a row is worth",
    not_for: "comparing solvers: name them",
    settings: &[],
};

/// Up to so many records, trying all solvers of stars takes no time that anybody would notice.
const TINY: usize = 2_000;
/// Records × rows × columns that solvers which compare all records may look at: a few hundredths of a second, and four times as many
/// where annealing takes longer, too.
const COMPARED: usize = 100_000_000;
/// Up to this k so few records are polished in a few seconds.
const POLISHED_K: u64 = 3;
const POLISHED: usize = 600;
/// The solver of clusters that fits: there is one for every objective, with outliers or without.
fn cluster_solver(problem: &Problem) -> (&'static str, &'static str) {
    let outliers = problem.may_withhold() > 0;
    match problem.objective() {
        Objective::Sse if Micro.supports(problem).is_ok() => {
            ("micro", "annealing has the least squared error")
        }
        Objective::Sse => ("mdav", "so many rows are too many to anneal"),
        Objective::Cellular if outliers => ("r-cellular-outliers", "rows may be left out"),
        Objective::Cellular => ("r-cellular", "its groups hold k rows from the start"),
        _ => match (problem.clusters().max_groups.is_some(), outliers) {
            (false, false) => ("gather", "nobody may be left out, and no factor below 2 is possible"),
            (false, true) => ("gather-outliers", "rows may be left out"),
            (true, false) => ("kr-center", "the number of groups is limited"),
            (true, true) => {
                ("kr-center-outliers", "the number of groups is limited, and rows may be left out")
            }
        },
    }
}

/// The solvers to try, of which the best answer counts, and why these.
pub(crate) fn choose(problem: &Problem, effort: Effort) -> (Vec<Choice>, Option<String>) {
    let (records, columns) = (problem.records(), problem.rules().len());
    if problem.objective() == Objective::Columns {
        let columns = Choice::Named { key: "columns", settings: BTreeMap::new() };
        return (vec![columns], Some("it finds the fewest columns to drop".to_owned()));
    }
    if problem.objective() == Objective::GroupSize {
        let candidates = [
            ("region-tree", "connected areas of the map"),
            ("label-best", "the largest group of labels comes close to its bound"),
            ("interval-optimal", "no runs of ordered values are better"),
            ("gps-rectangles", "rectangles around points"),
            ("box-cuts", "boxes that cannot be cut any more"),
        ];
        let fits = |key: &str| SOLVERS.iter().any(|s| s.card().key == key && s.supports(problem).is_ok());
        // There is one for every kind of columns; rectangles are boxes, too.
        let fitting = candidates.into_iter().find(|(key, _)| fits(key));
        let choices = fitting.iter().map(|&(key, _)| Choice::Named { key, settings: BTreeMap::new() });
        return (choices.collect(), fitting.map(|(_, why)| why.to_owned()));
    }
    if problem.objective() == Objective::Stars && Facility.supports(problem).is_ok() {
        let keys: &[&'static str] = if records <= TINY {
            &["stars-facility", "anneal", "greedy-search"]
        } else {
            &["stars-facility"]
        };
        let choices = keys.iter().map(|&key| Choice::Named { key, settings: BTreeMap::new() }).collect();
        let why = format!("{columns} columns are few enough to open and close their patterns one by one");
        return (choices, Some(why));
    }
    if problem.objective().clusters() {
        let (key, why) = cluster_solver(problem);
        return (vec![Choice::Named { key, settings: BTreeMap::new() }], Some(why.to_owned()));
    }
    let polished = effort == Effort::Deep && problem.k() <= POLISHED_K && records <= POLISHED;
    let polished = polished && Polish.supports(problem).is_ok();
    let (keys, why): (&[&'static str], String) = if polished {
        (
            &["polish", "initial", "greedy-search", "k-member", "mondrian"],
            format!("{records} distinct records are few enough to polish what annealing finds"),
        )
    } else if records * problem.rows() * columns <= COMPARED * if effort == Effort::Quick { 1 } else { 4 } {
        (
            &["anneal", "initial", "greedy-search", "k-member", "mondrian"],
            format!("{records} distinct records are few enough to try several solvers and keep the best"),
        )
    } else {
        (&["anneal"], "anneal loses least; --effort says how long it may take".to_owned())
    };
    let choices = keys.iter().map(|&key| Choice::Named { key, settings: BTreeMap::new() }).collect();
    (choices, Some(why))
}
