use super::*;
use std::collections::BTreeMap;

/// Numbers from 0 to 1 that look random and are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A population with these class sizes: how many are unique, and the classes of a sample that takes everybody
/// with this chance.
fn sampled(sizes: &[u64], chance: f64, dice: &mut Dice) -> (f64, Classes) {
    let uniques = sizes.iter().filter(|&&size| size == 1).count() as f64;
    let taken = sizes.iter().map(|&size| (0..size).filter(|_| dice.roll() < chance).count() as u64);
    (uniques, Classes::new(taken.collect::<Vec<_>>()))
}

/// Class sizes of the Ewens–Pitman process: a newcomer founds a class with chance (θ + αu) / (θ + n), else
/// joins one with chance proportional to size − α.
fn ewens_pitman(people: u64, theta: f64, alpha: f64, dice: &mut Dice) -> Vec<u64> {
    let mut class_of: Vec<u32> = Vec::new();
    let mut sizes: Vec<u64> = Vec::new();
    for n in 0..people {
        let new = (theta + alpha * sizes.len() as f64) / (theta + n as f64);
        let joins = (n > 0 && dice.roll() >= new).then(|| {
            loop {
                // By a random member, refused with chance α / size: proportional to size − α.
                let class = class_of[(dice.roll() * n as f64) as usize];
                if dice.roll() >= alpha / sizes[class as usize] as f64 {
                    break class;
                }
            }
        });
        let class = joins.unwrap_or_else(|| {
            sizes.push(0);
            sizes.len() as u32 - 1
        });
        sizes[class as usize] += 1;
        class_of.push(class);
    }
    sizes
}

fn near(found: f64, wanted: f64, share: f64) {
    assert!((found - wanted).abs() <= share * wanted, "{found} is not within {share} of {wanted}");
}

fn uniques(estimates: &PopulationUniques, method: Method) -> f64 {
    estimates.by(method).and_then(|e| e.uniques).unwrap()
}

#[test]
fn pitman_finds_the_uniques_of_a_population_of_its_kind() {
    let mut dice = Dice(7);
    for (theta, alpha) in [(50.0, 0.5), (400.0, 0.3), (100.0, 0.7)] {
        let sizes = ewens_pitman(60_000, theta, alpha, &mut dice);
        for (chance, share) in [(0.1, 0.3), (0.3, 0.2)] {
            let (truth, classes) = sampled(&sizes, chance, &mut dice);
            near(uniques(&population_uniques(&classes, 60_000.0), Method::Pitman), truth, share);
        }
    }
}

#[test]
fn snb_finds_the_uniques_of_a_population_of_its_kind() {
    let mut dice = Dice(3);
    for chance_to_stop in [0.1f64, 0.4, 0.7] {
        let mut sizes = Vec::new();
        while sizes.iter().sum::<u64>() < 80_000 {
            // Negative binomial of shape 1.
            sizes.push(1 + (dice.roll().ln() / (1.0 - chance_to_stop).ln()) as u64);
        }
        let people = sizes.iter().sum::<u64>() as f64;
        // Estimates from smaller samples vary a lot, around the truth.
        for (chance, share) in [(0.2, 0.3), (0.6, 0.1)] {
            let (truth, classes) = sampled(&sizes, chance, &mut dice);
            near(uniques(&population_uniques(&classes, people), Method::Snb), truth, share);
        }
    }
}

#[test]
fn zayatz_is_near_where_most_of_the_population_is_sampled() {
    let mut dice = Dice(11);
    let sizes: Vec<u64> = (0..20_000).map(|_| 1 + (3.0 * dice.roll() * dice.roll()) as u64).collect();
    let people = sizes.iter().sum::<u64>() as f64;
    let (truth, classes) = sampled(&sizes, 0.9, &mut dice);
    near(uniques(&population_uniques(&classes, people), Method::Zayatz), truth, 0.1);
}

#[test]
fn the_whole_population_needs_no_estimate() {
    let classes = Classes::new([1, 1, 1, 2, 2, 3, 8]);
    let estimates = population_uniques(&classes, classes.people() as f64);
    near(uniques(&estimates, Method::Zayatz), 3.0, 1e-12);
}

#[test]
fn dankars_rule_takes_pitman_from_small_samples_and_the_lower_of_the_others_from_large_ones() {
    let mut dice = Dice(5);
    let sizes = ewens_pitman(40_000, 200.0, 0.5, &mut dice);
    let (_, classes) = sampled(&sizes, 0.1, &mut dice);
    let people = classes.people() as f64;
    assert_eq!(population_uniques(&classes, people / 0.1).chosen, Some(Method::Pitman));
    let larger = population_uniques(&classes, people / 0.11);
    let (zayatz, snb) = (uniques(&larger, Method::Zayatz), uniques(&larger, Method::Snb));
    assert_eq!(larger.chosen, Some(if snb < zayatz { Method::Snb } else { Method::Zayatz }));
    near(larger.decided().and_then(|e| e.uniques).unwrap(), snb.min(zayatz), 1e-12);
}

#[test]
fn a_model_without_an_answer_says_so() {
    let all_unique = Classes::new([1; 50]);
    let estimates = population_uniques(&all_unique, 5_000.0);
    for method in [Method::Pitman, Method::Snb] {
        let estimate = estimates.by(method).unwrap();
        assert!(estimate.uniques.is_none() && estimate.no_answer == Some(ALL_UNIQUE));
    }
    assert_eq!(estimates.chosen, Some(Method::Zayatz));
    let none = population_uniques(&Classes::new([5, 5, 9]), 1_000.0);
    assert!(none.estimates.iter().all(|e| e.uniques == Some(0.0)), "without sample uniques there are none");
}

#[test]
fn the_expected_inverse_is_the_sum_over_all_class_sizes() {
    for pi in [0.01f64, 0.1, 0.45, 0.5, 0.7, 0.95] {
        for f in [1u64, 2, 3, 7, 20] {
            // P(F = f) = π^f, P(F + 1) / P(F) = F (1 − π) / (F + 1 − f).
            let (mut chance, mut sum, mut size) = (pi.powi(f as i32), 0.0, f as f64);
            for _ in 0..100_000 {
                sum += chance / size;
                chance *= size * (1.0 - pi) / (size + 1.0 - f as f64);
                size += 1.0;
            }
            near(expected_inverse(f, pi), sum, 1e-9);
        }
    }
    near(expected_inverse(4, 1.0), 0.25, 1e-12);
    near(expected_inverse(2_000_000, 0.1), 0.1 / 2e6, 1e-5);
}

#[test]
fn a_journalist_finds_by_the_classes_of_the_population() {
    let found = journalist_by_population(&[(1, 4), (2, 2), (3, 30), (1, 0)], &[0.2, 0.3]);
    let risks: BTreeMap<&str, f64> = [("highest", found.highest), ("k", found.k_map)].into();
    assert_eq!(risks, [("highest", 1.0), ("k", 0.0)].into());
    near(found.average, (0.25 + 2.0 * 0.5 + 3.0 / 30.0 + 1.0) / 7.0, 1e-12);
    assert_eq!(found.above.iter().map(|a| a.people).collect::<Vec<_>>(), [4, 3]);
    assert_eq!((found.without_match, found.counted), (1, true));
    let estimate = journalist_by_estimate(&Classes::new([1, 2, 2]), 0.1, &[0.2]);
    near(estimate.highest, expected_inverse(1, 0.1), 1e-12);
    near(estimate.k_map, 10.0, 1e-12);
    assert!(!estimate.counted && estimate.above[0].people == 1);
}
