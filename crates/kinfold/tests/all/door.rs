//! The one door: what comes out is verified, owned by its call, and the same from memory as from files.

use crate::support::{Dice, anonymized, policy_for, read_csv};
use kinfold::model::call::{Call, Event, Phase};
use kinfold::model::policy::{Draft, Policy};
use kinfold::model::table::Table;
use kinfold::report::Json;
use kinfold::{Error, FileFormat, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const POLICY: &str = r#"
k = 3
[columns]
age = { role = "quasi", kind = "numeric" }
town = { role = "quasi", kind = "category" }
born = { role = "quasi", kind = "date" }
pay = { role = "keep", acknowledge = true }
"#;

fn people(rows: usize, seed: u64) -> Table {
    let mut dice = Dice(seed);
    let mut text = String::from("age,town,born,pay\n");
    for _ in 0..rows {
        let town = dice.pick(&["Ulm", "Bonn", "Trier", "Mainz", ""]);
        let (age, day, pay) = (18 + dice.below(70), 1 + dice.below(28), dice.below(5000));
        text += &format!("{age},{town},19{}-01-{day:02},{pay}\n", 40 + dice.below(60));
    }
    read_csv(&text)
}

fn options(call: Call) -> Options {
    let mut options = Options::default();
    options.call = call;
    options
}

fn csv(table: &Table, policy: &Policy, call: Call) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    anonymized(table, policy, &options(call))?.write(&mut bytes, FileFormat::default())?;
    Ok(bytes)
}

#[test]
fn calls_at_the_same_time_do_not_touch_each_other() {
    let (table, other) = (people(600, 1), people(700, 2));
    let policy = policy_for(&table, POLICY);
    let alone = csv(&table, &policy, Call::new()).unwrap();
    let stopped = Call::new();
    // The second call stops itself as soon as it groups, while the first one works.
    let started = Arc::new(AtomicBool::new(false));
    let (watch, stop) = (started.clone(), stopped.clone());
    let watched = Call::watched(move |event| {
        if event == Event::Phase(Phase::Grouping) {
            watch.store(true, Ordering::SeqCst);
        }
    });
    std::thread::scope(|scope| {
        let first = scope.spawn(|| csv(&table, &policy, Call::new()).unwrap());
        let second = scope.spawn(|| {
            stop.stop();
            csv(&other, &policy, stopped.clone())
        });
        let third = scope.spawn(|| csv(&other, &policy, watched.clone()));
        assert!(matches!(second.join().unwrap(), Err(Error::Stopped)));
        assert_eq!(first.join().unwrap(), alone);
        third.join().unwrap().unwrap();
    });
    assert!(started.load(Ordering::SeqCst));
}

#[test]
fn every_phase_can_be_stopped() {
    let table = people(60, 3);
    let policy = policy_for(&table, POLICY);
    for phase in [Phase::Encoding, Phase::Grouping, Phase::Bounding, Phase::Publishing, Phase::Verifying] {
        let reached = Arc::new(AtomicBool::new(false));
        let (seen, slot) = (reached.clone(), Arc::new(std::sync::OnceLock::<Call>::new()));
        let own = slot.clone();
        let call = Call::watched(move |event| {
            if event == Event::Phase(phase) {
                seen.store(true, Ordering::SeqCst);
                if let Some(call) = own.get() {
                    call.stop();
                }
            }
        });
        slot.set(call.clone()).ok().unwrap();
        assert!(matches!(csv(&table, &policy, call), Err(Error::Stopped)), "{phase:?}");
        assert!(reached.load(Ordering::SeqCst), "{phase:?}");
    }
}

#[test]
fn a_stopped_call_saves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let table = people(60, 4);
    let policy = policy_for(&table, POLICY);
    let call = Call::new();
    let mut done = anonymized(&table, &policy, &options(call.clone())).unwrap();
    call.stop();
    assert!(matches!(done.save(folder.path().join("release.csv")), Err(Error::Stopped)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn files_come_from_the_world_that_the_policy_is_given() {
    let table = read_csv("town,pay\nUlm,1\nBonn,2\nTrier,3\nMainz,4\n");
    let toml = "k = 2\n[columns]\ntown = { role = \"quasi\", hierarchy = \"towns.csv\" }\npay = \"keep\"\n";
    let towns = "Ulm;south;*\nTrier;south;*\nBonn;north;*\nMainz;north;*\n";
    let path = Path::new("nowhere/policy.toml");
    let world: BTreeMap<PathBuf, Vec<u8>> =
        [(PathBuf::from("nowhere/towns.csv"), towns.as_bytes().to_vec())].into();
    let policy = Draft::from_toml_in(Arc::new(world), toml, path).for_table(&table).unwrap();
    let release = String::from_utf8(csv(&table, &policy, Call::new()).unwrap()).unwrap();
    assert_eq!(release, "town,pay\nnorth,2\nnorth,4\nsouth,1\nsouth,3\n");
    let empty: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    let refused = Draft::from_toml_in(Arc::new(empty), toml, path).for_table(&table).unwrap_err();
    assert!(refused.to_string().contains("towns.csv"), "{refused}");
}

#[test]
fn the_report_has_the_keys_that_the_command_prints() {
    let table = people(60, 5);
    let policy = policy_for(&table, POLICY);
    let done = anonymized(&table, &policy, &Options::default()).unwrap();
    let json = done.report.to_json();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = "rows released withheld k unit groups smallest_group largest_group discernibility \
                  average_class_size objective loss average_loss sse_percent bound gap bound_kind bound_for solver remark seconds \
                  solve_cpu_seconds columns unique_on_unchanged rounded values_told singled_out models reached overlay";
    assert_eq!(keys, wanted.split_whitespace().collect::<Vec<_>>());
    assert_eq!(json["groups"], done.report.groups);
}

#[test]
fn no_message_of_the_library_names_a_flag() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut told = BTreeSet::new();
    for folder in ["kinfold-model/src", "kinfold/src", "kinfold-papers/src"] {
        look(&root.join(folder), &mut told);
    }
    assert!(told.is_empty(), "{told:#?}");
}

/// Lines with a flag in a text, outside comments and tests.
fn look(folder: &Path, told: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            look(&path, told);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                let flag = |at: usize| {
                    let word =
                        line[at + 2..].trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '-');
                    // Variables of a style sheet look alike.
                    let style = line[..at].ends_with("var(") || word.starts_with(':');
                    !style
                        && line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
                        && !line[..at].ends_with(|c: char| c == '-' || c.is_alphanumeric())
                };
                // Building the program is done in a shell, whatever the front end.
                if line.match_indices("--").any(|(at, _)| flag(at)) && !line.contains("cargo build") {
                    told.insert(format!("{}: {}", path.display(), line.trim()));
                }
            }
        }
    }
}

#[cfg(feature = "columnar")]
mod memory {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int8Type, Int32Type};
    use arrow_array::{ArrayRef, DictionaryArray, Int16Array, RecordBatch, StringArray};
    use arrow_schema::DataType;
    use kinfold::model::table::{ReadOptions, Source};
    use kinfold::model::verify::{Published, verify};

    fn batches() -> Vec<RecordBatch> {
        let ages: [&[Option<i16>]; 2] = [&[Some(30), Some(31), Some(60)], &[Some(61), None, None]];
        let towns: [&[Option<&str>]; 2] =
            [&[Some("Ulm"), Some("Ulm"), Some("Bonn")], &[Some("Bonn"), None, None]];
        let wards: [&[&str]; 2] = [&["a", "b", "a"], &["c", "c", "b"]];
        (0..2)
            .map(|i| {
                let town: DictionaryArray<Int32Type> = towns[i].iter().copied().collect();
                let ward: DictionaryArray<Int8Type> = wards[i].iter().copied().collect();
                RecordBatch::try_from_iter([
                    ("age", Arc::new(Int16Array::from(ages[i].to_vec())) as ArrayRef),
                    ("town", Arc::new(town) as ArrayRef),
                    ("ward", Arc::new(ward) as ArrayRef),
                ])
                .unwrap()
            })
            .collect()
    }

    fn table() -> Table {
        let batches = batches();
        Table::from_batches(&batches[0].schema(), &batches, |_| true, &ReadOptions::default()).unwrap()
    }

    const ROLES: &str =
        "k = 2\n[columns]\nage = { role = \"quasi\" }\ntown = { role = \"quasi\" }\nward = \"sensitive\"\n";

    #[test]
    fn batches_are_read_as_the_same_table_in_a_file_is() {
        let table = table();
        let again = read_csv("age,town,ward\n30,Ulm,a\n31,Ulm,b\n60,Bonn,a\n61,Bonn,c\n,,c\n,,b\n");
        for (one, other) in table.columns().iter().zip(again.columns()) {
            assert_eq!(one.codes(), other.codes(), "{}", one.name());
        }
        let policy = policy_for(&table, ROLES);
        assert_eq!(csv(&table, &policy, Call::new()).unwrap(), csv(&again, &policy, Call::new()).unwrap());
    }

    #[test]
    fn untouched_columns_keep_their_type_and_groups_are_dictionaries() {
        let policy = policy_for(&table(), ROLES);
        let done = anonymized(&table(), &policy, &Options::default()).unwrap();
        let (schema, batches) = done.batches().unwrap();
        let kind = |name: &str| schema.field_with_name(name).unwrap().data_type().clone();
        let texts = |keys| DataType::Dictionary(Box::new(keys), Box::new(DataType::Utf8));
        assert_eq!(kind("age"), texts(DataType::Int32));
        assert_eq!(kind("ward"), texts(DataType::Int8));
        let towns = batches[0].column_by_name("town").unwrap().as_any_dictionary();
        let values: Vec<Option<&str>> = towns.values().as_string::<i32>().iter().collect();
        // Every text once: that is what categories of a data frame are.
        assert_eq!(values, [Some("Ulm"), Some("Bonn")]);
        assert_eq!(towns.keys().null_count(), 2);
        let published =
            Published::from_batches(schema, batches, &policy, true, &ReadOptions::default()).unwrap();
        assert!(verify(&published, &policy).unwrap().safe());
    }

    #[test]
    fn a_release_in_memory_is_what_is_written() {
        let table = people(300, 6);
        let policy = policy_for(&table, POLICY);
        let mut done = anonymized(&table, &policy, &Options::default()).unwrap();
        let mut bytes = Vec::new();
        done.write(&mut bytes, FileFormat::Parquet).unwrap();
        let file = Source::from_bytes(bytes, &ReadOptions::default()).unwrap().read(|_| true).unwrap();
        let (schema, batches) = done.batches().unwrap();
        let memory = Table::from_batches(schema, batches, |_| true, &ReadOptions::default()).unwrap();
        for (one, other) in memory.columns().iter().zip(file.columns()) {
            let texts = |column: &kinfold::model::table::Column| -> Vec<String> {
                column.codes().iter().map(|&code| column.text(code).to_owned()).collect()
            };
            assert_eq!((one.name(), texts(one)), (other.name(), texts(other)));
        }
    }

    #[test]
    fn no_file_is_opened_for_bytes_in_memory() {
        // A file of the name that messages use is somebody else's.
        let mut bytes = Vec::new();
        let policy = policy_for(&table(), ROLES);
        anonymized(&table(), &policy, &Options::default())
            .unwrap()
            .write(&mut bytes, FileFormat::Arrow)
            .unwrap();
        let cut = bytes[..bytes.len() / 2].to_vec();
        let error = Source::from_bytes(cut, &ReadOptions::default()).err().expect("half a file");
        assert!(error.to_string().contains("the table in memory"), "{error}");
        let table = Source::from_bytes(bytes, &ReadOptions::default()).unwrap().read(|_| true).unwrap();
        assert_eq!(table.rows(), 6);
    }

    #[test]
    fn batches_of_other_types_and_no_rows_are_refused() {
        let one = batches();
        let other =
            RecordBatch::try_from_iter([("age", Arc::new(StringArray::from(vec!["30"])) as ArrayRef)])
                .unwrap();
        let mixed = [one[0].clone(), other];
        let error = Table::from_batches(&one[0].schema(), &mixed, |_| true, &ReadOptions::default());
        assert!(error.unwrap_err().to_string().contains("one schema"));
        let none = Table::from_batches(&one[0].schema(), &[], |_| true, &ReadOptions::default());
        assert!(none.is_err());
    }
}

#[test]
fn what_is_said_of_a_row_is_what_was_written() {
    let table = people(200, 3);
    let policy = Policy { withhold: 0.05, ..policy_for(&table, POLICY) };
    let mut options = options(Call::new());
    options.keep_order = true;
    let mut done = anonymized(&table, &policy, &options).unwrap();
    let mut bytes = Vec::new();
    done.write(&mut bytes, FileFormat::default()).unwrap();
    let written = read_csv(std::str::from_utf8(&bytes).unwrap());
    let cells = |row: usize| written.columns().iter().map(|c| c.text(c.codes()[row])).collect::<Vec<_>>();
    let written: Vec<Vec<&str>> = (0..written.rows()).map(cells).collect();
    let said = (0..table.rows()).filter_map(|row| done.published(row));
    let said: Vec<Vec<&str>> =
        said.map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect();
    assert_eq!(done.columns().collect::<Vec<_>>(), ["age", "town", "born", "pay"]);
    assert_eq!(said, written);
    assert_eq!(table.rows() - said.len(), done.report.withheld);
}

#[test]
fn long_texts_that_repeat_do_not_fill_the_disk() {
    let long = "x".repeat(1 << 14);
    let rows: Vec<Vec<String>> = (0..400).map(|row| vec![(20 + row / 4).to_string(), long.clone()]).collect();
    let cells: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let table = Table::from_cells(&["age", "note"], &cells).unwrap();
    let policy = policy_for(&table, "k = 2\n[columns]\nage = \"quasi\"\nnote = \"keep\"\n");
    let mut options = Options::default();
    assert!(anonymized(&table, &policy, &options).is_ok());
    options.limits.memory = 1 << 22;
    let refused = anonymized(&table, &policy, &options).unwrap_err().to_string();
    assert!(refused.contains("column \"note\" is published unchanged and would take 7 MB"), "{refused}");
}
