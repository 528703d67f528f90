//! A release that the command wrote itself is good, and its summary says what is wrong once something is
//! planted in it. Every kind of fault is in `testdata/cases`.

use crate::support::{Folder, PEOPLE, ROLES, Told, with};

const POLICY: &str = r#"k = 3
[columns]
name = "identifier"
ward = "drop"
age = "quasi"
sex = "quasi"
zip = { role = "quasi", kind = "category" }
stay = "keep"
diagnosis = "sensitive"
"#;

/// [`PEOPLE`] with a column to drop and one to keep.
fn original() -> String {
    let mut rows = cells(PEOPLE);
    for (i, row) in rows.iter_mut().enumerate() {
        row.push(if i == 0 { "ward".into() } else { format!("ward{i}") });
        row.push(if i == 0 { "stay".into() } else { format!("{} days", 10 + i) });
    }
    text(&rows)
}

fn cells(table: &str) -> Vec<Vec<String>> {
    table.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn text(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| row.join(",") + "\n").collect()
}

/// A good release of the table, in the order of the table or sorted, with something planted in it.
struct Planted {
    folder: Folder,
}

type Rows = Vec<Vec<String>>;

impl Planted {
    fn new(flags: &[&str], plant: impl FnOnce(&mut Rows)) -> Self {
        let folder = Folder::with(original());
        folder.write("policy.toml", POLICY);
        let args = [
            "anonymize",
            "table.csv",
            "--policy",
            "policy.toml",
            "--solver",
            "mondrian",
            "-o",
            "release.csv",
        ];
        folder.kinfold(&with(&args, flags)).ends_with_code(0);
        let good = folder.text("release.csv");
        let mut rows = cells(&good);
        plant(&mut rows);
        assert_ne!(good, text(&rows), "nothing was planted");
        folder.write("release.csv", text(&rows));
        Self { folder }
    }

    fn verify(&self, flags: &[&str]) -> Told {
        self.folder.kinfold(&with(&["verify", "release.csv", "--policy", "policy.toml"], flags))
    }

    fn verify_truth(&self, flags: &[&str]) -> Told {
        self.verify(&with(&["--original", "table.csv"], flags))
    }
}

/// The column of that name.
fn at(rows: &Rows, name: &str) -> usize {
    rows[0].iter().position(|n| n == name).unwrap()
}

fn add_column(rows: &mut Rows, name: &str, cell: impl Fn(usize) -> String) {
    for (i, row) in rows.iter_mut().enumerate() {
        row.push(if i == 0 { name.to_owned() } else { cell(i) });
    }
}

#[test]
fn the_release_is_good_before_anything_is_planted() {
    for flags in [&[][..], &["--keep-order"], &["--form", "bounds"], &["--form", "bounds", "--keep-order"]] {
        let form: Vec<&str> = flags.iter().copied().filter(|f| *f != "--keep-order").collect();
        // Only the order of the rows is changed: that is no fault.
        let planted = Planted::new(flags, |rows| rows[1..].reverse());
        planted.verify(&form).ends_with_code(0).says("safe  12 rows in 4 groups");
        planted.verify_truth(&form).ends_with_code(0).says("true  every cell");
        let flags = [&["verify", "release.csv", "-k", "3"], &ROLES[..], &form].concat();
        planted.folder.kinfold(&flags).ends_with_code(0).says("not checked: stay");
    }
}

#[test]
fn the_summary_for_machines_says_the_same() {
    let planted = Planted::new(&[], |rows| {
        let at = at(rows, "stay");
        rows[4][at] = "99 days".into();
        add_column(rows, "name", |i| format!("x{i}"));
    });
    let told = planted.verify_truth(&["--json"]);
    told.ends_with_code(1);
    let summary: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!((&summary["safe"], &summary["true"]), (&false.into(), &false.into()));
    assert_eq!(summary["invented_rows"], 1);
    assert_eq!(summary["forbidden_columns"][0]["column"], "name");
}
