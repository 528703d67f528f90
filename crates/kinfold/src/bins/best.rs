//! The best packing that is found quickly: items go one by one, the largest first, into the emptiest of a number of bins, and then
//! move and swap places between fuller and emptier bins as long as that evens them out. Tried with ever fewer bins, and beside
//! Fold and Spread in both orders; the best counts.

use super::{Bins, Items, fold, spread};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How many numbers of bins are tried, from the most that there can be downwards.
const TRIED: u64 = 6;
/// Evening out ends after so many changes per bin.
const CHANGES: usize = 40;

/// A packing as even as it gets in little time.
pub(crate) fn best(items: &Items<'_>) -> Bins {
    let mut best = spread(items, &items.by_falling_size());
    let mut consider = |bins: Bins| {
        if bins.covered(items.k) && bins.fullest() < best.fullest() {
            best = bins;
        }
        best.fullest()
    };
    consider(spread(items, &items.as_given()));
    let mut fullest = consider(fold(items, &items.as_given()));
    for fewer in 0..TRIED.min(items.most_bins()) {
        let bins = items.most_bins() - fewer;
        if fullest <= items.total().div_ceil(bins) {
            break;
        }
        let mut packed = largest_first(items, bins as usize);
        even_out(items, &mut packed);
        fullest = consider(packed);
    }
    best
}

/// Each item, the largest first, into the bin that is emptiest by then (Graham's longest processing time rule).
fn largest_first(items: &Items<'_>, bins: usize) -> Bins {
    let mut packed = Bins::empty(bins);
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = (0..bins).map(|bin| Reverse((0, bin))).collect();
    for item in items.by_falling_size() {
        if let Some(Reverse((_, bin))) = heap.pop() {
            packed.put(items, item, bin);
            heap.push(Reverse((packed.levels[bin], bin)));
        }
    }
    packed
}

/// Moves items from fuller to emptier bins, or swaps two, while some pair of bins becomes more even: the fullest bin with any
/// other, or the emptiest with any other.
fn even_out(items: &Items<'_>, packed: &mut Bins) {
    let mut shelves: Vec<Shelf> = packed.items.iter().map(|list| Shelf::new(items, list)).collect();
    for _ in 0..CHANGES * shelves.len() {
        let (mut low, mut high) = (0, 0);
        for bin in 1..shelves.len() {
            low = if shelves[bin].level < shelves[low].level { bin } else { low };
            high = if shelves[bin].level > shelves[high].level { bin } else { high };
        }
        let others = || 0..shelves.len();
        let pairs =
            std::iter::once((high, low)).chain(others().map(|b| (high, b))).chain(others().map(|b| (b, low)));
        let change = pairs
            .filter(|&(from, to)| shelves[from].level > shelves[to].level + 1)
            .find_map(|(from, to)| shelves[from].closer(&shelves[to]).map(|change| (from, to, change)));
        let Some((from, to, (there, back))) = change else { break };
        let item = shelves[from].take(there);
        let returned = (back > 0).then(|| shelves[to].take(back));
        shelves[to].put(there, item);
        returned.into_iter().for_each(|item| shelves[from].put(back, item));
    }
    packed.levels = shelves.iter().map(|shelf| shelf.level).collect();
    packed.items = shelves.into_iter().map(Shelf::into_items).collect();
}

/// The items of a bin by size.
struct Shelf {
    level: u64,
    by_size: BTreeMap<u64, Vec<u32>>,
}

impl Shelf {
    fn new(items: &Items<'_>, list: &[u32]) -> Self {
        let mut shelf = Self { level: 0, by_size: BTreeMap::new() };
        list.iter().for_each(|&item| shelf.put(items.size(item), item));
        shelf
    }

    fn put(&mut self, size: u64, item: u32) {
        self.level += size;
        self.by_size.entry(size).or_default().push(item);
    }

    /// Takes an item of a size that is there.
    fn take(&mut self, size: u64) -> u32 {
        let list = self.by_size.entry(size).or_default();
        let item = list.pop().unwrap_or_default();
        if list.is_empty() {
            self.by_size.remove(&size);
        }
        self.level -= size;
        item
    }

    /// The sizes to give and to get back (0: nothing) that bring the levels of this bin and an emptier one closest together;
    /// `None` if nothing brings them closer.
    fn closer(&self, other: &Self) -> Option<(u64, u64)> {
        let apart = self.level - other.level;
        // Giving `moved` more than is got back leaves the bins |apart − 2 moved| apart.
        let left = |moved: u64| apart.abs_diff(2 * moved);
        let mut best: Option<(u64, (u64, u64))> = None;
        for &there in self.by_size.keys().filter(|&&size| size > 0) {
            // What is best got back is about so large.
            let wanted = there.saturating_sub(apart / 2);
            let below = other.by_size.range(..=wanted).next_back().map(|(&size, _)| size);
            let above = other.by_size.range(wanted..).next().map(|(&size, _)| size);
            for back in [Some(0), below, above].into_iter().flatten().filter(|&back| back < there) {
                let left = left(there - back);
                if left < apart && best.is_none_or(|(least, _)| left < least) {
                    best = Some((left, (there, back)));
                }
            }
        }
        best.map(|(_, change)| change)
    }

    fn into_items(self) -> Vec<u32> {
        self.by_size.into_values().flatten().collect()
    }
}
