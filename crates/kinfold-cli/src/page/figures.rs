//! What the page shows of a release beside its report: how people stand before and after, and the same rows
//! side by side.

use super::session::{Made, Opened};
use kinfold::Anonymized;
use kinfold::model::judge::WITHHELD;
use kinfold::model::policy::Policy;
use kinfold::model::table::{Table, distinct_rows};
use kinfold::report::Json;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How many people look alike, in every class that a row can belong to.
struct Crowd {
    class_of: Vec<u32>,
    people: Vec<u64>,
}

/// Classes by size and the risks that follow from it.
#[derive(Serialize)]
struct Standing {
    people: u64,
    classes: usize,
    /// People whom nobody equals, as a share.
    unique: f64,
    /// The highest and the average chance that a person is found again: one over the size of the class.
    highest_risk: f64,
    average_risk: f64,
    /// Size, and how many classes have it.
    sizes: Vec<(u64, u64)>,
}

impl Crowd {
    fn new(class_of: Vec<u32>, row_sizes: &dyn Fn(usize) -> u64) -> Self {
        let classes = class_of.iter().filter(|&&class| class != WITHHELD).max().map_or(0, |&most| most + 1);
        let mut people = vec![0; classes as usize];
        for (row, &class) in class_of.iter().enumerate().filter(|(_, class)| **class != WITHHELD) {
            people[class as usize] += row_sizes(row);
        }
        Self { class_of, people }
    }

    /// People who are alike on the quasi-identifiers of the table as it is.
    fn before(table: &Table, policy: &Policy) -> Self {
        let quasi: Vec<&[u32]> =
            policy.quasi().filter_map(|(column, _)| table.column(&column.name)).map(|c| c.codes()).collect();
        Self::new(distinct_rows(&quasi, table.rows()).of_row, &row_sizes(table, policy))
    }

    /// People who are in one group of the release.
    fn after(table: &Table, done: &Anonymized) -> Self {
        Self::new(done.groups().to_vec(), &row_sizes(table, done.policy()))
    }

    /// How many people look like the person of a row, that person included; none if the row is withheld.
    fn around(&self, row: usize) -> Option<u64> {
        self.people.get(self.class_of[row] as usize).copied()
    }

    fn standing(&self) -> Standing {
        let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
        for &size in self.people.iter().filter(|&&size| size > 0) {
            *sizes.entry(size).or_default() += 1;
        }
        let people: u64 = self.people.iter().sum();
        let share = |part: u64| part as f64 / people.max(1) as f64;
        Standing {
            people,
            classes: self.people.len(),
            unique: share(sizes.get(&1).copied().unwrap_or(0)),
            highest_risk: sizes.keys().next().map_or(0.0, |&smallest| 1.0 / smallest as f64),
            average_risk: share(self.people.len() as u64),
            sizes: sizes.into_iter().collect(),
        }
    }
}

/// How many people a row stands for.
fn row_sizes<'t>(table: &'t Table, policy: &Policy) -> impl Fn(usize) -> u64 + use<'t> {
    let counts = policy.count_column().and_then(|name| table.column(name));
    move |row| counts.map_or(1, |column| column.text(column.codes()[row]).trim().parse().unwrap_or(1))
}

/// A release in figures.
pub fn answer(table: &Table, done: &Anonymized) -> Value {
    let notes: Vec<String> = done.report.notes.iter().map(super::trouble::in_words).collect();
    json!({
        "k": done.report.k,
        "report": done.report.to_json(),
        "why": done.report.why,
        "optimal": done.report.optimal,
        "notes": notes,
        "lookup": done.lookup().is_some(),
        "before": Crowd::before(table, done.policy()).standing(),
        "after": Crowd::after(table, done).standing(),
    })
}

/// Some rows of the table, each with what is published of it and how many people look like that.
pub fn rows(opened: &Opened, made: &Made, from: usize, count: usize) -> Value {
    let (table, policy) = (&opened.table, made.done.policy());
    let before = Crowd::before(table, policy);
    let after = Crowd::after(table, &made.done);
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
    json!({ "rows": table.rows(), "columns": columns, "released": names, "list": rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withheld_rows_belong_to_no_class() {
        let crowd = Crowd::new(vec![0, WITHHELD, 0, 1], &|row| row as u64 + 1);
        assert_eq!((crowd.around(0), crowd.around(1), crowd.around(3)), (Some(4), None, Some(4)));
        let standing = crowd.standing();
        assert_eq!((standing.people, standing.classes, standing.unique), (8, 2, 0.0));
        assert_eq!((standing.highest_risk, standing.average_risk), (0.25, 0.25));
        assert_eq!(standing.sizes, [(4, 2)]);
    }
}
