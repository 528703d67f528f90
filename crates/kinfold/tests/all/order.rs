//! The order of the rows of a table changes nothing, and a release tells nothing of it.

use crate::support::{Dice, Sample, anonymized, as_sets, choices_for, policy_for, rounds, sample_of};
use kinfold::model::encode::encode;
use kinfold::model::policy::{Form, Policy};
use kinfold::model::table::Table;
use kinfold::{Anonymized, Choice, Effort, FileFormat, Options, certify, check_certificate};

pub type Rows = Vec<Vec<String>>;

pub fn table(names: &[String], rows: &Rows) -> Table {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    Table::from_cells(&names, &rows).unwrap()
}

pub fn shuffled(dice: &mut Dice, rows: &Rows) -> Rows {
    let mut rows = rows.clone();
    for i in (1..rows.len()).rev() {
        rows.swap(i, dice.below(i + 1));
    }
    rows
}

fn cells(table: &Table) -> (Vec<String>, Rows) {
    let names = table.columns().iter().map(|column| column.name().to_owned()).collect();
    let row = |row: usize| table.columns().iter().map(|c| c.text(c.codes()[row]).to_owned()).collect();
    (names, (0..table.rows()).map(row).collect())
}

fn options(choice: &Choice) -> Options {
    let mut options = Options::default();
    options.solver = choice.clone();
    options.effort = Effort::Quick;
    options.threads = Some(1);
    options.keep_frame = true;
    options
}

fn bytes(done: &mut Anonymized, format: FileFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    done.write(&mut bytes, format).unwrap();
    bytes
}

/// A random table with columns that are published as they are, persons and models.
pub fn with_unchanged_columns(dice: &mut Dice, sample: &Sample) -> (Vec<String>, Rows, String) {
    let (mut names, mut rows) = cells(&sample.table);
    let mut toml = sample.toml.clone();
    if dice.below(4) > 0 {
        toml += "[columns.ill]\nrole = \"sensitive\"\n";
        let models = ["ncp", "stars", "sse"].contains(&sample.policy.objective.word());
        if models && dice.below(3) == 0 {
            toml += "diversity = 2\n";
        }
        names.push("ill".into());
        rows.iter_mut().for_each(|row| row.push(dice.pick(&["flu", "flu", "flu", "gout", "", "NA"]).into()));
        if models && !names.iter().any(|name| name == "people") && dice.below(4) == 0 {
            toml += "[columns.who]\nrole = \"person\"\n";
            names.push("who".into());
            let people = rows.len();
            rows.iter_mut().for_each(|row| row.push(format!("p{}", dice.below(people))));
        }
    }
    if dice.below(3) == 0 {
        toml += "[columns.note]\nrole = \"keep\"\nacknowledge = true\n";
        names.push("note".into());
        (0..).zip(&mut rows).for_each(|(i, row)| row.push(format!("n{}", i * 7 % 13)));
    }
    (names, rows, toml)
}

/// The release in every format, the sets of the groups in the order of `rows`, and the frame.
fn released(
    names: &[String],
    rows: &Rows,
    policy: &Policy,
    options: &Options,
) -> Option<(Vec<Vec<u8>>, Anonymized)> {
    let mut done = anonymized(&table(names, rows), policy, options).ok()?;
    let formats = [FileFormat::default(), FileFormat::of("x.parquet".as_ref()).unwrap()];
    Some((formats.map(|format| bytes(&mut done, format)).to_vec(), done))
}

#[test]
fn two_orders_of_one_table_give_the_same_bytes() {
    let mut dice = Dice(77);
    let (mut tables, mut releases) = (0, 0);
    while tables < rounds(150) {
        let objective = dice.pick(&["ncp", "ncp", "stars", "columns", "radius", "cellular", "sse"]);
        let Some(sample) = sample_of(&mut dice, objective, 4, 40) else { continue };
        let (names, rows, toml) = with_unchanged_columns(&mut dice, &sample);
        let given = table(&names, &rows);
        let per_group = policy_for(&given, &toml).form == Form::Centres && dice.below(2) == 0;
        let toml = if per_group { format!("per_group = true\n{toml}") } else { toml };
        let said = policy_for(&given, &toml);
        let Ok(encoded) = encode(&given, &said) else { continue };
        for choice in choices_for(&encoded.problem) {
            let forms = Form::of(said.objective);
            let policy = Policy { form: forms[dice.below(forms.len())], ..said.clone() };
            let options = options(&choice);
            let Some((one, done)) = released(&names, &rows, &policy, &options) else { continue };
            let others = shuffled(&mut dice, &rows);
            let (other, again) = released(&names, &others, &policy, &options).unwrap();
            let place = format!("{choice}, {}\n{toml}\n{rows:?}", policy.form.word());
            assert!(one == other, "{place}\n{}", String::from_utf8_lossy(&one[0]));
            assert_eq!(done.frame(), again.frame(), "{place}");
            // The groups are those of the rows as they were given.
            let look = |rows: &Rows, groups: &[u32]| {
                let mut sets: Vec<Vec<Vec<String>>> = as_sets(groups)
                    .iter()
                    .map(|set| set.iter().map(|&row| rows[row as usize].clone()).collect())
                    .collect();
                sets.iter_mut().for_each(|set| set.sort());
                sets.sort();
                sets
            };
            assert_eq!(look(&rows, done.groups()), look(&others, again.groups()), "{place}");
            releases += 1;
        }
        tables += 1;
    }
    assert!(releases >= rounds(500), "{releases}");
}

const PLACES: [&str; 3] = [
    "[columns]\nname = { role = \"quasi\", kind = \"category\" }\nill = \"keep\"\n",
    "[columns]\n\"x/y\" = { role = \"quasi\", kind = \"point\" }\nill = \"keep\"\n",
    "[columns]\nplace = { role = \"quasi\", regions = \"map.csv\" }\nill = \"keep\"\n",
];

#[test]
fn the_same_holds_for_labels_points_and_regions() {
    let mut dice = Dice(78);
    for round in 0..rounds(60) {
        let quasi = PLACES[round % 3];
        let withhold = if dice.below(2) == 0 { "withhold = \"20%\"\n" } else { "" };
        let names: &[&str] = [&["name"][..], &["x", "y"], &["place"]][round % 3];
        let names: Vec<String> = names.iter().chain(&["ill"]).map(|name| (*name).to_owned()).collect();
        let rows: Rows = (0..8 + dice.below(30))
            .map(|_| {
                let mut row = match round % 3 {
                    0 => vec![format!("n{}", dice.below(9))],
                    1 => vec![dice.below(20).to_string(), dice.below(20).to_string()],
                    _ => vec![dice.pick(&["Aach", "Bach", "Calw", "Dorn", "Egg", "Furt"]).to_owned()],
                };
                row.push(dice.pick(&["flu", "gout"]).to_owned());
                row
            })
            .collect();
        for objective in ["group-size", "ncp"] {
            let toml = format!("k = 3\n{withhold}objective = \"{objective}\"\n{quasi}");
            let given = table(&names, &rows);
            let said = policy_for(&given, &toml);
            let Ok(encoded) = encode(&given, &said) else { continue };
            for choice in choices_for(&encoded.problem) {
                for form in Form::of(said.objective).iter().filter(|f| **f != Form::Wkt || round % 3 == 1) {
                    let policy = Policy { form: *form, ..said.clone() };
                    let mut options = options(&choice);
                    options.lookup = dice.below(2) == 0;
                    let Some((one, done)) = released(&names, &rows, &policy, &options) else { continue };
                    let (other, again) =
                        released(&names, &shuffled(&mut dice, &rows), &policy, &options).unwrap();
                    assert!(one == other, "{choice}, {}\n{toml}\n{rows:?}", form.word());
                    assert_eq!(done.lookup(), again.lookup());
                }
            }
        }
    }
}

#[test]
fn the_place_of_a_row_says_nothing_of_its_place_in_the_table() {
    // Every row can be told by its note. Where it stands in the release follows from what it says.
    let mut dice = Dice(79);
    let rows: Rows =
        (0..400).map(|i| vec![dice.below(30).to_string(), format!("n{:03}", i * 7 % 400)]).collect();
    let names = ["age".to_owned(), "note".to_owned()];
    let toml = "k = 4\n[columns]\nage = \"quasi\"\nnote = { role = \"keep\", acknowledge = true }\n";
    let policy = policy_for(&table(&names, &rows), toml);
    let (written, _) = released(&names, &rows, &policy, &options(&Choice::Auto)).unwrap();
    let text = String::from_utf8(written[0].clone()).unwrap();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let mut sorted = lines.clone();
    sorted.sort_by_key(|line| line.split_once(',').unwrap());
    assert_eq!(lines, sorted);
}

#[test]
fn with_the_order_kept_rows_stand_as_in_the_table() {
    let mut dice = Dice(80);
    let rows: Rows = (0..60).map(|i| vec![dice.below(30).to_string(), format!("n{i}")]).collect();
    let names = ["age".to_owned(), "note".to_owned()];
    let toml = "k = 4\nwithhold = \"10%\"\n[columns]\nage = \"quasi\"\nnote = { role = \"keep\", acknowledge = true }\n";
    let policy = policy_for(&table(&names, &rows), toml);
    let mut options = options(&Choice::Auto);
    options.keep_order = true;
    let (written, done) = released(&names, &rows, &policy, &options).unwrap();
    let text = String::from_utf8(written[0].clone()).unwrap();
    let notes: Vec<&str> = text.lines().skip(1).map(|line| line.split_once(',').unwrap().1).collect();
    let kept = rows.iter().zip(done.groups()).filter(|(_, group)| **group != u32::MAX);
    assert_eq!(notes, kept.map(|(row, _)| row[1].as_str()).collect::<Vec<_>>());
    assert!(done.report.notes.iter().any(|note| note.to_string().contains("order of the table")));
}

#[test]
fn a_certificate_holds_for_every_order_of_the_table() {
    let mut dice = Dice(81);
    let rows: Rows =
        (0..40).map(|_| vec![dice.below(9).to_string(), dice.pick(&["a", "b", "c"]).to_owned()]).collect();
    let names = ["x".to_owned(), "y".to_owned()];
    let given = table(&names, &rows);
    let policy = policy_for(&given, "k = 3\n[columns]\nx = \"quasi\"\ny = \"quasi\"\n");
    let done = anonymized(&given, &policy, &options(&Choice::Auto)).unwrap();
    let mut asked = kinfold::CertifyOptions::default();
    asked.groups = Some(done.groups().to_vec());
    let certified = certify(&given, &policy, &asked).unwrap();
    let other = table(&names, &shuffled(&mut dice, &rows));
    let checked = check_certificate(&other, &policy, certified.certificate().unwrap(), &Options::default());
    assert!(matches!(checked.unwrap().verdict, kinfold::report::CertifyVerdict::Proven(_)));
}
