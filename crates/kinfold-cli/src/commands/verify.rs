//! Judges a release from its bytes and the policy alone.

use super::Voice;
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::{input, text};
use kinfold::model::call::Phase;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::{Error, VerifyOptions, read, read_release, verify};

pub fn run(args: &VerifyArgs, voice: &Voice) -> Result<(), Failure> {
    let policy = input::draft(&args.policy, args.k, &args.read)?.settle()?;
    let reading = input::read_options(&args.read, &voice.call);
    voice.call.phase(Phase::Reading)?;
    let source = Source::open(&args.release, &reading)?;
    let published = read_release(source, &policy, args.original.is_some())?;
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
    let report = verify(published, &policy, options)?;
    voice.result(&report, || text::verify(&report, &policy))?;
    if report.good() { Ok(()) } else { Err(Failure::NotSafe) }
}
