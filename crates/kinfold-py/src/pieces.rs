//! Tables that something else moves: what is counted and made of their parts. Everything between the parts travels
//! as JSON.

use crate::error::usage;
use crate::input::{How, Input, PolicyText};
use crate::job;
use crate::release::Release;
use crate::told::Told;
use kinfold::Error;
use kinfold::model::policy::Policy;
use kinfold::model::table::Table;
use kinfold::model::verify::{Overall, Published, Verdict};
use kinfold::report::{Json, VerifyReport};
use kinfold::scale::{Census, Figures, Pieces, Plan, Tallies};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::de::DeserializeOwned;

/// Adds the functions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(census, module)?)?;
    module.add_function(wrap_pyfunction!(plan, module)?)?;
    module.add_function(wrap_pyfunction!(route, module)?)?;
    module.add_function(wrap_pyfunction!(settle, module)?)?;
    module.add_function(wrap_pyfunction!(anonymize_piece, module)?)?;
    module.add_function(wrap_pyfunction!(count_release, module)?)?;
    module.add_function(wrap_pyfunction!(sum_release, module)?)?;
    module.add_function(wrap_pyfunction!(verify_part, module)?)?;
    module.add_function(wrap_pyfunction!(sum_verdicts, module)?)?;
    module.add_function(wrap_pyfunction!(report_pieces, module)?)
}

fn parsed<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json)
        .map_err(|_| usage("a part speaks another version", "use one version everywhere"))
}

/// The policy for a table with these columns.
fn settled(policy: &PolicyText, columns: &[String]) -> Result<Policy, Error> {
    Ok(policy.draft().settle_for(columns)?)
}

/// A part of a table and the policy it is read under; none if it has no rows.
fn part(
    table: Input,
    policy: &PolicyText,
    how: &How,
    call: &kinfold::model::call::Call,
) -> Result<(Option<Table>, Policy), Error> {
    let source = table.open(&how.reading(call)?)?;
    let policy = settled(policy, source.names())?;
    let needed = |name: &str| policy.role(name).is_some_and(kinfold::model::policy::Role::needed);
    Ok((source.chunks(needed, usize::MAX)?.next()?, policy))
}

/// Counts a part of a table.
#[pyfunction]
fn census(py: Python<'_>, table: Input, policy: PolicyText, how: String) -> PyResult<String> {
    job::run(py, None, move |call| {
        let (part, policy) = part(table, &policy, &How::parse(&how)?, call)?;
        let mut census = Census::new(&policy);
        if let Some(part) = part {
            census.add(&part, &policy)?;
        }
        Ok(census.to_json().to_string())
    })
}

/// Makes a plan of what was counted of all parts of a table with these columns.
#[pyfunction]
fn plan(
    py: Python<'_>,
    censuses: Vec<String>,
    policy: PolicyText,
    columns: Vec<String>,
    piece_rows: u64,
    how: String,
) -> PyResult<String> {
    job::run(py, None, move |call| {
        let policy = settled(&policy, &columns)?;
        let mut all = Census::new(&policy);
        for json in &censuses {
            all.absorb(parsed(json)?, &policy)?;
        }
        let options = How::parse(&how)?.options(call)?;
        Ok(Plan::new(&all, &policy, Pieces::OfRows(piece_rows), &options)?.to_json())
    })
}

/// The number of every row's piece, four bytes each, lowest first, and who is in them, as JSON.
#[pyfunction]
fn route<'py>(
    py: Python<'py>,
    table: Input,
    plan: String,
    policy: PolicyText,
    how: String,
) -> PyResult<(Bound<'py, PyBytes>, String)> {
    let (bytes, tallies) = job::run(py, None, move |call| {
        let plan = Plan::from_json(&plan)?;
        let (part, policy) = part(table, &policy, &How::parse(&how)?, call)?;
        let mut tallies = plan.tallies(&policy);
        let mut bytes = Vec::new();
        if let Some(part) = part {
            let parts = plan.parts_of(&part, &policy, call)?;
            tallies.add(&part, &parts, &policy)?;
            bytes.extend(parts.iter().flat_map(|&part| plan.piece_of()[part as usize].to_le_bytes()));
        }
        Ok((bytes, tallies.to_json().to_string()))
    })?;
    Ok((PyBytes::new(py, &bytes), tallies))
}

/// The plan once everybody is counted, and how many pieces it has.
#[pyfunction]
fn settle(
    py: Python<'_>,
    plan: String,
    tallies: Vec<String>,
    policy: PolicyText,
    columns: Vec<String>,
) -> PyResult<(String, u32)> {
    job::run(py, None, move |_| {
        let policy = settled(&policy, &columns)?;
        let mut plan = Plan::from_json(&plan)?;
        let mut all = plan.tallies(&policy);
        for json in &tallies {
            all.absorb(&parsed::<Tallies>(json)?, &policy);
        }
        plan.settle(all, &policy)?;
        Ok((plan.to_json(), plan.pieces()))
    })
}

/// Anonymizes a piece.
#[pyfunction]
fn anonymize_piece(
    py: Python<'_>,
    table: Input,
    plan: String,
    policy: PolicyText,
    how: String,
) -> PyResult<Release> {
    job::run(py, None, move |call| {
        let (plan, how) = (Plan::from_json(&plan)?, How::parse(&how)?);
        let source = table.open(&how.reading(call)?)?;
        let columns = source.names().to_vec();
        let policy = settled(&policy, &columns)?;
        let table = kinfold::read(source, &policy)?;
        let done = kinfold::anonymize(&table, &policy, &plan.options(&how.options(call)?))?;
        Ok(Release::new(done, table, columns, call))
    })
}

/// Counts of a part of a release what only the whole release tells.
#[pyfunction]
fn count_release(
    py: Python<'_>,
    release: Input,
    policy: PolicyText,
    columns: Vec<String>,
    how: String,
) -> PyResult<String> {
    job::run(py, None, move |call| {
        let policy = settled(&policy, &columns)?;
        let source = release.open(&How::parse(&how)?.reading(call)?)?;
        let mut chunks = source.chunks(|name| Overall::needs(&policy, name), usize::MAX)?;
        let mut overall = Overall::new(&policy);
        if let Some(part) = chunks.next()? {
            overall.add(&part, &policy)?;
        }
        Ok(overall.to_json().to_string())
    })
}

/// Adds up what was counted of all parts of a release.
#[pyfunction]
fn sum_release(
    py: Python<'_>,
    counts: Vec<String>,
    policy: PolicyText,
    columns: Vec<String>,
) -> PyResult<String> {
    job::run(py, None, move |_| {
        let policy = settled(&policy, &columns)?;
        let mut all = Overall::new(&policy);
        for json in &counts {
            all.absorb(parsed(json)?, &policy);
        }
        Ok(all.to_json().to_string())
    })
}

/// Judges a part of a release that holds its groups whole; none if it has no rows.
#[pyfunction]
fn verify_part(
    py: Python<'_>,
    release: Input,
    overall: String,
    policy: PolicyText,
    columns: Vec<String>,
    how: String,
) -> PyResult<Option<String>> {
    job::run(py, None, move |call| {
        let policy = settled(&policy, &columns)?;
        let overall: Overall = parsed(&overall)?;
        let source = release.open(&How::parse(&how)?.reading(call)?)?;
        let published = match Published::read(source, &policy, false) {
            Err(kinfold::model::verify::VerifyError::Table(
                kinfold::model::table::TableError::HeaderOnly,
            )) => {
                return Ok(None);
            }
            read => read?,
        };
        Ok(Some(overall.judge(&published, &policy)?.to_json().to_string()))
    })
}

/// The verdict on a release whose parts were judged. Its document is the verdict itself. `judged` says that groups hold
/// k persons, where that is asked for: the bytes do not tell.
#[pyfunction]
fn sum_verdicts(
    py: Python<'_>,
    verdicts: Vec<String>,
    overall: String,
    policy: PolicyText,
    columns: Vec<String>,
    judged: bool,
) -> PyResult<Told> {
    job::run(py, None, move |_| {
        let policy = settled(&policy, &columns)?;
        let mut all: Option<Verdict> = None;
        for json in &verdicts {
            let verdict: Verdict = parsed(json)?;
            match &mut all {
                Some(all) => all.absorb(verdict),
                None => all = Some(verdict),
            }
        }
        let verdict = all.ok_or(kinfold::model::table::TableError::HeaderOnly)?;
        let mut verdict = parsed::<Overall>(&overall)?.complete(verdict, &policy);
        if judged {
            verdict.decide_persons(kinfold::model::verify::Finding::Fulfilled);
        }
        let report = VerifyReport::new(&verdict, None);
        Ok(Told::verify(&report, &policy).holding(verdict.to_json().to_string()))
    })
}

/// The report on a release in pieces, of which the verifier has said this.
#[pyfunction]
fn report_pieces(
    py: Python<'_>,
    figures: Vec<String>,
    verdict: String,
    policy: PolicyText,
    columns: Vec<String>,
) -> PyResult<Told> {
    job::run(py, None, move |_| {
        let policy = settled(&policy, &columns)?;
        let mut all = Figures::default();
        for json in &figures {
            all.absorb(&parsed(json)?);
        }
        let verdict: Verdict = parsed(&verdict)?;
        all.refuse_unsafe(&verdict)?;
        let mut report = all.report(&policy, &verdict);
        report.notes = all.notes(&policy, &verdict);
        Ok(Told::anonymize(&report))
    })
}
