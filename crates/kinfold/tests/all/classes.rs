//! Classes that no group crosses: the best of all groupings that keep within them, and nobody is better.

use crate::requirements::{fulfils, guarded};
use crate::support::{
    Dice, OUT, brute_force, choices_for, enough, rounds, run_with_threads, sample_of, sample_of_whole_rows_of,
};
use kinfold::bounds::{Strength, prove};
use kinfold::model::cost::{Cost, ONE, Objective, Rule, group_cost};
use kinfold::model::problem::{Impossible, Parts, Problem};
use kinfold::model::requirement::Requirement;
use kinfold::{Choice, Effort, Run, SolveError, solve};
use std::collections::BTreeMap;
use std::time::Instant;

/// Classes by what the rows have in one or two columns, or in parts of one.
fn any_classes(dice: &mut Dice, problem: &Problem) -> Vec<u32> {
    let columns = problem.rules().len();
    let (first, width) = (dice.below(columns), 1 + dice.below(3) as u32);
    let second = (dice.below(3) == 0).then(|| dice.below(columns));
    let class = |row: u32| {
        let codes = problem.codes(problem.record_of(row));
        codes[first] / width * 1_000 + second.map_or(0, |second| codes[second] / 2)
    };
    (0..problem.rows() as u32).map(class).collect()
}

fn rows_by_class(class_of: &[u32]) -> BTreeMap<u32, Vec<u32>> {
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    (0u32..).zip(class_of).for_each(|(row, &class)| rows.entry(class).or_default().push(row));
    rows
}

/// Claimed bounds are taken down by what solvers may err.
fn nearly(bound: Cost, best: Cost, problem: &Problem) -> bool {
    best.0 - bound.0 <= 64 * problem.people()
}

#[test]
fn nobody_beats_the_best_grouping_that_crosses_no_class() {
    let mut dice = Dice(3401);
    let (mut tables, mut refused, mut withheld, mut met, mut exact, mut bounds) = (0, 0, 0, 0, 0, 0);
    while tables < rounds(300) {
        let objective = dice.pick(&["ncp", "ncp", "ncp", "stars", "sse"]);
        let Some(sample) = sample_of(&mut dice, objective, 4, 9) else { continue };
        let plain = &sample.encoded.problem;
        let class_of = any_classes(&mut dice, plain);
        let recipe = format!("{class_of:?}\n{}", sample.recipe);
        let people = |rows: &Vec<u32>| rows.iter().map(|&row| plain.row_size(row)).sum::<u64>();
        let by_class = rows_by_class(&class_of);
        let few: Vec<&Vec<u32>> = by_class.values().filter(|rows| people(rows) < plain.k()).collect();
        let in_few: u64 = few.iter().map(|rows| people(rows)).sum();
        let possible = few.len() < by_class.len()
            && in_few <= plain.may_withhold()
            && (few.is_empty() || plain.may_withhold() > 0);
        let problem = match plain.clone().within_classes(&class_of) {
            Err(Impossible::Classes(short)) => {
                assert!(!possible, "{recipe}");
                assert_eq!((short.classes, short.people), (few.len(), in_few), "{recipe}");
                refused += 1;
                continue;
            }
            problem => problem.unwrap(),
        };
        assert!(possible, "{recipe}");
        let best = brute_force(&problem).expect("a possible problem has a grouping");
        for choice in choices_for(&problem) {
            let outcome = match solve(&problem, &choice, &run_with_threads(1 + dice.below(3))) {
                // A piece may be too much for it, or not what it is for.
                Err(SolveError::Unsupported(_)) => continue,
                outcome => outcome.unwrap_or_else(|e| panic!("{choice}: {e}\n{recipe}")),
            };
            let mut solution = outcome.solution;
            assert!(solution.cost() >= best, "{choice}: {} is below {best}\n{recipe}", solution.cost());
            if objective != "sse" {
                let strength = [Strength::Quick, Strength::Lp][dice.below(2)];
                prove(&problem, &mut solution, strength, &run_with_threads(1))
                    .unwrap_or_else(|e| panic!("{choice}: {e}\n{recipe}"));
            }
            if let Some(bound) = solution.bound().cost() {
                assert!(bound <= best, "{choice}: bound {bound} is above {best}\n{recipe}");
                bounds += usize::from(nearly(bound, best, &problem));
            }
            if choice.card().key == "exact" && problem.may_withhold() == 0 {
                assert_eq!(solution.cost(), best, "{recipe}");
                let bound = solution.bound().cost();
                assert!(bound.is_some_and(|bound| nearly(bound, best, &problem)), "{best}\n{recipe}");
                exact += 1;
            }
            if choice.card().key == "anneal" {
                met += usize::from(solution.cost() == best);
                withheld += usize::from(solution.withheld() > few.iter().map(|rows| rows.len()).sum());
            }
        }
        tables += 1;
    }
    let seen = [refused, withheld, met, exact, bounds];
    let wanted = [200, 1, 100, 30, 30].map(enough);
    assert!(seen.iter().zip(wanted).all(|(seen, wanted)| *seen >= wanted), "{seen:?}");
}

/// The least cost of all groupings within classes that fulfil everything, where these rows are withheld.
fn best_of(problem: &Problem, out: &[u32]) -> Option<Cost> {
    fn place(problem: &Problem, rows: &[u32], groups: &mut Vec<Vec<u32>>, best: &mut Option<Cost>) {
        let Some((&row, rest)) = rows.split_first() else {
            if groups.iter().all(|group| fulfils(problem, group)) {
                let cost = groups.iter().map(|group| group_cost(problem, group)).sum();
                *best = Some(best.map_or(cost, |least| least.min(cost)));
            }
            return;
        };
        let class = |row: u32| problem.class_of().map(|of| of[row as usize]);
        for i in 0..groups.len() {
            if class(groups[i][0]) == class(row) {
                groups[i].push(row);
                place(problem, rest, groups, best);
                groups[i].pop();
            }
        }
        groups.push(vec![row]);
        place(problem, rest, groups, best);
        groups.pop();
    }
    let released: Vec<u32> = (0..problem.rows() as u32).filter(|row| !out.contains(row)).collect();
    let mut best = None;
    place(problem, &released, &mut Vec::new(), &mut best);
    let withheld: u64 = out.iter().map(|&row| problem.row_size(row)).sum();
    best.map(|cost| cost + Cost(withheld * problem.withheld_cost()))
}

#[test]
fn every_class_fulfils_the_requirements_or_is_withheld() {
    let mut dice = Dice(3402);
    let (mut tables, mut short, mut met, mut merged) = (0, 0, 0, 0);
    while tables < rounds(200) {
        let objective = dice.pick(&["ncp", "ncp", "stars"]);
        let sample = sample_of_whole_rows_of(&mut dice, objective, 4, 9);
        let Some(plain) = guarded(&mut dice, &sample.encoded.problem, false) else { continue };
        let may_withhold = dice.below(2) as u64 * plain.people() / 2;
        let class_of = any_classes(&mut dice, &plain);
        let Ok(problem) = plain.withholding(may_withhold).within_classes(&class_of) else { continue };
        let recipe = format!("{class_of:?}\n{}", sample.recipe);
        // Where nobody more is withheld, groups are compared with what is left by the classes.
        let classes = problem.classes().unwrap();
        let kept: Vec<u32> = classes.released.concat();
        let out: Vec<u32> = (0..problem.rows() as u32).filter(|row| !kept.contains(row)).collect();
        let judged = problem.clone().unguarded();
        let judged = match &classes.guard {
            Some(guard) => judged.withholding(problem.people()).guarded(guard.clone()).unwrap(),
            None => judged,
        };
        let best = best_of(&judged, &out).unwrap_or_else(|| panic!("no grouping\n{recipe}"));
        for choice in choices_for(&problem) {
            let outcome = match solve(&problem, &choice, &run_with_threads(1)) {
                Err(SolveError::Unsupported(_)) => continue,
                outcome => outcome.unwrap_or_else(|e| panic!("{choice}: {e}\n{recipe}")),
            };
            let solution = &outcome.solution;
            assert!(out.iter().all(|&row| solution.group_of()[row as usize] == OUT), "{choice}\n{recipe}");
            if solution.withheld() == out.len() {
                assert!(solution.cost() >= best, "{choice}\n{recipe}");
            }
            if choice.card().key == "anneal" {
                met += usize::from(solution.cost() <= best);
            }
        }
        let mirrors = problem.guard().unwrap().requirements().list().iter().any(Requirement::mirrors_release);
        short += usize::from(classes.short.other_models);
        merged += usize::from(mirrors && classes.released.len() > 1);
        tables += 1;
    }
    assert!(short >= enough(10) && met >= enough(100) && merged >= enough(10), "{short}, {met}, {merged}");
}

#[test]
fn threads_change_nothing_and_classes_of_all_sizes_are_solved() {
    let mut dice = Dice(3403);
    let Some(sample) = sample_of(&mut dice, "ncp", 60, 60) else { panic!("no table") };
    let plain = &sample.encoded.problem;
    let class_of: Vec<u32> =
        (0..plain.rows() as u32).map(|row| plain.codes(plain.record_of(row))[0]).collect();
    let problem = plain.clone().withholding(plain.people() / 2).within_classes(&class_of).unwrap();
    for effort in [Effort::Quick, Effort::Normal] {
        let solved = |threads: usize| {
            let run = Run { threads, effort, ..Run::default() };
            solve(&problem, &Choice::Auto, &run).unwrap().solution.group_of().to_vec()
        };
        assert_eq!(solved(1), solved(4));
    }
}

/// How long classes take against no classes: 1M rows of eight columns, of which two are fixed.
#[test]
#[ignore = "a measurement"]
fn a_million_rows_in_classes() {
    let rows: u32 = std::env::var("ROWS").map_or(1_000_000, |rows| rows.parse().unwrap());
    let of = |count: u32| (0..u64::from(count)).map(|i| i * ONE / u64::from(count - 1)).collect::<Vec<u64>>();
    for (a, b) in [(10, 4), (100, 40), (1_000, 30)] {
        let mut dice = Dice(1);
        let sizes = [a, b, 80, 60, 12, 9, 7, 40];
        let rules: Vec<Rule> =
            sizes.iter().map(|&count| Rule::line(of(count), false, ONE).unwrap()).collect();
        let columns: Vec<Vec<u32>> = sizes
            .iter()
            .map(|&size| {
                (0..rows).map(|_| dice.below(size as usize).min(dice.below(size as usize)) as u32).collect()
            })
            .collect();
        let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let distinct = kinfold::model::table::distinct_rows(&slices, rows as usize);
        let codes = distinct.first.iter().flat_map(|&r| columns.iter().map(move |c| c[r as usize])).collect();
        let mut parts = Parts::new(5, Objective::Ncp, rules, distinct.of_row, codes);
        parts.may_withhold = u64::from(rows / 50);
        let plain = Problem::new(parts).unwrap();
        let class_of: Vec<u32> =
            (0..rows as usize).map(|row| columns[0][row] * 1_000 + columns[1][row]).collect();
        let apart = plain.clone().within_classes(&class_of).unwrap();
        for (name, problem) in [("one", &plain), ("classes", &apart)] {
            let run = Run { effort: Effort::Quick, threads: 2, ..Run::default() };
            let (wall, cpu) = (Instant::now(), cpu());
            let outcome = solve(problem, &Choice::Auto, &run).unwrap();
            let (solution, wall) = (&outcome.solution, wall.elapsed().as_secs_f64());
            let loss = solution.average_loss(problem);
            let remark = outcome.remark.unwrap_or_default();
            let (cpu, withheld) = (self::cpu() - cpu, solution.withheld());
            println!(
                "{a} x {b}, {name}: wall {wall:.1} CPU {cpu:.1} loss {loss:.5} withheld {withheld} {remark}"
            );
        }
    }
}

/// CPU seconds of this process.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |at: usize| stat.rsplit(')').next()?.split_whitespace().nth(at)?.parse::<f64>().ok();
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}
