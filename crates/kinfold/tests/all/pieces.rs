//! Tables in pieces: whatever the pieces, the release is safe and true, and losses add up to that of the whole table.

use crate::order::{Rows, shuffled, table, with_unchanged_columns};
use crate::support::{Dice, anonymized, enough, policy_for, rounds, sample, sample_of};
use kinfold::model::call::Call;
use kinfold::model::encode::encode;
use kinfold::model::judge::{Found, WITHHELD, judge};
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, VerifyError, verify, verify_runs};
use kinfold::report::AnonymizeReport;
use kinfold::scale::{Census, Figures, Pieces, Plan, anonymize_in_pieces};
use kinfold::{Destination, Effort, Error, FileFormat, Files, Options, VerifyOptions, read_release};
use std::path::Path;

fn csv(names: &[String], rows: &Rows) -> Vec<u8> {
    let line =
        |cells: &[String]| cells.iter().map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(names);
    rows.iter().for_each(|row| text += &line(row));
    text.into_bytes()
}

fn quick() -> Options {
    let mut options = Options::default();
    options.effort = Effort::Quick;
    options.threads = Some(1);
    options
}

/// Anonymizes a table that is a file of these bytes.
fn in_pieces(bytes: &[u8], policy: &Policy, pieces: usize, path: &Path) -> Result<AnonymizeReport, Error> {
    let open = || Ok(Source::from_bytes(bytes.to_vec(), &ReadOptions::default())?);
    let call = Call::new();
    let mut files = Files::default();
    files.release = Some((Destination::file(path, &call)?, FileFormat::of(path)?));
    let (report, staged) = anonymize_in_pieces(&open, policy, Pieces::Number(pieces), &quick(), files)?;
    assert!(!path.exists(), "nothing has its name before the commit");
    staged.commit()?;
    Ok(report)
}

/// Whether the library's verifier calls the file safe and true.
fn safe_and_true(path: &Path, original: &Table, policy: &Policy) -> bool {
    let published = read_release(Source::open(path, &ReadOptions::default()).unwrap(), policy, true).unwrap();
    let mut options = VerifyOptions::default();
    options.original = Some(original);
    match kinfold::verify(published, policy, options) {
        Ok(report) => report.safe && report.truth.is_some_and(|truth| truth.holds),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn releases_in_pieces_are_safe_and_true_wherever_the_whole_table_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(2901);
    let (mut released, mut several) = (0, 0);
    for round in 0..rounds(300) {
        let Some(sample) = sample(&mut dice, 6, 120) else { continue };
        let (names, rows, toml) = with_unchanged_columns(&mut dice, &sample);
        let given = table(&names, &rows);
        let policy = policy_for(&given, &toml);
        let pieces = 1 + dice.below(6);
        let format = ["csv", "parquet", "arrow", "csv.gz"][dice.below(4)];
        let path = folder.path().join(format!("{round}.{format}"));
        let whole = anonymized(&given, &policy, &quick());
        let place = format!("{pieces} pieces\n{toml}\n{rows:?}");
        let report = match in_pieces(&csv(&names, &rows), &policy, pieces, &path) {
            Ok(report) => report,
            Err(error) => {
                assert!(whole.is_err(), "{error}: {place}");
                assert!(!path.exists(), "{place}");
                continue;
            }
        };
        assert!(whole.is_ok(), "{place}");
        assert!(safe_and_true(&path, &given, &policy), "{place}");
        assert_eq!(report.released + report.withheld, rows.len(), "{place}");
        (released, several) = (released + 1, several + usize::from(report.pieces > Some(1)));
        // Neither the order of the rows nor that of the columns changes anything.
        let again = folder.path().join(format!("{round}-again.{format}"));
        let same = in_pieces(&csv(&names, &shuffled(&mut dice, &rows)), &policy, pieces, &again).unwrap();
        assert_eq!(same.loss, report.loss, "{place}");
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap(), "{place}");
    }
    assert!(released >= enough(150) && several >= enough(60), "{released}, {several}");
}

/// The steps as something else takes them that moves the rows: in parts, in any order.
fn by_hand(
    parts: &[Table],
    given: &Table,
    policy: &Policy,
    pieces: usize,
) -> Result<(Figures, Vec<u32>), Error> {
    let mut census = Census::new(policy);
    for part in parts.iter().rev() {
        let mut own = Census::new(policy);
        own.add(part, policy)?;
        let written: Census = serde_json::from_str(&serde_json::to_string(&own).unwrap()).unwrap();
        census.absorb(written, policy)?;
    }
    let mut plan = Plan::new(&census, policy, Pieces::Number(pieces), &quick())?;
    let mut tallies = plan.tallies(policy);
    for part in parts {
        let mut own = plan.tallies(policy);
        own.add(part, &plan.parts_of(part, policy, &Call::new())?, policy)?;
        tallies.absorb(&own, policy);
    }
    plan.settle(tallies, policy)?;
    let plan = Plan::from_json(&plan.to_json())?;
    let piece_of: Vec<u32> = plan
        .parts_of(given, policy, &Call::new())?
        .iter()
        .map(|&part| plan.piece_of()[part as usize])
        .collect();
    let mut figures = Figures::default();
    let (mut group_of, mut groups) = (vec![WITHHELD; given.rows()], 0);
    for piece in 0..plan.pieces() {
        let own: Vec<usize> = (0..given.rows()).filter(|&row| piece_of[row] == piece).collect();
        let done = plan.anonymize(&some_rows(given, &own), policy, &quick())?;
        figures.absorb(&done.figures);
        let own_groups = done.groups();
        for (&row, &group) in own.iter().zip(&own_groups).filter(|(_, group)| **group != WITHHELD) {
            group_of[row] = groups + group;
        }
        groups += own_groups.iter().filter(|&&g| g != WITHHELD).max().map_or(0, |last| last + 1);
    }
    Ok((figures, group_of))
}

fn some_rows(table: &Table, rows: &[usize]) -> Table {
    let mut some = kinfold::model::table::Gathering::like(table);
    rows.iter().for_each(|&row| some.add(table, row..row + 1));
    some.finish()
}

#[test]
fn losses_of_pieces_add_up_to_what_the_judge_says_of_the_whole_table() {
    let mut dice = Dice(3302);
    let mut compared = 0;
    for _ in 0..rounds(300) {
        let Some(sample) = sample(&mut dice, 6, 100) else { continue };
        let (names, rows, toml) = with_unchanged_columns(&mut dice, &sample);
        let given = table(&names, &rows);
        let policy = policy_for(&given, &toml);
        let Ok(encoded) = encode(&given, &policy) else { continue };
        let parts: Vec<Table> =
            rows.chunks(1 + dice.below(rows.len())).map(|rows| table(&names, &rows.to_vec())).collect();
        let Ok((figures, group_of)) = by_hand(&parts, &given, &policy, 1 + dice.below(6)) else { continue };
        let solution = judge(&encoded.problem, Found::plain(group_of)).unwrap();
        assert_eq!(figures.loss(), u128::from(solution.loss(&encoded.problem).0), "{toml}\n{rows:?}");
        let average = solution.average_loss(&encoded.problem);
        assert!((figures.average_loss() - average).abs() < 1e-12, "{toml}\n{rows:?}");
        compared += 1;
    }
    assert!(compared >= enough(150), "{compared}");
}

/// People of two towns; in the smaller one everybody has the flu.
fn towns() -> (Vec<String>, Rows) {
    let names = ["age", "town", "ill"].map(str::to_owned).to_vec();
    let mut dice = Dice(5);
    let row = |i: usize, dice: &mut Dice| {
        let small = i.is_multiple_of(8);
        let ill = if small { "flu" } else { dice.pick(&["flu", "gout", "asthma", "gout"]) };
        vec![(20 + dice.below(60)).to_string(), if small { "A" } else { "B" }.into(), ill.into()]
    };
    let rows = (0..400).map(|i| row(i, &mut dice)).collect();
    (names, rows)
}

#[test]
fn every_piece_can_fulfil_the_models_and_is_compared_with_the_whole_table() {
    let folder = tempfile::tempdir().unwrap();
    let (names, rows) = towns();
    let given = table(&names, &rows);
    let models = [
        "diversity = 2",
        "diversity = { entropy = 1.8 }",
        "closeness = { t = 0.3, distance = \"equal\" }",
        "closeness = 0.15",
        "likeness = 1",
        "disclosure = 2",
    ];
    for (number, model) in models.iter().enumerate() {
        let toml = format!(
            "k = 4\n[columns]\nage = \"quasi\"\ntown = \"quasi\"\nill = {{ role = \"sensitive\", {model} }}\n"
        );
        let policy = policy_for(&given, &toml);
        for pieces in [1, 2, 5, 20] {
            let path = folder.path().join(format!("{number}-{pieces}.csv"));
            let report = in_pieces(&csv(&names, &rows), &policy, pieces, &path).unwrap();
            assert!(report.models.iter().all(|model| model.fulfilled == Some(true)), "{model}");
            assert!(safe_and_true(&path, &given, &policy), "{model}, {pieces} pieces");
        }
    }
}

#[test]
fn a_few_rows_are_joined_with_their_neighbours() {
    // Two of 300 ages are missing, which the cut puts apart.
    let folder = tempfile::tempdir().unwrap();
    let names = ["age".to_owned()].to_vec();
    let rows: Rows =
        (0..300).map(|i| vec![if i < 2 { String::new() } else { (i % 80).to_string() }]).collect();
    let given = table(&names, &rows);
    let policy = policy_for(&given, "k = 5\n[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\n");
    let path = folder.path().join("release.csv");
    let report = in_pieces(&csv(&names, &rows), &policy, 4, &path).unwrap();
    assert_eq!(report.pieces, Some(3));
    assert!(safe_and_true(&path, &given, &policy));
}

#[test]
fn what_pieces_cannot_do_is_declined_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let (names, rows) = towns();
    let given = table(&names, &rows);
    let said = |more: &str, ill: &str| {
        format!(
            "k = 4\n{more}\n[columns]\nage = \"quasi\"\ntown = \"quasi\"\nill = {{ role = \"sensitive\" {ill} }}\n"
        )
    };
    let declined = [
        (said("objective = \"columns\"", ""), "about the table as a whole"),
        (said("form = \"codes\"", ""), "labels or centres"),
        (said("withhold = \"5%\"", ", closeness = 0.3"), "cannot be withheld"),
    ];
    for (toml, why) in declined {
        let path = folder.path().join("release.csv");
        let error = in_pieces(&csv(&names, &rows), &policy_for(&given, &toml), 2, &path).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(error.hint().is_some() && !path.exists());
    }
    let midpoint = policy_for(&given, &said("form = \"midpoint\"", ""));
    let typed = in_pieces(&csv(&names, &rows), &midpoint, 2, &folder.path().join("r.parquet")).unwrap_err();
    assert!(typed.to_string().contains("written as text"), "{typed}");
    in_pieces(&csv(&names, &rows), &midpoint, 2, &folder.path().join("r.csv")).unwrap();
}

#[test]
fn mistakes_in_values_name_the_row_of_the_file_and_no_cell() {
    let names = ["age".to_owned()].to_vec();
    let rows: Rows = (0..50).map(|i| vec![if i == 36 { "secret".into() } else { i.to_string() }]).collect();
    let good = table(&names, &rows[..20].to_vec());
    let policy = policy_for(&good, "k = 5\n[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\n");
    let folder = tempfile::tempdir().unwrap();
    let error = in_pieces(&csv(&names, &rows), &policy, 2, &folder.path().join("r.csv")).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("row 37") && !said.contains("secret"), "{said}");
}

#[test]
fn a_column_that_names_people_is_judged_by_all_rows() {
    let names = ["age", "ticket"].map(str::to_owned).to_vec();
    let folder = tempfile::tempdir().unwrap();
    let toml = "k = 5\n[columns]\nage = \"quasi\"\nticket = \"keep\"\n";
    // Every ticket is held by two people of quite different ages: no piece has it twice.
    let twice: Rows = (0..400).map(|i| vec![(i / 4).to_string(), format!("t{}", i % 200)]).collect();
    let policy = policy_for(&table(&names, &twice), toml);
    in_pieces(&csv(&names, &twice), &policy, 2, &folder.path().join("twice.csv")).unwrap();
    let once: Rows = (0..400).map(|i| vec![(i / 4).to_string(), format!("t{i}")]).collect();
    let error = in_pieces(&csv(&names, &once), &policy, 2, &folder.path().join("once.csv")).unwrap_err();
    assert!(error.to_string().contains("seems to identify people"), "{error}");
}

#[test]
fn judging_runs_comes_to_the_same_as_judging_the_whole_release() {
    let mut dice = Dice(77);
    let (mut safe, mut doctored) = (0, 0);
    for _ in 0..rounds(200) {
        let objective = dice.pick(&["ncp", "stars"]);
        let Some(sample) = sample_of(&mut dice, objective, 8, 80) else { continue };
        let (names, rows, toml) = with_unchanged_columns(&mut dice, &sample);
        let given = table(&names, &rows);
        let policy = policy_for(&given, &toml);
        let Ok(mut done) = anonymized(&given, &policy, &quick()) else { continue };
        let mut bytes = Vec::new();
        done.write(&mut bytes, FileFormat::default()).unwrap();
        let judged = |bytes: &[u8], most: usize| {
            let open = || Ok::<_, VerifyError>(Source::from_bytes(bytes.to_vec(), &ReadOptions::default())?);
            let whole = verify(&Published::read(open().unwrap(), &policy, false).unwrap(), &policy).unwrap();
            (whole, verify_runs(open, &policy, most, |_| Ok(())).unwrap())
        };
        for most in [1, 3, 1000] {
            let (whole, runs) = judged(&bytes, most);
            assert_eq!(whole, runs, "{toml}");
        }
        safe += 1;
        // A row that is taken away leaves its group one short of k somewhere, or not: both say the same.
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let gone = 1 + dice.below(lines.len() - 1);
        let less: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != gone).map(|(_, l)| *l).collect();
        if less.len() > 1 && !text.contains("\"\n") {
            let (whole, runs) = judged((less.join("\n") + "\n").as_bytes(), 4);
            assert_eq!((whole.safe(), &whole.below_k), (runs.safe(), &runs.below_k), "{toml}");
            doctored += usize::from(!whole.safe());
        }
    }
    assert!(safe >= enough(100) && doctored >= enough(30), "{safe}, {doctored}");
}

#[test]
fn rows_that_repeat_can_be_cut_whether_or_not_they_are_drawn() {
    for value in 0..8 {
        let bytes = [b"q\n".to_vec(), format!("{value}\n").repeat(1 << 18).into_bytes()].concat();
        let table = Source::from_bytes(bytes, &ReadOptions::default()).unwrap().read(|_| true).unwrap();
        let policy = policy_for(&table, "k = 2\n[columns]\nq = { role = \"quasi\", kind = \"numeric\" }\n");
        let mut census = Census::new(&policy);
        census.add(&table, &policy).unwrap();
        let plan = Plan::new(&census, &policy, Pieces::Number(3), &quick()).unwrap();
        assert_eq!(plan.parts(), 1, "rows that are alike stay together");
    }
}

#[test]
fn a_run_of_many_rows_is_judged_in_time_by_its_rows() {
    // More than two parts of a run, and a few rows.
    let (rows, chunk) = ((1 << 21) + 5, 64);
    let bytes = [b"q\n".to_vec(), b"7\n".repeat(rows)].concat();
    let policy = "k = 2\n[columns]\nq = { role = \"quasi\", kind = \"numeric\" }\n";
    let policy = policy_for(&Table::from_cells(&["q"], &[vec!["7"]]).unwrap(), policy);
    let open = || Ok::<_, VerifyError>(Source::from_bytes(bytes.clone(), &ReadOptions::default())?);
    let started = std::time::Instant::now();
    let verdict = verify_runs(open, &policy, chunk, |_| Ok(())).unwrap();
    assert_eq!((verdict.groups, verdict.smallest, verdict.largest), (1, rows as u64, rows as u64));
    assert_eq!((verdict.rows, verdict.alike), (rows, (rows as u128).pow(2)));
    let k = Policy { k: rows as u64 + 1, ..policy.clone() };
    assert_eq!(
        verify_runs(open, &k, chunk, |_| Ok(())).unwrap().below_k.into_iter().collect::<Vec<_>>(),
        [(rows as u64, 1)]
    );
    // With every chunk joined to all before it, minutes.
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}
