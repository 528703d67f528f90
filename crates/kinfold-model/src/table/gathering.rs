//! One table made of rows of others that have the same columns.

use super::{Column, ColumnBuilder, Table};
use std::ops::Range;

/// A table that grows by rows of others.
#[derive(Debug)]
pub struct Gathering {
    columns: Vec<ColumnBuilder>,
    rows: usize,
    delimiter: u8,
}

const UNKNOWN: u32 = u32::MAX;

impl Gathering {
    /// A table without rows, with the columns of this one and their types.
    pub fn like(table: &Table) -> Self {
        let columns = table.columns.iter().map(|column| ColumnBuilder::like(column)).collect();
        Self { columns, rows: 0, delimiter: table.delimiter }
    }

    /// Adds these rows of a table with the same columns.
    pub fn add(&mut self, table: &Table, rows: Range<usize>) {
        for (own, column) in self.columns.iter_mut().zip(&table.columns) {
            add_cells(own, column, rows.clone());
        }
        self.rows += rows.len();
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The table.
    pub fn finish(self) -> Table {
        let columns = self.columns.into_iter().map(ColumnBuilder::finish).collect();
        Table::new(columns, self.rows, self.delimiter)
    }
}

/// Every text is looked up once, not once per row.
fn add_cells(own: &mut ColumnBuilder, column: &Column, rows: Range<usize>) {
    let mut known = vec![UNKNOWN; column.distinct()];
    for &code in &column.codes[rows] {
        let known = &mut known[code as usize];
        if *known == UNKNOWN {
            *known = if column.is_null(code) {
                own.intern_null()
            } else {
                own.interner.intern_str(column.text(code))
            };
        }
        own.codes.push(*known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_several_tables_become_one_table() {
        let one = Table::from_cells(&["a", "b"], &[vec!["x", "1"], vec!["y", "2"]]).unwrap();
        let two = Table::from_cells(&["a", "b"], &[vec!["y", "1"], vec!["z", "1"]]).unwrap();
        let mut both = Gathering::like(&one);
        both.add(&one, 1..2);
        both.add(&two, 0..2);
        let table = both.finish();
        let texts = |c: &Column| c.codes().iter().map(|&code| c.text(code).to_owned()).collect::<Vec<_>>();
        assert_eq!(texts(&table.columns()[0]), ["y", "y", "z"]);
        assert_eq!(texts(&table.columns()[1]), ["2", "1", "1"]);
        assert_eq!(table.columns()[0].distinct(), 2, "texts of no row are left out");
    }
}
