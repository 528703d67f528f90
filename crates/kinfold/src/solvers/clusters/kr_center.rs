//! Gathering into a limited number of groups: (k, r)-center, within a factor of 2 (paper *cluster*, section
//! 2.4).
//!
//! # The problem
//! As `gather`, with at most so many groups (`max_groups`).
//!
//! # The idea
//! The same conditions, and one more: if the centres picked are too many, the distance fails. At most one
//! centre is picked from each group of the best grouping, so at its distance they are few enough.
//!
//! # Example
//! Places 0, 1, 10, 11, 30, 31 with k = 2 and two groups at most: 0 to 11 around 10 or 1, radius 10, and 30
//! with 31.
//!
//! # What it lacks
//! As `gather`: one row far away decides for everybody.

use super::gather::{gather, nobody_left_out};
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Case, Input, Promise, Solver, Unsupported};
use kinfold_model::cost::Objective;
use kinfold_model::problem::Problem;

pub(crate) struct KrCenter;

const CARD: Card = Card {
    key: "kr-center",
    title: "as gather, with a limit on the number of groups",
    paper: "Aggarwal, Panigrahy, Feder, Thomas, Kenthapadi, Khuller, Zhu: achieving anonymity via clustering, section 2.4",
    objectives: &[Objective::Radius],
    uses_effort: false,
    promise: Promise::Factor("2 (2.02 beyond 50,000 distinct records)"),
    cases: &[
        Case::kept(&[Input::Plain, Input::Missing, Input::Weights], "section_2_4_kr_center_is_within_2"),
        Case::kept(&[Input::Middles], "factors_hold_where_centres_are_middles"),
        Case::declined(
            &[Input::Counts, Input::Withholding],
            "every_solver_declines_what_its_card_says",
            "a row is one person, and leaving rows out changes what the best is",
        ),
    ],
    slow: false,
    runtime: "n log n to n², depending on the distances",
    not_for: "tables with outliers: kr-center-outliers",
    settings: &[],
};

impl Solver for KrCenter {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        nobody_left_out(problem, "kr-center", "kr-center-outliers")
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        gather(problem, problem.clusters().max_groups.map_or(usize::MAX, |most| most as usize), run)
    }
}
