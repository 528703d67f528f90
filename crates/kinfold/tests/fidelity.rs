//! Fast solvers against the papers followed to the letter: row by row, with the plain definition of cost.

mod support;

use kinfold::model::cost::{ONE, RuleKind, group_cost};
use kinfold::model::problem::Problem;
use kinfold::{Choice, solve};
use support::{Dice, as_sets, run_with_threads, sample};

/// Paper *optimize*, section 2.3: columns by ascending variance over weight², rows sorted by them.
fn sorted_rows(problem: &Problem) -> Vec<u32> {
    let rows = 0..problem.rows() as u32;
    let mut columns: Vec<(f64, usize)> = (0..problem.rules().len())
        .map(|c| {
            let people: f64 = rows.clone().map(|r| problem.row_size(r) as f64).sum();
            let code = |r: u32| f64::from(problem.codes(problem.record_of(r))[c]);
            let mean = rows.clone().map(|r| problem.row_size(r) as f64 * code(r)).sum::<f64>() / people;
            let mean_square =
                rows.clone().map(|r| problem.row_size(r) as f64 * code(r).powi(2)).sum::<f64>() / people;
            let weight = problem.rules()[c].full() as f64 / ONE as f64;
            ((mean_square - mean.powi(2)) / weight.powi(2), c)
        })
        .collect();
    columns.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut sorted: Vec<u32> = rows.collect();
    sorted.sort_by_key(|&r| {
        let codes = problem.codes(problem.record_of(r));
        columns.iter().map(|&(_, c)| codes[c]).collect::<Vec<u32>>()
    });
    sorted
}

/// Grows groups as both papers do; `seed` picks the first row of the next group.
fn naive(problem: &Problem, mut seed: impl FnMut(&[u32], Option<u32>) -> u32) -> Vec<Vec<u32>> {
    let mut free = sorted_rows(problem);
    let people = |rows: &[u32]| rows.iter().map(|&r| problem.row_size(r)).sum::<u64>();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut before = None;
    while people(&free) >= problem.k() {
        let first = seed(&free, before);
        before = Some(first);
        free.retain(|&r| r != first);
        let mut group = vec![first];
        while people(&group) < problem.k() {
            // The cells decide: the papers' counts rise by one row whichever joins.
            let cells = |r: u32| {
                let mut with = group.clone();
                with.push(r);
                group_cost(problem, &with).0.checked_div(people(&with)).unwrap_or(0)
            };
            let best = *free.iter().min_by_key(|&&r| cells(r)).unwrap();
            free.retain(|&r| r != best);
            group.push(best);
        }
        groups.push(group);
    }
    for row in free {
        let rise = |group: &Vec<u32>| {
            let mut with = group.clone();
            with.push(row);
            group_cost(problem, &with).0 - group_cost(problem, group).0
        };
        let best = (0..groups.len()).min_by_key(|&g| rise(&groups[g])).unwrap();
        groups[best].push(row);
    }
    for group in &mut groups {
        group.sort();
    }
    groups.sort();
    groups
}

/// Problems without counts of zero (a row that stands for nobody has no cell cost of its own) and without withholding.
fn problems(seed: u64, how_many: usize) -> Vec<Problem> {
    let mut dice = Dice(seed);
    let mut all = Vec::new();
    while all.len() < how_many {
        if let Some(sample) = sample(&mut dice, 4, 60) {
            let problem = sample.encoded.problem;
            let ordinary = (0..problem.rows() as u32).all(|r| problem.row_size(r) > 0);
            if ordinary && problem.may_withhold() == 0 {
                all.push(problem);
            }
        }
    }
    all
}

#[test]
fn greedy_search_equals_the_paper_followed_to_the_letter() {
    let greedy = Choice::parse("greedy-search").unwrap();
    for problem in problems(31, 300) {
        let fast = solve(&problem, &greedy, &run_with_threads(1)).unwrap();
        let slow = naive(&problem, |free, _| free[0]);
        assert_eq!(as_sets(fast.solution.group_of()), slow);
    }
}

/// Byun et al., distance between two records: values on a line by their distance, labels 0 or 1, leaves by their common node.
fn distance(problem: &Problem, a: u32, b: u32) -> u64 {
    let (a, b) = (problem.codes(problem.record_of(a)), problem.codes(problem.record_of(b)));
    problem
        .rules()
        .iter()
        .enumerate()
        .map(|(c, rule)| match rule.kind() {
            _ if a[c] == b[c] => 0,
            RuleKind::Set { .. } => rule.full(),
            _ => rule.cost(&rule.cover([a[c], b[c]].into_iter())).0,
        })
        .sum()
}

#[test]
fn k_member_equals_the_paper_followed_to_the_letter() {
    let k_member = Choice::parse("k-member").unwrap();
    for problem in problems(37, 300) {
        let run = run_with_threads(1);
        let start = Dice(run.seed).below(problem.rows()) as u32;
        let fast = solve(&problem, &k_member, &run).unwrap();
        let slow = naive(&problem, |free, before| {
            let from = before.unwrap_or(start);
            let furthest = free.iter().map(|&r| distance(&problem, from, r)).max().unwrap();
            *free.iter().find(|&&r| distance(&problem, from, r) == furthest).unwrap()
        });
        assert_eq!(as_sets(fast.solution.group_of()), slow);
    }
}

#[test]
fn mondrian_strict_never_parts_equal_records() {
    let mondrian = Choice::parse("mondrian").unwrap();
    for problem in problems(41, 200) {
        let outcome = solve(&problem, &mondrian, &run_with_threads(1)).unwrap();
        for record in 0..problem.records() as u32 {
            let groups: Vec<u32> =
                problem.rows_of(record).iter().map(|&r| outcome.solution.group_of()[r as usize]).collect();
            assert!(groups.windows(2).all(|w| w[0] == w[1]));
        }
    }
}

#[test]
fn initial_groups_neighbours_in_sorted_order() {
    let initial = Choice::parse("initial").unwrap();
    for problem in problems(43, 200) {
        let outcome = solve(&problem, &initial, &run_with_threads(1)).unwrap();
        let along: Vec<u32> =
            sorted_rows(&problem).iter().map(|&r| outcome.solution.group_of()[r as usize]).collect();
        assert!(along.is_sorted(), "{along:?}");
        // Every run but the last stops as soon as it holds k people.
        let last = outcome.solution.groups() - 1;
        for group in 0..last {
            let rows: Vec<u32> = sorted_rows(&problem)
                .into_iter()
                .filter(|&r| outcome.solution.group_of()[r as usize] == group as u32)
                .collect();
            let but_last: u64 = rows[..rows.len() - 1].iter().map(|&r| problem.row_size(r)).sum();
            assert!(but_last < problem.k());
        }
    }
}
