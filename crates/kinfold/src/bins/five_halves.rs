//! At most 5/2 of the best (paper *geo*, Theorem 8): greedily by falling size, and then by cases.
//!
//! Sizes below are relative to k. If the last bin is too empty and at least three are full, its items, each at most a half, are parted into three
//! sets of at most a half each (Lemmas 6 and 7), for three bins. If its largest item f is more than a half, every bin before
//! it holds two such large items: either the largest of all can change places with f, or no packing has a bin with just one
//! large item, so some bin of the best has three, and Fold is good enough. With fewer than three full bins, whoever is within 5/2 of the bound
//! is searched for.

use super::exact::{Answer, within};
use super::spread::share_out;
use super::{Bins, Items, fold, greedily};

/// The fullest bin holds at most 5/2 of what that of the best packing does.
pub(crate) fn five_halves(items: &Items<'_>) -> Bins {
    let order = items.by_falling_size();
    let (mut bins, left) = greedily(items, &order);
    if left.is_empty() {
        return bins;
    }
    let small = bins.levels.len() - items.sizes.iter().filter(|&&size| size >= items.k).count();
    if small == 0 {
        // All small items together fill no bin: they join the large ones, if there are any.
        if bins.levels.is_empty() {
            bins.add_bin(items, left);
        } else {
            share_out(items, &mut bins, &left);
        }
        return bins;
    }
    if small < 3 {
        // Any packing within this is good enough; there is one, unless the best is worse still.
        let good = |limit: u64| match within(items, limit, &mut || true) {
            Answer::Found(bins) => Some(bins),
            _ => None,
        };
        let folded = fold(items, &order);
        let enough = items.bound() * 5 / 2;
        if folded.fullest() <= enough {
            return folded;
        }
        return good(enough).or_else(|| best_within(items, enough, folded.fullest())).unwrap_or(folded);
    }
    let f = items.size(left[0]);
    if 2 * f <= items.k {
        let mut emptiest: Vec<usize> = (bins.levels.len() - small..bins.levels.len()).collect();
        emptiest.sort_by_key(|&bin| bins.levels[bin]);
        for (part, &bin) in three_parts(items, &left).into_iter().zip(&emptiest) {
            part.into_iter().for_each(|item| bins.put(items, item, bin));
        }
        return bins;
    }
    let rest: u64 = left[1..].iter().map(|&item| items.size(item)).sum();
    // The first small bin starts with the largest item below k.
    let first = bins.levels.len() - small;
    let largest = bins.items[first][0];
    if items.size(largest) + rest >= items.k {
        let mut last = left.clone();
        last[0] = largest;
        bins.items[first][0] = left[0];
        bins.levels[first] -= items.size(largest) - f;
        bins.add_bin(items, last);
        return bins;
    }
    fold(items, &order)
}

/// The best packing whose fullest bin holds more than `above` and less than `below`, by halving.
fn best_within(items: &Items<'_>, above: u64, below: u64) -> Option<Bins> {
    let (mut low, mut high) = (above + 1, below);
    let mut best = None;
    while low < high {
        let middle = low + (high - low) / 2;
        match within(items, middle, &mut || true) {
            Answer::Found(bins) => {
                high = bins.fullest();
                best = Some(bins);
            }
            _ => low = middle + 1,
        }
    }
    best
}

/// Three parts of at most half of k each, of items that are at most half of k and together less than k, by falling size.
fn three_parts(items: &Items<'_>, left: &[u32]) -> [Vec<u32>; 3] {
    let (first, others) = left.split_at(1);
    let largest: u64 = first.iter().map(|&item| items.size(item)).sum();
    let sum: u64 = others.iter().map(|&item| items.size(item)).sum();
    // Lemma 6: partial sums are at most the largest item apart, so one of them is at most half of it off the middle.
    let mut level = 0;
    let cut = others.iter().take_while(|&&item| {
        let below = 2 * level + largest < sum;
        level += items.size(item);
        below
    });
    let (second, third) = others.split_at(cut.count());
    [first.to_vec(), second.to_vec(), third.to_vec()]
}
