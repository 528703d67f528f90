//! The verifier as a call: a release and a policy in, a report out.

use crate::Error;
use crate::report::VerifyReport;
use crate::scale::chunk_rows;
use kinfold_model::verify::{check_truth, verify_runs};
use kinfold_model::{Finding, Limits, Lookup, Phase, Policy, Published, Source, Table};

/// What else the verifier may look at.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct VerifyOptions<'a> {
    /// The table that the release was made from: is the release true of it?
    pub original: Option<&'a Table>,
    /// What names in the release stand for.
    pub lookup: Lookup,
    /// Whether columns without a role are allowed that seem to identify people or to publish a
    /// quasi-identifier a second time. A policy that names every column leaves none.
    pub others_ok: bool,
}

/// Reads what the verifier needs of a release; `whole` for a comparison with the original.
pub fn read_release(source: Source, policy: &Policy, whole: bool) -> Result<Published, Error> {
    Published::read_file(source, policy, whole).map_err(|e| Error::from(e).in_policy(policy))
}

/// Reads a table or a release as it is, for [`risk`](crate::risk): nothing is asked of its columns yet.
pub fn read_whole(source: Source) -> Result<Published, Error> {
    Ok(Published::whole(source)?)
}

/// Judges a release that does not fit memory, which `open` opens anew for every pass: some rows at a time. Rows
/// that look alike are taken for a group where they stand together. If such a group falls short, others like them
/// may stand elsewhere: then nothing is decided.
pub fn verify_large(
    open: &dyn Fn() -> Result<Source, Error>,
    policy: &Policy,
    others_ok: bool,
    limits: &Limits,
) -> Result<VerifyReport, Error> {
    let rows = chunk_rows(limits);
    let mut verdict = verify_runs(open, policy, rows, |_| Ok(())).map_err(|e: Error| e.in_policy(policy))?;
    if others_ok {
        verdict.allow_others();
    }
    let short = verdict.models.iter().any(|model| matches!(model.finding, Finding::Short { .. }));
    if short || !verdict.below_k.is_empty() {
        let what = "could not decide whether the release is safe: it does not fit the memory, and rows that stand \
                    together and look alike fall short of the policy, though others like them may stand elsewhere";
        return Err(Error::unsuitable(what, "sort it by its quasi-identifiers, or raise {max_memory}"));
    }
    Ok(VerifyReport::new(&verdict, None))
}

/// Judges a release from what was published and the policy alone; with the original, whether it is true as
/// well. For that, the release must have been read whole.
pub fn verify(
    published: Published,
    policy: &Policy,
    options: VerifyOptions<'_>,
) -> Result<VerifyReport, Error> {
    let in_policy = |e: Error| e.in_policy(policy);
    let published = published.with_lookup(options.lookup);
    published.call().phase(Phase::Verifying)?;
    let mut verdict = kinfold_model::verify::verify(&published, policy).map_err(|e| in_policy(e.into()))?;
    if options.others_ok {
        verdict.allow_others();
    }
    let truth = options.original.map(|original| check_truth(&published, original, policy)).transpose();
    let truth = truth.map_err(|e| in_policy(e.into()))?;
    if let Some(persons) = truth.as_ref().and_then(|truth| truth.persons.clone()) {
        verdict.decide_persons(persons);
    }
    Ok(VerifyReport::new(&verdict, truth.as_ref()))
}
