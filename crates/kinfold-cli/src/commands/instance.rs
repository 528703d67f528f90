//! Writes a table whose best release is known, and its policy, for people who test solvers.

use super::Voice;
use crate::args::InstanceArgs;
use crate::failure::Failure;
use crate::output::is_stdio;
use kinfold::model::Objective;
use kinfold::report::count;
use kinfold::report::text::STRONG;
use kinfold::{Destination, SolveError};
use kinfold_papers::instances::{Family, Instance};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The k of Theorem 3.1 of *complexity*, and one for all others.
const COVER_K: u64 = 7;
const USUAL_K: u64 = 5;

pub fn run(args: &InstanceArgs, voice: &Voice) -> Result<(), Failure> {
    let usual = if args.family == Family::VertexCover { COVER_K } else { USUAL_K };
    let policy = beside(&args.output)?;
    let instance = (args.family)
        .instance(args.size, args.k.unwrap_or(usual), args.seed)
        .map_err(|why| Failure::usage(SolveError::from(why).to_string(), "choose another --size or -k"))?;
    // Both files can be written, or neither is.
    let call = &voice.call;
    let mut outputs = [Destination::file(&args.output, call)?, Destination::file(&policy, call)?];
    for (output, text) in outputs.iter_mut().zip([instance.csv(), instance.policy()]) {
        output.write(text.as_bytes())?;
    }
    let report = InstanceReport {
        table: args.output.display().to_string(),
        policy: policy.display().to_string(),
        about: &instance.title,
        rows: instance.rows.len(),
        columns: instance.columns.len(),
        k: instance.k,
        objective: instance.objective.word(),
        optimum: instance.optimum,
        seed: args.seed,
    };
    voice.result(&report, || text(&instance, &args.output, &policy))?;
    Ok(Destination::commit_all(outputs.into())?)
}

/// Where the policy goes.
fn beside(table: &Path) -> Result<PathBuf, Failure> {
    let policy = table.with_extension("toml");
    if is_stdio(table) || policy == table || table.file_name().is_none() {
        return Err(Failure::usage(
            format!(
                "cannot write {}: the policy is written next to the table, with the extension .toml",
                table.display()
            ),
            "name a file such as table.csv",
        ));
    }
    Ok(policy)
}

/// What was written, for machines.
#[derive(Serialize)]
struct InstanceReport<'a> {
    table: String,
    policy: String,
    about: &'a str,
    rows: usize,
    columns: usize,
    k: u64,
    objective: &'static str,
    optimum: u64,
    seed: u64,
}

fn text(instance: &Instance, table: &Path, policy: &Path) -> String {
    let optimum = instance.optimum as usize;
    let best = match instance.objective {
        Objective::GroupSize => {
            format!("the largest group of the best release has size {}", instance.optimum)
        }
        Objective::Columns => format!("the best release drops {}", count(optimum, "column", "columns")),
        _ => format!("the best release has {}", count(optimum, "star", "stars")),
    };
    format!(
        "{STRONG}{}{STRONG:#}  {}, {}\n\n  {}\n  {best}\n\n  kinfold anonymize {} --policy {} -o release.csv\n",
        table.display(),
        count(instance.rows.len(), "row", "rows"),
        count(instance.columns.len(), "column", "columns"),
        instance.title,
        table.display(),
        policy.display(),
    )
}
