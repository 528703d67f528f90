//! What a grouping loses, and how far that can be from the best.

use super::K_ALONE;
use kinfold_model::judge::Solution;
use kinfold_model::problem::Problem;
use kinfold_model::recoding::Recoding;
use serde::Serialize;

/// What a grouping loses, and how far that can be from the best. Losses are in the units of the objective.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lost {
    /// The loss of the grouping.
    pub loss: f64,
    /// The loss per cell, column or person, as the objective has it.
    pub average_loss: f64,
    /// No grouping loses less than this.
    pub bound: Option<f64>,
    /// (loss − bound) / loss.
    pub gap: Option<f64>,
    /// Whether the bound was checked by the judge, claimed by the solver, or is missing.
    pub bound_kind: &'static str,
    /// `k alone` where the policy asks for more than the bound takes into account.
    pub bound_for: Option<&'static str>,
    /// Whether the bound is the loss, exactly.
    #[serde(skip)]
    pub optimal: bool,
}

impl Lost {
    /// `k_alone`: the bound does not take into account all that groups must fulfil.
    pub(crate) fn new(problem: &Problem, solution: &Solution, k_alone: bool) -> Self {
        let bound = solution.bound();
        let of_k_alone = problem.guard().is_some() && problem.recoding() == Recoding::Local;
        Self {
            loss: solution.loss(problem).cells(),
            average_loss: solution.average_loss(problem),
            bound: solution.least_loss(problem).map(|bound| bound.cells()),
            gap: solution.gap(problem),
            bound_kind: bound.word(),
            bound_for: bound.cost().filter(|_| k_alone || of_k_alone).map(|_| K_ALONE),
            optimal: bound.cost() == Some(solution.cost()),
        }
    }

    /// Whether the judge checked the bound itself.
    pub(crate) fn checked(&self) -> bool {
        self.bound_kind == "checked"
    }
}
