//! What is written down: text for text.

use crate::support::{OUT, found, policy_for, read_csv};
use kinfold::model::encode::encode;
use kinfold::model::judge::judge;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, VerifyError, check_truth};
use kinfold::publish;

/// The release of a grouping that is given.
fn release(csv: &str, toml: &str, groups: &[u32], sorted: bool) -> String {
    let table = read_csv(csv);
    let policy = policy_for(&table, toml);
    let encoded = encode(&table, &policy).unwrap();
    let solution = judge(&encoded.problem, found(groups.to_vec())).unwrap();
    let mut release = publish(&table, &policy, &encoded, &solution);
    if sorted {
        release.sort();
    }
    let mut bytes = Vec::new();
    release.write_csv(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn holds(release: &str, original: &Table, toml: &str) -> Result<bool, VerifyError> {
    let policy = policy_for(&read_csv(TABLE), toml);
    let source = Source::from_bytes(release.as_bytes().to_vec(), &ReadOptions::default())?;
    Ok(check_truth(&Published::read(source, &policy, true)?, original, &policy)?.holds())
}

const TABLE: &str = "age;born;size;tree;town;note\n\
    1.50;2020-01-01;low;ash;a;\"x;y\"\n\
    1.5;2020-01-03;top;oak;a|;\"he said \"\"hi\"\"\"\n\
    NA;2021-01-01;low;fir;b;\n\
    7;2021-01-01;low;fir;c;z\n";

const POLICY: &str = r#"
k = 2
[columns]
note = "keep"
age = { role = "quasi", kind = "numeric" }
born = { role = "quasi", kind = "date" }
size = { role = "quasi", order = ["low", "high", "top"] }
tree = { role = "quasi", hierarchy = "trees.csv" }
town = { role = "quasi", kind = "category" }
"#;

#[test]
fn ranges_sets_nodes_and_stars() {
    let expected = "age;born;size;tree;town;note\n\
        1.50;[2020-01-01/2020-01-03];[low-top];broadleaf;{a|a\\|};\"x;y\"\n\
        1.50;[2020-01-01/2020-01-03];[low-top];broadleaf;{a|a\\|};\"he said \"\"hi\"\"\"\n\
        *;2021-01-01;low;fir;{b|c};\n\
        *;2021-01-01;low;fir;{b|c};z\n";
    assert_eq!(release(TABLE, POLICY, &[0, 0, 1, 1], false), expected);
}

#[test]
fn bounds_stand_in_two_columns() {
    let expected = "age_min;age_max;born_min;born_max;size_min;size_max;tree;town;note\n\
        1.50;1.50;2020-01-01;2020-01-03;low;top;broadleaf;{a|a\\|};\"x;y\"\n\
        1.50;1.50;2020-01-01;2020-01-03;low;top;broadleaf;{a|a\\|};\"he said \"\"hi\"\"\"\n\
        ;;2021-01-01;2021-01-01;low;low;fir;{b|c};\n\
        ;;2021-01-01;2021-01-01;low;low;fir;{b|c};z\n";
    assert_eq!(release(TABLE, &format!("form = \"bounds\"\n{POLICY}"), &[0, 0, 1, 1], false), expected);
}

#[test]
fn formats_are_settings_and_stay_readable() {
    let toml = format!(
        "{POLICY}\n[format]\nrange = \"{{lo}} to {{hi}}\"\ndate_range = \"{{lo}}..{{hi}}\"\nset = [\"\", \"||\", \"\"]\nstar = \"(any)\"\n"
    );
    let expected = "age;born;size;tree;town;note\n\
        1.50;2020-01-01..2020-01-03;low to top;broadleaf;a||a\\|;\"x;y\"\n\
        1.50;2020-01-01..2020-01-03;low to top;broadleaf;a||a\\|;\"he said \"\"hi\"\"\"\n\
        (any);2021-01-01;low;fir;b||c;\n\
        (any);2021-01-01;low;fir;b||c;z\n";
    let written = release(TABLE, &toml, &[0, 0, 1, 1], false);
    assert_eq!(written, expected);
    assert!(holds(&written, &read_csv(TABLE), &toml).unwrap());
}

#[test]
fn withheld_rows_are_left_out() {
    let toml = format!("withhold = \"50%\"\n{POLICY}");
    let written = release(TABLE, &toml, &[0, OUT, OUT, 0], false);
    assert_eq!(written.lines().count(), 3);
    assert!(holds(&written, &read_csv(TABLE), &toml).unwrap());
    assert!(!holds(&written, &read_csv(TABLE), POLICY).unwrap(), "without leave to withhold, rows are lost");
}

#[test]
fn a_sorted_release_does_not_depend_on_the_order_of_the_table() {
    let (header, rows) = TABLE.split_once('\n').unwrap();
    let mut lines: Vec<&str> = rows.lines().collect();
    lines.reverse();
    let backwards = format!("{header}\n{}\n", lines.join("\n"));
    // Group numbers differ as well; only what is published counts. Spellings of the same number are one here.
    let first = release(TABLE, POLICY, &[0, 0, 1, 1], true).replace("1.50", "1.5");
    let second = release(&backwards, POLICY, &[0, 0, 1, 1], true).replace("1.50", "1.5");
    assert_eq!(first, second);
    let mut looks: Vec<&str> = first.lines().skip(1).collect();
    assert_eq!(looks.len(), 4);
    looks.dedup();
    assert!(looks.is_sorted_by_key(|look| look.rsplit_once(';').unwrap().0), "{first}");
    assert!(holds(&first, &read_csv(TABLE), POLICY).unwrap());
}

#[test]
fn nothing_is_true_of_an_original_that_lacks_a_column() {
    let written = release(TABLE, POLICY, &[0, 0, 1, 1], false);
    for missing in ["age", "note"] {
        let source = Source::from_bytes(TABLE.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        let poorer = source.read(|name| name != missing).unwrap();
        assert!(matches!(holds(&written, &poorer, POLICY), Err(VerifyError::Policy(_))), "{missing}");
    }
}
