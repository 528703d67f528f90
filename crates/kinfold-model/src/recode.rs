//! Sensitive and kept columns that are published on a level of their ladder, in place of their cells.
//!
//! The table is recoded before anything else: what models count, what is reported and what is published are the same
//! texts.

use crate::hint::Hint;
use crate::kind::{Kind, Prefixes, is_missing, value_of};
use crate::policy::{Mistake, Mistakes, Policy, Recoded};
use crate::table::{Column, Table};
use crate::value::Number;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The table with every column as it is published, but for quasi-identifiers. All mistakes are reported together.
pub fn recoded<'t>(table: &'t Table, policy: &Policy) -> Result<Cow<'t, Table>, Mistakes> {
    if policy.columns.iter().all(|said| said.recoded.is_none()) {
        return Ok(Cow::Borrowed(table));
    }
    let mut mistakes = Vec::new();
    let mut texts: BTreeMap<&str, Vec<Option<String>>> = BTreeMap::new();
    for column in table.columns() {
        let said = policy.columns.iter().find(|said| said.name == column.name());
        let Some((said, recoded)) = said.and_then(|said| Some((said, said.recoded.as_ref()?))) else {
            continue;
        };
        match names(column, recoded, policy.missing_in(&said.name)) {
            Ok(names) => {
                texts.insert(column.name(), names);
            }
            Err((what, hint)) => {
                let what = format!("column {:?}: {what}", column.name());
                mistakes.push(Mistake::new(what, said.place).hint(hint));
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(Mistakes::from(mistakes));
    }
    Ok(Cow::Owned(table.with_columns(|column| {
        let texts = texts.get(column.name())?;
        Some(column.saying(|code| texts[code as usize].clone()))
    })))
}

/// What every entry of the dictionary is published as; none for a null.
fn names(
    column: &Column,
    recoded: &Recoded,
    missing: &[String],
) -> Result<Vec<Option<String>>, (String, Hint)> {
    let level = recoded.level;
    let entries = 0..column.distinct() as u32;
    let absent = |entry: u32| is_missing(column, entry, missing);
    let whole = match &recoded.kind {
        Kind::Ladder(ladder) => {
            let present = entries.clone().filter(|&entry| !absent(entry));
            let values = present.filter_map(|entry| value_of(&recoded.kind, column.text(entry)));
            ladder.is_whole(values.filter(|&value: &Number| !ladder.bands.holds(value)))
        }
        _ => false,
    };
    let name = |entry: u32| -> Option<String> {
        let text = column.text(entry);
        match &recoded.kind {
            Kind::Ladder(ladder) => {
                let value = value_of(&recoded.kind, text)?;
                if level == 0 && !ladder.bands.holds(value) {
                    return Some(text.to_owned());
                }
                ladder.name(level, value, whole)
            }
            Kind::Prefix(Prefixes { bare: Some(length), .. }) => {
                Some(text.trim_ascii().chars().take(*length).collect())
            }
            Kind::Hierarchy(hierarchy) => {
                let tree = hierarchy.tree();
                let node = hierarchy.leaf(text).map(|leaf| tree.at_level(level, leaf));
                let root = || recoded.unknown.then(|| "*".to_owned());
                node.map(|node| hierarchy.label(node).to_owned()).or_else(root)
            }
            _ => Some(text.to_owned()),
        }
    };
    let named = |entry: u32| if absent(entry) { Some(column.text(entry).to_owned()) } else { name(entry) };
    let names: Vec<Option<String>> = entries.clone().map(named).collect();
    let odd: Vec<u32> = entries.filter(|&entry| names[entry as usize].is_none()).collect();
    if odd.is_empty() {
        return Ok(names
            .into_iter()
            .zip(0..)
            .map(|(name, entry)| name.filter(|_| !column.is_null(entry)))
            .collect());
    }
    let rows = crate::encode::rows_with(column, &odd);
    Err(match &recoded.kind {
        Kind::Hierarchy(_) => (
            match odd.len() {
                1 => format!("a value that the hierarchy does not name in {rows}"),
                many => format!("{many} values that the hierarchy does not name in {rows}"),
            },
            "name each such value in the hierarchy, or publish them at its root: unknown = \"top\"".into(),
        ),
        kind => (
            format!("not a value of kind {} in {rows}", kind.word()),
            "correct them, or treat them as missing with {missing}".into(),
        ),
    })
}
