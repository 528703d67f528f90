//! Groups files: a title, then a group number per row; an empty text is a row that is left out. People may add a
//! column before it that tells rows apart.

use crate::error::Error;
use crate::report::count;
use kinfold_model::judge::WITHHELD;
use kinfold_model::table::{Column, Header, ReadOptions, Source, Table};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// Writes the group of every row.
pub(crate) fn groups_file(group_of: &[u32]) -> String {
    let mut text = String::from("group\n");
    for &group in group_of {
        match group {
            WITHHELD => text.push_str("\"\"\n"),
            group => {
                let _ = writeln!(text, "{group}");
            }
        }
    }
    text
}

/// Reads a groups file: the group of every row, [`WITHHELD`] for those left out.
pub fn parse_groups(text: &str) -> Result<Vec<u32>, Error> {
    text.lines().skip(1).enumerate().map(|(at, line)| group(line.trim(), at + 2)).collect()
}

/// The group that a cell of a line names.
fn group(cell: &str, line: usize) -> Result<u32, Error> {
    match cell {
        "\"\"" | "" => Ok(WITHHELD),
        number => number.parse().map_err(|_| {
            Error::unsuitable(
                format!("line {line} of the groups file is not a group number"),
                "use what anonymize wrote with {groups}",
            )
        }),
    }
}

/// Who was in which group of a release: what [`parse_groups`] reads, or that with a column before it that tells
/// the rows apart, so that they are found again in another table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupsFile {
    pub(crate) key: Option<Key>,
    pub(crate) group_of: Vec<u32>,
}

/// A column of tables that tells rows apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub name: String,
    pub values: Vec<String>,
}

impl GroupsFile {
    /// The groups of all rows of a table, such as [`Anonymized::groups`](crate::Anonymized::groups).
    pub fn of(group_of: Vec<u32>) -> Self {
        Self { key: None, group_of }
    }

    /// Reads one: a column `group`, and another before it if its values tell rows apart.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if !text.lines().next().is_some_and(|title| title.contains(',')) {
            return parse_groups(text).map(Self::of);
        }
        let reading = ReadOptions { delimiter: Some(b','), header: Header::Yes, ..ReadOptions::default() };
        let table = Source::from_bytes(text.as_bytes().to_vec(), &reading)?.read(|_| true)?;
        let [key, groups] = table.columns() else { return Err(not_one()) };
        if groups.name() != TITLE {
            return Err(not_one());
        }
        let texts = |column: &Column| -> Vec<String> {
            column.codes().iter().map(|&code| column.text(code).to_owned()).collect()
        };
        let group_of: Result<_, Error> =
            texts(groups).iter().enumerate().map(|(at, cell)| group(cell, at + 2)).collect();
        Ok(Self { group_of: group_of?, key: Some(Key { name: key.name().to_owned(), values: texts(key) }) })
    }

    /// The line of every row of a table, if its rows are found by their number or by a column of that name.
    pub(crate) fn line_of(&self, table: &Table) -> Result<Vec<Option<u32>>, Error> {
        let Some(Key { name, values }) = &self.key else {
            let (lines, rows) = (self.group_of.len(), table.rows());
            if lines != rows {
                let what = format!(
                    "its groups file has {} and the table {}: without a column that tells rows apart, both must have \
                     the same rows in the same order",
                    count(lines, "row", "rows"),
                    count(rows, "row", "rows"),
                );
                return Err(Error::unsuitable(what, KEY_HINT));
            }
            return Ok((0..lines as u32).map(Some).collect());
        };
        let Some(column) = table.column(name) else {
            let what = format!("its groups file finds rows by {name:?}, and the table has no such column");
            return Err(Error::unsuitable(what, KEY_HINT));
        };
        let repeated = |whose: &str, times: usize| {
            let what = format!(
                "column {name:?} does not tell the rows of {whose} apart: {} or repeated",
                count(times, "value is missing", "values are missing"),
            );
            Err(Error::unsuitable(what, KEY_HINT))
        };
        let lines: HashMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
        if lines.len() < values.len() || lines.contains_key("") {
            return repeated(
                "its groups file",
                values.len() - lines.len() + usize::from(lines.contains_key("")),
            );
        }
        let mut seen = HashSet::new();
        let again = column.codes().iter().filter(|&&code| !seen.insert(code) || column.text(code).is_empty());
        match again.count() {
            0 => Ok(column.codes().iter().map(|&code| lines.get(column.text(code)).copied()).collect()),
            times => repeated("the table", times),
        }
    }
}

/// The title of the column of groups.
const TITLE: &str = "group";
const KEY_HINT: &str =
    "put a column of the table whose values tell all rows apart before the groups: ID,group";

fn not_one() -> Error {
    let what = "this is not a groups file: it has a column \"group\", and at most one before it";
    Error::unsuitable(what, "use what anonymize wrote with {groups}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let groups = [0, WITHHELD, 3, 0];
        assert_eq!(groups_file(&groups), "group\n0\n\"\"\n3\n0\n");
        assert_eq!(parse_groups(&groups_file(&groups)).unwrap(), groups);
        assert!(parse_groups("group\n0\nx\n").unwrap_err().to_string().contains("line 3"));
    }
}
