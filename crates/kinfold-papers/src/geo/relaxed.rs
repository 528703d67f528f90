//! The relaxed scheme (paper *geo*, Theorem 9): large items are rounded to few sizes, all ways to pack those
//! are tried, and small items fill the emptiest bins. Bins may fall short of k by 2ε there; so it is run with
//! a k that is larger by as much, and no bin holds less than the k that was asked for.
//!
//! With ε a constant the ways are polynomially many, and still far too many for more than a dozen large
//! items.

use kinfold::toolkit::{Bins, Items, fold};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What ε can be, in per cent.
pub(crate) const EPSILONS: [u64; 3] = [20, 10, 30];
/// Bins of large items that are tried at most.
const STEPS: usize = 200_000;
/// Small items that are placed to see how a way turns out, before only ways that promise more than all others
/// are looked at.
const PLACED: usize = 4_000_000;

/// More large items than that are not tried.
const DEEPEST: usize = 1_000;

/// Why there is no packing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// There are fewer people than the stricter k.
    TooFew,
    /// So many items are large, and there are too many ways to pack them.
    TooMany(usize),
    /// There was no time.
    NoTime,
}

/// The k to run with, so that bins that fall short by 2ε still hold k.
pub(crate) fn stricter_k(k: u64, percent: u64) -> u64 {
    (100 * k).div_ceil(100 - 2 * percent)
}

/// Whether [`relaxed`] can be had: the ways are counted, and nothing is packed.
pub(crate) fn relaxed_can(items: &Items<'_>, percent: u64) -> Result<(), Refused> {
    Scheme::new(items, percent)?.search(&mut |_| true).map(drop)
}

/// A packing whose fullest bin holds at most (1 + ε)(best for the stricter k + ε of it). `go_on` is asked for
/// every step.
pub(crate) fn relaxed(
    items: &Items<'_>,
    percent: u64,
    mut go_on: impl FnMut() -> bool,
) -> Result<Bins, Refused> {
    let scheme = Scheme::new(items, percent)?;
    let strict = Items { sizes: items.sizes, k: scheme.k };
    if scheme.like_fold {
        return Ok(fold(&strict, &items.by_falling_size()));
    }
    let (mut best, mut lowest, mut placed) = (None::<(f64, Way, Vec<usize>)>, f64::INFINITY, 0);
    // Less than one person, or than what the promise leaves room for, is not worth another look.
    let worth = scheme.least.min(1.0);
    scheme.search(&mut |step| {
        let Some(way) = step else { return go_on() };
        let hopeful = placed < PLACED && best.as_ref().is_none_or(|(least, ..)| way.bound + worth <= *least);
        // The way of the lowest bound keeps the promise, however its small items fall.
        if hopeful || way.bound < lowest {
            lowest = lowest.min(way.bound);
            placed += scheme.small.len();
            let (fullest, fillings) = way.filled(items, &scheme.small);
            if best.as_ref().is_none_or(|(least, ..)| fullest < *least) {
                best = Some((fullest, way, fillings));
            }
            return go_on();
        }
        true
    })?;
    let (_, way, fillings) = best.ok_or(Refused::NoTime)?;
    let mut bins = Bins::empty(way.bins);
    let mut classes = scheme.classes;
    for (bin, counts) in way.large.iter().enumerate() {
        for (class, &count) in counts.iter().enumerate() {
            (0..count).filter_map(|_| classes[class].1.pop()).for_each(|item| bins.put(items, item, bin));
        }
    }
    scheme.small.iter().zip(fillings).for_each(|(&item, bin)| bins.put(items, item, bin));
    Ok(bins)
}

/// A way to pack the large items, and in how many bins all are to go: as many as can be filled.
struct Way {
    /// How many items of each class are in every bin.
    large: Vec<Vec<usize>>,
    levels: Vec<f64>,
    bins: usize,
    /// What the fullest bin holds at least, and at most ε k more.
    bound: f64,
}

impl Way {
    /// Small items, the largest first, into the emptiest bins: the fullest bin, and the bin of each.
    fn filled(&self, items: &Items<'_>, small: &[u32]) -> (f64, Vec<usize>) {
        let level = |bin: usize| self.levels.get(bin).copied().unwrap_or(0.0);
        // Levels are positive, so their bits sort as they do.
        let mut heap: BinaryHeap<Reverse<(u64, usize)>> =
            (0..self.bins).map(|bin| Reverse((level(bin).to_bits(), bin))).collect();
        let mut fillings = Vec::with_capacity(small.len());
        for &item in small {
            if let Some(mut emptiest) = heap.peek_mut() {
                fillings.push(emptiest.0.1);
                emptiest.0.0 = (f64::from_bits(emptiest.0.0) + items.size(item) as f64).to_bits();
            }
        }
        (heap.iter().map(|Reverse((bits, _))| f64::from_bits(*bits)).fold(0.0, f64::max), fillings)
    }
}

/// Items by what the scheme does with them.
struct Scheme {
    k: u64,
    /// Whether an item is so large that Fold is as good.
    like_fold: bool,
    /// What a large item takes at least.
    least: f64,
    fill_to: f64,
    most_bins: usize,
    /// Large items by rounded size, the largest first; each class holds its items.
    classes: Vec<(f64, Vec<u32>)>,
    small: Vec<u32>,
    /// What the small items take together.
    sand: f64,
}

impl Scheme {
    fn new(items: &Items<'_>, percent: u64) -> Result<Self, Refused> {
        let (k, total) = (stricter_k(items.k, percent), items.total());
        if total < k {
            return Err(Refused::TooFew);
        }
        let nominal: u64 = items.sizes.iter().filter(|&&size| size < k).sum();
        let epsilon = percent as f64 / 100.0;
        let least = epsilon * k as f64;
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
        let most = (total as f64 / ((1.0 - 2.0 * epsilon) * k as f64)) as usize;
        Ok(Self {
            k,
            // No bin can be as full as that item alone but by bad luck, and Fold has none.
            like_fold: nominal >= k && items.sizes.iter().any(|&size| size >= 3 * k),
            least,
            fill_to: (1.0 - epsilon) * k as f64,
            most_bins: most.max(1),
            sand: small.iter().map(|&item| items.size(item)).sum::<u64>() as f64,
            classes,
            small,
        })
    }

    /// Tells of every way to pack the large items that small ones can fill up, and of every step in between.
    fn search(&self, tell: &mut dyn FnMut(Option<Way>) -> bool) -> Result<(), Refused> {
        let large = self.classes.iter().map(|(_, list)| list.len()).sum();
        if self.like_fold {
            return Ok(());
        }
        // Every bin is a level of recursion.
        if large > DEEPEST {
            return Err(Refused::TooMany(large));
        }
        let left = self.classes.iter().map(|(_, list)| list.len()).collect();
        let ended = SchemeSearch { scheme: self, left, bins: Vec::new(), levels: Vec::new(), steps: 0, tell }
            .bin(0.0);
        ended.map_err(|why| if why == Refused::NoTime { why } else { Refused::TooMany(large) })
    }
}

struct SchemeSearch<'a> {
    scheme: &'a Scheme,
    /// How many items of each class are not packed.
    left: Vec<usize>,
    /// How many items of each class are in every bin, and what those take.
    bins: Vec<Vec<usize>>,
    levels: Vec<f64>,
    steps: usize,
    tell: &'a mut dyn FnMut(Option<Way>) -> bool,
}

impl SchemeSearch<'_> {
    /// Tries all ways to go on from bins that lack so much.
    fn bin(&mut self, lack: f64) -> Result<(), Refused> {
        let Some(first) = self.left.iter().position(|&left| left > 0) else { return self.found(lack) };
        if self.bins.len() == self.scheme.most_bins {
            return Ok(());
        }
        // The largest item that is left opens the bin, so each way is met once but for bins that are alike.
        self.left[first] -= 1;
        let mut counts = vec![0; self.left.len()];
        counts[first] = 1;
        let ended = self.fill(counts, first, [self.scheme.classes[first].0, 0.0], lack);
        self.left[first] += 1;
        ended
    }

    /// Tries all ways to fill an open bin with items of this class or smaller. `level` is that of its first
    /// item and that of the rest.
    fn fill(&mut self, counts: Vec<usize>, from: usize, level: [f64; 2], lack: f64) -> Result<(), Refused> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Refused::TooMany(0));
        }
        if !(self.tell)(None) {
            return Err(Refused::NoTime);
        }
        let ([opening, rest], k) = (level, self.scheme.k as f64);
        for class in from..self.left.len() {
            let more = rest + self.scheme.classes[class].0;
            // What is fuller can be parted into two bins.
            if self.left[class] > 0 && (opening + more <= 3.0 * k || more < k) {
                let mut counts = counts.clone();
                counts[class] += 1;
                self.left[class] -= 1;
                let ended = self.fill(counts, class, [opening, more], lack);
                self.left[class] += 1;
                ended?;
            }
        }
        // Bins that open alike come in falling order, and small items must be able to fill them all.
        let opens = |counts: &[usize]| counts.iter().position(|&count| count > 0);
        let out_of_order =
            self.bins.last().is_some_and(|last| opens(last) == opens(&counts) && *last < counts);
        let lack = lack + (self.scheme.fill_to - opening - rest).max(0.0);
        if out_of_order || lack > self.scheme.sand {
            return Ok(());
        }
        self.bins.push(counts);
        self.levels.push(opening + rest);
        let ended = self.bin(lack);
        self.bins.pop();
        self.levels.pop();
        ended
    }

    /// All large items are packed: more bins make all of them emptier, so there are as many as small items
    /// can fill.
    fn found(&mut self, lack: f64) -> Result<(), Refused> {
        let further = ((self.scheme.sand - lack) / self.scheme.fill_to) as usize;
        let bins = (self.levels.len() + further).clamp(1, self.scheme.most_bins);
        let even = (self.levels.iter().sum::<f64>() + self.scheme.sand) / bins as f64;
        let bound = self.levels.iter().copied().fold(even, f64::max);
        let way = Way { large: self.bins.clone(), levels: self.levels.clone(), bins, bound };
        if (self.tell)(Some(way)) { Ok(()) } else { Err(Refused::NoTime) }
    }
}
