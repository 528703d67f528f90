//! Every key a policy file may hold: the one list that the reader and the JSON schema share.

use super::{Form, Language};
use crate::cost::Objective;
use crate::metric::{Combine, Scale};
use crate::recoding::Recoding;
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
    /// A decimal sign.
    Sign,
    /// Lowest and highest: two numbers or two dates.
    Pair,
    /// Opening, separator, closing.
    Triple,
    /// A number from 0 on.
    Amount,
    /// Two numbers.
    Numbers,
    /// Any number of them, from 0 on.
    Amounts,
    /// Lengths: whole numbers from 1 on.
    Lengths,
    /// The levels of a ladder: widths, or named groups.
    Rungs,
    /// One of them: a width, a word or a number; also an end of a line.
    Rung,
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
    key("k", Shape::Whole, "Minimum number of rows in a group; of people, with a column of role count."),
    key("objective", Shape::Word(|| words(Objective::ALL, Objective::word)), "What to minimise."),
    key(
        "recoding",
        Shape::Word(|| words(Recoding::ALL, Recoding::word)),
        "Whether values are coded group by group, or once for everybody: one level per column.",
    ),
    key("withhold", Shape::Share, "The share of rows (of people, with a count) that may be left out."),
    key("drop_rest", Shape::Switch, "Whether columns that have no role are left out."),
    key("missing", Shape::Texts, "Texts that mean a missing value, in columns that have none of their own."),
    key("form", Shape::Word(|| words(Form::ALL, Form::word)), "How groups are published."),
    key(
        "blunt",
        Shape::Switch,
        "Whether ends of ranges are rounded outward, so that they are nobody's value.",
    ),
    key("per_group", Shape::Switch, "Whether a release of centres has one line per group."),
    key("one_radius", Shape::Switch, "Whether all centres are published with the largest radius."),
    key("max_groups", Shape::Count, "Maximum number of groups, under objective radius."),
];

/// Keys of `[metric]`.
pub(super) const METRIC: &[Key] = &[
    key("scale", Shape::Word(|| words(Scale::ALL, Scale::word)), "How numbers are scaled in distances."),
    key(
        "combine",
        Shape::Word(|| words(Combine::ALL, Combine::word)),
        "How the distances of columns are combined.",
    ),
    key("points", Shape::Texts, "Pairs of columns that are latitude and longitude, as LATITUDE/LONGITUDE."),
    key("centre", Shape::Word(|| CENTRES.to_vec()), "A record, or the middle where that is nearer."),
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
    key("language", Shape::Word(|| words(Language::ALL, Language::code)), "Language of the report."),
    key("target", Shape::Text, "Column that a model trained on the release is to predict."),
    key("threshold", Shape::Amounts, "Risks above which people are counted; 0.2 and 0.09 when left out."),
    key("population_size", Shape::Count, "People in the population that the table is a sample of."),
    key("sampling_fraction", Shape::Share, "The same by the share of the population that is in the table."),
    key("curve", Shape::Switch, "Whether loss is drawn against k, for some k around the chosen one."),
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
    key("kind", Shape::Word(|| KINDS.to_vec()), "What the values are; inferred when left out."),
    key("acknowledge", Shape::Switch, "Whether it is published though it seems to name people."),
    key("missing", Shape::Texts, "Texts that mean a missing value in this column, in place of the policy's."),
    key("weight", Shape::Number, "How much the column's loss counts; 1 when left out."),
    key("domain", Shape::Pair, "Lowest and highest value that could occur; the table's own when left out."),
    key("round", Shape::Step, "Width that ends of ranges are rounded outward to; none leaves them."),
    key("date", Shape::Text, "Format of dates: %d, %m, %b, %B, %Y, %H, %M, %S, such as %d/%m/%Y."),
    key("decimal", Shape::Sign, "Decimal sign of numbers."),
    key("prefix", Shape::Lengths, "How many characters of a code are kept, such as [3, 1]: E11*, E*."),
    key("order", Shape::Texts, "The levels of an ordinal column, lowest first."),
    key("unit", Shape::Number, "Difference that counts as distance 1, with scale given; 1 when left out."),
    key("hierarchy", Shape::Text, "File with the hierarchy, relative to the policy file."),
    key("regions", Shape::Text, "File with the pairs of regions that touch, relative to the policy file."),
    key("nodes", Shape::Text, "File with one line per region: people, and its position as x and y."),
    key("diversity", Shape::Model(DIVERSITY), "How diverse a sensitive column is in every group."),
    key(
        "closeness",
        Shape::Model(CLOSENESS),
        "Maximum distance of its distribution in a group from the release's.",
    ),
    key("likeness", Shape::Model(LIKENESS), "Maximum relative gain in the frequency of a value."),
    key(
        "disclosure",
        Shape::Number,
        "Bound on |ln(q / p)|, for the shares of a value in a group and in the release.",
    ),
    key("values", Shape::Text, "File with a hierarchy whose names are compared instead of the cells."),
    key(
        "level",
        Shape::Rung,
        "The level of all cells, as finest says it; auto: chosen by search; with values: what is compared.",
    ),
    key(
        "levels",
        Shape::Rungs,
        "Widths of nested intervals, words of the calendar, or named groups of labels.",
    ),
    key("origin", Shape::Rung, "Number that intervals are counted from; 0 when left out."),
    key("top", Shape::Rung, "All values from here on are published as one, such as 90+."),
    key("bottom", Shape::Rung, "All values below are published as one, such as <18."),
    key(
        "finest",
        Shape::Rung,
        "The finest level that is published: a width, a length, a word or a level's number.",
    ),
    key("coarsest", Shape::Rung, "The coarsest level that is published, said in the same way."),
    key("unknown", Shape::Word(|| vec!["top"]), "Where values go that the hierarchy lacks: to its root."),
];

/// Keys of `[columns.NAME]` that speak of sensitive columns alone, and of quasi-identifiers alone.
pub(super) const PROTECTING: [&str; 5] = ["diversity", "closeness", "likeness", "disclosure", "values"];
pub(super) const GROUPING: [&str; 8] =
    ["weight", "domain", "round", "unit", "regions", "nodes", "finest", "coarsest"];

/// Keys of `[columns.NAME]` that say what a kept column is published as.
pub(super) const RECODING: [&str; 12] = [
    "kind",
    "date",
    "decimal",
    "prefix",
    "order",
    "hierarchy",
    "levels",
    "origin",
    "top",
    "bottom",
    "level",
    "unknown",
];

/// Keys of `[columns.NAME]` that a coordinate has beside its point.
pub(super) const COORDINATE: [&str; 4] = ["domain", "unit", "round", "missing"];

/// Keys of `diversity`.
pub(super) const DIVERSITY: &[Key] = &[
    key("distinct", Shape::Count, "The least number of distinct values; a bare number means the same."),
    key("entropy", Shape::Number, "As much entropy as so many equally frequent values have."),
    key(
        "recursive",
        Shape::Numbers,
        "c and l: the most frequent value is less than c times all from the l-th on.",
    ),
];

/// Keys of `closeness`.
pub(super) const CLOSENESS: &[Key] = &[
    key("t", Shape::Amount, "The largest distance, 0 to 1; a bare number means the same."),
    key(
        "distance",
        Shape::Word(|| words(Distance::ALL, Distance::word)),
        "How far apart two values are; equal when left out.",
    ),
    key("equal", Shape::Amount, "The largest distance where all values are equally far apart."),
    key("ordered", Shape::Amount, "The largest distance by the order of the values."),
    key("hierarchy", Shape::Amount, "The largest distance by the column's hierarchy."),
];

/// Keys of `likeness`.
pub(super) const LIKENESS: &[Key] = &[
    key("basic", Shape::Amount, "The largest relative gain; a bare number means the same."),
    key("enhanced", Shape::Amount, "The same, and never more than -ln p."),
];

fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|&one| word(one)).collect()
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
    let coordinate = COLUMN.iter().filter(|key| COORDINATE.contains(&key.name));
    let column = json!({ "oneOf": [
        Shape::Word(|| ROLES.to_vec()).schema(),
        object("What one column is.", COLUMN, &["role"]),
        object("What else is said of a coordinate of a point.", coordinate, &[]),
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

fn object<'k>(about: &str, keys: impl IntoIterator<Item = &'k Key>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "description": about,
        "properties": properties(keys),
        "required": required,
        "additionalProperties": false,
    })
}

fn properties<'k>(keys: impl IntoIterator<Item = &'k Key>) -> Map<String, Value> {
    keys.into_iter()
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
            Self::Text | Self::Sign => "a text in quotes".into(),
            Self::Share => "a share such as \"2%\" or 0.02".into(),
            Self::Step => "a width such as 5 or \"month\"".into(),
            Self::Word(words) => {
                format!("one of {}", words().iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(", "))
            }
            Self::Texts => "a list of texts, such as [\"a\", \"b\"]".into(),
            Self::Pair => "two ends, such as [0, 120] or [\"2000-01-01\", \"2020-12-31\"]".into(),
            Self::Triple => "three texts, such as [\"{\", \"|\", \"}\"]".into(),
            Self::Lengths => "a list of lengths, such as [3, 1]".into(),
            Self::Rungs => {
                "a list of widths such as [5, 10] or [\"month\", \"year\"], or a table of named groups".into()
            }
            Self::Rung => "a number, or a text in quotes".into(),
            Self::Amount => "a number from 0 on".into(),
            Self::Numbers => "two numbers, such as [3.0, 3]".into(),
            Self::Amounts => "a list of numbers, such as [0.2, 0.09]".into(),
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
            Self::Sign => json!({ "enum": [".", ","] }),
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
            Self::Amounts => {
                json!({ "type": "array", "items": { "type": "number", "minimum": 0 } })
            }
            Self::Rungs => {
                let item = json!({ "type": ["number", "string"] });
                json!({ "oneOf": [{ "type": "array", "items": item, "minItems": 1 }, { "type": "object" }] })
            }
            Self::Rung => json!({ "type": ["number", "string"] }),
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
