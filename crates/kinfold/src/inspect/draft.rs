//! A policy to start from: every column has a role, with the reason for it.

use super::Inspection;
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
            }
            "sensitive" => {
                let _ = writeln!(text, "# diversity = 2");
            }
            _ => {}
        }
    }
    text
}

pub(super) fn bare_or_quoted(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A TOML basic string; JSON writes the same escapes.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
