//! Every fault that is planted in a good release is found.

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

/// A good release of the table, in the order of the table or shuffled, with something planted in it.
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

/// A row whose cell in that column is this.
fn row_with(rows: &Rows, name: &str, cell: &str) -> usize {
    let column = at(rows, name);
    rows.iter().position(|row| row[column] == cell).unwrap()
}

fn add_column(rows: &mut Rows, name: &str, cell: impl Fn(usize) -> String) {
    for (i, row) in rows.iter_mut().enumerate() {
        row.push(if i == 0 { name.to_owned() } else { cell(i) });
    }
}

#[test]
fn the_release_is_good_before_anything_is_planted() {
    for flags in [&[][..], &["--shuffle"], &["--form", "bounds"], &["--form", "bounds", "--shuffle"]] {
        let form: Vec<&str> = flags.iter().copied().filter(|f| *f != "--shuffle").collect();
        // Only the order of the rows is changed: that is no fault.
        let planted = Planted::new(flags, |rows| rows[1..].reverse());
        planted.verify(&form).ends_with_code(0).says("safe  12 rows in 4 groups");
        planted.verify_truth(&form).ends_with_code(0).says("true  every cell");
        let flags = [&["verify", "release.csv", "-k", "3"], &ROLES[..], &form].concat();
        planted.folder.kinfold(&flags).ends_with_code(0).says("not looked at: stay");
    }
}

#[test]
fn one_changed_cell_makes_a_group_too_small() {
    for column in ["age", "sex", "zip"] {
        let planted = Planted::new(&[], |rows| {
            let at = at(rows, column);
            rows[5][at] = "other".into();
        });
        let told = planted.verify(&[]);
        told.ends_with_code(1)
            .says("not safe")
            .says("1 group of 1 person only")
            .says("1 group of 2 people only");
    }
}

#[test]
fn one_changed_bound_makes_a_group_too_small() {
    for column in ["age_min", "age_max"] {
        let planted = Planted::new(&["--form", "bounds"], |rows| {
            let at = at(rows, column);
            rows[5][at] = "43".into();
        });
        planted
            .verify(&["--form", "bounds"])
            .ends_with_code(1)
            .says("not safe")
            .says("1 group of 1 person only");
    }
}

#[test]
fn a_raised_k() {
    let planted = Planted::new(&[], |rows| rows[1..].reverse());
    planted.verify(&["-k", "4"]).ends_with_code(1).says("not safe").says("4 groups of 3 people only");
}

#[test]
fn columns_that_should_not_be_there() {
    let cases = [
        ("name", "column \"name\" is an identifier"),
        ("ward", "column \"ward\" was to be left out"),
        ("shoe", "column \"shoe\" has no role"),
    ];
    for (column, why) in cases {
        let planted = Planted::new(&[], |rows| add_column(rows, column, |i| format!("x{i}")));
        planted.verify(&[]).ends_with_code(1).says("not safe").says(why);
        planted.verify_truth(&[]).ends_with_code(1).says(why);
    }
    let planted = Planted::new(&["--form", "bounds"], |rows| add_column(rows, "age", |i| format!("{i}")));
    planted
        .verify(&["--form", "bounds"])
        .ends_with_code(1)
        .says("column \"age\" stands beside its own bounds");
}

#[test]
fn an_identifier_is_found_with_flags_alone() {
    let planted = Planted::new(&[], |rows| add_column(rows, "name", |i| format!("x{i}")));
    let args = with(&["verify", "release.csv", "-k", "3"], &ROLES);
    planted.folder.kinfold(&args).ends_with_code(1).says("not safe").says("\"name\" is an identifier");
}

#[test]
fn columns_that_are_gone() {
    let remove = |rows: &mut Rows, name: &str| {
        let at = at(rows, name);
        rows.iter_mut().for_each(|row| drop(row.remove(at)));
    };
    let planted = Planted::new(&[], |rows| remove(rows, "diagnosis"));
    planted
        .verify_truth(&[])
        .ends_with_code(1)
        .says("not true")
        .says("column \"diagnosis\" is not in the release");
    let planted = Planted::new(&[], |rows| remove(rows, "sex"));
    let told = planted.verify(&[]);
    told.ends_with_code(2).complains("the release has no column \"sex\"").hints("policy");
}

/// The same fault in a release in the table's order, in a shuffled one and in one of bounds is not true.
#[track_caller]
fn found_untrue(plant: impl Fn(&mut Rows)) {
    for flags in [&[][..], &["--shuffle"]] {
        let planted = Planted::new(flags, &plant);
        planted.verify_truth(&[]).ends_with_code(1).says("not true");
    }
}

#[test]
fn cells_that_do_not_cover_the_original() {
    // The whole group says the same untruth, so it is safe and only the original shows it.
    let everywhere = |column: &'static str, from: &'static str, to: &'static str| {
        move |rows: &mut Rows| {
            let at = at(rows, column);
            rows.iter_mut().filter(|row| row[at] == from).for_each(|row| row[at] = to.into());
        }
    };
    found_untrue(everywhere("age", "[40-42]", "[41-42]"));
    found_untrue(everywhere("age", "[40-42]", "[400-420]"));
    found_untrue(everywhere("zip", "{80621|80622}", "80622"));
    found_untrue(everywhere("zip", "{80621|80622}", "{80622|90717}"));
    let planted = Planted::new(&[], everywhere("age", "[40-42]", "[41-42]"));
    planted.verify(&[]).ends_with_code(0).says("safe");
    planted.verify_truth(&[]).says("column \"age\": 1 cell");
}

#[test]
fn bounds_that_do_not_cover_the_original() {
    for flags in [&["--form", "bounds"][..], &["--form", "bounds", "--shuffle"]] {
        let planted = Planted::new(flags, |rows| {
            let at = at(rows, "age_max");
            rows.iter_mut().filter(|row| row[at] == "42").for_each(|row| row[at] = "41".into());
        });
        planted.verify(&["--form", "bounds"]).ends_with_code(0);
        planted.verify_truth(&["--form", "bounds"]).ends_with_code(1).says("not true");
    }
}

#[test]
fn a_lost_row() {
    found_untrue(|rows| drop(rows.remove(4)));
    let planted = Planted::new(&[], |rows| drop(rows.remove(4)));
    planted.verify_truth(&[]).says("1 person of the original is missing, 0 may be withheld");
}

#[test]
fn rows_may_be_lost_as_far_as_the_policy_allows() {
    let lose = |rows: &mut Rows| {
        rows.drain(1..=3);
    };
    let planted = Planted::new(&[], lose);
    planted
        .verify_truth(&["--withhold", "25%"])
        .ends_with_code(0)
        .says("true")
        .says("3 people withheld, 3 allowed");
    planted.verify_truth(&["--withhold", "24%"]).ends_with_code(1).says("not true");
}

#[test]
fn an_invented_row() {
    found_untrue(|rows| rows.push(rows[4].clone()));
    // One row twice, another gone: the number of rows is right.
    found_untrue(|rows| {
        let (from, to) = (row_with(rows, "stay", "12 days"), row_with(rows, "stay", "13 days"));
        rows[to] = rows[from].clone();
    });
    let planted = Planted::new(&[], |rows| rows.push(rows[4].clone()));
    planted
        .verify_truth(&["--withhold", "50%"])
        .ends_with_code(1)
        .says("1 row of the release cannot be said");
}

#[test]
fn sensitive_values_swapped_between_groups() {
    found_untrue(|rows| {
        let column = at(rows, "diagnosis");
        let (a, b) = (row_with(rows, "diagnosis", "gout-xa"), row_with(rows, "diagnosis", "boil-wa"));
        rows[a][column] = "boil-wa".into();
        rows[b][column] = "gout-xa".into();
    });
}

#[test]
fn a_kept_value_changed() {
    for (column, from, to) in
        [("stay", "14 days", "99 days"), ("diagnosis", "gout-xa", "gout-xA"), ("stay", "14 days", "")]
    {
        found_untrue(|rows| {
            let (row, column) = (row_with(rows, column, from), at(rows, column));
            rows[row][column] = to.into();
        });
    }
    // A value that occurs elsewhere in the table.
    found_untrue(|rows| {
        let (row, column) = (row_with(rows, "stay", "14 days"), at(rows, "stay"));
        rows[row][column] = "15 days".into();
    });
}

#[test]
fn counts_that_were_changed() {
    let folder = Folder::with("age,n\n30,5\n60,2\n61,3\n");
    let flags = ["-k", "5", "--quasi", "age", "--count", "n"];
    folder.kinfold(&with(&["anonymize", "table.csv", "-o", "release.csv"], &flags)).ends_with_code(0);
    let good = folder.text("release.csv");
    folder.write("release.csv", good.replace(",2\n", ",1\n"));
    folder
        .kinfold(&with(&["verify", "release.csv"], &flags))
        .ends_with_code(1)
        .says("1 group of 4 people only");
    folder.write("release.csv", good.replace(",2\n", ",9\n"));
    folder.kinfold(&with(&["verify", "release.csv"], &flags)).ends_with_code(0).says("safe");
    let truth = with(&["verify", "release.csv", "--original", "table.csv"], &flags);
    folder.kinfold(&truth).ends_with_code(1).says("not true");
}

#[test]
fn a_verdict_that_cannot_be_given() {
    let planted = Planted::new(&[], |rows| rows[1..].reverse());
    let verify = |args: &[&str]| planted.folder.kinfold(&with(&["verify", "release.csv"], args));
    verify(&["-k", "3", "--quasi", "agee,sex,zip"])
        .ends_with_code(2)
        .complains("no column \"agee\"")
        .hints("\"age\"");
    verify(&["-k", "3"]).ends_with_code(2).complains("no column is a quasi-identifier");
    verify(&["--quasi", "age"]).ends_with_code(2).complains("k is not set");
    verify(&["-k", "3", "--quasi", "age", "--count", "heads"])
        .ends_with_code(2)
        .complains("\"heads\"")
        .hints("");
    let told = planted.verify(&["--original", "nowhere.csv"]);
    told.ends_with_code(2).complains("cannot read nowhere.csv");
    planted.folder.write("release.csv", "age,sex,zip\n");
    planted.verify(&[]).ends_with_code(2).complains("no rows");
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
