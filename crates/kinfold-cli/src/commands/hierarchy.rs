//! Proposes levels for a column.

use super::Voice;
use crate::args::HierarchyArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, commit_if, filled, open_if, refuse_reading, refuse_sharing};
use kinfold::inspect::propose_levels;
use kinfold::model::call::Phase;
use kinfold::model::policy::default_missing;
use kinfold::model::table::Source;
use kinfold::report::text;
use std::path::Path;

pub fn run(args: &HierarchyArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    let (output, policy_out) = (args.output.as_deref(), args.policy_out.as_deref());
    refuse_sharing(output, policy_out, "the hierarchy and the policy")?;
    let mut to_stdout = false;
    for (path, what) in [(output, "the hierarchy"), (policy_out, "the policy")] {
        refuse_reading(path, what, &args.table)?;
        to_stdout |= alone_on_stdout(path, what, voice.json)?;
        if let Some(path) = path.filter(|path| path.is_file()) {
            let hint = "choose another name, or move the old file";
            return Err(Failure::usage(format!("{} exists already", path.display()), hint));
        }
    }
    let (hierarchy, policy) = (open_if(output, call)?, open_if(policy_out, call)?);
    call.phase(Phase::Reading)?;
    let table = Source::open(&args.table, &input::read_options(&args.read, call))?
        .read(|name| name == args.column)?;
    let missing = args.missing.clone().unwrap_or_else(default_missing);
    let found = propose_levels(&table, &args.column, args.by, &missing)?;
    if found.needs_file && output.is_none() && policy.is_some() {
        let what = format!("levels by {} are told in a hierarchy file", found.by);
        return Err(Failure::usage(what, "name the file, too: -o FILE"));
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lines = match output {
        _ if !found.needs_file => found.policy.clone(),
        Some(path) => format!("{}hierarchy = {:?}\n", found.policy, name(path)),
        None => format!("{}hierarchy = \"levels.csv\"  # -o levels.csv writes it\n", found.policy),
    };
    let hierarchy = hierarchy.map(|file| filled(file, &found.to_file())).transpose()?;
    let policy = policy.map(|file| filled(file, &lines)).transpose()?;
    if !to_stdout {
        voice.result(&found, || text::hierarchy(&found, &lines))?;
    }
    commit_if(hierarchy)?;
    commit_if(policy)
}
