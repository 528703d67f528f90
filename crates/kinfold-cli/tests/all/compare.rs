//! Solvers side by side: what is told to people and to machines.

use crate::support::{Folder, PEOPLE, ROLES, Told, well_formed, with};
use serde_json::Value;

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

fn drawn(folder: &Folder, flags: &[&str]) -> Told {
    folder.kinfold(&[&["compare", "table.csv", "-k", "2,3"], &ROLES[..], flags].concat())
}

#[test]
fn only_solvers_that_heed_effort_run_once_with_each() {
    let folder = Folder::with(PEOPLE);
    let rows =
        compared(&folder, &["-k", "2", "--solvers", "initial,anneal,auto", "--efforts", "deep,quick,deep"]);
    let efforts: Vec<Option<&str>> = rows.iter().map(|row| row["effort"].as_str()).collect();
    assert_eq!(efforts, [None, Some("deep"), Some("quick"), Some("deep"), Some("quick")]);
    let rows = compared(&folder, &["-k", "2", "--solvers", "initial,anneal", "--effort", "quick"]);
    assert_eq!(rows[1]["effort"], "quick");
    drawn(&folder, &["--solvers", "anneal", "--efforts", "quick,deep"])
        .ends_with_code(0)
        .says("anneal, deep");
    drawn(&folder, &["--effort", "deep", "--efforts", "quick"]).ends_with_code(2);
}

#[test]
fn the_best_and_the_quickest_are_on_the_frontier() {
    let folder = Folder::with(PEOPLE);
    let rows = compared(&folder, &["-k", "3"]);
    for key in ["average_loss", "cpu_seconds"] {
        let least = rows.iter().filter_map(|row| row[key].as_f64()).fold(f64::INFINITY, f64::min);
        assert!(rows.iter().any(|row| row["frontier"] == true && row[key] == least), "{key}: {rows:?}");
    }
}

#[test]
fn a_chart_has_a_dot_for_every_row_and_no_cell() {
    let folder = Folder::with(PEOPLE);
    let flags =
        ["--solvers", "initial,mondrian:relaxed,anneal", "--efforts", "quick,deep", "--chart", "chart.svg"];
    drawn(&folder, &flags).ends_with_code(0).says("frontier");
    folder.holds(&["chart.svg", "table.csv"]);
    let svg = folder.text("chart.svg");
    well_formed(&svg);
    assert_eq!(svg.matches("<circle class=\"dot").count(), 2 * 4);
    for told in
        ["k = 2, 12 rows", "k = 3, 12 rows", ">mondrian:relaxed<", ">anneal, quick<", ">anneal, deep<"]
    {
        assert!(svg.contains(told), "{told}: {svg}");
    }
    for cell in PEOPLE.lines().skip(1).flat_map(|line| line.split(',')).filter(|cell| cell.len() > 3) {
        assert!(!svg.contains(cell), "{cell} stands in the chart");
    }
}

#[test]
fn a_chart_on_standard_output_stands_there_alone() {
    let folder = Folder::with(PEOPLE);
    let told = drawn(&folder, &["--solvers", "initial", "--chart", "-"]);
    told.ends_with_code(0);
    well_formed(&told.out);
    let args = with(&["compare", "table.csv", "-k", "2", "--chart", "-", "--json"], &ROLES);
    folder.refuses(&args, "cannot both go to standard output", "write the chart to a file", PEOPLE);
}

#[test]
fn a_chart_that_cannot_be_written_is_refused_before_any_work() {
    let folder = Folder::with(PEOPLE);
    folder.write("policy.toml", "k = 2\n");
    let refused = |chart, message, hint| {
        let args = with(&["compare", "table.csv", "--policy", "policy.toml", "--chart", chart], &ROLES);
        folder.refuses(&args, message, hint, PEOPLE);
    };
    refused("nowhere/chart.svg", "cannot write nowhere/chart.svg", "does the folder exist?");
    refused("chart.png", "a chart is an SVG picture", "name it .svg");
    #[cfg(unix)]
    for (name, read) in [("table.svg", "table.csv"), ("policy.svg", "policy.toml")] {
        std::os::unix::fs::symlink(read, folder.path(name)).unwrap();
        refused(name, "is also read", "another name");
    }
}
