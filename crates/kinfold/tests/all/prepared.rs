//! A table that is prepared once answers for every k as a call of its own does.

use crate::support::{Dice, anonymized, held, policy_for, read_csv};
use kinfold::{Anonymized, Effort, Error, FileFormat, Options, ReportOptions, loss_curve, prepare};

fn people(rows: usize) -> String {
    let mut dice = Dice(11);
    let mut text = String::from("who,age,town,ill\n");
    for row in 0..rows {
        let (age, town) = (20 + dice.below(40), dice.pick(&["Ulm", "Bonn", "Trier"]));
        text += &format!("p{},{age},{town},{}\n", row / 2, dice.pick(&["gout", "itch", "flu"]));
    }
    text
}

fn quick() -> Options {
    let mut options = Options::default();
    options.effort = Effort::Quick;
    options
}

fn bytes(done: &mut Anonymized) -> Vec<u8> {
    let mut bytes = Vec::new();
    done.write(&mut bytes, FileFormat::default()).unwrap();
    bytes
}

#[test]
fn other_ks_are_answered_as_by_a_call_of_their_own() {
    let table = read_csv(&people(120));
    // With persons, the requirement changes with k.
    for who in ["identifier", "person"] {
        let toml = |k: u64| {
            format!(
                "k = {k}\nwithhold = 0.02\n[columns]\nwho = \"{who}\"\nage = \"quasi\"\ntown = \"quasi\"\n\
                 ill = {{ role = \"sensitive\", diversity = 2 }}\n"
            )
        };
        let prepared = prepare(&table, &policy_for(&table, &toml(5)), &quick()).unwrap();
        for k in [2, 5, 9, 20] {
            let policy = policy_for(&table, &toml(k));
            let mut alone = anonymized(&table, &policy, &quick()).unwrap();
            let mut one_of_many = held(prepared.anonymize(k, &quick()).unwrap()).unwrap();
            assert_eq!(bytes(&mut one_of_many), bytes(&mut alone), "{who} {k}");
            assert_eq!(one_of_many.groups(), alone.groups());
            assert_eq!(one_of_many.policy().k, k);
            let loss = prepared.loss(k, &quick()).unwrap();
            assert_eq!(loss.average_loss, alone.report.average_loss, "{who} {k}");
            assert_eq!(loss.withheld, alone.report.withheld);
        }
        assert!(matches!(prepared.anonymize(121, &quick()), Err(Error::Impossible(_))));
        assert!(matches!(prepared.loss(1, &quick()), Err(Error::Impossible(_))));
    }
}

#[test]
fn the_curve_of_a_report_is_that_of_releases_at_quick_effort() {
    let table = read_csv(&people(24));
    let policy = "k = 7\n[columns]\nwho = \"drop\"\nage = \"quasi\"\ntown = \"quasi\"\nill = \"sensitive\"\n";
    let policy = policy_for(&table, policy);
    let done = anonymized(&table, &policy, &Options::default()).unwrap();
    assert!(done.facts(&ReportOptions::default()).unwrap().curve.is_empty());
    let mut asked = ReportOptions::default();
    asked.curve = true;
    let curve = done.facts(&asked).unwrap().curve;
    // But for the two digits that a report has.
    let exact = loss_curve(&table, &policy, &Options::default()).unwrap();
    assert_eq!(curve.len(), exact.len());
    for (shown, exact) in curve.iter().zip(&exact) {
        assert_eq!((shown.k, shown.smallest_group), (exact.k, exact.smallest_group));
        let two_digits: f64 = format!("{:.1e}", exact.average_loss).parse().unwrap();
        assert_eq!(shown.average_loss, two_digits, "{exact:?}");
    }
    // No release of 24 rows has groups of 30.
    assert_eq!(curve.iter().map(|point| point.k).collect::<Vec<_>>(), [2, 3, 5, 7, 10, 15, 20]);
    assert!(curve.windows(2).all(|pair| pair[0].average_loss <= pair[1].average_loss));
    let page = kinfold::report::to_html(&done.facts(&asked).unwrap(), kinfold::report::Language::English);
    assert!(page.contains("Loss for other k") && page.contains(">k = 15<"));
}
