//! Cases as data: every solver meets every case in `testdata/cases`.

use crate::support::case::{Case, cases};
use crate::support::{
    anonymized, brute_force, choices_for, policy_for, read_back, read_csv, run_with_threads,
};
use kinfold::model::encode::encode;
use kinfold::model::policy::{Draft, Form, Policy};
use kinfold::model::recode::recoded;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::model::verify::{check_truth, verify};
use kinfold::{Options, publish, solve};
use std::path::Path;

/// Cases that are grouped: those that need no command line.
fn grouped() -> Vec<Case> {
    let other =
        |case: &Case| ["args", "files", "verdict", "error", "mistakes"].iter().any(|key| case.has(key));
    cases().into_iter().filter(|case| !other(case)).collect()
}

#[test]
fn every_solver_meets_every_case() {
    let all = grouped();
    assert!(all.len() >= 50, "the cases are gone");
    for case in all {
        let table = read_csv(case.text("table").unwrap());
        let said = policy_for(&table, case.text("policy").unwrap());
        // Whose level is chosen by search is on its coarsest one here.
        let open = said.open_levels();
        let said =
            said.with_levels(open.iter().map(|(name, levels)| (name.as_str(), levels[levels.len() - 1])));
        // Half a line has no number for its end.
        let cut_off = said.quasi().any(|(_, quasi)| !quasi.bands.is_empty());
        let numbers = |form: &Form| matches!(form, Form::Bounds | Form::Midpoint | Form::Wkt);
        for form in Form::of(said.objective).iter().filter(|&form| !(cut_off && numbers(form))) {
            let policy = Policy { form: *form, ..said.clone() };
            let published_as = recoded(&table, &policy).unwrap();
            let encoded = encode(&published_as, &policy).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            for choice in choices_for(&encoded.problem) {
                let place = format!("{}, {choice}, {}", case.name, form.word());
                let outcome = solve(&encoded.problem, &choice, &run_with_threads(2))
                    .unwrap_or_else(|e| panic!("{place}: {e}"));
                if let Some(optimum) = case.number("optimum") {
                    let loss = outcome.solution.loss(&encoded.problem).cells();
                    assert!(loss > optimum - 1e-6, "{place}: {loss} is below the optimum {optimum}");
                }
                let mut release = publish(&published_as, &policy, &encoded, &outcome.solution);
                for published in read_back(&mut release, &policy) {
                    let verdict = verify(&published, &policy).unwrap();
                    assert!(verdict.safe(), "{place}: {verdict:?}");
                    let truth = check_truth(&published, &table, &policy).unwrap();
                    assert!(truth.holds(), "{place}: {truth:?}");
                }
            }
        }
    }
}

#[test]
fn the_known_optima_are_optimal() {
    let mut checked = 0;
    for case in grouped() {
        let Some(optimum) = case.number("optimum") else { continue };
        let table = read_csv(case.text("table").unwrap());
        let encoded = encode(&table, &policy_for(&table, case.text("policy").unwrap())).unwrap();
        if encoded.problem.rows() > 9 {
            continue;
        }
        let best = (brute_force(&encoded.problem).unwrap() + encoded.problem.floor()).cells();
        assert!((best - optimum).abs() < 1e-6, "{}: the best grouping costs {best}", case.name);
        checked += 1;
    }
    assert!(checked >= 5, "only {checked} cases have a known optimum");
}

#[test]
fn the_papers_table_1_falls_into_two_groups() {
    let case = grouped().into_iter().find(|c| c.name.starts_with("paper-table-1.toml")).unwrap();
    let table = read_csv(case.text("table").unwrap());
    let policy = policy_for(&table, case.text("policy").unwrap());
    let encoded = encode(&table, &policy).unwrap();
    // Everybody finds the paper's release but tree-greedy, which lets David choose after the other men have
    // chosen.
    for choice in choices_for(&encoded.problem).into_iter().filter(|c| c.to_string() != "tree-greedy") {
        let outcome = solve(&encoded.problem, &choice, &run_with_threads(1)).unwrap();
        assert_eq!(outcome.solution.groups(), 2, "{choice}");
        let mut bytes = Vec::new();
        let mut release = publish(&table, &policy, &encoded, &outcome.solution);
        release.sort();
        release.write_csv(&mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), case.text("release").unwrap(), "{choice}");
    }
}

/// What is wrong with a table under a policy, as the library says it.
fn told(case: &Case) -> Option<String> {
    let source = match Source::from_bytes(case.text("table")?.as_bytes().to_vec(), &ReadOptions::default()) {
        Ok(source) => source,
        Err(e) => return Some(e.to_string()),
    };
    let policy =
        match Draft::from_toml(case.text("policy")?, Path::new("policy.toml")).settle_for(source.names()) {
            Ok(policy) => policy,
            Err(e) => return Some(e.to_string()),
        };
    match source.read(|_| true) {
        Ok(table) => match encode(&table, &policy) {
            Ok(_) => anonymized(&table, &policy, &Options::default()).err().map(|e| e.to_string()),
            Err(e) => Some(e.to_string()),
        },
        Err(e) => Some(e.to_string()),
    }
}

#[test]
fn errors_are_what_the_cases_say() {
    let mut checked = 0;
    for case in cases() {
        // What only the command sees or says is left to it: flags, files, places in a policy, releases.
        if ["args", "files", "command", "published"].iter().any(|key| case.has(key)) || case.has("most_bytes")
        {
            continue;
        }
        let mistakes = case.mistakes();
        let errors = case.texts("error").into_iter().chain(mistakes.iter().map(|told| told("error")));
        for error in errors.filter(|error| !error.starts_with("policy.toml")) {
            let told = told(&case).unwrap_or_else(|| panic!("{}: nothing is wrong", case.name));
            assert!(told.contains(error), "{}: {error:?} is not in: {told}", case.name);
            checked += 1;
        }
    }
    assert!(checked >= 40, "{checked}");
}
