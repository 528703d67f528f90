//! Points in boxes that do not overlap, at least k people in each, the fullest as empty as possible: GPS
//! Rectangles for the two coordinates of places, Box Cuts for any ordered columns.
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
use super::{ON_PLACES, SHOWN_BY, found, takes_columns, withheld_first};
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Case, Input, Promise, Solver, Unsupported};
use kinfold_model::cost::{Objective, Rule, RuleKind};
use kinfold_model::problem::Problem;

pub(crate) struct GpsRectangles;

pub(crate) struct BoxCuts;

const RECTANGLES: Card = Card {
    key: "gps-rectangles",
    title: "rectangles around points, cut in two as long as both halves have size k, and anew around the fullest",
    paper: "Du, Eppstein, Goodrich, Lueker: approximability of geometric and geographic generalization, and min-max bin covering",
    objectives: &[Objective::GroupSize],
    uses_effort: false,
    promise: Promise::Factor("5"),
    cases: ON_PLACES,
    slow: false,
    runtime: "n log² n, and a second for cutting anew at 100,000 points",
    not_for: "more columns than a point's two: box-cuts",
    settings: &[],
};

const BOXES: Card = Card {
    key: "box-cuts",
    title: "boxes of several ordered columns, cut in two as long as both halves have size k, and anew around the fullest",
    promise: Promise::Factor("(2 × columns + 1)"),
    cases: &[Case::kept(
        &[Input::Plain, Input::Counts, Input::Withholding, Input::Missing, Input::Weights],
        SHOWN_BY,
    )],
    runtime: "n log² n for every column",
    not_for: "labels among the columns; one column: interval-optimal is exact",
    ..RECTANGLES
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

fn group(problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
    run.check()?;
    let (goes, spare) = withheld_first(problem);
    let records: Vec<u32> = (0..problem.records() as u32).filter(|&record| !goes[record as usize]).collect();
    let points = Points {
        codes: records.iter().flat_map(|&record| problem.codes(record)).copied().collect(),
        places: problem.rules().iter().map(places).collect(),
        people: records.iter().map(|&record| problem.record_size(record)).collect(),
    };
    let mut boxes = boxes(&points, problem.k(), || run.check().is_ok() && !run.out_of_time());
    run.check()?;
    trim(&mut boxes, |point| points.people[point as usize], problem.k(), spare, |_, _| true);
    let mut group_of = vec![None; problem.records()];
    for (number, list) in (0u32..).zip(&boxes) {
        list.iter().for_each(|&point| group_of[records[point as usize] as usize] = Some(number));
    }
    Ok(found(problem, &group_of).into())
}

impl Solver for GpsRectangles {
    fn card(&self) -> &'static Card {
        &RECTANGLES
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        takes_columns(problem, RECTANGLES.key, 2)?;
        let present = |rule: &Rule| matches!(rule.kind(), RuleKind::Line { missing: false, .. });
        if problem.rules().iter().all(present) {
            Ok(())
        } else {
            Err(Unsupported("gps-rectangles takes two numeric coordinates, none missing".into()))
        }
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        group(problem, run)
    }
}

impl Solver for BoxCuts {
    fn card(&self) -> &'static Card {
        &BOXES
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let ordered = |rule: &Rule| matches!(rule.kind(), RuleKind::Line { .. });
        match problem.rules() {
            [_] => Err(Unsupported("box-cuts takes several columns: use interval-optimal for one".into())),
            rules if rules.iter().all(ordered) => Ok(()),
            _ => Err(Unsupported("box-cuts takes columns with an order: no labels, no regions".into())),
        }
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        group(problem, run)
    }
}
