//! Points in boxes that do not overlap, at least k people in each, the fullest as empty as possible: rectangles
//! for the two coordinates of places, boxes for any ordered columns.
//!
//! # The problem
//! Coordinates are to be published as rectangles. Even with k = 3 it is NP-complete to come within a third of
//! the best (paper *geo*, section 3). What can be done for several columns the paper leaves open (section 6);
//! for those with an order its algorithm goes on to work.
//!
//! # The idea
//! A box is cut in two whenever that leaves k people on both sides. Which cut is free; see
//! [`boxes`](super::boxes) for how it is chosen, and chosen again around the fullest box.
//!
//! # Example
//! Points at the corners of a square, k = 2: one line, two rectangles.
//!
//! # Promise
//! A box of d columns that cannot be cut holds at most 2d(k − 1) people and those at one point: 2d + 1 times
//! the best, 5 times for rectangles (Theorem 2).
//!
//! # What it lacks
//! Rectangles that no line cuts could still be cut crookedly.

use super::boxes::{Points, boxes};
use super::trim::trim;
use super::{SHOWN_BY, found, withheld_first};
use crate::{Answer, Card, Case, Input, Promise, Run, Solver, Stopped, Unsupported};
use kinfold_model::{Objective, Problem, Rule, RuleKind};

pub(crate) struct Boxes;

const CARD: Card = Card {
    key: "boxes",
    title: "boxes of points or several ordered columns, cut in two as long as both halves have size k, and anew around the fullest",
    paper: "Du, Eppstein, Goodrich, Lueker: approximability of geometric and geographic generalization, and min-max bin covering",
    objectives: &[Objective::GroupSize],
    promise: Promise::Factor("(2 × columns + 1)"),
    cases: &[Case::kept(Input::COMMON, SHOWN_BY)],
    runtime: "n log² n for every column, and a second for cutting anew at 100,000 points",
    not_for: "labels among the columns; one column: intervals is exact",
    ..Card::BASE
};

/// Where the values of a column are; missing ones lie two columns' widths away, behind all others.
fn places(rule: &Rule) -> Vec<u64> {
    match rule.kind() {
        RuleKind::Line { at, missing } => {
            at.iter().copied().chain(missing.then_some(2 * rule.full())).collect()
        }
        _ => (0..u64::from(rule.values())).collect(),
    }
}

/// Whether values of the column are missing.
pub(crate) fn has_missing(rule: &Rule) -> bool {
    matches!(rule.kind(), RuleKind::Line { missing: true, .. })
}

impl Solver for Boxes {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let ordered = |rule: &Rule| matches!(rule.kind(), RuleKind::Line { .. });
        match problem.rules() {
            [_] => Err(Unsupported("boxes takes several columns: use intervals for one".into())),
            rules if rules.iter().all(ordered) => Ok(()),
            _ => Err(Unsupported("boxes takes columns with an order: no labels, no regions".into())),
        }
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        run.check()?;
        let (goes, spare) = withheld_first(problem);
        let records: Vec<u32> =
            (0..problem.records() as u32).filter(|&record| !goes[record as usize]).collect();
        let points = Points {
            codes: records.iter().flat_map(|&record| problem.codes(record)).copied().collect(),
            places: problem.rules().iter().map(places).collect(),
            people: records.iter().map(|&record| problem.record_size(record)).collect(),
        };
        let mut boxes = boxes(&points, problem.k(), || run.goes_on());
        run.check()?;
        trim(&mut boxes, |point| points.people[point as usize], problem.k(), spare, |_, _| true);
        let groups = boxes.iter().map(|list| list.iter().map(|&point| records[point as usize]));
        Ok(found(problem, groups).into())
    }
}
