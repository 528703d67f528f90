//! Solvers side by side: what is told to people and to machines.

mod support;

use serde_json::Value;
use support::{Folder, PEOPLE, ROLES, with};

/// Compares on `table.csv` with [`ROLES`] and returns the list of `--json`.
fn compared(folder: &Folder, flags: &[&str]) -> Vec<Value> {
    let args = [&["compare", "table.csv", "--json"], &ROLES[..], flags].concat();
    let told = folder.kinfold(&args);
    told.ends_with_code(0);
    serde_json::from_str(&told.out).unwrap()
}

#[test]
fn time_is_told_on_the_wall_and_on_all_cores() {
    let folder = Folder::with(PEOPLE);
    for row in compared(&folder, &["-k", "2,3", "--solvers", "initial,anneal"]) {
        assert!(row["seconds"].as_f64().unwrap() >= 0.0, "{row}");
        assert!(row["cpu_seconds"].as_f64().unwrap() >= 0.0, "{row}");
    }
    let told = folder.kinfold(&with(&["anonymize", "table.csv", "-k", "2", "--json"], &ROLES));
    let summary: Value = serde_json::from_str(&told.out).unwrap();
    assert!(summary["solve_cpu_seconds"].as_f64().unwrap() > 0.0, "{summary}");
}
