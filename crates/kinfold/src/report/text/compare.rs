//! Solvers side by side.

use super::screen::{FAINT, GOOD, count, loss, seconds, span, table};
use crate::report::{CompareReport, Compared, KeepableReport};

const BAR: usize = 30;
const MARK: &str = "◆";

/// Solvers side by side.
pub fn compare(report: &CompareReport) -> String {
    let mut text = format!("{}\n", count(report.rows, "row", "rows"));
    for list in &report.by_k {
        let losses = || list.iter().map(|one| one.average_loss);
        let (worst, best) =
            (losses().fold(f64::MIN_POSITIVE, f64::max), losses().fold(f64::INFINITY, f64::min));
        let heading = list.first().map_or(String::new(), |one| format!("k = {}", one.k));
        let columns = ["", &heading, "loss", "", "× best", "time", "CPU", "groups", "largest", "C_avg", "DM"];
        let lines: Vec<_> = list.iter().map(|one| line(one, best, worst)).collect();
        text.push('\n');
        text.push_str(&table(&columns, 2.., &lines));
    }
    text + &format!(
        "\n  {FAINT}{MARK}  on the frontier: any solver with less loss is slower (CPU){FAINT:#}\n"
    )
}

fn line(one: &Compared, best: f64, worst: f64) -> Vec<String> {
    let length = ((one.average_loss / worst) * BAR as f64).round() as usize;
    let bar = "█".repeat(length.max(usize::from(one.average_loss > 0.0)));
    // Bars begin at the left, and the longest has the full length if anything is lost at all.
    let full = if worst > f64::MIN_POSITIVE { BAR } else { 0 };
    let rest = " ".repeat(full.saturating_sub(bar.chars().count()));
    let style = if one.average_loss == best { GOOD } else { FAINT };
    vec![
        if one.frontier { MARK.into() } else { String::new() },
        one.name(),
        loss(one.average_loss),
        format!("{style}{bar}{style:#}{rest}"),
        if best > 0.0 { format!("{:.3}", one.average_loss / best) } else { "–".into() },
        seconds(one.seconds),
        one.cpu_seconds.map_or("–".into(), seconds),
        one.groups.to_string(),
        one.largest_group.to_string(),
        format!("{:.3}", one.average_class_size),
        one.discernibility.to_string(),
    ]
}

/// Which columns can be kept.
pub fn keepable(report: &KeepableReport) -> String {
    let mut lines = Vec::new();
    for same in report.list.chunk_by(|a, b| a.kept == b.kept) {
        let (Some(first), Some(last)) = (same.first(), same.last()) else { continue };
        lines.push(vec![
            span(first.k, last.k),
            loss(first.average_loss),
            format!("{} of {}", first.kept.len(), report.columns),
            if first.kept.is_empty() { "–".to_owned() } else { first.kept.join(", ") },
        ]);
    }
    let mut text = format!("{}\n\n", count(report.rows, "row", "rows"));
    text.push_str(&table(&["k", "loss", "", "columns kept"], ..3, &lines));
    let best = match report.list.iter().all(|one| one.best) {
        true => "optimal: no other set of columns has more weight",
        false => "time limit reached: another set of columns may have more weight",
    };
    text + &format!("\n  {FAINT}{best}{FAINT:#}\n")
}
