//! What is known of a table.

use super::screen::{BAD, FAINT, NOTE, STRONG, count, percent, table, thousands};
use crate::inspect::{Inspection, Proposal};
use std::fmt::Write as _;
use std::path::Path;

/// "a", "a and b", "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
}

/// What is known of a table.
pub fn inspect(found: &Inspection, draft: Option<&Path>) -> String {
    let mut rows = Vec::new();
    for c in &found.columns {
        let mut remark = String::new();
        if let Some(why) = c.identifier {
            let _ = write!(remark, "{BAD}likely identifier{BAD:#}: {why}");
        } else if c.role != "quasi" {
            let _ = write!(remark, "likely {}: {}", c.role, c.reason);
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
    let mut text = format!("{}\n\n", count(found.rows, "row", "rows"));
    let heading = ["column", "kind", "distinct", "missing", "unique rows", ""];
    text.push_str(&table(&heading, 2..5, &rows));
    let quasi = found.columns.iter().filter(|c| c.role == "quasi").count();
    let _ = writeln!(
        text,
        "\n{STRONG}{}{STRONG:#} of rows are unique on {} together {FAINT}(they single out the row){FAINT:#}",
        percent(found.unique_together),
        count(quasi, "likely quasi-identifier", "likely quasi-identifiers")
    );
    if let Some(telling) = &found.telling {
        let names: Vec<&str> = telling.columns.iter().map(String::as_str).collect();
        let _ = writeln!(
            text,
            "{STRONG}{}{STRONG:#} of rows are unique on {} alone {FAINT}(generalize or drop these first){FAINT:#}",
            percent(telling.unique),
            listed(&names)
        );
    }
    for c in &found.unprotected {
        let values = count(c.distinct, "distinct value", "distinct values");
        let _ = writeln!(
            text,
            "{NOTE}no privacy model protects {}{NOTE:#}: {values}, the most frequent in {} of rows {FAINT}(diversity \
             of up to {} is possible){FAINT:#}",
            c.column,
            percent(c.commonest),
            c.distinct
        );
    }
    if let Some(path) = draft {
        let path = path.display();
        let _ = writeln!(
            text,
            "\ndraft policy written to {STRONG}{path}{STRONG:#}: review every line before use"
        );
    }
    text
}

/// A ladder that is proposed for a column, and what a policy says of it.
pub fn hierarchy(found: &Proposal, policy: &str) -> String {
    let row = |level: &crate::inspect::LevelPreview| {
        let example = level.example.clone().unwrap_or_else(|| "(the values)".to_owned());
        let numbers = [level.level, level.names, level.smallest].map(|number| thousands(number as u64));
        numbers.into_iter().chain([example]).collect()
    };
    let rows: Vec<Vec<String>> = found.levels.iter().map(row).collect();
    let heading = ["level", "values", "rows of the rarest", "most frequent"];
    format!(
        "{STRONG}{}{STRONG:#}: levels by {}\n\n{}\n{FAINT}in a policy:{FAINT:#}\n{policy}",
        found.column,
        found.by,
        table(&heading, 0..3, &rows)
    )
}
