//! Looks at a table before anything is decided: what its columns are, how unique people are in it,
//! and a first draft of a policy. It shows numbers about columns, never a cell.

use crate::parts::looks::{Counter, Looks};
use kinfold_model::call::{Call, Phase, Stopped};
use kinfold_model::kind::{Kind, infer, is_missing};
use kinfold_model::policy::Policy;
use kinfold_model::table::{Column, Table, distinct_rows};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is known of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Number of rows.
    pub rows: usize,
    /// Rows that no other row equals on the columns drafted as quasi-identifiers, as a share.
    pub unique_together: f64,
    /// The few of these columns that tell most of that.
    pub telling: Option<Telling>,
    /// Every column.
    pub columns: Vec<ColumnInspection>,
    /// Sensitive columns that no privacy model protects, if a policy was given.
    pub unprotected: Vec<Unprotected>,
}

/// A sensitive column that no privacy model protects: what a model could ask for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Unprotected {
    /// Its name.
    pub column: String,
    /// Distinct values, a missing one not counted: the largest l of distinct diversity.
    pub distinct: usize,
    /// Rows with the commonest of them, as a share of those with a value.
    pub commonest: f64,
}

/// Few columns that make many people unique.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Telling {
    /// The columns.
    pub columns: Vec<String>,
    /// Rows that no other row equals on them, as a share.
    pub unique: f64,
}

/// What is known of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnInspection {
    /// Its name.
    pub name: String,
    /// What its values seem to be: numeric, date or category.
    pub kind: &'static str,
    /// Number of distinct values.
    pub distinct: usize,
    /// Rows without a value, as a share.
    pub missing: f64,
    /// Rows whose value no other row has, as a share.
    pub unique: f64,
    /// Whether it seems to name people by itself, and why.
    #[serde(rename = "likely_identifier")]
    pub identifier: Option<&'static str>,
    /// What else is worth knowing.
    pub note: Option<String>,
}

/// Looks at every column. `missing` are the texts that stand for a missing value.
pub fn inspect(table: &Table, missing: &[String], call: &Call) -> Result<Inspection, Stopped> {
    call.phase(Phase::Inspecting)?;
    let columns: Vec<ColumnInspection> =
        table.columns().iter().map(|c| inspect_column(c, table.rows(), missing)).collect();
    let quasi: Vec<usize> = (0..columns.len()).filter(|&c| columns[c].identifier.is_none()).collect();
    let codes: Vec<&[u32]> = quasi.iter().map(|&c| table.columns()[c].codes()).collect();
    let looks = distinct_rows(&codes, table.rows());
    let unique_together = share_of_singles(&looks.of_row, looks.first.len());
    let telling = telling(table, &quasi, unique_together, call)?;
    Ok(Inspection { rows: table.rows(), unique_together, telling, columns, unprotected: Vec::new() })
}

/// The sensitive columns of a policy that no privacy model protects.
pub fn unprotected(table: &Table, policy: &Policy) -> Vec<Unprotected> {
    let alone = policy.sensitive().filter(|(_, protection)| protection.models.is_empty());
    alone
        .filter_map(|(said, _)| {
            let column = table.column(&said.name)?;
            let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
            for &code in column.codes().iter().filter(|&&code| !is_missing(column, code, &policy.missing)) {
                *rows.entry(column.text(code).trim_ascii()).or_default() += 1;
            }
            let (known, most) = (rows.values().sum::<usize>(), rows.values().max().copied().unwrap_or(0));
            let commonest = most as f64 / known.max(1) as f64;
            Some(Unprotected { column: said.name.clone(), distinct: rows.len(), commonest })
        })
        .collect()
}

/// Sets of columns that are carried on from one size to the next: those that tell most.
const CARRIED: usize = 24;

/// The smallest set found that makes at least half as many people unique as all columns together; if few are
/// unique, or it takes most of the columns, there is nothing to tell.
fn telling(table: &Table, quasi: &[usize], together: f64, call: &Call) -> Result<Option<Telling>, Stopped> {
    let rows = table.rows();
    let people = vec![1; rows];
    let values = quasi.iter().map(|&c| table.columns()[c].distinct()).max().unwrap_or(1);
    let mut counter = Counter::new(&people, values as u32);
    let mut sets: Vec<(Vec<usize>, Looks)> = vec![(Vec::new(), Looks::alike(rows))];
    for size in 1..=quasi.len() / 2 {
        let mut grown: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        for (from, (set, looks)) in sets.iter().enumerate() {
            for &column in quasi.iter().filter(|c| !set.contains(c)) {
                call.check()?;
                let mut wider = set.clone();
                wider.push(column);
                wider.sort_unstable();
                if !grown.iter().any(|(_, known, _)| *known == wider) {
                    let mut unique = 0;
                    counter.with(looks, table.columns()[column].codes(), |people| {
                        unique += usize::from(people == 1);
                        true
                    });
                    grown.push((unique, wider, from));
                }
            }
        }
        grown.sort_by_key(|(unique, set, _)| (std::cmp::Reverse(*unique), set.clone()));
        let Some((unique, columns, _)) = grown.first() else { return Ok(None) };
        let unique = *unique as f64 / rows as f64;
        if unique > 0.0 && unique >= together / 2.0 {
            let names = columns.iter().map(|&c| table.columns()[c].name().to_owned());
            return Ok(Some(Telling { columns: names.collect(), unique }));
        }
        if size == quasi.len() / 2 {
            return Ok(None);
        }
        let carried = grown.into_iter().take(CARRIED).map(|(_, set, from)| {
            let (before, looks) = &sets[from];
            let new = set.iter().find(|c| !before.contains(c)).copied().unwrap_or(set[0]);
            let looks = counter.refine(looks, table.columns()[new].codes());
            (set, looks)
        });
        sets = carried.collect();
    }
    Ok(None)
}

fn inspect_column(column: &Column, rows: usize, missing: &[String]) -> ColumnInspection {
    let inferred = infer(column, missing);
    let absent = column.codes().iter().filter(|&&c| is_missing(column, c, missing)).count();
    let unique = share_of_singles(column.codes(), column.distinct());
    let note = if inferred.spoilers > 0 {
        Some(format!("almost numeric: {} distinct values are not numbers", inferred.spoilers))
    } else if inferred.padded {
        Some("digits with leading zeros: read as text".to_owned())
    } else {
        None
    };
    ColumnInspection {
        name: column.name().to_owned(),
        kind: inferred.kind.word(),
        distinct: column.distinct(),
        missing: absent as f64 / rows as f64,
        unique,
        identifier: likely_identifier(column, &inferred.kind, unique, rows),
        note,
    }
}

fn share_of_singles(of_row: &[u32], looks: usize) -> f64 {
    let mut sizes = vec![0u32; looks];
    for &look in of_row {
        sizes[look as usize] += 1;
    }
    sizes.iter().filter(|&&s| s == 1).count() as f64 / of_row.len() as f64
}

const IDENTIFYING_NAMES: [&str; 16] = [
    "id",
    "name",
    "surname",
    "firstname",
    "lastname",
    "forename",
    "ssn",
    "email",
    "mail",
    "phone",
    "telephone",
    "mobile",
    "passport",
    "iban",
    "address",
    "uuid",
];

fn likely_identifier(column: &Column, kind: &Kind, unique: f64, rows: usize) -> Option<&'static str> {
    let name = column.name().to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    if words.any(|w| IDENTIFYING_NAMES.contains(&w))
        || IDENTIFYING_NAMES.contains(&name.replace(['_', ' ', '-'], "").as_str())
    {
        return Some("by its name");
    }
    // Measurements with decimals differ by chance; texts and whole numbers that all differ number people.
    let measured = *kind == Kind::Date
        || *kind == Kind::Numeric
            && (0..column.distinct() as u32).any(|c| column.text(c).contains(['.', 'e', 'E']));
    (rows >= 20 && unique >= 0.95 && !measured).then_some("nearly every row has a value of its own")
}

/// A policy to start from: every column has a role, the likely identifiers theirs, all others that of
/// quasi-identifiers.
pub fn draft_policy(inspection: &Inspection, missing: &[String]) -> String {
    let mut text = String::from(
        "# A draft: review every line. Roles: quasi, identifier, person, sensitive, keep, drop, count.\n\
         # Quasi-identifiers are published in groups of at least k people; sensitive and keep are\n\
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
        let _ = write!(
            text,
            "# {} distinct values; {} of rows unique on it",
            column.distinct,
            percent(column.unique)
        );
        if column.missing > 0.0 {
            let _ = write!(text, "; {} missing", percent(column.missing));
        }
        let _ = writeln!(text);
        if let Some(note) = &column.note {
            let _ = writeln!(text, "# {note}");
        }
        match column.identifier {
            Some(why) => {
                let _ = writeln!(text, "role = \"identifier\"  # {why}");
            }
            None => {
                let _ = writeln!(text, "role = \"quasi\"\nkind = \"{}\"", column.kind);
            }
        }
    }
    text
}

/// A share as people read it.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".into(),
        p if p < 0.1 => "< 0.1 %".into(),
        p if p < 10.0 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

fn bare_or_quoted(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { name.to_owned() } else { quoted(name) }
}

/// A TOML basic string; JSON writes the same escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
