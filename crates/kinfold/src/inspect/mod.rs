//! Looks at a table before anything is decided: what its columns are, how unique people are in it,
//! and a first draft of a policy. It shows numbers about columns, never a cell.

mod column;
mod draft;
mod ladder;

use crate::parts::looks::{Counter, Looks};
pub use column::ColumnInspection;
pub(crate) use column::category_length;
use column::inspect_column;
pub use draft::draft_policy;
use kinfold_model::call::Stopped;
use kinfold_model::identifying::unique_share;
use kinfold_model::kind::is_missing;
use kinfold_model::policy::Policy;
use kinfold_model::table::{Column, Table, distinct_rows};
use kinfold_model::{Call, Phase};
use ladder::drafted;
pub use ladder::{LevelPreview, Making, Proposal, propose_levels};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

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

/// Looks at every column. `missing` are the texts that stand for a missing value.
pub fn inspect(table: &Table, missing: &[String], call: &Call) -> Result<Inspection, Stopped> {
    call.phase(Phase::Inspecting)?;
    let look = |column: &Arc<Column>| {
        let mut found = inspect_column(column, table.rows(), missing);
        found.ladder = (found.role == "quasi").then(|| drafted(column, &found, missing)).flatten();
        found
    };
    let columns: Vec<ColumnInspection> = table.columns().iter().map(look).collect();
    let quasi: Vec<usize> = (0..columns.len()).filter(|&c| columns[c].role == "quasi").collect();
    let codes: Vec<&[u32]> = quasi.iter().map(|&c| table.columns()[c].codes()).collect();
    let unique_together = if quasi.is_empty() { 0.0 } else { unique_share(&codes, table.rows()) };
    let telling = telling(table, &quasi, unique_together, call)?;
    Ok(Inspection { rows: table.rows(), unique_together, telling, columns, unprotected: Vec::new() })
}

/// The sensitive columns of a policy that no privacy model protects.
pub fn unprotected(table: &Table, policy: &Policy) -> Vec<Unprotected> {
    let alone = policy.sensitive().filter(|(_, protection)| protection.models.is_empty());
    alone
        .filter_map(|(said, _)| {
            let (column, missing) = (table.column(&said.name)?, policy.missing_in(&said.name));
            let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
            for &code in column.codes().iter().filter(|&&code| !is_missing(column, code, missing)) {
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
/// More columns are not few.
const FEW: usize = 8;

/// The smallest set found that makes at least half as many people unique as all columns together; if few are
/// unique, or it takes most of the columns, there is nothing to tell.
fn telling(table: &Table, quasi: &[usize], together: f64, call: &Call) -> Result<Option<Telling>, Stopped> {
    let rows = table.rows();
    // Of columns that tell the same, the first is enough.
    let mut told = HashSet::new();
    let whole = |column: usize| table.columns()[column].codes();
    let different: Vec<usize> = quasi.iter().copied().filter(|&column| told.insert(whole(column))).collect();
    // Equal rows stay together whatever the set is: they are looked at once.
    let records = distinct_rows(&different.iter().map(|&column| whole(column)).collect::<Vec<_>>(), rows);
    let people = records.sums((0..rows).map(|_| 1));
    let of_records =
        |&column: &usize| (column, records.first.iter().map(|&row| whole(column)[row as usize]).collect());
    let of_records: BTreeMap<usize, Vec<u32>> = different.iter().map(of_records).collect();
    let codes = |column: usize| of_records[&column].as_slice();
    let values = quasi.iter().map(|&c| table.columns()[c].distinct()).max().unwrap_or(1);
    let mut counter = Counter::new(&people, values as u32);
    // Every set with the people that it makes unique, and the others by what they look like.
    let alike = Looks::alike(people.len());
    let mut sets: Vec<(Vec<usize>, usize, Looks)> = vec![(Vec::new(), 0, alike)];
    let most = (quasi.len() / 2).min(FEW);
    for size in 1..=most {
        let mut grown: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let mut known: BTreeSet<Vec<usize>> = BTreeSet::new();
        for (from, (set, alone, looks)) in sets.iter().enumerate() {
            for &column in different.iter().filter(|c| !set.contains(c)) {
                call.check()?;
                let mut wider = set.clone();
                wider.push(column);
                wider.sort_unstable();
                if known.insert(wider.clone()) {
                    let mut unique = *alone;
                    counter.with(looks, codes(column), |people| {
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
        if size == most {
            return Ok(None);
        }
        let carried = grown.into_iter().take(CARRIED).map(|(unique, set, from)| {
            let (before, _, looks) = &sets[from];
            let new = set.iter().find(|c| !before.contains(c)).copied().unwrap_or(set[0]);
            let mut looks = counter.refine(looks, codes(new));
            // Who is unique already stays so.
            looks.retain(|records| records.len() > 1 || people[records[0] as usize] > 1);
            (set, unique, looks)
        });
        sets = carried.collect();
    }
    Ok(None)
}
