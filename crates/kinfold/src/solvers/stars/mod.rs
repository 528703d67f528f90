//! The solver for suppression alone that users choose: facilities after paper *complexity*, section 4.

pub(super) mod facility;
mod plan;
mod rebuild;

use super::anneal::Anneal;
use crate::{Run, Solver, Stopped};
use kinfold_model::{Found, Problem};

/// A good grouping to start from: by patterns where they fit, else by annealing.
pub fn start(problem: &Problem, run: &Run) -> Result<Found, Stopped> {
    let by_patterns = facility::Facility.supports(problem).is_ok();
    if by_patterns { facility::grouping(problem, run) } else { Ok(Anneal.group(problem, run)?.found) }
}
