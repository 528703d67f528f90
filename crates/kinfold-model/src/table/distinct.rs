//! Which rows are alike on some columns.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Rows numbered by what they look like on some columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinct {
    /// For every row, the number of its look, counted in order of first appearance.
    pub of_row: Vec<u32>,
    /// For every look, the first row that has it.
    pub first: Vec<u32>,
}

impl Distinct {
    /// What the rows of every look have together.
    pub fn sums(&self, of_rows: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut sums = vec![0; self.first.len()];
        self.of_row.iter().zip(of_rows).for_each(|(&look, own)| sums[look as usize] += own);
        sums
    }
}

/// Numbers the rows by their codes on `columns`; without columns all rows look alike.
pub fn distinct_rows(columns: &[&[u32]], rows: usize) -> Distinct {
    let state = FixedState::default();
    let width = columns.len();
    let mut table: HashTable<u32> = HashTable::new();
    let mut looks: Vec<u32> = Vec::new();
    let mut first: Vec<u32> = Vec::new();
    let mut of_row = Vec::with_capacity(rows);
    let mut key = vec![0u32; width];
    for row in 0..rows {
        for (slot, column) in key.iter_mut().zip(columns) {
            *slot = column[row];
        }
        let look = |id: u32| &looks[id as usize * width..(id as usize + 1) * width];
        // In sorted tables most rows look like the one above: comparing is cheaper than hashing.
        if let Some(&above) = of_row.last()
            && look(above) == key
        {
            of_row.push(above);
            continue;
        }
        let hash = state.hash_one(&key);
        let id = match table.find(hash, |&id| look(id) == key) {
            Some(&id) => id,
            None => {
                let id = first.len() as u32;
                table.insert_unique(hash, id, |&other| state.hash_one(look(other)));
                looks.extend_from_slice(&key);
                first.push(row as u32);
                id
            }
        };
        of_row.push(id);
    }
    Distinct { of_row, first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_looks_in_order_of_appearance() {
        let (a, b) = ([1u32, 1, 2, 1, 2], [7u32, 8, 7, 7, 7]);
        let found = distinct_rows(&[&a, &b], 5);
        assert_eq!(found.of_row, [0, 1, 2, 0, 2]);
        assert_eq!(found.first, [0, 1, 2]);
    }

    #[test]
    fn without_columns_all_rows_are_alike() {
        assert_eq!(distinct_rows(&[], 3).of_row, [0, 0, 0]);
    }
}
