//! `--frame` and `--using`: the same domains and loss scale for a later table.

use crate::support::{Folder, PEOPLE, ROLES};
use serde_json::Value;

fn with(flags: &[&'static str]) -> Vec<&'static str> {
    [&["anonymize", "table.csv", "-k", "3", "--json"], &ROLES[..], flags].concat()
}

#[test]
fn a_later_table_has_the_scale_of_the_first() {
    let folder = Folder::with(PEOPLE);
    folder.kinfold(&with(&["--frame", "frame.json"])).ends_with_code(0);
    // A frame applied to its own table changes nothing.
    folder.kinfold(&with(&["-o", "one.csv"])).ends_with_code(0);
    folder.kinfold(&with(&["--using", "frame.json", "-o", "two.csv"])).ends_with_code(0);
    assert_eq!(folder.text("one.csv"), folder.text("two.csv"));

    // Next month has three people of the twelve: ages 20 to 22 of a domain of 20 to 82, two of eight zips.
    let next: String = PEOPLE.lines().take(4).map(|line| format!("{line}\n")).collect();
    folder.write("table.csv", &next);
    let loss = |flags: &[&'static str]| {
        let told = folder.kinfold(&with(flags));
        told.ends_with_code(0);
        let json: Value = serde_json::from_str(&told.out).unwrap();
        json["average_loss"].as_f64().unwrap()
    };
    let (age, zip) = (2.0 / 62.0, 1.0 / 8.0);
    assert!((loss(&["--using", "frame.json"]) - (age + zip) / 3.0).abs() < 1e-9);
    // By its own scale everything but the sex is lost.
    assert!((loss(&[]) - (1.0 + 0.5) / 3.0).abs() < 1e-9);
}

#[test]
fn values_that_the_frame_does_not_know_are_counted_and_not_shown() {
    let folder = Folder::with(PEOPLE);
    folder.kinfold(&with(&["--frame", "frame.json"])).ends_with_code(0);
    let table = PEOPLE.replace("90717", "90999").replace("Quirinus-,80", "Quirinus-,99");
    folder.write("table.csv", &table);
    let told = folder.kinfold(&with(&["--using", "frame.json"]));
    told.ends_with_code(2).complains("2 rows").complains("1 row").leaks_nothing_of(&table);
}

#[test]
fn what_is_no_frame_is_refused() {
    let folder = Folder::with(PEOPLE);
    folder.write("frame.json", "{\"kinfold_frame\": 7}");
    folder.refuses(&with(&["--using", "frame.json"]), "version 7", "--frame FILE writes one", PEOPLE);
    folder.refuses(&with(&["--using", "none.json"]), "cannot read none.json", "check the path", PEOPLE);
    let same = with(&["--frame", "frame.json", "-o", "frame.json"]);
    folder.refuses(&same, "the release and the frame", "give one another name", PEOPLE);
}

#[test]
fn what_is_new_is_counted_by_column_with_what_to_do() {
    let folder = Folder::with(PEOPLE);
    folder.kinfold(&with(&["--frame", "frame.json"])).ends_with_code(0);
    let table = PEOPLE.replace("90717", "90999").replace("Quirinus-,80", "Quirinus-,99");
    folder.write("table.csv", &table);
    folder
        .kinfold(&with(&["--using", "frame.json"]))
        .ends_with_code(2)
        .complains("column \"zip\": 1 label that the frame does not know in 2 rows")
        .complains("column \"age\": 1 value outside the frame's domain in 1 row")
        .hints("--frame");
}
