//! Tables with a known optimum: the optimum is met by the grouping that comes with them, and by no solver
//! beaten.

use crate::support::{found, read_csv, run_with_threads};
use crate::{all_choices_for, encoded};
use kinfold::model::cost::{Cost, ONE};
use kinfold::model::judge::judge;
use kinfold::solve;
use kinfold_papers::instances::Family;

const SIZES: [(Family, usize, u64); 6] = [
    (Family::VertexCover, 4, 7),
    (Family::Matching, 4, 3),
    (Family::Columns, 4, 3),
    (Family::Labels, 6, 50),
    (Family::Labels, 40, 9),
    (Family::Points, 7, 4),
];

#[test]
fn no_solver_beats_the_optimum_and_the_grouping_meets_it() {
    for (family, size, k) in SIZES {
        // Vertex covers meet all solvers in tests of their own.
        for seed in 0..if family == Family::VertexCover { 1 } else { 2 } {
            let instance = family.instance(size, k, seed).unwrap();
            assert_eq!(instance, family.instance(size, k, seed).unwrap(), "same seed, same table");
            let problem = &encoded(&instance).problem;
            let optimum = Cost(instance.optimum * ONE);
            // Under `columns` rows are grouped by their looks, not by the matching.
            if family != Family::Columns {
                let best = judge(problem, found(instance.group_of.clone())).unwrap();
                assert_eq!(best.cost(), optimum, "{family:?}");
            }
            let mut met = false;
            for choice in all_choices_for(problem) {
                let solution = solve(problem, &choice, &run_with_threads(1)).unwrap().solution;
                assert!(solution.cost() >= optimum, "{choice} beats the optimum of {}", instance.title);
                assert!(solution.bound().cost().is_none_or(|bound| bound <= optimum), "{choice}");
                met |= solution.cost() == optimum;
            }
            // The command's own reader finds the same table.
            assert_eq!(read_csv(&instance.csv()).rows(), instance.rows.len());
            let best = match family {
                Family::Labels if size < 10 => Some("labels:prove"),
                Family::Matching => Some("exact"),
                Family::Columns => Some("columns"),
                _ => None,
            };
            if let Some(best) = best {
                let solution =
                    solve(problem, &crate::catalogue().choice(best).unwrap(), &run_with_threads(1))
                        .unwrap()
                        .solution;
                assert_eq!(solution.cost(), optimum, "{best}: {}", instance.title);
                assert!(met);
            }
        }
    }
}

#[test]
fn impossible_sizes_are_declined_with_the_reason() {
    let declined = |family: Family, size, k| family.instance(size, k, 0).unwrap_err().0;
    assert!(declined(Family::VertexCover, 5, 7).contains("even number of vertices"));
    assert!(declined(Family::Labels, 5, 1).contains("at least 2"));
    assert!(declined(Family::Points, 0, 5).contains("no rows"));
    assert!(declined(Family::Matching, 1_000_000, 1_000).contains("too large"));
    assert!(declined(Family::Labels, usize::MAX, u64::MAX).contains("too large"));
    assert!(declined(Family::Points, 3, u64::MAX).contains("too large"));
    // The smallest there are.
    for family in [Family::Matching, Family::Columns, Family::Labels, Family::Points] {
        let instance = family.instance(1, 2, 0).unwrap();
        assert!(!instance.rows.is_empty(), "{family:?}");
    }
}
