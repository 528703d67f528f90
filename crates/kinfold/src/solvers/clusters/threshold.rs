//! The threshold method: try a distance, and if it fails look among larger ones. Every distance from some
//! unknown one on succeeds; so of a failure and a success next to each other, the success is no larger than
//! that.

use super::balls::Balls;
use super::space::Space;
use crate::{Run, Stopped};

/// Up to so many records the search is exact; beyond, it ends within one part in a hundred.
const EXACT: usize = 50_000;

/// Groups, and radii that none can be below: around records, and around anything.
pub(super) type Bounded<'s, 'p> = (Balls<'s, 'p>, u64, u64);

/// Looks for the least distance from `start` on that succeeds, and makes groups of what was found there; one of
/// all if the deadline came before any success.
pub(super) fn least<'s, 'p, T>(
    space: &'s Space<'p>,
    start: u64,
    run: &Run,
    attempt: impl Fn(u64) -> Result<Option<T>, Stopped>,
    groups: impl FnOnce(T, u64) -> Vec<(u32, Vec<u32>)>,
) -> Result<Bounded<'s, 'p>, Stopped> {
    // Distances up to this one fail, or lie below the start.
    let mut failed = start.saturating_sub(1);
    let (mut distance, mut step) = (start, (start / 64).max(1));
    let mut found = loop {
        run.check()?;
        if let Some(found) = attempt(distance)? {
            break found;
        }
        failed = distance;
        if run.out_of_time() {
            return Ok((Balls::one(space), 0, 0));
        }
        distance = distance.saturating_add(step);
        step = step.saturating_mul(2);
    };
    let near = |distance: u64| if space.records() <= EXACT { 1 } else { (distance / 100).max(1) };
    while distance - failed > near(distance) && !run.out_of_time() {
        run.check()?;
        let middle = failed + (distance - failed) / 2;
        match attempt(middle)? {
            Some(better) => (distance, found) = (middle, better),
            None => failed = middle,
        }
    }
    // No largest distance within groups is below what failed last, and no radius below half of that.
    Ok((Balls::new(space, groups(found, distance)), 0, (failed + 1).div_ceil(2)))
}
