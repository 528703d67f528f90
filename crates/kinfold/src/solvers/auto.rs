//! Picks a solver that fits the problem, and says why.

use super::anneal::Anneal;
use super::clusters::cellular::Cellular;
use super::clusters::gather::Gather;
use super::clusters::mdav::Mdav;
use super::clusters::micro::Micro;
use super::columns::Columns;
use super::greedy_search::GreedySearch;
use super::initial::Initial;
use super::k_member::KMember;
use super::levels::{Classes, Levels};
use super::mondrian::Mondrian;
use super::places::{labels, points, regions};
use super::polish::Polish;
use super::stars::facility::Facility;
use crate::catalogue::Choice;
use crate::run::{Effort, Run};
use crate::solve::{Card, Solver};
use kinfold_model::cost::Objective;
use kinfold_model::problem::Problem;
use kinfold_model::recoding::Recoding;

/// What `auto` says of itself.
pub const CARD: Card = Card {
    key: "auto",
    title: "chooses a solver by objective and table size, and reports why",
    paper: "measurements in bench/",
    objectives: Objective::ALL,
    uses_effort: true,
    runtime: "linear in rows; the effort sets the work per row",
    not_for: "comparing solvers: name them",
    ..Card::BASE
};

/// Up to so many records, trying all solvers of stars takes no time that anybody would notice.
const TINY: usize = 2_000;
/// Records × rows × columns that solvers which compare all records may look at: a few hundredths of a second,
/// and four times as many where annealing takes longer, too.
const COMPARED: usize = 100_000_000;
/// Up to this k so few records are polished in a few seconds.
const POLISHED_K: u64 = 3;
const POLISHED: usize = 600;
/// The solver of clusters that fits: there is one for every objective.
fn cluster_solver(problem: &Problem) -> (&'static dyn Solver, &'static str) {
    let (outliers, few) = (problem.may_withhold() > 0, problem.clusters().max_groups.is_some());
    match problem.objective() {
        Objective::Sse if Micro.supports(problem).is_ok() => {
            (&Micro, "annealing has the least squared error")
        }
        Objective::Sse => (&Mdav, "so many rows are too many to anneal"),
        Objective::Cellular if outliers => (&Cellular, "rows may be left out"),
        Objective::Cellular => (&Cellular, "its groups hold k rows from the start"),
        _ => match (few, outliers) {
            (false, false) => (&Gather, "no row may be withheld, and no factor below 2 is possible"),
            (false, true) => (&Gather, "rows may be left out"),
            (true, false) => (&Gather, "the number of groups is limited"),
            (true, true) => (&Gather, "the number of groups is limited, and rows may be left out"),
        },
    }
}

/// The solvers to try, of which the best answer counts, and why these.
pub(crate) fn choose(problem: &Problem, run: &Run) -> (Vec<Choice>, Option<String>) {
    let (records, columns, effort) = (problem.records(), problem.rules().len(), run.effort);
    let of_share = |most: usize| (most as f64 * run.share) as usize;
    if problem.recoding() == Recoding::Global {
        let why = "under global recoding it finds the best level for every column".to_owned();
        return (vec![Choice::of(&Levels)], Some(why));
    }
    if problem.objective() == Objective::Columns {
        return (vec![Choice::of(&Columns)], Some("it finds the fewest columns to drop".to_owned()));
    }
    if problem.objective() == Objective::GroupSize {
        let rectangles = columns == 2 && !problem.rules().iter().any(points::has_missing);
        let candidates: [(&'static dyn Solver, &str); 4] = [
            (&regions::RegionTree, "connected areas of the map"),
            (&labels::Labels, "the largest group of labels comes close to its bound"),
            (&labels::Intervals, "no runs of ordered values are better"),
            (
                &points::Boxes,
                if rectangles { "rectangles around points" } else { "boxes that cannot be cut any more" },
            ),
        ];
        // There is one for every kind of columns.
        let fitting = candidates.into_iter().find(|(solver, _)| solver.supports(problem).is_ok());
        let choices = fitting.iter().map(|&(solver, _)| Choice::of(solver));
        return (choices.collect(), fitting.map(|(_, why)| why.to_owned()));
    }
    // The solver of patterns looks at k alone, and what it finds is merged.
    if problem.objective() == Objective::Stars
        && problem.guard().is_none()
        && Facility.supports(problem).is_ok()
    {
        let solvers: &[&'static dyn Solver] = if records * records <= of_share(TINY * TINY) {
            &[&Facility, &Anneal, &GreedySearch]
        } else {
            &[&Facility]
        };
        let why = format!("{columns} columns are few enough to open and close their patterns one by one");
        return (solvers.iter().map(|&solver| Choice::of(solver)).collect(), Some(why));
    }
    if problem.objective().clusters() {
        let (solver, why) = cluster_solver(problem);
        return (vec![Choice::of(solver)], Some(why.to_owned()));
    }
    // Where published boxes overlap, somebody may fit several groups, and the shares of presence add up.
    if problem.guard().is_some_and(|guard| guard.presence().is_some()) {
        let why = "with presence, groups must not overlap, and those of mondrian do not".to_owned();
        return (vec![Choice::of(&Mondrian)], Some(why));
    }
    let polished = effort == Effort::Deep && problem.k() <= POLISHED_K;
    let polished = polished && records * records <= of_share(POLISHED * POLISHED);
    let polished = polished && problem.guard().is_none() && Polish.supports(problem).is_ok();
    let (solvers, why): (&[&'static dyn Solver], String) = if polished {
        (
            &[&Polish, &Initial, &GreedySearch, &KMember, &Mondrian],
            format!("{records} distinct records are few enough to polish what annealing finds"),
        )
    } else if records * problem.rows() * columns
        <= of_share(COMPARED) * if effort == Effort::Quick { 1 } else { 4 }
    {
        (
            &[&Anneal, &Initial, &GreedySearch, &KMember, &Mondrian],
            format!("{records} distinct records are few enough to try several solvers and keep the best"),
        )
    } else {
        (&[&Anneal], "it loses least on tables of this size; more effort may lower the loss".to_owned())
    };
    let several = solvers.len() > 1;
    let classes = (several && Classes.supports(problem).is_ok()).then_some(&Classes as &'static dyn Solver);
    (solvers.iter().copied().chain(classes).map(Choice::of).collect(), Some(why))
}
