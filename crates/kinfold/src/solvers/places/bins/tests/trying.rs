//! What tests of packings share, here and in the crate of the papers' methods.

use super::{Bins, Items, Random};

/// The fullest bin of the best packing, by trying all.
pub fn brute_force(items: &Items<'_>) -> u64 {
    brute_force_leaving(items, 0)
}

/// The same, where so much may be left out.
pub fn brute_force_leaving(items: &Items<'_>, spare: u64) -> u64 {
    fn go(items: &Items<'_>, at: usize, spare: u64, levels: &mut Vec<u64>, best: &mut u64) {
        if levels.iter().any(|level| level >= best) {
            return;
        }
        let Some(&size) = items.sizes.get(at) else {
            if !levels.is_empty() && levels.iter().all(|&level| level >= items.k) {
                *best = levels.iter().copied().max().unwrap_or(0).min(*best);
            }
            return;
        };
        for bin in 0..levels.len() {
            levels[bin] += size;
            go(items, at + 1, spare, levels, best);
            levels[bin] -= size;
        }
        levels.push(size);
        go(items, at + 1, spare, levels, best);
        levels.pop();
        if size <= spare && spare > 0 {
            go(items, at + 1, spare - size, levels, best);
        }
    }
    let mut best = u64::MAX;
    go(items, 0, spare, &mut Vec::new(), &mut best);
    best
}

/// Every item is in one bin, and every bin holds enough; what the fullest holds.
pub fn check(items: &Items<'_>, bins: &Bins, what: &str) -> u64 {
    let mut seen: Vec<u32> = bins.items.iter().chain([&bins.left_out]).flatten().copied().collect();
    seen.sort_unstable();
    assert_eq!(seen, items.as_given(), "{what}: every item once");
    for (list, &level) in bins.items.iter().zip(&bins.levels) {
        assert_eq!(list.iter().map(|&item| items.size(item)).sum::<u64>(), level, "{what}");
    }
    assert!(bins.covered(items.k), "{what}: {:?} with k = {}", items.sizes, items.k);
    bins.fullest()
}

/// Sizes and a k.
pub fn random_sizes(random: &mut Random) -> (Vec<u64>, u64) {
    let k = 2 + random.below(14) as u64;
    // Around a half and around all of k is where the cases of the theorems part.
    let most = [k / 2 + 1, k, k + 2, 3 * k][random.below(4)] as usize;
    let sizes: Vec<u64> = (0..2 + random.below(7)).map(|_| random.below(most + 1) as u64).collect();
    (sizes, k)
}
