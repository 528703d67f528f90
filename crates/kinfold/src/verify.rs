//! The verifier as a call: a release and a policy in, a report out.

use crate::error::Error;
use crate::report::VerifyReport;
use kinfold_model::call::Phase;
use kinfold_model::policy::Policy;
use kinfold_model::table::{Source, Table};
use kinfold_model::verify::{Lookup, Published, check_truth};

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
    Published::read(source, policy, whole).map_err(|e| Error::from(e).in_policy(policy))
}

/// Reads a table or a release as it is, for [`risk`](crate::risk): nothing is asked of its columns yet.
pub fn read_whole(source: Source) -> Result<Published, Error> {
    Ok(Published::whole(source)?)
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
