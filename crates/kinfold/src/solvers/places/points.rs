//! GPS Rectangles: points in rectangles that do not overlap, at least k people in each, the fullest as empty as possible.
//!
//! # The problem
//! Coordinates are to be published as rectangles. Even with k = 3 it is NP-complete to come within a third of the best (paper *geo*,
//! section 3).
//!
//! # The idea
//! A rectangle is cut in two whenever some line leaves k people on both sides. Which line is free; see
//! [`rectangles`](crate::parts::rectangles) for how it is chosen, and chosen again around the fullest rectangle.
//!
//! # Example
//! Points at the corners of a square, k = 2: one line, two rectangles.
//!
//! # Promise
//! A rectangle that no line cuts holds at most 4(k − 1) people and those at one point: 5 times the best (Theorem 2).
//!
//! # What it lacks
//! Rectangles that no line cuts could still be cut crookedly.

use super::{found, takes_columns};
use crate::parts::rectangles::{Point, rectangles};
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Case, Input, Promise, Solver, Unsupported};
use kinfold_model::cost::{Objective, RuleKind};
use kinfold_model::problem::Problem;

pub(crate) struct GpsRectangles;

const CARD: Card = Card {
    key: "gps-rectangles",
    title: "rectangles around points, cut in two as long as both halves hold k people, and anew around the fullest",
    paper: "Du, Eppstein, Goodrich, Lueker: approximability of geometric and geographic generalization, and min-max bin covering",
    objectives: &[Objective::GroupSize],
    uses_effort: false,
    promise: Promise::Factor("5"),
    cases: &[
        Case::kept(&[Input::Plain, Input::Counts], "rectangles_hold_enough_do_not_overlap_and_cannot_be_cut"),
        Case::declined(
            &[Input::Missing],
            "every_solver_declines_what_its_card_says",
            "what has no place has no neighbours",
        ),
        Case::weaker(
            &[Input::Withholding, Input::Weights],
            Promise::Heuristic,
            "bounds_hold_where_people_may_be_withheld",
            "not shown",
        ),
    ],
    slow: false,
    runtime: "n log² n, and a second for cutting anew at 100,000 points",
    not_for: "more columns than a point's two: objective ncp takes points among others",
    settings: &[],
};

impl Solver for GpsRectangles {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        takes_columns(problem, CARD.key, 2)?;
        let present = |kind: &RuleKind| matches!(kind, RuleKind::Line { missing: false, .. });
        if problem.rules().iter().all(|rule| present(rule.kind())) {
            Ok(())
        } else {
            Err(Unsupported("gps-rectangles takes two numeric coordinates, none missing".into()))
        }
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        run.check()?;
        let place = |column: usize, code: u32| match problem.rules()[column].kind() {
            RuleKind::Line { at, .. } => at[code as usize],
            _ => u64::from(code),
        };
        let points: Vec<Point> = (0..problem.records() as u32)
            .map(|record| {
                let codes = problem.codes(record);
                Point { at: [place(0, codes[0]), place(1, codes[1])], people: problem.record_size(record) }
            })
            .collect();
        let go_on = || run.check().is_ok() && !run.out_of_time();
        let rectangle_of = rectangles(&points, problem.k(), go_on);
        run.check()?;
        let group_of: Vec<Option<u32>> = rectangle_of.into_iter().map(Some).collect();
        Ok(found(problem, &group_of).into())
    }
}
