//! Looks at a table before anything is decided.

use super::Voice;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, commit_if, filled, is_stdio, open, refuse_reading};
use kinfold::inspect::{draft_policy, inspect, unprotected};
use kinfold::model::policy::{Draft, default_missing};
use kinfold::model::{Phase, Source};
use kinfold::report::text;
use std::sync::Arc;

pub fn run(args: &InspectArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    refuse_reading(args.policy_out.as_deref(), "the draft", &args.table)?;
    let to_stdout = alone_on_stdout(args.policy_out.as_deref(), "the draft", voice.json)?;
    call.phase(Phase::Reading)?;
    let source = Source::open(&args.table, &input::read_options(&args.read, call))?;
    let policy = match &args.policy {
        Some(path) => {
            Some(Draft::open_in(Arc::new(input::disk(&args.read)), path)?.settle_for(source.names())?)
        }
        None => None,
    };
    let table = source.read(|_| true)?;
    let missing = args.missing.clone().unwrap_or_else(default_missing);
    let mut found = inspect(&table, &missing, call)?;
    found.unprotected = policy.map_or(Vec::new(), |policy| unprotected(&table, &policy));
    let mut draft = None;
    if let Some(path) = &args.policy_out {
        if !is_stdio(path) && path.is_file() {
            return Err(Failure::usage(
                format!("{} exists already", path.display()),
                "existing policies are not overwritten: choose another name, or move the old one",
            ));
        }
        draft = Some(filled(open(path, call)?, &draft_policy(&found, &missing))?);
    }
    if !to_stdout {
        voice.result(&found, || text::inspect(&found, args.policy_out.as_deref()))?;
    }
    commit_if(draft)
}
