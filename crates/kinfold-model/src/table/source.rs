//! Opens a table, whatever it is stored in, and reads the columns that are asked for.
//!
//! The format is told from the first bytes, not from the name, so standard input works alike.

use super::csv::CsvSource;
use super::{Table, TableError};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a table may be at most. Beyond it reading is refused, before memory runs out.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Columns.
    pub columns: usize,
    /// Bytes of one field.
    pub field: usize,
    /// Bytes of the encoded table.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { columns: 10_000, field: 1 << 20, memory: 4 << 30 }
    }
}

/// How to read a table.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The delimiter of a text table; sniffed when not given.
    pub delimiter: Option<u8>,
    /// The encoding of a text table; UTF-8 (or what a byte order mark says) when not given.
    pub encoding: Option<String>,
    /// What the table may be at most.
    pub limits: Limits,
    /// Raised from outside to stop reading.
    pub stop: Option<Arc<AtomicBool>>,
    /// Told how many rows were read so far, now and then.
    pub progress: Option<fn(usize)>,
}

impl ReadOptions {
    /// Called every so many rows: stops, or reports.
    pub(crate) fn pulse(&self, rows: usize) -> Result<(), TableError> {
        if self.stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed)) {
            return Err(TableError::Stopped);
        }
        if let Some(progress) = self.progress {
            progress(rows);
        }
        Ok(())
    }
}

/// How often [`ReadOptions::pulse`] is called.
pub(crate) const PULSE: usize = 1 << 14;

/// An open table: its column names are known, its rows are not read yet.
pub struct Source {
    names: Vec<String>,
    inner: Inner,
}

enum Inner {
    Csv(Box<CsvSource>),
    #[cfg(feature = "columnar")]
    Columnar(Box<super::columnar::ColumnarSource>),
}

impl Source {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        let io = |source| TableError::Io { path: path.to_owned(), source };
        if path.as_os_str() == "-" {
            return Self::from_reader(Box::new(io::stdin()), path, options);
        }
        let file = File::open(path).map_err(io)?;
        if file.metadata().map_err(io)?.is_dir() {
            return Err(io(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
        }
        Self::from_reader(Box::new(file), path, options)
    }

    /// Opens bytes that are already in memory.
    pub fn from_bytes(bytes: Vec<u8>, options: &ReadOptions) -> Result<Self, TableError> {
        Self::from_reader(Box::new(Cursor::new(bytes)), Path::new("(memory)"), options)
    }

    fn from_reader(
        mut reader: Box<dyn Read + Send>,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let io = |source| TableError::Io { path: path.to_owned(), source };
        let mut magic = Vec::with_capacity(8);
        (&mut reader).take(8).read_to_end(&mut magic).map_err(io)?;
        let gzipped = magic.starts_with(&[0x1f, 0x8b]);
        let columnar =
            magic.starts_with(b"PAR1") || magic.starts_with(b"ARROW1") || magic.starts_with(&[0xff; 4]);
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(magic.clone()).chain(reader));
        if columnar {
            return Self::columnar(whole, &magic, path, options);
        }
        let whole = if gzipped { Box::new(flate2::read::MultiGzDecoder::new(whole)) } else { whole };
        let (names, csv) = CsvSource::open(whole, path, options)?;
        Ok(Self { names, inner: Inner::Csv(Box::new(csv)) })
    }

    #[cfg(feature = "columnar")]
    fn columnar(
        reader: Box<dyn Read + Send>,
        magic: &[u8],
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let (names, inner) = super::columnar::ColumnarSource::open(reader, magic, path, options)?;
        Ok(Self { names, inner: Inner::Columnar(Box::new(inner)) })
    }

    #[cfg(not(feature = "columnar"))]
    fn columnar(_: Box<dyn Read + Send>, _: &[u8], path: &Path, _: &ReadOptions) -> Result<Self, TableError> {
        Err(TableError::Damaged {
            path: path.to_owned(),
            what: "this build reads no Parquet or Arrow (feature `columnar` is off)".into(),
        })
    }

    /// The names of all columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the columns for which `wanted` holds; the others cost no memory. A table without rows is refused.
    pub fn read(self, wanted: impl Fn(&str) -> bool) -> Result<Table, TableError> {
        let wanted: Vec<bool> = self.names.iter().map(|n| wanted(n)).collect();
        let table = match self.inner {
            Inner::Csv(csv) => csv.read(self.names, &wanted)?,
            #[cfg(feature = "columnar")]
            Inner::Columnar(columnar) => columnar.read(self.names, &wanted)?,
        };
        if table.rows() == 0 { Err(TableError::HeaderOnly) } else { Ok(table) }
    }
}

/// Names must be there, and differ.
pub(crate) fn check_names(names: &[String]) -> Result<(), TableError> {
    let mut seen = std::collections::HashMap::new();
    for (i, name) in names.iter().enumerate() {
        if name.trim().is_empty() {
            return Err(TableError::EmptyName { position: i + 1 });
        }
        if let Some(first) = seen.insert(name.as_str(), i + 1) {
            return Err(TableError::DuplicateName { name: name.clone(), first, second: i + 1 });
        }
    }
    Ok(())
}

/// Turns an I/O error of a decoder into what is wrong with the file.
pub(crate) fn read_error(path: &Path, source: io::Error) -> TableError {
    let path: PathBuf = path.to_owned();
    match source.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
            TableError::Damaged { path, what: format!("the compressed stream is damaged ({source})") }
        }
        _ => TableError::Io { path, source },
    }
}
