//! Privacy models, from the policy to the verdict on published bytes.

use crate::support::{Dice, policy_for, read_csv, rounds};
use kinfold::model::policy::{Form, Policy};
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Finding, Published, Verdict, check_truth, verify};
use kinfold::{FileFormat, Options, anonymize};

fn published(release: &str, policy: &Policy) -> Published {
    let source = Source::from_bytes(release.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    Published::read(source, policy, true).unwrap()
}

fn judged(release: &str, policy: &Policy) -> Verdict {
    verify(&published(release, policy), policy).unwrap()
}

/// What is found of distinct persons, with the original at hand.
fn persons(release: &str, table: &Table, policy: &Policy) -> Finding {
    check_truth(&published(release, policy), table, policy).unwrap().persons.unwrap()
}

const VISITS: &str = "who,age,illness\na,20,flu\na,21,cold\nb,22,gout\nc,40,flu\nd,41,cold\nd,42,flu\n";
const ABOUT: &str = "[columns]\nwho = \"person\"\nage = \"quasi\"\nillness = \"sensitive\"\n";

fn visits(ages: [&str; 6]) -> String {
    let illnesses = ["flu", "cold", "gout", "flu", "cold", "flu"];
    let rows = ages.iter().zip(illnesses).map(|(age, illness)| format!("{age},{illness}\n"));
    format!("age,illness\n{}", rows.collect::<String>())
}

fn lines_reversed(release: &str) -> String {
    let (header, rows) = release.split_once('\n').unwrap();
    rows.lines().rev().fold(format!("{header}\n"), |text, row| text + row + "\n")
}

#[test]
fn persons_are_counted_with_the_original_only() {
    let table = read_csv(VISITS);
    let policy = policy_for(&table, &format!("k = 2\n{ABOUT}"));
    let good = visits(["[20-22]", "[20-22]", "[20-22]", "[40-42]", "[40-42]", "[40-42]"]);
    let verdict = judged(&good, &policy);
    assert!(verdict.safe() && verdict.undecided().count() == 1, "{verdict:?}");
    assert_eq!(persons(&good, &table, &policy), Finding::Fulfilled);
    // The first two rows are about one person.
    let bad = visits(["[20-21]", "[20-21]", "[22-42]", "[22-42]", "[22-42]", "[22-42]"]);
    assert!(judged(&bad, &policy).safe(), "the release alone does not show it");
    assert_eq!(persons(&bad, &table, &policy), Finding::Short { groups: 1, people: 2 });
    // In another order nobody knows whose rows they are. Both rows of [20-21] must be of one person: that is
    // not called good.
    assert!(matches!(persons(&lines_reversed(&bad), &table, &policy), Finding::Undecided(_)));
    assert_eq!(persons(&lines_reversed(&good), &table, &policy), Finding::Fulfilled);
}

#[test]
fn persons_of_a_release_with_withheld_rows() {
    let table = read_csv(VISITS);
    let policy = policy_for(&table, &format!("k = 2\nwithhold = 0.4\n{ABOUT}"));
    // Row 4 or 6 of the original is left out: row by row, "[40-42],flu" may be either, so the pairing in order
    // is not the only one.
    let ages = ["[20-22]", "[20-22]", "[20-22]", "[40-42]", "[40-42]"];
    let illnesses = ["flu", "cold", "gout", "flu", "cold"];
    let rows = ages.iter().zip(illnesses).map(|(age, illness)| format!("{age},{illness}\n"));
    let release = format!("age,illness\n{}", rows.collect::<String>());
    // In order, cold of row 5 comes after flu of row 4.
    assert_eq!(persons(&release, &table, &policy), Finding::Fulfilled);
    // Turned round, flu comes after cold: rows 5 and 6, both about one person, or row 4 in another order.
    let turned = release.replace("[40-42],flu\n[40-42],cold\n", "[40-42],cold\n[40-42],flu\n");
    let found = persons(&turned, &table, &policy);
    assert_ne!(found, Finding::Fulfilled, "rows 5 and 6 are about one person");
}

#[test]
fn a_release_that_is_not_true_says_nothing_of_persons() {
    let table = read_csv(VISITS);
    let policy = policy_for(&table, &format!("k = 2\n{ABOUT}"));
    let other = visits(["[20-22]", "[20-22]", "[20-22]", "[50-52]", "[50-52]", "[50-52]"]);
    assert!(matches!(persons(&other, &table, &policy), Finding::Undecided(_)));
}

#[test]
fn one_line_per_group_lists_its_values() {
    let table = read_csv("x,y,ill\n1,1,flu\n1,2,cold\n2,1,flu\n8,8,gout\n8,9,cold\n9,8,a|b:1\n");
    let toml = "k = 3\nobjective = \"sse\"\nper_group = true\n[columns]\nx = \"quasi\"\ny = \"quasi\"\n\
        ill = { role = \"sensitive\", diversity = 2 }\n";
    let policy = policy_for(&table, toml);
    let mut done = anonymize(&table, &policy, &Options::default()).unwrap();
    let mut bytes = Vec::new();
    done.write(&mut bytes, FileFormat::default()).unwrap();
    let release = String::from_utf8(bytes).unwrap();
    assert!(release.contains(r"{a\|b:1:1|cold:1|gout:1}"), "{release}");
    let verdict = judged(&release, &policy);
    assert!(verdict.safe(), "{verdict:?}");
    assert_eq!((verdict.shown[0].reached.distinct, verdict.shown[0].people), (2, 6));
    let short = judged(&release.replace("{cold:1|flu:2}", "{flu:3}"), &policy);
    assert_eq!(short.models[0].finding, Finding::Short { groups: 1, people: 3 });
    assert_eq!(short.shown[0].one_value_people, 3);
    // A list that cannot be read fulfils nothing.
    let broken = judged(&release.replace("{cold:1|flu:2}", "flu"), &policy);
    assert!(matches!(broken.models[0].finding, Finding::Short { groups: 1, .. }) && !broken.safe());
}

#[test]
fn a_model_on_a_column_that_is_not_there_is_not_decided() {
    let table = read_csv("age,ill\n1,a\n2,b\n");
    let toml = "k = 2\n[columns]\nage = \"quasi\"\nill = { role = \"sensitive\", diversity = 2 }\n";
    let verdict = judged("age\n[1-2]\n[1-2]\n", &policy_for(&table, toml));
    assert!(matches!(verdict.models[0].finding, Finding::Undecided(_)), "{verdict:?}");
    assert!(verdict.shown.is_empty());
}

/// Tables with two sensitive columns under every model: what is released is safe for the verifier, in every
/// form, with rows withheld and without; and what it is said to reach is at least what was asked.
#[test]
fn what_is_released_fulfils_what_was_asked() {
    let mut withheld = 0;
    for round in 0..rounds(60) {
        let mut dice = Dice(7 + round as u64);
        let mut csv = String::from("age,sex,ill,pay\n");
        for _ in 0..12 + dice.below(40) {
            let (age, pay) = (dice.below(60), dice.below(4));
            let (sex, ill) = (dice.pick(&["F", "M"]), dice.pick(&["flu", "flu", "cold", "gout", "NA"]));
            csv += &format!("{age},{sex},{ill},{pay}\n");
        }
        let model = [
            "diversity = 2",
            "diversity = { entropy = 1.5 }",
            "diversity = { recursive = [4, 2] }",
            "closeness = 0.4",
            "likeness = 1.5",
            "likeness = { enhanced = 2 }",
            "disclosure = 2",
        ][round % 7];
        // Somebody who is far from all others is dear to keep.
        let withhold = if round % 3 == 0 { "k = 3\nwithhold = 0.1\n" } else { "k = 2\n" };
        if round % 3 == 0 {
            csv += "5000,F,flu,1\n";
        }
        let toml = format!(
            "{withhold}[columns]\nage = \"quasi\"\nsex = \"quasi\"\n\
             ill = {{ role = \"sensitive\", {model} }}\n\
             pay = {{ role = \"sensitive\", closeness = {{ t = 0.4, distance = \"ordered\" }} }}\n"
        );
        let table = read_csv(&csv);
        let said = policy_for(&table, &toml);
        for form in [Form::Ranges, Form::Bounds] {
            let policy = Policy { form, ..said.clone() };
            // Some random tables cannot fulfil recursive diversity at all.
            let Ok(mut done) = anonymize(&table, &policy, &Options::default()) else { continue };
            withheld += done.report.withheld;
            let mut bytes = Vec::new();
            done.write(&mut bytes, FileFormat::default()).unwrap();
            let verdict = judged(&String::from_utf8(bytes).unwrap(), &policy);
            assert!(verdict.safe() && verdict.undecided().count() == 0, "{toml}\n{verdict:?}");
            assert!(verdict.models.iter().all(|m| m.finding == Finding::Fulfilled));
            let [ill, pay] = [&verdict.shown[0].reached, &verdict.shown[1].reached];
            assert!(pay.ordered.unwrap().to_f64() <= 0.4);
            match round % 7 {
                0 => assert!(ill.distinct >= 2),
                1 => assert!(ill.entropy.to_f64() >= 1.5),
                3 => assert!(ill.equal.to_f64() <= 0.4),
                4 => assert!(ill.likeness.unwrap().to_f64() <= 1.5),
                5 => assert!(ill.enhanced.unwrap().to_f64() <= 2.0),
                6 => assert!(ill.disclosure.unwrap().to_f64() <= 2.0),
                _ => {}
            }
        }
    }
    assert!(withheld > 0, "nothing was withheld in any round");
}

/// Releases in the forms that have columns of their own: the verifier finds the groups and their values.
#[test]
fn models_are_checked_in_every_form() {
    let mut dice = Dice(3);
    let mut csv = String::from("lat,lon,ill\n");
    for _ in 0..40 {
        let (lat, lon) = (dice.below(1000), dice.below(1000));
        csv += &format!("40.{lat:03},-73.{lon:03},{}\n", dice.pick(&["flu", "flu", "cold", "gout"]));
    }
    let table = read_csv(&csv);
    let forms = [
        "form = \"bounds\"\n",
        "form = \"wkt\"\n",
        "objective = \"sse\"\n",
        "objective = \"sse\"\nper_group = true\n",
        "objective = \"stars\"\n",
    ];
    for form in forms {
        let quasi = match form.contains("wkt") {
            true => "\"lat/lon\" = { role = \"quasi\", kind = \"point\" }\n",
            false => "lat = \"quasi\"\nlon = \"quasi\"\n",
        };
        let toml = format!(
            "k = 3\n{form}[columns]\n{quasi}ill = {{ role = \"sensitive\", diversity = 2, closeness = 0.6 }}\n"
        );
        let policy = policy_for(&table, &toml);
        let mut done =
            anonymize(&table, &policy, &Options::default()).unwrap_or_else(|e| panic!("{toml}: {e}"));
        let mut bytes = Vec::new();
        done.write(&mut bytes, FileFormat::default()).unwrap();
        let release = String::from_utf8(bytes).unwrap();
        let verdict = judged(&release, &policy);
        assert!(verdict.safe() && verdict.models.len() == 2, "{toml}: {verdict:?}");
        assert_eq!(verdict.shown[0].people, 40, "{toml}");
        assert!(verdict.models.iter().all(|model| model.finding == Finding::Fulfilled));
        // The same release under a stricter policy.
        let strict = policy_for(&table, &toml.replace("diversity = 2", "diversity = 3"));
        let l = verdict.shown[0].reached.distinct;
        assert_eq!(judged(&release, &strict).safe(), l >= 3, "{toml}");
    }
}

#[test]
fn spellings_are_told_of_sensitive_columns_and_of_quasi_identifiers() {
    let table = read_csv("town,ill\nUlm,HIV\nulm,flu\nUlm,hiv\nBonn,flu\n");
    let toml = "k = 2\n[columns]\ntown = \"quasi\"\nill = { role = \"sensitive\", diversity = 2 }\n";
    let done = anonymize(&table, &policy_for(&table, toml), &Options::default()).unwrap();
    let notes: Vec<String> = done.report.notes.iter().map(ToString::to_string).collect();
    let says = |what: &str| notes.iter().any(|note| note.contains(what));
    assert!(says("column \"town\": 1 label differs from others only in letter case"), "{notes:?}");
    assert!(says("column \"ill\": 1 spelling counted as the same value as another"), "{notes:?}");
    assert_eq!(done.report.reached[0].spellings_joined, 1);
}
