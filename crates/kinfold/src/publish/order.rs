//! The order of the rows of a release.
//!
//! By default it is a function of what is published: whoever has the release could sort it so, and learns
//! nothing from finding it sorted. (A shuffle by a seed can be undone by those who know the seed.)

use super::cells::{Cells, Release};
use super::texts::Texts;
use kinfold_model::table::{Key, sort_rows};
use std::borrow::Cow;

impl Release {
    /// Sorts the rows by what is published: by the cells that groups share, then by unchanged columns.
    pub fn sort(&mut self) {
        let groups = self.ranks_of_groups();
        let of_row: Vec<u32> =
            self.group_of.iter().map(|&group| groups.get(group as usize).copied().unwrap_or(0)).collect();
        let unchanged: Vec<Unchanged> =
            self.columns.iter().filter_map(|column| Unchanged::new(&column.cells)).collect();
        let mut keys = vec![Key::new(&of_row, groups.len())];
        keys.extend(unchanged.iter().map(|column| Key::new(&column.ranks, column.values)));
        // Text files write nulls as empty cells: which of the two a cell is comes last.
        let mixed = unchanged.iter().filter(|column| !column.nulls.is_empty());
        keys.extend(mixed.map(|column| Key::new(&column.nulls, 2)));
        let mut rows = std::mem::take(&mut self.rows);
        sort_rows(&mut rows, &keys);
        self.rows = rows;
    }

    /// Puts the rows in the order of these places, one for every row of the table.
    pub(crate) fn keep_order(&mut self, places: &[u32]) {
        self.rows.sort_unstable_by_key(|&row| places[row as usize]);
    }

    /// Numbers the groups in the order of the cells that their rows share; groups that share all have one
    /// number.
    fn ranks_of_groups(&self) -> Vec<u32> {
        let count =
            self.columns.iter().find_map(|c| Some(c.cells.of_groups()?.of_group().len())).unwrap_or(0);
        let columns: Vec<(Vec<u32>, usize)> = self
            .columns
            .iter()
            .filter_map(|column| column.cells.of_groups())
            .map(|texts| {
                let distinct: Vec<&str> =
                    texts.distinct().iter().map(|t| t.as_deref().unwrap_or("")).collect();
                let (ranks, values) = ranks_of_texts(&distinct);
                (texts.of_group().iter().map(|&text| ranks[text as usize]).collect(), values)
            })
            .collect();
        let keys: Vec<Key> = columns.iter().map(|(ranks, values)| Key::new(ranks, *values)).collect();
        let mut groups: Vec<u32> = (0..count as u32).collect();
        sort_rows(&mut groups, &keys);
        let alike = |a: u32, b: u32| columns.iter().all(|(ranks, _)| ranks[a as usize] == ranks[b as usize]);
        let mut numbers = vec![0; count];
        for (number, same) in (0..).zip(groups.chunk_by(|&a, &b| alike(a, b))) {
            same.iter().for_each(|&group| numbers[group as usize] = number);
        }
        numbers
    }
}

impl Cells {
    /// The text of every group, where groups share it.
    pub(super) fn of_groups(&self) -> Option<&Texts> {
        match self {
            Cells::Untouched(_) => None,
            Cells::Grouped(texts) | Cells::Ends(texts, _) | Cells::Numbers(texts) => Some(texts),
        }
    }
}

/// The rank of every text among them, and how many ranks there are.
fn ranks_of_texts(texts: &[&str]) -> (Vec<u32>, usize) {
    let mut sorted = texts.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let rank = |text: &&str| sorted.partition_point(|other| other < text) as u32;
    (texts.iter().map(rank).collect(), sorted.len())
}

/// A column that is published as it is: the rank of every row's text.
struct Unchanged<'a> {
    ranks: Cow<'a, [u32]>,
    values: usize,
    /// Where the column has nulls and empty texts, which of them are texts.
    nulls: Vec<u32>,
}

impl<'a> Unchanged<'a> {
    fn new(cells: &'a Cells) -> Option<Self> {
        let Cells::Untouched(column) = cells else { return None };
        let values = column.distinct();
        let entries = 0..values as u32;
        let sorted = entries.clone().is_sorted_by(|&a, &b| column.text(a) < column.text(b));
        // A table in the order of its contents has its texts in order.
        if sorted {
            return Some(Self { ranks: column.codes().into(), values, nulls: Vec::new() });
        }
        let texts: Vec<&str> = entries.clone().map(|entry| column.text(entry)).collect();
        let (rank, _) = ranks_of_texts(&texts);
        let mixed = entries.clone().any(|e| column.is_null(e))
            && entries.clone().any(|e| column.text(e).is_empty() && !column.is_null(e));
        let of_row = |said: &dyn Fn(u32) -> u32| column.codes().iter().map(|&code| said(code)).collect();
        let nulls = if mixed { of_row(&|code| u32::from(!column.is_null(code))) } else { Vec::new() };
        let ranks: Vec<u32> = of_row(&|code| rank[code as usize]);
        Some(Self { ranks: ranks.into(), values, nulls })
    }
}
