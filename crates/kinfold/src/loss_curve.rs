//! Loss against k: what a somewhat smaller or larger k would cost.

use crate::bounds::Strength;
use crate::error::Error;
use crate::options::Options;
use crate::prepared::prepare;
use crate::report::LossAtK;
use crate::run::Effort;
use kinfold_model::call::Event;
use kinfold_model::policy::Policy;
use kinfold_model::table::Table;

/// The ks that people consider.
const USUAL: [u64; 20] =
    [2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000, 10_000];
/// So many of them on each side of the k of the policy.
const ASIDE: usize = 3;

/// The k of a policy and some usual ones below and above it, ascending.
fn around(k: u64) -> Vec<u64> {
    let below = USUAL.iter().copied().filter(|&other| other < k).rev().take(ASIDE);
    let above = USUAL.iter().copied().filter(|&other| other > k).take(ASIDE);
    let mut ks: Vec<u64> = below.chain([k]).chain(above).collect();
    ks.sort_unstable();
    ks
}

/// What releases lose at quick effort for the k of the policy and for some ks around it. Those that no release can
/// fulfil are left out.
pub fn loss_curve(table: &Table, policy: &Policy, options: &Options) -> Result<Vec<LossAtK>, Error> {
    let mut options = options.clone();
    (options.effort, options.bound) = (Effort::Quick, Strength::None);
    let prepared = prepare(table, policy, &options)?;
    let mut curve = Vec::new();
    for k in around(policy.k) {
        options.call.tell(Event::Part(format!("k = {k}")));
        match prepared.loss(k, &options) {
            Ok(loss) => curve.push(loss),
            Err(Error::Impossible(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(curve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ks_on_both_sides_are_asked() {
        assert_eq!(around(2), [2, 3, 5, 7]);
        assert_eq!(around(5), [2, 3, 5, 7, 10, 15]);
        assert_eq!(around(12), [5, 7, 10, 12, 15, 20, 30]);
        assert_eq!(around(60_000), [2_000, 5_000, 10_000, 60_000]);
    }
}
