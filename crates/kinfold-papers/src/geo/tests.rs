//! Five halves and the relaxed scheme against trying all packings of tiny tables, and beside Fold.

use super::five_halves::{Case, by_case};
use super::*;
use kinfold::toolkit::{Bins, Random};
use std::collections::BTreeMap;
use trying::{brute_force, check, random_sizes};

#[path = "../../../kinfold/src/solvers/places/bins/tests/trying.rs"]
#[allow(dead_code)] // the engine's tests need more of it
mod trying;

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
        let halves = check(&items, &five_halves(&items), "five halves");
        assert!(2 * halves <= 5 * optimum, "Theorem 8: {sizes:?} {k}: {halves} against {optimum}");
        worst = worst.max(halves as f64 / optimum as f64);
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

/// 2m items of k − s and 2m of s, where all of these together are less than k: in pairs they fill bins of
/// exactly k. By falling size the large ones are paired with each other, and the small ones are left over.
fn pairs(m: u64, s: u64) -> (Vec<u64>, u64) {
    let k = 2 * m * s + 1;
    let large = (0..2 * m).map(|_| k - s);
    (large.chain((0..2 * m).map(|_| s)).collect(), k)
}

#[test]
fn fold_comes_close_to_three_and_faults_are_caught() {
    let keeps = |factor: [u64; 2], fullest: u64, optimum: u64| factor[1] * fullest <= factor[0] * optimum;
    let (mut fold_worst, mut halves_worst) = (0.0f64, 0.0f64);
    for m in 2..30 {
        let (sizes, k) = pairs(m, 40);
        let items = Items { sizes: &sizes, k };
        // Every bin can hold exactly k, so k is the optimum.
        let order = items.by_falling_size();
        let folded = check(&items, &fold(&items, &order), "fold");
        let shared = check(&items, &spread(&items, &order), "spread");
        let halves = check(&items, &five_halves(&items), "five halves");
        let even = check(&items, &best(&items), "best");
        assert!([folded, shared, even].iter().all(|&fullest| keeps([3, 1], fullest, k)), "m = {m}");
        assert!(keeps([5, 2], halves, k), "m = {m}");
        fold_worst = fold_worst.max(folded as f64 / k as f64);
        halves_worst = halves_worst.max(halves as f64 / k as f64);
        // Planted faults: Fold in the place of five-halves, and Fold that closes bins far too late.
        assert_eq!(keeps([5, 2], folded, k), m <= 2, "m = {m}");
        let late = check(&items, &fold(&Items { k: 3 * k, ..items }, &order), "three times k");
        assert!(!keeps([3, 1], late, k), "m = {m}: {late}");
    }
    assert!(fold_worst > 2.9, "{fold_worst}");
    assert!(halves_worst > 1.9, "{halves_worst}");
}

#[test]
fn every_case_of_theorem_8_is_met_near_its_limit() {
    let mut random = Random::new(23);
    let mut met: BTreeMap<Case, (usize, f64)> = BTreeMap::new();
    for round in 0..900 {
        let k = 20 + random.below(60) as u64;
        let half = k / 2;
        let between =
            |random: &mut Random, low: u64, high: u64| low + random.below((high - low + 1) as usize) as u64;
        let sizes: Vec<u64> = match round % 6 {
            // Case 2: seven items above a half, and small ones of less than a half together; the largest
            // reaches k with them, or not.
            0 | 1 => {
                let rest = between(&mut random, 1, half - 2);
                let mut sizes: Vec<u64> =
                    (0..7).map(|_| between(&mut random, half + 1, (k - rest - 1).max(half + 1))).collect();
                if round % 6 == 0 {
                    sizes[0] = between(&mut random, k - rest, k - 1);
                }
                let first = between(&mut random, 0, rest);
                sizes.extend([first, rest - first]);
                sizes
            }
            // Case 1: six items close to k, and a left-over of pieces of at most a half.
            2 => {
                let mut sizes: Vec<u64> = (0..6).map(|_| between(&mut random, 3 * k / 4, k - 1)).collect();
                let mut rest = k - 1;
                while rest > 0 && sizes.len() < 10 {
                    let piece = between(&mut random, 1, half.min(rest));
                    sizes.push(piece);
                    rest -= piece;
                }
                sizes
            }
            // Two full bins of items close to k, or one; sometimes beside an item above k.
            3 | 4 => {
                let mut sizes: Vec<u64> =
                    (0..2 * (round as u64 % 6 - 2)).map(|_| between(&mut random, 3 * k / 4, k - 1)).collect();
                sizes.extend((0..3).map(|_| between(&mut random, 0, k / 3)));
                if random.below(3) == 0 {
                    sizes.push(between(&mut random, k, 2 * k));
                }
                sizes
            }
            _ => (0..8).map(|_| between(&mut random, 0, 2 * k)).collect(),
        };
        let items = Items { sizes: &sizes, k };
        if items.total() < k {
            continue;
        }
        let optimum = brute_force(&items);
        let (case, bins) = by_case(&items);
        let fullest = check(&items, &bins, "five halves");
        assert!(2 * fullest <= 5 * optimum, "{case:?}: {sizes:?} {k}: {fullest} against {optimum}");
        // What the proof says of each case.
        let limit = match case {
            Case::Exchange => 2 * k,
            Case::ThreeParts => 5 * k / 2,
            _ => 3 * k,
        };
        let largest = sizes.iter().copied().max().unwrap_or(0);
        assert!(fullest <= limit.max(largest + k), "{case:?}: {sizes:?} {k}: {fullest}");
        if case == Case::ThreeLarge {
            assert!(2 * optimum > 3 * k, "some bin has three large items: {sizes:?} {k}: {optimum}");
        }
        let (count, worst) = met.entry(case).or_default();
        *count += 1;
        *worst = worst.max(fullest as f64 / optimum as f64);
    }
    // The factor is nearly reached where few bins are full; large items leave less room, 4/3 where three
    // share a bin.
    let all = [
        (Case::Even, 1.1),
        (Case::NoneFull, 1.0),
        (Case::FewFull, 1.9),
        (Case::ThreeParts, 1.5),
        (Case::Exchange, 1.1),
        (Case::ThreeLarge, 1.3),
    ];
    for (case, least) in all {
        let (count, worst) = met.get(&case).copied().unwrap_or_default();
        assert!(count >= 20, "{case:?} is met {count} times only: {met:?}");
        assert!(worst >= least, "{case:?} is too easy: {met:?}");
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
