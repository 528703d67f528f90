//! What a picture shows.

use super::screen::{FAINT, count, sized, table, thousands};
use crate::LabelSizes;
use crate::report::chart::curves::WAYS;
use crate::report::{LabelPlot, MapPlot};

/// What a chart of group sizes shows.
pub fn plot_labels(report: &LabelPlot) -> String {
    let mut lines = Vec::new();
    let bound: (&str, fn(&LabelSizes) -> u64) = ("lower bound", |s| s.bound);
    for (name, largest) in WAYS.iter().map(|way| (way.name, way.largest)).chain([bound]) {
        let ratios = || report.sizes.iter().map(|s| largest(s) as f64 / s.k as f64);
        let average = ratios().sum::<f64>() / report.sizes.len().max(1) as f64;
        let most = ratios().fold(0.0, f64::max);
        lines.push(vec![name.to_owned(), format!("{average:.3}"), format!("{most:.3}")]);
    }
    let mut text = format!("{}\n\n", report.about());
    text.push_str(&table(&["largest group / k", "average", "at most"], 1.., &lines));
    text.push_str(&format!(
        "\n  {} from {} to {}: labels is within 1 % of the bound at {},\n  and Spread is {} Fold.\n",
        count(report.values_of_k, "value of k", "values of k"),
        thousands(report.from),
        thousands(report.to),
        of_all(report.label_best_within_one_percent),
        if report.spread_never_above_fold { "never above" } else { "not always below" },
    ));
    text + &drawn(&report.output)
}

/// What a map shows.
pub fn plot_map(report: &MapPlot) -> String {
    let beyond = match report.people_outside {
        0 => String::new(),
        people => format!("; {} outside the picture", sized(people, report.unit)),
    };
    format!("{}{beyond}\n{}", report.about, drawn(&report.output))
}

fn drawn(output: &Option<String>) -> String {
    output.as_ref().map(|file| format!("\n  {FAINT}drawn in {file}{FAINT:#}\n")).unwrap_or_default()
}

/// A share, never rounded up: it stands for "at least".
fn of_all(share: f64) -> String {
    if share == 1.0 {
        "every one".into()
    } else {
        format!("{:.1} % of them", (share * 1000.0).floor() / 10.0)
    }
}
