//! What is written down: text for text.

use crate::support::{OUT, anonymized, found, policy_for, read_csv};
use kinfold::model::encode::encode;
use kinfold::model::judge::judge;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, VerifyError, check_truth, read_lookup};
use kinfold::{FileFormat, Options, publish};

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

/// One column, with so many labels of so many letters, two rows each.
fn labels(labels: usize, letters: usize) -> (Table, String) {
    let rows = (0..labels).map(|label| format!("{}{label:04}\n", "x".repeat(letters - 4)).repeat(2));
    let table = read_csv(&format!("town\n{}", rows.collect::<String>()));
    let toml = "objective = \"group-size\"\n[columns]\ntown = { role = \"quasi\", kind = \"category\" }\n";
    (table, toml.to_owned())
}

#[test]
fn sets_far_larger_than_the_table_are_named_or_refused() {
    // Two thousand labels in every cell; or eighteen, of which a cell is too long to be read.
    for ((table, toml), k, about) in [
        (labels(2_000, 20), 4_000, "would list up to 2,000 labels: 169 MB in all"),
        (labels(18, 100_000), 36, "would list 18 labels: 2 MB, too much to read back"),
    ] {
        let policy = policy_for(&table, &format!("k = {k}\n{toml}"));
        let refused = anonymized(&table, &policy, &Options::default()).unwrap_err();
        assert!(refused.to_string().contains(about), "{refused}");
        assert!(refused.hint().unwrap().to_string().contains("lookup"));
        let mut options = Options::default();
        options.lookup = true;
        let mut named = anonymized(&table, &policy, &options).unwrap();
        let mut bytes = Vec::new();
        named.write(&mut bytes, FileFormat::default()).unwrap();
        let lookup = read_lookup(named.lookup().unwrap()).unwrap().unwrap();
        let source = Source::from_bytes(bytes, &ReadOptions::default()).unwrap();
        let published = Published::read(source, &policy, true).unwrap().with_lookup(lookup);
        assert!(check_truth(&published, &table, &policy).unwrap().holds(), "the sets can be read back");
    }
}

#[test]
fn a_column_alone_is_read_back_whatever_it_holds() {
    let name = "a;b|c";
    let table = Table::from_cells(&[name], &[vec!["x;y"], vec!["x;y"], vec!["p,q"], vec!["p,q"]]).unwrap();
    let policy =
        policy_for(&table, "k = 2\n[columns]\n\"a;b|c\" = { role = \"quasi\", kind = \"category\" }\n");
    let mut done = anonymized(&table, &policy, &Options::default()).unwrap();
    let mut bytes = Vec::new();
    done.write(&mut bytes, FileFormat::default()).unwrap();
    let source = Source::from_bytes(bytes, &ReadOptions::default()).unwrap();
    assert_eq!(source.names(), [name]);
    assert!(check_truth(&Published::read(source, &policy, true).unwrap(), &table, &policy).unwrap().holds());
}
