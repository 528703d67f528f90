//! What other settings cost is measured by one yardstick.

use crate::support::{anonymized, policy_for, read_csv};
use kinfold::model::policy::Policy;
use kinfold::model::recoding::Recoding;
use kinfold::model::table::Table;
use kinfold::{Choice, Effort, Options, whatif};

fn table() -> (Table, Policy) {
    let mut text = String::from("age,town,sex,ill\n");
    for i in 0..60u32 {
        let (age, town, sex) =
            (20 + i * 7 % 50, ["Ulm", "Bonn", "Trier"][i as usize % 3], ["F", "M"][i as usize % 2]);
        text += &format!("{age},{town},{sex},{}\n", ["flu", "gout"][i as usize / 2 % 2]);
    }
    let table = read_csv(&text);
    let policy = "k = 4\n[columns]\nage = { role = \"quasi\", weight = 2 }\ntown = \"quasi\"\nsex = \"quasi\"\n\
                  ill = { role = \"sensitive\", diversity = 2 }\n";
    let policy = policy_for(&table, policy);
    (table, policy)
}

fn quick() -> Options {
    let mut options = Options::default();
    options.effort = Effort::Quick;
    options
}

#[test]
fn columns_make_up_the_loss_by_their_weights() {
    let (table, policy) = table();
    let report = anonymized(&table, &policy, &quick()).unwrap().report;
    let weights = [2.0, 1.0, 1.0];
    let names: Vec<&str> = report.columns.iter().map(|c| c.column.as_str()).collect();
    assert_eq!(names, ["age", "town", "sex"]);
    let lost: f64 = report.columns.iter().zip(weights).map(|(column, weight)| column.loss * weight).sum();
    assert!((lost / 4.0 - report.average_loss).abs() < 1e-9, "{lost} {}", report.average_loss);
}

#[test]
fn variants_are_measured_as_the_policy_is() {
    let (table, policy) = table();
    let report = whatif(&table, &policy, &quick()).unwrap();
    let alone = anonymized(&table, &policy, &quick()).unwrap().report;
    let base = &report.variants[0];
    assert_eq!((base.kind, base.groups), ("policy", alone.groups));
    assert!((base.average_loss - alone.average_loss).abs() < 1e-9);
    let loss = |name: &str| {
        let found = report.variants.iter().find(|variant| variant.name == name);
        found.unwrap_or_else(|| panic!("no {name}")).average_loss
    };
    assert!(loss("k = 2") < loss("k = 10") && loss("k = 10") < loss("k = 20"));
    // A column that is dropped is lost: half of all, for age has half of the weight.
    let without = report.variants.iter().find(|variant| variant.name == "without age").unwrap();
    assert_eq!(without.columns[0].loss, 1.0);
    assert!(without.average_loss >= 0.5 && without.average_loss < 1.0);
    // The variant puts less weight on age, and is measured with the full one: it cannot seem better by that.
    let halved = report.variants.iter().find(|variant| variant.name == "half the weight of age").unwrap();
    let by_weights: f64 = halved.columns.iter().zip([2.0, 1.0, 1.0]).map(|(c, weight)| c.loss * weight).sum();
    assert!((by_weights / 4.0 - halved.average_loss).abs() < 1e-9);
    let kinds: Vec<&str> = report.variants.iter().map(|variant| variant.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "drop").count(), 3);
    assert_eq!(kinds.iter().filter(|kind| **kind == "withhold").count(), 2);
    let chart = report.chart();
    assert_eq!(chart.matches("<rect class=\"bar").count(), report.variants.len());
}

#[test]
fn levels_are_tried_one_coarser_and_one_finer_and_the_other_recoding() {
    let (table, _) = table();
    let policy = "k = 4\n[columns]\nill = \"keep\"\nsex = \"quasi\"\ntown = \"quasi\"\n\
                  [columns.age]\nrole = \"quasi\"\n\
                  levels = [5, 10]\nfinest = 5\n";
    let policy = policy_for(&table, policy);
    let report = whatif(&table, &policy, &quick()).unwrap();
    // Every cell of age spans a whole interval of the finest level at least: of 50 ages, four or nine years.
    let spans = |name: &str, years: f64| {
        let found = report.variants.iter().find(|variant| variant.name == name);
        let variant = found.unwrap_or_else(|| panic!("no {name} in {:?}", report.variants));
        let age = variant.columns.iter().find(|column| column.column == "age").unwrap();
        assert!(age.loss >= years / 49.0 - 1e-6, "{name}: {}", age.loss);
    };
    spans("as it is", 4.0);
    spans("age one level coarser", 9.0);
    spans("age one level finer", 0.0);
    spans("global recoding", 4.0);
    let kinds = |kind: &str| report.variants.iter().filter(|variant| variant.kind == kind).count();
    assert_eq!(
        (kinds("level"), kinds("recoding")),
        (2, 1),
        "columns without levels have no variants of them"
    );
    let global = Policy { recoding: Recoding::Global, ..policy.clone() };
    let report = whatif(&table, &global, &quick()).unwrap();
    let local = report.variants.iter().find(|variant| variant.name == "local recoding").unwrap();
    assert!(local.average_loss < report.variants[0].average_loss);
    // A solver that is named is for one recoding.
    let mut named = quick();
    named.solver = Choice::parse("mondrian").unwrap();
    let report = whatif(&table, &policy, &named).unwrap();
    assert_eq!(report.variants.iter().filter(|variant| variant.kind == "recoding").count(), 0);
}

#[test]
fn what_is_not_possible_is_left_out_with_the_reason() {
    let table = read_csv("age\n1\n2\n3\n4\n5\n6\n");
    let policy = policy_for(&table, "k = 2\n[columns]\nage = \"quasi\"\n");
    let report = whatif(&table, &policy, &quick()).unwrap();
    assert_eq!(report.left_out.len(), 3, "k = 10, 20 and 50: {:?}", report.left_out);
    assert!(report.left_out[0].starts_with("k = 10: "), "{:?}", report.left_out);
    let clusters = policy_for(&table, "k = 2\nobjective = \"sse\"\n[columns]\nage = \"quasi\"\n");
    assert!(whatif(&table, &clusters, &quick()).unwrap_err().to_string().contains("no loss per cell"));
}

#[test]
fn what_there_is_no_time_for_is_not_tried() {
    let (table, policy) = table();
    let all = whatif(&table, &policy, &quick()).unwrap();
    assert_eq!(all.not_tried, 0);
    let mut options = quick();
    options.time_limit = Some(std::time::Duration::ZERO);
    let report = whatif(&table, &policy, &options).unwrap();
    assert_eq!(report.variants.len(), 1, "the policy as it is");
    assert_eq!(report.not_tried + 1, all.variants.len() + all.left_out.len());
}
