//! `kinfold certify`: proofs that are written and checked, and near misses that are refused.

use crate::support::{Folder, PEOPLE, ROLES, Told};
use serde_json::Value;

impl Folder {
    /// Certifies `table.csv` with the usual roles and these flags.
    fn certify(&self, flags: &[&str]) -> Told {
        self.kinfold(&[&["certify", "table.csv"], &ROLES[..], flags].concat())
    }
}

fn summary(told: &Told) -> Value {
    told.ends_with_code(0);
    serde_json::from_str(&told.out).unwrap()
}

#[test]
fn a_proof_is_written_and_checked() {
    let folder = Folder::with(PEOPLE);
    let found = summary(&folder.certify(&["-k", "3", "--certificate", "proof.txt", "--json"]));
    folder.holds(&["proof.txt", "table.csv"]);
    assert_eq!(found["bound_kind"], "checked");
    let (loss, bound) = (found["loss"].as_f64().unwrap(), found["bound"].as_f64().unwrap());
    assert!(bound > 0.0 && bound <= loss);
    assert!((found["gap"].as_f64().unwrap() - (loss - bound) / loss).abs() < 1e-9);

    let check = ["--check", "proof.txt", "-k"];
    folder.certify(&[&check[..], &["3"]].concat()).ends_with_code(0).says("checked  proof.txt");
    let again = summary(&folder.certify(&[&check[..], &["3", "--json"]].concat()));
    assert_eq!((&again["loss"], &again["bound"]), (&found["loss"], &found["bound"]));
    let told = folder.certify(&[&check[..], &["4"]].concat());
    told.ends_with_code(1).says("refused  proof.txt").says("it was made for k = 3, not for k = 4");

    let proof = folder.text("proof.txt");
    let price = proof.lines().nth(8).unwrap();
    let dearer = (price.parse::<i64>().unwrap() + 7_000_000_000).to_string();
    folder.write("forged.txt", proof.replacen(price, &dearer, 1));
    folder.certify(&["--check", "forged.txt", "-k", "3"]).ends_with_code(1).says("its prices add up to");

    folder.write("table.csv", PEOPLE.replace("Xanthippe,22", "Xanthippe,23"));
    folder.certify(&[&check[..], &["3"]].concat()).ends_with_code(1).says("it was made for another table");
}

#[test]
fn a_groups_file_is_certified() {
    let folder = Folder::with(PEOPLE);
    let loss = summary(&folder.anonymize(&["-k", "3", "--groups", "groups.csv", "--json"]))["loss"].clone();
    let found = summary(&folder.certify(&["-k", "3", "--groups", "groups.csv", "--json"]));
    assert_eq!(found["loss"], loss);
    folder.write("groups.csv", "group\n0\n0\n");
    let told = folder.certify(&["-k", "3", "--groups", "groups.csv"]);
    told.ends_with_code(2).complains("the answer has 2 rows, the problem has 12").hints("this table");
    folder.write("groups.csv", "group\nfirst\n");
    let told = folder.certify(&["-k", "3", "--groups", "groups.csv"]);
    told.ends_with_code(2).complains("line 2 of the groups file").hints("--groups");
}

#[test]
fn anonymize_tells_how_good_it_is() {
    let folder = Folder::with(PEOPLE);
    for (strength, kind) in [("none", "none"), ("quick", "checked"), ("lp", "checked")] {
        let found = summary(&folder.anonymize(&["-k", "3", "--bound", strength, "--json"]));
        assert_eq!(found["bound_kind"], kind, "{strength}");
        assert_eq!(found["gap"].is_null(), strength == "none");
    }
    folder.anonymize(&["-k", "3"]).ends_with_code(0).says("no release loses less");
}

#[test]
fn no_file_is_overwritten_that_is_read_or_taken_for_a_proof() {
    let folder = Folder::with(PEOPLE);
    let args = |flags: &[&'static str]| [&["certify", "table.csv", "-k", "3"], &ROLES[..], flags].concat();
    folder.refuses(&args(&["--certificate", "table.csv"]), "is also read", "another name", PEOPLE);
    folder.refuses(&args(&["--check", "table.csv"]), "does not start with", "certify --certificate", PEOPLE);
    folder.refuses(&args(&["--check", "nowhere.txt"]), "cannot read the certificate", "the path", PEOPLE);
}

#[test]
fn objectives_without_prices_are_declined_before_any_work() {
    let folder = Folder::with(PEOPLE);
    for objective in ["radius", "cellular", "columns"] {
        let flags = ["-k", "3", "--objective", objective];
        folder.anonymize(&[&flags[..], &["--groups", "groups.csv"]].concat()).ends_with_code(0);
        // The groups file is what anonymize wrote: it is not to blame, and need not even be there.
        for groups in ["groups.csv", "nowhere.csv"] {
            let told = folder.certify(&[&flags[..], &["--groups", groups]].concat());
            told.ends_with_code(2)
                .complains(&format!("no certificates under objective {objective}"))
                .hints("anonymize");
        }
        // Nor is anything solved or read: the table may be broken behind its header.
        folder.write("broken.csv", PEOPLE.lines().next().unwrap().to_owned() + "\n1\n");
        let told = folder.kinfold(&[&["certify", "broken.csv"], &ROLES[..], &flags[..]].concat());
        told.ends_with_code(2).complains("no certificates under objective");
    }
}
