//! Every way to pack against trying all packings of tiny tables.

use super::*;
use crate::parts::random::Random;

/// The fullest bin of the best packing, by trying all.
fn brute_force(items: &Items<'_>) -> u64 {
    fn go(items: &Items<'_>, at: usize, levels: &mut Vec<u64>, best: &mut u64) {
        let Some(&size) = items.sizes.get(at) else {
            if levels.iter().all(|&level| level >= items.k) {
                *best = levels.iter().copied().max().unwrap_or(0).min(*best);
            }
            return;
        };
        for bin in 0..levels.len() {
            levels[bin] += size;
            go(items, at + 1, levels, best);
            levels[bin] -= size;
        }
        levels.push(size);
        go(items, at + 1, levels, best);
        levels.pop();
    }
    let mut best = u64::MAX;
    go(items, 0, &mut Vec::new(), &mut best);
    best
}

fn check(items: &Items<'_>, bins: &Bins, what: &str) -> u64 {
    let mut seen: Vec<u32> = bins.items.concat();
    seen.sort_unstable();
    assert_eq!(seen, items.as_given(), "{what}: every item once");
    for (list, &level) in bins.items.iter().zip(&bins.levels) {
        assert_eq!(list.iter().map(|&item| items.size(item)).sum::<u64>(), level, "{what}");
    }
    assert!(bins.covered(items.k), "{what}: {:?} with k = {}", items.sizes, items.k);
    bins.fullest()
}

fn random_sizes(random: &mut Random) -> (Vec<u64>, u64) {
    let k = 2 + random.below(14) as u64;
    // Around a half and around all of k is where the cases of the theorems part.
    let most = [k / 2 + 1, k, k + 2, 3 * k][random.below(4)] as usize;
    let sizes: Vec<u64> = (0..2 + random.below(7)).map(|_| random.below(most + 1) as u64).collect();
    (sizes, k)
}

#[test]
fn packings_keep_their_promises_against_brute_force() {
    let mut random = Random::new(7);
    let (mut tried, mut worst, mut relaxed_tried) = (0, 0.0f64, 0);
    while tried < 3_000 {
        let (sizes, k) = random_sizes(&mut random);
        let items = Items { sizes: &sizes, k };
        if items.total() < k {
            continue;
        }
        tried += 1;
        let optimum = brute_force(&items);
        assert!(items.bound() <= optimum, "{sizes:?} {k}");
        let largest = sizes.iter().copied().max().unwrap_or(0);
        for order in [items.as_given(), items.by_falling_size()] {
            let folded = check(&items, &fold(&items, &order), "fold");
            assert!(folded <= (k - 1 + largest).max(3 * k - 3), "Theorem 5: {sizes:?} {k}");
            let shared = check(&items, &spread(&items, &order), "spread");
            assert!(shared <= folded, "Spread is never worse than Fold: {sizes:?} {k}");
        }
        let halves = check(&items, &five_halves(&items), "five halves");
        assert!(2 * halves <= 5 * optimum, "Theorem 8: {sizes:?} {k}: {halves} against {optimum}");
        worst = worst.max(halves as f64 / optimum as f64);
        let quick = check(&items, &best(&items), "best");
        assert!(quick >= optimum);
        let proven = exact(&items, || true);
        assert_eq!((check(&items, &proven.bins, "exact"), proven.bound), (optimum, optimum), "{sizes:?} {k}");
        for percent in EPSILONS {
            let strict = Items { sizes: &sizes, k: stricter_k(k, percent) };
            let packed = relaxed(&items, percent, || true);
            assert_eq!(relaxed_can(&items, percent), packed.as_ref().map(|_| ()).map_err(|&why| why));
            assert_eq!(packed.is_err(), items.total() < strict.k, "{sizes:?} {k} {percent}");
            if let Ok(bins) = packed {
                let fullest = check(&items, &bins, "relaxed") as f64;
                let epsilon = percent as f64 / 100.0;
                let limit = (1.0 + epsilon) * (brute_force(&strict) as f64 + epsilon * strict.k as f64);
                assert!(fullest <= limit + 1e-6, "Theorem 9: {sizes:?} {k} {percent}: {fullest} > {limit}");
                relaxed_tried += 1;
            }
        }
    }
    assert!(worst > 1.2, "the tables are too easy: {worst}");
    assert!(relaxed_tried > 3_000, "{relaxed_tried}");
}

#[test]
fn intervals_are_the_best_runs() {
    let mut random = Random::new(11);
    for _ in 0..2_000 {
        let (sizes, k) = random_sizes(&mut random);
        let items = Items { sizes: &sizes, k };
        if items.total() < k {
            continue;
        }
        let bins = intervals(&items);
        let fullest = check(&items, &bins, "intervals");
        for list in &bins.items {
            assert!(list.windows(2).all(|pair| pair[1] == pair[0] + 1), "runs");
        }
        // All ways to cut the order.
        let best = (0..1u32 << (sizes.len() - 1))
            .filter_map(|cuts| {
                let (mut levels, mut level) = (Vec::new(), 0);
                for (at, size) in sizes.iter().enumerate() {
                    level += size;
                    if at + 1 == sizes.len() || cuts >> at & 1 == 1 {
                        levels.push(std::mem::take(&mut level));
                    }
                }
                levels.iter().all(|&l| l >= k).then(|| levels.iter().copied().max().unwrap_or(0))
            })
            .min();
        assert_eq!(Some(fullest), best, "{sizes:?} {k}");
    }
}

#[test]
fn many_small_items_are_shared_out_evenly() {
    let mut random = Random::new(3);
    // Sizes like those of names: few common ones, many rare ones.
    let sizes: Vec<u64> = (1..5_000u64).map(|rank| 1 + 20_000 / rank + random.below(3) as u64).collect();
    for k in [20_000, 23_456, 30_011, 70_001] {
        let items = Items { sizes: &sizes, k };
        let fullest = check(&items, &best(&items), "best");
        assert!(fullest * 100 <= items.bound() * 101, "{fullest} against {} at k = {k}", items.bound());
    }
}

#[test]
fn the_relaxed_scheme_counts_before_it_packs() {
    let mut random = Random::new(5);
    // A dozen common names among very many rare ones, some of nobody.
    let sizes: Vec<u64> =
        (1..50_000u64).map(|rank| (3_000 / rank).max(u64::from(random.below(4) == 0))).collect();
    let items = Items { sizes: &sizes, k: 3_000 };
    let mut steps = 0;
    let packed = relaxed(&items, 10, || {
        steps += 1;
        true
    });
    let fullest = check(&items, &packed.unwrap(), "relaxed");
    assert!(fullest <= 2 * stricter_k(3_000, 10), "{fullest}");
    assert!(steps > 10);
    assert_eq!(relaxed(&items, 10, || false), Err(Refused::NoTime));

    let few = Items { sizes: &sizes, k: 100_000 };
    assert_eq!(relaxed_can(&few, 10), Err(Refused::TooFew));
    let many = Items { sizes: &sizes[30..], k: 60 };
    assert!(matches!(relaxed_can(&many, 10), Err(Refused::TooMany(large)) if large > 300));
    let deep = Items { sizes: &sizes[1_500..], k: 2 };
    assert!(matches!(relaxed_can(&deep, 10), Err(Refused::TooMany(large)) if large > 10_000));
}
