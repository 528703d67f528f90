//! The one door to all bounds: finds prices of the strength wanted, and has the judge check them.

use super::lp::PLAIN;
use super::{cheapest_box, linear_program, program, supports};
use crate::run::{Run, Stopped};
use crate::solve::Unsupported;
use kinfold_model::certificate::{Prices, Verdict};
use kinfold_model::judge::Solution;
use kinfold_model::problem::Problem;
use thiserror::Error;

/// How good a bound is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strength {
    /// None at all.
    None,
    /// What takes no time that anybody would notice beside the grouping.
    #[default]
    Quick,
    /// The linear program, until it is solved or the deadline comes.
    Lp,
}

/// Why there is no bound.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NoBound {
    /// Bounds do not fit the problem.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The user stopped the work.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The judge found a group that is worth more than it costs: a fault of the search for prices.
    #[error("a wrong bound was found, and refused by the judge")]
    Refused,
}

/// Up to here, the cheapest box around everybody takes a moment. Beyond, quick bounds take longer than the grouping and are
/// too weak to be of use.
const MANY_RECORDS: usize = 3_000;
/// The linear program is quick for so few records, and groups so small.
const FEW_RECORDS: usize = 250;
const SMALL_K: u64 = 4;
/// Comparisons that the judge may make for a quick bound: well under a second.
const QUICK_WORK: u64 = 20_000_000;
/// Comparisons that the judge may make for a bound that was paid for: a minute or two.
const WORK: u64 = 2_000_000_000;

/// Finds a bound for a solution's problem. The solution's bound is checked if the judge could do so with reasonable
/// work, and claimed otherwise. Returns the prices that it rests on.
pub fn prove(
    problem: &Problem,
    solution: &mut Solution,
    strength: Strength,
    run: &Run,
) -> Result<Option<Prices>, NoBound> {
    let records = problem.records();
    if strength == Strength::None || strength == Strength::Quick && records > MANY_RECORDS {
        return Ok(None);
    }
    supports(problem)?;
    let small = records <= FEW_RECORDS && problem.k() <= SMALL_K;
    let (prices, work) = match strength {
        Strength::Lp => (linear_program(problem, solution, run)?, WORK),
        _ if small => (program(problem, solution, PLAIN, run)?, WORK),
        _ => (cheapest_box(problem, run)?, QUICK_WORK),
    };
    match solution.prove(problem, &prices, work) {
        Verdict::Holds => Ok(Some(prices)),
        Verdict::TooMuchWork => {
            solution.claim(prices.bound(problem));
            Ok(Some(prices))
        }
        Verdict::Dearer(_) => Err(NoBound::Refused),
    }
}
