use crate::destination::Destination;
use crate::document::ReportOptions;
use crate::error::Error;
use crate::options::Options;
use crate::save::{FileFormat, Files, ReportFiles};
use crate::scale::{Pieces, anonymize_in_pieces};
use crate::{Effort, Strength, WriteError, anonymize};
use kinfold_model::call::Call;
use kinfold_model::policy::{Draft, Policy};
use kinfold_model::table::{ReadOptions, Source, Table, TableError};
use kinfold_model::world::World;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_dir;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Steps that fail, by their number, and what was asked for so far.
struct Plan {
    fails: Box<dyn Fn(usize) -> bool>,
    asked: Vec<&'static str>,
    failed: bool,
}

thread_local! {
    /// Whoever saves does so on one thread.
    static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
}

pub(crate) fn step(name: &'static str) -> io::Result<()> {
    PLAN.with_borrow_mut(|plan| {
        let Some(plan) = plan else { return Ok(()) };
        plan.asked.push(name);
        match (plan.fails)(plan.asked.len()) {
            true => {
                plan.failed = true;
                Err(io::Error::new(io::ErrorKind::StorageFull, "planted"))
            }
            false => Ok(()),
        }
    })
}

/// What comes of work of which these steps fail, and the plan as it was followed.
fn with_faults<T>(fails: impl Fn(usize) -> bool + 'static, work: impl FnOnce() -> T) -> (T, Plan) {
    PLAN.set(Some(Plan { fails: Box::new(fails), asked: Vec::new(), failed: false }));
    let done = work();
    (done, PLAN.take().unwrap())
}

type Contents = BTreeMap<String, Vec<u8>>;

fn contents(folder: &Path) -> Contents {
    let entries = read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

/// A folder in memory, where the system has one: there, bytes need not wait for a disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

const OLD: &[u8] = b"an older file";

/// Does work that saves these files, in a folder of its own. Whatever fails, the error says which file cannot be
/// written or read, and the folder is as it was; or nothing that was needed failed, and all files are there. Returns
/// whether a step failed, and the names of all steps.
fn saved(
    names: &[&str],
    older: bool,
    fails: impl Fn(usize) -> bool + 'static,
    work: &dyn Fn(&Path) -> Result<(), Error>,
) -> (bool, Vec<&'static str>) {
    let folder = folder();
    for name in names.iter().filter(|_| older) {
        std::fs::write(folder.path().join(name), OLD).unwrap();
    }
    let before = contents(folder.path());
    let (done, plan) = with_faults(fails, || work(folder.path()));
    let after = contents(folder.path());
    let new = |name: &str| after.get(name).is_some_and(|bytes| bytes != OLD && !bytes.is_empty());
    match done {
        Ok(()) => {
            assert!(after.keys().all(|name| names.contains(&name.as_str())), "{:?}: {after:?}", plan.asked);
            assert!(names.iter().all(|name| new(name)), "{:?}: {after:?}", plan.asked);
        }
        Err(error) => {
            assert!(plan.failed, "{error}");
            let said = error.to_string();
            let stays: Vec<&str> = match &error {
                Error::Unfinished { in_place, .. } => {
                    in_place.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect()
                }
                Error::Write { error: WriteError::Io(_) | WriteError::Format(_), .. }
                | Error::Table(TableError::Io { .. } | TableError::TooLarge { .. })
                | Error::Unsuitable { hint: Some(_), .. }
                | Error::Policy(_) => Vec::new(),
                other => panic!("{other:?} after {:?}", plan.asked),
            };
            assert!(said.contains("cannot") || said.contains("larger") || said.contains("memory"), "{said}");
            for name in after.keys().chain(before.keys()) {
                match stays.contains(&name.as_str()) {
                    true => assert!(new(name), "{said}: {name}"),
                    false => {
                        assert_eq!(
                            before.get(name),
                            after.get(name),
                            "{said}: {name} after {:?}",
                            plan.asked
                        );
                    }
                }
            }
        }
    }
    (plan.failed, plan.asked)
}

/// Lets every step fail once, then every step and all after it: all steps that were asked for.
fn every_step(names: &[&str], work: &dyn Fn(&Path) -> Result<(), Error>) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    for older in [false, true] {
        let whole = saved(names, older, |_| false, work).1;
        let mut number = 1;
        while saved(names, older, move |step| step == number, work).0 {
            saved(names, older, move |step| step >= number, work);
            number += 1;
        }
        assert!(number > whole.len(), "a step was left out");
        all.extend(whole);
    }
    all
}

/// Files that can be read if their step succeeds.
#[derive(Debug)]
struct Failing(BTreeMap<PathBuf, Vec<u8>>);

impl World for Failing {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        step("world").and_then(|()| self.0.read(path))
    }

    fn has(&self, path: &Path) -> bool {
        self.0.has(path)
    }
}

const TOWNS: [&str; 4] = ["Ulm", "Bonn", "Kiel", "Jena"];

fn table() -> Table {
    let rows: Vec<Vec<String>> = (0..24usize)
        .map(|row| {
            vec![
                (20 + row * 7 % 50).to_string(),
                TOWNS[row * 5 % 4].into(),
                ["flu", "cold", "gout"][row % 3].into(),
            ]
        })
        .collect();
    let cells: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    Table::from_cells(&["age", "town", "ill"], &cells).unwrap()
}

fn policy(more: &str, table: &Table) -> Result<Policy, Error> {
    let tree = b"Ulm;south;*\nBonn;west;*\nKiel;north;*\nJena;east;*\n";
    let world = Failing([(PathBuf::from("towns.csv"), tree.to_vec())].into());
    let columns = "age = { role = 'quasi', kind = 'numeric' }\nill = 'sensitive'\n\
                   town = { role = 'quasi', kind = 'hierarchy', hierarchy = 'towns.csv' }\n";
    let toml = format!("k = 3\n{more}\n[columns]\n{columns}");
    Ok(Draft::from_toml_in(Arc::new(world), &toml, Path::new("policy.toml")).for_table(table)?)
}

fn options() -> Options {
    let (threads, effort, bound) = (Some(1), Effort::Quick, Strength::None);
    Options { threads, effort, bound, keep_frame: true, ..Options::default() }
}

/// Anonymizes a table into these files: the first is the release, others are what their names say.
fn anonymized(names: &'static [&'static str], more: &'static str) -> impl Fn(&Path) -> Result<(), Error> {
    move |folder| {
        let (table, options) = (table(), options());
        let policy = policy(more, &table)?;
        let file = |name: &str| {
            let asked = names.contains(&name).then(|| Destination::file(&folder.join(name), &options.call));
            asked.transpose()
        };
        let release = Destination::file(&folder.join(names[0]), &options.call)?;
        let mut files =
            Files { release: Some((release, FileFormat::of(Path::new(names[0]))?)), ..Files::default() };
        (files.groups, files.lookup, files.frame) = (file("groups")?, file("lookup")?, file("frame")?);
        files.mapping = file("mapping")?;
        files.record = file("record")?.map(|record| (record, "kinfold anonymize".into()));
        if let Some(page) = file("page")? {
            files.report = Some((ReportFiles { page, figures: file("figures")? }, ReportOptions::default()));
        }
        anonymize(&table, &policy, &options)?.into_files(files).map(|_| ())
    }
}

#[test]
fn whatever_fails_once_or_for_good_nothing_is_left_behind() {
    for names in [&["r.csv"], &["r.csv.gz"], &["r.parquet"], &["r.arrow"]] {
        if cfg!(not(feature = "columnar")) && !names[0].contains("csv") {
            continue;
        }
        let asked = every_step(names, &anonymized(names, ""));
        let usual = ["world", "write", "flush", "reopen", "sync", "permit", "rename"];
        assert!(usual.iter().all(|step| asked.contains(step)), "{asked:?}");
    }
    const ALL: &[&str] = &["r.csv", "groups", "mapping", "frame", "record", "page", "figures"];
    every_step(ALL, &anonymized(ALL, "recoding = 'global'"));
    const CODES: &[&str] = &["r.csv", "lookup", "groups"];
    every_step(CODES, &anonymized(CODES, "form = 'codes'"));
}

#[test]
fn whatever_fails_in_pieces_nothing_is_left_behind() {
    for name in ["r.csv", "r.csv.gz", "r.parquet"] {
        if cfg!(not(feature = "columnar")) && !name.contains("csv") {
            continue;
        }
        let work = |folder: &Path| {
            let (table, options) = (table(), options());
            let policy = policy("", &table)?;
            let bytes = "age,town,ill\n".to_owned()
                + &(0..table.rows())
                    .map(|row| {
                        let cell = |name| {
                            let column = table.column(name).unwrap();
                            column.text(column.codes()[row]).to_owned()
                        };
                        format!("{},{},{}\n", cell("age"), cell("town"), cell("ill"))
                    })
                    .collect::<String>();
            let open = || {
                let failed = |source| TableError::Io { path: "table.csv".into(), source };
                step("table").map_err(failed)?;
                Ok(Source::from_bytes(bytes.clone().into_bytes(), &ReadOptions::default())?)
            };
            let file = |name: &str| Destination::file(&folder.join(name), &options.call);
            let release = Some((file(name)?, FileFormat::of(Path::new(name))?));
            let files = Files { release, frame: Some(file("frame")?), ..Files::default() };
            anonymize_in_pieces(&open, &policy, Pieces::Number(2), &options, files)?.1.commit()
        };
        let asked = every_step(&[name, "frame"], &work);
        assert!(["table", "read", "seek"].iter().all(|step| asked.contains(step)), "{asked:?}");
    }
}

#[test]
fn whatever_fails_when_a_release_in_memory_is_saved_nothing_is_left_behind() {
    let table = table();
    let done = anonymize(&table, &policy("", &table).unwrap(), &options()).unwrap();
    let done = done.into_files(Files::default()).unwrap();
    every_step(&["r.csv"], &|folder| done.clone().save(folder.join("r.csv")));
    let whole = |fails: usize| {
        let (mut out, mut done) = (Vec::new(), done.clone());
        let (told, plan) =
            with_faults(move |step| step == fails, || done.write(&mut out, FileFormat::default()));
        assert_eq!(told.is_err(), plan.failed);
        assert!(out.is_empty() || told.is_ok(), "nothing was handed over before it was read back");
        plan.failed
    };
    assert_eq!((1..).take_while(|&fails| whole(fails)).count(), whole_steps(&done));
}

fn whole_steps(done: &crate::Anonymized) -> usize {
    let mut done = done.clone();
    with_faults(|_| false, || done.write(&mut Vec::new(), FileFormat::default()).unwrap()).1.asked.len()
}

/// Two faults: the second meets the way back from the first.
#[test]
fn whichever_two_steps_fail_files_are_as_before_or_named() {
    let names = ["one", "two", "three"];
    let work = |folder: &Path| {
        let call = Call::new();
        let files = names.iter().map(|name| {
            let mut file = Destination::file(&folder.join(name), &call)?;
            file.write(b"new").map(|()| file)
        });
        Destination::commit_all(files.collect::<Result<_, _>>()?)
    };
    for older in [false, true] {
        let mut first = 1;
        while saved(&names, older, move |step| step == first, &work).0 {
            for second in first + 1..first + 40 {
                saved(&names, older, move |step| step == first || step == second, &work);
            }
            first += 1;
        }
        assert!(first > 20, "{first}");
    }
}

#[test]
fn whatever_memory_is_missing_nothing_is_left_behind() {
    let folder = folder();
    let path = folder.path().join("r.csv");
    let table = table();
    let (mut refused, mut done) = (0, 0);
    for bits in 0..24 {
        let mut options = options();
        options.limits.memory = 1 << bits;
        std::fs::write(&path, OLD).unwrap();
        let given = policy("", &table).and_then(|policy| anonymize(&table, &policy, &options));
        match given.and_then(|groups| groups.save(&path)) {
            Ok(_) => done += 1,
            Err(Error::Table(TableError::TooLarge { .. }) | Error::Unsuitable { hint: Some(_), .. }) => {
                refused += 1;
                assert_eq!(contents(folder.path()), [("r.csv".to_owned(), OLD.to_vec())].into());
            }
            Err(other) => panic!("{bits}: {other:?}"),
        }
    }
    assert!(refused > 2 && done > 2, "{refused} {done}");
}
