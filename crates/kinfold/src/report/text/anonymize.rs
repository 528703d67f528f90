//! What came of an anonymization.

use super::loss::{bound_sentence, loss_sentence};
use super::models::models_text;
use super::screen::{FAINT, GOOD, count, groups, loss, percent, seconds, thousands};
use crate::report::{AnonymizeReport, PublishedLevel};
use kinfold_model::cost::Objective;
use std::fmt::Write as _;

/// A gap this wide says more of the bound than of the release: it is not shown.
const WIDE: f64 = 0.3;

/// A release: the verdict, what the front end says about it, and its figures.
pub fn anonymize(report: &AnonymizeReport, about: &str) -> String {
    let mut text = format!("{GOOD}safe{GOOD:#}{about}");
    let _ = write!(text, "\n\n  {}", count(report.released, "row", "rows"));
    if report.withheld > 0 {
        let _ = write!(text, " ({} withheld)", thousands(report.withheld as u64));
    }
    let (smallest, largest) = (report.smallest_group, report.largest_group);
    let _ = writeln!(text, " in {}", groups(report.groups, smallest, largest, report.unit, report.k));
    text.push_str(&models_text(&report.models, report.unit));
    let lost = report.lost();
    let _ = writeln!(text, "  {}", loss_sentence(&lost, report.objective, report.unit));
    for sentence in levels_sentences(report) {
        let _ = writeln!(text, "  {sentence}");
    }
    if let Some(columns) = columns_sentence(report) {
        let _ = writeln!(text, "  {columns}");
    }
    let _ = writeln!(text, "  {}", class_sentence(report));
    if report.gap > Some(WIDE) && Objective::BY_CELL.contains(&report.objective) {
        let try_it = if report.loss_by_level.is_none() { ": kinfold certify can prove one" } else { "" };
        let _ = writeln!(text, "  no close lower bound on the loss is known{try_it}");
    } else if let Some(sentence) = bound_sentence(&lost, report.objective) {
        let _ = writeln!(text, "  {sentence}");
    }
    for sentence in ends_sentences(report).into_iter().chain(overlay_sentence(report)) {
        let _ = writeln!(text, "  {sentence}");
    }
    let _ = write!(text, "  by {}", report.solver);
    if let Some(pieces) = report.pieces {
        let _ = write!(text, ", in {}", count(pieces as usize, "piece", "pieces"));
    }
    if let Some(why) = &report.why {
        let _ = write!(text, ": {why}");
    }
    if let Some(remark) = &report.remark {
        let _ = write!(text, "; {remark}");
    }
    let laps: Vec<String> =
        report.seconds.laps().iter().map(|&(name, s)| format!("{name} {}", seconds(s))).collect();
    let _ = writeln!(text, "\n  {FAINT}{} ({}){FAINT:#}", seconds(report.seconds.total), laps.join(", "));
    text
}

/// Columns that are named with their loss, the largest first.
const NAMED: usize = 8;

fn columns_sentence(report: &AnonymizeReport) -> Option<String> {
    let mut columns: Vec<(&str, f64)> = report.columns.iter().map(|c| (c.column.as_str(), c.loss)).collect();
    if columns.len() < 2 {
        return None;
    }
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named: Vec<String> =
        columns.iter().take(NAMED).map(|(name, share)| format!("{name} {}", loss(*share))).collect();
    let more = columns.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("by column: {}{more}", named.join(", ")))
}

/// The levels that were chosen; under global recoding, both losses.
fn levels_sentences(report: &AnonymizeReport) -> Vec<String> {
    let own = |chosen: &PublishedLevel| match &chosen.name {
        Some(name) => format!("{} {name}", chosen.column),
        None => format!("{} level {} of {}", chosen.column, chosen.level, chosen.last),
    };
    let named: Vec<String> = report.levels.iter().map(own).collect();
    let named = (!named.is_empty()).then(|| format!("one level for all rows: {}", named.join(", ")));
    let losses = report.loss_by_level.zip(report.loss_by_tight_bounds);
    let losses = losses
        .map(|(level, tight)| format!("loss by level {}, loss by tight bounds {}", loss(level), loss(tight)));
    named.into_iter().chain(losses).collect()
}

/// How ends are rounded, and what ends and labels tell.
fn ends_sentences(report: &AnonymizeReport) -> Vec<String> {
    let rounded: Vec<String> = report.rounded.iter().map(|r| format!("{} to {}", r.column, r.step)).collect();
    let rounded = (!rounded.is_empty()).then(|| format!("ends of ranges rounded: {}", rounded.join(", ")));
    let told = report.values_told.zip(report.singled_out).filter(|(told, _)| *told > 0.0);
    let told = told.map(|(told, alone)| {
        let (told, alone, noun) = (percent(told), percent(alone), report.unit.noun(2));
        format!(
            "exact values shown: {told} of the generalized values are somebody's own; {alone} of {noun} are the only \
             ones in their group with such a value"
        )
    });
    rounded.into_iter().chain(told).collect()
}

/// What is left of everybody where earlier releases are laid over this one.
fn overlay_sentence(report: &AnonymizeReport) -> Option<String> {
    let overlay = report.overlay.as_ref()?;
    let new = overlay.releases.iter().filter_map(|earlier| earlier.new).max().unwrap_or(0);
    let new = match new {
        0 => String::new(),
        new => format!("; {} new", thousands(new)),
    };
    Some(format!(
        "with {}: {} of {} {} can be isolated, {} are among fewer than {}; the smallest intersection has {}{new}",
        count(overlay.releases.len(), "earlier release", "earlier releases"),
        thousands(overlay.alone),
        thousands(overlay.people),
        overlay.unit,
        thousands(overlay.below_k),
        report.k,
        thousands(overlay.smallest),
    ))
}

/// What the literature says of sizes alone.
fn class_sentence(report: &AnonymizeReport) -> String {
    let (dm, average) = (report.discernibility, report.average_class_size);
    let dm = u64::try_from(dm).map_or_else(|_| format!("{:.3e}", dm as f64), thousands);
    format!("discernibility (DM) {dm}, average class size {average:.3} times k (C_avg)")
}
