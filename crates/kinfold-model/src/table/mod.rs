//! A table in memory: every column is a list of codes into a dictionary of distinct texts.
//!
//! Cells stay text, exactly as they were read: nothing is typed until a policy (or a careful
//! inference, see [`crate::kind`]) says so, and what is published untouched is the same text.
//! A table of people repeats itself, so codes plus dictionaries are far smaller than the file.

mod arranged;
#[cfg(feature = "columnar")]
mod beside;
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
mod hidden;
#[cfg(feature = "columnar")]
mod metadata;
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
pub use hidden::{Found, Hidden, Place};
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
        if let Some(at) = rows.iter().position(|row| row.len() != names.len()) {
            let line = at as u64 + 2;
            return Err(TableError::Ragged { line, expected: names.len(), found: rows[at].len() });
        }
        let cells = |at: usize| rows.iter().map(|row| Some(row[at])).collect();
        let columns: Vec<_> = names.iter().enumerate().map(|(at, &name)| (name.into(), cells(at))).collect();
        Self::from_columns(&columns)
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
            let line = rows.min(cells.len()) as u64 + 2;
            return Err(TableError::Ragged { line, expected: names.len(), found: 0 });
        }
        let columns = columns.iter().map(|(name, cells)| Column::of_texts(name, cells)).collect();
        Ok(Self::new(columns, rows, b','))
    }

    /// The same table with some columns replaced.
    pub(crate) fn with_columns(&self, replace: impl Fn(&Column) -> Option<Column>) -> Self {
        let column = |own: &Arc<Column>| replace(own).map_or_else(|| own.clone(), Arc::new);
        Self { columns: self.columns.iter().map(column).collect(), ..self.clone() }
    }

    /// The columns, in the order of the file.
    pub fn columns(&self) -> &[Arc<Column>] {
        &self.columns
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.head.name == name).map(Arc::as_ref)
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
    head: Head,
    codes: Vec<u32>,
    dictionary: Dictionary,
    null: Option<u32>,
    /// Where its rows were before they were arranged, if they are.
    places: Option<Arc<[u32]>>,
}

/// What is known of a column besides its cells.
#[derive(Debug, Clone, Default)]
struct Head {
    name: String,
    origin: Option<Origin>,
    /// The type of the whole array in memory, where it differs: a dictionary of cells of type `origin`.
    stored: Option<Origin>,
    /// How many rows of the file come before the first one.
    before: usize,
}

impl Column {
    /// The name in the header.
    pub fn name(&self) -> &str {
        &self.head.name
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

    /// How many rows have each code.
    pub fn rows_of_codes(&self) -> Vec<usize> {
        let mut rows = vec![0; self.distinct()];
        self.codes.iter().for_each(|&code| rows[code as usize] += 1);
        rows
    }

    /// Whether the code is a null of a typed file (an empty text is not one).
    pub fn is_null(&self, code: u32) -> bool {
        self.null == Some(code)
    }

    /// The type the cells had in a typed file.
    pub fn origin(&self) -> Option<&Origin> {
        self.head.origin.as_ref()
    }

    /// The type the whole column had in memory: [`Column::origin`], or a dictionary of it.
    pub fn stored(&self) -> Option<&Origin> {
        self.head.stored.as_ref().or(self.origin())
    }

    /// A column with a row for each of these texts; none for a null.
    pub(crate) fn of_texts(name: &str, texts: &[Option<&str>]) -> Self {
        let mut builder = ColumnBuilder::new(name.to_owned());
        for text in texts {
            let code = match text {
                Some(text) => builder.interner.intern_str(text),
                None => builder.intern_null(),
            };
            builder.codes.push(code);
        }
        builder.finish()
    }

    /// The same rows with other texts: what each code says now, none for a null.
    pub(crate) fn saying(&self, text: impl Fn(u32) -> Option<String>) -> Self {
        let mut builder = ColumnBuilder::like(self);
        // What is published in place of numbers is text.
        (builder.head.origin, builder.head.stored) = (None, None);
        let codes: Vec<u32> = (0..self.distinct() as u32)
            .map(|code| match text(code) {
                Some(text) => builder.interner.intern_str(&text),
                None => builder.intern_null(),
            })
            .collect();
        builder.codes = self.codes.iter().map(|&code| codes[code as usize]).collect();
        Self { places: self.places.clone(), ..builder.finish() }
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
        first.map_or(0, |row| self.head.before + row + 1)
    }
}

#[derive(Debug, Default)]
pub(crate) struct ColumnBuilder {
    head: Head,
    codes: Vec<u32>,
    interner: dictionary::Interner,
    null: Option<u32>,
}

impl ColumnBuilder {
    pub(crate) fn new(name: String) -> Self {
        Self { head: Head { name, ..Head::default() }, ..Self::default() }
    }

    #[cfg(feature = "columnar")]
    pub(crate) fn typed(name: String, origin: Origin, stored: Origin) -> Self {
        let stored = (stored != origin).then_some(stored);
        Self { head: Head { name, origin: Some(origin), stored, before: 0 }, ..Self::default() }
    }

    /// A column of the name and types of this one.
    pub(crate) fn like(column: &Column) -> Self {
        Self { head: column.head.clone(), ..Self::default() }
    }

    /// The same, after so many rows of the file.
    pub(crate) fn after(mut self, before: usize) -> Self {
        self.head.before = before;
        self
    }

    /// Adds a cell; the bytes are checked to be UTF-8 the first time they are seen.
    #[inline]
    pub(crate) fn push(&mut self, cell: &[u8]) -> Result<(), std::str::Utf8Error> {
        self.codes.push(self.interner.intern(cell)?);
        Ok(())
    }

    pub(crate) fn intern_null(&mut self) -> u32 {
        *self.null.get_or_insert_with(|| self.interner.reserve())
    }

    /// Bytes of memory held, or needed before long: a full list is copied to one of twice its size.
    pub(crate) fn memory(&self) -> usize {
        let full = self.codes.len() + source::PULSE > self.codes.capacity();
        let codes = if full { 3 * self.codes.capacity() } else { self.codes.capacity() };
        codes * size_of::<u32>() + self.interner.memory()
    }

    pub(crate) fn finish(mut self) -> Column {
        self.codes.shrink_to_fit();
        let dictionary = self.interner.finish();
        Column { head: self.head, codes: self.codes, dictionary, null: self.null, places: None }
    }
}
