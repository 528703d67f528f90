//! How likely people are found again in a table or a release.

use super::Voice;
use crate::args::RiskArgs;
use crate::failure::Failure;
use crate::{input, report};
use kinfold::model::{Phase, Source, Table};
use kinfold::report::{Facts, text};
use kinfold::{Error, Settings, read, read_whole, risk};
use std::path::Path;

pub fn run(args: &RiskArgs, voice: &Voice) -> Result<(), Failure> {
    let reading = input::read_options(&args.read, &voice.call);
    let mut draft = input::draft(&args.policy, None, &args.read)?;
    // Risk does not depend on it.
    draft.default_k(2);
    let inputs = [&args.table].into_iter().chain(&args.policy.policy).chain(draft.files());
    let inputs = inputs.chain(&args.original).chain(&args.population).chain(&args.lookup);
    let wanted = report::wanted(&args.report, inputs, &voice.call)?;
    let policy = draft.settle()?;
    voice.call.phase(Phase::Reading)?;
    let published = read_whole(Source::open(&args.table, &reading)?)?;
    let said = Settings {
        threshold: Some(args.threshold.clone()).filter(|given| !given.is_empty()),
        population_size: args.population_size,
        sampling_fraction: args.sampling_fraction,
        sets: Some(usize::from(args.sets)),
        ..Settings::default()
    };
    let mut options = said.risk(&policy);
    if let Some(path) = &args.lookup {
        options.lookup = input::lookup(path, &args.read)?;
    }
    let other = |path: &Path| -> Result<Table, Error> { read(Source::open(path, &reading)?, &policy) };
    let population = args.population.as_deref().map(other).transpose()?;
    let original = args.original.as_deref().map(other).transpose().map_err(|e| match e {
        Error::Table(e) => Error::Original(e),
        e => e,
    })?;
    (options.population, options.original) = (population.as_ref(), original.as_ref());
    let report = risk(published, &policy, &options)?;
    if let Some(wanted) = wanted {
        wanted.save(&Facts::of_risk(&report, &policy, &report::options(&args.table, &policy)))?;
    }
    voice.notes(&report.notes);
    voice.result(&report, || text::risk(&report))
}
