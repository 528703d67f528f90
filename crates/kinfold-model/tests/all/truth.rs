//! Truth of releases in any order, against trying every way to pair their rows with those of the original.

use crate::support::{Dice, policy_for, rounds};
use kinfold_model::encode::encode;
use kinfold_model::policy::Policy;
use kinfold_model::table::{ReadOptions, Source, Table};
use kinfold_model::verify::{Published, Truth, Untrue, VerifyError, Witnessed, check_truth};

const POLICY: &str = "k = 2\nwithhold = \"50%\"\n[columns]\n\
    age = { role = \"quasi\", kind = \"numeric\" }\n\
    tree = { role = \"quasi\", hierarchy = \"trees.csv\" }\n\
    town = { role = \"quasi\", kind = \"category\" }\n\
    ill = \"sensitive\"\n";
/// The leaves of trees.csv that are under a node.
const BROADLEAF: [&str; 3] = ["ash", "birch", "oak"];

type Rows = Vec<[String; 4]>;

fn table(rows: &Rows) -> Table {
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    Table::from_cells(&["age", "tree", "town", "ill"], &rows).unwrap()
}

/// A row that covers another, more or less, or something that was made up.
fn published(dice: &mut Dice, row: &[String; 4]) -> [String; 4] {
    let age: i64 = row[0].parse().unwrap_or(3);
    let (low, high) = (age - dice.below(3) as i64, age + dice.below(3) as i64);
    let age = match dice.below(4) {
        0 => row[0].clone(),
        1 => "*".to_owned(),
        _ if low < high => format!("[{low}-{high}]"),
        _ => format!("{low}.0"),
    };
    let tree = match dice.below(3) {
        0 if BROADLEAF.contains(&row[1].as_str()) => "broadleaf".to_owned(),
        1 => "*".to_owned(),
        _ => row[1].clone(),
    };
    let town = match dice.below(3) {
        0 => format!("{{{}|{}}}", row[2], dice.pick(&["a", "b", "c"])),
        1 => dice.pick(&["a", "b", "*", "{a|b|c}"]).to_owned(),
        _ => row[2].clone(),
    };
    let ill = if dice.below(8) == 0 { dice.pick(&["flu", "gout"]).to_owned() } else { row[3].clone() };
    [age, tree, town, ill]
}

/// Whether a published row covers an original one, read by other code.
fn covers(published: &[String; 4], original: &[String; 4]) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let age = published[0] == "*"
        || published[0] == original[0]
        || {
            let (low, high) = match published[0].strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
                // A dash after the first letter parts the ends: the first may be negative.
                Some(range) => range.split_at(range[1..].find('-').unwrap() + 1),
                None => (published[0].as_str(), ""),
            };
            let high = high.strip_prefix('-').unwrap_or(low);
            matches!((number(low), number(high), number(&original[0])), (Some(l), Some(h), Some(v)) if l <= v && v <= h)
        };
    let tree = published[1] == "*"
        || published[1] == original[1]
        || published[1] == "broadleaf" && BROADLEAF.contains(&original[1].as_str());
    let town = published[2] == "*"
        || published[2].trim_matches(['{', '}']).split('|').any(|label| label == original[2]);
    age && tree && town && published[3] == original[3]
}

/// The most rows that can be paired, by trying all ways.
fn most_pairs(release: &[[String; 4]], original: &Rows, taken: &mut Vec<bool>) -> usize {
    let Some((row, rest)) = release.split_first() else { return 0 };
    let mut best = most_pairs(rest, original, taken);
    for at in 0..original.len() {
        if !taken[at] && covers(row, &original[at]) {
            taken[at] = true;
            best = best.max(1 + most_pairs(rest, original, taken));
            taken[at] = false;
        }
    }
    best
}

fn read(release: &[[String; 4]], policy: &Policy) -> Published {
    let text =
        release.iter().fold("age,tree,town,ill\n".to_owned(), |text, row| text + &row.join(",") + "\n");
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
    let source = Source::from_bytes(text.into_bytes(), &options).unwrap();
    Published::read(source, policy, true).unwrap()
}

fn truth(release: &[[String; 4]], original: &Table, policy: &Policy) -> Truth {
    check_truth(&read(release, policy), original, policy).unwrap()
}

/// Some rows of the table.
fn some_rows(dice: &mut Dice) -> Rows {
    (0..2 + dice.below(5))
        .map(|_| {
            let age =
                if dice.below(8) == 0 { "NA".to_owned() } else { (dice.below(9) as i64 - 3).to_string() };
            [
                age,
                dice.pick(&["ash", "birch", "oak", "fir"]).into(),
                dice.pick(&["a", "b", "c"]).into(),
                dice.pick(&["flu", "gout"]).into(),
            ]
        })
        .collect()
}

#[test]
fn a_witness_passes_exactly_if_every_row_covers_the_one_it_stands_for() {
    let mut dice = Dice(43);
    let (mut right, mut wrong, mut withheld) = (0, 0, 0);
    for _ in 0..rounds(3000).max(500) {
        let rows = some_rows(&mut dice);
        // Which row stands in each place: all of them, in some order; a few are withheld, named twice or none.
        let mut pairing: Vec<u32> = (0..rows.len() as u32).collect();
        for i in (1..pairing.len()).rev() {
            pairing.swap(i, dice.below(i + 1));
        }
        let mut release: Vec<[String; 4]> =
            pairing.iter().map(|&row| published(&mut dice, &rows[row as usize])).collect();
        if dice.below(4) == 0 {
            release.pop();
            pairing.pop();
        }
        if dice.below(8) == 0 {
            let place = dice.below(pairing.len());
            pairing[place] = dice.below(rows.len() + 1) as u32;
        }
        let stated = rows.len() - pairing.len() + usize::from(dice.below(16) == 0);
        let original = table(&rows);
        let policy = policy_for(&original, POLICY);
        let encoded = encode(&original, &policy).unwrap();
        let kinds = encoded
            .codings
            .iter()
            .map(|coding| (original.columns()[coding.column].name().to_owned(), coding.kind.clone()));
        let mut truth = Witnessed::new(&original, &policy, &kinds.collect::<Vec<_>>(), None);
        let published = read(&release, &policy);
        // In two parts, as releases that are larger than memory are checked.
        let cut = dice.below(release.len() + 1);
        let checked = truth
            .check(&published, 0..cut, &pairing[..cut])
            .and_then(|()| truth.check(&published, cut..release.len(), &pairing[cut..]))
            .and_then(|()| truth.finish(stated));
        let mut once = pairing.clone();
        once.sort_unstable();
        once.dedup();
        let mut pairs = release.iter().zip(&pairing);
        let fits = once.len() == pairing.len()
            && pairs.all(|(told, &row)| rows.get(row as usize).is_some_and(|row| covers(told, row)))
            && stated == rows.len() - pairing.len()
            && 2 * stated <= rows.len();
        assert_eq!(checked.is_ok(), fits, "{checked:?} {pairing:?} {stated}\n{release:?}\n{rows:?}");
        withheld += usize::from(fits && stated > 0);
        if fits { right += 1 } else { wrong += 1 }
    }
    assert!(right > 50 && wrong > 50 && withheld > 10, "{right} right, {withheld} withhold, {wrong} wrong");
}

#[test]
fn what_is_wrong_with_a_witness_is_said_without_a_cell() {
    let rows: Rows =
        [["1", "ash", "a", "flu"], ["2", "oak", "b", "gout"]].map(|r| r.map(str::to_owned)).into();
    let original = table(&rows);
    let policy = policy_for(&original, POLICY);
    let encoded = encode(&original, &policy).unwrap();
    let kinds: Vec<_> = encoded
        .codings
        .iter()
        .map(|coding| (original.columns()[coding.column].name().to_owned(), coding.kind.clone()))
        .collect();
    let told = |release: &Rows, pairing: &[u32], stated: usize| {
        let mut truth = Witnessed::new(&original, &policy, &kinds, None);
        let checked = truth.check(&read(release, &policy), 0..release.len(), pairing);
        match checked.and_then(|()| truth.finish(stated)) {
            Ok(()) => None,
            Err(VerifyError::Untrue(why)) => Some(why),
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(told(&rows, &[0, 1], 0), None);
    assert_eq!(told(&rows, &[1, 0], 0), Some(Untrue::Cell("age".into())));
    assert_eq!(told(&rows, &[0, 0], 0), Some(Untrue::Twice));
    assert_eq!(told(&rows, &[0, 2], 0), Some(Untrue::Twice));
    assert_eq!(told(&rows, &[0], 1), Some(Untrue::Rows));
    assert_eq!(told(&rows[..1].to_vec(), &[0], 0), Some(Untrue::Withheld { found: 1, stated: 0 }));
    assert_eq!(told(&rows[..1].to_vec(), &[0], 1), None);
    let mut ill = rows.clone();
    ill[1][3] = "flu".into();
    assert_eq!(told(&ill, &[0, 1], 0), Some(Untrue::Cell("ill".into())));
    assert_eq!(Untrue::Cell("ill".into()).to_string(), "a cell of column \"ill\" is not true of its row");
}

#[test]
fn rows_are_paired_as_well_as_by_trying_all_ways() {
    let mut dice = Dice(41);
    let (mut whole, mut less) = (0, 0);
    for _ in 0..rounds(2000).max(500) {
        let rows = some_rows(&mut dice);
        let mut release: Vec<[String; 4]> = rows.iter().map(|row| published(&mut dice, row)).collect();
        for i in (1..release.len()).rev() {
            release.swap(i, dice.below(i + 1));
        }
        if dice.below(4) == 0 {
            release.pop();
        }
        let original = table(&rows);
        let policy = policy_for(&original, POLICY);
        let found = truth(&release, &original, &policy);
        let most = most_pairs(&release, &rows, &mut vec![false; rows.len()]);
        assert_eq!(found.invented, release.len() - most, "{release:?}\n{rows:?}");
        if most == release.len() { whole += 1 } else { less += 1 }
    }
    assert!(whole > 50 && less > 50, "{whole} true, {less} not");
}

#[test]
fn a_cell_that_no_row_has_left_is_found_in_another_order() {
    // Two rows say a: one of them must be the b, which has no other row.
    let rows: Rows = [
        ["1", "ash", "a", "flu"],
        ["2", "ash", "a", "flu"],
        ["3", "ash", "b", "flu"],
        ["3", "ash", "b", "flu"],
    ]
    .map(|row| row.map(str::to_owned))
    .to_vec();
    let original = table(&rows);
    let policy = policy_for(&original, &POLICY.replace("50%", "0%"));
    let release = |towns: [&str; 4]| -> Vec<[String; 4]> {
        towns.map(|town| ["[1-3]", "ash", town, "flu"].map(str::to_owned)).to_vec()
    };
    assert!(truth(&release(["b", "{a|b}", "a", "{a|b}"]), &original, &policy).holds());
    let invented = truth(&release(["a", "{a|b}", "a", "a"]), &original, &policy);
    assert_eq!((invented.invented, invented.holds()), (1, false));
}

#[test]
fn a_hard_instance_is_not_decided_rather_than_taking_all_memory() {
    // Every row covers every other: one look, which is paired at once.
    let rows: Rows = (0..5000).map(|i| [i.to_string(), "ash".into(), "a".into(), "flu".into()]).collect();
    let original = table(&rows);
    let policy = policy_for(&original, POLICY);
    let stars = vec![["*", "*", "*", "flu"].map(str::to_owned); 5000];
    assert!(truth(&stars, &original, &policy).holds());
    // Each look another, each covers nearly all, and not in the order of the table: too many pairs.
    let wide: Vec<[String; 4]> = (0..5000)
        .rev()
        .map(|i| [format!("[{}-9999]", i / 50), "*".into(), format!("{{a|{i}}}"), "flu".into()])
        .collect();
    let text = wide.iter().fold("age,tree,town,ill\n".to_owned(), |text, row| text + &row.join(",") + "\n");
    let source = Source::from_bytes(text.into_bytes(), &ReadOptions::default()).unwrap();
    let refused = check_truth(&Published::read(source, &policy, true).unwrap(), &original, &policy);
    assert!(refused.unwrap_err().to_string().contains("could not decide"));
}
