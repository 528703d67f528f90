//! What `auto` promises of efforts: more never loses more, and no baseline of the house loses less, on clean
//! columns and on columns as real tables have them: hierarchies, missing values, many labels, many columns,
//! counts.

use crate::support::{Dice, brute_force, rounds, run_with_threads, sample};
use kinfold::model::cost::{ONE, Objective, Rule};
use kinfold::model::hierarchy::Hierarchy;
use kinfold::model::problem::{Parts, Problem};
use kinfold::{Choice, Effort, Run, Word, solve};
use std::sync::Arc;

const BASELINES: [&str; 4] = ["initial", "mondrian", "greedy-search", "k-member"];

fn cost(problem: &Problem, solver: &str, effort: Effort) -> u64 {
    let run = Run { effort, ..run_with_threads(2) };
    solve(problem, &Choice::parse(solver).unwrap(), &run).unwrap().solution.cost().0
}

#[test]
fn more_effort_never_loses_more() {
    let mut dice = Dice(91);
    let mut tables = 0;
    while tables < rounds(25) {
        let Some(sample) = sample(&mut dice, 10, 60) else { continue };
        for solver in ["auto", "anneal"] {
            let costs = [Effort::Quick, Effort::Normal, Effort::Deep]
                .map(|effort| cost(&sample.encoded.problem, solver, effort));
            assert!(costs.is_sorted_by(|a, b| a >= b), "{solver}: {costs:?}\n{}", sample.recipe);
        }
        tables += 1;
    }
}

#[test]
fn auto_never_loses_more_than_a_baseline() {
    for (name, problem) in real_tables(400) {
        let best = BASELINES.map(|solver| cost(&problem, solver, Effort::Quick)).into_iter().min().unwrap();
        for effort in [Effort::Quick, Effort::Normal] {
            let auto = cost(&problem, "auto", effort);
            assert!(auto <= best, "{name}, {}: {auto}, but {best} by a baseline", effort.word());
        }
    }
}

/// Where auto cannot try everything, annealing stands alone: it must see every kind of column.
#[test]
fn annealing_sees_every_kind_of_column() {
    for (name, problem) in real_tables(2500) {
        let best = BASELINES.map(|solver| cost(&problem, solver, Effort::Quick)).into_iter().min().unwrap();
        let (quick, normal) =
            (cost(&problem, "anneal", Effort::Quick), cost(&problem, "anneal", Effort::Normal));
        assert!(quick as f64 <= 1.01 * best as f64, "{name}: quick {quick}, a baseline {best}");
        let most = if problem.rules().len() > 10 { 1.0 } else { 0.95 };
        assert!(normal as f64 <= most * best as f64, "{name}: normal {normal}, a baseline {best}");
    }
}

/// Tables whose columns have something in common, of every kind alone and mixed.
fn real_tables(rows: usize) -> Vec<(&'static str, Problem)> {
    let line = |values: u64, missing| {
        Rule::line((0..values).map(|i| i * ONE / (values - 1)).collect(), missing, ONE).unwrap()
    };
    let tree = |leaves: usize, branch: usize| {
        let path = |i| format!("{i};{};{};*\n", i / branch, i / branch / branch);
        let hierarchy = Hierarchy::parse(&(0..leaves).map(path).collect::<String>()).unwrap();
        Rule::tree(Arc::new(hierarchy.tree().clone()), ONE)
    };
    let clean = || vec![line(90, false), line(16, false), Rule::set(7, ONE), Rule::set(14, ONE)];
    let holes = || vec![line(90, true), line(1000, true), Rule::set(7, ONE), line(16, true)];
    let trees = || vec![tree(60, 4), tree(27, 3), tree(100, 10), tree(12, 12)];
    let mixed =
        || vec![line(90, true), tree(60, 4), Rule::set(40, ONE), Rule::set(3000, ONE), line(500, false)];
    let many = || (0..8).flat_map(|_| [line(50, true), tree(30, 3), Rule::set(9, ONE)]).collect();
    let tables: [(&str, Vec<Rule>, bool); 6] = [
        ("clean", clean(), false),
        ("missing values", holes(), false),
        ("hierarchies", trees(), false),
        ("mixed", mixed(), false),
        ("mixed, counted", mixed(), true),
        ("24 columns", many(), false),
    ];
    tables.map(|(name, rules, counted)| (name, problem(&mut Dice(rows as u64), rules, rows, counted))).into()
}

/// Codes around a middle that the columns of a row share in part; one in twenty is the last, which on lines
/// may be missing.
fn problem(dice: &mut Dice, rules: Vec<Rule>, rows: usize, counted: bool) -> Problem {
    let mut codes = Vec::new();
    for _ in 0..rows {
        let person = dice.below(1000);
        for rule in &rules {
            let around = (person + dice.below(1000) + dice.below(1000)) * rule.values() as usize / 3000;
            codes.push(if dice.below(20) == 0 { rule.values() - 1 } else { around as u32 });
        }
    }
    let width = rules.len();
    let mut distinct: Vec<&[u32]> = codes.chunks(width).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let record = |row: &[u32]| distinct.binary_search(&row).unwrap() as u32;
    let record_of = codes.chunks(width).map(record).collect();
    let row_sizes = counted.then(|| (0..rows).map(|_| 1 + dice.below(3) as u32).collect());
    let mut parts = Parts::new(5, Objective::Ncp, rules, record_of, distinct.concat());
    parts.row_sizes = row_sizes;
    Problem::new(parts).unwrap()
}

#[test]
fn annealing_finds_the_best_of_small_tables() {
    let anneal = Choice::parse("anneal").unwrap();
    let mut dice = Dice(77);
    let (mut tables, mut best_found) = (0, 0);
    while tables < rounds(150) {
        let Some(sample) = sample(&mut dice, 5, 9) else { continue };
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).expect("a possible problem has a grouping");
        let run = Run { effort: Effort::Normal, ..run_with_threads(2) };
        let cost = solve(problem, &anneal, &run).unwrap().solution.cost();
        // Annealing rounds costs to 29 bits: what differs less is the same to it.
        best_found += usize::from(cost.0 <= best.0 + best.0 / 1_000_000);
        tables += 1;
    }
    assert!(best_found >= rounds(147), "the best grouping was found on {best_found} of {tables} tables");
}
