//! Cases as data: the command on every case in `testdata/cases`.

#[path = "../../../kinfold-model/tests/all/support/case.rs"]
mod case;

use crate::support::{Folder, Told, with};
use case::{Case, cases};

/// A folder with what the case has: a table, a policy, a release, other files.
fn folder(case: &Case) -> Folder {
    let folder = Folder::new();
    if let Some(table) = case.text("table") {
        folder.write("table.csv", table);
    }
    if case.has("published") {
        folder.write("release.csv", case.published());
    }
    if let Some(policy) = case.text("policy") {
        folder.write("policy.toml", policy);
        // Hierarchies and maps that cases share stand beside them.
        for entry in std::fs::read_dir(case::folder()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.extension().is_some_and(|e| e == "csv") && policy.contains(&*name) {
                folder.write(&name, std::fs::read(&path).unwrap());
            }
        }
    }
    case.files().into_iter().for_each(|(name, text)| folder.write(name, text));
    folder
}

/// `COMMAND FILE`, the policy, the case's own arguments and more.
fn args(case: &Case, command: &'static str, more: &[&'static str]) -> Vec<&'static str> {
    let mut args = vec![command, if command == "verify" { "release.csv" } else { "table.csv" }];
    if case.has("policy") {
        args.extend(["--policy", "policy.toml"]);
    }
    with(&with(&args, &case.texts("args")), more)
}

/// The part of what was told that is about one mistake.
fn report<'t>(case: &Case, told: &'t Told, what: &str) -> &'t str {
    let mut reports = told.err.split("error: ").filter(|report| report.contains(what));
    reports.next().unwrap_or_else(|| panic!("{}: nothing about {what:?} in: {}", case.name, told.err))
}

#[test]
fn there_are_many_cases() {
    assert!(cases().len() >= 120, "{}", cases().len());
}

#[test]
fn every_error_is_told_with_its_hint_and_without_a_cell() {
    for case in cases().iter().filter(|case| case.has("error") || case.has("mistakes")) {
        let folder = folder(case);
        let command = case.text("command").unwrap_or("anonymize");
        let more: &[&str] = if command == "anonymize" { &["-o", "out.csv"] } else { &[] };
        let secret = case.text("table").or(case.text("published")).unwrap();
        let told =
            folder.refuses(&args(case, command, more), "", case.text("hint").unwrap_or_default(), secret);
        for error in case.texts("error") {
            assert!(told.err.contains(error), "{}: {error:?} is not in: {}", case.name, told.err);
        }
        for absent in case.texts("absent") {
            assert!(!told.err.contains(absent), "{}: {absent:?} is in: {}", case.name, told.err);
        }
        let mistakes = case.mistakes();
        for mistake in &mistakes {
            let report = report(case, &told, mistake("error"));
            for key in ["at", "shows", "hint"] {
                assert!(report.contains(mistake(key)), "{}: {report}", case.name);
            }
            assert!(report.contains('^') && report.contains("= help: "), "{}: {report}", case.name);
        }
        if !mistakes.is_empty() {
            assert_eq!(told.err.matches("error: ").count(), mistakes.len(), "{}: {}", case.name, told.err);
        }
        let most = case.number("most_bytes").unwrap_or(f64::INFINITY);
        assert!(told.err.len() as f64 <= most, "{}: {}", case.name, told.err);
    }
}

/// The same rows, the last first: another release of the same people.
fn reversed(release: &str) -> String {
    let (header, rows) = release.split_once('\n').unwrap();
    rows.lines().rev().fold(format!("{header}\n"), |text, row| text + row + "\n")
}

#[test]
fn every_verdict_is_given_in_any_order_of_rows() {
    for case in cases() {
        let Some(verdict) = case.text("verdict") else { continue };
        let folder = folder(&case);
        let original: &[&str] =
            if ["true", "untrue"].contains(&verdict) { &["--original", "table.csv"] } else { &[] };
        let (code, word) = match verdict {
            "safe" => (0, "safe"),
            "unsafe" => (1, "not safe"),
            "true" => (0, "true"),
            "untrue" => (1, "not true"),
            other => panic!("{}: no verdict {other:?}", case.name),
        };
        let told = folder.kinfold(&args(&case, "verify", original));
        assert_eq!(told.code, Some(code), "{}: {}{}", case.name, told.out, told.err);
        told.says(word);
        for reason in case.texts("reason") {
            told.says(reason);
        }
        folder.write("release.csv", reversed(&case.published()));
        let told = folder.kinfold(&args(&case, "verify", original));
        assert_eq!(told.code, Some(code), "{}, reversed: {}{}", case.name, told.out, told.err);
        told.says(word);
        // What is not safe stays so, whatever the original says.
        if verdict == "unsafe" && case.has("table") {
            folder.kinfold(&args(&case, "verify", &["--original", "table.csv"])).ends_with_code(1);
        }
    }
}

#[test]
fn every_release_is_the_one_of_the_case() {
    for case in cases().iter().filter(|case| case.has("release") || case.has("optimum")) {
        let folder = folder(case);
        let before = folder.contents();
        if let Some(release) = case.text("release") {
            let lookup: &[&str] = if case.has("lookup") { &["--lookup", "written.csv"] } else { &[] };
            let told = folder.kinfold(&args(case, "anonymize", &with(&["-o", "-"], lookup)));
            assert_eq!(told.code, Some(0), "{}: {}", case.name, told.err);
            assert_eq!(told.out, release, "{}", case.name);
            if let Some(lookup) = case.text("lookup") {
                assert_eq!(folder.text("written.csv"), lookup, "{}", case.name);
                std::fs::remove_file(folder.path("written.csv")).unwrap();
            }
        }
        if let Some(optimum) = case.number("optimum") {
            let told = folder.kinfold(&args(case, "anonymize", &["--json"]));
            let summary: serde_json::Value = serde_json::from_str(&told.out).unwrap();
            let loss = summary["loss"].as_f64().unwrap_or_else(|| panic!("{}: {summary}", case.name));
            assert!(loss > optimum - 1e-6, "{}: {loss} is below the optimum {optimum}", case.name);
        }
        assert!(before == folder.contents(), "{}: the folder changed", case.name);
    }
}
