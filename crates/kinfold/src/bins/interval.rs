//! Ordered labels (paper *geo*, section 4): bins are runs of the order, and the best are found exactly.
//!
//! For a limit on the fullest bin, walk through the order and keep which places a packing can end at: from some such place
//! before, between k and the limit back. Those places form a window that only moves forward, so a walk is linear; the
//! least limit that works is found by halving.

use super::{Bins, Items};

/// The best packing into runs of the items as given.
pub(crate) fn intervals(items: &Items<'_>) -> Bins {
    let mut before = vec![0u64];
    for &size in items.sizes {
        before.push(before[before.len() - 1] + size);
    }
    let (mut low, mut high) = (items.bound(), items.total());
    while low < high {
        let middle = low + (high - low) / 2;
        match ends(&before, items.k, middle).is_some() {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    let ends = ends(&before, items.k, high).unwrap_or_else(|| vec![items.sizes.len()]);
    let mut bins = Bins::default();
    let mut from = 0;
    for end in ends {
        bins.add_bin(items, (from as u32..end as u32).collect());
        from = end;
    }
    bins
}

/// Where the runs end if none may hold more than a limit; `None` if that cannot be. `before`: how much comes before each place.
fn ends(before: &[u64], k: u64, limit: u64) -> Option<Vec<usize>> {
    const NEVER: usize = usize::MAX;
    // For each place the start of its last run.
    let mut start = vec![NEVER; before.len()];
    start[0] = 0;
    // Places in the window, and the latest of them that a packing can end at.
    let (mut next, mut latest) = (0, None);
    for end in 1..before.len() {
        while next < end && before[end] - before[next] >= k {
            if start[next] != NEVER {
                latest = Some(next);
            }
            next += 1;
        }
        if let Some(from) = latest.filter(|&from| before[end] - before[from] <= limit) {
            start[end] = from;
        }
    }
    let mut ends = Vec::new();
    let mut end = before.len() - 1;
    while end > 0 {
        if start[end] == NEVER {
            return None;
        }
        ends.push(end);
        end = start[end];
    }
    ends.reverse();
    Some(ends)
}
