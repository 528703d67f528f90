//! A table in memory: every column is a list of codes into a dictionary of distinct texts.
//!
//! Cells stay text, exactly as they were read: nothing is typed until a policy (or a careful
//! inference, see [`crate::kind`]) says so, and what is published untouched is the same text.
//! A table of people repeats itself, so codes plus dictionaries are far smaller than the file.

mod arranged;
mod chunks;
#[cfg(feature = "columnar")]
mod columnar;
mod csv;
mod decode;
mod dictionary;
mod distinct;
mod error;
mod gathering;
#[cfg(feature = "columnar")]
mod guard;
mod header;
#[cfg(feature = "columnar")]
mod pages;
mod sniff;
mod sorting;
mod source;
mod spool;
#[cfg(feature = "columnar")]
mod typed;

pub use arranged::Arranged;
pub(crate) use arranged::scrambled;
pub use chunks::Chunks;
pub(crate) use csv::read_cells;
pub use dictionary::Dictionary;
pub use distinct::{Distinct, distinct_rows};
pub use error::TableError;
pub(crate) use error::human_bytes;
pub use gathering::Gathering;
#[cfg(feature = "columnar")]
pub use guard::keep_still_about_damaged_files;
pub use header::Header;
pub use sorting::{Key, sort_rows};
pub use source::{Limits, ReadOptions, Source};
pub use spool::Spool;
use std::path::Path;
use std::sync::Arc;

/// The type a cell had in a typed file (Parquet, Arrow); plain text files have none.
#[cfg(feature = "columnar")]
pub type Origin = arrow_schema::DataType;
/// Without the `columnar` feature no file is typed.
#[cfg(not(feature = "columnar"))]
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {}

/// A table that was read, column by column.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Arc<Column>>,
    rows: usize,
    delimiter: u8,
}

impl Table {
    /// A table from columns of equal length; `delimiter` is what a CSV copy of it would use.
    pub(crate) fn new(columns: Vec<Column>, rows: usize, delimiter: u8) -> Self {
        debug_assert!(columns.iter().all(|c| c.codes.len() == rows));
        Self { columns: columns.into_iter().map(Arc::new).collect(), rows, delimiter }
    }

    /// Reads a whole file, or standard input for `-`; see [`Source`] for tables of which some columns are
    /// wanted.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TableError> {
        Source::open(path.as_ref(), &ReadOptions::default())?.read(|_| true)
    }

    /// A table from text cells: names, and rows with a cell for each. Like a file, it needs a row at least.
    pub fn from_cells(names: &[&str], rows: &[Vec<&str>]) -> Result<Self, TableError> {
        let owned: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        source::check_names(&owned)?;
        if rows.is_empty() {
            return Err(TableError::HeaderOnly);
        }
        if let Some(at) = rows.iter().position(|row| row.len() != names.len()) {
            let line = at as u64 + 2;
            return Err(TableError::Ragged { line, expected: names.len(), found: rows[at].len() });
        }
        let columns = names
            .iter()
            .enumerate()
            .map(|(i, name)| {
                let mut builder = ColumnBuilder::new((*name).to_owned());
                for row in rows {
                    builder.push_str(row[i]);
                }
                builder.finish()
            })
            .collect();
        Ok(Self::new(columns, rows.len(), b','))
    }

    /// A table from columns of text cells, all of one length; none is a null.
    pub fn from_columns(columns: &[(String, Vec<Option<&str>>)]) -> Result<Self, TableError> {
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        source::check_names(&names)?;
        let rows = columns.first().map_or(0, |(_, cells)| cells.len());
        if rows == 0 {
            return Err(TableError::HeaderOnly);
        }
        if let Some((_, cells)) = columns.iter().find(|(_, cells)| cells.len() != rows) {
            return Err(TableError::Ragged {
                line: rows.min(cells.len()) as u64 + 2,
                expected: names.len(),
                found: 0,
            });
        }
        let columns = columns.iter().map(|(name, cells)| Column::of_texts(name, cells)).collect();
        Ok(Self::new(columns, rows, b','))
    }

    /// The columns, in the order of the file.
    pub fn columns(&self) -> &[Arc<Column>] {
        &self.columns
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name).map(Arc::as_ref)
    }

    /// Number of rows, the header not counted.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The delimiter of the file this came from (a comma if it had none).
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }
}

/// One column: a code per row, and what each code stands for.
#[derive(Debug, Clone)]
pub struct Column {
    name: String,
    codes: Vec<u32>,
    dictionary: Dictionary,
    null: Option<u32>,
    origin: Option<Origin>,
    /// The type of the whole array in memory, where it differs: a dictionary of cells of type `origin`.
    stored: Option<Origin>,
    /// How many rows of the file come before the first one.
    before: usize,
    /// Where its rows were before they were arranged, if they are.
    places: Option<Arc<[u32]>>,
}

impl Column {
    /// The name in the header.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The code of every row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Number of distinct texts.
    pub fn distinct(&self) -> usize {
        self.dictionary.len()
    }

    /// The text a code stands for; empty for a null.
    pub fn text(&self, code: u32) -> &str {
        self.dictionary.text(code)
    }

    /// Whether the code is a null of a typed file (an empty text is not one).
    pub fn is_null(&self, code: u32) -> bool {
        self.null == Some(code)
    }

    /// The type the cells had in a typed file.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The type the whole column had in memory: [`Column::origin`], or a dictionary of it.
    pub fn stored(&self) -> Option<&Origin> {
        self.stored.as_ref().or(self.origin())
    }
}

impl Column {
    /// A column with a row for each of these texts; none for a null.
    pub(crate) fn of_texts(name: &str, texts: &[Option<&str>]) -> Self {
        let mut builder = ColumnBuilder::new(name.to_owned());
        for text in texts {
            let code = match text {
                Some(text) => builder.intern(text),
                None => builder.intern_null(),
            };
            builder.push_code(code);
        }
        builder.finish()
    }

    /// The first row of the file (counted from 1, header not counted) whose code is meant.
    pub(crate) fn first_row(&self, meant: impl Fn(u32) -> bool) -> usize {
        let first = match &self.places {
            None => self.codes.iter().position(|&code| meant(code)),
            Some(places) => {
                let meant = self.codes.iter().zip(&**places).filter(|&(&code, _)| meant(code));
                meant.map(|(_, &place)| place as usize).min()
            }
        };
        first.map_or(0, |row| self.before + row + 1)
    }
}

/// Builds a column cell by cell.
#[derive(Debug)]
pub(crate) struct ColumnBuilder {
    name: String,
    codes: Vec<u32>,
    interner: dictionary::Interner,
    null: Option<u32>,
    origin: Option<Origin>,
    stored: Option<Origin>,
    before: usize,
}

impl ColumnBuilder {
    pub(crate) fn new(name: String) -> Self {
        let interner = dictionary::Interner::default();
        Self { name, codes: Vec::new(), interner, null: None, origin: None, stored: None, before: 0 }
    }

    #[cfg(feature = "columnar")]
    pub(crate) fn typed(name: String, origin: Origin, stored: Origin) -> Self {
        let stored = (stored != origin).then_some(stored);
        Self { origin: Some(origin), stored, ..Self::new(name) }
    }

    /// A column of the name and types of this one.
    pub(crate) fn like(column: &Column) -> Self {
        let (origin, stored) = (column.origin.clone(), column.stored.clone());
        Self { origin, stored, before: column.before, ..Self::new(column.name.clone()) }
    }

    /// The same, after so many rows of the file.
    pub(crate) fn after(self, before: usize) -> Self {
        Self { before, ..self }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Adds a cell; the bytes are checked to be UTF-8 the first time they are seen.
    #[inline]
    pub(crate) fn push(&mut self, cell: &[u8]) -> Result<(), std::str::Utf8Error> {
        let code = self.interner.intern(cell)?;
        self.codes.push(code);
        Ok(())
    }

    pub(crate) fn push_str(&mut self, cell: &str) {
        let code = self.interner.intern_str(cell);
        self.codes.push(code);
    }

    /// The code of a text, which no row has yet.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        self.interner.intern_str(text)
    }

    /// The code of a value that is known by its bits; see [`dictionary::Interner::intern_bits`].
    #[cfg(feature = "columnar")]
    #[inline]
    pub(crate) fn intern_bits(
        &mut self,
        bits: u64,
        write: impl FnOnce(&mut String) -> Option<()>,
    ) -> Option<u32> {
        self.interner.intern_bits(bits, write)
    }

    /// The code of a null.
    pub(crate) fn intern_null(&mut self) -> u32 {
        *self.null.get_or_insert_with(|| self.interner.reserve())
    }

    /// Adds a cell by its code.
    #[inline]
    pub(crate) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// Bytes of distinct texts.
    #[cfg(feature = "columnar")]
    #[inline]
    pub(crate) fn texts(&self) -> usize {
        self.interner.texts()
    }

    /// Bytes of memory held, or needed before long: a full list is copied to one of twice its size.
    pub(crate) fn memory(&self) -> usize {
        let full = self.codes.len() + source::PULSE > self.codes.capacity();
        let codes = if full { 3 * self.codes.capacity() } else { self.codes.capacity() };
        codes * size_of::<u32>() + self.interner.memory()
    }

    pub(crate) fn finish(mut self) -> Column {
        self.codes.shrink_to_fit();
        Column {
            name: self.name,
            codes: self.codes,
            dictionary: self.interner.finish(),
            null: self.null,
            origin: self.origin,
            stored: self.stored,
            before: self.before,
            places: None,
        }
    }
}
