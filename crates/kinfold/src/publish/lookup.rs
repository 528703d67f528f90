//! Short names for long sets: a set of hundreds of labels in every row of a group makes a release as large as
//! it is unreadable. Instead the cells say a name, and a lookup file says which set it stands for.

use super::cells::{Cells, Release, ReleasedColumn};
use crate::error::Error;
use crate::report::thousands;
use kinfold_model::hint::Hint;
use kinfold_model::judge::WITHHELD;
use kinfold_model::table::Table;
use kinfold_model::verify::LOOKUP_HEADER;
use std::collections::{BTreeMap, BTreeSet};

/// Sets of more labels than this get a name.
const LONGEST: usize = 8;
/// Sets of more labels than this are not readable, and make large files.
const UNREADABLE: usize = 100;

/// A release may be so many times as large as its table,
const TIMES: u64 = 100;
/// and always as large as this.
const ALWAYS: u64 = 64 << 20;

impl Release {
    /// Refuses sets that make the release far larger than the table, or that cannot be read back: no cell may
    /// have more than `longest` bytes.
    pub(crate) fn refuse_outsized(&self, table: &Table, longest: usize) -> Result<(), Error> {
        let groups = self.group_of.iter().filter(|&&group| group != WITHHELD).max();
        let mut rows = vec![0u64; groups.map_or(0, |&last| last as usize + 1)];
        self.rows.iter().for_each(|&row| rows[self.group_of[row as usize] as usize] += 1);
        for ReleasedColumn { name, cells, labels, .. } in &self.columns {
            let Some(&labels) = labels.iter().max() else { continue };
            let lengths = || cells.texts().into_iter().map(|text| text.map_or(0, str::len) as u64);
            let cell = lengths().max().unwrap_or(0);
            let all: u64 = lengths().zip(&rows).map(|(length, rows)| length * rows).sum();
            let before = table
                .column(name)
                .map_or(0, |old| old.codes().iter().map(|&code| old.text(code).len() as u64).sum::<u64>());
            let labels = thousands(labels as u64);
            let megabytes = |bytes: u64| thousands(bytes.div_ceil(1_000_000));
            let what = if cell > longest as u64 {
                let size = megabytes(cell);
                format!(
                    "a cell of column {name:?} would list {labels} labels: {size} MB, too much to read back"
                )
            } else if all > ALWAYS.max(TIMES * before) {
                let size = megabytes(all);
                format!(
                    "cells of column {name:?} would list up to {labels} labels: {size} MB in all, over \
                     {TIMES} times what the column has in the table"
                )
            } else {
                continue;
            };
            let hint = Hint::new().text("publish short names and a file that lists their labels: ");
            return Err(Error::unsuitable(what, hint.setting("lookup", "FILE")));
        }
        Ok(())
    }

    /// The column with sets that nobody can read, and how many labels the longest of them has.
    pub fn unreadable(&self) -> Option<(&str, usize)> {
        let longest = self.columns.iter().filter_map(|c| Some((c.name.as_str(), *c.labels.iter().max()?)));
        longest.filter(|(_, labels)| *labels > UNREADABLE).max_by_key(|(_, labels)| *labels)
    }

    /// The lookup file: what labels stand for, in form `codes`; else what names stand for, if long sets are to have
    /// names.
    pub fn lookup(&mut self, names: bool) -> Option<String> {
        self.labels.clone().or_else(|| names.then(|| self.name_sets()))
    }

    /// Puts names in the place of long sets. Returns the lookup file: column, name, set; areas of a map are
    /// explained there too.
    fn name_sets(&mut self) -> String {
        let mut lookup = LOOKUP_HEADER.join(",") + "\n";
        for column in &mut self.columns {
            let Cells::Grouped(said) = &mut column.cells else { continue };
            let mut texts: Vec<Option<String>> = said.iter().map(|text| text.map(str::to_owned)).collect();
            let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
            let named = texts.iter().zip(&column.explained);
            let areas: BTreeMap<&String, &String> =
                named.filter_map(|(name, set)| Some((name.as_ref()?, set.as_ref()?))).collect();
            for (name, set) in areas {
                lookup += &format!("{},{},{}\n", quoted(&column.name), quoted(name), quoted(set));
            }
            // No name may be what some cell says anyway.
            let taken: BTreeSet<String> = texts.iter().flatten().cloned().collect();
            let mut number = 0;
            for (text, _) in texts.iter_mut().zip(&column.labels).filter(|(_, labels)| **labels > LONGEST) {
                let name = loop {
                    number += 1;
                    let name = format!("{} set {number}", column.name);
                    if !taken.contains(&name) {
                        break name;
                    }
                };
                let set = text.replace(name.clone()).unwrap_or_default();
                lookup += &format!("{},{},{}\n", quoted(&column.name), quoted(&name), quoted(&set));
            }
            *said = texts.into_iter().collect();
        }
        lookup
    }
}
