//! The extension module behind the Python package `kinfold`: tables come in as Arrow streams or paths, reports go out as
//! JSON and text. Everything in between is the library's.

mod error;
mod input;
mod job;
mod pieces;
mod release;
mod told;

use crate::input::{GroupsText, How, Input, PolicyText, catalogue};
use crate::release::{Piece, Release};
use crate::told::Told;
use kinfold::inspect::{Making, propose_levels, unprotected};
use kinfold::model::policy::default_missing;
use kinfold::model::table::Header;
use kinfold::model::verify::read_lookup;
use kinfold::model::{Objective, Policy, ReadOptions, Table};
use kinfold::report::Json;
use kinfold::solvers::auto;
use kinfold::{CertifyOptions, CompareOptions, Earlier, Error, VerifyOptions, Word};
use pyo3::prelude::*;
use std::ffi::OsString;

type Progress<'py> = Option<Bound<'py, PyAny>>;

/// Anonymizes a table.
#[pyfunction]
fn anonymize(
    py: Python<'_>,
    table: Input,
    policy: PolicyText,
    how: How,
    after: Vec<(String, Input, Option<GroupsText>)>,
    progress: Progress<'_>,
) -> PyResult<Release> {
    job::run(py, progress.as_ref(), move |call| {
        let mut options = how.options(&catalogue(), call)?;
        let source = table.open(&how.reading(call)?)?;
        let columns = source.names().to_vec();
        let policy = policy.draft().settle_for(&columns)?;
        let reading = ReadOptions { header: Header::Yes, ..how.reading(call)? };
        let earlier = after.into_iter().map(|(name, release, groups)| {
            let release = Earlier::read(release.open(&reading)?, name, &policy)?;
            match groups {
                Some(groups) => Ok(release.with_groups(groups.parse()?)),
                None => Ok(release),
            }
        });
        options.after = earlier.collect::<Result<_, Error>>()?;
        let table = kinfold::read_linked(source, &policy, &options.after)?;
        let done = kinfold::anonymize(&table, &policy, &options)?.into_batches()?;
        Ok(Release::new(done, columns, call))
    })
}

/// Judges a release; with the original, whether it is true as well.
#[pyfunction]
fn verify(
    py: Python<'_>,
    release: Input,
    policy: PolicyText,
    how: How,
    original: Option<Input>,
    lookup: Option<String>,
    progress: Progress<'_>,
) -> PyResult<Told> {
    job::run(py, progress.as_ref(), move |call| {
        let policy = policy.draft().settle()?;
        let reading = how.reading(call)?;
        let published = kinfold::read_release(release.open(&reading)?, &policy, original.is_some())?;
        let original = original_of(original, &policy, &reading)?;
        let mut options = VerifyOptions::default();
        options.original = original.as_ref();
        options.others_ok = how.others_ok;
        if let Some(text) = lookup {
            let no_lookup =
                || error::usage("this is not a lookup", "it is what lookup holds after {lookup=x}");
            options.lookup = read_lookup(&text)?.ok_or_else(no_lookup)?;
        }
        let report = kinfold::verify(published, &policy, options)?;
        Ok(Told::verify(&report, &policy))
    })
}

/// The table that a release was made from.
fn original_of(table: Option<Input>, policy: &Policy, reading: &ReadOptions) -> Result<Option<Table>, Error> {
    let read = table.map(|table| kinfold::read(table.open(reading)?, policy));
    read.transpose().map_err(|e| match e {
        Error::Table(e) => Error::Original(e),
        e => e,
    })
}

/// Says how likely people are found again in a table or a release.
#[pyfunction]
fn risk(
    py: Python<'_>,
    table: Input,
    policy: PolicyText,
    how: How,
    original: Option<Input>,
    population: Option<Input>,
    progress: Progress<'_>,
) -> PyResult<Told> {
    job::run(py, progress.as_ref(), move |call| {
        let reading = how.reading(call)?;
        let mut draft = policy.draft();
        // Risk does not depend on it.
        draft.default_k(2);
        let policy = draft.settle()?;
        let published = kinfold::read_whole(table.open(&reading)?)?;
        let original = original_of(original, &policy, &reading)?;
        let population = population.map(|table| kinfold::read(table.open(&reading)?, &policy)).transpose()?;
        let mut options = how.risk(&policy);
        (options.original, options.population) = (original.as_ref(), population.as_ref());
        Ok(Told::risk(&kinfold::risk(published, &policy, &options)?))
    })
}

/// Looks at a table.
#[pyfunction]
fn inspect(
    py: Python<'_>,
    table: Input,
    policy: Option<PolicyText>,
    how: How,
    progress: Progress<'_>,
) -> PyResult<Told> {
    job::run(py, progress.as_ref(), move |call| {
        let source = table.open(&how.reading(call)?)?;
        let policy = policy.map(|policy| policy.draft().settle_for(source.names())).transpose()?;
        let table = source.read(|_| true)?;
        let missing = how.0.missing.unwrap_or_else(default_missing);
        let mut found = kinfold::inspect::inspect(&table, &missing, call)?;
        found.unprotected = policy.map_or(Vec::new(), |policy| unprotected(&table, &policy));
        Ok(Told::inspect(&found, &missing))
    })
}

/// Proposes levels for a column.
#[pyfunction]
fn hierarchy(
    py: Python<'_>,
    table: Input,
    column: String,
    by: Option<String>,
    how: How,
    progress: Progress<'_>,
) -> PyResult<Told> {
    job::run(py, progress.as_ref(), move |call| {
        let by = by.map(|word| Making::named(&word)).transpose()?;
        let table = table.open(&how.reading(call)?)?.read(|name| name == column)?;
        let missing = how.0.missing.unwrap_or_else(default_missing);
        Ok(Told::hierarchy(&propose_levels(&table, &column, by, &missing)?))
    })
}

/// A table with the policy that it is read under.
fn joined(
    table: Input,
    policy: &PolicyText,
    how: &How,
    options: &kinfold::Options,
) -> Result<(Table, Policy), Error> {
    let source = table.open(&how.reading(&options.call)?)?;
    let policy = policy.draft().settle_for(source.names())?;
    Ok((kinfold::read(source, &policy)?, policy))
}

/// Proves a bound on the loss of a grouping, or checks a certificate.
#[pyfunction]
fn certify(
    py: Python<'_>,
    table: Input,
    policy: PolicyText,
    how: How,
    groups: Option<Vec<Option<u32>>>,
    check: Option<String>,
    progress: Progress<'_>,
) -> PyResult<Told> {
    job::run(py, progress.as_ref(), move |call| {
        let mut options = CertifyOptions::default();
        options.options = how.options(&catalogue(), call)?;
        options.improve = how.improve;
        let withheld = kinfold::model::judge::WITHHELD;
        options.groups = groups.map(|of| of.into_iter().map(|group| group.unwrap_or(withheld)).collect());
        let (table, policy) = joined(table, &policy, &how, &options.options)?;
        if let Some(certificate) = check {
            let report = kinfold::check_certificate(&table, &policy, &certificate, &options.options)?;
            return Ok(Told::certify(&report, None));
        }
        let done = kinfold::certify(&table, &policy, &options)?;
        Ok(Told::certify(&done.report, done.certificate()))
    })
}

/// Compares solvers, for one k or several.
#[pyfunction]
fn compare(
    py: Python<'_>,
    table: Input,
    policies: Vec<PolicyText>,
    how: How,
    progress: Progress<'_>,
) -> PyResult<Told> {
    job::run(py, progress.as_ref(), move |call| {
        let mut options = CompareOptions::default();
        options.options = how.options(&catalogue(), call)?;
        let named: Result<_, _> = how.solvers.iter().map(|name| options.catalogue.choice(name)).collect();
        options.solvers = named?;
        options.efforts = how.efforts.iter().map(|word| Word::named(word)).collect::<Result<_, _>>()?;
        let source = table.open(&how.reading(call)?)?;
        let settled = policies.iter().map(|policy| policy.draft().settle_for(source.names()));
        let policies = settled.collect::<Result<Vec<_>, _>>()?;
        let Some(policy) = policies.first() else { return Err(error::usage("no k is given", "use {k=5}")) };
        let table = kinfold::read(source, policy)?;
        if policy.objective == Objective::Columns {
            let ks: Vec<u64> = policies.iter().map(|policy| policy.k).collect();
            return Ok(Told::keepable(&kinfold::keepable(&table, policy, &ks, &options.options)?));
        }
        Ok(Told::compare(&kinfold::compare(&table, &policies, &options)?))
    })
}

/// Says what other settings would cost.
#[pyfunction]
fn whatif(
    py: Python<'_>,
    table: Input,
    policy: PolicyText,
    how: How,
    progress: Progress<'_>,
) -> PyResult<Told> {
    job::run(py, progress.as_ref(), move |call| {
        let options = how.options(&catalogue(), call)?;
        let (table, policy) = joined(table, &policy, &how, &options)?;
        Ok(Told::whatif(&kinfold::whatif(&table, &policy, &options)?))
    })
}

/// Raises all mistakes of a policy that show without a table.
#[pyfunction]
fn check_policy(py: Python<'_>, policy: PolicyText) -> PyResult<()> {
    job::run(py, None, move |_| Ok(policy.draft().settle().map(drop)?))
}

/// What every solver says of itself, as JSON.
#[pyfunction]
fn solvers() -> String {
    let solvers = catalogue();
    let cards = std::iter::once(&auto::CARD).chain(solvers.cards());
    cards.collect::<Vec<_>>().to_json().to_string()
}

/// Runs the command; the first argument is its name.
#[pyfunction]
fn command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| kinfold_cli::run(args))
}

/// The extension module.
#[pymodule]
mod _kinfold {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::pieces::{
        anonymize_piece, census, columns_for_pieces, count_release, plan, published_columns, quasi_columns,
        report_pieces, route, settle, sum_censuses, sum_release, sum_tallies, sum_verdicts, tally,
        verify_part,
    };
    #[pymodule_export]
    use super::{Piece, Release, Told};
    #[pymodule_export]
    use super::{
        anonymize, certify, check_policy, command, compare, hierarchy, inspect, risk, solvers, verify, whatif,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        kinfold::model::table::keep_still_about_damaged_files();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
