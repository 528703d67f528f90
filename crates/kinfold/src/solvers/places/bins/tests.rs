//! Every way to pack against trying all packings of tiny tables.

use super::*;
use trying::{brute_force, brute_force_leaving, check, random_sizes};

mod trying;

/// How much is left out.
fn left_out(items: &Items<'_>, bins: &Bins) -> u64 {
    bins.left_out.iter().map(|&item| items.size(item)).sum()
}

#[test]
fn packings_keep_their_promises_against_brute_force() {
    let mut random = Random::new(7);
    let mut tried = 0;
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
        for order in [items.as_given(), items.by_falling_size(), items.by_rising_size()] {
            let folded = check(&items, &fold(&items, &order), "fold");
            assert!(folded <= (k - 1 + largest).max(3 * k - 3), "Theorem 5: {sizes:?} {k}");
            let shared = check(&items, &spread(&items, &order), "spread");
            assert!(shared <= folded, "Spread is never worse than Fold: {sizes:?} {k}");
        }
        let quick = check(&items, &best(&items), "best");
        assert!(quick >= optimum);
        let proven = exact(&items, 0, best(&items), items.bound(), || true);
        assert_eq!((check(&items, &proven.bins, "exact"), proven.bound), (optimum, optimum), "{sizes:?} {k}");
    }
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
fn what_is_left_out_is_chosen_best() {
    let mut random = Random::new(19);
    let (mut tried, mut gained, mut inside) = (0, 0, 0);
    while tried < 1_500 {
        let (mut sizes, k) = random_sizes(&mut random);
        sizes.truncate(6);
        let items = Items { sizes: &sizes, k };
        if items.total() < k {
            continue;
        }
        tried += 1;
        let spare = random.below(items.total() as usize + 1) as u64;
        let optimum = brute_force_leaving(&items, spare);
        let proven = exact(&items, spare, best(&items), k, || true);
        assert_eq!((check(&items, &proven.bins, "exact"), proven.bound), (optimum, optimum), "{sizes:?} {k}");
        assert!(left_out(&items, &proven.bins) <= spare, "{sizes:?} {k} {spare}");
        gained += usize::from(optimum < brute_force(&items));

        // Runs: all ways to cut the order, and to leave out.
        let plain = intervals(&items);
        let bins = intervals_leaving(&items, spare, &plain, k, || true).unwrap();
        let fullest = check(&items, &bins, "runs");
        assert!(left_out(&items, &bins) <= spare, "{sizes:?} {k} {spare}");
        let mut ends: Vec<(u32, u32)> = bins
            .items
            .iter()
            .map(|list| (list.iter().copied().min().unwrap(), list.iter().copied().max().unwrap()))
            .collect();
        ends.sort_unstable();
        assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0), "runs overlap: {ends:?}");
        inside += usize::from(bins.left_out.iter().any(|out| ends.iter().any(|(a, b)| a < out && out < b)));
        let count = sizes.len();
        let mut least = u64::MAX;
        for out in (0..1u32 << count).filter(|out| {
            let gone = (0..count).filter(|i| out >> i & 1 == 1).map(|i| sizes[i]).sum::<u64>();
            gone <= spare && (*out == 0 || spare > 0)
        }) {
            let staying: Vec<u64> = (0..count).filter(|i| out >> i & 1 == 0).map(|i| sizes[i]).collect();
            let staying = Items { sizes: &staying, k };
            if staying.total() >= k {
                least = least.min(intervals(&staying).fullest());
            }
        }
        assert_eq!(fullest, least, "{sizes:?} {k} {spare}");
    }
    assert!(gained > 400 && inside > 50, "the tables are too easy: {gained}, {inside}");
}

#[test]
fn hundreds_of_thousands_of_items_do_not_exhaust_the_stack() {
    // Twos never make an odd number, so there is one group, and that is seen at once.
    for labels in [20_001, 200_001] {
        let sizes = vec![2; labels];
        let items = Items { sizes: &sizes, k: labels as u64 };
        let proven = exact(&items, 0, best(&items), items.bound(), || true);
        assert_eq!((proven.bins.fullest(), proven.bound), (2 * labels as u64, 2 * labels as u64));
    }
    // Here a search must go to the bottom: a three among twos, and one group of 20,001 people and one of
    // 20,000.
    let mut sizes = vec![2; 20_000];
    sizes[7] = 3;
    let items = Items { sizes: &sizes, k: 20_000 };
    let one = fold(&Items { k: items.total(), ..items }, &items.as_given());
    let mut steps = 0;
    let proven = exact(&items, 0, one, items.bound(), || {
        steps += 1;
        steps < 100_000
    });
    assert_eq!(check(&items, &proven.bins, "exact"), 20_001);
    assert!(steps >= 20_000, "{steps}");
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
