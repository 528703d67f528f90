//! Whole columns: the search against trying all sets.

use crate::support::{Dice, policy_for, read_csv, run_with_threads, sample_of};
use kinfold::model::problem::Problem;
use kinfold::solvers::columns::{best_sets, curve};
use kinfold::{Choice, Run, publish, solve};
use std::collections::BTreeMap;

/// The worth of a set of columns, if it can be kept for this k: plainly, row by row.
fn worth(problem: &Problem, set: u32, k: u64) -> Option<u64> {
    let kept = |c: &usize| set >> c & 1 == 1;
    let mut looks: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for row in 0..problem.rows() as u32 {
        let codes = problem.codes(problem.record_of(row));
        let look = (0..codes.len()).filter(kept).map(|c| codes[c]).collect();
        *looks.entry(look).or_default() += problem.row_size(row);
    }
    let rare: Vec<u64> = looks.into_values().filter(|&people| people < k).collect();
    let allowed = problem.may_withhold();
    let fits = if allowed == 0 { rare.is_empty() } else { rare.iter().sum::<u64>() <= allowed };
    fits.then(|| problem.rules().iter().enumerate().filter(|(c, _)| kept(c)).map(|(_, r)| r.full()).sum())
}

#[test]
fn the_search_equals_trying_all_sets() {
    let mut dice = Dice(71);
    let (mut tables, mut several, mut caught) = (0, 0, 0);
    while tables < 300 {
        let Some(sample) = sample_of(&mut dice, "columns", 4, 40) else { continue };
        let problem = &sample.encoded.problem;
        let all = |k: u64| {
            let sets = 0..1u32 << problem.rules().len();
            let fitting: Vec<(u64, u32)> = sets.filter_map(|s| Some((worth(problem, s, k)?, s))).collect();
            let most = fitting.iter().map(|f| f.0).max().unwrap();
            (most, fitting.iter().filter(|f| f.0 == most).map(|f| f.1).collect::<Vec<u32>>())
        };
        let as_bits = |columns: &[usize]| columns.iter().fold(0, |bits, c| bits | 1u32 << c);
        let (most, sets) = all(problem.k());
        let found = best_sets(problem, 100, &Run::default()).unwrap();
        let mut bits: Vec<u32> = found.iter().map(|kept| as_bits(&kept.columns)).collect();
        bits.sort();
        assert_eq!(bits, sets, "{}", sample.recipe);
        assert!(found.iter().all(|kept| kept.best && kept.worth == most));
        several += usize::from(sets.len() > 1);
        // A planted fault: what is best for k + 1 is safe, but keeps too little.
        let next = problem.k() + 1;
        caught += usize::from(worth(problem, 0, next).is_some() && all(next).0 != most);
        for (k, kept) in curve(problem, 2..=12, &Run::default()).unwrap() {
            let (most, sets) = all(k);
            assert_eq!(kept.worth, most, "k = {k}\n{}", sample.recipe);
            assert!(sets.contains(&as_bits(&kept.columns)));
        }
        let solution = solve(problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
        assert_eq!(solution.cost().0, problem.withheld_cost() - most, "{}", sample.recipe);
        assert_eq!(solution.gap(problem), Some(0.0));
        tables += 1;
    }
    assert!(several > 20, "{several} tables with several best sets");
    assert!(caught > 20, "{caught} tables on which too few columns would be seen");
}

#[test]
fn a_dropped_column_is_published_as_nothing_but_stars() {
    // Groups by sex could keep one age; but ages differ elsewhere, so nobody's is told.
    let table = read_csv("age,sex\n20,F\n20,F\n30,M\n31,M\n");
    let policy = policy_for(
        &table,
        "k = 2\nobjective = \"columns\"\n[columns]\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n",
    );
    let encoded = kinfold::model::encode::encode(&table, &policy).unwrap();
    let outcome = solve(&encoded.problem, &Choice::Auto, &Run::default()).unwrap();
    let mut bytes = Vec::new();
    publish(&table, &policy, &encoded, &outcome.solution).write_csv(&mut bytes).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), "age,sex\n*,F\n*,F\n*,M\n*,M\n");
}
