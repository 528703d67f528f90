//! Privacy models, from the policy to the verdict on published bytes.

use crate::support::{Dice, anonymized, policy_for, read_csv, rounds};
use kinfold::model::policy::{Form, Policy};
use kinfold::model::table::{ReadOptions, Source};
use kinfold::model::verify::{Finding, Published, Verdict, verify};
use kinfold::{FileFormat, Options};

fn published(release: &str, policy: &Policy) -> Published {
    let source = Source::from_bytes(release.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    Published::read(source, policy, true).unwrap()
}

fn judged(release: &str, policy: &Policy) -> Verdict {
    verify(&published(release, policy), policy).unwrap()
}

#[test]
fn one_line_per_group_lists_its_values() {
    let table = read_csv("x,y,ill\n1,1,flu\n1,2,cold\n2,1,flu\n8,8,gout\n8,9,cold\n9,8,a|b:1\n");
    let toml = "k = 3\nobjective = \"sse\"\nper_group = true\n[columns]\nx = \"quasi\"\ny = \"quasi\"\n\
        ill = { role = \"sensitive\", diversity = 2 }\n";
    let policy = policy_for(&table, toml);
    let mut done = anonymized(&table, &policy, &Options::default()).unwrap();
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
            let Ok(mut done) = anonymized(&table, &policy, &Options::default()) else { continue };
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
            anonymized(&table, &policy, &Options::default()).unwrap_or_else(|e| panic!("{toml}: {e}"));
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
    let done = anonymized(&table, &policy_for(&table, toml), &Options::default()).unwrap();
    let notes: Vec<String> = done.report.notes.iter().map(ToString::to_string).collect();
    let says = |what: &str| notes.iter().any(|note| note.contains(what));
    assert!(says("column \"town\": 1 label differs from others only in letter case"), "{notes:?}");
    assert!(says("column \"ill\": 1 spelling counted as the same value as another"), "{notes:?}");
    assert_eq!(done.report.reached[0].spellings_joined, 1);
}

#[test]
fn groups_that_are_diverse_by_codes_of_one_category_are_told() {
    // Ages of one category each, but for every second age.
    let mut text = String::from("age,icd\n");
    for i in 0..80 {
        let (age, half) = (i / 4, i % 4 / 2);
        let (letter, number) = if age % 2 == 0 { ('E', age) } else { (['J', 'K'][half], age) };
        text += &format!("{},{letter}{number:02}.{half}\n", 20 + 3 * age);
    }
    let table = read_csv(&text);
    let notes = |more: &str| {
        let policy = format!("k = 4\n[columns]\nage = \"quasi\"\nicd = {{ role = \"sensitive\"{more} }}\n");
        let report = anonymized(&table, &policy_for(&table, &policy), &Options::default()).unwrap().report;
        let notes = report.notes.iter().map(ToString::to_string);
        notes.filter(|note| note.contains("category")).collect::<Vec<_>>()
    };
    let told = notes(", diversity = 2");
    assert!(told.len() == 1 && told[0].contains("in 10 of 20 groups (50.0 %)"), "{told:?}");
    assert!(told[0].contains("prefix = [3] with level = 3"), "{told:?}");
    assert!(!told[0].contains("E0") && !told[0].contains("E1"), "no code is told");
    assert!(notes("").is_empty(), "nothing is asked of it");
    assert!(notes(", diversity = 2, prefix = [3], level = 3").is_empty(), "categories are published");
}
