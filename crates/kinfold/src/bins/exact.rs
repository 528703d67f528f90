//! The best packing, proven. The best packing found quickly is improved by a target: can all bins hold between k and one less than the
//! fullest so far? Items are tried the largest first in every bin with another level; a branch is given up when what is left
//! cannot fill the bins to k, or does not fit. When a target is refuted, what was found is the best.

use super::{Bins, Items, best};

/// A packing, and what the fullest bin of any packing holds at least.
pub(crate) struct Proven {
    pub(crate) bins: Bins,
    pub(crate) bound: u64,
}

/// Searches until the packing is proven best, or as long as `go_on` says so; it is asked for every step.
pub(crate) fn exact(items: &Items<'_>, mut go_on: impl FnMut() -> bool) -> Proven {
    let mut bins = best(items);
    let mut bound = items.bound();
    while bins.fullest() > bound {
        match within(items, bins.fullest() - 1, &mut go_on) {
            Answer::Found(better) => bins = better,
            Answer::Never => bound = bins.fullest(),
            Answer::Unknown => break,
        }
    }
    Proven { bins, bound }
}

pub(super) enum Answer {
    Found(Bins),
    Never,
    Unknown,
}

/// A packing in which no bin holds more than a limit.
pub(super) fn within(items: &Items<'_>, limit: u64, go_on: &mut dyn FnMut() -> bool) -> Answer {
    let order: Vec<u32> = items.by_falling_size().into_iter().filter(|&item| items.size(item) > 0).collect();
    let nothing = items.as_given().into_iter().filter(|&item| items.size(item) == 0);
    let mut left: Vec<u64> = order
        .iter()
        .rev()
        .scan(0, |sum, &item| {
            *sum += items.size(item);
            Some(*sum)
        })
        .collect();
    left.reverse();
    left.push(0);
    let fewest = items.total().div_ceil(limit.max(1)).max(1);
    for bins in (fewest..=items.most_bins()).rev() {
        let mut search = Search {
            items,
            limit,
            order: &order,
            left: &left,
            levels: vec![0; bins as usize],
            bin_of: Vec::new(),
            go_on,
        };
        match search.place() {
            Some(true) => {
                let mut found = Bins::empty(bins as usize);
                order.iter().zip(search.bin_of).for_each(|(&item, bin)| found.put(items, item, bin));
                nothing.for_each(|item| found.put(items, item, 0));
                return Answer::Found(found);
            }
            Some(false) => {}
            None => return Answer::Unknown,
        }
    }
    Answer::Never
}

struct Search<'a> {
    items: &'a Items<'a>,
    limit: u64,
    order: &'a [u32],
    /// How much the items from each place on take together.
    left: &'a [u64],
    levels: Vec<u64>,
    bin_of: Vec<usize>,
    go_on: &'a mut dyn FnMut() -> bool,
}

impl Search<'_> {
    /// Whether the items that are left can be placed; `None` if there was no time to tell.
    fn place(&mut self) -> Option<bool> {
        let at = self.bin_of.len();
        let missing: u64 = self.levels.iter().map(|&level| self.items.k.saturating_sub(level)).sum();
        let room: u64 = self.levels.iter().map(|&level| self.limit - level).sum();
        if missing > self.left[at] || room < self.left[at] {
            return Some(false);
        }
        let Some(&item) = self.order.get(at) else { return Some(true) };
        if !(self.go_on)() {
            return None;
        }
        let size = self.items.size(item);
        let mut bins: Vec<usize> = (0..self.levels.len()).collect();
        // Fullest first finds tight packings soon; of bins with the same level one is enough.
        bins.sort_by_key(|&bin| std::cmp::Reverse(self.levels[bin]));
        bins.dedup_by_key(|bin| self.levels[*bin]);
        for bin in bins {
            if self.levels[bin] + size > self.limit {
                continue;
            }
            self.levels[bin] += size;
            self.bin_of.push(bin);
            match self.place() {
                Some(false) => {}
                done => return done,
            }
            self.bin_of.pop();
            self.levels[bin] -= size;
        }
        Some(false)
    }
}
