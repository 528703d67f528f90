//! Certificates: what is true is found true by the checker, and every near miss is refused for the right
//! reason.

use crate::support::{Dice, policy_for, read_csv, run_with_threads, sample};
use kinfold::bounds::{Strength, prove};
use kinfold::model::certificate::{Certificate, Cut, Refused, Unreadable};
use kinfold::model::cost::Cost;
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::judge::{Bound, Broken};
use kinfold::{Choice, solve};

const WORK: u64 = 1 << 40;

const TABLE: &str = "age,town\n31,Aarhus\n33,Aarhus\n34,Bergen\n51,Bergen\n52,Bergen\n58,Cuxhaven\n59,Cuxhaven\n60,Cuxhaven\n";

fn encoded(table: &str, k: u64, town: &str) -> Encoded {
    let table = read_csv(table);
    let policy = policy_for(
        &table,
        &format!(
            "k = {k}\n[columns]\nage = {{ role = \"quasi\", kind = \"numeric\" }}\ntown = {{ role = \"quasi\", {town} }}\n"
        ),
    );
    encode(&table, &policy).unwrap()
}

fn certified(encoded: &Encoded) -> Certificate {
    let run = run_with_threads(1);
    let mut solution = solve(&encoded.problem, &Choice::Auto, &run).unwrap().solution;
    let prices = prove(&encoded.problem, &mut solution, Strength::Lp, &run).unwrap().unwrap();
    assert!(matches!(solution.bound(), Bound::Checked(_)));
    Certificate::new(&encoded.problem, &solution, prices)
}

#[test]
fn near_misses_are_refused_for_the_right_reason() {
    let kind = "kind = \"category\"";
    let original = encoded(TABLE, 3, kind);
    let certificate = certified(&original);
    let check = |changed: &Certificate| changed.check(&original.problem, WORK).map(|s| s.bound());
    assert_eq!(check(&certificate), Ok(Bound::Checked(certificate.bound)));

    let other = encoded(TABLE, 4, kind);
    let refused = certificate.check(&other.problem, WORK).unwrap_err();
    assert_eq!(refused, Refused::AnotherK { certificate: 3, policy: 4 });

    let other = encoded(TABLE, 3, "kind = \"category\", weight = 2");
    assert_eq!(certificate.check(&other.problem, WORK).unwrap_err(), Refused::AnotherPolicy);

    let other = encoded(&TABLE.replace("52", "53"), 3, kind);
    assert_eq!(certificate.check(&other.problem, WORK).unwrap_err(), Refused::AnotherTable);

    // One price is raised: the sum is another. The sum is changed too: then some group is too dear.
    for record in 0..certificate.prices.of_record.len() {
        let mut dearer = certificate.clone();
        dearer.prices.of_record[record] += 1 << 30;
        let is = dearer.prices.bound(&original.problem);
        assert_eq!(check(&dearer), Err(Refused::Bound { said: certificate.bound, is }), "record {record}");
        dearer.bound = is;
        assert!(matches!(check(&dearer), Err(Refused::Dearer { people: 3..=5 })), "record {record}");
    }
    let mut boastful = certificate.clone();
    boastful.bound = Cost(certificate.bound.0 + 1);
    assert!(matches!(check(&boastful), Err(Refused::Bound { .. })));
    let mut modest = certificate.clone();
    modest.loss = Cost(certificate.loss.0 - 1);
    assert!(matches!(check(&modest), Err(Refused::Loss { .. })));

    // One row in another group: the loss is another, or the group left is too small.
    for row in 0..certificate.group_of.len() {
        let mut moved = certificate.clone();
        moved.group_of[row] = 1 - moved.group_of[row];
        assert!(
            matches!(check(&moved), Err(Refused::Loss { .. } | Refused::Groups(Broken::TooSmall { .. }))),
            "row {row}"
        );
    }
    let mut short = certificate.clone();
    short.group_of.pop();
    assert_eq!(check(&short), Err(Refused::Groups(Broken::WrongLength { expected: 8, found: 7 })));
    let mut short = certificate.clone();
    short.prices.of_record.pop();
    assert_eq!(check(&short), Err(Refused::Prices { expected: 8, found: 7 }));
    assert_eq!(certificate.check(&original.problem, 3).unwrap_err(), Refused::TooMuchWork);
}

#[test]
fn prices_of_pairs_are_part_of_the_proof() {
    let mut dice = Dice(42);
    let mut tables = 0;
    while tables < 20 {
        let Some(sample) = sample(&mut dice, 12, 40) else { continue };
        let problem = &sample.encoded.problem;
        let certificate = certified(&sample.encoded);
        let pairs = |cut: &Cut| cut.records.iter().map(|&r| problem.record_size(r)).sum::<u64>() / 2;
        let Some(at) = certificate.prices.cuts.iter().position(|cut| pairs(cut) > 0) else { continue };
        tables += 1;
        // Without its price a cut costs nothing, so that the sum is larger; but a group it was for is too
        // dear now.
        let mut free = certificate.clone();
        free.prices.cuts[at].price = 0;
        let is = free.prices.bound(problem);
        assert!(is > certificate.bound);
        assert_eq!(free.check(problem, WORK).unwrap_err(), Refused::Bound { said: certificate.bound, is });
        free.bound = is;
        assert!(matches!(free.check(problem, WORK), Err(Refused::Dearer { .. })), "{}", sample.recipe);

        let mut strange = certificate.clone();
        strange.prices.cuts[at].records.push(problem.records() as u32);
        assert_eq!(strange.check(problem, WORK).unwrap_err(), Refused::Pairs);
        let mut twice = certificate.clone();
        let first = twice.prices.cuts[at].records[0];
        twice.prices.cuts[at].records.push(first);
        assert_eq!(twice.check(problem, WORK).unwrap_err(), Refused::Pairs);
    }
}

#[test]
fn certificates_survive_writing_and_reading() {
    let mut dice = Dice(41);
    let mut tables = 0;
    while tables < 60 {
        let Some(sample) = sample(&mut dice, 4, 30) else { continue };
        let certificate = certified(&sample.encoded);
        let text = certificate.write();
        assert_eq!(Certificate::read(&text), Ok(certificate.clone()));
        let solution = certificate.check(&sample.encoded.problem, WORK).unwrap();
        let least = sample.encoded.problem.round_up(certificate.bound);
        assert_eq!(solution.bound(), Bound::Checked(least), "{}", sample.recipe);
        assert!(certificate.bound <= certificate.loss);
        tables += 1;
    }
}

#[test]
fn a_certificate_holds_no_value_of_the_table() {
    let text = certified(&encoded(TABLE, 3, "kind = \"category\"")).write();
    for label in ["Aarhus", "Bergen", "Cuxhaven", "age", "town"] {
        assert!(!text.contains(label), "{label}");
    }
    // Numbers are prices, groups, costs and fingerprints; no line of its own is an age.
    for age in [31, 33, 34, 51, 52, 58, 59, 60] {
        assert!(
            !text.lines().any(|line| line.ends_with(&format!(" {age}")) || line == age.to_string()),
            "{age}"
        );
    }
}

#[test]
fn files_that_are_no_certificates() {
    let text = certified(&encoded(TABLE, 3, "kind = \"category\"")).write();
    let line = |line, expected| Err(Unreadable::Line { line, expected });
    assert_eq!(Certificate::read(""), Err(Unreadable::NoCertificate));
    assert_eq!(Certificate::read("group\n0\n0\n"), Err(Unreadable::NoCertificate));
    assert_eq!(Certificate::read(&text.replace("\nk 3", "\nk three")), line(2, "k and a number"));
    assert_eq!(Certificate::read(&text.replace("prices 8", "prices 9")), line(17, "a price"));
    assert_eq!(Certificate::read(&text.replace("groups 8", "groups 9")), line(27, "a group"));
    let cut = &text[..text.len() - "end\n".len()];
    assert_eq!(Certificate::read(cut), line(27, "end"));
}
