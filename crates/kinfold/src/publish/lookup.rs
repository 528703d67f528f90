//! Short names for long sets: a set of hundreds of labels in every row of a group makes a release as large as
//! it is unreadable. Instead the cells say a name, and a lookup file says which set it stands for.

use super::cells::{Cells, Release};
use kinfold_model::verify::LOOKUP_HEADER;
use std::collections::{BTreeMap, BTreeSet};

/// Sets of more labels than this get a name.
const LONGEST: usize = 8;
/// Sets of more labels than this are not readable, and make large files.
const UNREADABLE: usize = 100;

impl Release {
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
            let Cells::Grouped(texts) = &mut column.cells else { continue };
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
        }
        lookup
    }
}
