//! Privacy models, as the command tells of them.

use crate::support::{Folder, Told};
use serde_json::Value;

const VISITS: &str = "who,age,illness\na,20,flu\na,21,flu\nb,22,flu\nc,40,gout\nd,41,cold\nd,42,flu\n";
const ROLES: [&str; 6] = ["--quasi", "age", "--sensitive", "illness", "-k", "3"];

fn json(told: &Told) -> Value {
    serde_json::from_str(&told.out).unwrap_or_else(|e| panic!("{e}: {}{}", told.out, told.err))
}

fn run(folder: &Folder, command: &[&str], more: &[&str]) -> Told {
    folder.kinfold(&[command, &ROLES, more].concat())
}

#[test]
fn a_sensitive_column_without_a_model_is_warned_of() {
    let folder = Folder::with(VISITS);
    let anonymize = ["anonymize", "table.csv", "--drop", "who"];
    let told = run(&folder, &anonymize, &[]);
    told.ends_with_code(0);
    let warning = "no privacy model protects column \"illness\": 3 of 6 rows (50.0 %) are in groups where it \
                   has a single value; --diversity illness=2 prevents that";
    assert!(told.err.contains(warning), "{}", told.err);
    let told = run(&folder, &anonymize, &["--diversity", "illness=2"]);
    told.ends_with_code(0).says("fulfilled: distinct 2-diversity of \"illness\"");
    assert!(!told.err.contains("no privacy model"), "{}", told.err);
}

#[test]
fn inspect_lists_sensitive_columns_without_a_model() {
    let folder = Folder::with(VISITS);
    let policy = "k = 2\n[columns]\nwho = \"drop\"\nage = \"quasi\"\nillness = \"sensitive\"\n";
    folder.write("policy.toml", policy);
    let inspect = ["inspect", "table.csv", "--policy", "policy.toml"];
    let told = folder.kinfold(&inspect);
    told.ends_with_code(0).says(
        "no privacy model protects illness: 3 distinct values, the most frequent in 66.7 % of rows (diversity of up \
         to 3 is possible)",
    );
    let found = json(&folder.kinfold(&[&inspect[..], &["--json"]].concat()));
    assert_eq!(found["unprotected"][0]["distinct"], 3);
    folder.write("policy.toml", policy.replace("\"sensitive\"", "{ role = \"sensitive\", diversity = 2 }"));
    let told = folder.kinfold(&inspect);
    assert!(told.code == Some(0) && !told.out.contains("no privacy model"), "{}", told.out);
}

#[test]
fn a_bound_beside_a_model_is_one_for_k_alone() {
    let folder = Folder::with(VISITS);
    let model = ["--diversity", "illness=2"];
    for command in ["anonymize", "certify"] {
        let command = [command, "table.csv", "--drop", "who"];
        let with = json(&run(&folder, &command, &[&model[..], &["--json"]].concat()));
        assert_eq!(with["bound_for"], "k alone", "{with}");
        assert_eq!(json(&run(&folder, &command, &["--json"]))["bound_for"], Value::Null);
    }
    // A release so far from its bound is said to have no useful one; the proof says what it proves.
    let told = run(&folder, &["certify", "table.csv", "--drop", "who"], &model);
    told.ends_with_code(0).says("; for k alone)");
    let told = run(&folder, &["anonymize", "table.csv", "--drop", "who"], &model);
    told.ends_with_code(0).says("no close lower bound");
}

#[test]
fn persons_are_not_checked_without_the_original() {
    let folder = Folder::with(VISITS);
    let verify = ["verify", "release.csv", "--person", "who"];
    let roles = ["--quasi", "age", "--sensitive", "illness", "-k", "2"];
    let run = |more: &[&str]| folder.kinfold(&[&verify[..], &roles, more].concat());
    let release =
        "age,illness\n[20-21],flu\n[20-21],flu\n[22-42],flu\n[22-42],gout\n[22-42],cold\n[22-42],flu\n";
    folder.write("release.csv", release);
    run(&[])
        .ends_with_code(0)
        .says("safe (1 model not checked)")
        .says("not decidable from the release alone");
    let found = json(&run(&["--json"]));
    assert_eq!((&found["safe"], &found["models_not_decided"]), (&Value::from(true), &Value::from(1)));
    assert_eq!(found["models"][0]["fulfilled"], Value::Null);
    // Both rows of the first group are about one person.
    let told = run(&["--original", "table.csv"]);
    told.ends_with_code(1).says("not safe").says("true  every cell");
    told.says("not fulfilled: 2 distinct persons; 1 group with 2 rows falls short");
    let whole = release.replace("[20-21]", "[20-22]").replacen("[22-42],flu", "[20-22],flu", 1);
    folder.write("release.csv", whole.replace("[22-42]", "[40-42]"));
    let told = run(&["--original", "table.csv"]);
    told.ends_with_code(0).says("fulfilled: 2 distinct persons");
    assert!(!told.out.contains("not checked"), "{}", told.out);
}

#[test]
fn what_a_release_reaches_is_told_unasked() {
    let folder = Folder::with(VISITS);
    let release =
        "age,illness\n[20-22],flu\n[20-22],flu\n[20-22],flu\n[40-42],gout\n[40-42],cold\n[40-42],flu\n";
    folder.write("release.csv", release);
    let found = json(&run(&folder, &["verify", "release.csv", "--json"], &[]));
    let reached = &found["reached"][0];
    assert_eq!((&reached["column"], &reached["required"]), (&"illness".into(), &false.into()));
    assert_eq!((&reached["distinct_l"], &reached["one_value_people"]), (&1.into(), &3.into()));
    // Flu: 3 of 3 against 4 of 6; gout and cold: 1 of 3 against 1 of 6.
    assert_eq!((&reached["closeness_equal"], &reached["likeness_basic"]), (&0.333333334.into(), &1.0.into()));
    assert_eq!((&reached["disclosure"], &found["models"]), (&Value::Null, &Value::from(Vec::<Value>::new())));
    // The whole table as one group is like itself.
    folder.write("release.csv", release.replace("[20-22]", "*").replace("[40-42]", "*"));
    run(&folder, &["verify", "release.csv"], &[])
        .ends_with_code(0)
        .says("t = 0; beta = 0, enhanced beta = 0, delta");
}
