//! The best packing, proven. A packing found quickly is improved by a target: can all bins hold between k and
//! one less than the fullest so far? Items are tried the largest first in every bin with another level, and
//! left out where that is allowed; a branch is given up when what is left cannot fill the bins to k, or does
//! not fit. When a target is refuted, what was found is the best.
//!
//! The search keeps its own stack: there may be hundreds of thousands of items.

use super::{Bins, Items};

/// A packing, and what the fullest bin of any packing holds at least.
pub(crate) struct Proven {
    pub(crate) bins: Bins,
    pub(crate) bound: u64,
}

/// Improves a packing until it is proven best, or as long as `go_on` says so; it is asked for every step.
/// Items that take no more than `spare` together may be left out. `bound`: what the fullest bin holds at
/// least, as far as it is known.
pub(crate) fn exact(
    items: &Items<'_>,
    spare: u64,
    mut bins: Bins,
    mut bound: u64,
    mut go_on: impl FnMut() -> bool,
) -> Proven {
    while bins.fullest() > bound {
        match within(items, spare, bins.fullest() - 1, &mut go_on) {
            Answer::Found(better) => bins = better,
            Answer::Never => bound = bins.fullest(),
            Answer::Unknown => break,
        }
    }
    Proven { bins, bound }
}

enum Answer {
    Found(Bins),
    Never,
    Unknown,
}

/// A packing in which no bin holds more than a limit.
fn within(items: &Items<'_>, spare: u64, limit: u64, go_on: &mut dyn FnMut() -> bool) -> Answer {
    let order: Vec<u32> = items.by_falling_size().into_iter().filter(|&item| items.size(item) > 0).collect();
    let nothing = items.as_given().into_iter().filter(|&item| items.size(item) == 0);
    let mut left = vec![0; order.len() + 1];
    for at in (0..order.len()).rev() {
        left[at] = left[at + 1] + items.size(order[at]);
    }
    let fewest = left[0].saturating_sub(spare).div_ceil(limit.max(1)).max(1);
    for bins in (fewest..=items.most_bins()).rev() {
        let mut search = PackingSearch {
            items,
            limit,
            order: &order,
            left: &left,
            levels: vec![0; bins as usize],
            bin_of: Vec::new(),
            missing: bins.saturating_mul(items.k),
            room: bins.saturating_mul(limit),
            spare,
        };
        match search.place_all(go_on) {
            Some(true) => {
                let mut found = Bins::empty(bins as usize);
                for (&item, &bin) in order.iter().zip(&search.bin_of) {
                    if bin == search.outside() {
                        found.left_out.push(item)
                    } else {
                        found.put(items, item, bin)
                    }
                }
                nothing.for_each(|item| found.put(items, item, 0));
                return Answer::Found(found);
            }
            Some(false) => {}
            None => return Answer::Unknown,
        }
    }
    Answer::Never
}

struct PackingSearch<'a> {
    items: &'a Items<'a>,
    limit: u64,
    order: &'a [u32],
    /// How much the items from each place on take together.
    left: &'a [u64],
    levels: Vec<u64>,
    /// The bin of every item that is placed.
    bin_of: Vec<usize>,
    /// What the bins lack together, what still fits into them, and what may still be left out.
    missing: u64,
    room: u64,
    spare: u64,
}

/// What was tried already for an item.
#[derive(Clone, Copy, PartialEq)]
enum Tried {
    Nothing,
    /// All bins of this level and above.
    Down(u64),
    /// Leaving it out, too.
    All,
}

impl PackingSearch<'_> {
    /// The number that stands for being left out.
    fn outside(&self) -> usize {
        self.levels.len()
    }

    /// Whether all items can be placed; `None` if there was no time to tell.
    fn place_all(&mut self, go_on: &mut dyn FnMut() -> bool) -> Option<bool> {
        let mut tried = Tried::Nothing;
        loop {
            let at = self.bin_of.len();
            let left = self.left[at];
            let hopeless = self.missing > left || self.room + self.spare < left;
            if tried == Tried::Nothing && !hopeless {
                if at == self.order.len() {
                    return Some(true);
                }
                if !go_on() {
                    return None;
                }
            }
            match if hopeless { None } else { self.next(at, tried) } {
                Some(bin) => {
                    self.put(at, bin);
                    tried = Tried::Nothing;
                }
                None => match self.take_back() {
                    Some(before) => tried = before,
                    None => return Some(false),
                },
            }
        }
    }

    /// Where to try an item next: the fullest bin first, which finds tight packings soon; of bins with the
    /// same level one is enough. Items of one size go into bins in the order of these, for who has which of
    /// them makes no difference.
    fn next(&self, at: usize, tried: Tried) -> Option<usize> {
        let size = self.items.size(self.order[at]);
        let twin = at > 0 && self.items.size(self.order[at - 1]) == size;
        let first = if twin { self.bin_of[at - 1] } else { 0 };
        let below = match tried {
            Tried::Nothing => u64::MAX,
            Tried::Down(level) => level,
            Tried::All => return None,
        };
        let fits = |bin: &usize| self.levels[*bin] < below && self.levels[*bin] + size <= self.limit;
        let fullest = (first..self.outside()).filter(fits).rev().max_by_key(|&bin| self.levels[bin]);
        fullest.or_else(|| (size <= self.spare).then_some(self.outside()))
    }

    fn put(&mut self, at: usize, bin: usize) {
        let size = self.items.size(self.order[at]);
        self.bin_of.push(bin);
        if bin == self.outside() {
            self.spare -= size;
            return;
        }
        self.missing -= self.items.k.saturating_sub(self.levels[bin]).min(size);
        self.room -= size;
        self.levels[bin] += size;
    }

    /// Takes the last item back: what was tried for it then.
    fn take_back(&mut self) -> Option<Tried> {
        let bin = self.bin_of.pop()?;
        let size = self.items.size(self.order[self.bin_of.len()]);
        if bin == self.outside() {
            self.spare += size;
            return Some(Tried::All);
        }
        self.levels[bin] -= size;
        self.room += size;
        self.missing += self.items.k.saturating_sub(self.levels[bin]).min(size);
        Some(Tried::Down(self.levels[bin]))
    }
}
