//! The verifier on releases that were made by hand: safe or not, true or not, and why.

use crate::support::case::cases;
use crate::support::{policy_for, read_csv};
use kinfold_model::policy::Policy;
use kinfold_model::table::{ReadOptions, Source, Table};
use kinfold_model::verify::{Finding, Published, Verdict, check_truth, verify};

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
fn verdicts_are_what_the_cases_say() {
    let mut checked = 0;
    for case in cases() {
        let Some(verdict) = case.text("verdict").filter(|_| !case.has("args")) else { continue };
        let release = case.published();
        // Without a table the release is all there is, to `kinfold verify` as well.
        let original = read_csv(case.text("table").unwrap_or(&release));
        let policy = policy_for(&original, case.text("policy").unwrap());
        let source = Source::from_bytes(release.into_bytes(), &ReadOptions::default()).unwrap();
        let published = Published::read(source, &policy, true).unwrap();
        let safe = verify(&published, &policy).unwrap().safe();
        let holds = || check_truth(&published, &original, &policy).unwrap().holds();
        match verdict {
            "safe" => assert!(safe, "{}", case.name),
            "unsafe" => assert!(!safe, "{}", case.name),
            "true" => assert!(safe && holds(), "{}", case.name),
            "untrue" => assert!(!holds(), "{}", case.name),
            other => panic!("{}: no verdict {other:?}", case.name),
        }
        checked += 1;
    }
    assert!(checked >= 25, "{checked}");
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
fn a_model_on_a_column_that_is_not_there_is_not_decided() {
    let table = read_csv("age,ill\n1,a\n2,b\n");
    let toml = "k = 2\n[columns]\nage = \"quasi\"\nill = { role = \"sensitive\", diversity = 2 }\n";
    let verdict = judged("age\n[1-2]\n[1-2]\n", &policy_for(&table, toml));
    assert!(matches!(verdict.models[0].finding, Finding::Undecided(_)), "{verdict:?}");
    assert!(verdict.shown.is_empty());
}

/// Figure 1: ages α and δ, places β and γ, far from each other. The first group's centre lies between its two
/// rows.
const FIGURE_1: &str =
    "age,place,disease\n20,100,flu\n22,100,flu\n60,503,hypertension\n60,500,flu\n60,497,cold\n";

#[test]
fn faults_in_releases_of_centres_are_found() {
    let table = read_csv(FIGURE_1);
    let policy = |more: &str| {
        let columns = "[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\n\
                       place = { role = \"quasi\", kind = \"numeric\" }\ndisease = \"sensitive\"\n";
        policy_for(
            &table,
            &format!("k = 2\nobjective = \"cellular\"\n{more}[metric]\nscale = \"given\"\n{columns}"),
        )
    };
    let read = |csv: &str, more: &str| {
        let policy = policy(more);
        let source = Source::from_bytes(csv.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        Published::read(source, &policy, true).unwrap()
    };
    let title = "age,place,disease,group_size,group_radius\n";
    let rows = |body: &str| {
        let (published, policy) = (read(&format!("{title}{body}"), ""), policy(""));
        (verify(&published, &policy).unwrap(), check_truth(&published, &table, &policy).unwrap())
    };
    let first = "20,100,flu,2,2\n20,100,flu,2,2\n";
    let second = "60,500,hypertension,3,3\n60,500,flu,3,3\n60,500,cold,3,3\n";
    let (verdict, truth) = rows(&format!("{first}{second}"));
    assert!(verdict.safe() && truth.holds(), "{verdict:?} {truth:?}");
    assert_eq!((verdict.groups, verdict.smallest, verdict.largest), (2, 2, 3));
    // A row less: the size that is told is wrong, and so is the truth.
    let (verdict, truth) = rows(&format!("{first}60,500,hypertension,3,3\n60,500,flu,3,3\n"));
    assert!(!verdict.safe() && verdict.miscounted == 1 && truth.lost());
    // A group of one that tells two.
    let (verdict, _) = rows(&format!("20,100,flu,2,2\n22,100,flu,2,2\n{second}"));
    assert_eq!((verdict.miscounted, verdict.below_k.len()), (2, 1));
    // Rows of one look that tell different sizes are two groups.
    let (verdict, _) = rows(&format!("20,100,flu,1,2\n20,100,flu,2,2\n{second}"));
    assert!(!verdict.safe());
    // A radius that is too small, and a centre that is nobody: safe, but not true.
    for wrong in ["20,100,flu,2,1\n20,100,flu,2,1\n", "21,100,flu,2,2\n21,100,flu,2,2\n"] {
        let (verdict, truth) = rows(&format!("{wrong}{second}"));
        assert!(verdict.safe() && !truth.holds(), "{wrong}");
    }
    let lines = |body: &str| {
        let more = "per_group = true\n";
        verify(&read(&format!("{title}{body}"), more), &policy(more)).unwrap()
    };
    assert!(lines("20,100,{flu:2},2,2\n60,500,{cold:1|flu:1|hypertension:1},3,3\n").safe());
    assert_eq!(lines("20,100,{flu:2},3,2\n").miscounted, 1, "two values, three people");
    assert_eq!(lines("20,100,flu,2,2\n").miscounted, 1, "no multiset");
    assert_eq!(lines("20,100,{flu:1},1,2\n").below_k.len(), 1);
    assert_eq!(lines("20,100,{flu:2},two,2\n").miscounted, 1);
}
