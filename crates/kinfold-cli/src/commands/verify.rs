//! Judges a release from its bytes and the policy alone.

use super::Voice;
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::input;
use crate::progress;
use crate::screen::{BAD, GOOD, count, thousands};
use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source, TableError};
use kinfold::model::verify::{Published, Truth, Verdict, VerifyError, check_truth, verify};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub fn run(args: &VerifyArgs, voice: Voice) -> Result<(), Failure> {
    let draft = input::draft(&args.policy, args.k)?;
    let file = draft.file();
    let policy = draft.settle()?;
    let options = input::read_options(&args.read);
    let shown = |e: VerifyError| Failure::from(e).in_file(&file);
    progress::phase("reading");
    let source = Source::open(&args.release, &options)?;
    let mut published = Published::read(source, &policy, args.original.is_some()).map_err(shown)?;
    if let Some(path) = &args.lookup {
        published = published.with_lookup(input::lookup(path)?);
    }
    progress::phase("verifying");
    let verdict = verify(&published, &policy).map_err(shown)?;
    let truth = match &args.original {
        Some(path) => {
            let options = ReadOptions {
                delimiter: args.original_delimiter,
                encoding: args.original_encoding.clone(),
                ..options
            };
            let original = Source::open(path, &options)
                .and_then(|source| source.read(|name| policy.role(name).is_some_and(|r| r.needed())))
                .map_err(of_the_original)?;
            Some(check_truth(&published, &original, &policy).map_err(shown)?)
        }
        None => None,
    };
    progress::finish();
    voice.result(|| summary(&verdict, truth.as_ref()), || report(&verdict, truth.as_ref(), &policy))?;
    if verdict.safe() && truth.is_none_or(|t| t.holds()) { Ok(()) } else { Err(Failure::NotSafe) }
}

/// Two tables are read: say which one is meant, and the flags that speak of it.
fn of_the_original(error: TableError) -> Failure {
    let flags = |hint: String| {
        hint.replace("--delimiter", "--original-delimiter").replace("--encoding", "--original-encoding")
    };
    Failure::Usage { what: format!("the original: {error}"), hint: error.hint().map(flags) }
}

fn summary(verdict: &Verdict, truth: Option<&Truth>) -> Value {
    let mut value = json!({
        "safe": verdict.safe(),
        "rows": verdict.rows,
        "k": verdict.k,
        "groups": verdict.groups,
        "smallest_group": verdict.smallest,
        "largest_group": verdict.largest,
        "groups_below_k": verdict.below_k.iter().map(|(size, groups)| json!({ "size": size, "groups": groups })).collect::<Vec<_>>(),
        "miscounted_groups": verdict.miscounted,
        "forbidden_columns": verdict.forbidden.iter().map(|(c, why)| json!({ "column": c, "why": why.sentence() })).collect::<Vec<_>>(),
        "unlisted_columns": verdict.unlisted,
    });
    if let Some(t) = truth {
        value["true"] = t.holds().into();
        value["invented_rows"] = t.invented.into();
        value["withheld_people"] = t.withheld.into();
        value["withheld_rows"] = t.withheld_rows.into();
        value["may_withhold"] = t.may_withhold.into();
        value["absent_columns"] = json!(t.absent);
        value["uncovered_cells"] = t
            .uncovered
            .iter()
            .map(|(c, cells)| json!({ "column": c, "cells": cells }))
            .collect::<Vec<_>>()
            .into();
    }
    value
}

fn report(verdict: &Verdict, truth: Option<&Truth>, policy: &Policy) -> String {
    let mut text =
        if verdict.safe() { format!("{GOOD}safe{GOOD:#}") } else { format!("{BAD}not safe{BAD:#}") };
    let quasi: Vec<&str> = policy.quasi().map(|(c, _)| c.name.as_str()).collect();
    let _ = writeln!(
        text,
        "  {} in {}; the smallest holds {} of at least {} people, the largest {}",
        count(verdict.rows, "row", "rows"),
        count(verdict.groups, "group", "groups"),
        thousands(verdict.smallest),
        verdict.k,
        thousands(verdict.largest),
    );
    let _ = writeln!(text, "  alike on {}", quasi.join(", "));
    for (size, groups) in &verdict.below_k {
        let people = if *size == 1 { "person" } else { "people" };
        let _ = writeln!(text, "  {BAD}{}{BAD:#} of {size} {people} only", count(*groups, "group", "groups"));
    }
    if verdict.miscounted > 0 {
        let groups = count(verdict.miscounted, "group tells", "groups tell");
        let _ = writeln!(text, "  {BAD}{groups}{BAD:#} another size than what stands there");
    }
    for (column, why) in &verdict.forbidden {
        let _ = writeln!(text, "  {BAD}column {column:?}{BAD:#} {}", why.sentence());
    }
    if !verdict.unlisted.is_empty() {
        let _ = writeln!(text, "  not looked at: {} (no role was given)", verdict.unlisted.join(", "));
    }
    if let Some(truth) = truth {
        text.push_str(&truth_report(truth));
    }
    text
}

fn truth_report(truth: &Truth) -> String {
    let mut text = if truth.holds() {
        format!("{GOOD}true{GOOD:#}  every cell covers the original value, no row is lost or invented")
    } else {
        format!("{BAD}not true{BAD:#}")
    };
    if truth.holds() && truth.withheld > 0 {
        let _ = write!(
            text,
            "; {} people withheld, {} allowed",
            thousands(truth.withheld),
            thousands(truth.may_withhold)
        );
    }
    text.push('\n');
    for column in &truth.absent {
        let _ = writeln!(text, "  {BAD}column {column:?}{BAD:#} is not in the release");
    }
    if truth.invented > 0 {
        let rows = count(truth.invented, "row", "rows");
        let _ = writeln!(
            text,
            "  {BAD}{rows}{BAD:#} of the release cannot be said of any row of the original that is left"
        );
    }
    for (column, cells) in &truth.uncovered {
        let cells = count(*cells, "cell does", "cells do");
        let _ = writeln!(text, "  {BAD}column {column:?}{BAD:#}: {cells} not cover the original, row by row");
    }
    if truth.lost() {
        let (number, noun) = match truth.withheld {
            0 => (truth.withheld_rows, ["row", "rows"]),
            people => (people as usize, ["person", "people"]),
        };
        let verb = if number == 1 { "is" } else { "are" };
        let who = count(number, noun[0], noun[1]);
        let allowed = thousands(truth.may_withhold);
        let _ =
            writeln!(text, "  {BAD}{who}{BAD:#} of the original {verb} missing, {allowed} may be withheld");
    }
    text
}
