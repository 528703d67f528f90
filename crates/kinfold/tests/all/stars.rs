//! Suppression: the theorems of papers *suppress* and *complexity* as tests.

use crate::support::oracles::{encoded, stars};
use crate::support::{Dice, brute_force, choices_for, found, rounds, run_with_threads, sample_of};
use kinfold::instances::{Family, Hypergraph};
use kinfold::model::certificate::{PriceCheck, Prices, check_prices, dearest_around};
use kinfold::model::cost::{Cost, ONE};
use kinfold::model::judge::judge;
use kinfold::model::problem::Problem;
use kinfold::{Choice, Run, bounds, solve};

fn cost_by(problem: &Problem, solver: &str) -> Cost {
    solve(problem, &Choice::parse(solver).unwrap(), &run_with_threads(2)).unwrap().solution.cost()
}

fn cells(stars: usize) -> Cost {
    Cost(stars as u64 * ONE)
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
fn figure_1_of_complexity_takes_four_stars() {
    let cells = ["x a b", "z c d", "y a b", "z c e"].map(|row| row.split(' ').collect::<Vec<_>>());
    let problem = stars(&["p", "q", "r"], &cells, "stars", 2).problem;
    assert_eq!(brute_force(&problem), Some(Cost(4 * ONE)));
    for solver in ["stars-cover", "stars-ball", "stars-facility", "exact", "auto", "anneal"] {
        assert_eq!(cost_by(&problem, solver).cells(), 4.0, "{solver}");
    }
}

#[test]
fn cover_declines_what_it_would_never_finish() {
    let cells: Vec<Vec<String>> = (0..60).map(|i| vec![format!("v{i}")]).collect();
    let cells: Vec<Vec<&str>> = cells.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let declines = |rows: usize, k: usize| {
        let problem = stars(&["p"], &cells[..rows], "stars", k).problem;
        let solver = crate::own().iter().find(|s| s.card().key == "stars-cover").unwrap();
        solver.supports(&problem).err().map(|why| why.0)
    };
    assert_eq!(declines(30, 3), None);
    let why = declines(60, 3).unwrap();
    assert!(why.contains("5983367"), "C(60,3) + C(60,4) + C(60,5): {why}");
    assert!(declines(60, 20).unwrap().contains("billions of"));
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
fn vertex_cover_tables_cost_what_theorem_3_1_says() {
    for &vertices in &[4, 6, 10][..rounds(3)] {
        let instance = Family::VertexCover.instance(vertices, 7, 31).unwrap();
        let problem = &encoded(&instance).problem;
        let best = cells(instance.optimum as usize);
        let claimed = judge(problem, found(instance.group_of)).unwrap();
        assert_eq!(claimed.cost(), best, "the grouping of Claim 1");
        for choice in choices_for(problem).into_iter().filter(|c| c.to_string() != "stars-pattern") {
            let mut solution = solve(problem, &choice, &run_with_threads(2)).unwrap().solution;
            assert!(solution.cost() >= best, "{choice}: Claim 4");
            bounds::prove(problem, &mut solution, bounds::Strength::Quick, &Run::default()).unwrap();
            assert!(solution.bound().cost().is_none_or(|bound| bound <= best), "{choice}");
        }
        let facility = cost_by(problem, "stars-facility");
        assert!(facility.0 <= best.0 + best.0 / 50, "{facility} is more than 2 % above {best}");
    }
}

#[test]
fn perfect_matchings_cost_what_theorem_3_1_of_suppress_says() {
    for (k, groups) in [(3, 2), (3, 3), (4, 2)] {
        let instance = Family::Matching.instance(groups, k, 32).unwrap();
        let problem = &encoded(&instance).problem;
        let best = cells(instance.optimum as usize);
        assert_eq!(judge(problem, found(instance.group_of)).unwrap().cost(), best, "the planted matching");
        assert_eq!(brute_force(problem), Some(best));
        assert_eq!(cost_by(problem, "exact"), best);
        assert_eq!(cost_by(problem, "auto"), best);
    }
    // Without a perfect matching it takes more: two edges that share a vertex.
    let unmatched = Hypergraph::new(6, 3, vec![vec![0, 1, 2], vec![2, 3, 4], vec![0, 3, 5]]).unwrap().cells();
    assert!(brute_force(&encoded(&unmatched).problem).unwrap() > cells(6 * 2));
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
