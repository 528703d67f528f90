//! The program over patterns against the exact solver, trying all groupings, and known optima.

use crate::support::{Dice, brute_force, run_with_threads, sample_of_whole_rows_of};
use crate::{all_choices_for, encoded};
use kinfold::model::cost::{Cost, ONE};
use kinfold::{Choice, solve};
use kinfold_papers::instances::Family;

fn pattern() -> Choice {
    crate::own().choice("stars-pattern").unwrap()
}

#[test]
fn the_pattern_program_meets_exact_and_brute_force() {
    let mut dice = Dice(93);
    for _ in 0..60 {
        let sample = sample_of_whole_rows_of(&mut dice, "stars", 4, 8);
        let problem = &sample.encoded.problem;
        let outcome = solve(problem, &pattern(), &run_with_threads(1)).unwrap();
        let best = brute_force(problem).unwrap();
        assert_eq!(outcome.solution.cost(), best, "{}", sample.recipe);
        assert!(outcome.solution.gap(&sample.encoded.problem).unwrap() < 1e-6, "{}", sample.recipe);
        let exact =
            solve(problem, &crate::catalogue().choice("exact").unwrap(), &run_with_threads(2)).unwrap();
        assert_eq!(exact.solution.cost(), best, "{}", sample.recipe);
    }
}

#[test]
fn the_pattern_program_solves_vertex_cover() {
    for vertices in [4, 6] {
        let instance = Family::VertexCover.instance(vertices, 7, 31).unwrap();
        let problem = &encoded(&instance).problem;
        let outcome = solve(problem, &pattern(), &run_with_threads(1)).unwrap();
        let best = Cost(instance.optimum * ONE);
        assert_eq!(outcome.solution.cost(), best);
        assert_eq!(outcome.solution.bound().cost(), Some(best));
    }
}

#[test]
fn no_solver_beats_a_planted_optimum() {
    let mut met = 0;
    for (size, k) in [(6, 3), (4, 2), (2, 3)] {
        let instance = Family::Matching.instance(size, k, 1).unwrap();
        let problem = &encoded(&instance).problem;
        let optimum = Cost(instance.optimum * ONE);
        for choice in all_choices_for(problem).into_iter().filter(|choice| *choice != Choice::Auto) {
            let solution = solve(problem, &choice, &run_with_threads(1)).unwrap().solution;
            assert!(solution.cost() >= optimum, "{choice} beats the optimum of {}", instance.title);
            assert!(solution.bound().cost().is_none_or(|bound| bound <= optimum), "{choice}");
            met += usize::from(solution.cost() == optimum);
        }
    }
    assert!(met >= 3, "{met}");
}
