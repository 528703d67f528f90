//! Every solver, form, format and order gives a release that is safe and true, for columns of every kind.

use crate::support::{Folder, with};

/// Columns of every kind, with missing values, counts and cells that are hard to write.
const TABLE: &str = "\
id,age,born,size,zip,eye,note,people
1,30,1990-01-01,small,11,blue,\"say \"\"hi\"\", ok\",1
2,31,1991-02-01,middle,12,green,\"two
lines\",2
3,NA,1992-03-01,large,21,,plain,1
4,45,,small,22,blue,,3
5,46.5,1970-05-05,,11,brown,-1,1
6,-50,1971-06-06,large,?,br|own,z,0
7,-5e1,1971-06-06T12:30:00,large,12,br|own,z,4
8,1.0,2001-06-06,middle,21,{x},z,1
9,1,2002-06-06,middle,22,a\\b,z,1
10,77,2003-06-06,small,,blue,z,2
";

const ROLES: [&str; 10] = [
    "--quasi",
    "age:numeric*2,born:date,size:ordinal=small<middle<large,zip:hierarchy=zips.csv*0.5,eye:category",
    "--drop",
    "id",
    "--keep",
    "note",
    "--count",
    "people",
    "-k",
    "3",
];

const FORMS: [&[&str]; 4] = [
    &["--form", "ranges"],
    &["--form", "bounds"],
    &["--form", "midpoint"],
    &["--form", "codes", "--lookup", "lookup.csv"],
];

fn folder() -> Folder {
    let folder = Folder::with(TABLE);
    folder.write("zips.csv", "11;1*;*\n12;1*;*\n21;2*;*\n22;2*;*\n");
    folder
}

#[track_caller]
fn safe_and_true(folder: &Folder, release: &str, flags: &[&str]) {
    let verify = with(&with(&["verify", release], &ROLES), flags);
    folder.kinfold(&verify).ends_with_code(0).says("safe");
    let told = folder.kinfold(&with(&verify, &["--original", "table.csv"]));
    told.ends_with_code(0).says("safe").says("true  every cell covers the original");
}

#[test]
fn with_every_solver_form_and_order() {
    let folder = folder();
    for solver in ["auto", "initial", "mondrian", "mondrian:relaxed", "greedy-search", "k-member"] {
        for flags in FORMS {
            for order in [&[][..], &["--keep-order"]] {
                let args = with(&["anonymize", "table.csv", "-o", "release.csv", "--solver", solver], &ROLES);
                folder.kinfold(&with(&with(&args, flags), order)).ends_with_code(0);
                safe_and_true(&folder, "release.csv", flags);
            }
        }
    }
}

#[test]
fn in_every_format() {
    let folder = folder();
    for release in [
        "release.csv",
        "release.tsv",
        "release.csv.gz",
        "release.parquet",
        "release.arrow",
        "release.feather",
    ] {
        for flags in FORMS {
            let args = with(&["anonymize", "table.csv", "-o", release], &ROLES);
            folder.kinfold(&with(&args, flags)).ends_with_code(0);
            safe_and_true(&folder, release, flags);
        }
    }
}

#[test]
fn with_a_share_withheld() {
    let folder = folder();
    for solver in ["initial", "mondrian", "greedy-search", "k-member"] {
        let flags = ["--withhold", "20%"];
        let args = with(&["anonymize", "table.csv", "-o", "release.csv", "--solver", solver], &ROLES);
        folder.kinfold(&with(&args, &flags)).ends_with_code(0);
        safe_and_true(&folder, "release.csv", &flags);
    }
}

#[test]
fn with_cells_written_another_way() {
    let folder = folder();
    folder.write(
        "policy.toml",
        r#"k = 3
[format]
range = "{lo}..{hi}"
date_range = "from {lo} to {hi}"
set = ["", " or ", ""]
star = "any, or none"
[columns]
id = "drop"
note = "keep"
people = "count"
age = { role = "quasi", kind = "numeric" }
born = { role = "quasi", kind = "date" }
size = { role = "quasi", order = ["small", "middle", "large"] }
zip = { role = "quasi", hierarchy = "zips.csv" }
eye = "quasi"
"#,
    );
    let policy = ["--policy", "policy.toml"];
    folder.kinfold(&with(&["anonymize", "table.csv", "-o", "release.csv"], &policy)).ends_with_code(0);
    let told = folder.kinfold(&with(&["verify", "release.csv", "--original", "table.csv"], &policy));
    told.ends_with_code(0).says("safe").says("true");
    assert!(folder.text("release.csv").contains("\"any, or none\""), "{}", folder.text("release.csv"));
}

#[test]
fn an_original_in_another_encoding_is_compared_with_its_release() {
    let folder = Folder::with(b"age,note\n30,caf\xe9\n31,na\xefve\n");
    let flags = ["-k", "2", "--quasi", "age", "--keep", "note"];
    let anonymize = ["anonymize", "table.csv", "--encoding", "windows-1252", "-o", "release.csv"];
    folder.kinfold(&with(&anonymize, &flags)).ends_with_code(0);
    let verify = with(&["verify", "release.csv", "--original", "table.csv"], &flags);
    folder.kinfold(&with(&verify, &["--original-encoding", "latin1"])).ends_with_code(0).says("true");
    let told = folder.kinfold(&verify);
    told.ends_with_code(2).complains("not UTF-8").hints("--original-encoding");
}

#[test]
fn an_original_with_another_delimiter_is_compared_with_its_release() {
    let folder = Folder::with("age|note\n30|x\n31|y\n");
    let flags = ["-k", "2", "--quasi", "age", "--keep", "note"];
    let anonymize = ["anonymize", "table.csv", "--delimiter", "|", "-o", "release.tsv"];
    folder.kinfold(&with(&anonymize, &flags)).ends_with_code(0);
    let verify = with(&["verify", "release.tsv", "--original", "table.csv"], &flags);
    let said = ["--delimiter", "tab", "--original-delimiter", "|"];
    folder.kinfold(&with(&verify, &said)).ends_with_code(0).says("true");
    folder.kinfold(&verify).ends_with_code(0).says("true");
}

#[test]
fn a_release_can_be_anonymized_again() {
    let folder = folder();
    let flags = with(&ROLES, &["--form", "bounds"]);
    folder.kinfold(&with(&["anonymize", "table.csv", "-o", "first.parquet"], &flags)).ends_with_code(0);
    let again = [
        "-k",
        "5",
        "--quasi",
        "zip,eye",
        "--keep",
        "note,age_min,age_max,born_min,born_max,size_min,size_max",
    ];
    let again = with(&again, &["--count", "people"]);
    folder.kinfold(&with(&["anonymize", "first.parquet", "-o", "second.parquet"], &again)).ends_with_code(0);
    let verify = with(&["verify", "second.parquet", "--original", "first.parquet"], &again);
    folder.kinfold(&verify).ends_with_code(0).says("safe").says("true");
}

#[test]
fn a_row_that_stands_for_nobody_is_not_lost() {
    let folder = Folder::with("age,n\n30,5\n60,2\n61,3\n62,0\n");
    let flags = ["-k", "5", "--quasi", "age", "--count", "n"];
    for solver in ["initial", "mondrian", "mondrian:relaxed", "greedy-search", "k-member", "auto"] {
        let args = ["anonymize", "table.csv", "-o", "release.csv", "--solver", solver];
        folder.kinfold(&with(&args, &flags)).ends_with_code(0);
        assert_eq!(folder.text("release.csv").lines().count(), 5, "{solver} may withhold nothing");
    }
    folder.write("release.csv", "age,n\n30,5\n[60-61],2\n[60-61],3\n");
    let verify = with(&["verify", "release.csv", "--original", "table.csv"], &flags);
    folder.kinfold(&verify).ends_with_code(1).says("not true");
}
