//! Cellular clustering without regard to sizes: paper *cluster*, theorem 3.5.
//!
//! # The problem
//! As that of `cellular`: everybody pays the radius of the group, and every group a set-up cost. The theorem knows
//! no least size.
//!
//! # The idea
//! The primal-dual method with set-up costs opens as many groups as are worth it, within a factor of 3 of the
//! best. Groups of fewer than k rows are then joined, cheapest first. If none had to be, the factor holds; else
//! `cellular` has a factor of its own.
//!
//! # Example
//! Figure 1 of the paper has no set-up cost: every row starts alone, and they are joined to 2 × 1 + 3 × 3 =
//! 11.
//!
//! # What it lacks
//! Without set-up costs nobody needs company, and all the work is in joining, for which nothing is promised.

use kinfold::model::{Objective, Problem};
use kinfold::toolkit::{few_records, joined, releases_everybody};
use kinfold::{Answer, Card, Case, Input, Promise, Run, Solver, Stopped, Unsupported};

pub(crate) struct CellularJoined;

const CARD: Card = Card {
    key: "cellular-joined",
    title: "groups whose savings exceed their set-up cost, by the primal-dual method; those below k are joined",
    paper: "Aggarwal, Panigrahy, Feder, Thomas, Kenthapadi, Khuller, Zhu: achieving anonymity via clustering, theorem 3.5",
    objectives: &[Objective::Cellular],
    promise: Promise::Factor("3 (where no group had to grow to k)"),
    cases: &[
        Case::kept(
            &[Input::Plain, Input::Missing, Input::Weights, Input::Setups],
            "theorem_3_5_cellular_is_within_3_where_no_group_was_joined",
        ),
        Case::weaker(
            &[Input::Middles],
            Promise::Factor("6 (where no group had to grow to k)"),
            "factors_hold_where_centres_are_middles",
            "a record of the group is up to twice as far as its middle",
        ),
        Case::declined(
            &[Input::Counts, Input::Withholding],
            "a row is one person, and leaving rows out changes what the best is",
        ),
    ],
    runtime: "n² log n",
    not_for: "small set-up costs: cellular; more than 20,000 distinct records",
    method_of: Some("cluster"),
    ..Card::BASE
};

impl Solver for CellularJoined {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        few_records(problem, CARD.key)?;
        releases_everybody(problem, CARD.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        joined(problem, run)
    }
}
