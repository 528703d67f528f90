//! What other settings would cost.

use super::screen::{FAINT, NOTE, STRONG, count, loss, percent, table, thousands};
use crate::report::{Variant, WhatIfReport};
use std::fmt::Write as _;

/// What other settings would cost.
pub fn whatif(report: &WhatIfReport) -> String {
    let mut text = format!("{}\n\n", count(report.rows, "row", "rows"));
    let base = report.variants.first().map_or(0.0, |variant| variant.average_loss);
    let heading = ["setting", "loss", "change", "groups", "smallest", "withheld", "unique before"];
    let lines: Vec<_> = report.variants.iter().map(|variant| line(variant, base)).collect();
    text.push_str(&table(&heading, 1.., &lines));
    for why in &report.left_out {
        let _ = writeln!(text, "  {NOTE}not possible{NOTE:#}  {why}");
    }
    if report.not_tried > 0 {
        let settings = count(report.not_tried, "setting", "settings");
        let _ = writeln!(text, "  {NOTE}not tried{NOTE:#}  {settings}: the time limit was reached");
    }
    let _ = writeln!(
        text,
        "\n  {FAINT}loss: average per cell of all quasi-identifiers of the policy, by its weights; a dropped column \
         counts as lost\n  unique before: {} of the table that are alone with their quasi-identifiers{FAINT:#}",
        report.unit.noun(2)
    );
    text
}

fn line(variant: &Variant, base: f64) -> Vec<String> {
    let change = (variant.average_loss - base) / base.max(f64::MIN_POSITIVE);
    vec![
        match variant.kind {
            "policy" => format!("{STRONG}{}{STRONG:#}", variant.name),
            _ => variant.name.clone(),
        },
        loss(variant.average_loss),
        match variant.kind == "policy" || base == 0.0 {
            true => String::new(),
            false => format!("{:+.0} %", 100.0 * change),
        },
        thousands(variant.groups as u64),
        thousands(variant.smallest_group),
        thousands(variant.withheld as u64),
        percent(variant.unique_before),
    ]
}
