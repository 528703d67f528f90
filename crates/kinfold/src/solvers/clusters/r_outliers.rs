//! Cellular clustering with outliers left out: (r, ε)-cellular clustering (paper *cluster*, end of section
//! 3.1).
//!
//! # The problem
//! As `r-cellular`, but a share ε of the rows (`--withhold`) may be left out.
//!
//! # The idea
//! The paper says in a sentence that its method goes together with that of Charikar et al. 2001: offers rise
//! until all but ε of the rows are connected, and who is not by then is left out. After the three steps of
//! `r-cellular`, rows that cost more than any other place would are left out as long as that is allowed.
//!
//! # Example
//! Places 0, 1, 2, 3, 100 with k = 2 and one row to leave out: 100 is the last that would be connected.
//!
//! # What it lacks
//! A factor: the paper proves none, and guessing the dearest cluster first, as Charikar et al. do, is left
//! out, too.

use super::r_cellular::{cellular, few_records};
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Promise, Solver, Unsupported};
use kinfold_model::cost::Objective;
use kinfold_model::problem::Problem;

pub(crate) struct RCellularOutliers;

const CARD: Card = Card {
    key: "r-cellular-outliers",
    title: "as r-cellular, with outliers withheld",
    paper: "Aggarwal, Panigrahy, Feder, Thomas, Kenthapadi, Khuller, Zhu: achieving anonymity via clustering, section 3.1",
    objectives: &[Objective::Cellular],
    uses_effort: false,
    promise: Promise::Heuristic,
    cases: &[],
    slow: false,
    runtime: "n² log n",
    not_for: "more than 20,000 distinct records",
    settings: &[],
};

impl Solver for RCellularOutliers {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        few_records(problem, "r-cellular-outliers")
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        cellular(problem, run)
    }
}
