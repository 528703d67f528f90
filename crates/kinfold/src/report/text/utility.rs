//! What a release is still good for.

use super::screen::{FAINT, STRONG, count, table};
use crate::report::{PairUtility, UtilityReport, percent};
use std::fmt::Write as _;

/// Pairs that are listed: those that change most.
const LISTED: usize = 5;

/// What a release is still good for.
pub fn utility(report: &UtilityReport) -> String {
    let (before, after) = (count(report.rows, "row", "rows"), count(report.released, "row", "rows"));
    let mut text = format!(
        "{before} before, {after} after; every value that a cell covers counts as equally likely\n\n"
    );
    let mut rows = Vec::new();
    for column in &report.columns {
        let moved = column.earth_mover.map_or("–".to_owned(), |moved| format!("{moved:.4}"));
        rows.push(vec![column.column.clone(), format!("{:.4}", column.distance), moved]);
    }
    text.push_str(&table(&["column", "distance", "earth mover"], 1.., &rows));
    let _ = writeln!(text, "  {FAINT}of distributions: 0 is equal, 1 is as different as can be{FAINT:#}");
    if !report.pairs.is_empty() {
        let mut pairs: Vec<&PairUtility> = report.pairs.iter().collect();
        let change = |pair: &PairUtility| (pair.after - pair.before).abs();
        pairs.sort_by(|a, b| change(b).total_cmp(&change(a)));
        let listed = match pairs.len() {
            all if all > LISTED => format!(" ({LISTED} of {all}, largest change)"),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "\n{STRONG}association of pairs{STRONG:#}: mutual information in bits{FAINT}{listed}{FAINT:#}"
        );
        let figures = |pair: &&PairUtility| [pair.before, pair.after].map(|bits| format!("{bits:.4}"));
        let row = |pair: &&PairUtility| [vec![pair.columns.join(", ")], figures(pair).into()].concat();
        let rows: Vec<_> = pairs.iter().take(LISTED).map(row).collect();
        text.push_str(&table(&["columns", "before", "after"], 1.., &rows));
    }
    let queries = &report.queries;
    let _ = writeln!(
        text,
        "\n{STRONG}{} random range queries{STRONG:#}: median error {}, nine in ten below {}",
        queries.queries,
        percent(queries.median_error),
        percent(queries.high_error)
    );
    let _ = writeln!(
        text,
        "  counting every row whose cells overlap the range: {} and {}",
        percent(queries.median_error_without_spreading),
        percent(queries.high_error_without_spreading)
    );
    if let Some(target) = &report.target {
        let _ = writeln!(
            text,
            "\n{STRONG}{}{STRONG:#} is predicted right for {} of {} rows by {} trained on the release, {} on the original",
            target.column,
            percent(target.accuracy_after),
            target.tested_rows,
            target.model,
            percent(target.accuracy_before)
        );
        let held = match target.held_out {
            true => "",
            false => "; the release is in another order, so its model has seen these rows",
        };
        let _ = writeln!(text, "  guessing the commonest value: {}{held}", percent(target.base_rate));
    }
    text
}
