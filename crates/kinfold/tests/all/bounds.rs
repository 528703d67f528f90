//! Lower bounds on random tables of every kind: never above the best grouping, and two searches that share no
//! code agree.

use crate::support::{Dice, brute_force, run_with_threads, sample};
use kinfold::model::certificate::{self, Cut, PriceCheck, Prices, check_prices};
use kinfold::model::cost::{Cost, ONE};
use kinfold::model::problem::Problem;
use kinfold::{Choice, bounds, solve};

/// The most that a group is worth beyond its cost, by trying all groups of k to 2k − 1 people whose dearest
/// is `anchor`.
fn dearest_by_trying(problem: &Problem, prices: &Prices, anchor: u32) -> i128 {
    let mut best = i128::from(prices.per_group);
    let others: Vec<u32> =
        (0..problem.records() as u32).filter(|&r| r == anchor || prices.precedes(anchor, r)).collect();
    let mut members = vec![];
    try_all(problem, prices, anchor, &others, &mut members, &mut best);
    best - i128::from(prices.per_group)
}

fn try_all(
    problem: &Problem,
    prices: &Prices,
    anchor: u32,
    others: &[u32],
    members: &mut Vec<u32>,
    best: &mut i128,
) {
    let people = members.len() as u64;
    if people >= problem.k() && members.contains(&anchor) {
        // A row of each record, for the plain definition of cost; it counts people by rows, we by copies.
        let cells: u64 = problem
            .rules()
            .iter()
            .enumerate()
            .map(|(c, rule)| rule.cost(&rule.cover(members.iter().map(|&r| problem.codes(r)[c]))).0)
            .sum();
        let worth: i128 = members.iter().map(|&r| i128::from(prices.of(r))).sum();
        let pairs = |cut: &Cut| members.iter().filter(|m| cut.records.contains(m)).count() as i128 / 2;
        let allowed: i128 = prices.cuts.iter().map(|cut| i128::from(cut.price) * pairs(cut)).sum();
        *best = (*best).max(worth - i128::from(people) * i128::from(cells) - allowed);
    }
    if people == 2 * problem.k() - 1 {
        return;
    }
    for (i, &record) in others.iter().enumerate() {
        if members.iter().filter(|&&m| m == record).count() < problem.record_size(record) as usize {
            members.push(record);
            try_all(problem, prices, anchor, &others[i..], members, best);
            members.pop();
        }
    }
}

/// Prices around what groups cost, some of them negative, many equal.
fn random_prices(dice: &mut Dice, problem: &Problem) -> Prices {
    let scale = [4, 2, 1][dice.below(3)];
    let steps = [3, 7, 1000][dice.below(3)];
    let price = |dice: &mut Dice| {
        let height = dice.below(steps + 1) as i64 - steps as i64 / 6;
        height * (problem.withheld_cost() as i64 / scale) / steps as i64
    };
    let of_record = (0..problem.records()).map(|_| price(dice)).collect();
    let per_group = if dice.below(2) == 0 { 0 } else { dice.below(ONE as usize / 4) as u64 };
    let cuts = (0..[0, 0, 1, 4][dice.below(4)]).map(|_| random_cut(dice, problem)).collect();
    Prices { of_record, per_group, cuts }
}

/// A price for the pairs of up to five records.
fn random_cut(dice: &mut Dice, problem: &Problem) -> Cut {
    let mut records: Vec<u32> =
        (0..1 + dice.below(5)).map(|_| dice.below(problem.records()) as u32).collect();
    records.sort_unstable();
    records.dedup();
    Cut { records, price: dice.below(ONE as usize / 2) as u64 }
}

#[test]
fn two_pricers_and_brute_force_agree_on_every_anchor() {
    let mut dice = Dice(31);
    let (mut tables, mut worth_too_much) = (0, 0);
    while tables < 600 {
        let Some(sample) = sample(&mut dice, 3, 8) else { continue };
        let problem = &sample.encoded.problem;
        let prices = random_prices(&mut dice, problem);
        for anchor in (0..problem.records() as u32).filter(|&r| problem.record_size(r) > 0) {
            let truth = dearest_by_trying(problem, &prices, anchor);
            let place = || format!("record {anchor}, {prices:?}\n{}", sample.recipe);
            let engine = bounds::dearest_around(problem, &prices, anchor, usize::MAX);
            assert_eq!(i128::from(engine), truth, "the engine: {}", place());
            let checker = certificate::dearest_around(problem, &prices, anchor);
            assert_eq!(checker, truth, "the checker: {}", place());
            for nodes in [0, 1, 3] {
                let cut_short = bounds::dearest_around(problem, &prices, anchor, nodes);
                assert!(i128::from(cut_short) >= truth, "cut short after {nodes} nodes: {}", place());
            }
            worth_too_much += usize::from(truth > 0);
        }
        tables += 1;
    }
    assert!(worth_too_much > 400, "only {worth_too_much} anchors had anything to find");
}

#[test]
fn two_pricers_agree_on_larger_tables() {
    let mut dice = Dice(32);
    let (mut tables, mut worth_too_much) = (0, 0);
    while tables < 60 {
        let Some(sample) = sample(&mut dice, 20, 45) else { continue };
        let problem = &sample.encoded.problem;
        // Prices near the truth: larger ones have more groups than anybody can look at.
        let mut prices = bounds::cheapest_box(problem, &run_with_threads(1)).unwrap();
        for price in &mut prices.of_record {
            *price += dice.below(ONE as usize / 6) as i64;
        }
        prices.cuts = (0..dice.below(30)).map(|_| random_cut(&mut dice, problem)).collect();
        for anchor in (0..problem.records() as u32).filter(|&r| problem.record_size(r) > 0) {
            let engine = bounds::dearest_around(problem, &prices, anchor, usize::MAX);
            let checker = certificate::dearest_around(problem, &prices, anchor);
            assert_eq!(i128::from(engine), checker, "record {anchor}, {prices:?}\n{}", sample.recipe);
            worth_too_much += usize::from(engine > 0);
        }
        tables += 1;
    }
    assert!(worth_too_much > 200, "only {worth_too_much} anchors had anything to find");
}

#[test]
fn no_bound_exceeds_the_best_grouping() {
    let mut dice = Dice(33);
    let (mut tables, mut positive, mut tight) = (0, 0, 0);
    while tables < 300 {
        let Some(sample) = sample(&mut dice, 3, 8) else { continue };
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).unwrap();
        let run = run_with_threads(1);
        let nearest = bounds::nearest(problem, &run).unwrap();
        let cheapest_box = bounds::cheapest_box(problem, &run).unwrap();
        assert!(nearest.bound(problem) <= cheapest_box.bound(problem), "{}", sample.recipe);
        let random = random_prices(&mut dice, problem);
        let repaired = bounds::repaired(problem, random.clone(), &run).unwrap();
        for (name, prices) in [("nearest", nearest), ("box", cheapest_box), ("repaired", repaired)] {
            let bound = prices.bound(problem);
            assert!(bound <= best, "{name}: {bound} is above the best {best}: {prices:?}\n{}", sample.recipe);
            assert_eq!(
                check_prices(problem, &prices, u64::MAX),
                PriceCheck::Holds,
                "{name}\n{}",
                sample.recipe
            );
            positive += usize::from(bound > Cost::ZERO);
            tight += usize::from(bound == best);
        }
        tables += 1;
    }
    // Where rows with count 0 widen a group, no bound is tight: they take no part in it.
    assert!(positive > 300 && tight > 80, "{positive} bounds say something, {tight} are tight");
}

#[test]
fn prices_that_are_too_high_are_found_out() {
    let mut dice = Dice(34);
    let (mut tables, mut refused) = (0, 0);
    while tables < 300 {
        let Some(sample) = sample(&mut dice, 4, 8) else { continue };
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).unwrap();
        let prices = random_prices(&mut dice, problem);
        tables += 1;
        if prices.bound(problem) > best {
            let verdict = check_prices(problem, &prices, u64::MAX);
            let PriceCheck::Dearer(members) = verdict else { panic!("{verdict:?}\n{}", sample.recipe) };
            assert!(members.len() as u64 >= problem.k());
            refused += 1;
        }
    }
    assert!(refused > 30, "only {refused} were too high");
}

#[test]
fn the_linear_program_bounds_every_release() {
    let mut dice = Dice(35);
    let (mut tables, mut tight) = (0, 0);
    while tables < 200 {
        let Some(sample) = sample(&mut dice, 3, 8) else { continue };
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).unwrap();
        let run = run_with_threads(1);
        let outcome = solve(problem, &Choice::Auto, &run).unwrap();
        let prices = bounds::linear_program(problem, &outcome.solution, &run).unwrap();
        let bound = prices.bound(problem);
        assert!(bound <= best, "{bound} is above the best {best}: {prices:?}\n{}", sample.recipe);
        assert!(bound >= bounds::cheapest_box(problem, &run).unwrap().bound(problem), "{}", sample.recipe);
        assert_eq!(check_prices(problem, &prices, u64::MAX), PriceCheck::Holds, "{}", sample.recipe);
        tight += usize::from(bound.cells() >= 0.999 * best.cells());
        tables += 1;
    }
    assert!(tight > 100, "only {tight} of {tables} bounds are tight");
}

#[test]
fn the_bound_does_not_depend_on_threads_and_survives_a_deadline() {
    let mut dice = Dice(36);
    let sample = loop {
        match sample(&mut dice, 150, 200) {
            Some(s) if s.encoded.problem.records() > 60 => break s,
            _ => continue,
        }
    };
    let problem = &sample.encoded.problem;
    let solution = solve(problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    let one = bounds::linear_program(problem, &solution, &run_with_threads(1)).unwrap();
    for threads in [2, 4] {
        assert_eq!(one, bounds::linear_program(problem, &solution, &run_with_threads(threads)).unwrap());
    }
    let mut run = run_with_threads(2);
    run.deadline = Some(std::time::Instant::now());
    let hasty = bounds::linear_program(problem, &solution, &run).unwrap();
    assert_eq!(check_prices(problem, &hasty, u64::MAX), PriceCheck::Holds);
    assert!(hasty.bound(problem) <= one.bound(problem));
    run.call.stop();
    assert!(bounds::linear_program(problem, &solution, &run).is_err());
}
