//! What is lost, and how far that can be from the best, in words that fit the objective.

use super::screen::{STRONG, loss, percent, percent_at_most, sized, thousands};
use crate::report::{AnonymizeReport, Proven};
use kinfold_model::cost::Objective;
use kinfold_model::unit::Unit;

/// What the sentences are about.
pub(crate) struct Loss {
    objective: Objective,
    unit: Unit,
    total: f64,
    average: f64,
    bound: Option<f64>,
    gap: Option<f64>,
    optimal: bool,
    checked: bool,
    bound_for: Option<&'static str>,
}

impl From<&AnonymizeReport> for Loss {
    fn from(report: &AnonymizeReport) -> Self {
        Self {
            objective: report.objective,
            unit: report.unit,
            total: report.loss,
            average: report.average_loss,
            bound: report.bound,
            gap: report.gap,
            optimal: report.optimal,
            checked: report.checked,
            bound_for: report.bound_for,
        }
    }
}

impl From<&Proven> for Loss {
    fn from(proven: &Proven) -> Self {
        Self {
            objective: proven.objective,
            unit: proven.unit,
            total: proven.loss,
            average: proven.average_loss,
            bound: proven.bound,
            gap: proven.gap,
            optimal: proven.optimal,
            checked: proven.checked,
            bound_for: proven.bound_for,
        }
    }
}

/// Proofs are made of rounded prices: a gap this small means that there is none.
const ROUNDING: f64 = 1e-6;

impl Loss {
    /// What is lost.
    pub(crate) fn sentence(&self) -> String {
        let average = loss(self.average);
        match self.objective {
            Objective::Ncp | Objective::Stars => {
                format!(
                    "average loss {STRONG}{average}{STRONG:#} per cell (0 = none, 1 = all information lost)"
                )
            }
            Objective::Columns => {
                format!(
                    "average loss {STRONG}{average}{STRONG:#} per column (0 = none, 1 = all information lost)"
                )
            }
            Objective::Radius => {
                format!(
                    "largest radius {STRONG}{average}{STRONG:#} (distance of a row from its group's centre)"
                )
            }
            Objective::Cellular => format!("mean radius {STRONG}{average}{STRONG:#} over all released rows"),
            Objective::Sse => {
                let share = percent(self.average);
                format!("squared error {STRONG}{share}{STRONG:#} of that of the whole table (SSE/SST)")
            }
            Objective::GroupSize => {
                let size = sized(self.total as u64, self.unit);
                format!("the largest group holds {STRONG}{size}{STRONG:#}")
            }
        }
    }

    /// How far the release can be from the best, and who says so.
    pub(crate) fn bound_sentence(&self) -> Option<String> {
        let (gap, bound) = (self.gap?, self.bound?);
        let proof = if self.checked { "proven and checked" } else { "proven by the solver, not checked" };
        // What loses no more than a bound for less is the best under all that is asked, too.
        let proof = match self.bound_for.filter(|_| !self.optimal) {
            Some(what) => format!("{proof}; for {what}"),
            None => proof.to_owned(),
        };
        let share = percent_at_most(gap);
        if self.objective == Objective::GroupSize {
            let least = thousands(bound as u64);
            return Some(if self.optimal {
                format!("optimal: no release has a smaller largest group ({proof})")
            } else {
                format!("lower bound {least}: a gap of {STRONG}{share}{STRONG:#} ({proof})")
            });
        }
        let least = loss(self.average * (1.0 - gap));
        Some(if self.optimal {
            format!("no release loses less ({proof})")
        } else if gap <= ROUNDING {
            format!("no release loses less, to within a millionth ({proof})")
        } else {
            format!("no release loses less than {least}: a gap of {STRONG}{share}{STRONG:#} ({proof})")
        })
    }
}
