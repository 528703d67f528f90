//! Suppression: the best of all groupings, bounds and their checks.

use crate::support::oracles::stars;
use crate::support::{Dice, brute_force, run_with_threads, sample_of};
use kinfold::model::certificate::{PriceCheck, Prices, check_prices, dearest_around};
use kinfold::model::cost::Cost;
use kinfold::model::problem::Problem;
use kinfold::{Choice, bounds, solve};

fn cost_by(problem: &Problem, solver: &str) -> Cost {
    solve(problem, &Choice::parse(solver).unwrap(), &run_with_threads(2)).unwrap().solution.cost()
}

/// A random table of few rows and labels, every row one person, all of weight 1.
fn tiny(dice: &mut Dice) -> Problem {
    let (rows, columns, k) = (4 + dice.below(4), 1 + dice.below(4), 2 + dice.below(2));
    let labels = ["a", "b", "c", "d", "e"];
    let values = 2 + dice.below(4);
    let names: Vec<&str> = ["p", "q", "r", "s"][..columns].to_vec();
    let row = |dice: &mut Dice| (0..columns).map(|_| labels[dice.below(values)]).collect::<Vec<_>>();
    let cells: Vec<Vec<&str>> = (0..rows).map(|_| row(dice)).collect();
    stars(&names, &cells, "stars", k).problem
}

#[test]
fn exact_and_annealing_meet_the_best_of_all_groupings() {
    let mut dice = Dice(57);
    let (mut annealed, mut plans) = (0, 0);
    for _ in 0..60 {
        let problem = tiny(&mut dice);
        let best = brute_force(&problem).unwrap();
        let outcome = solve(&problem, &Choice::parse("exact").unwrap(), &run_with_threads(1)).unwrap();
        assert_eq!(outcome.solution.cost(), best);
        assert_eq!(outcome.solution.bound().cost(), Some(best), "stars are whole: the bound is rounded up");
        annealed += usize::from(cost_by(&problem, "anneal") == best);
        plans += usize::from(cost_by(&problem, "stars-facility") == best);
    }
    assert!(annealed >= 40 && plans >= 45, "best on {annealed} and {plans} of 60 tables");
}

#[test]
fn the_plain_check_of_patterns_agrees_with_the_search() {
    let mut dice = Dice(88);
    let (mut held, mut refused) = (0, 0);
    while held + refused < 300 {
        let Some(sample) = sample_of(&mut dice, "stars", 4, 20) else { continue };
        let problem = &sample.encoded.problem;
        let full = problem.withheld_cost() as usize;
        let height = 1 + dice.below(full);
        let prices = Prices {
            of_record: (0..problem.records())
                .map(|_| dice.below(height) as i64 - (height / 8) as i64)
                .collect(),
            per_group: dice.below(full / 2) as u64,
            cuts: Vec::new(),
        };
        let verdict = check_prices(problem, &prices, u64::MAX);
        let most = (0..problem.records() as u32)
            .map(|record| dearest_around(problem, &prices, record))
            .max()
            .unwrap();
        assert_eq!(verdict == PriceCheck::Holds, most <= 0, "{}", sample.recipe);
        let ours =
            (0..problem.records() as u32).map(|r| bounds::dearest_around(problem, &prices, r, 1 << 20));
        assert_eq!(ours.max().unwrap().max(0), most.max(0) as i64, "{}", sample.recipe);
        *if verdict == PriceCheck::Holds { &mut held } else { &mut refused } += 1;
    }
    assert!(held > 30 && refused > 30, "{held} held, {refused} refused");
}

#[test]
fn bounds_of_stars_hold_and_are_checked() {
    let mut dice = Dice(89);
    let mut tables = 0;
    while tables < 120 {
        let Some(sample) = sample_of(&mut dice, "stars", 4, 8) else { continue };
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).unwrap();
        let run = run_with_threads(1);
        let solution = solve(problem, &Choice::parse("anneal").unwrap(), &run).unwrap().solution;
        let repaired = bounds::repaired(
            problem,
            Prices {
                of_record: vec![problem.withheld_cost() as i64; problem.records()],
                per_group: 0,
                cuts: vec![],
            },
            &run,
        );
        let all = [
            bounds::cheapest_box(problem, &run).unwrap(),
            bounds::linear_program(problem, &solution, &run).unwrap(),
            repaired.unwrap(),
        ];
        for prices in all {
            assert_eq!(check_prices(problem, &prices, u64::MAX), PriceCheck::Holds, "{}", sample.recipe);
            assert!(prices.bound(problem) <= best, "{}", sample.recipe);
        }
        tables += 1;
    }
}

/// Few rows fall into few classes, however many columns there are: nothing here may go through all sets of
/// columns.
#[test]
fn wide_tables_are_bounded_and_checked_at_once() {
    let mut dice = Dice(90);
    for (rows, columns) in [(3, 60), (6, 200), (20, 24)] {
        let names: Vec<String> = (0..columns).map(|c| format!("c{c}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut row = || (0..columns).map(|_| dice.pick(&["a", "b"])).collect::<Vec<_>>();
        let cells: Vec<Vec<&str>> = (0..rows).map(|_| row()).collect();
        let problem = stars(&names, &cells, "stars", 2).problem;
        let prices = bounds::cheapest_box(&problem, &run_with_threads(1)).unwrap();
        assert_eq!(check_prices(&problem, &prices, 50_000_000), PriceCheck::Holds);
        let best = if rows <= 6 { brute_force(&problem).unwrap() } else { cost_by(&problem, "anneal") };
        let bound = prices.bound(&problem);
        assert!(bound <= best && 2 * bound.0 > best.0, "{bound} for {best}");
        // Prices that are too high are found out as quickly.
        let mut dear = prices.clone();
        dear.of_record.iter_mut().for_each(|price| *price += problem.withheld_cost() as i64);
        assert!(matches!(check_prices(&problem, &dear, 50_000_000), PriceCheck::Dearer(_)));
    }
}
