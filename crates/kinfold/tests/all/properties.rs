//! Promises on random tables of every kind.

use crate::support::{
    Dice, OUT, brute_force, brute_force_counting, choices, choices_for, enough, found, policy_for, read_back,
    read_csv, rounds, run_with_threads, sample, sample_of,
};
use kinfold::model::cost::{Objective, group_cost};
use kinfold::model::encode::encode;
use kinfold::model::judge::{Broken, WITHHELD, judge};
use kinfold::model::policy::Form;
use kinfold::model::recoding::Recoding;
use kinfold::model::verify::{check_truth, verify};
use kinfold::{Choice, Effort, Run, publish, solve};

#[test]
fn no_solver_beats_the_best_of_all_groupings() {
    let mut dice = Dice(1);
    let (mut tables, mut met) = (0, vec![0; choices().len()]);
    while tables < rounds(400) {
        let objective = dice.pick(&[
            "ncp", "ncp", "stars", "stars", "columns", "radius", "radius", "radius", "cellular", "cellular",
            "sse",
        ]);
        let Some(sample) = sample_of(&mut dice, objective, 3, 8) else { continue };
        let problem = &sample.encoded.problem;
        let best = brute_force(problem).expect("a possible problem has a grouping");
        let fitting = choices_for(problem);
        for (i, choice) in choices().iter().enumerate().filter(|(_, c)| fitting.contains(c)) {
            let outcome = solve(problem, choice, &run_with_threads(1))
                .unwrap_or_else(|e| panic!("{choice}: {e}\n{}", sample.recipe));
            let cost = outcome.solution.cost();
            assert!(cost >= best, "{choice}: {cost} is below the best {best}\n{}", sample.recipe);
            met[i] += usize::from(cost == best);
        }
        tables += 1;
    }
    // The bound is not idle: every solver reaches it on some of the tables. Those of places need others: see
    // places.rs.
    let of_places = |choice: &Choice| choice.card().objectives == [Objective::GroupSize];
    // Nor those of global recoding: see levels.rs.
    let elsewhere = |choice: &Choice| of_places(choice) || choice.card().recoding == Recoding::Global;
    for (choice, met) in choices().iter().zip(met).filter(|(choice, _)| !elsewhere(choice)) {
        assert!(met >= enough(15), "{choice} was best on {met} of {tables} tables only");
    }
}

#[test]
fn every_grouping_of_nine_rows_is_tried() {
    const BELL_9: usize = 21_147;
    let mut dice = Dice(3);
    let mut tables = 0;
    while tables < 5 {
        let Some(sample) = sample(&mut dice, 9, 9).filter(|s| s.encoded.problem.may_withhold() == 0) else {
            continue;
        };
        let (best, tried) = brute_force_counting(&sample.encoded.problem);
        assert_eq!(tried, BELL_9);
        for choice in choices_for(&sample.encoded.problem) {
            let outcome = solve(&sample.encoded.problem, &choice, &run_with_threads(1)).unwrap();
            assert!(outcome.solution.cost() >= best.unwrap(), "{choice}\n{}", sample.recipe);
        }
        tables += 1;
    }
}

#[test]
fn every_release_is_safe_and_true_also_when_sorted() {
    let mut dice = Dice(5);
    let mut tables = 0;
    while tables < rounds(200) {
        let objective = dice.pick(&["ncp", "stars", "columns", "radius", "cellular", "sse"]);
        let Some(mut sample) = sample_of(&mut dice, objective, 4, 40) else { continue };
        let forms = Form::of(sample.policy.objective);
        sample.policy.form = forms[dice.below(forms.len())];
        for choice in choices_for(&sample.encoded.problem) {
            let outcome = solve(&sample.encoded.problem, &choice, &run_with_threads(1)).unwrap();
            for sorted in [false, true] {
                let mut release = publish(&sample.table, &sample.policy, &sample.encoded, &outcome.solution);
                if sorted {
                    release.sort();
                }
                for published in read_back(&mut release, &sample.policy) {
                    let verdict = verify(&published, &sample.policy).unwrap();
                    assert!(verdict.safe(), "{choice}: {verdict:?}\n{}", sample.recipe);
                    let truth = check_truth(&published, &sample.table, &sample.policy).unwrap();
                    assert!(truth.holds(), "{choice}: {truth:?}\n{}", sample.recipe);
                }
            }
        }
        tables += 1;
    }
}

#[test]
fn groups_are_published_as_what_covers_their_rows_and_cost_that() {
    let mut dice = Dice(9);
    for _ in 0..rounds(200) {
        let objective = dice.pick(&["ncp", "stars", "columns"]);
        let Some(sample) = sample_of(&mut dice, objective, 4, 60) else { continue };
        let problem = &sample.encoded.problem;
        let solution = solve(problem, &Choice::Auto, &run_with_threads(1)).unwrap().solution;
        let mut cost = solution.withheld_people(problem) * problem.withheld_cost();
        for group in 0..solution.groups() {
            let rows = solution.rows(group);
            cost += group_cost(problem, rows).0;
            for (column, rule) in problem.rules().iter().enumerate() {
                let codes = rows.iter().map(|&row| problem.codes(problem.record_of(row))[column]);
                assert_eq!(solution.cover(problem, group, column), rule.cover(codes), "{}", sample.recipe);
            }
        }
        assert!(objective == "columns" || solution.cost().0 == cost, "{}", sample.recipe);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut dice = Dice(8);
    let mut csv = String::from("a,b,c,d\n");
    for _ in 0..60_000 {
        let a = dice.below(2000);
        csv += &format!("{a},{},{},{}\n", dice.below(400), dice.pick(&["x", "y", "z"]), dice.below(30));
    }
    let table = crate::support::read_csv(&csv);
    let policy = crate::support::policy_for(
        &table,
        "k = 4\n[columns]\na = { role = \"quasi\", kind = \"numeric\" }\nb = { role = \"quasi\", kind = \"numeric\" }\n\
         c = { role = \"quasi\", kind = \"category\" }\nd = { role = \"quasi\", kind = \"category\" }\n",
    );
    let encoded = kinfold::model::encode::encode(&table, &policy).unwrap();
    assert!(encoded.problem.records() > 40_000, "the parallel paths are not reached");
    for choice in ["initial", "mondrian", "mondrian:relaxed", "tree-greedy", "anneal"] {
        let choice = Choice::parse(choice).unwrap();
        let one = solve(&encoded.problem, &choice, &run_with_threads(1)).unwrap();
        for threads in [2, 4] {
            let more = solve(&encoded.problem, &choice, &run_with_threads(threads)).unwrap();
            assert_eq!(one.solution.group_of(), more.solution.group_of(), "{choice} with {threads} threads");
        }
    }
    // The quadratic ones on a table of their size.
    let mut dice = Dice(9);
    for _ in 0..rounds(20) {
        let objective = dice.pick(&["ncp", "ncp", "stars", "radius", "cellular", "sse"]);
        let Some(sample) = sample_of(&mut dice, objective, 200, 300) else { continue };
        for choice in choices_for(&sample.encoded.problem) {
            let one = solve(&sample.encoded.problem, &choice, &run_with_threads(1)).unwrap();
            for threads in [2, 4] {
                let more = solve(&sample.encoded.problem, &choice, &run_with_threads(threads)).unwrap();
                assert_eq!(
                    one.solution.group_of(),
                    more.solution.group_of(),
                    "{choice} with {threads} threads"
                );
            }
        }
    }
}

#[test]
fn at_the_deadline_the_answer_is_valid() {
    let mut dice = Dice(21);
    let sample = loop {
        match sample(&mut dice, 100, 200) {
            Some(s) => break s,
            None => continue,
        }
    };
    for choice in choices_for(&sample.encoded.problem) {
        let mut run = run_with_threads(1);
        run.deadline = Some(std::time::Instant::now());
        let outcome = solve(&sample.encoded.problem, &choice, &run).unwrap();
        assert!(outcome.solution.smallest() >= sample.policy.k, "{choice}");
    }
}

#[test]
fn a_stopped_run_has_no_answer() {
    let mut dice = Dice(22);
    let sample = loop {
        match sample(&mut dice, 50, 60) {
            Some(s) => break s,
            None => continue,
        }
    };
    for choice in choices_for(&sample.encoded.problem) {
        let run = run_with_threads(1);
        run.call.stop();
        let answer = solve(&sample.encoded.problem, &choice, &run);
        assert!(matches!(answer, Err(kinfold::SolveError::Stopped(_))), "{choice}");
    }
}

#[test]
fn near_misses_are_refused_for_the_right_reason() {
    let table = crate::support::read_csv("age\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    let policy = crate::support::policy_for(
        &table,
        "k = 3\nwithhold = \"10%\"\n[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\n",
    );
    let encoded = kinfold::model::encode::encode(&table, &policy).unwrap();
    let verdict = |group_of: &[u32]| judge(&encoded.problem, found(group_of.to_vec())).map(|s| s.groups());
    assert_eq!(verdict(&[0, 0, 0, 1, 1, 1, 2, 2, 2, 2]), Ok(3));
    assert_eq!(verdict(&[0, 0, 0, 1, 1, 1, 2, 2, 2, OUT]), Ok(3), "one in ten may be withheld");
    assert_eq!(
        verdict(&[0, 0, 0, 1, 1, 1, 1, 1, 2, 2]),
        Err(Broken::TooSmall { group: 2, size: 2, k: 3 }),
        "one row short of k"
    );
    assert_eq!(
        verdict(&[0, 0, 0, 0, 1, 1, 1, 1, OUT, OUT]),
        Err(Broken::TooManyWithheld { withheld: 2, allowed: 1 })
    );
    assert_eq!(verdict(&[0, 0, 0, 2, 2, 2, 2, 2, 2, 2]), Err(Broken::EmptyGroup(1)), "a number is skipped");
    assert_eq!(verdict(&[0, 0, 0, 9, 9, 9, 77, 77, 77, 77]), Err(Broken::EmptyGroup(1)));
    assert_eq!(verdict(&[0, 0, 0, 1, 1, 1, 2, 2, 2]), Err(Broken::WrongLength { expected: 10, found: 9 }));
    assert_eq!(verdict(&[OUT; 10]), Err(Broken::NothingReleased));
}

#[test]
fn the_rows_that_cost_most_are_withheld() {
    // Two towns of people who are alike, and one person like nobody else.
    let mut csv = String::from("age,height,town\n");
    for i in 0..40 {
        csv += &format!("{},{},{}\n", 30 + i % 4, 170 + i % 3, ["Ulm", "Jena"][i % 2]);
    }
    csv += "99,210,Oslo\n";
    let table = crate::support::read_csv(&csv);
    let policy = |withhold: &str| {
        let columns = "[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\n\
                       height = { role = \"quasi\", kind = \"numeric\" }\ntown = \"quasi\"\n";
        crate::support::policy_for(&table, &format!("k = 5\n{withhold}{columns}"))
    };
    let solved = |withhold: &str| {
        let encoded = kinfold::model::encode::encode(&table, &policy(withhold)).unwrap();
        let run = Run { effort: Effort::Normal, ..run_with_threads(1) };
        solve(&encoded.problem, &Choice::parse("anneal").unwrap(), &run).unwrap().solution
    };
    let (all, most) = (solved(""), solved("withhold = \"10%\"\n"));
    assert_eq!(all.withheld(), 0);
    assert_eq!(most.withheld(), 1, "nobody else costs more than all there is to tell");
    assert_eq!(most.group_of()[40], OUT);
    assert!(most.cost() < all.cost());
}

#[test]
fn sizes_alone_make_discernibility_and_average_class_size() {
    let table = read_csv("age,n\n1,2\n2,3\n3,1\n9,4\n50,1\n");
    let toml = "k = 4\nwithhold = \"10%\"\n[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\nn = \"count\"\n";
    let problem = encode(&table, &policy_for(&table, toml)).unwrap().problem;
    // Groups of 6 and 4 people, and one of eleven withheld: 6² + 4² + 11, and 10 people in 2 groups of k = 4.
    let solution = judge(&problem, found(vec![0, 0, 0, 1, WITHHELD])).unwrap();
    assert_eq!(solution.discernibility(&problem), 36 + 16 + 11);
    assert_eq!(solution.average_class_size(&problem), 10.0 / 2.0 / 4.0);
}
