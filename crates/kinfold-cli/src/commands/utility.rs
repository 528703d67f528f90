//! What a release is still good for, against its original.

use super::Voice;
use crate::args::UtilityArgs;
use crate::failure::Failure;
use crate::input;
use kinfold::model::{Phase, Source};
use kinfold::report::text;
use kinfold::{Error, UtilityOptions, read_release, utility};

pub fn run(args: &UtilityArgs, voice: &Voice) -> Result<(), Failure> {
    let reading = input::read_options(&args.read, &voice.call);
    let mut draft = input::draft(&args.policy, None, &args.read)?;
    // Utility does not depend on it.
    draft.default_k(2);
    let policy = draft.settle()?;
    voice.call.phase(Phase::Reading)?;
    let published = read_release(Source::open(&args.release, &reading)?, &policy, true)?;
    let wanted = |name: &str| {
        policy.role(name).is_some_and(|role| role.needed()) || args.target.as_deref() == Some(name)
    };
    let original = Source::open(&args.original, &reading).and_then(|source| source.read(wanted));
    let original = original.map_err(Error::Original)?;
    let mut options = UtilityOptions::default();
    (options.seed, options.target) = (args.seed, args.target.clone());
    if let Some(path) = &args.lookup {
        options.lookup = input::lookup(path, &args.read)?;
    }
    let report = utility(published, &original, &policy, &options)?;
    voice.result(&report, || text::utility(&report))
}
