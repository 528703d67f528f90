//! A policy to start from: every column has a role, with the reason for it.

use super::{ColumnInspection, Inspection};
use crate::report::percent;
use std::fmt::Write;

/// A draft of a policy. `missing` are the texts that stand for a missing value.
pub fn draft_policy(inspection: &Inspection, missing: &[String]) -> String {
    let mut text = String::from(
        "# A draft: review every line. Roles: quasi, identifier, person, sensitive, keep, drop, count.\n\
         # Quasi-identifiers are published in groups of at least k rows; sensitive and keep are\n\
         # published as they are; identifiers, persons and dropped columns are left out. With a person\n\
         # column, k counts distinct persons. A sensitive column should have a privacy model, so that\n\
         # no group gives its values away: diversity = 3, closeness = 0.2, likeness = 2 or\n\
         # disclosure = 1.\n\n\
         k = 5\n",
    );
    let tokens: Vec<String> = missing.iter().map(|t| quoted(t)).collect();
    let _ = writeln!(text, "missing = [{}]", tokens.join(", "));
    for column in &inspection.columns {
        let _ = writeln!(text, "\n[columns.{}]", bare_or_quoted(&column.name));
        let (values, share) = (column.distinct, percent(column.unique));
        let _ = write!(text, "# {values} distinct values; {share} of rows unique on it");
        if column.missing > 0.0 {
            let _ = write!(text, "; {} missing", percent(column.missing));
        }
        let _ = writeln!(text);
        if let Some(note) = &column.note {
            let _ = writeln!(text, "# {note}");
        }
        let _ = writeln!(text, "role = \"{}\"  # {}", column.role, column.reason);
        match column.role {
            "quasi" if !column.levels.is_empty() => {
                let levels: Vec<String> = column.levels.iter().map(|level| quoted(level)).collect();
                let _ = writeln!(text, "kind = \"ordinal\"\norder = [{}]", levels.join(", "));
            }
            "quasi" => {
                let _ = writeln!(text, "kind = \"{}\"", column.kind);
                for (key, value) in &column.keys {
                    let _ = writeln!(text, "{key} = {value}");
                }
                text.push_str(&ladder(column));
            }
            "sensitive" => {
                let _ = writeln!(text, "# diversity = 2");
            }
            _ => {}
        }
    }
    text
}

/// More labels than these are hard to read in a set.
const MANY_LABELS: usize = 12;

/// A ladder for the column, as a comment: it changes what cells look like.
fn ladder(column: &ColumnInspection) -> String {
    let name = bare_or_quoted(&column.name);
    let cells = if column.kind == "date" { "parts of the calendar" } else { "round intervals" };
    match &column.ladder {
        Some(levels) => format!(
            "# With levels, cells name {cells} in place of ranges from one value to another:\n# {levels}\n"
        ),
        None if column.kind == "category" && column.distinct > MANY_LABELS => {
            format!("# Many labels: kinfold hierarchy proposes levels that join those of {name}.\n")
        }
        None => String::new(),
    }
}

pub(super) fn bare_or_quoted(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A TOML basic string; JSON writes the same escapes.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::inspect;
    use kinfold_model::policy::default_missing;
    use kinfold_model::{Call, Policy, Table};

    #[test]
    fn ladders_are_drafted_as_comments_that_can_be_taken_out() {
        let rows: Vec<[String; 4]> = (0..120)
            .map(|i| {
                let day = format!("{:02}.{:02}.{}", i % 28 + 1, i % 12 + 1, 1960 + i % 30);
                [format!("{}", 18 + i % 60), day, format!("label {}", i % 20), ["f", "m"][i % 2].into()]
            })
            .collect();
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let table = Table::from_cells(&["age", "born", "where from", "sex"], &rows).unwrap();
        let missing = default_missing();
        let draft = draft_policy(&inspect(&table, &missing, &Call::new()).unwrap(), &missing);
        for said in [
            "\n# levels = [5, 10, 20]\n",
            "\n# levels = [\"month\", \"year\", \"decade\"]\n",
            "kinfold hierarchy proposes levels that join those of \"where from\".\n",
        ] {
            assert!(draft.contains(said), "{said} in {draft}");
        }
        assert_eq!((draft.matches("# levels").count(), draft.matches("kinfold hierarchy").count()), (2, 1));
        for text in [draft.clone(), draft.replace("# levels", "levels")] {
            let policy = Policy::parse(&text).for_table(&table).unwrap();
            assert!(crate::anonymize(&table, &policy, &crate::Options::default()).is_ok(), "{text}");
        }
    }
}
