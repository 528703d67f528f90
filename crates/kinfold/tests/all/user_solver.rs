//! Solvers that users write: run, judged and chosen by name as any other.

use crate::support::{anonymized, policy_for, read_csv, run_with_threads};
use kinfold::model::cost::{Cost, Objective};
use kinfold::model::encode::encode;
use kinfold::model::judge::{Broken, Found};
use kinfold::model::problem::Problem;
use kinfold::solvers::RENAMED;
use kinfold::{
    Answer, Card, Options, Run, Setting, SolveError, Solver, Solvers, Stopped, Unsupported, solve, solve_by,
};
use std::collections::BTreeMap;

/// Parts the rows in two halves; with `fault` on, the second half is one row.
struct Halves;

const CARD: Card = Card {
    key: "two-parts",
    title: "the first rows, and the others",
    paper: "none",
    objectives: &[Objective::Ncp],
    runtime: "none",
    not_for: "more than ten rows",
    settings: &[Setting { key: "fault", values: &["false", "true"], about: "answers wrongly" }],
    ..Card::BASE
};

impl Solver for Halves {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        if problem.rows() <= 10 { Ok(()) } else { Err(Unsupported("more than ten rows".into())) }
    }

    fn within_settings(&self, problem: &Problem, said: &BTreeMap<String, String>) -> Result<(), Unsupported> {
        let odd = !problem.rows().is_multiple_of(2) && said.contains_key("fault");
        if odd { Err(Unsupported("no fault in odd tables".into())) } else { Ok(()) }
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        run.check()?;
        let rows = problem.rows() as u32;
        let second = if run.is_on("fault") { rows - 1 } else { rows / 2 };
        let found = Found::plain((0..rows).map(|row| u32::from(row >= second)).collect());
        Ok(Answer { found, bound: Some(Cost(1)), remark: Some("cut in two".into()) })
    }
}

fn ages(rows: usize) -> Problem {
    let table = read_csv(&format!("age\n{}", (0..rows).map(|age| format!("{age}\n")).collect::<String>()));
    let policy = policy_for(&table, "k = 2\n[columns.age]\nrole = \"quasi\"\nkind = \"numeric\"\n");
    encode(&table, &policy).unwrap().problem
}

#[test]
fn a_users_solver_is_run_and_judged() {
    let outcome = solve_by(&Halves, &ages(6), &run_with_threads(2)).unwrap();
    assert_eq!(outcome.solution.group_of(), [0, 0, 0, 1, 1, 1]);
    // Two halves of three people, each two fifths of the range wide.
    assert!((outcome.solution.cost().cells() - 6.0 * 0.4).abs() < 1e-6);
    assert_eq!((outcome.solver.as_str(), outcome.remark.as_deref()), ("two-parts", Some("cut in two")));
    assert_eq!(outcome.solution.bound().cost(), Some(Cost(1)));
}

#[test]
fn a_users_solver_declines_and_is_refused_for_the_right_reason() {
    let run = run_with_threads(1);
    let faulty = Run { settings: [("fault".to_owned(), "true".to_owned())].into(), ..run.clone() };
    match solve_by(&Halves, &ages(6), &faulty) {
        Err(SolveError::Broken { solver, broken: Broken::TooSmall { .. } }) => {
            assert_eq!(solver, "two-parts")
        }
        other => panic!("{other:?}"),
    }
    let declined = |rows: usize, run: &Run| match solve_by(&Halves, &ages(rows), run) {
        Err(SolveError::Unsupported(why)) => why.0,
        other => panic!("{other:?}"),
    };
    assert_eq!(declined(11, &run), "more than ten rows");
    assert_eq!(declined(7, &faulty), "no fault in odd tables");
    run.call.stop();
    assert!(matches!(solve_by(&Halves, &ages(6), &run), Err(SolveError::Stopped(_))));
}

#[test]
fn a_users_solver_can_be_chosen_by_name() {
    let solvers = Solvers::standard().with(&[&Halves]);
    let keys: Vec<&str> = solvers.cards().map(|card| card.key).collect();
    assert_eq!(keys.len(), Solvers::standard().cards().count() + 1);
    assert_eq!(keys.iter().filter(|key| **key == "two-parts").count(), 1);
    let choice = solvers.choice("two-parts").unwrap();
    let outcome = solve(&ages(6), &choice, &run_with_threads(1)).unwrap();
    assert_eq!((outcome.solver.as_str(), outcome.solution.groups()), ("two-parts", 2));
    let faulty = solvers.choice("two-parts:fault").unwrap();
    match solve(&ages(6), &faulty, &run_with_threads(1)) {
        Err(SolveError::Broken { solver, .. }) => assert_eq!(solver, "two-parts:fault"),
        other => panic!("{other:?}"),
    }
    // Who does not have it does not know it, and a near miss is told.
    let unknown = Solvers::standard().choice("two-parts").unwrap_err();
    assert_eq!(unknown.to_string(), "unknown solver \"two-parts\"");
    assert_eq!(
        solvers.choice("two-part").unwrap_err().hint().unwrap().to_string(),
        "did you mean \"two-parts\"?"
    );
    let setting = solvers.choice("two-parts:fold").unwrap_err();
    assert_eq!(setting.hint().unwrap().to_string(), "it has fault");
}

#[test]
fn solvers_of_other_crates_are_said_to_be_lacking() {
    for name in ["milp", "stars-pattern"] {
        let lacking = Solvers::standard().choice(name).unwrap_err();
        assert_eq!(lacking.to_string(), format!("this build lacks solver {name}"));
        assert!(lacking.hint().unwrap().to_string().contains("--features exact"));
    }
}

#[test]
fn names_that_solvers_had_are_read_as_those_they_have_with_a_note() {
    let solvers = Solvers::standard();
    for &(old, new) in RENAMED {
        assert!(solvers.cards().all(|card| card.key != old), "{old}");
        let choice = solvers.choice(old).unwrap();
        assert_eq!(choice.to_string(), new);
        assert_eq!(choice.note().unwrap().to_string(), format!("solver {old} is now {new}"));
        assert!(solvers.choice(new).unwrap().note().is_none());
    }
    assert_eq!(solvers.choice("gather-outliers:records").unwrap().to_string(), "gather:records");
    let table = read_csv("x\n1\n2\n8\n9\n");
    let policy = policy_for(
        &table,
        "k = 2\nobjective = \"radius\"\n[columns]\nx = { role = \"quasi\", kind = \"numeric\" }\n",
    );
    let mut options = Options::default();
    options.solver = solvers.choice("kr-center").unwrap();
    let report = anonymized(&table, &policy, &options).unwrap().report;
    assert_eq!(report.solver, "gather");
    assert!(report.notes.iter().any(|note| note.to_string() == "solver kr-center is now gather"));
}
