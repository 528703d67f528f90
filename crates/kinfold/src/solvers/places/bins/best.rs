//! The best packing that is found quickly: items go one by one, the largest first, into the emptiest of a
//! number of bins, and then move and swap places between fuller and emptier bins as long as that evens them
//! out. Tried with ever fewer bins, and beside Spread in both orders (Fold is never better); the best counts,
//! and what meets the bound is taken at once.

use super::{Bins, Items, spread};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How many numbers of bins are tried, from the most that there can be downwards.
const TRIED: usize = 6;
/// Evening out ends after so many changes per bin.
const CHANGES: usize = 40;

/// A packing as even as it gets in little time.
pub fn best(items: &Items<'_>) -> Bins {
    best_of(items, &items.by_falling_size())
}

/// The same, for who has the items by falling size already.
pub(crate) fn best_of(items: &Items<'_>, falling: &[u32]) -> Bins {
    let (bound, total) = (items.bound(), items.total());
    let mut best = spread(items, falling);
    if best.fullest() > bound {
        best = better(items, best, spread(items, &items.as_given()));
    }
    for bins in (1..=items.most_bins()).rev().take(TRIED) {
        if best.fullest() <= bound.max(total.div_ceil(bins)) {
            break;
        }
        let mut packed = largest_first(items, falling, bins as usize);
        even_out(items, &mut packed);
        best = better(items, best, packed);
    }
    best
}

/// The other packing if it is one and its fullest bin holds less.
fn better(items: &Items<'_>, best: Bins, other: Bins) -> Bins {
    if other.covered(items.k) && other.fullest() < best.fullest() { other } else { best }
}

/// Each item, the largest first, into the bin that is emptiest by then (Graham's longest processing time
/// rule).
fn largest_first(items: &Items<'_>, falling: &[u32], bins: usize) -> Bins {
    let mut packed = Bins::empty(bins);
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = (0..bins).map(|bin| Reverse((0, bin))).collect();
    for &item in falling {
        if let Some(mut emptiest) = heap.peek_mut() {
            let bin = emptiest.0.1;
            packed.put(items, item, bin);
            emptiest.0.0 = packed.levels[bin];
        }
    }
    packed
}

/// Moves items from fuller to emptier bins, or swaps two, while some pair of bins becomes more even: the
/// fullest bin with any other, or the emptiest with any other. Ends where so many bins cannot be packed
/// better.
fn even_out(items: &Items<'_>, packed: &mut Bins) {
    let mut shelves: Vec<Shelf> = packed.items.iter().map(|list| Shelf::new(items, list)).collect();
    let goal = items.bound().max(items.total().div_ceil(shelves.len() as u64));
    for _ in 0..CHANGES * shelves.len() {
        let (mut low, mut high) = (0, 0);
        for bin in 1..shelves.len() {
            low = if shelves[bin].level < shelves[low].level { bin } else { low };
            high = if shelves[bin].level > shelves[high].level { bin } else { high };
        }
        if shelves[high].level <= goal && shelves[low].level >= items.k {
            break;
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
        // Items of a size follow each other.
        for same in list.chunk_by(|&a, &b| items.size(a) == items.size(b)) {
            let size = items.size(same[0]);
            shelf.level += size * same.len() as u64;
            shelf.by_size.entry(size).or_default().extend_from_slice(same);
        }
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

    /// The sizes to give and to get back (0: nothing) that bring the levels of this bin and an emptier one
    /// closest together; `None` if nothing brings them closer.
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
