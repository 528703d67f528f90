//! Numbers and dates in other spellings, and codes with beginnings: the same problem as in the usual spelling, and a
//! release in the spelling of the table.

use crate::support::{Dice, policy_for, read_back, rounds, run_with_threads};
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::frame::Frame;
use kinfold::model::policy::{Form, Policy};
use kinfold::model::table::Table;
use kinfold::model::verify::{check_truth, verify};
use kinfold::{Choice, publish, solve};

const USUAL: &str = r#"
k = 2
[columns]
born = { role = "quasi", kind = "date", domain = ["1900-01-01", "2030-12-31"] }
seen = { role = "quasi", kind = "date" }
pay = { role = "quasi", kind = "numeric" }
code = "drop"
"#;

const SPELLED: &str = r#"
k = 2
[columns]
born = { role = "quasi", date = "%d/%m/%Y", domain = ["01/01/1900", "31/12/2030"] }
seen = { role = "quasi", date = "%-d %b %Y %H:%M" }
pay = { role = "quasi", decimal = "," }
code = { role = "quasi", prefix = [3, 1] }
"#;

const CODES: [&str; 7] = ["E11.0", "E11.9", "E10.1", "E", "J18", "J18.9", "J20"];

/// The same rows in both spellings.
fn rows(dice: &mut Dice, rows: usize) -> [Vec<Vec<String>>; 2] {
    let months = ["Jan", "Feb", "Mar"];
    let (mut usual, mut spelled) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (day, month, year) = (1 + dice.below(28), 1 + dice.below(3), 1960 + dice.below(40));
        let (hour, minute) = (dice.below(24), dice.below(60));
        let (whole, cents) = (dice.below(3000) as i64 - 500, 1 + dice.below(99));
        let code = dice.pick(&CODES);
        let mut pair = [
            (format!("{year}-{month:02}-{day:02}"), format!("{day:02}/{month:02}/{year}")),
            (
                format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}"),
                format!("{day} {} {year} {hour:02}:{minute:02}", months[month - 1]),
            ),
            (
                format!("{whole}.{cents:02}"),
                match whole {
                    1000.. => format!("{}.{:03},{cents:02}", whole / 1000, whole % 1000),
                    _ => format!("{whole},{cents:02}"),
                },
            ),
            (code.to_owned(), code.to_owned()),
        ];
        if dice.below(8) == 0 {
            pair[dice.below(4)] = ("NA".into(), "NA".into());
        }
        let (a, b): (Vec<String>, Vec<String>) = pair.into_iter().unzip();
        usual.push(a);
        spelled.push(b);
    }
    [usual, spelled]
}

fn table(cells: &[Vec<String>]) -> Table {
    let rows: Vec<Vec<&str>> = cells.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    Table::from_cells(&["born", "seen", "pay", "code"], &rows).unwrap()
}

fn groups(encoded: &Encoded) -> (Vec<u32>, u64) {
    let outcome =
        solve(&encoded.problem, &Choice::parse("tree-greedy").unwrap(), &run_with_threads(1)).unwrap();
    (outcome.solution.group_of().to_vec(), outcome.solution.cost().0)
}

#[test]
fn another_spelling_is_the_same_problem() {
    let mut dice = Dice(77);
    for _ in 0..rounds(60) {
        let count = 4 + dice.below(40);
        let [usual, spelled] = rows(&mut dice, count);
        let (usual, spelled) = (table(&usual), table(&spelled));
        let other = SPELLED.replace("{ role = \"quasi\", prefix = [3, 1] }", "\"drop\"");
        let one = encode(&usual, &policy_for(&usual, USUAL)).unwrap();
        let two = encode(&spelled, &policy_for(&spelled, &other)).unwrap();
        assert_eq!(groups(&one), groups(&two));
    }
}

#[test]
fn releases_are_safe_and_true_in_every_form() {
    let mut dice = Dice(78);
    for _ in 0..rounds(60) {
        let count = 4 + dice.below(40);
        let [_, cells] = rows(&mut dice, count);
        let table = table(&cells);
        for &form in Form::of(kinfold::model::cost::Objective::Ncp) {
            let policy = Policy { form, ..policy_for(&table, SPELLED) };
            let encoded = encode(&table, &policy).unwrap();
            let outcome =
                solve(&encoded.problem, &Choice::parse("tree-greedy").unwrap(), &run_with_threads(1))
                    .unwrap();
            let mut release = publish(&table, &policy, &encoded, &outcome.solution);
            for published in read_back(&mut release, &policy) {
                assert!(verify(&published, &policy).unwrap().safe(), "{}: {cells:?}", form.word());
                let truth = check_truth(&published, &table, &policy).unwrap();
                assert!(truth.holds(), "{}: {truth:?}\n{cells:?}", form.word());
            }
        }
    }
}

#[test]
fn a_frame_knows_spellings_and_codes() {
    let mut dice = Dice(79);
    let [_, cells] = rows(&mut dice, 80);
    let (whole, half) = (table(&cells), table(&cells[..40]));
    let policy = policy_for(&whole, SPELLED);
    let frame = Frame::learn(&whole, &policy).unwrap();
    let again = Frame::from_json(&frame.to_json()).unwrap();
    assert_eq!(frame, again);
    let encoded = again.apply(&half, &policy).unwrap();
    assert_eq!(encoded.problem.rows(), 40);
    // Other formats and lengths are another policy.
    for (from, to, why) in [("%d/%m/%Y", "%m/%d/%Y", "format"), ("[3, 1]", "[2, 1]", "prefixes")] {
        let other = SPELLED.replace(from, to).replace("31/12/2030", "12/12/2030");
        let told = again.apply(&half, &policy_for(&half, &other)).unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    }
    // A code that the frame has not seen.
    let mut strange = cells[..40].to_vec();
    strange[0][3] = "Z99".into();
    let told = again.apply(&table(&strange), &policy).unwrap_err().to_string();
    assert!(told.contains("1 code that the frame does not know in 1 row"), "{told}");
}
