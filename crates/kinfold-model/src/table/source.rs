//! Opens a table, whatever it is stored in, and reads the columns that are asked for.
//!
//! The format is told from the first bytes, not from the name, so standard input works alike.

use super::csv::CsvSource;
use super::{Chunks, Found, Header, Table, TableError};
use crate::call::{Call, Event};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

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
    /// Whether the first line of a text table is a header.
    pub header: Header,
    /// What the table may be at most.
    pub limits: Limits,
    /// The call that reads: it may be stopped, and is told how many rows were read.
    pub call: Call,
}

impl ReadOptions {
    /// Called every so many rows: stops, or reports.
    pub(crate) fn pulse(&self, rows: usize) -> Result<(), TableError> {
        self.call.tell(Event::Rows(rows));
        Ok(self.call.check()?)
    }
}

/// How often [`ReadOptions::pulse`] is called.
pub(crate) const PULSE: usize = 1 << 14;

/// Where bytes come from.
pub(super) enum Input {
    /// A file that can be read from several places.
    File(File),
    /// What can be read once: standard input, a pipe.
    Stream(Box<dyn Read + Send>),
    Memory(Vec<u8>),
}

/// So many bytes tell the format.
const MAGIC: usize = 8;

impl Input {
    /// Copies the first bytes, and leaves the input as it was.
    fn look(&mut self, magic: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::File(file) => {
                file.take(MAGIC as u64).read_to_end(magic)?;
                file.rewind()
            }
            Self::Memory(bytes) => {
                magic.extend_from_slice(&bytes[..bytes.len().min(MAGIC)]);
                Ok(())
            }
            Self::Stream(stream) => {
                stream.take(MAGIC as u64).read_to_end(magic)?;
                let rest = std::mem::replace(stream, Box::new(io::empty()));
                *stream = Box::new(Cursor::new(magic.clone()).chain(rest));
                Ok(())
            }
        }
    }
}

/// Of these names, the columns that are wanted, and the table if it fits memory: what no row has.
type Look = Box<dyn FnOnce(&[String], &dyn Fn(&str) -> bool, Option<&Table>) -> Result<Found, TableError>>;

/// An open table: its column names are known, its rows are not read yet.
pub struct Source {
    names: Vec<String>,
    call: Call,
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
            return Self::from_input(Input::Stream(Box::new(io::stdin())), path, options);
        }
        Self::from_file(File::open(path).map_err(io)?, path, options)
    }

    /// Reads an open file from its start; `path` is its name in messages.
    pub fn from_file(file: File, path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        let io = |source| TableError::Io { path: path.to_owned(), source };
        let kind = file.metadata().map_err(io)?.file_type();
        if kind.is_dir() {
            return Err(io(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
        }
        let input = if kind.is_file() { Input::File(file) } else { Input::Stream(Box::new(file)) };
        Self::from_input(input, path, options)
    }

    /// Opens the bytes of a file that are in memory. No file is opened for it.
    pub fn from_bytes(bytes: Vec<u8>, options: &ReadOptions) -> Result<Self, TableError> {
        Self::from_input(Input::Memory(bytes), Path::new("the table in memory"), options)
    }

    /// Takes batches as they come, each dropped once it is read: those of a data frame, or of a database. No
    /// file is opened for it.
    #[cfg(feature = "columnar")]
    pub fn from_reader(
        reader: Box<dyn arrow_array::RecordBatchReader + Send>,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let (names, inner) = super::columnar::ColumnarSource::stream(reader, options)?;
        Ok(Self { names, call: options.call.clone(), inner: Inner::Columnar(Box::new(inner)) })
    }

    /// Opens an input; `path` is its name in messages.
    fn from_input(mut input: Input, path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        let io = |source| TableError::Io { path: path.to_owned(), source };
        let mut magic = Vec::with_capacity(MAGIC);
        input.look(&mut magic).map_err(io)?;
        let gzipped = magic.starts_with(&[0x1f, 0x8b]);
        let columnar =
            magic.starts_with(b"PAR1") || magic.starts_with(b"ARROW1") || magic.starts_with(&[0xff; 4]);
        if columnar {
            return Self::columnar(input, &magic, path, options);
        }
        let whole: Box<dyn Read + Send> = match input {
            Input::File(file) => Box::new(file),
            Input::Stream(stream) => stream,
            Input::Memory(bytes) => Box::new(Cursor::new(bytes)),
        };
        let whole = if gzipped { Box::new(flate2::read::MultiGzDecoder::new(whole)) } else { whole };
        let (names, csv) = CsvSource::open(whole, path, options)?;
        Ok(Self { names, call: options.call.clone(), inner: Inner::Csv(Box::new(csv)) })
    }

    #[cfg(feature = "columnar")]
    fn columnar(input: Input, magic: &[u8], path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        let (names, inner) = super::columnar::ColumnarSource::open(input, magic, path, options)?;
        Ok(Self { names, call: options.call.clone(), inner: Inner::Columnar(Box::new(inner)) })
    }

    #[cfg(not(feature = "columnar"))]
    fn columnar(_: Input, _: &[u8], path: &Path, _: &ReadOptions) -> Result<Self, TableError> {
        Err(TableError::Damaged {
            path: path.to_owned(),
            what: "this build reads no Parquet or Arrow (feature `columnar` is off)".into(),
        })
    }

    pub(crate) fn call(&self) -> &Call {
        &self.call
    }

    /// The names of all columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the columns for which `wanted` holds; the others cost no memory. A table without rows is
    /// refused.
    pub fn read(self, wanted: impl Fn(&str) -> bool) -> Result<Table, TableError> {
        self.chunks(wanted, usize::MAX)?.next()?.ok_or(TableError::HeaderOnly)
    }

    /// Reads the columns for which `wanted` holds, and looks for what the file says of them besides.
    pub(crate) fn read_all_of(self, wanted: impl Fn(&str) -> bool) -> Result<(Table, Found), TableError> {
        let (looking, names) = (self.looking(), self.names.clone());
        let table = self.read(&wanted)?;
        let found = looking(&names, &wanted, Some(&table))?;
        Ok((table, found))
    }

    /// Looks for what the file says of these columns besides its rows, which are not kept.
    pub fn look(self, wanted: impl Fn(&str) -> bool) -> Result<Found, TableError> {
        self.looking()(&self.names, &wanted, None)
    }

    /// Looks besides the rows. Text files have nothing there.
    fn looking(&self) -> Look {
        #[cfg(feature = "columnar")]
        if let Inner::Columnar(columnar) = &self.inner {
            let looking = columnar.looking();
            return Box::new(|names, wanted, table| looking.look(names, wanted, table));
        }
        Box::new(|_, _, _| Ok(Found::default()))
    }

    /// Reads the columns for which `wanted` holds, so many rows at a time: for tables that do not fit memory.
    pub fn chunks(self, wanted: impl Fn(&str) -> bool, rows: usize) -> Result<Chunks, TableError> {
        let wanted: Vec<bool> = self.names.iter().map(|n| wanted(n)).collect();
        Ok(match self.inner {
            Inner::Csv(mut csv) => Chunks::new(rows, move |most| csv.read(&self.names, &wanted, most)),
            #[cfg(feature = "columnar")]
            Inner::Columnar(columnar) => {
                let mut batches = columnar.opened(&wanted)?;
                Chunks::new(rows, move |most| batches.read(most))
            }
        })
    }
}

/// Names must be there, and differ.
pub(crate) fn check_names(names: &[String]) -> Result<(), TableError> {
    let mut seen = std::collections::HashMap::new();
    for (i, name) in names.iter().enumerate() {
        if name.trim().is_empty() {
            return Err(TableError::EmptyName(i + 1));
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
    let source = match source.downcast::<TableError>() {
        Ok(told) => return told,
        Err(source) => source,
    };
    match source.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
            TableError::Damaged { path, what: format!("the compressed stream is damaged ({source})") }
        }
        _ => TableError::Io { path, source },
    }
}
