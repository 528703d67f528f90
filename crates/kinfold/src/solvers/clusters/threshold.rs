//! The threshold method: try a distance, and if it fails look among larger ones. Every distance from some
//! unknown one on succeeds; so of a failure and a success next to each other, the success is no larger than
//! that.

use crate::run::{Run, Stopped};

/// Up to so many records the search is exact; beyond, it ends within one part in a hundred.
pub(super) const EXACT: usize = 50_000;

/// The least success that was found, with the distance that succeeded.
pub(super) struct Least<T> {
    pub(super) distance: u64,
    pub(super) found: T,
    /// Distances up to this one fail, or lie below the start.
    pub(super) failed: u64,
}

/// Looks for the least distance from `start` on that succeeds. `None` if the deadline came before any
/// success.
pub(super) fn least<T>(
    start: u64,
    records: usize,
    run: &Run,
    mut attempt: impl FnMut(u64) -> Result<Option<T>, Stopped>,
) -> Result<Option<Least<T>>, Stopped> {
    let mut failed = start.saturating_sub(1);
    let (mut distance, mut step) = (start, (start / 64).max(1));
    let mut found = loop {
        run.check()?;
        if let Some(found) = attempt(distance)? {
            break found;
        }
        failed = distance;
        if run.out_of_time() {
            return Ok(None);
        }
        distance = distance.saturating_add(step);
        step = step.saturating_mul(2);
    };
    let near = |distance: u64| if records <= EXACT { 1 } else { (distance / 100).max(1) };
    while distance - failed > near(distance) && !run.out_of_time() {
        run.check()?;
        let middle = failed + (distance - failed) / 2;
        match attempt(middle)? {
            Some(better) => (distance, found) = (middle, better),
            None => failed = middle,
        }
    }
    Ok(Some(Least { distance, found, failed }))
}
