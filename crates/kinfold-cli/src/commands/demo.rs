//! The whole pipeline on a built-in example: what goes in, what is decided, what comes out, whether it is
//! safe.

use super::Voice;
use crate::failure::Failure;
use kinfold::model::policy::Draft;
use kinfold::model::{ReadOptions, Source, Table};
use kinfold::report::span;
use kinfold::report::text::{FAINT, GOOD, STRONG, loss_text, table};
use kinfold::{FileFormat, Options, VerifyOptions, anonymize, read_release, verify};
use serde::Serialize;
use std::path::Path;

const PATIENTS: &str = include_str!("../../../../examples/patients.csv");
const POLICY: &str = include_str!("../../../../examples/patients.toml");
const SHOWN: usize = 10;

pub fn run(voice: &Voice) -> Result<(), Failure> {
    let reading = ReadOptions { call: voice.call.clone(), ..ReadOptions::default() };
    let read = Source::from_bytes(PATIENTS.as_bytes().to_vec(), &reading)?.read(|_| true)?;
    let policy = Draft::from_toml(POLICY, Path::new("patients.toml")).for_table(&read)?;
    let mut options = Options::default();
    options.call = voice.call.clone();
    let mut done = anonymize(&read, &policy, &options)?.into_batches()?;
    let mut bytes = Vec::new();
    done.write(&mut bytes, FileFormat::default())?;
    // From here on only the published bytes and the policy count.
    let released = Source::from_bytes(bytes.clone(), &reading)?.read(|_| true)?;
    let published = read_release(Source::from_bytes(bytes, &reading)?, &policy, true)?;
    let mut against = VerifyOptions::default();
    against.original = Some(&read);
    let verdict = verify(published, &policy, against)?;
    if !verdict.good() {
        return Err(kinfold::Error::Refused("the demo's release is not safe or not true".into()).into());
    }
    let (average, solver) = (done.report.average_loss, &done.report.solver);
    let k = policy.k;
    let mut text = format!("{STRONG}1. A table about people{STRONG:#}\n\n{}", first_rows(&read));
    text += &format!("\n{STRONG}2. A policy{STRONG:#}  {FAINT}(examples/patients.toml){FAINT:#}\n\n");
    text += "  name is an identifier and is removed; diagnosis is published unchanged;\n";
    text += &format!(
        "  on all other columns together, every row must equal at least {} others (k = {k})\n",
        k - 1
    );
    text += &format!("\n{STRONG}3. The release{STRONG:#}\n\n{}", first_rows(&released));
    text += &format!(
        "\n{STRONG}4. The verdict{STRONG:#}  {FAINT}(from the published bytes and the policy alone){FAINT:#}\n\n"
    );
    text += &format!(
        "  {GOOD}safe{GOOD:#}  {} rows in {} groups of {} {}\n",
        verdict.rows,
        verdict.groups,
        span(verdict.smallest_group, verdict.largest_group),
        verdict.unit.noun(verdict.largest_group)
    );
    text +=
        &format!("  {GOOD}true{GOOD:#}  every cell covers the original value, no row is lost or invented\n");
    text += &format!("\n{STRONG}5. The loss{STRONG:#}\n\n");
    text += &format!(
        "  {STRONG}{}{STRONG:#} per cell (0 = none, 1 = all information lost), by {}\n",
        loss_text(average),
        solver
    );
    text += &format!("\n{STRONG}Your turn{STRONG:#}\n\n");
    text += "  kinfold inspect   TABLE.csv --policy-out policy.toml\n";
    text += "  kinfold anonymize TABLE.csv --policy policy.toml -o release.csv\n";
    text += "  kinfold verify    release.csv --policy policy.toml --original TABLE.csv\n";
    let report = DemoReport {
        rows: verdict.rows,
        k,
        groups: verdict.groups,
        smallest_group: verdict.smallest_group,
        safe: verdict.safe,
        holds: verdict.good(),
        average_loss: average,
        solver,
    };
    voice.result(&report, || text)
}

/// What came of it, for machines.
#[derive(Serialize)]
struct DemoReport<'a> {
    rows: usize,
    k: u64,
    groups: usize,
    smallest_group: u64,
    safe: bool,
    #[serde(rename = "true")]
    holds: bool,
    average_loss: f64,
    solver: &'a str,
}

fn first_rows(of: &Table) -> String {
    let columns = of.columns();
    let names: Vec<&str> = columns.iter().map(|c| c.name()).collect();
    let cells = |row: usize| columns.iter().map(|c| c.text(c.codes()[row]).to_owned()).collect();
    let rows: Vec<_> = (0..of.rows().min(SHOWN)).map(cells).collect();
    let mut text = table(&names, ..0, &rows);
    if of.rows() > SHOWN {
        text += &format!("  {FAINT}… and {} more rows{FAINT:#}\n", of.rows() - SHOWN);
    }
    text
}
