//! Everyday flags as the TOML of a policy: `--quasi age:numeric*2` is `columns.age = { role = "quasi", kind =
//! "numeric", weight = 2.0 }`. Whether that makes sense, the reader of policies says.

use crate::args::PolicyArgs;
use kinfold::model::policy::Source;
use std::path::Path;
use toml_edit::{Array, InlineTable, Key, Value};

/// What the flags say, each on its own, so that a mistake knows its flag.
pub fn sources(args: &PolicyArgs, k: Option<i64>) -> Vec<Source> {
    let mut said = Vec::new();
    let mut say = |flag, text: String| said.push(Source::setting(flag, text));
    if let Some(k) = k {
        say("k", format!("k = {k}"));
    }
    args.quasi.iter().for_each(|spec| say("quasi", quasi(spec)));
    let count: Vec<String> = args.count.iter().cloned().collect();
    let roles = [
        ("identifier", &args.identifier),
        ("person", &args.person),
        ("sensitive", &args.sensitive),
        ("keep", &args.keep),
        ("drop", &args.drop),
        ("count", &count),
    ];
    for (role, columns) in roles {
        columns.iter().for_each(|column| say(role, format!("columns.{} = \"{role}\"", key(column))));
    }
    for (model, specs) in [("diversity", &args.diversity), ("closeness", &args.closeness)] {
        specs.iter().for_each(|spec| say(model, protected(model, spec)));
    }
    for (flag, on) in [("drop_rest", args.drop_rest), ("blunt", args.blunt)] {
        if on {
            say(flag, format!("{flag} = true"));
        }
    }
    if let Some(texts) = &args.missing {
        say("missing", format!("missing = {}", texts.iter().collect::<Array>()));
    }
    let words = [
        ("objective", &args.objective),
        ("recoding", &args.recoding),
        ("withhold", &args.withhold),
        ("form", &args.form),
    ];
    for (flag, word) in words {
        word.iter().for_each(|word| say(flag, format!("{flag} = {}", Value::from(word))));
    }
    said.extend(args.set.iter().map(|text| Source::typed("set", text)));
    said
}

/// A name as a key.
pub fn key(name: &str) -> Key {
    Key::new(name.trim())
}

/// A number where it is one, else a text.
pub fn value(text: &str) -> Value {
    let text = text.trim();
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(whole), _) => whole.into(),
        (_, Ok(number)) if number.is_finite() => number.into(),
        _ => text.into(),
    }
}

/// `NAME[:KIND][*WEIGHT]`; numbers and dates may have levels, `age:numeric/5/10`, `admitted:date/month/year`.
fn quasi(spec: &str) -> String {
    let (rest, weight) = match spec.rsplit_once('*') {
        Some((rest, weight)) if !weight.contains(':') => (rest, Some(weight)),
        _ => (spec, None),
    };
    let (name, kind) = rest.split_once(':').map_or((rest, None), |(name, kind)| (name, Some(kind.trim())));
    let mut said = InlineTable::new();
    said.insert("role", "quasi".into());
    let mut say = |key: &str, value: Value| {
        said.insert(key, value);
    };
    if let Some(kind) = kind {
        let ladder = ["numeric/", "date/"].iter().find(|word| kind.starts_with(*word));
        let (kind, levels) = match ladder.and(kind.split_once('/')) {
            Some((kind, levels)) => (kind, Some(levels)),
            None => (kind, None),
        };
        if let Some(levels) = levels {
            say("levels", levels.split('/').map(value).collect::<Array>().into());
        }
        let (word, detail) = kind.split_once('=').map_or((kind, None), |(word, detail)| (word, Some(detail)));
        let known = ["numeric", "date", "prefix", "ordinal", "hierarchy", "region"].contains(&word);
        say("kind", if known { word } else { kind }.into());
        match (word, detail) {
            ("numeric", Some(sign)) => say("decimal", sign.into()),
            ("date", Some(format)) => say("date", format.into()),
            ("prefix", Some(lengths)) => {
                say("prefix", lengths.split('/').map(value).collect::<Array>().into())
            }
            ("ordinal", Some(levels)) => {
                say("order", levels.split('<').map(str::trim).collect::<Array>().into());
            }
            ("hierarchy", Some(file)) => say("hierarchy", file.into()),
            ("region", Some(files)) if !files.is_empty() && !files.ends_with('+') => {
                // A plus parts the two files, unless it belongs to the name of one.
                match files.rsplit_once('+').filter(|_| !Path::new(files).exists()) {
                    Some((edges, nodes)) => {
                        say("regions", edges.into());
                        say("nodes", nodes.into());
                    }
                    None => say("regions", files.into()),
                }
            }
            _ => {}
        }
    }
    if let Some(weight) = weight {
        say("weight", value(weight));
    }
    format!("columns.{} = {said}", key(name))
}

/// `NAME=NUMBERS`, with a word before or after them.
fn protected(model: &str, spec: &str) -> String {
    let (name, said) = spec.split_once('=').unwrap_or((spec, ""));
    let (said, file) = match said.split_once(":hierarchy=") {
        Some((before, file)) => (format!("{before}:hierarchy"), Some(file)),
        None => (said.to_owned(), None),
    };
    let is_word = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic());
    let (words, numbers): (Vec<&str>, Vec<&str>) = said.split(':').map(str::trim).partition(is_word);
    let usual = if model == "diversity" { "distinct" } else { "equal" };
    let word = if words.is_empty() { usual.to_owned() } else { words.join(":") };
    let numbers: Value = match numbers[..] {
        [number] => value(number),
        _ => numbers.into_iter().map(value).collect::<Array>().into(),
    };
    let column = key(name);
    let mut text = format!("columns.{column}.{model} = {{ {} = {numbers} }}", Key::new(word));
    if let Some(file) = file {
        text += &format!("\ncolumns.{column}.hierarchy = {}", Value::from(file));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_kinds_and_weights() {
        let said = [
            ("age", "columns.age = { role = \"quasi\" }"),
            ("zip:category", "columns.zip = { role = \"quasi\", kind = \"category\" }"),
            ("pay:numeric*2.5", "columns.pay = { role = \"quasi\", kind = \"numeric\", weight = 2.5 }"),
            (
                "size:ordinal=S<M<L*3",
                "columns.size = { role = \"quasi\", kind = \"ordinal\", order = [\"S\", \"M\", \"L\"], weight = 3 }",
            ),
            (
                "lat/lon:point*0.5",
                "columns.\"lat/lon\" = { role = \"quasi\", kind = \"point\", weight = 0.5 }",
            ),
            ("icd:prefix=3/1", "columns.icd = { role = \"quasi\", kind = \"prefix\", prefix = [3, 1] }"),
            (
                "home:region=edges.csv+nodes.csv",
                "columns.home = { role = \"quasi\", kind = \"region\", regions = \"edges.csv\", nodes = \"nodes.csv\" }",
            ),
            ("zip*heavy", "columns.zip = { role = \"quasi\", weight = \"heavy\" }"),
        ];
        for (spec, expected) in said {
            assert_eq!(quasi(spec), expected);
        }
    }

    #[test]
    fn privacy_models() {
        let said = [
            ("diversity", "a=3", "columns.a.diversity = { distinct = 3 }"),
            ("diversity", "a=entropy:2.5", "columns.a.diversity = { entropy = 2.5 }"),
            ("diversity", "a=recursive:3:4", "columns.a.diversity = { recursive = [3, 4] }"),
            ("closeness", "a=0.2", "columns.a.closeness = { equal = 0.2 }"),
            ("closeness", "a=0.1:ordered", "columns.a.closeness = { ordered = 0.1 }"),
            (
                "closeness",
                "a=0.1:hierarchy=up.csv",
                "columns.a.closeness = { hierarchy = 0.1 }\ncolumns.a.hierarchy = \"up.csv\"",
            ),
            ("diversity", "a=many:3", "columns.a.diversity = { many = 3 }"),
        ];
        for (model, spec, expected) in said {
            assert_eq!(protected(model, spec), expected);
        }
    }
}
