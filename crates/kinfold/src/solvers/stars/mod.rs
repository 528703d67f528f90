//! Solvers for suppression alone: papers *suppress* (cover, ball) and *complexity* (pattern, facility).

pub(super) mod ball;
pub(super) mod cover;
pub(super) mod facility;
#[cfg(feature = "exact")]
pub(super) mod pattern;
mod plan;
mod rebuild;
mod reduce;

use kinfold_model::problem::Problem;

/// In how many columns two records differ, by weight: what both lose if they share a group.
fn distance(problem: &Problem, a: u32, b: u32) -> u64 {
    let codes = problem.codes(a).iter().zip(problem.codes(b));
    problem.rules().iter().zip(codes).map(|(rule, (a, b))| if a == b { 0 } else { rule.full() }).sum()
}
