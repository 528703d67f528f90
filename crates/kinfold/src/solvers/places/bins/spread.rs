//! Fold (paper *geo*, Theorem 5): greedily in the order given, the left-over into the emptiest bin. Spread (section
//! 5): the same, but what is left over is shared out. Each item goes where it does not raise the fullest bin's
//! level; once every place would raise it, the rest goes round the bins.
//!
//! Going round starts at the emptiest bin: the first item there raises it above all others, so no bin ends
//! fuller than the one that Fold puts everything into. That is why Spread is never worse than Fold in the
//! same order.

use super::{Bins, Items, greedily};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The fullest bin holds at most max(k − 1 + the largest item, 3k − 3).
pub fn fold(items: &Items<'_>, order: &[u32]) -> Bins {
    packed(items, order, |bins, left| {
        let emptiest = bins.emptiest();
        left.iter().for_each(|&item| bins.put(items, item, emptiest));
    })
}

/// Never fuller than `fold` in the same order.
pub fn spread(items: &Items<'_>, order: &[u32]) -> Bins {
    packed(items, order, |bins, left| share_out(items, bins, left))
}

/// Greedily, the left-over by another rule; if no bin is full it is one.
fn packed(items: &Items<'_>, order: &[u32], rest: impl FnOnce(&mut Bins, &[u32])) -> Bins {
    let (mut bins, left) = greedily(items, order);
    if bins.items.is_empty() {
        bins.add_bin(items, left);
    } else {
        rest(&mut bins, &left);
    }
    bins
}

/// Puts items into bins that are full enough already.
pub fn share_out(items: &Items<'_>, bins: &mut Bins, left: &[u32]) {
    let fullest = bins.fullest();
    let mut rest = Vec::new();
    let levels = bins.levels.iter().enumerate();
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> =
        levels.map(|(bin, &level)| Reverse((level, bin))).collect();
    for &item in left {
        match heap.peek_mut() {
            Some(mut emptiest) if emptiest.0.0 + items.size(item) <= fullest => {
                emptiest.0.0 += items.size(item);
                bins.put(items, item, emptiest.0.1);
            }
            _ => rest.push(item),
        }
    }
    let mut round: Vec<usize> = (0..bins.levels.len()).collect();
    round.sort_by_key(|&bin| bins.levels[bin]);
    for (&item, &bin) in rest.iter().zip(round.iter().cycle()) {
        bins.put(items, item, bin);
    }
}
