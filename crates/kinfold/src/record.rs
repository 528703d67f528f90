//! The run record: what it takes to make a release again, with the seed. It is confidential: whoever has it and a
//! register of the same people can make the groups again (docs/threat-model.md).

use crate::{Options, Word};
use kinfold_model::policy::Policy;
use serde_json::json;

/// The record as JSON. The command is as it was typed, if one was.
pub(crate) fn record(options: &Options, solver: &str, policy: &Policy, command: Option<&str>) -> String {
    let record = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "command": command,
        "seed": options.seed,
        "secret_seed": options.secret_seed,
        "k": policy.k,
        "objective": policy.objective.word(),
        "form": policy.form.word(),
        "solver": solver,
        "settings": options.solver.settings(),
        "effort": options.effort.word(),
        "time_limit": options.time_limit.map(|limit| limit.as_secs_f64()),
        "keep_order": options.keep_order,
        "lookup": options.lookup,
        "refuse": options.refuse,
        "new_people": options.new_people,
    });
    format!("{record:#}\n")
}
