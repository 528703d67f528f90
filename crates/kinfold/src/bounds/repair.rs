//! From any prices to prices that prove a bound: whoever is the dearest of a group that is worth too much is
//! marked down by as much.
//!
//! Order the records by falling price. Every group has a first record, its anchor. If V is the most by which
//! a group with that anchor is worth too much, taking V off the anchor's price mends all of them at once,
//! whatever happens to the others, for prices only fall. V may be any upper bound, so a search may be cut
//! short. Anchors are marked down in batches, the cheapest first: those who come later see prices that have
//! fallen already, and need to fall less. A price that falls stays behind all anchors that are still to come,
//! so the order holds.

use super::boxes::Space;
use super::enumerate::dearest;
use super::pattern_prices;
use super::price::{Members, Priced, around};
use super::tariff::Tariff;
use crate::{Run, Stopped};
use kinfold_model::Prices;

/// How often prices are brought up to date on the way.
const BATCHES: usize = 24;

/// Prices that prove a bound, and the groups that were worth too much.
pub(crate) struct Repaired {
    pub(crate) prices: Prices,
    pub(crate) groups: Vec<Members>,
}

/// The dearest group around an anchor, with so many nodes of search at most.
pub(super) fn dearest_around(space: &Space<'_>, tariff: &Tariff, budget: usize, anchor: u32) -> Priced {
    // The quicker of the two searches knows nothing of pairs.
    if tariff.prices.cuts.is_empty() {
        around(space, &tariff.prices, budget, anchor)
    } else {
        dearest(space, tariff, budget, anchor)
    }
}

/// Marks prices down until no group has prices above its cost. `None` at the deadline.
pub(crate) fn repair(
    space: &Space<'_>,
    mut prices: Prices,
    budget: usize,
    run: &Run,
) -> Result<Option<Repaired>, Stopped> {
    if let Some(patterns) = space.patterns().filter(|_| prices.cuts.is_empty()) {
        return pattern_prices::repair(space, patterns, prices, run);
    }
    let mut order: Vec<u32> = (0..space.records()).filter(|&r| prices.of(r) > 0).collect();
    order.sort_unstable_by_key(|&r| (prices.of(r), std::cmp::Reverse(r)));
    let mut groups = Vec::new();
    for batch in order.chunks(order.len().div_ceil(BATCHES).max(16)) {
        let tariff = Tariff::new(prices.clone());
        let found = run.each(batch, |&anchor| {
            (!run.out_of_time()).then(|| dearest_around(space, &tariff, budget, anchor))
        })?;
        for (&anchor, priced) in batch.iter().zip(found) {
            let Some(priced) = priced else { return Ok(None) };
            prices.of_record[anchor as usize] -= priced.most;
            groups.extend(priced.groups);
        }
    }
    Ok(Some(Repaired { prices, groups }))
}
