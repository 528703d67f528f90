//! Utility against the definitions, on tables where the answer is known.

use crate::support::{Dice, policy_for, read_csv};
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::report::UtilityReport;
use kinfold::{UtilityOptions, read_release, utility};

const POLICY: &str = r#"
k = 2
[columns]
age = { role = "quasi", kind = "numeric" }
town = { role = "quasi", kind = "category" }
ill = { role = "sensitive" }
"#;

fn compared(original: &str, release: &str, change: impl Fn(&mut UtilityOptions<'_>)) -> UtilityReport {
    let table = read_csv(original);
    let policy: Policy = policy_for(&table, POLICY);
    let source = Source::from_bytes(release.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let mut options = UtilityOptions::default();
    change(&mut options);
    utility(read_release(source, &policy, true).unwrap(), &table, &policy, &options).unwrap()
}

fn people(rows: usize) -> String {
    let mut dice = Dice(2);
    let mut text = String::from("age,town,ill\n");
    for _ in 0..rows {
        let town = dice.pick(&["Ulm", "Bonn"]);
        // The town tells the age, and both tell the illness.
        let age = if town == "Ulm" { 20 + dice.below(5) } else { 40 + dice.below(5) };
        text += &format!("{age},{town},{}\n", if age > 30 { "gout" } else { "itch" });
    }
    text
}

#[test]
fn a_release_that_changes_nothing_loses_nothing() {
    let csv = people(200);
    let same = compared(&csv, &csv, |options| options.target = Some("ill".into()));
    for column in &same.columns {
        assert!(column.distance < 1e-12 && column.before == column.after, "{column:?}");
    }
    assert!(same.pairs[0].before > 0.9 && (same.pairs[0].before - same.pairs[0].after).abs() < 1e-9);
    assert!(same.queries.median_error < 1e-9 && same.queries.high_error_without_spreading < 1e-9);
    let target = same.target.unwrap();
    assert_eq!((target.accuracy_before, target.accuracy_after, target.held_out), (1.0, 1.0, true));
    assert!(target.base_rate < 0.7 && target.tested_rows > 20);
}

#[test]
fn cells_are_spread_over_what_they_cover() {
    let original = "age,town,ill\n0,Ulm,x\n1,Ulm,x\n2,Bonn,x\n3,Bonn,x\n";
    let release = "age,town,ill\n[0-1],{Bonn|Ulm},x\n[0-1],{Bonn|Ulm},x\n[2-3],*,x\n[2-3],*,x\n";
    let found = compared(original, release, |_| {});
    // Four bins of equal width; labels by frequency, then appearance: all are as before.
    assert_eq!(found.columns[0].before, [0.25, 0.25, 0.25, 0.25, 0.0]);
    assert!(found.columns[1].distance < 1e-12);
    // Age and town went together, one bit; now they are independent.
    assert!((found.pairs[0].before - 1.0).abs() < 1e-9 && found.pairs[0].after < 1e-9);
    let moved = compared(original, "age,town,ill\n0,Ulm,x\n0,Ulm,x\n0,Ulm,x\n0,Ulm,x\n", |_| {});
    assert!((moved.columns[0].distance - 0.75).abs() < 1e-12);
    assert!((moved.columns[0].earth_mover.unwrap() - (0.75 + 0.5 + 0.25) / 3.0).abs() < 1e-12);
    assert!((moved.columns[1].distance - 0.5).abs() < 1e-12);
}

#[test]
fn spreading_answers_better_than_counting_what_overlaps() {
    let csv = people(400);
    let release: String = csv
        .lines()
        .enumerate()
        .map(|(row, line)| match line.split_once(',') {
            Some((age, rest)) if row > 0 => {
                let low = age.parse::<u32>().unwrap() / 5 * 5;
                format!("[{low}-{}],{rest}\n", low + 4)
            }
            _ => format!("{line}\n"),
        })
        .collect();
    let found = compared(&csv, &release, |_| {});
    let queries = &found.queries;
    assert!(queries.high_error < queries.high_error_without_spreading, "{queries:?}");
    assert_eq!(found.queries, compared(&csv, &release, |_| {}).queries, "the same seed asks the same");
}

#[test]
fn a_model_of_a_release_in_another_order_has_seen_its_test() {
    let csv = people(100);
    let mut lines: Vec<&str> = csv.lines().skip(1).collect();
    lines.sort_unstable();
    let sorted = format!("age,town,ill\n{}\n", lines.join("\n"));
    assert!(!compared(&csv, &sorted, |options| options.target = Some("ill".into())).target.unwrap().held_out);
}
