//! Judges a release from its bytes and the policy alone.

use super::Voice;
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::output::is_stdio;
use crate::{input, report};
use kinfold::model::{Phase, ReadOptions, Source, TableError};
use kinfold::report::{Facts, text};
use kinfold::{
    Error, RiskOptions, VerifyOptions, file_facts, named, read, read_release, verify, verify_large,
};

pub fn run(args: &VerifyArgs, voice: &Voice) -> Result<(), Failure> {
    let draft = input::draft(&args.policy, args.k, &args.read)?;
    let inputs = [&args.release].into_iter().chain(&args.policy.policy).chain(draft.files());
    let wanted = report::wanted(&args.report, inputs.chain(&args.original).chain(&args.lookup), &voice.call)?;
    let policy = draft.settle()?;
    RiskOptions::of(&policy).check()?;
    let reading = input::read_options(&args.read, &voice.call);
    voice.call.phase(Phase::Reading)?;
    let source = Source::open(&args.release, &reading)?;
    let published = match read_release(source, &policy, args.original.is_some() || wanted.is_some()) {
        Err(Error::Table(TableError::TooLarge { .. }))
            if args.original.is_none()
                && wanted.is_none()
                && args.lookup.is_none()
                && !is_stdio(&args.release) =>
        {
            let open = || Ok(Source::open(&args.release, &reading)?);
            let report = verify_large(&open, &policy, args.others_ok, &reading.limits)?;
            voice.result(&report, || text::verify(&report, &policy))?;
            return if report.good() { Ok(()) } else { Err(Failure::NotSafe) };
        }
        read => read?,
    };
    let mut options = VerifyOptions::default();
    options.others_ok = args.others_ok;
    if let Some(path) = &args.lookup {
        options.lookup = input::lookup(path, &args.read)?;
    }
    let original = args.original.as_ref().map(|path| {
        let (delimiter, encoding) = (args.original_delimiter, args.original_encoding.clone());
        let header = args.original_header.unwrap_or_default();
        read(Source::open(path, &ReadOptions { delimiter, encoding, header, ..reading })?, &policy)
    });
    let original = original.transpose().map_err(|e| match e {
        Error::Table(e) => Error::Original(e),
        e => e,
    })?;
    options.original = original.as_ref();
    let lookup = options.lookup.clone();
    let seen = wanted.as_ref().map(|_| published.clone());
    let report = verify(published, &policy, options)?;
    if let (Some(wanted), Some(seen)) = (wanted, seen) {
        let mut about = report::options(&args.release, &policy);
        about.release = Some(file_facts(&args.release));
        about.input = args.original.as_deref().map(named);
        let facts = Facts::of_verify(&report, &seen, original.as_ref(), &policy, &lookup, &about)?;
        wanted.save(&facts)?;
    }
    voice.result(&report, || text::verify(&report, &policy))?;
    if report.good() { Ok(()) } else { Err(Failure::NotSafe) }
}
