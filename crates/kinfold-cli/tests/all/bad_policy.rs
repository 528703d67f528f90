//! Every mistake in a policy is told in one run, with its line and what to try.

use crate::support::{Folder, PEOPLE, Told};

const ANONYMIZE: [&str; 6] = ["anonymize", "table.csv", "--policy", "policy.toml", "-o", "release.csv"];

/// What is told of a policy for [`PEOPLE`]; it must be refused, without a trace and without a cell.
#[track_caller]
fn refusal(policy: impl AsRef<[u8]>, message: &str) -> Told {
    let folder = Folder::with(PEOPLE);
    folder.write("policy.toml", policy);
    folder.refuses(&ANONYMIZE, message, "", PEOPLE)
}

/// The part of the message about the mistake that `what` names.
#[track_caller]
fn report<'t>(told: &'t Told, what: &str) -> &'t str {
    let mut reports = told.err.split("error: ").filter(|r| r.contains(what));
    reports.next().unwrap_or_else(|| panic!("nothing about {what:?} in: {}", told.err))
}

const FIVE: &str = r#"k = 3
withold = "2%"

[columns]
name = "identifer"
diagnosis = "sensitive"

[columns.age]
role = "quasi"
kind = "numeric"
domain = [90, 10]

[columns.sex]
role = "quasi"
kind = "categry"

[columns.zip]
role = "quasi"
kind = "category"
weight = "heavy"
"#;

#[test]
fn five_mistakes_are_told_in_one_run_with_lines_and_hints() {
    let told = refusal(FIVE, "no key \"withold\"");
    let expected = [
        ("no key \"withold\"", "policy.toml:2:", "did you mean \"withhold\"?"),
        ("unknown role \"identifer\"", "policy.toml:5:", "did you mean \"identifier\"?"),
        ("not below its high end", "policy.toml:", "lowest value first"),
        ("unknown kind \"categry\"", "policy.toml:15:", "did you mean \"category\"?"),
        ("weight is not a number", "policy.toml:20:", "loss counts"),
    ];
    for (what, line, hint) in expected {
        let report = report(&told, what);
        assert!(report.contains(line) && report.contains('^'), "{report}");
        assert!(report.contains("= help: ") && report.contains(hint), "{report}");
    }
}

#[test]
fn the_caret_points_at_the_domain_that_is_wrong() {
    let told = refusal(FIVE, "");
    let report = report(&told, "not below its high end");
    assert!(report.contains("policy.toml:11:") && report.contains("domain = [90, 10]"), "{report}");
}

#[test]
fn one_mistake_brings_no_second_one_after_it() {
    let told = refusal(FIVE, "");
    assert_eq!(told.err.matches("error: ").count(), 5, "{}", told.err);
    let told = refusal(FIVE.replace("k = 3", "k = \"three\""), "k is not a whole number");
    assert_eq!(told.err.matches("error: ").count(), 6, "{}", told.err);
    let told = refusal(FIVE.replace("[columns]", "[colums]"), "no key \"colums\"");
    assert!(!told.err.contains("has no key \"name\""), "{}", told.err);
}

#[test]
fn mistakes_that_the_table_shows_point_into_the_policy_too() {
    let good = FIVE.replace("withold = \"2%\"\n", "").replace("identifer", "identifier");
    let good = good.replace("categry", "category").replace("\"heavy\"", "2");
    let folder = Folder::with(PEOPLE);
    folder.write("policy.toml", good.replace("[90, 10]", "[30, 90]"));
    let told = folder.refuses(&ANONYMIZE, "outside the domain", "widen", PEOPLE);
    assert!(told.err.contains("policy.toml:") && told.err.contains('^'), "{}", told.err);
    let compare = ["compare", "table.csv", "--policy", "policy.toml"];
    let told = folder.refuses(&compare, "outside the domain", "widen", PEOPLE);
    assert!(told.err.contains("policy.toml:") && told.err.contains('^'), "{}", told.err);
}

#[test]
fn lines_are_right_with_crlf_and_a_byte_order_mark() {
    for policy in [FIVE.replace('\n', "\r\n"), format!("\u{feff}{FIVE}")] {
        let told = refusal(policy, "no key \"withold\"");
        assert!(report(&told, "no key \"withold\"").contains("policy.toml:2:1"), "{}", told.err);
    }
}

#[test]
fn what_is_not_toml_is_told_with_a_hint() {
    for policy in
        ["<html>\n<body>k = 5</body>\n", "k: 5\ncolumns:\n  age: quasi\n", "{\"k\": 5}\n", "k = \"ü\n[colu"]
    {
        let told = refusal(policy, "policy.toml:1:");
        assert!(told.err.contains("TOML"), "{}", told.err);
        assert!(!told.err.contains('^'), "a file that is no policy is not shown: {}", told.err);
        assert!(!told.err.contains("no role"), "what was not read says nothing of roles: {}", told.err);
    }
}

#[test]
fn a_table_given_as_the_policy_is_not_printed() {
    let folder = Folder::with(PEOPLE);
    let args = ["anonymize", "table.csv", "--policy", "table.csv", "-o", "release.csv"];
    let told = folder.refuses(&args, "", "TOML", PEOPLE);
    assert!(told.err.len() < 2000, "{}", told.err);
}

#[test]
fn an_empty_policy() {
    let told = refusal("", "k is not set");
    assert!(told.err.contains("no role: \"name\", \"age\", \"sex\", \"zip\", \"diagnosis\""), "{}", told.err);
}

#[test]
fn a_policy_of_bytes() {
    refusal(b"k = 5\n\xff\xfe\x00", "policy.toml is not UTF-8").hints("TOML");
}

#[test]
fn a_policy_that_is_not_there() {
    let folder = Folder::with(PEOPLE);
    let args = ["anonymize", "table.csv", "--policy", "polisy.toml"];
    let told = folder.refuses(&args, "cannot read polisy.toml", "check the path", PEOPLE);
    assert!(!told.err.contains("standard input"), "a policy is not read from there: {}", told.err);
}

#[test]
fn every_wrong_flag_is_told_in_one_run() {
    let args = ["anonymize", "table.csv", "-k", "1", "--quasi", "age:numberic,sex*heavy", "--form", "boxes"];
    let folder = Folder::with(PEOPLE);
    let told = folder.refuses(&args, "-k: k is 1", "did you mean \"numeric\"?", PEOPLE);
    for what in ["\"heavy\" is no weight", "unknown form \"boxes\"", "--quasi: column \"age\": unknown kind"]
    {
        assert!(told.err.contains(what), "{what} is not in: {}", told.err);
    }
}

#[test]
fn hierarchy_files_that_are_wrong() {
    let cases = [
        ("11;1*;*\n12;*\n", "line 2"),
        ("11;1*;*\n11;2*;*\n", "two lines"),
        ("", "empty"),
        ("90717;*\n", "does not name"),
    ];
    for (hierarchy, message) in cases {
        let folder = Folder::with(PEOPLE);
        folder.write("zips.csv", hierarchy);
        let args = [
            "anonymize",
            "table.csv",
            "-k",
            "2",
            "--quasi",
            "zip:hierarchy=zips.csv",
            "--drop",
            "name,age,sex",
        ];
        let args = [&args[..], &["--keep", "diagnosis"]].concat();
        folder.refuses(&args, message, "", PEOPLE);
    }
    let args = [
        "anonymize",
        "table.csv",
        "-k",
        "2",
        "--quasi",
        "zip:hierarchy=nowhere.csv",
        "--drop",
        "name,age,sex,diagnosis",
    ];
    Folder::with(PEOPLE).refuses(&args, "nowhere.csv", "", PEOPLE);
}

#[test]
fn a_coordinate_has_no_second_role() {
    let table = "lat,lon,sex\n1.5,2,m\n1.6,2,f\n3,4,m\n3.5,-4,f\n";
    let point = "[columns.\"lat/lon\"]\nrole = \"quasi\"\nkind = \"point\"\n";
    for (before, after) in [
        ("", "[columns.lat]\nrole = \"keep\"\n"),
        ("lat = \"identifier\"\n", ""),
        ("", "[columns.lon]\nrole = \"quasi\"\nkind = \"category\"\n"),
        ("", "[columns.\"lon/lat\"]\nrole = \"quasi\"\nkind = \"point\"\n"),
    ] {
        let folder = Folder::with(table);
        folder.write("policy.toml", format!("k = 2\n[columns]\nsex = \"drop\"\n{before}{point}{after}"));
        folder.refuses(&ANONYMIZE, "is named twice", "give every column one role", table);
    }
    let folder = Folder::with(table);
    folder.write("policy.toml", format!("k = 2\n[columns]\nsex = \"drop\"\n{point}"));
    let keep = [&ANONYMIZE[..], &["--keep", "lat"]].concat();
    folder.refuses(&keep, "is a coordinate of a point in the policy file", "--quasi LAT/LON:point", table);
    let again = [&ANONYMIZE[..], &["--quasi", "lat/lon:point*2"]].concat();
    folder.kinfold(&again).ends_with_code(0);
    folder.write("policy.toml", format!("k = 2\n[columns]\nsex = \"drop\"\n{point}domain = [0, 9]\n"));
    folder.refuses(&ANONYMIZE, "domain does not go with kind point", "--domain", table);
}

#[test]
fn group_size_takes_one_column_or_ordered_ones() {
    let table = "age,pay,kind\n1,2,a\n1,3,b\n4,5,a\n6,5,b\n";
    let folder = Folder::with(table);
    folder.write("tree.csv", "a;x;*\nb;x;*\n");
    let size = ["anonymize", "table.csv", "-k", "2", "--objective", "group-size", "-o", "release.csv"];
    for (roles, message, hint) in [
        (
            ["--quasi", "age,kind", "--drop", "pay"],
            "or several that are ordered: column \"kind\" is of kind category",
            "kind ordinal",
        ),
        (
            ["--quasi", "age/pay:point,kind:category", "--drop", ""],
            "several that are ordered",
            "objective ncp",
        ),
        (
            ["--quasi", "age,kind:hierarchy=tree.csv", "--drop", "pay"],
            "column \"kind\" is of kind hierarchy",
            "objective ncp",
        ),
        (
            ["--quasi", "kind:hierarchy=tree.csv", "--drop", "age,pay"],
            "does not take kind hierarchy",
            "kind category",
        ),
    ] {
        let roles: Vec<&str> = roles.into_iter().filter(|r| !r.is_empty()).collect();
        let roles = if roles.len() % 2 == 1 { &roles[..2] } else { &roles[..] };
        folder.refuses(&[&size[..], roles].concat(), message, hint, table);
    }
}
