//! The verifier against plain definitions: random releases, and every figure of the verdict; and why a column should
//! not be there.

use crate::support::{Dice, policy_for, read_csv, rounds};
use kinfold_model::distribution::Distributions;
use kinfold_model::policy::Policy;
use kinfold_model::table::{ReadOptions, Source};
use kinfold_model::verify::{Finding, Forbidden, Published, Verdict, verify, verify_part};
use std::collections::{BTreeMap, BTreeSet};

/// A row of a release: age, town, illness, people.
type Row = (&'static str, &'static str, &'static str, u64);

fn published(rows: &[Row], policy: &Policy) -> Published {
    let lines = rows.iter().map(|(age, town, ill, people)| format!("\"{age}\",\"{town}\",{ill},{people}\n"));
    let text = format!("age,town,ill,n\n{}", lines.collect::<String>());
    let source = Source::from_bytes(text.into_bytes(), &ReadOptions::default()).unwrap();
    Published::read(source, policy, true).unwrap()
}

fn released(dice: &mut Dice) -> Vec<Row> {
    let (rows, ages, towns) = (3 + dice.below(25), 1 + dice.below(3), 1 + dice.below(2));
    (0..rows)
        .map(|_| {
            let age = ["[1-2]", "[3-4]", "[5-10]"][dice.below(ages)];
            let town = ["Ulm", "{Bonn,Kiel}"][dice.below(towns)];
            let kinds = 2 + dice.below(3);
            let ill = ["flu", "cold", "gout", "mumps"][dice.below(kinds)];
            (age, town, ill, [0, 1, 1, 1, 2, 5][dice.below(6)])
        })
        .collect()
}

/// The groups of a release: how many people have each illness.
fn groups(rows: &[Row]) -> Vec<BTreeMap<&str, u64>> {
    let mut groups: BTreeMap<(&str, &str), BTreeMap<&str, u64>> = BTreeMap::new();
    for &(age, town, ill, people) in rows {
        *groups.entry((age, town)).or_default().entry(ill).or_default() += people;
    }
    groups.into_values().collect()
}

fn size(group: &BTreeMap<&str, u64>) -> u64 {
    group.values().sum()
}

/// The counts of illnesses that somebody has, the commonest first.
fn counts(group: &BTreeMap<&str, u64>) -> Vec<u64> {
    let mut counts: Vec<u64> = group.values().copied().filter(|&count| count > 0).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

/// Privacy models as they are written, and by their definition: of a group and of the release, in whole numbers.
type Model = (&'static str, fn(&BTreeMap<&str, u64>, &BTreeMap<&str, u64>) -> bool);

const MODELS: [Model; 4] = [
    ("diversity = 2", |group, _| counts(group).len() >= 2),
    ("diversity = 3", |group, _| counts(group).len() >= 3),
    // r₁ < 2 · (r₂ + … + r_m)
    ("diversity = { recursive = [2, 2] }", |group, _| {
        let counts = counts(group);
        counts.first().is_some_and(|most| *most < 2 * counts[1..].iter().sum::<u64>())
    }),
    // Half the sum of the differences of shares is at most 0.3.
    ("closeness = 0.3", |group, whole| {
        let (own, all) = (size(group), size(whole));
        let count = |of: &BTreeMap<&str, u64>, ill: &str| of.get(ill).copied().unwrap_or(0);
        let apart: u64 =
            whole.keys().map(|ill| (count(group, ill) * all).abs_diff(count(whole, ill) * own)).sum();
        own > 0 && apart * 10 <= 6 * own * all
    }),
];

fn policy(k: u64, model: &str) -> Policy {
    let toml = format!(
        "k = {k}\n[columns]\nage = {{ role = \"quasi\", kind = \"numeric\" }}\nn = \"count\"\n\
         town = {{ role = \"quasi\", kind = \"category\" }}\nill = {{ role = \"sensitive\", {model} }}\n"
    );
    policy_for(&read_csv("age,town,ill,n\n1,Ulm,flu,1\n"), &toml)
}

fn says_what_the_definitions_say(rows: &[Row], k: u64, model: &Model, verdict: &Verdict) {
    let place = format!("k = {k}, {}\n{rows:?}\n{verdict:?}", model.0);
    let groups = groups(rows);
    let sizes: Vec<u64> = groups.iter().map(size).collect();
    assert_eq!((verdict.k, verdict.rows, verdict.groups), (k, rows.len(), groups.len()), "{place}");
    let ends = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
    assert_eq!((verdict.smallest, verdict.largest), ends, "{place}");
    assert_eq!(verdict.alike, sizes.iter().map(|&size| u128::from(size * size)).sum(), "{place}");
    let mut below = BTreeMap::new();
    sizes.iter().filter(|&&size| size < k).for_each(|&size| *below.entry(size).or_default() += 1);
    assert_eq!(verdict.below_k, below, "{place}");
    let mut whole = BTreeMap::new();
    rows.iter().for_each(|&(_, _, ill, people)| *whole.entry(ill).or_default() += people);
    let short: Vec<u64> =
        groups.iter().filter(|group| !model.1(group, &whole)).map(|group| size(group)).collect();
    let finding = match short.len() {
        0 => Finding::Fulfilled,
        groups => Finding::Short { groups, people: short.iter().sum() },
    };
    assert_eq!(verdict.models[0].finding, finding, "{place}");
    assert_eq!(verdict.models[0].column.as_deref(), Some("ill"));
    assert_eq!(verdict.safe(), short.is_empty() && below.is_empty(), "{place}");
    let shown = &verdict.shown[0];
    let most = |group: &BTreeMap<&str, u64>| counts(group).first().copied().unwrap_or(0);
    let sum = |of: &dyn Fn(&BTreeMap<&str, u64>) -> bool| -> u64 {
        groups.iter().filter(|group| of(group)).map(size).sum()
    };
    assert_eq!(shown.one_value_people, sum(&|group| counts(group).len() == 1), "{place}");
    assert_eq!(shown.likely_people, sum(&|group| 5 * most(group) > 4 * size(group)), "{place}");
    assert_eq!(shown.guessed_people, groups.iter().map(most).sum::<u64>(), "{place}");
    assert_eq!((shown.commonest_people, shown.people), (most(&whole), size(&whole)), "{place}");
}

#[test]
fn the_verifier_says_what_the_definitions_say() {
    let mut dice = Dice(3311);
    let (mut safe, mut unsafe_ones) = (0, 0);
    for round in 0..rounds(1200) {
        let (rows, k, model) = (released(&mut dice), 1 + dice.below(5) as u64, &MODELS[round % 4]);
        if rows.iter().all(|row| row.3 == 0) {
            continue;
        }
        let policy = policy(k.max(2), model.0);
        let verdict = verify(&published(&rows, &policy), &policy).unwrap();
        says_what_the_definitions_say(&rows, k.max(2), model, &verdict);
        if verdict.safe() { safe += 1 } else { unsafe_ones += 1 }
    }
    assert!(safe > 20 && unsafe_ones > 20, "{safe} {unsafe_ones}");
}

#[test]
fn two_parts_with_whole_groups_come_to_what_the_release_comes_to() {
    let mut dice = Dice(3312);
    for round in 0..rounds(400) {
        let (rows, model) = (released(&mut dice), &MODELS[round % 2]);
        let (one, two): (Vec<Row>, Vec<Row>) = rows.iter().partition(|row| row.0 == "[1-2]");
        if one.iter().chain(&two).all(|row| row.3 == 0) || one.is_empty() || two.is_empty() {
            continue;
        }
        let policy = policy(3, model.0);
        let part = |rows: &[Row]| {
            verify_part(&published(rows, &policy), &policy, &Distributions::default()).unwrap()
        };
        let mut both = part(&one);
        both.absorb(part(&two));
        let whole = part(&rows);
        let figures = |verdict: &Verdict| {
            (
                verdict.rows,
                verdict.groups,
                verdict.smallest,
                verdict.largest,
                verdict.alike,
                verdict.below_k.clone(),
            )
        };
        assert_eq!(figures(&both), figures(&whole), "{rows:?}");
        assert_eq!(both.models, whole.models, "{rows:?}");
        let shown = |verdict: &Verdict| {
            verdict
                .shown
                .iter()
                .map(|s| (s.one_value_people, s.likely_people, s.guessed_people))
                .collect::<Vec<_>>()
        };
        if one.iter().any(|row| row.3 > 0) && two.iter().any(|row| row.3 > 0) {
            assert_eq!(shown(&both), shown(&whole), "{rows:?}");
        }
    }
}

#[test]
fn parts_join_what_is_wrong_with_each() {
    let policy = policy(2, "diversity = 2");
    let part =
        |rows: &[Row]| verify_part(&published(rows, &policy), &policy, &Distributions::default()).unwrap();
    let good: &[Row] = &[("[1-2]", "Ulm", "flu", 1), ("[1-2]", "Ulm", "cold", 1)];
    let (mut one, mut two) = (part(good), part(good));
    one.forbidden = vec![("name".into(), Forbidden::Identifier)];
    two.forbidden = vec![("name".into(), Forbidden::Identifier), ("who".into(), Forbidden::Person)];
    one.unrounded = vec![("age".into(), 2)];
    two.unrounded = vec![("town".into(), 3), ("age".into(), 5)];
    (one.miscounted, two.miscounted) = (3, 4);
    one.absorb(two);
    let joined = [("name".to_owned(), Forbidden::Identifier), ("who".to_owned(), Forbidden::Person)];
    assert_eq!(one.forbidden, joined);
    assert_eq!(one.unrounded, [("age".to_owned(), 7), ("town".to_owned(), 3)]);
    assert_eq!(one.miscounted, 7);
    // Whatever is wrong in one part is wrong in both: short before undecided before fulfilled.
    let finding = |one: &Finding, two: &Finding| {
        let (mut all, mut more) = (part(good), part(good));
        (all.models[0].finding, more.models[0].finding) = (one.clone(), two.clone());
        all.absorb(more);
        all.models.swap_remove(0).finding
    };
    let (short, open) = (Finding::Short { groups: 2, people: 3 }, Finding::Undecided("why".into()));
    let twice = Finding::Short { groups: 4, people: 6 };
    assert_eq!(finding(&short, &short), twice);
    for (one, two, expected) in [
        (&short, &open, &short),
        (&open, &short, &short),
        (&open, &Finding::Fulfilled, &open),
        (&Finding::Fulfilled, &open, &open),
        (&Finding::Fulfilled, &short, &short),
        (&Finding::Fulfilled, &Finding::Fulfilled, &Finding::Fulfilled),
    ] {
        assert_eq!(&finding(one, two), expected);
    }
}

/// Each fault by itself makes a release unsafe.
#[test]
fn one_fault_is_enough() {
    let policy = policy(2, "diversity = 2");
    let good: &[Row] = &[("[1-2]", "Ulm", "flu", 1), ("[1-2]", "Ulm", "cold", 1)];
    let verdict = verify(&published(good, &policy), &policy).unwrap();
    assert!(verdict.safe() && verdict.undecided().count() == 0, "{verdict:?}");
    let faults: [fn(&mut Verdict); 5] = [
        |verdict| _ = verdict.below_k.insert(1, 1),
        |verdict| verdict.miscounted = 1,
        |verdict| verdict.forbidden.push(("name".into(), Forbidden::NoRole)),
        |verdict| verdict.unrounded.push(("age".into(), 1)),
        |verdict| verdict.models[0].finding = Finding::Short { groups: 1, people: 1 },
    ];
    for fault in faults {
        let mut bad = verdict.clone();
        fault(&mut bad);
        assert!(!bad.safe(), "{bad:?}");
    }
    let mut open = verdict;
    open.models[0].finding = Finding::Undecided("why".into());
    assert!(open.safe() && open.undecided().count() == 1);
}

#[test]
fn every_column_that_should_not_be_there_has_its_reason() {
    let columns = "name = \"identifier\"\nwho = \"person\"\nday = \"drop\"\n\
                   age = { role = \"quasi\", kind = \"numeric\" }\nill = \"keep\"\n";
    let verdict = |toml: &str, text: &str| {
        let policy = policy_for(&read_csv("name,who,day,age,ill\na,b,c,1,d\n"), toml);
        let source = Source::from_bytes(text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        verify(&Published::read(source, &policy, true).unwrap(), &policy).unwrap()
    };
    let complete = format!("k = 2\n[columns]\n{columns}");
    let rows = "x,1,2,[1-2],d,e\ny,2,3,[1-2],d,e\n";
    let found = verdict(&complete, &format!("name,who,day,age,ill,other\n{rows}"));
    let reasons: BTreeMap<&str, Forbidden> =
        found.forbidden.iter().map(|(name, why)| (name.as_str(), *why)).collect();
    let expected = [
        ("name", Forbidden::Identifier),
        ("who", Forbidden::Person),
        ("day", Forbidden::Dropped),
        ("other", Forbidden::NoRole),
    ];
    assert_eq!(reasons, expected.into());
    let sentences: BTreeSet<&str> = reasons.values().map(|why| why.sentence()).collect();
    assert_eq!(sentences.len(), 4, "{sentences:?}");
}
