//! What the page shows of a release beside its report: how people stand before and after, and the same rows
//! side by side.

use super::session::{Made, Opened};
use kinfold::model::Table;
use kinfold::model::risk::Classes;
use kinfold::model::verify::alike;
use kinfold::report::Json;
use kinfold::{Anonymized, Error};
use serde_json::{Value, json};

/// Classes by size and the risks that follow from it.
fn standing(classes: &Classes) -> Value {
    let people = classes.people();
    let sizes: Vec<(u64, u64)> = classes.sizes().map(|of| (of.size, of.classes)).collect();
    json!({
        "people": people,
        "classes": classes.count(),
        "unique": classes.of_size(1) as f64 / people.max(1) as f64,
        "highest_risk": if people == 0 { 0.0 } else { 1.0 / classes.smallest() as f64 },
        "average_risk": classes.average_risk(),
        "sizes": sizes,
    })
}

/// A release in figures.
pub fn answer(table: &Table, done: &Anonymized) -> Result<Value, Error> {
    let notes: Vec<String> = done.report.notes.iter().map(super::trouble::in_words).collect();
    Ok(json!({
        "k": done.report.k,
        "report": done.report.to_json(),
        "why": done.report.why,
        "optimal": done.report.optimal,
        "notes": notes,
        "lookup": done.lookup().is_some(),
        "before": standing(&alike(table, done.policy(), None)?.classes()),
        "after": standing(&alike(table, done.policy(), Some(done.groups()))?.classes()),
    }))
}

/// Some rows of the table, each with what is published of it and how many people look like that.
pub fn rows(opened: &Opened, made: &Made, from: usize, count: usize) -> Result<Value, Error> {
    let (table, policy) = (&opened.table, made.done.policy());
    let before = alike(table, policy, None)?;
    let after = alike(table, policy, Some(made.done.groups()))?;
    let role = |name: &str| policy.role(name).map(|role| role.word());
    let columns: Vec<Value> =
        table.columns().iter().map(|c| json!({ "name": c.name(), "role": role(c.name()) })).collect();
    let to = table.rows().min(from.saturating_add(count));
    let rows: Vec<Value> = (from.min(to)..to)
        .map(|row| {
            let cells: Vec<&str> = table.columns().iter().map(|c| c.text(c.codes()[row])).collect();
            let published = made.done.published(row);
            json!({
                "row": row + 1,
                "before": cells,
                "after": published,
                "alike_before": before.around(row),
                "alike_after": after.around(row),
            })
        })
        .collect();
    let names: Vec<&str> = made.done.columns().collect();
    Ok(json!({ "rows": table.rows(), "columns": columns, "released": names, "list": rows }))
}
