//! At most 5/2 of the best (paper *geo*, Theorem 8): greedily by falling size, and then by cases.
//!
//! Sizes below are relative to k. If the last bin is too empty and at least three are full, its items, each
//! at most a half, are parted into three sets of at most a half each (Lemmas 6 and 7), for three bins. If its
//! largest item f is more than a half, every bin before it holds two such large items: either the largest of
//! all can change places with f, or no packing has a bin with just one large item, so some bin of the best
//! has three, or one beside an item of 1 and more, and Fold, which stays below 3, is good enough.
//!
//! The paper searches exhaustively where fewer than three bins are full. That is not needed, for Fold is good
//! enough there, too. Let S be the total, l < 1 what is left over, and a ≤ b < 2 the full bins; Fold makes a + l of the emptier one.
//! - Beside an item of size 1 ≤ x: if x ≤ 3/2, Fold makes at most x + l < 5/2 of the emptiest bin; else the
//!   best is above 3/2, and Fold below 3.
//! - Two full bins: a + l ≤ (S + l) / 2. There are at most four bins, as S < 5. With four, S ≥ 4, and the
//!   best is at least S / 4: the factor is at most 2 + 2 l / S < 5/2. With three it is at most (3 + 3 l / S)
//!   / 2 < 2, with two (1 + l / S) < 3/2.
//! - One full bin: S < 3, so there are at most two bins, and one of them holds S / 2 of the S that Fold
//!   makes.

use kinfold::toolkit::{Bins, Items, fold, greedily, share_out};

/// How the left-over was dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Case {
    /// Nothing is left over.
    Even,
    /// Small items fill no bin: they are shared out among large ones.
    NoneFull,
    /// Fewer than three bins are full: Fold.
    FewFull,
    /// Case 1: three parts for three bins.
    ThreeParts,
    /// Case 2.1: the largest item changes places with f.
    Exchange,
    /// Case 2.2: Fold.
    ThreeLarge,
}

/// The fullest bin holds at most 5/2 of what that of the best packing does.
pub(crate) fn five_halves(items: &Items<'_>) -> Bins {
    by_case(items).1
}

pub(super) fn by_case(items: &Items<'_>) -> (Case, Bins) {
    let order = items.by_falling_size();
    let (mut bins, left) = greedily(items, &order);
    if left.is_empty() {
        return (Case::Even, bins);
    }
    let small = bins.levels.len() - items.sizes.iter().filter(|&&size| size >= items.k).count();
    if small == 0 {
        // All small items together fill no bin: they join the large ones, if there are any.
        if bins.levels.is_empty() {
            bins.add_bin(items, left);
        } else {
            share_out(items, &mut bins, &left);
        }
        return (Case::NoneFull, bins);
    }
    if small < 3 {
        return (Case::FewFull, fold(items, &order));
    }
    // The first small bin starts with the largest item below k.
    let first = bins.levels.len() - small;
    let f = items.size(left[0]);
    if 2 * f <= items.k {
        let mut emptiest: Vec<usize> = (first..bins.levels.len()).collect();
        emptiest.sort_by_key(|&bin| bins.levels[bin]);
        for (part, &bin) in three_parts(items, &left).into_iter().zip(&emptiest) {
            part.into_iter().for_each(|item| bins.put(items, item, bin));
        }
        return (Case::ThreeParts, bins);
    }
    let rest: u64 = left[1..].iter().map(|&item| items.size(item)).sum();
    let largest = bins.items[first][0];
    if items.size(largest) + rest >= items.k {
        let mut last = left.clone();
        last[0] = largest;
        bins.items[first][0] = left[0];
        bins.levels[first] -= items.size(largest) - f;
        bins.add_bin(items, last);
        return (Case::Exchange, bins);
    }
    (Case::ThreeLarge, fold(items, &order))
}

/// Three parts of at most half of k each, of items that are at most half of k and together less than k, by
/// falling size.
fn three_parts(items: &Items<'_>, left: &[u32]) -> [Vec<u32>; 3] {
    let (first, others) = left.split_at(1);
    let largest: u64 = first.iter().map(|&item| items.size(item)).sum();
    let sum: u64 = others.iter().map(|&item| items.size(item)).sum();
    // Lemma 6: partial sums are at most the largest item apart, so one of them is at most half of it off the
    // middle.
    let mut level = 0;
    let cut = others.iter().take_while(|&&item| {
        let below = 2 * level + largest < sum;
        level += items.size(item);
        below
    });
    let (second, third) = others.split_at(cut.count());
    [first.to_vec(), second.to_vec(), third.to_vec()]
}
