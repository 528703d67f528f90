//! Every key a policy file may hold: the one list that the reader and the JSON schema share.

use super::Form;
use crate::cost::Objective;
use crate::metric::{Combine, Scale};
use serde_json::{Map, Value, json};

/// What a key's value looks like.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Whole,
    /// A whole number from 1 on.
    Count,
    Switch,
    Number,
    Text,
    /// A share: `"2%"` or `0.02`.
    Share,
    Word(fn() -> Vec<&'static str>),
    Texts,
    /// Lowest and highest: two numbers or two dates.
    Pair,
    /// Opening, separator, closing.
    Triple,
}

pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) about: &'static str,
}

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, shape, about }
}

pub(super) const ROLES: [&str; 7] = ["quasi", "identifier", "sensitive", "keep", "drop", "count", "setup"];
pub(super) const CENTRES: [&str; 2] = ["record", "middle"];
pub(super) const KINDS: [&str; 7] =
    ["numeric", "date", "ordinal", "category", "hierarchy", "region", "point"];

/// Keys at the top. `columns` and `format` are tables and stand apart.
pub(super) const TOP: &[Key] = &[
    key("k", Shape::Whole, "The least number of people in a group."),
    key("objective", Shape::Word(objectives), "What is to be small."),
    key("withhold", Shape::Share, "The share of people that may be left out of the release."),
    key("missing", Shape::Texts, "Texts that stand for a missing value."),
    key("form", Shape::Word(forms), "How groups are published."),
    key(
        "per_group",
        Shape::Switch,
        "Whether a release of centres has one line per group instead of one per row.",
    ),
    key(
        "one_radius",
        Shape::Switch,
        "Whether every group of a release of centres tells the largest radius of all instead of its own.",
    ),
    key("max_groups", Shape::Count, "The most groups there may be, under objective radius."),
];

/// Keys of `[metric]`.
pub(super) const METRIC: &[Key] = &[
    key("scale", Shape::Word(scales), "What numbers are divided by before they are compared."),
    key("combine", Shape::Word(combines), "How the columns' distances make one."),
    key("points", Shape::Texts, "Pairs of columns that are latitude and longitude, as LATITUDE/LONGITUDE."),
    key(
        "centre",
        Shape::Word(|| CENTRES.to_vec()),
        "What a centre is: a record of the table, or the middle of the group where that is nearer.",
    ),
    key("setup", Shape::Number, "What every group costs under objective cellular, besides its people."),
];

/// Keys of `[format]`.
pub(super) const FORMAT: &[Key] = &[
    key("range", Shape::Text, "A range of numbers or levels, with {lo} and {hi}."),
    key("date_range", Shape::Text, "A range of dates, with {lo} and {hi}."),
    key("set", Shape::Triple, "A set of labels: opening, separator, closing."),
    key("star", Shape::Text, "A cell that says nothing."),
];

/// Keys of `[columns.NAME]`.
pub(super) const COLUMN: &[Key] = &[
    key("role", Shape::Word(|| ROLES.to_vec()), "What part the column plays."),
    key(
        "kind",
        Shape::Word(|| KINDS.to_vec()),
        "What the values of a quasi-identifier are; inferred when left out.",
    ),
    key("weight", Shape::Number, "How much the column's loss counts; 1 when left out."),
    key("domain", Shape::Pair, "Lowest and highest value that could occur; the table's own when left out."),
    key("order", Shape::Texts, "The levels of an ordinal column, lowest first."),
    key(
        "unit",
        Shape::Number,
        "What makes a distance of 1, where the metric's scale is given; 1 when left out.",
    ),
    key("hierarchy", Shape::Text, "File with the hierarchy, relative to the policy file."),
    key("regions", Shape::Text, "File with the pairs of regions that touch, relative to the policy file."),
    key("nodes", Shape::Text, "File with a line per region: people, and where it lies as x and y."),
];

fn objectives() -> Vec<&'static str> {
    Objective::ALL.iter().map(|o| o.word()).collect()
}

fn scales() -> Vec<&'static str> {
    Scale::ALL.iter().map(|s| s.word()).collect()
}

fn combines() -> Vec<&'static str> {
    Combine::ALL.iter().map(|c| c.word()).collect()
}

fn forms() -> Vec<&'static str> {
    Form::ALL.iter().map(|f| f.word()).collect()
}

/// The JSON schema of a policy file.
pub fn json_schema() -> Value {
    let mut top = properties(TOP);
    top.insert("format".into(), object("How published cells are written.", FORMAT, &[]));
    top.insert(
        "metric".into(),
        object("How far apart records are, under objectives that make clusters.", METRIC, &[]),
    );
    let column = json!({ "oneOf": [
        Shape::Word(|| ROLES.to_vec()).schema(),
        object("What one column is.", COLUMN, &["role"]),
    ]});
    top.insert(
        "columns".into(),
        json!({ "type": "object", "description": "What each column is, by name.", "additionalProperties": column }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kinfold policy",
        "type": "object",
        "properties": top,
        "required": ["k", "columns"],
        "additionalProperties": false,
    })
}

fn object(about: &str, keys: &[Key], required: &[&str]) -> Value {
    json!({
        "type": "object",
        "description": about,
        "properties": properties(keys),
        "required": required,
        "additionalProperties": false,
    })
}

fn properties(keys: &[Key]) -> Map<String, Value> {
    keys.iter()
        .map(|k| {
            let mut schema = k.shape.schema();
            schema["description"] = k.about.into();
            (k.name.to_owned(), schema)
        })
        .collect()
}

impl Shape {
    /// What to write, for a hint.
    pub(super) fn wanted(self) -> String {
        match self {
            Self::Whole => "a whole number".into(),
            Self::Count => "a whole number from 1 on".into(),
            Self::Switch => "true or false".into(),
            Self::Number => "a number".into(),
            Self::Text => "a text in quotes".into(),
            Self::Share => "a share such as \"2%\" or 0.02".into(),
            Self::Word(words) => {
                format!("one of {}", words().iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", "))
            }
            Self::Texts => "a list of texts, such as [\"a\", \"b\"]".into(),
            Self::Pair => "two ends, such as [0, 120] or [\"2000-01-01\", \"2020-12-31\"]".into(),
            Self::Triple => "three texts, such as [\"{\", \"|\", \"}\"]".into(),
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Whole => json!({ "type": "integer", "minimum": 2 }),
            Self::Count => json!({ "type": "integer", "minimum": 1 }),
            Self::Switch => json!({ "type": "boolean" }),
            Self::Number => json!({ "type": "number", "exclusiveMinimum": 0 }),
            Self::Text => json!({ "type": "string" }),
            Self::Share => json!({ "oneOf": [
                { "type": "number", "minimum": 0, "exclusiveMaximum": 1 },
                { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$" },
            ]}),
            Self::Word(words) => json!({ "enum": words() }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Pair => {
                json!({ "type": "array", "items": { "type": ["number", "string"] }, "minItems": 2, "maxItems": 2 })
            }
            Self::Triple => {
                json!({ "type": "array", "items": { "type": "string" }, "minItems": 3, "maxItems": 3 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_shipped_schema_is_the_current_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../policy.schema.json");
        let shipped: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(
            shipped,
            super::json_schema(),
            "write it anew: kinfold generate schema > policy.schema.json"
        );
    }
}
