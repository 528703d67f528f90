//! What can be wrong with a table file. No message repeats a cell: cells are about people.

use crate::call::Stopped;
use crate::hint::Hint;
use std::path::PathBuf;
use thiserror::Error;

/// A table that cannot be read, and why.
#[allow(missing_docs)] // The messages say what they are.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    #[error("cannot read {path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("the table is empty: there is no header")]
    Empty,
    #[error("the table has a header but no rows")]
    HeaderOnly,
    #[error("the first line looks like data, not like a header")]
    NoHeader,
    #[error("line {line}: {} where {expected} are expected", fields(*found))]
    Ragged { line: u64, expected: usize, found: usize },
    #[error("the header names column {name:?} twice (columns {first} and {second})")]
    DuplicateName {
        name: String,
        /// Its first position, counted from 1.
        first: usize,
        second: usize,
    },
    #[error("column {0} of the header has no name")]
    EmptyName(usize),
    #[error("line {line}, column {column:?}: not UTF-8 text (byte {byte} of the field)")]
    NotUtf8 {
        line: u64,
        /// Name of the column, or its position in a broken header.
        column: String,
        /// Offset in the field, counted from 1.
        byte: usize,
    },
    #[error("line {line}: not {encoding} text")]
    Malformed { line: u64, encoding: &'static str },
    #[error("line {0}: a quote opens here and never closes")]
    OpenQuote(u64),
    #[error("more than {0} columns")]
    TooManyColumns(usize),
    #[error("line {line}: a field longer than {limit} bytes")]
    FieldTooLong {
        /// Line on which the row starts.
        line: u64,
        limit: usize,
    },
    #[error("more than {0} rows")]
    TooManyRows(usize),
    #[error("the table needs more than {} of memory{}", human_bytes(*limit), reached(*row))]
    TooLarge {
        /// Row that was being read; 0 if none was yet.
        row: usize,
        limit: usize,
    },
    #[error("cannot read {path}: {what}", path = path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("column {column:?} has type {kind}, which is not one value per cell")]
    Nested { column: String, kind: String },
    #[error("column {column:?}, row {row}: a value of type {kind} that no calendar or clock has")]
    BeyondCalendar { column: String, row: usize, kind: String },
    #[error("unknown encoding {0:?}")]
    UnknownEncoding(String),
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
