//! Solvers for suppression alone: papers *suppress* (cover, ball) and *complexity* (pattern, facility).

pub(super) mod ball;
pub(super) mod cover;
pub(super) mod facility;
mod plan;
mod rebuild;
mod reduce;

use super::anneal::Anneal;
use crate::run::{Run, Stopped};
use crate::solve::Solver;
use kinfold_model::judge::Found;
use kinfold_model::problem::Problem;

/// A good grouping to start from: by patterns where they fit, else by annealing.
pub fn start(problem: &Problem, run: &Run) -> Result<Found, Stopped> {
    let by_patterns = facility::Facility.supports(problem).is_ok();
    if by_patterns { facility::grouping(problem, run) } else { Ok(Anneal.group(problem, run)?.found) }
}

/// In how many columns two records differ, by weight: what both lose if they share a group.
fn distance(problem: &Problem, a: u32, b: u32) -> u64 {
    let codes = problem.codes(a).iter().zip(problem.codes(b));
    problem.rules().iter().zip(codes).map(|(rule, (a, b))| if a == b { 0 } else { rule.full() }).sum()
}
