//! Metadata of typed files, judged by what they say: names of columns and words of schemas are no values. What cannot
//! be told apart is named, and not judged.

use super::Table;
use super::guard::guard;
use super::hidden::{Found, Hidden, Place};
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::Schema;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// The texts of metadata that are neither names of columns nor words of schemas.
pub(super) struct Words {
    names: HashSet<String>,
    /// By key and text, the column that they are about.
    values: BTreeMap<(String, String), Option<String>>,
    unclear: Vec<String>,
}

/// Keys whose texts are about the schema, or start so. What else they name is unclear.
const SCHEMAS: &str = "pandas org.apache.spark. parquet.avro.schema avro.schema writer.model.name parquet.proto. \
    iceberg.schema PARQUET: ARROW:extension: _PL_CATEGORICAL r";

/// Words that schemas are made of: keys, types, programs.
const VOCABULARY: &str = "attributes binary bool boolean bytes categorical category column_indexes columns creator date \
    date32 datetime datetimetz decimal double empty encoding fastparquet field_name fields float index_columns \
    integer kind library long metadata mixed mixed-integer name null nullable num_categories numpy_type object ordered \
    pandas pandas_type pandas_version partition_columns precision pyarrow range record scale short start step stop \
    str string struct time timedelta timestamp timezone type unicode unit utf-8 version void";

/// Types that a number of bits may follow, and units of time.
const TYPES: [&str; 11] =
    ["int", "uint", "float", "datetime", "timedelta", "decimal", "m", "ns", "us", "ms", "s"];

/// What stands under these keys names something: a column that there was once, a zone, a program.
const NAMES: [&str; 7] =
    ["name", "field_name", "timezone", "version", "pandas_version", "library", "index_columns"];

impl Words {
    pub fn new(names: &[String]) -> Self {
        Self { names: names.iter().cloned().collect(), values: BTreeMap::new(), unclear: Vec::new() }
    }

    /// What a schema has besides names and types.
    pub fn schema(&mut self, schema: &Schema) {
        schema.metadata().iter().for_each(|(key, value)| self.add(None, key, value));
        for field in schema.fields() {
            field.metadata().iter().for_each(|(key, value)| self.add(Some(field.name()), key, value));
        }
    }

    /// What stands under a key, of a column or of the file.
    pub fn add(&mut self, column: Option<&str>, key: &str, value: &str) {
        if key == "ARROW:schema" {
            let schema = BASE64_STANDARD.decode(value).ok().and_then(|bytes| {
                // The library expects a schema that is whole.
                guard(|| try_schema_from_ipc_buffer(&bytes)).ok()?.ok()
            });
            return match schema {
                Some(schema) => self.schema(&schema),
                None => self.unclear.push(key.to_owned()),
            };
        }
        let starts = |known: &str| known.ends_with(['.', ':']) && key.starts_with(known);
        let about_schema = SCHEMAS.split(' ').any(|known| key == known || starts(known));
        let mut texts = Vec::new();
        match serde_json::from_str(value) {
            Ok(json) => strings(&json, "", &mut texts),
            Err(_) if key == "_PL_ENUM_VALUES" => texts.extend(counted(value).map(|text| (text, false))),
            Err(_) => texts.push((value.to_owned(), true)),
        }
        texts.retain(|(text, _)| !self.harmless(text));
        for (text, names) in texts {
            if names && about_schema {
                self.unclear.push(key.to_owned());
            } else {
                self.values.insert((key.to_owned(), text), column.map(str::to_owned));
            }
        }
    }

    /// Names of columns, words of schemas, types and versions.
    fn harmless(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let base = lower.split(['[', '(', '<']).next().unwrap_or_default().trim_start_matches("large_");
        let typed = base.trim_start_matches(['<', '>', '|']).trim_end_matches(|c: char| c.is_ascii_digit());
        let version = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '+' | '-');
        let known = |word: &str| VOCABULARY.split(' ').any(|known| known == word);
        text.is_empty()
            || self.names.contains(text)
            || known(&lower)
            || known(base)
            || TYPES.contains(&typed)
            || text.len() < 12 && text.chars().all(version)
            || text.starts_with("__index_level_") && text.len() < 20
    }

    /// What cells say is no secret. Without the cells that is not decided.
    pub fn finish(mut self, table: Option<&Table>, found: &mut Found) {
        match table {
            Some(table) => {
                let wanted: HashSet<String> = self.values.keys().map(|(_, text)| text.clone()).collect();
                let mut told: HashSet<&str> = HashSet::new();
                for column in table.columns().iter().filter(|_| !wanted.is_empty()) {
                    let texts = (0..column.distinct() as u32).map(|code| column.text(code));
                    told.extend(texts.filter(|text| wanted.contains(*text)));
                }
                self.values.retain(|(_, text), _| !told.contains(text.as_str()));
            }
            None => self.unclear.extend(std::mem::take(&mut self.values).into_keys().map(|(key, _)| key)),
        }
        let mut by_key: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
        for ((key, _), column) in self.values {
            *by_key.entry((key, column)).or_default() += 1;
        }
        let hidden = |((key, column), values)| Hidden { column, place: Place::Metadata(key), values };
        found.hidden.extend(by_key.into_iter().map(hidden));
        self.unclear.sort();
        self.unclear.dedup();
        found.unclear.append(&mut self.unclear);
    }
}

/// The texts of a JSON value, and whether they name something.
fn strings(json: &Value, key: &str, texts: &mut Vec<(String, bool)>) {
    match json {
        Value::String(text) => texts.push((text.clone(), NAMES.contains(&key))),
        Value::Array(list) => list.iter().for_each(|value| strings(value, key, texts)),
        Value::Object(map) => {
            for (key, value) in map {
                texts.push((key.clone(), false));
                strings(value, key, texts);
            }
        }
        _ => {}
    }
}

/// Texts of which each has its length before it: `3;flu4;gout`.
fn counted(list: &str) -> impl Iterator<Item = String> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let (length, after) = rest.split_once(';')?;
        let (text, left) = after.split_at_checked(length.parse().ok()?)?;
        rest = left;
        Some(text.to_owned())
    })
}
