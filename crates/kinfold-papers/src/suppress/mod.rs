//! Paper *suppress*, section 4: the fewest stars by greedy cover, with factors. Theorem 4.1 is in `cover.rs`,
//! Theorem 4.2 in `ball.rs`, and section 4.2.2, which makes sets disjoint, in `reduce.rs`.

pub(crate) mod ball;
pub(crate) mod cover;
mod reduce;

use kinfold::model::Problem;

/// In how many columns two records differ, by weight: what both lose if they share a group.
fn distance(problem: &Problem, a: u32, b: u32) -> u64 {
    let codes = problem.codes(a).iter().zip(problem.codes(b));
    problem.rules().iter().zip(codes).map(|(rule, (a, b))| if a == b { 0 } else { rule.full() }).sum()
}
