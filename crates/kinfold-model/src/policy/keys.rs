//! Every key a policy file may hold: the one list that the reader and the JSON schema share.

use super::Form;
use crate::cost::Objective;
use crate::metric::{Combine, Scale};
use crate::requirement::Distance;
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
    /// A width: `5` or `"month"`.
    Step,
    Word(fn() -> Vec<&'static str>),
    Texts,
    /// Lowest and highest: two numbers or two dates.
    Pair,
    /// Opening, separator, closing.
    Triple,
    /// A number from 0 on.
    Amount,
    /// Two numbers.
    Numbers,
    /// Lengths: whole numbers from 1 on.
    Lengths,
    /// A privacy model: a number, or a table with these keys.
    Model(&'static [Key]),
}

#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) about: &'static str,
}

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, shape, about }
}

pub(super) const ROLES: [&str; 8] =
    ["quasi", "identifier", "person", "sensitive", "keep", "drop", "count", "setup"];
pub(super) const CENTRES: [&str; 2] = ["record", "middle"];
pub(super) const KINDS: [&str; 8] =
    ["numeric", "date", "ordinal", "category", "prefix", "hierarchy", "region", "point"];

/// Keys at the top. `columns` and `format` are tables and stand apart.
pub(super) const TOP: &[Key] = &[
    key(
        "k",
        Shape::Whole,
        "Minimum number of rows in a group (equivalence class); of people, with a column of role count.",
    ),
    key("objective", Shape::Word(objectives), "What to minimise."),
    key(
        "withhold",
        Shape::Share,
        "The share of rows that may be left out of the release; of people, with a column of role count.",
    ),
    key("missing", Shape::Texts, "Texts that mean a missing value."),
    key("form", Shape::Word(forms), "How groups are published."),
    key(
        "blunt",
        Shape::Switch,
        "Whether the ends of ranges are rounded outward, so that they are nobody's value; the step is chosen from the \
         data where a column has no key round.",
    ),
    key(
        "per_group",
        Shape::Switch,
        "Whether a release of centres has one line per group instead of one per row.",
    ),
    key(
        "one_radius",
        Shape::Switch,
        "Whether every group of a release of centres states the largest radius of all groups instead of its own.",
    ),
    key("max_groups", Shape::Count, "Maximum number of groups, under objective radius."),
];

/// Keys of `[metric]`.
pub(super) const METRIC: &[Key] = &[
    key("scale", Shape::Word(scales), "How numbers are scaled in distances."),
    key("combine", Shape::Word(combines), "How the distances of columns are combined."),
    key("points", Shape::Texts, "Pairs of columns that are latitude and longitude, as LATITUDE/LONGITUDE."),
    key(
        "centre",
        Shape::Word(|| CENTRES.to_vec()),
        "What a centre is: a record of the table, or the middle of the group where that is nearer.",
    ),
    key("setup", Shape::Number, "Set-up cost of every group, under objective cellular."),
];

/// Keys of `[presence]`.
pub(super) const PRESENCE: &[Key] = &[
    key("population", Shape::Text, "File with the table of the population, relative to the policy file."),
    key("at_most", Shape::Amount, "The largest share of a group's population that may be in the table."),
    key("at_least", Shape::Amount, "The smallest such share: only 0 can be said, as when it is left out."),
];

/// Keys of `[report]`.
pub(super) const REPORT: &[Key] = &[
    key("purpose", Shape::Text, "What the release is for."),
    key("recipient", Shape::Text, "Who gets the release."),
    key("controller", Shape::Text, "Who answers for the release."),
    key("legal_basis", Shape::Text, "On which legal basis the release is made."),
    key("contact", Shape::Text, "Whom to ask about the release."),
    key("earlier_releases", Shape::Text, "Which releases about the same people there were before."),
    key("review_date", Shape::Text, "When the decision is reviewed."),
];

/// Keys of `[format]`.
pub(super) const FORMAT: &[Key] = &[
    key("range", Shape::Text, "A range of numbers or levels, with {lo} and {hi}."),
    key("date_range", Shape::Text, "A range of dates, with {lo} and {hi}."),
    key("set", Shape::Triple, "A set of labels: opening, separator, closing."),
    key("star", Shape::Text, "A suppressed cell."),
];

/// Keys of `[columns.NAME]`.
pub(super) const COLUMN: &[Key] = &[
    key("role", Shape::Word(|| ROLES.to_vec()), "Role of the column."),
    key(
        "kind",
        Shape::Word(|| KINDS.to_vec()),
        "What the values of a quasi-identifier are, inferred when left out; or of a sensitive column.",
    ),
    key(
        "acknowledge",
        Shape::Switch,
        "Whether a kept or sensitive column is published though it seems to name people.",
    ),
    key("weight", Shape::Number, "How much the column's loss counts; 1 when left out."),
    key("domain", Shape::Pair, "Lowest and highest value that could occur; the table's own when left out."),
    key(
        "round",
        Shape::Step,
        "Width of the cells that the ends of ranges are rounded outward to: a number, a number of levels, or day, week, \
         month, quarter, year or decade; none leaves them as they are.",
    ),
    key(
        "date",
        Shape::Text,
        "Format of dates that are not ISO dates, such as %d/%m/%Y: %d, %m, %b, %B, %Y, %H, %M, %S.",
    ),
    key(
        "decimal",
        Shape::Word(decimals),
        "Decimal sign of numbers; the other sign, a blank or an apostrophe may separate thousands.",
    ),
    key(
        "prefix",
        Shape::Lengths,
        "How many characters of a code are kept, longest first: [3, 1] publishes E11.9, E11*, E* or *.",
    ),
    key("order", Shape::Texts, "The levels of an ordinal column, lowest first."),
    key("unit", Shape::Number, "Difference that counts as distance 1, with scale given; 1 when left out."),
    key("hierarchy", Shape::Text, "File with the hierarchy, relative to the policy file."),
    key("regions", Shape::Text, "File with the pairs of regions that touch, relative to the policy file."),
    key("nodes", Shape::Text, "File with one line per region: people, and its position as x and y."),
    key("diversity", Shape::Model(DIVERSITY), "How diverse a sensitive column is in every group."),
    key(
        "closeness",
        Shape::Model(CLOSENESS),
        "Maximum distance between the distribution of a sensitive column in a group and in the release.",
    ),
    key(
        "likeness",
        Shape::Model(LIKENESS),
        "Maximum relative gain in the frequency of a sensitive value, from the release to a group.",
    ),
    key(
        "disclosure",
        Shape::Number,
        "Bound on |ln(q / p)|, for the shares q and p of every sensitive value in a group and in the release.",
    ),
    key(
        "values",
        Shape::Text,
        "File with a hierarchy: the cells of a sensitive column are replaced by their ancestors on one of its levels \
         before they are compared.",
    ),
    key(
        "level",
        Shape::Count,
        "Which level of values is compared; 1, the first above the cells, when left out.",
    ),
];

/// Keys of `[columns.NAME]` that speak of sensitive columns alone, and of quasi-identifiers alone.
pub(super) const PROTECTING: [&str; 6] =
    ["diversity", "closeness", "likeness", "disclosure", "values", "level"];
pub(super) const GROUPING: [&str; 7] = ["weight", "domain", "round", "unit", "prefix", "regions", "nodes"];

/// Keys of `diversity`.
pub(super) const DIVERSITY: &[Key] = &[
    key("distinct", Shape::Count, "The least number of distinct values; a bare number means the same."),
    key("entropy", Shape::Number, "As much entropy as so many equally frequent values have."),
    key(
        "recursive",
        Shape::Numbers,
        "c and l: the most frequent value less than c times as frequent as all from the l-th on together.",
    ),
];

/// Keys of `closeness`.
pub(super) const CLOSENESS: &[Key] = &[
    key("t", Shape::Amount, "The largest distance, 0 to 1; a bare number means the same."),
    key("distance", Shape::Word(distances), "How far apart two values are; equal when left out."),
];

/// Keys of `likeness`.
pub(super) const LIKENESS: &[Key] = &[
    key("basic", Shape::Amount, "The largest relative gain; a bare number means the same."),
    key("enhanced", Shape::Amount, "The same, and never more than -ln p."),
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

fn distances() -> Vec<&'static str> {
    Distance::ALL.iter().map(|d| d.word()).collect()
}

fn decimals() -> Vec<&'static str> {
    vec![".", ","]
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
    top.insert("report".into(), object("What the report says of purpose and responsibility.", REPORT, &[]));
    let about = "Bounds on the probability that a member of a population is in the table (presence).";
    top.insert("presence".into(), object(about, PRESENCE, &["population", "at_most"]));
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
            Self::Step => "a width such as 5 or \"month\"".into(),
            Self::Word(words) => {
                format!("one of {}", words().iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", "))
            }
            Self::Texts => "a list of texts, such as [\"a\", \"b\"]".into(),
            Self::Pair => "two ends, such as [0, 120] or [\"2000-01-01\", \"2020-12-31\"]".into(),
            Self::Triple => "three texts, such as [\"{\", \"|\", \"}\"]".into(),
            Self::Lengths => "a list of lengths, such as [3, 1]".into(),
            Self::Amount => "a number from 0 on".into(),
            Self::Numbers => "two numbers, such as [3.0, 3]".into(),
            Self::Model(keys) => {
                format!(
                    "a number, or a table of {}",
                    keys.iter().map(|k| k.name).collect::<Vec<_>>().join(", ")
                )
            }
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
            Self::Step => json!({ "oneOf": [
                { "type": "number", "exclusiveMinimum": 0 },
                { "type": "string", "pattern": "^(none|([0-9]+ )?(day|week|month|quarter|year|decade)s?)$" },
            ]}),
            Self::Word(words) => json!({ "enum": words() }),
            Self::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Pair => {
                json!({ "type": "array", "items": { "type": ["number", "string"] }, "minItems": 2, "maxItems": 2 })
            }
            Self::Triple => {
                json!({ "type": "array", "items": { "type": "string" }, "minItems": 3, "maxItems": 3 })
            }
            Self::Amount => json!({ "type": "number", "minimum": 0 }),
            Self::Numbers => {
                json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 })
            }
            Self::Lengths => {
                json!({ "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 1 })
            }
            Self::Model(keys) => {
                let number = keys.first().map_or(Value::Null, |key| key.shape.schema());
                json!({ "oneOf": [number, object("The same in detail.", keys, &[])] })
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
