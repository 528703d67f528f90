//! Looks at a table before anything is decided.

use super::Voice;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, refuse_reading, write_whole};
use crate::progress;
use crate::screen::{Align, BAD, FAINT, NOTE, STRONG, count, table, thousands};
use kinfold::inspect::{Inspection, draft_policy, inspect, percent};
use kinfold::model::policy::default_missing;
use kinfold::model::table::Source;
use serde_json::{Value, json};
use std::fmt::Write as _;

pub fn run(args: &InspectArgs, voice: Voice) -> Result<(), Failure> {
    refuse_reading(args.policy_out.as_deref(), "the draft", &args.table)?;
    let to_stdout = alone_on_stdout(args.policy_out.as_deref(), "the draft", voice.json)?;
    progress::phase("reading");
    let read = Source::open(&args.table, &input::read_options(&args.read))?.read(|_| true)?;
    progress::phase("inspecting");
    let missing = args.missing.clone().unwrap_or_else(default_missing);
    let found = inspect(&read, &missing);
    progress::finish();
    if let Some(path) = &args.policy_out {
        if path.is_file() {
            return Err(Failure::usage(
                format!("{} exists already", path.display()),
                "a policy is written by hand: choose another name, or move the old one away",
            ));
        }
        write_whole(path, draft_policy(&found, &missing).as_bytes())?;
        if to_stdout {
            return Ok(());
        }
    }
    voice.result(
        || summary(&found),
        || {
            let mut text = report(&found);
            if let Some(path) = &args.policy_out {
                let path = path.display();
                let _ = writeln!(
                    text,
                    "\ndraft policy written to {STRONG}{path}{STRONG:#}: read every line and decide"
                );
            }
            text
        },
    )
}

fn summary(found: &Inspection) -> Value {
    let columns: Vec<Value> = found
        .columns
        .iter()
        .map(|c| {
            json!({
                "name": c.name, "kind": c.kind, "distinct": c.distinct, "missing": c.missing,
                "unique": c.unique, "likely_identifier": c.identifier, "note": c.note,
            })
        })
        .collect();
    let telling = found.telling.as_ref().map(|telling| {
        let names: Vec<&str> = telling.columns.iter().map(|&c| found.columns[c].name.as_str()).collect();
        json!({ "columns": names, "unique": telling.unique })
    });
    json!({
        "rows": found.rows, "unique_together": found.unique_together, "telling": telling, "columns": columns,
    })
}

/// "a", "a and b", "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
}

fn report(found: &Inspection) -> String {
    let mut rows =
        vec![["column", "kind", "distinct", "missing", "unique rows", ""].map(String::from).to_vec()];
    for c in &found.columns {
        let mut remark = String::new();
        if let Some(why) = c.identifier {
            let _ = write!(remark, "{BAD}likely identifier{BAD:#}: {why}");
        } else if let Some(note) = &c.note {
            let _ = write!(remark, "{NOTE}{note}{NOTE:#}");
        }
        rows.push(vec![
            c.name.clone(),
            c.kind.to_owned(),
            thousands(c.distinct as u64),
            percent(c.missing),
            percent(c.unique),
            remark,
        ]);
    }
    use Align::{Left, Right};
    let mut text = format!("{}\n\n", count(found.rows, "row", "rows"));
    text.push_str(&table(&[Left, Left, Right, Right, Right, Left], &rows));
    let quasi = found.columns.iter().filter(|c| c.identifier.is_none()).count();
    let _ = writeln!(
        text,
        "\n{STRONG}{}{STRONG:#} of rows are unique on the other {} together {FAINT}(whoever knows these knows the row){FAINT:#}",
        percent(found.unique_together),
        count(quasi, "column", "columns")
    );
    if let Some(telling) = &found.telling {
        let names: Vec<&str> = telling.columns.iter().map(|&c| found.columns[c].name.as_str()).collect();
        let _ = writeln!(
            text,
            "{STRONG}{}{STRONG:#} of rows are unique on {} alone {FAINT}(widen or drop these first){FAINT:#}",
            percent(telling.unique),
            listed(&names)
        );
    }
    text
}
