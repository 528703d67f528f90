//! Truth of releases in any order, against trying every way to pair their rows with those of the original.

use crate::support::{Dice, policy_for, rounds};
use kinfold_model::policy::Policy;
use kinfold_model::table::{ReadOptions, Source, Table};
use kinfold_model::verify::{Published, Truth, check_truth};

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

fn truth(release: &[[String; 4]], original: &Table, policy: &Policy) -> Truth {
    let text =
        release.iter().fold("age,tree,town,ill\n".to_owned(), |text, row| text + &row.join(",") + "\n");
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
    let source = Source::from_bytes(text.into_bytes(), &options).unwrap();
    check_truth(&Published::read(source, policy, true).unwrap(), original, policy).unwrap()
}

#[test]
fn rows_are_paired_as_well_as_by_trying_all_ways() {
    let mut dice = Dice(41);
    let (mut whole, mut less) = (0, 0);
    for _ in 0..rounds(2000).max(500) {
        let rows: Rows = (0..2 + dice.below(5))
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
            .collect();
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
