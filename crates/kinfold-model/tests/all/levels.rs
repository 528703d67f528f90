//! Which cells a column may have where the policy says its levels, and which columns are coded once for everybody:
//! one cell, or one column, after the other.

use crate::support::{policy_for, read_csv};
use kinfold_model::table::{ReadOptions, Source};
use kinfold_model::verify::{Published, Verdict, read_lookup, verify};

/// The verdict on a release of column x, of role quasi, and y.
fn verdict(head: &str, x: &str, y: &str, cells: &[&str]) -> Verdict {
    let toml = format!("k = 2\n{head}\n[columns]\nx = {{ {x} }}\ny = {{ {y} }}\n");
    let policy = policy_for(&read_csv("x,y\n1,1\n"), &toml);
    let lines = cells.iter().map(|cell| format!("\"{cell}\",\"{cell}\"\n"));
    let text = format!("x,y\n{}", lines.collect::<String>());
    let source = Source::from_bytes(text.into_bytes(), &ReadOptions::default()).unwrap();
    verify(&Published::read(source, &policy, true).unwrap(), &policy).unwrap()
}

const GROUPS: &str =
    "levels = { school = { lower = ['9th', '10th'], upper = ['12th'] }, degree = ['Masters'] }";
const OTHER: &str = "role = 'quasi', kind = 'category'";

/// A column as the policy says it, cells that it may have, and cells that are on no level that is allowed.
type Allowed = (&'static str, &'static [&'static str], &'static [&'static str]);

const ALLOWED: &[Allowed] = &[
    // Numbers.
    (
        "levels = [5, 20]",
        &["23", "20-24", "20-39", "*", "", "NA"],
        &["20-29", "21-25", "20-25", "25-39", "0-39", "old"],
    ),
    ("levels = [5, 20], finest = 20", &["20-39", "-20..-1", "*"], &["23", "20-24"]),
    ("levels = [5, 20], coarsest = 5", &["23", "20-24", ""], &["20-39", "*"]),
    ("levels = [10, 20], level = 10", &["20-29"], &["23", "20-39", "*"]),
    ("levels = [1, 5], finest = 1", &["23", "20-24", "-5..-1"], &["23.5", "20-23"]),
    ("levels = [10], origin = 5", &["15-24"], &["20-29"]),
    (
        "levels = [5, 20], top = 90, bottom = 10",
        &["89", "10", "90+", "<10", "10-14", "10-19", "80-89", "85-89"],
        &["90", "9", "95", "95+", "85+", "<5", "<15", "5-9", "0-19", "80-99", "90-94", "<90", "10+"],
    ),
    ("levels = [5], top = 90", &["3", "90+"], &["<10", "<90"]),
    ("levels = [5], bottom = 10", &["300", "<10"], &["90+", "10+"]),
    // Dates.
    (
        "levels = ['week'], finest = 'week'",
        &["2024-W01", "2024-W09", "*"],
        &["2024-02-28", "2024-02", "2024-02-06..2024-02-12"],
    ),
    (
        "levels = ['day', 'month'], finest = 'day'",
        &["2024-02-28", "2024-02"],
        &["2024", "2024-02-28T10:30", "2024-02-28..2024-02-29"],
    ),
    (
        "levels = ['month', 'quarter', 'year', 'decade'], finest = 'month'",
        &["2024-02", "2024-12", "2024-Q1", "2024-Q4", "2024", "2020s", "*"],
        &["2024-02-28", "2024-02-05..2024-02-10", "2024-01-01..2024-02-29", "2024-02-01..2024-04-30"],
    ),
    (
        "levels = ['quarter', 'decade'], finest = 'quarter'",
        &["2024-Q2", "2020s"],
        &["2024-02", "2024", "2021-01-01..2030-12-31", "2024-02-01..2024-04-30"],
    ),
    // Codes. A code that is shorter than a level stands there as it is.
    (
        "prefix = [5, 3, 1], coarsest = 1",
        &["E11*", "E*", "E11.9*", "E11.90", "E1", ""],
        &["E1*", "E11.*", "E11.90*", "*"],
    ),
    ("prefix = [3, 1], finest = 3", &["E11*", "E*", "E1", "*"], &["E11.9", "E11"]),
    ("prefix = [5, 3, 1], level = 3", &["E11", "E1", "E"], &["E11*", "E11.9", "E*", "*"]),
    // A line that is cut off without levels.
    (
        "kind = 'numeric', top = 90, bottom = 10",
        &["10", "89", "[10-89]", "90+", "<10", "[10-90+]", "[<10-89]", "*"],
        &[
            "9", "90", "[5-20]", "[80-95]", "95+", "<5", "10+", "<90", "[10-95+]", "[<5-89]", "[<10-95]",
            "[5-90+]",
        ],
    ),
    ("kind = 'numeric', top = 90", &["3", "90+"], &["<10", "[<10-20]"]),
    ("kind = 'numeric', bottom = 10", &["300", "<10"], &["90+", "[20-90+]"]),
];

#[test]
fn cells_stand_on_levels_that_are_allowed() {
    let mut wrong = Vec::new();
    for (said, good, bad) in ALLOWED {
        for (cells, expected) in [(good, 0), (bad, 2)] {
            for cell in *cells {
                let found =
                    verdict("", &format!("role = 'quasi', {said}"), OTHER, &["", cell, cell]).off_level;
                let expected: Vec<(String, usize)> =
                    Some(("x".to_owned(), expected)).filter(|(_, rows)| *rows > 0).into_iter().collect();
                if found != expected {
                    wrong.push(format!("{said}: {cell}: {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether x is coded once; none if that is not asked.
fn once(head: &str, x: &str, cells: &[&str]) -> Option<bool> {
    let verdict = verdict(head, &format!("role = 'quasi', {x}"), OTHER, cells);
    verdict.codings.iter().find(|coded| coded.column == "x").map(|coded| coded.once())
}

type Columns = &'static [&'static [&'static str]];

const GLOBAL: [(&str, Columns, Columns); 9] = [
    (
        "levels = [5, 20]",
        &[&["20-24", "25-29"], &["20-39", "40-59"], &["23", "24"], &["20-24", ""], &["*", "*"]],
        &[&["20-24", "20-39"], &["23", "20-24"], &["20-24", "*"], &["*", ""]],
    ),
    (
        "levels = [5, 20], top = 90",
        &[&["20-24", "90+"], &["90+", "90+"]],
        &[&["20-24", "20-39", "90+"], &["90+", "*"]],
    ),
    (
        "prefix = [3, 1]",
        &[&["E11*", "E12*"], &["E*", "I*"], &["E11.9", "I10.0"], &["*", "*"]],
        &[&["E11*", "E*"], &["E11*", "I10.0"], &["*", "E*"]],
    ),
    ("kind = 'numeric'", &[&["23", "24"], &["*", "*"], &["23", ""]], &[&["[23-24]", "25"], &["*", "23"]]),
    (
        "kind = 'numeric', round = 5",
        &[&["[20-24]", "[25-29]"], &["[20-24]", "[20-24]"], &["*", "*"]],
        &[&["[20-24]", "[20-29]"], &["[20-29]", "[25-34]"], &["20", "[20-24]"], &["[20-24]", "*"]],
    ),
    (
        "kind = 'category'",
        &[&["Ulm", "Bonn"], &["*", "*"], &["Ulm", ""]],
        &[&["{Ulm|Bonn}", "Kiel"], &["Ulm", "*"]],
    ),
    // Without a kind: whatever it may be.
    ("weight = 1", &[&["23", "24"], &["*", "*"]], &[&["{Ulm|Bonn}", "Kiel"], &["*", "23"]]),
    (
        "unknown = 'top', levels = { school = ['9th', '10th'] }",
        &[&["9th", "10th"], &["school", "school"], &["9th", "*"]],
        &[&["9th", "school"]],
    ),
    (
        "kind = 'date'",
        &[&["2024-02-05", "2024-02-06"]],
        &[&["[2024-02-05/2024-02-06]", "2024-02-07"], &["2024-02-07", "*"]],
    ),
];

#[test]
fn columns_are_coded_once_or_not() {
    let mut wrong = Vec::new();
    for (said, good, bad) in GLOBAL {
        for (columns, expected) in [(good, true), (bad, false)] {
            for cells in columns {
                let found = once("recoding = 'global'", said, cells);
                if found != Some(expected) {
                    wrong.push(format!("{said}: {cells:?}: {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(once("", "levels = [5, 20]", &["20-24", "20-39"]), None);
    assert_eq!(once("", "levels = [5, 20], level = 'auto'", &["20-24", "20-39"]), Some(false));
    assert_eq!(once("", "levels = [5, 20], level = 'auto'", &["20-24", "25-29"]), Some(true));
}

#[test]
fn groups_of_labels_are_levels() {
    let quasi = |more: &str| format!("role = 'quasi', {GROUPS}{more}");
    let off = |more: &str, cell: &str| !verdict("", &quasi(more), OTHER, &[cell]).off_level.is_empty();
    for (more, good, bad) in [
        (", finest = 1", [" lower ", "school", "*"], ["9th", "12th", "other"]),
        (", coarsest = 1", ["9th", "lower", "upper"], ["school", "*", "other"]),
        (", level = 2", ["school", "degree", ""], ["lower", "9th", "*"]),
    ] {
        assert!(good.iter().all(|cell| !off(more, cell)), "{more}");
        assert!(bad.iter().all(|cell| off(more, cell)), "{more}");
    }
    let global = |cells: &[&str]| once("recoding = 'global'", GROUPS, cells).unwrap();
    assert!(global(&["lower", "upper"]) && global(&["school", "degree"]) && global(&["9th", "12th"]));
    assert!(global(&["*", "*"]) && global(&["lower", ""]));
    assert!(!global(&["lower", "9th"]) && !global(&["lower", "school"]) && !global(&["school", "*"]));
    assert!(!global(&["*", ""]));
}

#[test]
fn columns_that_are_published_on_a_level_are_on_it() {
    let off = |y: &str, cells: &[&str]| {
        let x = "role = 'quasi', kind = 'category'";
        verdict("", x, y, cells).off_level
    };
    let y = "role = 'sensitive', prefix = [3], level = 3";
    assert_eq!(off(y, &["E11", "I10", "", "E1"]), []);
    assert_eq!(off(y, &["E11", "I10.0", "I10.0", "E1*"]), [("y".to_owned(), 3)]);
    let y = format!("role = 'keep', {GROUPS}, level = 1");
    assert_eq!(off(&y, &["lower", "upper"]), []);
    assert_eq!(off(&y, &["lower", "9th", "*"]), [("y".to_owned(), 2)]);
}

#[test]
fn parts_are_coded_alike() {
    let part =
        |cells: &[&str]| verdict("recoding = 'global'", "role = 'quasi', levels = [5, 20]", OTHER, cells);
    for (one, two, alike) in
        [(["20-24"], ["25-29"], true), (["20-24"], ["20-39"], false), (["*"], ["*"], true)]
    {
        let mut both = part(&one);
        both.absorb(part(&two));
        let coded = both.codings.iter().find(|coded| coded.column == "x").unwrap();
        assert_eq!(coded.once(), alike, "{one:?} {two:?}");
    }
}

#[test]
fn what_labels_of_groups_stand_for_is_on_a_level() {
    let found = |x: &[&str], with: bool| {
        let head = "k = 2\nrecoding = 'global'\nform = 'codes'\n[columns]\nx = { role = 'quasi', levels = [5, 20], finest = 5 }\n";
        let policy = policy_for(&read_csv("x\n1\n"), head);
        let source = Source::from_bytes(b"group\n1\n1\n2\n2\n".to_vec(), &ReadOptions::default()).unwrap();
        let lines = x.iter().zip(1..).map(|(cell, group)| format!("{group},{cell}\n"));
        let lookup = read_lookup(&format!("group,x\n{}", lines.collect::<String>())).unwrap().unwrap();
        let published = Published::read(source, &policy, true).unwrap();
        let published = if with { published.with_lookup(lookup) } else { published };
        let verdict = verify(&published, &policy).unwrap();
        let off: usize = verdict.off_level.iter().map(|(_, rows)| rows).sum();
        (off, verdict.codings.first().map(|coded| coded.once()))
    };
    assert_eq!(found(&["20-24", "25-29"], true), (0, Some(true)));
    assert_eq!(found(&["20-24", "20-39"], true), (0, Some(false)));
    assert_eq!(found(&["20-24", "21-25"], true), (2, Some(false)));
    assert_eq!(found(&["20-24", "21-25"], false), (0, None), "it is in another file");
}

#[test]
fn two_empty_ends_may_be_a_star_or_a_missing_value() {
    let once = |lines: &str| {
        let toml = "k = 2\nrecoding = 'global'\nform = 'bounds'\n[columns]\nx = { role = 'quasi', kind = 'numeric' }\n";
        let policy = policy_for(&read_csv("x\n1\n"), toml);
        let text = format!("x_min,x_max\n{lines}");
        let source = Source::from_bytes(text.into_bytes(), &ReadOptions::default()).unwrap();
        verify(&Published::read(source, &policy, true).unwrap(), &policy).unwrap().codings[0].once()
    };
    assert!(once("23,23\n,\n24,24\n") && once(",\n,\n"));
    assert!(!once("23,24\n,\n"));
}
