//! Cellular clustering: everybody pays the radius of the group, and every group a set-up cost (paper
//! *cluster*, theorem 3.5).
//!
//! # The problem
//! A group's radius is how far its rows can be from what is published of them. `cellular` adds it up over all
//! rows.
//!
//! # The idea
//! The primal-dual method of `dual.rs` without regard to sizes: with set-up costs it opens as many groups as
//! are worth it, within a factor of 3 of the best. Groups of fewer than k rows are then joined, cheapest
//! first. If none had to be, the factor holds; else `r-cellular` has a factor of its own.
//!
//! # Example
//! Figure 1 of the paper has no set-up cost: every row starts alone, and they are joined to 2 × 1 + 3 × 3 =
//! 11.
//!
//! # What it lacks
//! Without set-up costs nobody needs company, and all the work is in joining, for which nothing is promised.

use super::balls::Balls;
use super::dual::{Dual, Fee};
use super::gather::nobody_left_out;
use super::r_cellular::{few_records, sum_of_balls};
use super::space::{Space, Tree};
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Case, Input, Promise, Solver, Unsupported};
use kinfold_model::cost::{Cost, Objective};
use kinfold_model::problem::Problem;

pub(crate) struct Cellular;

const CARD: Card = Card {
    key: "cellular",
    title: "groups whose savings exceed their set-up cost, by the primal-dual method; those below k are joined",
    paper: "Aggarwal, Panigrahy, Feder, Thomas, Kenthapadi, Khuller, Zhu: achieving anonymity via clustering, theorem 3.5",
    objectives: &[Objective::Cellular],
    uses_effort: false,
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
            "every_solver_declines_what_its_card_says",
            "a row is one person, and leaving rows out changes what the best is",
        ),
    ],
    slow: false,
    runtime: "n² log n",
    not_for: "small set-up costs: r-cellular; more than 20,000 distinct records",
    settings: &[],
};

impl Solver for Cellular {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        few_records(problem, "cellular")?;
        nobody_left_out(problem, "cellular", "r-cellular-outliers")
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let space = Space::new(problem);
        let tree = Tree::of_all(&space);
        let reaches = tree.reaches(problem.k(), run)?;
        let bound = sum_of_balls(&tree, &reaches, 0, run)?;
        if run.out_of_time() {
            let balls = Balls::one(&space);
            return Ok(Answer::new(balls.found(), Some(Cost(balls.at_records(bound)))));
        }
        let fee = Fee { times: 0, least: 1, left_out: 0 };
        let duals = Dual::new(&tree, &reaches, fee).solve(run)?;
        let rows = |records: &[u32]| records.iter().flat_map(|&r| problem.rows_of(r)).copied().collect();
        let mut balls = Balls::new(&space, duals.open.iter().map(|o| (o.centre, rows(&o.records))));
        let small = balls.balls.iter().filter(|ball| (ball.rows.len() as u64) < problem.k()).count();
        balls.join_small(run)?;
        balls.improve(run)?;
        let bound = bound.max(duals.offered.min(u128::from(u64::MAX)) as u64);
        let remark = (small > 0)
            .then(|| format!("{small} groups below k were joined with others: no factor is proven for that"));
        Ok(Answer { remark, ..Answer::new(balls.found(), Some(Cost(balls.at_records(bound)))) })
    }
}
