//! Fold (paper *geo*, Theorem 5): greedily in the order given, the left-over into the emptiest bin.

use super::{Bins, Items, greedily};

/// The fullest bin holds at most max(k − 1 + the largest item, 3k − 3).
pub fn fold(items: &Items<'_>, order: &[u32]) -> Bins {
    let (mut bins, left) = greedily(items, order);
    if bins.items.is_empty() {
        bins.add_bin(items, left);
    } else {
        let emptiest = bins.emptiest();
        left.into_iter().for_each(|item| bins.put(items, item, emptiest));
    }
    bins
}
