//! Earlier releases about the same people, from the command line to the report.

use crate::support::{Folder, PEOPLE, ROLES, with};
use serde_json::Value;

/// A folder with a table and a release of it in groups of six.
fn folder() -> Folder {
    let folder = Folder::with(PEOPLE);
    folder.kinfold(&with(&["anonymize", "table.csv", "-k", "6", "-o", "old.csv"], &ROLES)).ends_with_code(0);
    folder
}

fn overlay(text: &str) -> Value {
    serde_json::from_str::<Value>(text).unwrap()["overlay"].clone()
}

#[test]
fn what_is_left_is_reported() {
    let folder = folder();
    let told = folder.kinfold(&with(&["anonymize", "table.csv", "-k", "3", "--json"], &ROLES));
    assert_eq!(overlay(&told.out), Value::Null);
    let after = with(&["anonymize", "table.csv", "-k", "3", "--after", "old.csv"], &ROLES);
    folder
        .kinfold(&after)
        .ends_with_code(0)
        .says("with 1 earlier release: 0 of 12 rows can be isolated, 0 are among fewer than 3; the smallest intersection has 3");
    // In threes that lie across its groups, two and one of them are left together.
    let rows = folder.text("old.csv");
    let (header, rows) = rows.split_once('\n').unwrap();
    let across: Vec<String> = rows
        .lines()
        .map(|row| {
            let diagnosis = row.rsplit(',').next().unwrap();
            let whole = if diagnosis.ends_with('a') { "[20-80]" } else { "[20-90]" };
            format!("{whole},*,*,{diagnosis}")
        })
        .collect();
    folder.write("across.csv", format!("{header}\n{}\n", across.join("\n")));
    let args = with(
        &after[..4],
        &["--after", "across.csv", "--after", "old.csv", "--json", "--report", "report.html"],
    );
    let told = folder.kinfold(&with(&args, &ROLES));
    told.ends_with_code(0);
    let warning = "finds 12 of 12 rows (100 %) among fewer than 3, 33.3 % alone; --refuse prevents that";
    assert!(told.err.contains(warning), "{}", told.err);
    let found = overlay(&told.out);
    assert_eq!((found["alone"].as_u64(), found["below_k"].as_u64()), (Some(4), Some(12)), "{found}");
    assert_eq!(found["releases"][0]["name"], "across.csv");
    assert_eq!(found["releases"][1]["new"], 0);
    let page = folder.text("report.html");
    assert!(page.contains("Laid over the earlier releases (across.csv, old.csv)"), "{page}");
}

#[test]
fn groups_are_kept_or_nothing_is_written() {
    let folder = folder();
    let flags = ["anonymize", "table.csv", "-k", "3", "--after", "old.csv", "--refuse", "-o", "new.csv"];
    let told = folder.kinfold(&with(&with(&flags, &["--report", "new.html", "--json"]), &ROLES));
    told.ends_with_code(0);
    let found = overlay(&told.out);
    assert_eq!((found["below_k"].as_u64(), found["smallest"].as_u64()), (Some(0), Some(3)), "{found}");
    assert_eq!(found["refuse"], true);
    assert!(folder.text("new.html").contains("would have been refused"));
    // The old groups are women and men: two of the men are left.
    let gone = ["Ulfilas", "Quirinus", "Perpetua", "Ottokar"];
    let fewer: Vec<&str> =
        PEOPLE.lines().filter(|line| !gone.iter().any(|name| line.starts_with(name))).collect();
    assert_eq!(fewer.len(), 9);
    folder.write("table.csv", fewer.join("\n") + "\n");
    let before = folder.contents();
    let args = with(&["anonymize", "table.csv", "-k", "3", "--after", "old.csv", "--refuse"], &ROLES);
    let told = folder.kinfold(&with(&args, &["-o", "newer.csv"]));
    told.ends_with_code(2)
        .complains("the earlier releases by themselves leave 2 rows in 1 intersection of fewer than 3");
    told.hints("--withhold 25.00%").leaks_nothing_of(PEOPLE);
    assert!(before == folder.contents());
    folder
        .kinfold(&with(&args, &["--withhold", "25%", "-o", "newer.csv"]))
        .ends_with_code(0)
        .says("(2 withheld)");
}

#[test]
fn an_earlier_release_is_not_overwritten() {
    let folder = folder();
    let args = with(&["anonymize", "table.csv", "-k", "3", "--after", "old.csv"], &ROLES);
    folder.kinfold(&with(&args, &["-o", "old.csv"])).ends_with_code(2).complains("old.csv");
}

/// Files of the release that is laid over the new one are read, never written; who is in which group is not told.
#[test]
fn groups_files_link_in_order_and_with_other_tables() {
    let folder = folder();
    let old = with(
        &["anonymize", "table.csv", "-k", "4", "-o", "older.csv", "--groups", "older_groups.csv"],
        &ROLES,
    );
    folder.kinfold(&old).ends_with_code(0);
    let old =
        with(&["anonymize", "table.csv", "-k", "6", "-o", "old.csv", "--groups", "old_groups.csv"], &ROLES);
    folder.kinfold(&old).ends_with_code(0);
    let both = ["--after", "old.csv", "--after", "older.csv", "--json"];
    let args = with(&with(&["anonymize", "table.csv", "-k", "2"], &both), &ROLES);
    let told = folder
        .kinfold(&with(&args, &["--after-groups", "old_groups.csv", "--after-groups", "older_groups.csv"]));
    told.ends_with_code(0);
    assert_eq!(overlay(&told.out)["releases"][1]["by_groups_file"], true);
    let told = folder
        .kinfold(&with(&args, &["--after-groups", "older_groups.csv", "--after-groups", "old_groups.csv"]));
    told.ends_with_code(2).complains("earlier release old.csv: the groups file does not belong");
    folder
        .kinfold(&with(
            &args,
            &[
                "--after-groups",
                "old_groups.csv",
                "--after-groups",
                "older_groups.csv",
                "-o",
                "old_groups.csv",
            ],
        ))
        .ends_with_code(2)
        .complains("the release old_groups.csv is also read");
    // The column of names is removed from releases, and links tables.
    let groups = folder.text("old_groups.csv");
    let keyed: Vec<String> = PEOPLE
        .lines()
        .zip(groups.lines())
        .map(|(line, group)| format!("{},{group}", line.split(',').next().unwrap()))
        .collect();
    folder.write("keyed.csv", keyed.join("\n") + "\n");
    let mut lines: Vec<&str> = PEOPLE.lines().collect();
    lines[1..].reverse();
    folder.write("table.csv", lines.join("\n") + "\n");
    let flags = ["anonymize", "table.csv", "-k", "3", "--after", "old.csv", "--refuse", "--json"];
    let told = folder.kinfold(&with(&with(&flags, &["--after-groups", "keyed.csv"]), &ROLES));
    told.ends_with_code(0);
    let found = overlay(&told.out);
    assert_eq!(
        (found["below_k"].as_u64(), found["releases"][0]["new"].as_u64()),
        (Some(0), Some(0)),
        "{found}"
    );
}

#[test]
fn a_secret_seed_is_in_the_run_record_and_nowhere_else() {
    let folder = Folder::with(PEOPLE);
    let args =
        with(&["anonymize", "table.csv", "-k", "3", "-o", "release.csv", "--report", "report.html"], &ROLES);
    let secret =
        ["--seed", "secret", "--record", "run.json", "--report-json", "--json", "--frame", "frame.json"];
    let told = folder.kinfold(&with(&args, &secret));
    told.ends_with_code(0);
    let record: Value = serde_json::from_str(&folder.text("run.json")).unwrap();
    let seed = record["seed"].to_string();
    assert!(
        record["command"].as_str().unwrap().starts_with("kinfold anonymize table.csv -k 3 -o release.csv")
    );
    assert_eq!(record["version"], env!("CARGO_PKG_VERSION"));
    let told = [told.out, told.err].into_iter();
    let written = ["release.csv", "report.html", "report.json", "frame.json"].map(|name| folder.text(name));
    assert!(told.chain(written).all(|text| !text.contains(&seed)), "{seed}");
    // It makes the release again.
    folder.kinfold(&with(&["anonymize", "table.csv", "-k", "3", "-o", "again.csv", "--seed", &seed], &ROLES));
    assert_eq!(folder.text("again.csv"), folder.text("release.csv"));
    // Another run, another seed. In pieces, too.
    let args =
        ["anonymize", "table.csv", "-k", "3", "--seed", "secret", "--pieces", "2", "--record", "other.json"];
    folder.kinfold(&with(&args, &ROLES)).ends_with_code(0);
    let other: Value = serde_json::from_str(&folder.text("other.json")).unwrap();
    assert!(other["seed"].as_u64().unwrap() > 0 && other["seed"] != record["seed"]);
    let recorded_in = |name| ["anonymize", "table.csv", "-k", "3", "--seed", "secret", "--record", name];
    folder
        .kinfold(&with(&recorded_in("table.csv"), &ROLES))
        .ends_with_code(2)
        .complains("the run record table.csv is also read");
    folder
        .kinfold(&["anonymize", "table.csv", "--seed", "hidden"])
        .ends_with_code(2)
        .complains("\"hidden\" is not a seed");
}
