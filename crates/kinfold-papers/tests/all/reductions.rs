//! Suppression: the theorems of papers *suppress* and *complexity* as tests, on their reductions.

use crate::support::oracles::stars;
use crate::support::{brute_force, found, rounds, run_with_threads};
use crate::{all_choices_for, encoded};
use kinfold::model::cost::{Cost, ONE};
use kinfold::model::judge::judge;
use kinfold::model::problem::Problem;
use kinfold::{Choice, Run, bounds, solve};
use kinfold_papers::instances::{Family, Hypergraph};

fn cost_by(problem: &Problem, solver: &str) -> Cost {
    solve(problem, &crate::catalogue().choice(solver).unwrap(), &run_with_threads(2)).unwrap().solution.cost()
}

fn cells(stars: usize) -> Cost {
    Cost(stars as u64 * ONE)
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
        let solver = crate::catalogue().iter().find(|s| s.card().key == "stars-cover").unwrap();
        solver.supports(&problem).err().map(|why| why.0)
    };
    assert_eq!(declines(30, 3), None);
    let why = declines(60, 3).unwrap();
    assert!(why.contains("5983367"), "C(60,3) + C(60,4) + C(60,5): {why}");
    assert!(declines(60, 20).unwrap().contains("billions of"));
}

#[test]
fn vertex_cover_tables_cost_what_theorem_3_1_says() {
    for &vertices in &[4, 6, 10][..rounds(3)] {
        let instance = Family::VertexCover.instance(vertices, 7, 31).unwrap();
        let problem = &encoded(&instance).problem;
        let best = cells(instance.optimum as usize);
        let claimed = judge(problem, found(instance.group_of)).unwrap();
        assert_eq!(claimed.cost(), best, "the grouping of Claim 1");
        for choice in all_choices_for(problem).into_iter().filter(|c| c.to_string() != "stars-pattern") {
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
fn perfect_matchings_leave_as_many_columns_as_theorem_3_2_says() {
    for (k, groups) in [(3, 3), (3, 5), (4, 4)] {
        let instance = Family::Columns.instance(groups, k, 72).unwrap();
        let problem = encoded(&instance).problem;
        let solution = solve(&problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
        assert_eq!(solution.cost().cells(), instance.optimum as f64);
    }
    let unmatched =
        Hypergraph::new(6, 3, vec![vec![0, 1, 2], vec![2, 3, 4], vec![0, 3, 5]]).unwrap().columns();
    let solution = solve(&encoded(&unmatched).problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
    assert!(solution.cost().cells() > (3 - 2) as f64, "no two of these edges are disjoint");
}
