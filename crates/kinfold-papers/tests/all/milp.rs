//! The paper's mixed-integer program against the exact solver and against trying all groupings.

use crate::support::{
    Dice, Sample, brute_force, enough, rounds, run_with_threads, sample, sample_of_whole_rows,
};
use kinfold::model::judge::Bound;
use kinfold::{Choice, Run, SolveError, solve};
use std::time::{Duration, Instant};

fn milp() -> Choice {
    crate::own().choice("milp").unwrap()
}

fn next(dice: &mut Dice, least: usize, most: usize, columns: usize) -> Sample {
    loop {
        let drawn = sample_of_whole_rows(dice, least, most);
        if drawn.encoded.problem.rules().len() <= columns {
            return drawn;
        }
    }
}

#[test]
fn milp_exact_and_trying_all_groupings_agree() {
    let mut dice = Dice(61);
    let exact = crate::catalogue().choice("exact").unwrap();
    let (mut parted, mut uneven) = (0, 0);
    for _ in 0..rounds(300) {
        let sample = next(&mut dice, 3, 7, 3);
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).unwrap();
        let solution = solve(problem, &milp(), &run_with_threads(1)).unwrap().solution;
        assert_eq!(solution.cost(), best, "{}", sample.recipe);
        // The exact solver promises the best up to rounding.
        let other = solve(problem, &exact, &run_with_threads(1)).unwrap().solution.cost();
        assert!(
            best <= other && other.0 <= best.0 + 16 * problem.people(),
            "{other}, best {best}\n{}",
            sample.recipe
        );
        let Bound::Claimed(bound) = solution.bound() else { panic!("no bound\n{}", sample.recipe) };
        assert!(bound <= best, "{bound} is above the best {best}\n{}", sample.recipe);
        assert!(best.cells() - bound.cells() < 1e-5, "{bound}, best {best}\n{}", sample.recipe);
        parted += usize::from(solution.groups() > 1);
        uneven += usize::from(solution.groups() > 1 && !problem.rows().is_multiple_of(problem.k() as usize));
    }
    assert!(
        parted >= enough(101) && uneven >= enough(31),
        "{parted} tables fall into several groups, {uneven} unevenly"
    );
}

#[test]
fn threads_change_nothing() {
    let mut dice = Dice(62);
    for _ in 0..rounds(10) {
        let sample = next(&mut dice, 6, 7, 2);
        let [one, two] = [1, 2].map(|threads| {
            solve(&sample.encoded.problem, &milp(), &run_with_threads(threads)).unwrap().solution
        });
        assert_eq!(one.group_of(), two.group_of(), "{}", sample.recipe);
        assert_eq!(one.bound(), two.bound(), "{}", sample.recipe);
    }
}

#[test]
fn at_the_deadline_there_is_an_answer_no_worse_than_the_start() {
    let mut dice = Dice(63);
    let sample = next(&mut dice, 38, 40, 4);
    let problem = &sample.encoded.problem;
    for seconds in [0, 1] {
        let deadline = Some(Instant::now() + Duration::from_secs(seconds));
        let solution = solve(problem, &milp(), &Run { deadline, ..run_with_threads(1) }).unwrap().solution;
        let start = solve(problem, &crate::catalogue().choice("initial").unwrap(), &run_with_threads(1))
            .unwrap()
            .solution;
        assert!(solution.cost() <= start.cost(), "{}", sample.recipe);
    }
}

#[test]
fn milp_declines_what_it_cannot_do() {
    let mut dice = Dice(64);
    let declined = |sample: &Sample| match solve(&sample.encoded.problem, &milp(), &run_with_threads(1)) {
        Err(SolveError::Unsupported(why)) => why.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(declined(&next(&mut dice, 41, 50, 4)).contains("at most 40 rows"));
    let mut seen = [false; 2];
    while seen != [true; 2] {
        let Some(sample) = sample(&mut dice, 6, 7) else { continue };
        let problem = &sample.encoded.problem;
        if (0..problem.rows() as u32).any(|row| problem.row_size(row) != 1) {
            seen[0] = declined(&sample).contains("with a count other than 1");
        } else if problem.may_withhold() > 0 {
            seen[1] = declined(&sample).contains("rows to withhold");
        }
    }
}
