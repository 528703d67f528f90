//! What is lost, and how far that can be from the best, in words that fit the objective.

use super::screen::{STRONG, loss, percent, percent_at_most, sized, thousands};
use crate::report::Lost;
use kinfold_model::{Objective, Unit};

/// Proofs are made of rounded prices: a gap this small means that there is none.
const ROUNDING: f64 = 1e-6;

/// What is lost.
pub(crate) fn loss_sentence(lost: &Lost, objective: Objective, unit: Unit) -> String {
    let average = format!("{STRONG}{}{STRONG:#}", loss(lost.average_loss));
    match objective {
        Objective::Ncp | Objective::Stars => {
            format!("average loss {average} per cell (0 = none, 1 = all information lost)")
        }
        Objective::Columns => {
            format!("average loss {average} per column (0 = none, 1 = all information lost)")
        }
        Objective::Radius => format!("largest radius {average} (distance of a row from its group's centre)"),
        Objective::Cellular => format!("mean radius {average} over all released rows"),
        Objective::Sse => {
            let share = percent(lost.average_loss);
            format!("squared error {STRONG}{share}{STRONG:#} of that of the whole table (SSE/SST)")
        }
        Objective::GroupSize => {
            let size = sized(lost.loss as u64, unit);
            format!("the largest group holds {STRONG}{size}{STRONG:#}")
        }
    }
}

/// How far the release can be from the best, and who says so.
pub(crate) fn bound_sentence(lost: &Lost, objective: Objective) -> Option<String> {
    let (gap, bound) = (lost.gap?, lost.bound?);
    let proof = if lost.checked() { "proven and checked" } else { "proven by the solver, not checked" };
    // What loses no more than a bound for less is the best under all that is asked, too.
    let proof = match lost.bound_for.filter(|_| !lost.optimal) {
        Some(what) => format!("{proof}; for {what}"),
        None => proof.to_owned(),
    };
    let by_size = objective == Objective::GroupSize;
    let share = percent_at_most(gap);
    Some(if by_size && lost.optimal {
        format!("optimal: no release has a smaller largest group ({proof})")
    } else if by_size {
        let least = thousands(bound as u64);
        format!("lower bound {least}: a gap of {STRONG}{share}{STRONG:#} ({proof})")
    } else if lost.optimal {
        format!("no release loses less ({proof})")
    } else if gap <= ROUNDING {
        format!("no release loses less, to within a millionth ({proof})")
    } else {
        let least = loss(lost.average_loss * (1.0 - gap));
        format!("no release loses less than {least}: a gap of {STRONG}{share}{STRONG:#} ({proof})")
    })
}
