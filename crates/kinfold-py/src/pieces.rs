//! Tables that something else moves: what is counted and made of their parts. Everything between the parts travels
//! as JSON.

use crate::error::{in_python, usage};
use crate::input::{How, Input, PolicyText, catalogue};
use crate::job;
use crate::release::Piece;
use crate::told::Told;
use kinfold::Error;
use kinfold::model::table::Chunks;
use kinfold::model::verify::{Overall, VerifyError};
use kinfold::model::{Call, Finding, Policy, Published, Role, TableError, Verdict};
use kinfold::report::{Json, VerifyReport};
use kinfold::scale::{Census, Figures, Pieces, Plan, Tallies, refuse_unfit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::de::DeserializeOwned;

/// So many rows are in memory at a time where a part is only counted.
const CHUNK: usize = 1 << 17;

fn parsed<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json)
        .map_err(|_| usage("the parts were made by different versions", "use one version everywhere"))
}

/// A part of a table, so many rows at a time.
fn chunks(table: Input, policy: &Policy, how: &How, call: &Call, rows: usize) -> Result<Chunks, Error> {
    let needed = |name: &str| policy.role(name).is_some_and(Role::needed);
    Ok(table.open(&how.reading(call)?)?.chunks(needed, rows)?)
}

/// The columns of a table that pieces of it need. Refuses what pieces cannot do, before anything is read.
#[pyfunction]
pub fn columns_for_pieces(py: Python<'_>, policy: PolicyText, how: How) -> PyResult<Vec<String>> {
    job::run(py, None, move |call| {
        let settled = policy.settled()?;
        refuse_unfit(&settled, &how.options(&catalogue(), call)?)?;
        let needed = |name: &String| settled.role(name).is_some_and(Role::needed);
        Ok(policy.columns.into_iter().filter(needed).collect())
    })
}

/// Counts a part of a table that has so many rows in all.
#[pyfunction]
pub fn census(py: Python<'_>, table: Input, policy: PolicyText, rows: u64, how: How) -> PyResult<String> {
    job::run(py, None, move |call| {
        let policy = policy.settled()?;
        let mut chunks = chunks(table, &policy, &how, call, CHUNK)?;
        let mut census = Census::new(&policy);
        while let Some(chunk) = chunks.next()? {
            call.check()?;
            census.add(&chunk, &policy)?;
            census.limit_sample(rows);
        }
        Ok(census.to_json().to_string())
    })
}

fn all_counted(censuses: &[String], policy: &Policy) -> Result<Census, Error> {
    let mut all = Census::new(policy);
    for json in censuses {
        all.absorb(parsed(json)?, policy)?;
    }
    Ok(all)
}

/// Adds up what was counted of parts of a table.
#[pyfunction]
pub fn sum_censuses(py: Python<'_>, censuses: Vec<String>, policy: PolicyText) -> PyResult<String> {
    job::run(py, None, move |_| Ok(all_counted(&censuses, &policy.settled()?)?.to_json().to_string()))
}

/// Makes a plan of what was counted of all parts of a table with these columns; says what else the user should know.
#[pyfunction]
pub fn plan(
    py: Python<'_>,
    censuses: Vec<String>,
    policy: PolicyText,
    piece_rows: u64,
    how: How,
) -> PyResult<(String, Vec<String>)> {
    job::run(py, None, move |call| {
        let policy = policy.settled()?;
        let options = how.options(&catalogue(), call)?;
        let all = all_counted(&censuses, &policy)?;
        let plan = Plan::new(&all, &policy, Pieces::OfRows(piece_rows), &options)?;
        let notes = plan.notes().iter().map(in_python).chain(options.solver.note().as_ref().map(in_python));
        Ok((plan.to_json(), notes.collect()))
    })
}

/// The columns of the release, each with the column of the table that has its type; without one, it is text.
#[pyfunction]
pub fn published_columns(
    py: Python<'_>,
    plan: String,
    policy: PolicyText,
) -> PyResult<Vec<(String, Option<String>)>> {
    job::run(py, None, move |_| Ok(Plan::from_json(&plan)?.published(&policy.columns, &policy.settled()?)))
}

/// Counts who of a part of a table is in which part of the cut.
#[pyfunction]
pub fn tally(py: Python<'_>, table: Input, plan: String, policy: PolicyText, how: How) -> PyResult<String> {
    job::run(py, None, move |call| {
        let (plan, policy) = (Plan::from_json(&plan)?, policy.settled()?);
        let mut chunks = chunks(table, &policy, &how, call, CHUNK)?;
        let mut tallies = plan.tallies(&policy);
        while let Some(chunk) = chunks.next()? {
            call.check()?;
            tallies.add(&chunk, &plan.parts_of(&chunk, &policy, call)?, &policy)?;
        }
        Ok(tallies.to_json().to_string())
    })
}

fn all_tallied(tallies: &[String], plan: &Plan, policy: &Policy) -> Result<Tallies, Error> {
    let mut all = plan.tallies(policy);
    for json in tallies {
        all.absorb(&parsed::<Tallies>(json)?, policy);
    }
    Ok(all)
}

/// Adds up who was counted.
#[pyfunction]
pub fn sum_tallies(
    py: Python<'_>,
    tallies: Vec<String>,
    plan: String,
    policy: PolicyText,
) -> PyResult<String> {
    job::run(py, None, move |_| {
        let policy = policy.settled()?;
        Ok(all_tallied(&tallies, &Plan::from_json(&plan)?, &policy)?.to_json().to_string())
    })
}

/// The plan once everybody is counted, and how many pieces it has.
#[pyfunction]
pub fn settle(
    py: Python<'_>,
    plan: String,
    tallies: Vec<String>,
    policy: PolicyText,
) -> PyResult<(String, u32)> {
    job::run(py, None, move |_| {
        let policy = policy.settled()?;
        let mut plan = Plan::from_json(&plan)?;
        plan.settle(all_tallied(&tallies, &plan, &policy)?, &policy)?;
        Ok((plan.to_json(), plan.pieces()))
    })
}

/// The number of every row's piece, four bytes each, lowest first.
#[pyfunction]
pub fn route<'py>(
    py: Python<'py>,
    table: Input,
    plan: String,
    policy: PolicyText,
    how: How,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = job::run(py, None, move |call| {
        let (plan, policy) = (Plan::from_json(&plan)?, policy.settled()?);
        let mut bytes = Vec::new();
        if let Some(part) = chunks(table, &policy, &how, call, usize::MAX)?.next()? {
            let parts = plan.parts_of(&part, &policy, call)?;
            bytes.extend(parts.iter().flat_map(|&part| plan.piece_of()[part as usize].to_le_bytes()));
        }
        Ok(bytes)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Anonymizes a piece.
#[pyfunction]
pub fn anonymize_piece(
    py: Python<'_>,
    table: Input,
    plan: String,
    policy: PolicyText,
    how: How,
) -> PyResult<Piece> {
    job::run(py, None, move |call| {
        let plan = Plan::from_json(&plan)?;
        let policy = policy.settled()?;
        let table = kinfold::read(table.open(&how.reading(call)?)?, &policy)?;
        let piece = plan.anonymize(&table, &policy, &how.options(&catalogue(), call)?)?;
        let (schema, batches) = piece.batches()?;
        Ok(Piece { schema, batches, figures: piece.figures })
    })
}

/// The columns of a release that publish quasi-identifiers.
#[pyfunction]
pub fn quasi_columns(py: Python<'_>, release: Vec<String>, policy: PolicyText) -> PyResult<Vec<String>> {
    job::run(py, None, move |_| {
        let policy = policy.settled()?;
        Ok(kinfold::model::verify::quasi_columns(&release, &policy)?.concat())
    })
}

/// Counts of a part of a release what only the whole release tells.
#[pyfunction]
pub fn count_release(py: Python<'_>, release: Input, policy: PolicyText, how: How) -> PyResult<String> {
    job::run(py, None, move |call| {
        let policy = policy.settled()?;
        let source = release.open(&how.reading(call)?)?;
        let mut chunks = source.chunks(|name| Overall::needs(&policy, name), CHUNK)?;
        let mut overall = Overall::new(&policy);
        while let Some(chunk) = chunks.next()? {
            call.check()?;
            overall.add(&chunk, &policy)?;
        }
        Ok(overall.to_json().to_string())
    })
}

/// Adds up what was counted of all parts of a release.
#[pyfunction]
pub fn sum_release(py: Python<'_>, counts: Vec<String>, policy: PolicyText) -> PyResult<String> {
    job::run(py, None, move |_| {
        let policy = policy.settled()?;
        let mut all = Overall::new(&policy);
        for json in &counts {
            all.absorb(parsed(json)?, &policy);
        }
        Ok(all.to_json().to_string())
    })
}

/// Judges a part of a release that holds its groups whole; none if it has no rows.
#[pyfunction]
pub fn verify_part(
    py: Python<'_>,
    release: Input,
    overall: String,
    policy: PolicyText,
    how: How,
) -> PyResult<Option<String>> {
    job::run(py, None, move |call| {
        let policy = policy.settled()?;
        let overall: Overall = parsed(&overall)?;
        let source = release.open(&how.reading(call)?)?;
        let published = match Published::read(source, &policy, false) {
            Err(VerifyError::Table(TableError::HeaderOnly)) => return Ok(None),
            read => read?,
        };
        Ok(Some(overall.judge(&published, &policy)?.to_json().to_string()))
    })
}

/// The verdict on a release whose parts were judged. Its document is the verdict itself. `judged` says that groups hold
/// k persons, where that is asked for: the bytes do not tell.
#[pyfunction]
pub fn sum_verdicts(
    py: Python<'_>,
    verdicts: Vec<String>,
    overall: String,
    policy: PolicyText,
    judged: bool,
) -> PyResult<Told> {
    job::run(py, None, move |_| {
        let policy = policy.settled()?;
        let mut all: Option<Verdict> = None;
        for json in &verdicts {
            let verdict: Verdict = parsed(json)?;
            match &mut all {
                Some(all) => all.absorb(verdict),
                None => all = Some(verdict),
            }
        }
        let verdict = all.ok_or(TableError::HeaderOnly)?;
        let mut verdict = parsed::<Overall>(&overall)?.complete(verdict, &policy);
        if judged {
            verdict.decide_persons(Finding::Fulfilled);
        }
        let report = VerifyReport::new(&verdict, None);
        Ok(Told::verify(&report, &policy).with(Some(verdict.to_json().to_string())))
    })
}

/// The report on a release in pieces, of which the verifier has said this. `seconds` is how long it took to count,
/// to cut, to anonymize and to verify.
#[pyfunction]
pub fn report_pieces(
    py: Python<'_>,
    figures: Vec<String>,
    verdict: String,
    policy: PolicyText,
    seconds: [f64; 4],
) -> PyResult<Told> {
    job::run(py, None, move |_| {
        let policy = policy.settled()?;
        let mut all = Figures::default();
        for json in &figures {
            all.absorb(&parsed(json)?);
        }
        let verdict: Verdict = parsed(&verdict)?;
        all.refuse_unsafe(&verdict)?;
        let mut report = all.report(&policy, &verdict);
        report.notes = all.notes(&policy, &verdict);
        let [read, encode, solve, verify] = seconds;
        report.seconds.read = Some(read);
        (report.seconds.encode, report.seconds.solve, report.seconds.verify) = (encode, solve, verify);
        report.seconds.add_up();
        Ok(Told::anonymize(&report))
    })
}
