//! What can be wrong with a table file. No message repeats a cell: cells are about people.

use crate::call::Stopped;
use crate::hint::Hint;
use std::path::PathBuf;
use thiserror::Error;

/// A table that cannot be read, and why.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The operating system said no.
    #[error("cannot read {path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No bytes at all.
    #[error("the table is empty: there is no header")]
    Empty,
    /// A header but no rows.
    #[error("the table has a header but no rows")]
    HeaderOnly,
    /// A first line that looks like data.
    #[error("the first line looks like data, not like a header")]
    NoHeader,
    /// A row with another number of fields than the first.
    #[error("line {line}: {} where {expected} are expected", fields(*found))]
    Ragged {
        /// Line in the file.
        line: u64,
        /// Fields of the first row.
        expected: usize,
        /// Fields of this row.
        found: usize,
    },
    /// The same name twice.
    #[error("the header names column {name:?} twice (columns {first} and {second})")]
    DuplicateName {
        /// The name.
        name: String,
        /// Its first position, counted from 1.
        first: usize,
        /// Its second position.
        second: usize,
    },
    /// A column without a name; its position, counted from 1.
    #[error("column {0} of the header has no name")]
    EmptyName(usize),
    /// Bytes that are not UTF-8.
    #[error("line {line}, column {column:?}: not UTF-8 text (byte {byte} of the field)")]
    NotUtf8 {
        /// Line in the file.
        line: u64,
        /// Name of the column, or its position in a broken header.
        column: String,
        /// Offset in the field, counted from 1.
        byte: usize,
    },
    /// Bytes that mean nothing in the encoding of the file.
    #[error("line {line}: not {encoding} text")]
    Malformed {
        /// Line in the file.
        line: u64,
        /// The encoding.
        encoding: &'static str,
    },
    /// A quote that never closes, in the row that starts on this line.
    #[error("line {0}: a quote opens here and never closes")]
    OpenQuote(u64),
    /// More columns than this.
    #[error("more than {0} columns")]
    TooManyColumns(usize),
    /// A field that is too long.
    #[error("line {line}: a field longer than {limit} bytes")]
    FieldTooLong {
        /// Line on which the row starts.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// More rows than so many row numbers.
    #[error("more than {0} rows")]
    TooManyRows(usize),
    /// The encoded table outgrew the limit.
    #[error("the table needs more than {} of memory{}", human_bytes(*limit), reached(*row))]
    TooLarge {
        /// Row that was being read; 0 if none was yet.
        row: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A damaged or unsupported Parquet or Arrow file, or a damaged gzip stream.
    #[error("cannot read {path}: {what}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the reader said.
        what: String,
    },
    /// A column whose cells are not single values.
    #[error("column {column:?} has type {kind}, which is not one value per cell")]
    Nested {
        /// The column.
        column: String,
        /// Its type.
        kind: String,
    },
    /// A date or a time that there is not.
    #[error("column {column:?}, row {row}: a value of type {kind} that no calendar or clock has")]
    BeyondCalendar {
        /// The column.
        column: String,
        /// Number of the row, counted from 1.
        row: usize,
        /// The column's type.
        kind: String,
    },
    /// An encoding nobody knows.
    #[error("unknown encoding {0:?}")]
    UnknownEncoding(String),
    /// The user stopped the work.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl TableError {
    /// What to try.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                "check the path; use - for standard input".into()
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::IsADirectory => {
                "name a file in it".into()
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::FileTooLarge => {
                "raise {max_memory} if the machine has more".into()
            }
            Self::Damaged { .. } => "the file is cut off or damaged: fetch or write it again".into(),
            Self::NoHeader => "add a line with the names of the columns; or {header=no} names them column1, \
                               column2, …; or {header=yes} takes the first line for names"
                .into(),
            Self::Ragged { found: 1, .. } | Self::Ragged { expected: 1, .. } => {
                "is the delimiter right? Set it with {delimiter=';'} (or ',', 'tab', '|')".into()
            }
            Self::Ragged { .. } => {
                "quote fields that hold the delimiter, or set the delimiter with {delimiter}".into()
            }
            Self::NotUtf8 { .. } => {
                "set the encoding, for example {encoding=windows-1252} or {encoding=latin1}".into()
            }
            Self::Malformed { .. } => "is {encoding} right? Or the file is damaged: write it again".into(),
            Self::DuplicateName { .. } | Self::EmptyName(_) => "give every column a name of its own".into(),
            Self::OpenQuote(_) => "close the quote, or double a quote that belongs to the text".into(),
            Self::TooManyColumns(_) => "a table about people is narrower; is the delimiter right?".into(),
            Self::FieldTooLong { .. } => "is a quote left open before this line?".into(),
            Self::TooLarge { .. } => {
                "raise {max_memory} if the machine has more, or leave columns out".into()
            }
            Self::Nested { .. } => "leave it out with {drop}, or flatten it before".into(),
            Self::BeyondCalendar { .. } => {
                "correct the value, or make it a null; or leave the column out with {drop}".into()
            }
            Self::UnknownEncoding(_) => {
                "names of the WHATWG list are known: utf-8, windows-1252, latin1, utf-16le, shift_jis, …"
                    .into()
            }
            Self::Empty | Self::HeaderOnly => {
                "the first line names the columns, each further line is a row".into()
            }
            _ => return None,
        })
    }
}

pub(crate) fn human_bytes(bytes: usize) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let exact = units.into_iter().find(|&(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    exact.map_or_else(|| format!("{bytes} bytes"), |(shift, unit)| format!("{} {unit}", bytes >> shift))
}

fn reached(row: usize) -> String {
    if row == 0 { String::new() } else { format!(" (reached at row {row})") }
}

fn fields(number: usize) -> String {
    if number == 1 { "1 field".into() } else { format!("{number} fields") }
}
