//! The definitions, followed to the letter: no line of it is shared with the program. Numbers are whole tenths, shares are
//! compared as products of whole numbers.

use std::collections::BTreeMap;

/// What a quasi-identifier holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Number,
    Label,
    Level,
    Code,
}

/// What is asked of the sensitive column. Shares are in per cent.
#[derive(Debug, Clone, Copy)]
pub enum Model {
    None,
    Distinct(usize),
    Close(u64),
    Like(u64),
}

const LEVELS: [&str; 4] = ["low", "middle", "high", "top"];

/// A table and a policy. The columns are `q0`, `q1`, …, `ill`, and `row`, which tells rows apart.
#[derive(Debug)]
pub struct Case {
    pub k: usize,
    pub kinds: Vec<Kind>,
    pub model: Model,
    /// Per cent.
    pub withhold: usize,
    /// Quasi-identifiers and the sensitive value.
    pub rows: Vec<Vec<&'static str>>,
}

impl Case {
    /// The values of a kind. An empty one is missing.
    pub fn cells(kind: Kind) -> &'static [&'static str] {
        match kind {
            Kind::Number => &["0", "1", "2", "2.0", "3.5", "-1", "-4", "17", "40", "1e2", "", "2.5"],
            Kind::Label => &["red", "green", "blue", "a|b", "{c}", "back\\slash", "[1-2]", "Z", ""],
            Kind::Level => &["low", "middle", "high", "top", ""],
            Kind::Code => &["1011", "1012", "1021", "11", "2011", "1", ""],
        }
    }

    pub fn table(&self) -> String {
        let names: String = (0..self.kinds.len()).map(|at| format!("q{at},")).collect();
        let rows = self.rows.iter().enumerate().map(|(at, cells)| format!("{},r{at}\n", cells.join(",")));
        format!("{names}ill,row\n{}", rows.collect::<String>())
    }

    pub fn policy(&self) -> String {
        let kind = |kind| match kind {
            Kind::Number => "kind = \"numeric\"",
            Kind::Label => "kind = \"category\"",
            Kind::Level => "kind = \"ordinal\", order = [\"low\", \"middle\", \"high\", \"top\"]",
            Kind::Code => "prefix = [3, 2, 1]",
        };
        let columns = self.kinds.iter().enumerate();
        let columns: String =
            columns.map(|(at, &k)| format!("q{at} = {{role = \"quasi\", {}}}\n", kind(k))).collect();
        let model = match self.model {
            Model::None => String::new(),
            Model::Distinct(values) => format!(", diversity = {values}"),
            Model::Close(share) => format!(", closeness = 0.{share}"),
            Model::Like(beta) => format!(", likeness = {beta}"),
        };
        format!(
            "k = {}\nwithhold = \"{}%\"\n[columns]\nrow = {{role = \"keep\", acknowledge = true}}\n\
             ill = {{role = \"sensitive\"{model}}}\n{columns}",
            self.k, self.withhold
        )
    }
}

/// Columns are found by name; the quasi-identifiers of a row, its sensitive value and its number.
fn parts<'l>(case: &Case, lines: &'l [Vec<String>]) -> Vec<(Vec<&'l str>, &'l str, &'l str)> {
    let at = |name: &str| lines[0].iter().position(|title| title == name).expect("the column is published");
    let quasi: Vec<usize> = (0..case.kinds.len()).map(|number| at(&format!("q{number}"))).collect();
    let (ill, row) = (at("ill"), at("row"));
    let of = |line: &'l Vec<String>| (quasi.iter().map(|&at| &*line[at]).collect(), &*line[ill], &*line[row]);
    lines[1..].iter().map(of).collect()
}

/// Every group has k rows and fulfils the model.
pub fn is_safe(case: &Case, lines: &[Vec<String>]) -> Result<(), &'static str> {
    let rows = parts(case, lines);
    let mut groups: BTreeMap<&[&str], Vec<&str>> = BTreeMap::new();
    let mut everybody: BTreeMap<&str, u64> = BTreeMap::new();
    for (quasi, ill, _) in &rows {
        groups.entry(quasi).or_default().push(ill);
        *everybody.entry(ill).or_default() += 1;
    }
    for group in groups.values() {
        if group.len() < case.k {
            return Err("a group is too small");
        }
        let (size, all) = (group.len() as u64, rows.len() as u64);
        let share = |value: &str| group.iter().filter(|ill| **ill == value).count() as u64;
        // A value has the share n / size of the group, and m / all of the release.
        let wrong = match case.model {
            Model::None => false,
            Model::Distinct(values) => everybody.keys().filter(|value| share(value) > 0).count() < values,
            Model::Close(most) => {
                let apart: u64 =
                    everybody.iter().map(|(value, m)| (share(value) * all).abs_diff(m * size)).sum();
                apart * 100 > 2 * most * size * all
            }
            Model::Like(beta) => {
                everybody.iter().any(|(value, m)| share(value) * all > (1 + beta) * m * size)
            }
        };
        if wrong {
            return Err("a group does not fulfil the model");
        }
    }
    Ok(())
}

/// Every published row is a row of the table, each at most once, and no more are missing than may be.
pub fn is_true(case: &Case, lines: &[Vec<String>]) -> Result<(), &'static str> {
    let rows = parts(case, lines);
    let mut seen = vec![false; case.rows.len()];
    for (quasi, ill, row) in &rows {
        let row: usize = row[1..].parse().expect("its number");
        if std::mem::replace(&mut seen[row], true) {
            return Err("a row is published twice");
        }
        let original = &case.rows[row];
        let cells = quasi.iter().zip(original).zip(&case.kinds);
        if original[case.kinds.len()] != *ill
            || !{ cells }.all(|((cell, value), &kind)| covers(kind, cell, value))
        {
            return Err("a row is not true");
        }
    }
    if (case.rows.len() - rows.len()) * 100 > case.withhold * case.rows.len() {
        return Err("too many are missing");
    }
    Ok(())
}

fn covers(kind: Kind, cell: &str, value: &str) -> bool {
    if cell == "*" || cell == value {
        return true;
    }
    match kind {
        Kind::Number => within(cell, value, tenths),
        Kind::Level => within(cell, value, |level| LEVELS.iter().position(|l| *l == level).map(|l| l as i64)),
        Kind::Label => labels(cell).is_some_and(|labels| labels.iter().any(|label| label == value)),
        Kind::Code => {
            !value.is_empty() && cell.strip_suffix('*').is_some_and(|start| value.starts_with(start))
        }
    }
}

/// Whether a value is in a range. It may be readable in several ways: `[-4--1]`.
fn within(cell: &str, value: &str, read: impl Fn(&str) -> Option<i64>) -> bool {
    let Some(value) = read(value) else { return false };
    if read(cell) == Some(value) {
        return true;
    }
    let Some(inner) = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else { return false };
    (1..inner.len()).any(|at| {
        let (low, rest) = inner.split_at(at);
        ["..", "-"]
            .iter()
            .filter_map(|between| rest.strip_prefix(between))
            .any(|high| read(low).zip(read(high)).is_some_and(|(low, high)| low <= value && value <= high))
    })
}

fn tenths(text: &str) -> Option<i64> {
    if text == "1e2" {
        return Some(1000);
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let tenth: i64 = part.parse().ok().filter(|_| part.len() == 1)?;
    let whole: i64 = whole.parse().ok()?;
    Some(whole * 10 + if text.starts_with('-') { -tenth } else { tenth })
}

/// The labels of a set, in which `\` stands before `|`, `{`, `}` and itself.
fn labels(cell: &str) -> Option<Vec<String>> {
    let mut letters = cell.strip_prefix('{')?.strip_suffix('}')?.chars();
    let mut found = vec![String::new()];
    while let Some(letter) = letters.next() {
        match letter {
            '|' => found.push(String::new()),
            '\\' => found.last_mut()?.extend(letters.next()),
            other => found.last_mut()?.push(other),
        }
    }
    Some(found)
}
