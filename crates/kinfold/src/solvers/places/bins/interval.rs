//! Ordered labels (paper *geo*, section 4): bins are runs of the order, and the best are found exactly.
//!
//! For a limit on the fullest bin, walk through the order and keep which places a packing can end at: from
//! some such place before, between k and the limit back. Those places form a window that only moves forward,
//! so a walk is linear; the least limit that works is found by halving.

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

/// Where the runs end if none may hold more than a limit; `None` if that cannot be. `before`: how much comes
/// before each place.
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

/// Cells of the table that [`intervals_leaving`] fills at most for one limit: items times people.
const CELLS: u64 = 40_000_000;

/// The best packing into runs where items that take no more than `spare` together may be left out, also
/// within runs; better than `known`, if there is any. The fullest bin holds at least `bound`. `None` where
/// the table would be too large, or `go_on` says that time is up.
///
/// For a limit, walk through the order and keep for every level of the open run the least that must be left
/// out to get there. (As one run of all items is a question of which numbers add up to k, nothing quicker
/// than counting people can be hoped for.)
pub(crate) fn intervals_leaving(
    items: &Items<'_>,
    spare: u64,
    known: &Bins,
    bound: u64,
    go_on: impl Fn() -> bool,
) -> Option<Bins> {
    let order: Vec<u32> = items.as_given().into_iter().filter(|&item| items.size(item) > 0).collect();
    if (order.len() as u64).saturating_mul(known.fullest()) > CELLS {
        return None;
    }
    // Somebody stays.
    let spare = spare.min(items.total().saturating_sub(1));
    let (mut low, mut high, mut best) = (bound, known.fullest(), None);
    while low < high {
        if !go_on() {
            return None;
        }
        let middle = low + (high - low) / 2;
        match leaving(items, &order, spare, middle) {
            Some(bins) => (high, best) = (bins.fullest().max(bound), Some(bins)),
            None => low = middle + 1,
        }
    }
    Some(best.unwrap_or_else(|| known.clone()))
}

/// Runs that hold no more than a limit, with the least left out, if that is no more than `spare`.
fn leaving(items: &Items<'_>, order: &[u32], spare: u64, limit: u64) -> Option<Bins> {
    let width = limit as usize + 1;
    // For each level of the open run (0: none is open) the least that is left out. More than `spare` is as
    // bad as anything.
    let worst = spare + 1;
    let mut least = vec![worst; width];
    least[0] = 0;
    let mut taken = vec![0u64; (order.len() * width).div_ceil(64)];
    let mut closed_at = vec![None; order.len()];
    for (at, &item) in order.iter().enumerate() {
        let size = items.size(item) as usize;
        // From above, so that each item is taken once.
        for level in (0..width).rev() {
            let out = (least[level] + size as u64).min(worst);
            let before = level.checked_sub(size).map_or(worst, |before| least[before]);
            least[level] = out.min(before);
            if before < out {
                let cell = at * width + level;
                taken[cell / 64] |= 1 << (cell % 64);
            }
        }
        let full = (items.k as usize..width).min_by_key(|&level| least[level]);
        if let Some(level) = full.filter(|&level| least[level] < least[0]) {
            least[0] = least[level];
            closed_at[at] = Some(level);
        }
    }
    if least[0] > spare {
        return None;
    }
    // Backwards: where was a run closed, and what was taken into it?
    let (mut bins, mut level, mut run) = (Bins::default(), 0, Vec::new());
    let close = |bins: &mut Bins, run: &mut Vec<u32>| {
        run.reverse();
        if !run.is_empty() {
            bins.add_bin(items, std::mem::take(run));
        }
    };
    for (at, &item) in order.iter().enumerate().rev() {
        if let (0, Some(full)) = (level, closed_at[at]) {
            close(&mut bins, &mut run);
            level = full;
        }
        let cell = at * width + level;
        if taken[cell / 64] >> (cell % 64) & 1 == 1 {
            run.push(item);
            level -= items.size(item) as usize;
        } else {
            bins.left_out.push(item);
        }
    }
    close(&mut bins, &mut run);
    // Items of nobody go with those before them, or with the first.
    let mut bin_of = vec![None; items.sizes.len()];
    for (bin, list) in bins.items.iter().enumerate() {
        list.iter().for_each(|&item| bin_of[item as usize] = Some(bin));
    }
    let mut last = bins.items.len() - 1;
    for item in items.as_given() {
        last = bin_of[item as usize].unwrap_or(last);
        if items.size(item) == 0 {
            bins.put(items, item, last);
        }
    }
    Some(bins)
}
