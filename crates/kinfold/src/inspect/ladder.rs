//! A ladder of levels made from the values of a column, for somebody to review: a proposal, with a preview.
//!
//! What a policy can say itself (widths, steps of the calendar, lengths of beginnings) is read by the policy's own
//! reader, so the preview shows exactly what a release would. The other ladders are lines of a hierarchy file.

use super::column::inspect_column;
use super::draft::{bare_or_quoted, quoted};
use crate::error::Error;
use crate::publish::bands::joined as joined_band;
use crate::settings::Word;
use kinfold_model::bands::in_order;
use kinfold_model::encode::encode;
use kinfold_model::kind::{Kind, infer, is_missing};
use kinfold_model::policy::{Mistake, Mistakes, Policy};
use kinfold_model::table::{Column, Table};
use kinfold_model::value::parse_number;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a ladder is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Their meanings are in `Word::WORDS`.
pub enum Making {
    Round,
    Even,
    Calendar,
    Prefix,
    Bands,
    Frequent,
}

impl Word for Making {
    const WHAT: &'static str = "way to make levels";
    const WORDS: &'static [(&'static str, Self, &'static str)] = &[
        ("round", Self::Round, "Numbers by round widths, such as 5, 10 and 20"),
        ("even", Self::Even, "Numbers by intervals that hold about as many rows each"),
        ("calendar", Self::Calendar, "Dates by week, or by month, quarter, year and decade"),
        ("prefix", Self::Prefix, "Codes by their beginnings"),
        ("bands", Self::Bands, "Bands such as 20-24 by wider bands"),
        ("frequent", Self::Frequent, "Labels: frequent ones stay, the others are joined"),
    ];
}

impl Making {
    /// The word for it.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, making, _)| *making == self).map_or("", |(word, ..)| word)
    }

    /// The kinds of columns that it goes with.
    fn fits(self, kind: &str) -> bool {
        match self {
            Self::Round | Self::Even => kind == "numeric",
            Self::Calendar => kind == "date",
            Self::Bands => kind == "ordinal",
            Self::Prefix | Self::Frequent => matches!(kind, "category" | "prefix" | "ordinal"),
        }
    }

    /// The usual one for a kind.
    fn usual(kind: &str) -> Self {
        match kind {
            "numeric" => Self::Round,
            "date" => Self::Calendar,
            "prefix" => Self::Prefix,
            "ordinal" => Self::Bands,
            _ => Self::Frequent,
        }
    }
}

/// A ladder that is proposed for a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Proposal {
    /// The column.
    pub column: String,
    /// How it was made.
    pub by: &'static str,
    /// Every level, the values first.
    pub levels: Vec<LevelPreview>,
    /// What a policy says of the column; without `hierarchy`, which names the file of [`Proposal::to_file`].
    pub policy: String,
    /// Whether the policy needs that file.
    pub needs_file: bool,
    /// Every value, and what it is called on each level above.
    #[serde(skip)]
    lines: Vec<Vec<String>>,
}

/// One level of a ladder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LevelPreview {
    /// Its number; 0 are the values.
    pub level: usize,
    /// How many different names it has.
    pub names: usize,
    /// Rows with the rarest of them.
    pub smallest: usize,
    /// The most frequent name; of values none is shown.
    pub example: Option<String>,
}

/// A value of the column that is not missing, and its rows.
struct Present<'a> {
    text: &'a str,
    rows: usize,
}

/// Proposes a ladder for a column. `missing`: texts that stand for a missing value.
pub fn propose_levels(
    table: &Table,
    name: &str,
    by: Option<Making>,
    missing: &[String],
) -> Result<Proposal, Error> {
    let refuse =
        |what: String, hint: String| Error::from(Mistakes::from(vec![Mistake::new(what, None).hint(hint)]));
    let Some(column) = table.column(name) else {
        let known: Vec<&str> = table.columns().iter().map(|column| column.name()).collect();
        return Err(refuse(
            format!("the table has no column {name:?}"),
            format!("its columns are {}", known.join(", ")),
        ));
    };
    let found = inspect_column(column, table.rows(), missing);
    let mut kind = found.kind;
    // What is read as codes by its name, but holds numbers, can be cut like numbers if that is asked for.
    if by.is_some_and(|by| matches!(by, Making::Round | Making::Even))
        && infer(column, missing).kind == Kind::Numeric
    {
        kind = "numeric";
    }
    let by = by.unwrap_or_else(|| Making::usual(kind));
    if !by.fits(kind) {
        let fitting = Making::WORDS.iter().filter(|(_, making, _)| making.fits(kind)).map(|(word, ..)| *word);
        let hint = format!("choose one of {}", fitting.collect::<Vec<_>>().join(", "));
        return Err(refuse(
            format!("column {name:?} is of kind {kind}: no ladder is made by {}", by.word()),
            hint,
        ));
    }
    let present = present(column, missing);
    if present.len() < 3 {
        let hint = "a column of one or two values needs no levels".to_owned();
        return Err(refuse(format!("column {name:?} has {} distinct values", present.len()), hint));
    }
    let mut policy = format!("[columns.{}]\nrole = \"quasi\"\n", bare_or_quoted(name));
    let spelled = || {
        found.keys.iter().filter(|(key, _)| *key != "prefix").map(|(key, said)| format!("{key} = {said}\n"))
    };
    let own = match by {
        Making::Round => Some(format!(
            "kind = \"numeric\"\n{}levels = {}\n",
            spelled().collect::<String>(),
            round(&present)
        )),
        Making::Calendar => Some(format!(
            "kind = \"date\"\n{}levels = {}\n",
            spelled().collect::<String>(),
            calendar(table, &found.keys, column, missing)?
        )),
        Making::Prefix => {
            Some(format!("kind = \"prefix\"\nprefix = {}\n", beginnings(&found.keys, &present)))
        }
        Making::Even | Making::Bands | Making::Frequent => None,
    };
    let lines = match &own {
        Some(keys) => {
            policy.push_str(keys);
            as_published(table, &policy, column, missing)?
        }
        None => {
            policy.push_str("kind = \"hierarchy\"\n");
            match by {
                Making::Even => even(&present),
                Making::Bands => wider_bands(&present),
                _ => frequent(&present),
            }
        }
    };
    let levels = preview(&lines, &present);
    Ok(Proposal { column: name.to_owned(), by: by.word(), levels, policy, needs_file: own.is_none(), lines })
}

impl Proposal {
    /// The ladder as a hierarchy file in ARX's format: a line per value, `;` between levels. It holds every value of
    /// the column.
    pub fn to_file(&self) -> String {
        let field = |text: &String| match text.contains([';', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let line = |line: &Vec<String>| line.iter().map(field).collect::<Vec<_>>().join(";") + "\n";
        self.lines.iter().map(line).collect()
    }
}

/// The values that are not missing, in the order of their texts.
fn present<'a>(column: &'a Column, missing: &[String]) -> Vec<Present<'a>> {
    let mut rows = vec![0usize; column.distinct()];
    column.codes().iter().for_each(|&code| rows[code as usize] += 1);
    let mut of_text: BTreeMap<&str, usize> = BTreeMap::new();
    for code in (0..column.distinct() as u32).filter(|&code| !is_missing(column, code, missing)) {
        *of_text.entry(column.text(code).trim()).or_default() += rows[code as usize];
    }
    of_text.into_iter().map(|(text, rows)| Present { text, rows }).collect()
}

/// Round widths that nest: about fifteen intervals first, two at least last.
fn round(present: &[Present<'_>]) -> String {
    let number = |value: &Present<'_>| value.text.replace(',', ".").parse::<f64>().ok();
    let (low, high) =
        present.iter().filter_map(number).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let whole = present.iter().all(|value| parse_number(value.text).is_some_and(|number| number.is_whole()));
    let width = (high - low).max(f64::MIN_POSITIVE);
    let target = if whole { (width / 15.0).max(2.0) } else { width / 15.0 };
    let exponent = target.log10().floor() as i32;
    let round = [1, 2, 5, 10].into_iter().find(|&m| f64::from(m) * 10f64.powi(exponent) >= target * 0.9);
    let (mut mantissa, mut exponent) = match round {
        Some(10) | None => (1, exponent + 1),
        Some(mantissa) => (mantissa, exponent),
    };
    let mut list: Vec<String> = Vec::new();
    loop {
        // Written as a decimal, the value is the nearest: it is printed without digits of rounding.
        let step: f64 = format!("{mantissa}e{exponent}").parse().unwrap_or(1.0);
        if !list.is_empty() && step * 2.0 > width || list.len() == 5 {
            return format!("[{}]", list.join(", "));
        }
        // 1 and 5 are doubled, 2 becomes 10; a first 1 becomes 5, as 2 leads to 10 only.
        (mantissa, exponent) = match mantissa {
            1 if list.is_empty() => (5, exponent),
            1 => (2, exponent),
            _ => (1, exponent + 1),
        };
        list.push(step.to_string());
    }
}

/// Steps of the calendar that cut the dates into two parts at least, the finest into a hundred at most.
fn calendar(
    table: &Table,
    keys: &[(&'static str, String)],
    column: &Column,
    missing: &[String],
) -> Result<String, Error> {
    let keys: String = keys.iter().map(|(key, said)| format!("{key} = {said}\n")).collect();
    let name = bare_or_quoted(column.name());
    let days = |steps: &str| {
        let policy = format!("[columns.{name}]\nrole = \"quasi\"\nkind = \"date\"\n{keys}levels = {steps}\n");
        as_published(table, &policy, column, missing).map(|lines| {
            let mut names: Vec<&String> = lines.iter().filter_map(|line| line.get(1)).collect();
            names.sort_unstable();
            names.dedup();
            names.len()
        })
    };
    let words = ["month", "quarter", "year", "decade"];
    let mut useful = Vec::new();
    for word in words {
        if days(&format!("[\"{word}\"]"))? > 2 {
            useful.push(format!("\"{word}\""));
        }
    }
    Ok(if useful.is_empty() { "[\"week\"]".to_owned() } else { format!("[{}]", useful.join(", ")) })
}

/// The lengths that a draft proposes, or three, two and one of shorter codes.
fn beginnings(keys: &[(&'static str, String)], present: &[Present<'_>]) -> String {
    if let Some((_, lengths)) = keys.iter().find(|(key, _)| *key == "prefix") {
        return lengths.clone();
    }
    let longest = present.iter().map(|value| value.text.chars().count()).max().unwrap_or(1);
    let lengths: Vec<usize> =
        [3, 2, 1].into_iter().filter(|&length| length < longest || longest == 1).collect();
    format!("{lengths:?}")
}

/// What the values are called on every level, as the policy's own reader has it.
fn as_published(
    table: &Table,
    column_policy: &str,
    column: &Column,
    missing: &[String],
) -> Result<Vec<Vec<String>>, Error> {
    let missing_texts: Vec<String> = missing.iter().map(|text| quoted(text)).collect();
    let text = format!("k = 2\ndrop_rest = true\nmissing = [{}]\n{column_policy}", missing_texts.join(", "));
    let policy = Policy::parse(&text).for_table(table)?;
    let encoded = encode(table, &policy)?;
    let Some(Kind::Hierarchy(hierarchy)) = encoded.codings.first().map(|coding| &coding.kind) else {
        return Ok(Vec::new());
    };
    let tree = hierarchy.tree();
    let mut lines: BTreeMap<(u32, &str), Vec<String>> = BTreeMap::new();
    for (row, &entry) in (0u32..).zip(column.codes()) {
        let leaf = encoded.problem.codes(encoded.problem.record_of(row))[0];
        if !is_missing(column, entry, missing) {
            let value = column.text(entry).trim();
            lines.entry((leaf, value)).or_insert_with(|| {
                let wider =
                    (1..tree.levels()).map(|level| hierarchy.label(tree.at_level(level, leaf)).to_owned());
                [value.to_owned()].into_iter().chain(wider).collect()
            });
        }
    }
    Ok(lines.into_values().collect())
}

/// Sixteen intervals that hold about as many rows each, then eight, four and two of them.
fn even(present: &[Present<'_>]) -> Vec<Vec<String>> {
    let mut values: Vec<_> =
        present.iter().filter_map(|value| Some((parse_number(value.text)?, value))).collect();
    values.sort_by_key(|(number, _)| *number);
    let rows: usize = values.iter().map(|(_, value)| value.rows).sum();
    let whole = values.iter().all(|(number, _)| number.is_whole());
    let (mut before, mut part_of) = (0, Vec::new());
    for (_, value) in &values {
        part_of.push((before + value.rows / 2) * 16 / rows.max(1));
        before += value.rows;
    }
    let name = |at: usize, parts: usize| {
        let part = |at: usize| part_of[at] / parts;
        let first = (0..=at).rev().take_while(|&other| part(other) == part(at)).last().unwrap_or(at);
        let last = (at..values.len()).take_while(|&other| part(other) == part(at)).last().unwrap_or(at);
        match (first == last, values.get(last + 1)) {
            (true, _) if whole => values[first].0.to_string(),
            (_, Some((next, _))) if !whole => format!("[{}-{next})", values[first].0),
            _ => format!("{}-{}", values[first].0, values[last].0),
        }
    };
    let levels = [1, 2, 4, 8];
    let line = |(at, (_, value)): (usize, &(_, &Present<'_>))| {
        let wider = levels.iter().map(|&parts| name(at, parts));
        [value.text.to_owned()].into_iter().chain(wider).chain(["*".to_owned()]).collect()
    };
    values.iter().enumerate().map(line).collect()
}

/// Two bands become one, and so on until two are left.
fn wider_bands(present: &[Present<'_>]) -> Vec<Vec<String>> {
    let bands = in_order(present.iter().map(|value| value.text)).unwrap_or_default();
    let spans: Vec<usize> = (1..)
        .map(|power| 1 << power)
        .take_while(|span| span * 2 <= bands.len().next_multiple_of(2))
        .collect();
    let name = |at: usize, span: usize| {
        let (first, last) = (at / span * span, (at / span * span + span - 1).min(bands.len() - 1));
        match first == last {
            true => bands[first].to_owned(),
            false => joined_band(bands[first], bands[last])
                .unwrap_or_else(|| format!("{} … {}", bands[first], bands[last])),
        }
    };
    let line = |(at, band): (usize, &&str)| {
        let wider = spans.iter().map(|&span| name(at, span));
        [(*band).to_owned()].into_iter().chain(wider).chain(["*".to_owned()]).collect()
    };
    bands.iter().enumerate().map(line).collect()
}

/// Shares of rows below which labels are joined, level by level. The names differ, so that no level swallows another.
const RARE: [f64; 3] = [0.01, 0.05, 0.2];

/// Labels that are frequent enough stay; the others are called rare.
fn frequent(present: &[Present<'_>]) -> Vec<Vec<String>> {
    let rows: usize = present.iter().map(|value| value.rows).sum();
    let share = |value: &Present<'_>| value.rows as f64 / rows.max(1) as f64;
    let joins = |limit: &&f64| {
        let rare = present.iter().filter(|value| share(value) < **limit).count();
        rare > 1 && rare < present.len()
    };
    let limits: Vec<f64> = RARE.iter().filter(joins).copied().collect();
    let name = |value: &Present<'_>, limit: f64| match share(value) < limit {
        true => format!("other (each below {:.0} %)", 100.0 * limit),
        false => value.text.to_owned(),
    };
    let line = |value: &Present<'_>| {
        let wider = limits.iter().map(|&limit| name(value, limit));
        [value.text.to_owned()].into_iter().chain(wider).chain(["*".to_owned()]).collect()
    };
    present.iter().map(line).collect()
}

/// How many names every level has, and how rare the rarest is.
fn preview(lines: &[Vec<String>], present: &[Present<'_>]) -> Vec<LevelPreview> {
    let rows: BTreeMap<&str, usize> = present.iter().map(|value| (value.text, value.rows)).collect();
    let depth = lines.first().map_or(0, Vec::len);
    let of_level = |level: usize| {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for line in lines {
            let own = rows.get(line[0].as_str()).copied().unwrap_or(0);
            *names.entry(line[level].as_str()).or_default() += own;
        }
        let most = names.iter().max_by_key(|(name, rows)| (**rows, std::cmp::Reverse(**name)));
        let example = most.filter(|_| level > 0).map(|(name, _)| (*name).to_owned());
        LevelPreview {
            level,
            names: names.len(),
            smallest: names.values().min().copied().unwrap_or(0),
            example,
        }
    };
    (0..depth).map(of_level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(values: &[&str], by: Option<Making>) -> Proposal {
        let rows: Vec<Vec<&str>> = values.iter().map(|value| vec![*value]).collect();
        let table = Table::from_cells(&["x"], &rows).unwrap();
        propose_levels(&table, "x", by, &["".to_owned()]).unwrap()
    }

    /// The line of one value.
    fn line(proposal: &Proposal, value: &str) -> Vec<String> {
        proposal.lines.iter().find(|line| line[0] == value).unwrap().clone()
    }

    #[test]
    fn numbers_are_cut_at_round_widths_or_into_even_parts() {
        let ages: Vec<String> = (17..=90).map(|age| age.to_string()).collect();
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        let round = proposed(&ages, None);
        assert!(round.policy.contains("levels = [5, 10, 20]"), "{}", round.policy);
        assert_eq!(line(&round, "37"), ["37", "35-39", "30-39", "20-39", "*"]);
        assert_eq!(round.levels.iter().map(|level| level.names).collect::<Vec<_>>(), [74, 16, 9, 5, 1]);
        let even = proposed(&ages, Some(Making::Even));
        assert!(even.needs_file && even.levels[1].names == 16 && even.levels[4].names == 2);
        assert!(even.levels[1].smallest >= 3, "{:?}", even.levels);
    }

    #[test]
    fn labels_that_are_rare_are_joined_under_names_that_differ() {
        let many: Vec<&str> = ["a"; 60]
            .into_iter()
            .chain(["b"; 30])
            .chain(["c"; 4])
            .chain(["d"; 4])
            .chain(["e", "f"])
            .collect();
        let made = proposed(&many, None);
        assert_eq!((made.by, made.needs_file), ("frequent", true));
        assert_eq!(line(&made, "a"), ["a", "a", "a", "*"]);
        assert_eq!(line(&made, "c")[1..], ["other (each below 5 %)", "other (each below 20 %)", "*"]);
        assert_eq!(made.to_file().lines().count(), 6);
    }

    #[test]
    fn bands_become_wider_bands_and_codes_their_beginnings() {
        let made = proposed(&["0-9", "10-19", "20-29", "30-39", "40+"], None);
        assert_eq!(made.by, "bands");
        assert_eq!(line(&made, "20-29"), ["20-29", "20-39", "*"]);
        let codes = proposed(&["E11.9", "E11.0", "E10.1", "J18.0"], Some(Making::Prefix));
        assert!(codes.policy.contains("prefix = [3"), "{}", codes.policy);
        assert_eq!(line(&codes, "E11.9")[1], "E11*");
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_what_does() {
        let table = Table::from_cells(&["x"], &[vec!["1"], vec!["2"], vec!["3"]]).unwrap();
        let refused = |name: &str, by| propose_levels(&table, name, Some(by), &[]).unwrap_err().to_string();
        assert!(refused("x", Making::Calendar).contains("kind numeric"));
        assert!(refused("y", Making::Round).contains("no column"));
    }
}
