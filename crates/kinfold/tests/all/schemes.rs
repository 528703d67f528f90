//! Columns that are coded once for the whole table: levels that are chosen, kept for later tables, mapped and reported.

use crate::support::anonymized;
use kinfold::model::policy::Policy;
use kinfold::model::table::Table;
use kinfold::report::Json;
use kinfold::{Effort, Error, Options, ReportOptions, anonymize};

/// People of two years of birth per town and street, and one far away; `extra` rows more.
fn people(rows: u32, extra: &[[&str; 3]]) -> Table {
    let mut dice = 7u64;
    let mut below = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    let cells: Vec<[String; 3]> = (0..rows)
        .map(|_| {
            let (age, zip) = (18 + below(60) / 3 * 2, 10_000 + below(9) * 1_000 + below(40));
            [age.to_string(), zip.to_string(), ["F", "M"][below(2) as usize].to_owned()]
        })
        .collect();
    let cells = cells.iter().map(|row| row.iter().map(String::as_str).collect());
    let rows: Vec<Vec<&str>> = cells.chain(extra.iter().map(|row| row.to_vec())).collect();
    Table::from_cells(&["age", "zip", "sex"], &rows).unwrap()
}

fn policy(table: &Table, top: &str, age: &str, zip: &str) -> Policy {
    let text = format!(
        "k = 4\n{top}\n[columns]\nage = {{ role = 'quasi', levels = [4, 8, 16, 32]{age} }}\n\
         zip = {{ role = 'quasi', prefix = [4, 3, 2]{zip} }}\nsex = {{ role = 'quasi', kind = 'category' }}\n"
    );
    Policy::parse(&text).for_table(table).unwrap()
}

fn options(set: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    set(&mut options);
    options
}

fn loss(table: &Table, policy: &Policy, options: &Options) -> Option<f64> {
    match anonymized(table, policy, options) {
        Ok(done) => Some(done.report.average_loss),
        Err(Error::Impossible(_)) => None,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn no_choice_of_levels_loses_less_than_the_one_that_is_chosen() {
    let table = people(400, &[]);
    let quick = options(|options| options.effort = Effort::Quick);
    let auto = policy(&table, "withhold = '5%'", ", level = 'auto'", ", level = 'auto'");
    let done = anonymized(&table, &auto, &quick).unwrap();
    let chosen: Vec<(&str, Option<&str>)> =
        done.report.levels.iter().map(|level| (level.column.as_str(), level.name.as_deref())).collect();
    assert_eq!(chosen.iter().map(|(column, _)| *column).collect::<Vec<_>>(), ["age", "zip"]);
    assert_eq!((done.report.bound, done.report.optimal), (None, false));
    let mut tried = 0;
    for age in ["4", "8", "16", "32"] {
        for zip in ["4", "3", "2"] {
            let fixed =
                policy(&table, "withhold = '5%'", &format!(", level = {age}"), &format!(", level = {zip}"));
            let Some(loss) = loss(&table, &fixed, &quick) else { continue };
            tried += 1;
            assert!(done.report.average_loss <= loss + 1e-12, "{age} {zip}: {loss}, chosen {chosen:?}");
        }
    }
    assert!(tried > 3, "{tried}");
}

#[test]
fn levels_that_cannot_be_released_are_refused_with_what_would_be_needed() {
    let table = people(60, &[["18", "90001", "F"]]);
    let auto = policy(&table, "", ", level = 'auto', coarsest = 4", "");
    let error = anonymize(&table, &auto, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("classes of fewer than 4"), "{error}");
}

#[test]
fn a_frame_keeps_the_levels_that_were_chosen() {
    let (first, second) = (people(600, &[]), people(250, &[]));
    for (top, more) in
        [("recoding = 'global'\nwithhold = '10%'", ""), ("withhold = '10%'", ", level = 'auto'")]
    {
        let policy_of = |table: &Table| policy(table, top, more, more);
        let keep = options(|own| (own.keep_frame, own.effort) = (true, Effort::Quick));
        let done = anonymized(&first, &policy_of(&first), &keep).unwrap();
        let frame = kinfold::model::frame::Frame::from_json(&done.frame().unwrap().to_json()).unwrap();
        let using = options(|own| (own.using, own.effort) = (Some(frame), Effort::Quick));
        let roomy = format!("{}\n", top.replace("10%", "60%"));
        let again = anonymized(&second, &policy(&second, &roomy, more, more), &using).unwrap();
        assert_eq!(again.report.levels, done.report.levels);
        // Left to itself, the smaller table is coded otherwise, so that the test could fail.
        let own = anonymized(&second, &policy(&second, &roomy, more, more), &keep).unwrap();
        assert_ne!(own.report.levels, done.report.levels);
        // What falls short there is withheld, or nothing is released.
        let strict = policy(&second, &top.replace("10%", "0%"), more, more);
        let error = anonymize(&second, &strict, &using).unwrap_err();
        assert!(matches!(error, Error::Impossible(_)), "{error}");
    }
}

#[test]
fn a_mapping_says_what_released_values_are_published_as() {
    let table = people(300, &[["77", "99999", "X"]]);
    let fixed = policy(&table, "withhold = '50%'", ", level = 8", ", level = 2");
    let done = anonymized(&table, &fixed, &Options::default()).unwrap();
    let mapping = done.mapping().unwrap();
    let mut lines = mapping.lines();
    assert_eq!(lines.next(), Some("column,value,published"));
    let mut columns = std::collections::BTreeSet::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        columns.insert(cells[0].to_owned());
        match cells[0] {
            "age" => {
                let low = cells[1].parse::<u32>().unwrap() / 8 * 8;
                assert_eq!(cells[2], format!("{low}-{}", low + 7));
            }
            _ => assert_eq!(cells[2], &cells[1][..2]),
        }
    }
    assert_eq!(columns.into_iter().collect::<Vec<_>>(), ["age", "zip"]);
    // She is withheld, and the mapping does not know her.
    assert!(!mapping.contains("99999") && done.report.withheld > 0);
    let local = policy(&table, "withhold = '10%'", "", "");
    assert!(anonymized(&table, &local, &Options::default()).unwrap().mapping().is_err());
}

#[test]
fn reports_of_levels_are_written_where_rows_are_withheld() {
    let table = people(300, &[["77", "99999", "X"]]);
    for (top, age) in [
        ("withhold = '50%'", ", level = 8"),
        ("withhold = '50%'", ", finest = 8, top = 64"),
        ("withhold = '10%'\nrecoding = 'global'", ""),
        ("withhold = '50%'\nrecoding = 'global'", ", finest = 8"),
    ] {
        let done = anonymized(&table, &policy(&table, top, age, ""), &Options::default()).unwrap();
        assert!(done.report.withheld > 0, "{top} {age}");
        let facts = done.facts(&ReportOptions::default()).unwrap();
        let shown = facts.to_json()["anonymize"]["average_loss"].as_f64().unwrap();
        assert!(shown > 0.0 && shown < 1.0, "{top} {age}: {shown}");
    }
}

#[test]
fn reports_compare_sensitive_columns_as_they_are_published() {
    let rows = [["1", "a"], ["1", "b"], ["2", "c"], ["2", "a"]].map(|row| row.to_vec());
    let table = Table::from_cells(&["age", "code"], &rows).unwrap();
    let text = "k = 2\n[columns]\nage = 'quasi'\n[columns.code]\nrole = 'sensitive'\nlevel = 1\n\
                [columns.code.levels]\nvowel = ['a']\nother = ['b', 'c']\n";
    let policy = Policy::parse(text).for_table(&table).unwrap();
    let done = anonymized(&table, &policy, &Options::default()).unwrap();
    let facts = done.facts(&ReportOptions::default()).unwrap().to_json();
    // Of the original, too, categories are counted, not codes.
    assert!(!facts["before"].is_null() && !facts["utility"].is_null(), "{facts}");
}
