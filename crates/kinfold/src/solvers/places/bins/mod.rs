//! Min-max bin covering (paper *geo*, section 4): items of given sizes go into bins, every bin must hold at
//! least k, and the fullest bin is to hold as little as possible. Items are labels with the people who have
//! them; bins are groups.
//!
//! Every way to pack takes sizes and k and gives [`Bins`]. The total must be at least k. Items are never
//! split, and none is left out but by those ways that are told how much may be.

mod best;
mod exact;
mod interval;
mod spread;

pub(crate) use best::best_of;
pub(crate) use exact::exact;
pub(crate) use interval::{intervals, intervals_leaving};

pub use best::best;
pub use spread::{fold, share_out, spread};

use crate::parts::random::Random;
use kinfold_model::cost::{even_share, most_groups};

/// Items to pack.
#[derive(Debug, Clone, Copy)]
pub struct Items<'a> {
    /// How much each takes.
    pub sizes: &'a [u64],
    /// The least that a bin must hold.
    pub k: u64,
}

impl Items<'_> {
    /// What all take together.
    pub fn total(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// What an item takes.
    pub fn size(&self, item: u32) -> u64 {
        self.sizes[item as usize]
    }

    /// All items in the order given.
    pub fn as_given(&self) -> Vec<u32> {
        (0..self.sizes.len() as u32).collect()
    }

    /// All items, the largest first; ties as given.
    pub fn by_falling_size(&self) -> Vec<u32> {
        let mut order = self.as_given();
        order.sort_by_key(|&item| std::cmp::Reverse(self.size(item)));
        order
    }

    /// All items, the smallest first; ties as given.
    pub fn by_rising_size(&self) -> Vec<u32> {
        let mut order = self.as_given();
        order.sort_by_key(|&item| self.size(item));
        order
    }

    /// All items in a random order, the same for the same seed.
    pub fn at_random(&self, seed: u64) -> Vec<u32> {
        let mut order = self.as_given();
        Random::new(seed).shuffle(&mut order);
        order
    }

    /// How many bins there can be at most: every bin holds an item of size k or more, or k in smaller ones.
    pub fn most_bins(&self) -> u64 {
        most_groups(self.sizes, self.k)
    }

    /// What the fullest bin holds at least, whatever the packing: k, the largest item, and the total shared
    /// out evenly among as many bins as there can be.
    pub fn bound(&self) -> u64 {
        even_share(self.sizes, self.k).max(self.k)
    }
}

/// Items in bins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bins {
    /// The items of every bin.
    pub items: Vec<Vec<u32>>,
    /// What every bin holds.
    pub levels: Vec<u64>,
    /// Items that are in no bin.
    pub left_out: Vec<u32>,
}

impl Bins {
    /// So many empty bins.
    pub fn empty(bins: usize) -> Self {
        Self { items: vec![Vec::new(); bins], levels: vec![0; bins], left_out: Vec::new() }
    }

    /// Puts an item into a bin.
    pub fn put(&mut self, items: &Items<'_>, item: u32, bin: usize) {
        self.items[bin].push(item);
        self.levels[bin] += items.size(item);
    }

    /// Adds a bin of these items.
    pub fn add_bin(&mut self, items: &Items<'_>, list: Vec<u32>) {
        self.levels.push(list.iter().map(|&item| items.size(item)).sum());
        self.items.push(list);
    }

    /// What the fullest bin holds.
    pub fn fullest(&self) -> u64 {
        self.levels.iter().copied().max().unwrap_or(0)
    }

    /// Whether every bin holds enough.
    pub fn covered(&self, k: u64) -> bool {
        !self.levels.is_empty() && self.levels.iter().all(|&level| level >= k)
    }

    /// The bin that holds least; the first of several.
    pub fn emptiest(&self) -> usize {
        (0..self.levels.len()).min_by_key(|&bin| self.levels[bin]).unwrap_or(0)
    }
}

/// Items of size k and more in bins of their own; the others in the order given, a bin after the other, each
/// filled until it holds k; and what is left over for a last bin, too little.
pub fn greedily(items: &Items<'_>, order: &[u32]) -> (Bins, Vec<u32>) {
    let mut bins = Bins::default();
    let (mut open, mut level) = (Vec::new(), 0);
    for &item in order {
        if items.size(item) >= items.k {
            bins.add_bin(items, vec![item]);
            continue;
        }
        open.push(item);
        level += items.size(item);
        if level >= items.k {
            bins.add_bin(items, std::mem::take(&mut open));
            level = 0;
        }
    }
    (bins, open)
}

#[cfg(test)]
mod tests;
