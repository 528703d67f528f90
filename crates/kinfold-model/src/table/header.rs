//! Whether the first line of a text table names its columns, judged from the lines that follow.
//!
//! A table without a header is a trap: its first row would become column names, which messages show. Evidence
//! against a header is a first cell that is of the same sort as the cells below it: a number above numbers, a
//! date above dates, or a text that occurs below. One column whose cells are numbers or dates below a text
//! clears the header of all doubt.

use crate::value::{parse_date, parse_number};
use std::collections::BTreeSet;

/// Whether the first line of a text table is a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Told from the table: if the first line looks like data, the table is refused.
    #[default]
    Detect,
    /// It is, whatever it looks like.
    Yes,
    /// It is not: columns are named column1, column2, …
    No,
}

/// The names of the columns of a table without a header.
pub(crate) fn numbered(columns: usize) -> Vec<String> {
    (1..=columns).map(|n| format!("column{n}")).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Number,
    Date,
    Text,
}

fn sort_of(cell: &str) -> Sort {
    match cell.trim() {
        cell if parse_number(cell).is_some() => Sort::Number,
        cell if parse_date(cell).is_some() => Sort::Date,
        _ => Sort::Text,
    }
}

/// Texts that say nothing of what a column holds.
fn says_nothing(cell: &str) -> bool {
    matches!(cell.trim(), "" | "?" | "NA" | "N/A" | "NaN" | "null" | "NULL")
}

/// Whether the first line is more likely data than names.
pub(crate) fn looks_like_data(first: &[String], below: &[Vec<String>]) -> bool {
    if below.is_empty() || is_counted(first) {
        return false;
    }
    let mut evidence = false;
    for (at, name) in first.iter().enumerate().filter(|(_, name)| !says_nothing(name) && !is_year(name)) {
        let cells = || below.iter().filter_map(|row| row.get(at)).filter(|cell| !says_nothing(cell));
        let sorts = || cells().map(|cell| sort_of(cell));
        let Some(sort) = sorts().next() else { continue };
        if sort != Sort::Text && sorts().all(|other| other == sort) {
            if sort_of(name) != sort {
                return false;
            }
            evidence = true;
        } else if cells().collect::<BTreeSet<_>>().contains(name) {
            evidence = true;
        }
    }
    evidence
}

/// Years are data in one table and names of columns in another.
fn is_year(name: &str) -> bool {
    name.trim().parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// Columns that a program has numbered, from 0 or from 1.
fn is_counted(names: &[String]) -> bool {
    let counted = |from: usize| names.iter().zip(from..).all(|(name, n)| *name == n.to_string());
    counted(0) || counted(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> bool {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<String>>();
        let lines: Vec<Vec<String>> = text.lines().map(cells).collect();
        looks_like_data(&lines[0], &lines[1..])
    }

    #[test]
    fn data_in_the_first_line_is_noticed() {
        assert!(judged("Ada,65,F\nBen,34,M\nCleo,71,F"));
        assert!(judged("F,02141,migraine\nM,02142,asthma\nF,02141,migraine"), "texts that occur again");
        assert!(judged("x,2026-05-02\ny,2026-05-03"));
        assert!(judged("65,,?\n34,1,2"), "missing values do not hide it");
    }

    #[test]
    fn names_are_taken_for_names() {
        assert!(!judged("name,age,sex\nAda,65,F\nBen,34,M"));
        assert!(!judged("name,sex\nAda,F\nBen,M"), "nothing speaks against it");
        assert!(!judged("0,1,2\n5,6,7\n8,9,10"), "a program numbers columns so");
        assert!(!judged("country,2019,2020\nChile,1,2\nPeru,3,4"), "columns may be years");
        assert!(!judged("sex,F\nF,1\nM,2"), "a number below a text clears it");
        assert!(!judged("age"));
    }
}
