//! The exact solver against trying all groupings, and what it says at a deadline.

use crate::support::{
    Dice, Sample, brute_force, enough, rounds, run_with_threads, sample, sample_of_whole_rows,
};
use kinfold::model::cost::Cost;
use kinfold::model::judge::Bound;
use kinfold::model::problem::Problem;
use kinfold::{Choice, Effort, Run, SolveError, solve};

/// Units by which rounding may hide a better grouping.
fn rounding(people: u64) -> u64 {
    16 * people
}

/// What is wrong with a solver that promises the optimum, if the best costs this much.
fn fault(problem: &Problem, cost: Cost, bound: Cost, best: Cost) -> Option<&'static str> {
    let near = rounding(problem.people());
    if cost.0 > best.0 + near {
        Some("it is not the best")
    } else if bound > best {
        Some("its bound is above the best")
    } else {
        (bound.0 + near < best.0).then_some("its bound proves less than it says")
    }
}

#[test]
fn exact_is_as_good_as_trying_all_groupings() {
    let mut dice = Dice(51);
    let exact = Choice::parse("exact").unwrap();
    // Planted faults: sorted runs called the best, a bound that is too high, and one that is too low.
    let mut caught = [0; 3];
    for _ in 0..300 {
        let sample = sample_of_whole_rows(&mut dice, 3, 9);
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).unwrap();
        let solution = solve(problem, &exact, &run_with_threads(1)).unwrap().solution;
        let cost = solution.cost();
        let Bound::Claimed(bound) = solution.bound() else { panic!("no bound\n{}", sample.recipe) };
        let fault = |cost, bound| fault(problem, cost, bound, best);
        assert_eq!(fault(cost, bound), None, "{cost}, {bound}, best {best}\n{}", sample.recipe);
        let runs = Choice::parse("initial").unwrap();
        let runs = solve(problem, &runs, &run_with_threads(1)).unwrap().solution.cost();
        let low = Cost(best.0 - (best.0 / 100).max(rounding(problem.people()) + 1).min(best.0));
        for (caught, (cost, bound)) in
            caught.iter_mut().zip([(runs, best), (best, best + Cost(1)), (best, low)])
        {
            *caught += usize::from(fault(cost, bound).is_some());
        }
    }
    assert!(caught[0] > 50 && caught[1] == 300 && caught[2] > 200, "{caught:?}");
}

#[test]
fn exact_is_never_worse_than_others_and_threads_change_nothing() {
    let mut dice = Dice(52);
    let exact = Choice::parse("exact").unwrap();
    for _ in 0..15 {
        let sample = sample_of_whole_rows(&mut dice, 12, 24);
        let problem = &sample.encoded.problem;
        let one = solve(problem, &exact, &run_with_threads(1)).unwrap().solution;
        let auto = solve(problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
        assert!(one.cost() <= auto.cost(), "{}", sample.recipe);
        let two = solve(problem, &exact, &run_with_threads(2)).unwrap().solution;
        assert_eq!(one.group_of(), two.group_of(), "{}", sample.recipe);
    }
}

#[test]
fn exact_declines_what_it_cannot_do() {
    let mut dice = Dice(53);
    let exact = Choice::parse("exact").unwrap();
    let large = sample_of_whole_rows(&mut dice, 1_001, 1_010);
    let declined = |sample: &Sample| match solve(&sample.encoded.problem, &exact, &run_with_threads(1)) {
        Err(SolveError::Unsupported(why)) => why.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(declined(&large).contains("at most 1000 rows"));
    let mut seen = [false; 2];
    while seen != [true; 2] {
        let Some(sample) = sample(&mut dice, 10, 12) else { continue };
        let problem = &sample.encoded.problem;
        if (0..problem.rows() as u32).any(|row| problem.row_size(row) != 1) {
            seen[0] = declined(&sample).contains("with a count other than 1");
        } else if problem.may_withhold() > 0 {
            seen[1] = declined(&sample).contains("rows to withhold");
        }
    }
}

#[test]
fn polishing_only_makes_better_and_threads_change_nothing() {
    let mut dice = Dice(54);
    let [anneal, polish] = ["anneal", "polish"].map(|key| Choice::parse(key).unwrap());
    let (mut better, mut close) = (0, 0);
    for _ in 0..rounds(6) {
        let sample = sample_of_whole_rows(&mut dice, 120, 180);
        let problem = &sample.encoded.problem;
        let start = solve(problem, &anneal, &run_with_threads(1)).unwrap().solution;
        let one = solve(problem, &polish, &run_with_threads(1)).unwrap().solution;
        assert!(one.cost() <= start.cost(), "{}", sample.recipe);
        let two = solve(problem, &polish, &run_with_threads(2)).unwrap().solution;
        assert_eq!(one.group_of(), two.group_of(), "{}", sample.recipe);
        let bound = one.bound().cost().unwrap();
        assert!(bound <= one.cost(), "{}", sample.recipe);
        better += usize::from(one.cost() < start.cost());
        close += usize::from(one.cost().cells() <= 1.03 * bound.cells());
    }
    assert!(
        better >= enough(3) && close >= enough(3),
        "{better} of 6 became better, {close} are close to the bound"
    );
}

#[test]
fn deep_annealing_is_within_a_per_cent_of_the_proven_best() {
    let columns = "age = { role = \"quasi\", kind = \"numeric\" }\nyears = { role = \"quasi\", kind = \"numeric\" }\n\
                   a = \"quasi\"\nb = \"quasi\"\nc = \"quasi\"\nd = \"quasi\"\ne = \"quasi\"\nf = \"quasi\"\n";
    let mut worst = 1.0f64;
    for seed in 0..rounds(20) as u64 {
        let mut dice = Dice(1000 + seed);
        let mut csv = String::from("age,years,a,b,c,d,e,f\n");
        for _ in 0..36 {
            csv += &format!("{},{}", 17 + dice.below(60), 5 + dice.below(12));
            for labels in [7, 7, 14, 5, 2, 20] {
                // Low labels are common, as in census tables.
                let label = dice.below(labels).min(dice.below(labels)).min(dice.below(labels));
                csv += &format!(",l{label}");
            }
            csv.push('\n');
        }
        let table = crate::support::read_csv(&csv);
        let policy = crate::support::policy_for(&table, &format!("k = 3\n[columns]\n{columns}"));
        let encoded = kinfold::model::encode::encode(&table, &policy).unwrap();
        let run = Run { effort: Effort::Deep, ..run_with_threads(2) };
        let cost = |key: &str| {
            solve(&encoded.problem, &Choice::parse(key).unwrap(), &run).unwrap().solution.cost().cells()
        };
        worst = worst.max(cost("anneal") / cost("exact"));
    }
    assert!(worst <= 1.01, "{worst} times the best");
}

#[test]
fn polishing_never_makes_worse_and_threads_change_nothing() {
    use kinfold::bounds::{Strength, prove};
    use kinfold::model::judge::judge;
    use kinfold::solvers::polish::improve;
    let mut dice = Dice(54);
    let mut better = 0;
    for _ in 0..rounds(6) {
        let sample = sample_of_whole_rows(&mut dice, 120, 200);
        let problem = &sample.encoded.problem;
        // A poor start leaves something to be found.
        let mut start =
            solve(problem, &Choice::parse("greedy-search").unwrap(), &run_with_threads(1)).unwrap().solution;
        let prices = prove(problem, &mut start, Strength::Lp, &run_with_threads(1)).unwrap().unwrap();
        let one = improve(problem, &start, &prices, &run_with_threads(1)).unwrap();
        let two = improve(problem, &start, &prices, &run_with_threads(2)).unwrap();
        assert_eq!(one, two, "{}", sample.recipe);
        let after = judge(problem, one).unwrap().cost();
        assert!(after <= start.cost() && after >= prices.bound(problem), "{}", sample.recipe);
        better += usize::from(after < start.cost());
    }
    assert!(better >= enough(3), "only {better} groupings became better");
}
