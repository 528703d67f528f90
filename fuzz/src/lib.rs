//! Fuzz targets. A target takes any bytes and panics if something is wrong: a reader may refuse them, but neither panic nor
//! accept what it does not read back.
//!
//! `cargo test -p kinfold-fuzz` runs the corpus, single faults in it, and seconds of new mutants; `fuzz/run` is guided by coverage.

mod judge;
mod mutate;
mod release;

use kinfold::model::certificate::Certificate;
use kinfold::model::frame::Frame;
use kinfold::model::hierarchy::Hierarchy;
use kinfold::model::policy::Draft;
use kinfold::model::table::{Limits, ReadOptions, Source, Table, TableError};
use kinfold::model::verify::read_lookup;
use kinfold::{GroupsFile, Options, Policy, check_certificate, parse_groups};
pub use mutate::{Random, mutant, single_faults};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// What is fuzzed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is that of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Tries these bytes.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 11] = [
    Target { name: "csv", run: table },
    Target { name: "gzip", run: table },
    Target { name: "parquet", run: table },
    Target { name: "arrow", run: table },
    Target { name: "policy", run: policy },
    Target { name: "hierarchy", run: hierarchy },
    Target { name: "certificate", run: certificate },
    Target { name: "frame", run: frame },
    Target { name: "lookup", run: lookup },
    Target { name: "groups", run: groups },
    Target { name: "release", run: release::run },
];

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}

fn read(bytes: &[u8]) -> Result<Table, TableError> {
    let limits = Limits { memory: 16 << 20, ..Limits::default() };
    Source::from_bytes(bytes.to_vec(), &ReadOptions { limits, ..ReadOptions::default() })?.read(|_| true)
}

/// A table in any format: every cell can be read.
fn table(bytes: &[u8]) {
    let Ok(table) = read(bytes) else { return };
    for column in table.columns() {
        assert_eq!(column.codes().len(), table.rows());
        for &code in column.codes() {
            let _ = column.text(code);
        }
    }
}

const TABLE: &str = "age,zip,born,school,job,ill\n31,90717,1993-02-11,low,cook,flu\n34,90718,1990-07-30,high,nurse,cold\n\
    38,80621,1986-05-04,high,a|b,flu\n52,80622,1972-01-19,top,clerk,burn\n55,80622,1969-11-02,top,,flu\n\
    ,70533,1967-03-23,high,nurse,cold\n";

const POLICY: &str = "k = 2\n[columns]\nage = {role = \"quasi\", kind = \"numeric\"}\n\
    zip = {role = \"quasi\", prefix = [3, 2, 1]}\nborn = {role = \"quasi\", kind = \"date\"}\n\
    school = {role = \"quasi\", kind = \"ordinal\", order = [\"low\", \"high\", \"top\"]}\n\
    job = {role = \"quasi\", kind = \"category\"}\nill = {role = \"sensitive\", closeness = 0.9}\n";

static PEOPLE: LazyLock<Table> = LazyLock::new(|| read(TABLE.as_bytes()).expect("a table"));

fn files() -> Arc<BTreeMap<PathBuf, Vec<u8>>> {
    let tree = "cook;food;*\nnurse;health;*\na|b;other;*\nclerk;other;*\n";
    Arc::new([(PathBuf::from("jobs.csv"), tree.into())].into())
}

fn policy_of(text: &str) -> Option<Policy> {
    Draft::from_toml_in(files(), text, Path::new("policy.toml")).for_table(&PEOPLE).ok()
}

fn people() -> Policy {
    policy_of(POLICY).expect("a policy")
}

/// A policy: what it allows is done, or refused.
fn policy(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(policy) = policy_of(text) {
        release::anonymized(&PEOPLE, &policy, 0);
    }
}

/// A hierarchy: every node has a parent that covers it.
fn hierarchy(bytes: &[u8]) {
    let Some(hierarchy) = std::str::from_utf8(bytes).ok().and_then(|text| Hierarchy::parse(text).ok()) else {
        return;
    };
    let tree = hierarchy.tree();
    for node in 0..tree.nodes() {
        let ((low, high), (from, to)) = (tree.span(node), tree.span(tree.parent(node)));
        assert!(from <= low && high <= to, "a parent covers its children");
        assert!(tree.width(node) <= tree.width(tree.root()));
        let _ = hierarchy.label(node);
    }
}

/// A certificate: it is written as it was read, and checked without a panic.
fn certificate(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(read) = Certificate::read(text) {
        assert_eq!(Certificate::read(&read.write()), Ok(read), "it is written as it was read");
        let _ = check_certificate(&PEOPLE, &people(), text, &Options::default());
    }
}

/// A frame: it is written as it was read, and what it is applied to is possible.
fn frame(bytes: &[u8]) {
    let Some(frame) = std::str::from_utf8(bytes).ok().and_then(|text| Frame::from_json(text).ok()) else {
        return;
    };
    assert_eq!(Frame::from_json(&frame.to_json()).as_ref(), Ok(&frame), "it is written as it was read");
    let _ = frame.apply(&PEOPLE, &people());
}

/// A lookup file.
fn lookup(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = read_lookup(text);
    }
}

/// A groups file.
fn groups(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (parse_groups(text), GroupsFile::parse(text));
    }
}
