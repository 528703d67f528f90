//! The policy as TOML and as menus, both ways: the text is the truth, the menus are a view of it. A change in a
//! menu changes one line of the text; comments and order stay.

use super::session::Session;
use super::trouble::{Trouble, reported};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, value};

/// A change of a menu: a key of a column, or of the policy itself.
#[derive(Debug, Deserialize)]
pub struct Change {
    column: Option<String>,
    key: String,
    /// What it is set to; null removes the key.
    value: Value,
}

/// The policy of a session: its text, what the menus show, and all mistakes.
pub fn view(session: &Session) -> Value {
    let text = session.policy_text();
    let said = text.parse::<DocumentMut>().ok().map(|doc| json_of(doc.as_table()));
    let mut mistakes = session.policy().err().map(|mistakes| reported(&mistakes)).unwrap_or_default();
    mistakes.iter_mut().for_each(|mistake| mistake.what = session.short(&mistake.what));
    json!({ "toml": text, "said": said.map(long_form), "mistakes": mistakes })
}

/// Every column as a table, also those that are `name = "drop"`.
fn long_form(mut said: Value) -> Value {
    if let Some(Value::Object(columns)) = said.get_mut("columns") {
        for column in columns.values_mut().filter(|column| column.is_string()) {
            *column = json!({ "role": column.take() });
        }
    }
    said
}

/// Changes the text of a policy.
pub fn edited(text: &str, changes: &[Change]) -> Result<String, Trouble> {
    let mut doc: DocumentMut = text.parse().map_err(|_| {
        Trouble::unsuitable("the policy is not TOML, so no menu can change it", "correct the text first")
    })?;
    for change in changes {
        let table: &mut dyn TableLike = match &change.column {
            None => doc.as_table_mut(),
            Some(name) => column(&mut doc, name)?,
        };
        match item_of(&change.value) {
            None => {
                table.remove(&change.key);
            }
            Some(new) => match table.get_mut(&change.key) {
                // What stands around the old value, such as a comment after it, stays.
                Some(old) => {
                    let around = old.as_value().map(|value| value.decor().clone());
                    *old = new;
                    if let (Some(around), Some(value)) = (around, old.as_value_mut()) {
                        *value.decor_mut() = around;
                    }
                }
                None => {
                    table.insert(&change.key, new);
                }
            },
        }
    }
    Ok(doc.to_string())
}

/// The table of a column; the short form becomes one.
fn column<'d>(doc: &'d mut DocumentMut, name: &str) -> Result<&'d mut dyn TableLike, Trouble> {
    let broken = || Trouble::unsuitable("columns is not a table in this policy", "write [columns.NAME]");
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let columns =
        doc.entry("columns").or_insert(Item::Table(implicit)).as_table_like_mut().ok_or_else(broken)?;
    let item = columns.entry(name).or_insert(Item::Table(Table::new()));
    if let Some(role) = item.as_str().map(str::to_owned) {
        let mut long = InlineTable::new();
        long.insert("role", role.into());
        *item = value(long);
    }
    item.as_table_like_mut().ok_or_else(broken)
}

/// A JSON value as TOML; none for null.
fn item_of(json: &Value) -> Option<Item> {
    value_of(json).map(Item::Value)
}

fn value_of(json: &Value) -> Option<toml_edit::Value> {
    Some(match json {
        Value::Null => return None,
        Value::Bool(on) => (*on).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64()?.into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(list) => list.iter().filter_map(value_of).collect::<Array>().into(),
        Value::Object(map) => {
            let entries = map.iter().filter_map(|(key, value)| Some((key.as_str(), value_of(value)?)));
            entries.collect::<InlineTable>().into()
        }
    })
}

fn json_of(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), json_of_item(item))).collect::<Map<_, _>>())
}

fn json_of_item(item: &Item) -> Value {
    match (item.as_value(), item.as_table_like()) {
        (_, Some(table)) => json_of(table),
        (Some(value), _) => json_of_value(value),
        _ => Value::Null,
    }
}

fn json_of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(whole) => (*whole.value()).into(),
        toml_edit::Value::Float(float) => (*float.value()).into(),
        toml_edit::Value::Boolean(on) => (*on.value()).into(),
        toml_edit::Value::Datetime(date) => date.value().to_string().into(),
        toml_edit::Value::Array(list) => list.iter().map(json_of_value).collect(),
        toml_edit::Value::InlineTable(table) => json_of(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, changes: Value) -> String {
        edited(text, &serde_json::from_value::<Vec<Change>>(changes).unwrap()).unwrap()
    }

    #[test]
    fn a_menu_changes_its_own_line_only() {
        let text = "# Mine.\nk = 4  # four\n\n[columns]\nname = \"identifier\"\n\n[columns.age]\nrole = \"quasi\"  # why\n";
        let after = changed(text, json!([{ "key": "k", "value": 5 }]));
        assert_eq!(after, text.replace("k = 4", "k = 5"));
        let after = changed(text, json!([{ "column": "age", "key": "role", "value": "keep" }]));
        assert_eq!(after, text.replace("quasi", "keep"));
        let after = changed(text, json!([{ "column": "age", "key": "weight", "value": 2 }]));
        assert_eq!(after, format!("{text}weight = 2\n"));
        let after = changed(&after, json!([{ "column": "age", "key": "weight", "value": null }]));
        assert_eq!(after, text);
    }

    #[test]
    fn the_short_form_of_a_column_becomes_a_table_when_it_needs_one() {
        let after = changed(
            "[columns]\nname = \"keep\"\n",
            json!([{ "column": "name", "key": "acknowledge", "value": true },
                { "column": "date of birth", "key": "role", "value": "drop" }]),
        );
        let said = json_of(after.parse::<DocumentMut>().unwrap().as_table());
        assert_eq!(
            said,
            json!({ "columns": { "name": { "role": "keep", "acknowledge": true }, "date of birth": { "role": "drop" } } })
        );
    }
}
