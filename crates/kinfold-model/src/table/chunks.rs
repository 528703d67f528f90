//! A table so many rows at a time, for those that do not fit memory.

use super::{Table, TableError};

/// Reads on: so many rows at most.
type Reader = Box<dyn FnMut(usize) -> Result<Table, TableError>>;

/// A table that is read in chunks. Each is a table of its own; messages number rows as the file does.
pub struct Chunks {
    rows: usize,
    read: Reader,
}

impl Chunks {
    pub(super) fn new(rows: usize, read: impl FnMut(usize) -> Result<Table, TableError> + 'static) -> Self {
        Self { rows, read: Box::new(read) }
    }

    /// The next rows; none at the end of the table.
    #[allow(clippy::should_implement_trait)] // An iterator of results goes on after an error; this does not.
    pub fn next(&mut self) -> Result<Option<Table>, TableError> {
        let table = (self.read)(self.rows)?;
        Ok((table.rows() > 0).then_some(table))
    }
}

#[cfg(test)]
mod tests {
    use crate::table::{ReadOptions, Source, Table};

    fn cells(table: &Table) -> Vec<String> {
        let text = |c: &crate::table::Column, row: usize| c.text(c.codes()[row]).to_owned();
        (0..table.rows()).flat_map(|row| table.columns().iter().map(move |c| text(c, row))).collect()
    }

    #[test]
    fn chunks_are_the_table_and_know_where_they_stand() {
        let text: String = (0..10).map(|i| format!("{i},{},x\n", i % 3)).collect();
        let open = || Source::from_bytes(format!("a,b,c\n{text}").into_bytes(), &ReadOptions::default());
        let whole = open().unwrap().read(|name| name != "c").unwrap();
        let mut chunks = open().unwrap().chunks(|name| name != "c", 4).unwrap();
        let (mut seen, mut sizes) = (Vec::new(), Vec::new());
        while let Some(chunk) = chunks.next().unwrap() {
            let first = &chunk.columns()[0];
            let row = first.first_row(|code| code == first.codes()[0]);
            assert_eq!(row, seen.len() / 2 + 1, "rows are the file's");
            seen.extend(cells(&chunk));
            sizes.push(chunk.rows());
        }
        assert_eq!((seen, sizes), (cells(&whole), vec![4, 4, 2]));
    }
}
