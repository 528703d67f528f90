//! Certificates: what is true is found true by the checker, and every near miss is refused for the right
//! reason.

use crate::support::{found, policy_for, read_csv};
use kinfold_model::certificate::{Certificate, Prices, Refused, Unreadable};
use kinfold_model::cost::Cost;
use kinfold_model::encode::{Encoded, encode};
use kinfold_model::judge::{Bound, Broken, judge};

const WORK: u64 = 1 << 40;

const TABLE: &str = "age,town\n31,Aarhus\n33,Aarhus\n34,Bergen\n51,Bergen\n52,Bergen\n58,Cuxhaven\n59,Cuxhaven\n60,Cuxhaven\n";

/// The best groups of it for k = 3, and prices that prove that.
const GROUPS: [u32; 8] = [0, 0, 0, 1, 1, 1, 1, 1];
const PRICES: [i64; 8] = [
    6_631_790_154,
    7_169_499_248,
    4_012_451_149,
    6_731_819_266,
    7_294_097_822,
    5_067_129_371,
    3_163_288_830,
    3_752_400_331,
];
const PER_GROUP: u64 = 12_185_852_370;

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
    let solution = judge(&encoded.problem, found(GROUPS.to_vec())).unwrap();
    let prices = Prices { of_record: PRICES.to_vec(), per_group: PER_GROUP, cuts: Vec::new() };
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
        assert!(matches!(check(&dearer), Err(Refused::Dearer(3..=5))), "record {record}");
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
