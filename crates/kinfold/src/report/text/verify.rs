//! What the verifier found.

use super::models::{models_text, reached_text};
use super::screen::{BAD, GOOD, NOTE, count, groups, percent, sized, thousands};
use crate::MANY_UNIQUE;
use crate::report::{TruthReport, VerifyReport};
use kinfold_model::{Policy, Unit};
use std::fmt::Write as _;

/// What the verifier found.
pub fn verify(report: &VerifyReport, policy: &Policy) -> String {
    let mut text = if report.safe { format!("{GOOD}safe{GOOD:#}") } else { format!("{BAD}not safe{BAD:#}") };
    if report.models_not_decided > 0 {
        let models = count(report.models_not_decided, "model", "models");
        let _ = write!(text, " {NOTE}({models} not checked){NOTE:#}");
    }
    let quasi: Vec<&str> = policy.quasi().map(|(c, _)| c.name.as_str()).collect();
    let (rows, smallest, largest) =
        (count(report.rows, "row", "rows"), report.smallest_group, report.largest_group);
    let _ = writeln!(text, "  {rows} in {}", groups(report.groups, smallest, largest, report.unit, report.k));
    let _ = writeln!(text, "  quasi-identifiers: {}", quasi.join(", "));
    for below in &report.groups_below_k {
        let size = sized(below.size, report.unit);
        let groups = count(below.groups, "group", "groups");
        let _ = writeln!(text, "  {BAD}{groups}{BAD:#} of {size} only");
    }
    if report.miscounted_groups > 0 {
        let groups = count(report.miscounted_groups, "group states", "groups state");
        let _ = writeln!(text, "  {BAD}{groups}{BAD:#} a size other than its number of rows");
    }
    for forbidden in &report.forbidden_columns {
        let _ = writeln!(text, "  {BAD}column {:?}{BAD:#} {}", forbidden.column, forbidden.why);
    }
    for unrounded in &report.unrounded_columns {
        let rows = count(unrounded.rows, "row", "rows");
        let column = format!("{BAD}column {:?}{BAD:#}", unrounded.column);
        let _ = writeln!(text, "  {column} has ends that the policy would round, in {rows}");
    }
    for off in &report.off_level_columns {
        let rows = count(off.rows, "row", "rows");
        let column = format!("{BAD}column {:?}{BAD:#}", off.column);
        let _ = writeln!(text, "  {column} has cells outside the levels that the policy allows, in {rows}");
    }
    for column in &report.coded_twice {
        let _ = writeln!(text, "  {BAD}column {column:?}{BAD:#} is not on one level for all rows");
    }
    if report.one_coding == Some(true) {
        let _ = writeln!(text, "  one coding per column: every column that is to be on one level is on it");
    }
    for hidden in &report.hidden {
        let whose =
            hidden.column.as_ref().map_or("the file".to_owned(), |column| format!("column {column:?}"));
        let _ = writeln!(text, "  {BAD}{whose}{BAD:#} {}", hidden.what);
    }
    text.push_str(&models_text(&report.models, report.unit));
    text.push_str(&reached_text(&report.reached, report.unit));
    if report.unique_on_unchanged >= MANY_UNIQUE {
        let share = percent(report.unique_on_unchanged);
        let _ = writeln!(
            text,
            "  {NOTE}{share} of rows{NOTE:#} are unique on the columns that are published unchanged: k does not \
             protect these"
        );
    }
    if !report.metadata_not_checked.is_empty() {
        let keys = report.metadata_not_checked.join(", ");
        let _ = writeln!(text, "  {NOTE}not checked{NOTE:#}: metadata of the file ({keys})");
    }
    for variant in &report.variant_columns {
        let (column, of) = (&variant.column, &variant.of);
        let _ = writeln!(
            text,
            "  {NOTE}column {column:?}{NOTE:#} has no role and is named like {of:?}: does it say the same of people?"
        );
    }
    if !report.unlisted_columns.is_empty() {
        let _ = writeln!(text, "  not checked: {} (no role given)", report.unlisted_columns.join(", "));
    }
    if let Some(truth) = &report.truth {
        text.push_str(&truth_text(truth, report.unit));
    }
    text
}

fn truth_text(truth: &TruthReport, unit: Unit) -> String {
    let mut text = if truth.holds {
        format!("{GOOD}true{GOOD:#}  every cell covers the original value, no row is lost or invented")
    } else {
        format!("{BAD}not true{BAD:#}")
    };
    if truth.holds && truth.withheld_people > 0 {
        let withheld = sized(truth.withheld_people, unit);
        let _ = write!(text, "; {withheld} withheld, {} allowed", thousands(truth.may_withhold));
    }
    text.push('\n');
    for column in &truth.absent_columns {
        let _ = writeln!(text, "  {BAD}column {column:?}{BAD:#} is not in the release");
    }
    if truth.invented_rows > 0 {
        let rows = count(truth.invented_rows, "row of the release matches", "rows of the release match");
        let _ = writeln!(text, "  {BAD}{rows}{BAD:#} no remaining row of the original");
    }
    for uncovered in &truth.uncovered_cells {
        let cells = count(uncovered.cells, "cell does", "cells do");
        let column = &uncovered.column;
        let _ = writeln!(text, "  {BAD}column {column:?}{BAD:#}: {cells} not cover the original, row by row");
    }
    if truth.lost {
        // Rows that stand for nobody are missing, too.
        let (number, unit) = match truth.withheld_people {
            0 => (truth.withheld_rows as u64, Unit::Rows),
            people => (people, unit),
        };
        let verb = if number == 1 { "is" } else { "are" };
        let who = sized(number, unit);
        let allowed = thousands(truth.may_withhold);
        let who = format!("{BAD}{who}{BAD:#} of the original");
        let _ = writeln!(text, "  {who} {verb} missing, {allowed} may be withheld");
    }
    text
}
