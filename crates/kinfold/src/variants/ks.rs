//! The values of k that are tried where nobody names one: one ladder, at several widths.

use std::ops::RangeInclusive;

/// The few that say most.
pub(super) const FEW: [u64; 5] = [2, 5, 10, 20, 50];

/// Those that people consider.
const USUAL: [u64; 20] =
    [2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000, 10_000];

/// All of which the answer is cheap at once.
pub(super) const ALL: RangeInclusive<u64> = 2..=100;

/// So many usual ones on each side of the k of a policy.
const ASIDE: usize = 3;

/// The highest of a curve that is drawn for no particular k.
const HIGHEST: u64 = 200;

/// The k of a policy and some usual ones below and above it, ascending.
pub(super) fn around(k: u64) -> Vec<u64> {
    let below = USUAL.iter().copied().filter(|&other| other < k).rev().take(ASIDE);
    let above = USUAL.iter().copied().filter(|&other| other > k).take(ASIDE);
    let mut ks: Vec<u64> = below.chain([k]).chain(above).collect();
    ks.sort_unstable();
    ks
}

/// The ks that a curve for a table of so many rows is drawn through, those that say most first.
pub fn curve(rows: usize) -> Vec<u64> {
    let rest = USUAL.into_iter().filter(|k| *k <= HIGHEST && !FEW.contains(k));
    FEW.into_iter().chain(rest).filter(|&k| k <= rows as u64 / 2).collect()
}

/// The ks to choose from for a table of so many rows, ascending: every small one, then wider steps.
pub fn choices(rows: usize) -> Vec<u64> {
    let wider = USUAL.into_iter().chain([25, 40]).filter(|&k| k > 20);
    let mut ks: Vec<u64> = (2..=20).chain(wider).filter(|&k| k <= (rows as u64 / 2).max(2)).collect();
    ks.sort_unstable();
    ks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ks_on_both_sides_are_asked() {
        assert_eq!(around(2), [2, 3, 5, 7]);
        assert_eq!(around(5), [2, 3, 5, 7, 10, 15]);
        assert_eq!(around(12), [5, 7, 10, 12, 15, 20, 30]);
        assert_eq!(around(60_000), [2_000, 5_000, 10_000, 60_000]);
    }

    #[test]
    fn small_tables_have_few_choices() {
        assert_eq!((choices(0), choices(9)), (vec![2], vec![2, 3, 4]));
        assert_eq!(choices(100)[17..], [19, 20, 25, 30, 40, 50]);
        assert_eq!((curve(3), curve(20)), (vec![], vec![2, 5, 10, 3, 7]));
    }
}
