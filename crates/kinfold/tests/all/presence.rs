//! Presence, from the policy to the verdict on published bytes.

use crate::support::{Dice, anonymized, read_csv, rounds};
use kinfold::model::policy::{Draft, Policy};
use kinfold::model::table::{ReadOptions, Source};
use kinfold::model::verify::{Finding, Published, Verdict, verify};
use kinfold::model::world::World;
use kinfold::{FileFormat, Options};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TOWNS: &str = "Aach;north;land\nBach;north;land\nCalw;south;land\nDorn;south;land\n";

/// A policy whose population and hierarchy are in memory.
fn policy(names: &[&str], toml: &str, population: &str) -> Policy {
    let file = |name: &str, text: &str| (PathBuf::from(name), text.as_bytes().to_vec());
    let files = BTreeMap::from([file("population.csv", population), file("towns.csv", TOWNS)]);
    let world: Arc<dyn World> = Arc::new(files);
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    Draft::from_toml_in(world, toml, Path::new("policy.toml")).settle_for(&names).unwrap()
}

fn judged(release: &str, policy: &Policy) -> Verdict {
    let source = Source::from_bytes(release.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    verify(&Published::read(source, policy, false).unwrap(), policy).unwrap()
}

/// Whether a published cell of form ranges speaks of a value, as a reader would say.
fn speaks_of(cell: &str, value: &str) -> bool {
    let inner = |open: char, close: char| cell.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if cell == "*" || cell == value {
        true
    } else if let Some((low, high)) = inner('[', ']').and_then(|range| range.split_once('-')) {
        let number = |text: &str| text.parse::<i64>().unwrap();
        value.parse::<i64>().is_ok_and(|value| number(low) <= value && value <= number(high))
    } else if let Some(labels) = inner('{', '}') {
        labels.split('|').any(|label| label == value)
    } else {
        match (cell, value) {
            ("north", "Aach" | "Bach") | ("south", "Calw" | "Dorn") => true,
            ("land", town) => town != "Elsewhere",
            _ => false,
        }
    }
}

#[test]
fn every_release_hides_who_is_in_it_and_verify_counts_as_a_reader_would() {
    let (mut released, mut short, mut merged) = (0, 0, 0);
    for round in 0..rounds(80) {
        let mut dice = Dice(11 + round as u64);
        let gaps = dice.below(2) == 0;
        let person = |dice: &mut Dice, wide: bool| {
            let age = 20 + dice.below(if wide { 40 } else { 30 });
            let age = if gaps && dice.below(9) == 0 { "NA".into() } else { age.to_string() };
            let towns = ["Aach", "Bach", "Calw", "Dorn", "Elsewhere"];
            let town = towns[dice.below(if wide { 5 } else { 4 })];
            let job = ["cook", "smith", "clerk", "monk"][dice.below(if wide { 4 } else { 3 })];
            format!("{age},{town},{job}")
        };
        let members: Vec<String> = (0..12 + dice.below(30)).map(|_| person(&mut dice, false)).collect();
        let others: Vec<String> = (0..60 + dice.below(60)).map(|_| person(&mut dice, true)).collect();
        let csv = format!("age,town,job\n{}\n", members.join("\n"));
        let population = format!("age,town,job\n{}\n{}\n", members.join("\n"), others.join("\n"));
        let at_most = ["0.4", "0.5", "0.7"][round % 3];
        let form = ["", "form = \"bounds\"\n", "objective = \"stars\"\n"][dice.below(3)];
        let toml = |at_most: &str, form: &str| {
            format!(
                "k = 2\n{form}[columns]\nage = {{ role = \"quasi\", kind = \"numeric\" }}\n\
                 town = {{ role = \"quasi\", hierarchy = \"towns.csv\" }}\njob = \"quasi\"\n\
                 [presence]\npopulation = \"population.csv\"\nat_most = {at_most}\n"
            )
        };
        let table = read_csv(&csv);
        let names = ["age", "town", "job"];
        let said = policy(&names, &toml(at_most, form), &population);
        let mut options = Options::default();
        options.keep_order = dice.below(2) == 0;
        let Ok(mut done) = anonymized(&table, &said, &options) else { continue };
        let mut bytes = Vec::new();
        done.write(&mut bytes, FileFormat::default()).unwrap();
        let release = String::from_utf8(bytes).unwrap();
        let verdict = judged(&release, &said);
        assert!(verdict.safe() && verdict.models[0].finding == Finding::Fulfilled, "{verdict:?}");
        released += 1;
        merged += usize::from(verdict.smallest > 3);
        if form.contains("bounds") {
            continue;
        }
        // Groups counted again, and compared with a share that some of them miss.
        let strict = policy(&names, &toml("0.25", form), &population);
        let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
        release.lines().skip(1).for_each(|row| *groups.entry(row).or_default() += 1);
        let fitting = |row: &str| {
            let everybody = members.iter().chain(&others);
            let fits = |person: &&String| row.split(',').zip(person.split(',')).all(|(c, v)| speaks_of(c, v));
            everybody.filter(fits).count() as u64
        };
        let missed: Vec<u64> = groups
            .iter()
            .filter(|(row, people)| 4 * **people > fitting(row))
            .map(|(_, people)| *people)
            .collect();
        let found = match missed.len() {
            0 => Finding::Fulfilled,
            groups => Finding::Short { groups, people: missed.iter().sum() },
        };
        assert_eq!(judged(&release, &strict).models[0].finding, found, "{release}\n{population}");
        short += usize::from(!missed.is_empty());
    }
    assert!(released >= rounds(80) / 2 && short > 0 && merged > 0, "{released} {short} {merged}");
}

#[test]
fn persons_are_counted_once_where_the_release_cannot_show_it() {
    // Three persons with two rows each, of six who fit.
    let csv = "who,age\na,20\na,21\nb,22\nb,20\nc,21\nc,22\n";
    let population = "age\n20\n20\n21\n21\n22\n22\n";
    let toml = "k = 2\ncolumns.who = \"person\"\ncolumns.age = \"quasi\"\n\
                presence.population = \"population.csv\"\npresence.at_most = 0.5\n";
    let said = policy(&["who", "age"], toml, population);
    let mut done = anonymized(&read_csv(csv), &said, &Options::default()).unwrap();
    assert_eq!(done.report.groups, 1);
    let mut bytes = Vec::new();
    done.write(&mut bytes, FileFormat::default()).unwrap();
    let verdict = judged(&String::from_utf8(bytes).unwrap(), &said);
    assert_eq!(verdict.undecided().count(), 2, "rows are not persons: {verdict:?}");
}
