//! The one door to all bounds: finds prices of the strength wanted, and has the judge check them.

use super::boxes::Space;
use super::lp::PLAIN;
use super::{in_time, linear_program, program, supports};
use crate::{Run, Stopped, Unsupported};
use kinfold_model::certificate::PriceCheck;
use kinfold_model::{Objective, Prices, Problem, Solution};
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
    /// The judge found a group that has prices above its cost: a fault of the search for prices.
    #[error("an invalid bound was found, and rejected by the judge")]
    Refused,
}

/// Up to here, the cheapest box around everybody can be had beside the grouping.
const BOXED_RECORDS: usize = 3_000;
/// Up to here, the way to the nearest can. Beyond, it takes longer than the grouping, and for large groups it
/// says too little.
const NEAREST_RECORDS: usize = 50_000;
const NEAREST_K: u64 = 10;
/// So few records of so few columns take a moment whatever is asked: no clock is needed, and what is told is
/// the same on every machine.
const TINY: usize = 64;
const TINY_COLUMNS: usize = 8;
/// Matches of records and patterns that are listed in a second, and comparisons that the judge makes, by a
/// cautious estimate.
const MATCHES_IN_A_SECOND: f64 = 5e6;
/// The linear program is quick for so few records, and groups so small.
const FEW_RECORDS: usize = 250;
const SMALL_K: u64 = 4;
const WORK_IN_A_SECOND: f64 = 5e7;
/// Seconds for which an estimate is made where there is no clock.
const A_MOMENT: f64 = 0.1;
/// Comparisons that the judge may make for a bound that was paid for: a minute or two.
const WORK: u64 = 5_000_000_000;

/// Finds a bound for a solution's problem, and has it checked. Returns the prices that it rests on. A quick
/// one takes no more than a tenth of what the run has taken so far, and a moment.
pub fn prove(
    problem: &Problem,
    solution: &mut Solution,
    strength: Strength,
    run: &Run,
) -> Result<Option<Prices>, NoBound> {
    let aside = run.aside();
    let tiny = problem.records() <= TINY && problem.rules().len() <= TINY_COLUMNS;
    let run = if strength == Strength::Quick && !tiny { &aside } else { run };
    let prices = find_prices(problem, solution, strength, run)?;
    if let Some(prices) = &prices {
        judge_prices(problem, solution, prices, strength, run)?;
    }
    Ok(prices)
}

/// Prices that prove a bound for a problem; `solution` is a good grouping, from which the search starts.
/// `None` where a bound of that strength would take longer than it is worth.
pub fn find_prices(
    problem: &Problem,
    solution: &Solution,
    strength: Strength,
    run: &Run,
) -> Result<Option<Prices>, NoBound> {
    let records = problem.records();
    let proven = problem.objective() == Objective::Columns || problem.objective().clusters();
    if strength == Strength::Quick && (proven || solution.bound().cost().is_some()) {
        // The solver has proven what can be had in so little time.
        return Ok(None);
    }
    if strength != Strength::None {
        supports(problem)?;
    }
    match strength {
        Strength::None => Ok(None),
        Strength::Lp => Ok(Some(linear_program(problem, solution, run)?)),
        Strength::Quick if is_small(problem) => {
            let room = run.seconds_left().unwrap_or(A_MOMENT) * MATCHES_IN_A_SECOND;
            Ok(Some(program(&Space::with_room(problem, room as usize), solution, PLAIN, run)?))
        }
        Strength::Quick if records <= NEAREST_RECORDS && problem.k() <= NEAREST_K => {
            Ok(in_time(problem, records <= BOXED_RECORDS, run)?)
        }
        Strength::Quick => Ok(None),
    }
}

fn is_small(problem: &Problem) -> bool {
    problem.records() <= FEW_RECORDS && problem.k() <= SMALL_K
}

/// Has the judge check prices: the solution's bound is checked if that takes reasonable work, and claimed
/// otherwise.
pub fn judge_prices(
    problem: &Problem,
    solution: &mut Solution,
    prices: &Prices,
    strength: Strength,
    run: &Run,
) -> Result<(), NoBound> {
    let work = match strength {
        Strength::Quick => (run.seconds_left().unwrap_or(A_MOMENT) * WORK_IN_A_SECOND) as u64,
        _ => WORK,
    };
    match run.in_pool(|| solution.prove(problem, prices, work)) {
        PriceCheck::Holds => Ok(()),
        PriceCheck::TooMuchWork => {
            solution.claim(problem, prices.bound(problem));
            Ok(())
        }
        PriceCheck::Dearer(_) => Err(NoBound::Refused),
    }
}
