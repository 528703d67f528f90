//! Cases as data: every solver meets every case in `testdata/cases`.

use crate::support::{brute_force, choices_for, policy_for, read_csv, run_with_threads};
use kinfold::model::encode::encode;
use kinfold::model::policy::{Form, Policy};
use kinfold::model::table::{ReadOptions, Source};
use kinfold::model::verify::{Published, check_truth, verify};
use kinfold::{publish, solve};

struct Case {
    name: String,
    table: String,
    policy: String,
    /// The least loss of any grouping, in cells.
    optimum: Option<f64>,
    /// The release of the least loss, as CSV.
    release: Option<String>,
}

fn cases() -> Vec<Case> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let value: toml::de::DeTable<'static> =
                toml::de::DeTable::parse(Box::leak(std::fs::read_to_string(path).unwrap().into_boxed_str()))
                    .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
                    .into_inner();
            let text = |key: &str| value.get(key).and_then(|v| v.get_ref().as_str()).map(str::to_owned);
            let number = |key: &str| {
                value.get(key).and_then(|v| v.get_ref().as_float()).map(|f| f.as_str().parse().unwrap())
            };
            Case {
                name: path.file_name().unwrap().to_string_lossy().into_owned(),
                table: text("table").unwrap_or_else(|| panic!("{}: no table", path.display())),
                policy: text("policy").unwrap_or_else(|| panic!("{}: no policy", path.display())),
                optimum: number("optimum"),
                release: text("release"),
            }
        })
        .collect()
}

#[test]
fn every_solver_meets_every_case() {
    let all = cases();
    assert!(all.len() >= 10, "the cases are gone");
    for case in all {
        let table = read_csv(&case.table);
        let said = policy_for(&table, &case.policy);
        for form in Form::of(said.objective) {
            let policy = Policy { form: *form, ..said.clone() };
            let encoded = encode(&table, &policy).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            for choice in choices_for(&encoded.problem) {
                let place = format!("{}, {choice}, {}", case.name, form.word());
                let outcome = solve(&encoded.problem, &choice, &run_with_threads(2))
                    .unwrap_or_else(|e| panic!("{place}: {e}"));
                if let Some(optimum) = case.optimum {
                    let loss = outcome.solution.cost().cells();
                    assert!(loss > optimum - 1e-6, "{place}: {loss} is below the optimum {optimum}");
                }
                let mut bytes = Vec::new();
                publish(&table, &policy, &encoded, &outcome.solution).write_csv(&mut bytes).unwrap();
                let source = Source::from_bytes(bytes.clone(), &ReadOptions::default()).unwrap();
                let published = Published::read(source, &policy, true).unwrap();
                let verdict = verify(&published, &policy).unwrap();
                assert!(verdict.safe(), "{place}: {verdict:?}");
                let truth = check_truth(&published, &table, &policy).unwrap();
                assert!(truth.holds(), "{place}: {truth:?}");
            }
        }
    }
}

#[test]
fn the_known_optima_are_optimal() {
    let mut checked = 0;
    for case in cases() {
        let Some(optimum) = case.optimum else { continue };
        let table = read_csv(&case.table);
        let encoded = encode(&table, &policy_for(&table, &case.policy)).unwrap();
        if encoded.problem.rows() > 9 {
            continue;
        }
        let best = brute_force(&encoded.problem).unwrap().cells();
        assert!((best - optimum).abs() < 1e-6, "{}: the best grouping costs {best}", case.name);
        checked += 1;
    }
    assert!(checked >= 5, "only {checked} cases have a known optimum");
}

#[test]
fn the_papers_table_1_falls_into_two_groups() {
    let case = cases().into_iter().find(|c| c.name == "paper-table-1.toml").unwrap();
    let table = read_csv(&case.table);
    let policy = policy_for(&table, &case.policy);
    let encoded = encode(&table, &policy).unwrap();
    // Everybody finds the paper's release but tree-greedy, which lets David choose after the other men have chosen.
    for choice in choices_for(&encoded.problem).into_iter().filter(|c| c.to_string() != "tree-greedy") {
        let outcome = solve(&encoded.problem, &choice, &run_with_threads(1)).unwrap();
        assert_eq!(outcome.solution.groups(), 2, "{choice}");
        let mut bytes = Vec::new();
        publish(&table, &policy, &encoded, &outcome.solution).write_csv(&mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), case.release.clone().unwrap(), "{choice}");
    }
}
