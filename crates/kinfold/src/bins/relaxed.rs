//! The relaxed scheme (paper *geo*, Theorem 9): large items are rounded to few sizes, all ways to pack those are tried, and small
//! items fill the emptiest bins. Bins may fall short of k by 2ε there; so it is run with a k that is larger by as much, and no bin
//! holds less than the k that was asked for.
//!
//! With ε a constant the ways are polynomially many, and still far too many for more than a dozen large items.

use super::{Bins, Items, fold};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What ε can be, in per cent.
pub(crate) const EPSILONS: [u64; 3] = [20, 10, 30];
/// Ways to pack that are tried at most.
const WAYS: usize = 50_000;

/// The k to run with, so that bins that fall short by 2ε still hold k.
pub(crate) fn stricter_k(k: u64, percent: u64) -> u64 {
    (100 * k).div_ceil(100 - 2 * percent)
}

/// A packing whose fullest bin holds at most (1 + ε)(best for the stricter k + ε of it). `None` if there are too few people for that k,
/// or too many ways.
pub(crate) fn relaxed(items: &Items<'_>, percent: u64) -> Option<Bins> {
    let k = stricter_k(items.k, percent);
    let strict = Items { sizes: items.sizes, k };
    if strict.total() < k {
        return None;
    }
    let (oversize, nominal): (Vec<u32>, Vec<u32>) =
        items.as_given().into_iter().partition(|&item| items.size(item) >= k);
    if nominal.iter().map(|&item| items.size(item)).sum::<u64>() >= k
        && oversize.iter().any(|&item| items.size(item) >= 3 * k)
    {
        // No bin can be as full as that item alone but by bad luck, and Fold has none.
        return Some(fold(&strict, &items.by_falling_size()));
    }
    let epsilon = percent as f64 / 100.0;
    let least = epsilon * k as f64;
    // Large items by rounded size, the largest first; each class holds its items.
    let mut classes: Vec<(f64, Vec<u32>)> = Vec::new();
    let mut small = Vec::new();
    for item in items.by_falling_size() {
        let size = items.size(item) as f64;
        if size < least {
            small.push(item);
            continue;
        }
        let mut rounded = least;
        while rounded * (1.0 + epsilon) <= size {
            rounded *= 1.0 + epsilon;
        }
        match classes.last_mut() {
            Some((class, list)) if *class == rounded => list.push(item),
            _ => classes.push((rounded, vec![item])),
        }
    }
    let most = (strict.total() as f64 / ((1.0 - 2.0 * epsilon) * k as f64)) as usize;
    let mut ways = Ways {
        items: &strict,
        sizes: classes.iter().map(|(size, _)| *size).collect(),
        left: classes.iter().map(|(_, list)| list.len()).collect(),
        small: &small,
        fill_to: (1.0 - epsilon) * k as f64,
        most_bins: most.max(1),
        bins: Vec::new(),
        tried: 0,
        best: None,
    };
    if !ways.next_bin() {
        return None;
    }
    let (_, large, fillings) = ways.best?;
    let mut bins = Bins::empty(large.len());
    for (bin, counts) in large.iter().enumerate() {
        for (class, &count) in counts.iter().enumerate() {
            (0..count).filter_map(|_| classes[class].1.pop()).for_each(|item| bins.put(items, item, bin));
        }
    }
    small.iter().zip(fillings).for_each(|(&item, bin)| bins.put(items, item, bin));
    bins.covered(items.k).then_some(bins)
}

struct Ways<'a> {
    items: &'a Items<'a>,
    /// The rounded sizes, falling, and how many items of each are not packed.
    sizes: Vec<f64>,
    left: Vec<usize>,
    small: &'a [u32],
    fill_to: f64,
    most_bins: usize,
    /// How many items of each size are in every bin.
    bins: Vec<Vec<usize>>,
    tried: usize,
    /// The fullest bin, the bins with large items, and the bin of every small one.
    best: Option<(f64, Vec<Vec<usize>>, Vec<usize>)>,
}

impl Ways<'_> {
    /// Tries all ways to go on; false if there are too many.
    fn next_bin(&mut self) -> bool {
        let Some(first) = self.left.iter().position(|&left| left > 0) else { return self.complete() };
        if self.bins.len() == self.most_bins {
            return true;
        }
        // The largest item that is left opens the bin, so each way is met once but for bins that are alike.
        self.left[first] -= 1;
        let mut counts = vec![0; self.sizes.len()];
        counts[first] = 1;
        let ok = self.fill(counts, first, self.sizes[first]);
        self.left[first] += 1;
        ok
    }

    /// Tries all ways to fill an open bin with items of this size or smaller.
    fn fill(&mut self, counts: Vec<usize>, from: usize, level: f64) -> bool {
        for class in from..self.sizes.len() {
            if self.left[class] > 0 && level + self.sizes[class] <= 3.0 * self.items.k as f64 {
                let mut more = counts.clone();
                more[class] += 1;
                self.left[class] -= 1;
                let ok = self.fill(more, class, level + self.sizes[class]);
                self.left[class] += 1;
                if !ok {
                    return false;
                }
            }
        }
        // Bins that open alike come in falling order.
        let opens = |counts: &[usize]| counts.iter().position(|&count| count > 0);
        let out_of_order =
            self.bins.last().is_some_and(|last| opens(last) == opens(&counts) && *last < counts);
        if out_of_order {
            return true;
        }
        self.bins.push(counts);
        let ok = self.next_bin();
        self.bins.pop();
        ok
    }

    /// Fills up with small items, for every number of further bins.
    fn complete(&mut self) -> bool {
        let levels: Vec<f64> = self
            .bins
            .iter()
            .map(|counts| counts.iter().zip(&self.sizes).map(|(&count, size)| count as f64 * size).sum())
            .collect();
        let small: u64 = self.small.iter().map(|&item| self.items.size(item)).sum();
        for bins in levels.len().max(1)..=self.most_bins {
            self.tried += 1;
            if self.tried > WAYS {
                return false;
            }
            let level = |bin: usize| levels.get(bin).copied().unwrap_or(0.0);
            let gap: f64 = (0..bins).map(|bin| (self.fill_to - level(bin)).max(0.0)).sum();
            if gap > small as f64 {
                break;
            }
            // Levels are positive, so their bits sort as they do.
            let mut heap: BinaryHeap<Reverse<(u64, usize)>> =
                (0..bins).map(|bin| Reverse((level(bin).to_bits(), bin))).collect();
            let mut fillings = Vec::with_capacity(self.small.len());
            for &item in self.small {
                if let Some(Reverse((bits, bin))) = heap.pop() {
                    fillings.push(bin);
                    let level = f64::from_bits(bits) + self.items.size(item) as f64;
                    heap.push(Reverse((level.to_bits(), bin)));
                }
            }
            let fullest = heap.iter().map(|Reverse((bits, _))| f64::from_bits(*bits)).fold(0.0, f64::max);
            if self.best.as_ref().is_none_or(|(least, _, _)| fullest < *least) {
                let mut large = self.bins.clone();
                large.resize(bins, vec![0; self.sizes.len()]);
                self.best = Some((fullest, large, fillings));
            }
        }
        true
    }
}
