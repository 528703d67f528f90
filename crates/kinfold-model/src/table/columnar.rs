//! Typed tables: Parquet, Arrow IPC (file and stream), and Arrow batches in memory. Cells become text; the
//! type is remembered, so that what is published untouched gets it back.

use super::csv::check_memory;
use super::source::{Input, check_names, read_error};
use super::{ColumnBuilder, ReadOptions, Table, TableError};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::can_cast_types;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const BATCH: usize = 4096;

pub(crate) struct ColumnarSource {
    schema: SchemaRef,
    inner: Inner,
    path: PathBuf,
    options: ReadOptions,
}

enum Inner {
    Parquet(Box<ParquetRecordBatchReaderBuilder<Stored>>),
    IpcFile(Stored),
    IpcStream(Stored),
}

impl ColumnarSource {
    pub(crate) fn open(
        input: Input,
        magic: &[u8],
        path: &Path,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Self), TableError> {
        let damaged = |what: String| TableError::Damaged { path: path.to_owned(), what };
        let io = |e| read_error(path, e);
        let stored = Stored::new(input, options, path)?;
        let (schema, inner) = if magic.starts_with(b"PAR1") {
            let builder = ParquetRecordBatchReaderBuilder::try_new(stored)
                .map_err(|e| damaged(e.to_string()))?
                .with_batch_size(BATCH);
            (builder.schema().clone(), Inner::Parquet(Box::new(builder)))
        } else if magic.starts_with(b"ARROW1") {
            let reader = FileReader::try_new(stored.reader(0).map_err(io)?, None);
            (reader.map_err(|e| damaged(e.to_string()))?.schema(), Inner::IpcFile(stored))
        } else {
            let reader = StreamReader::try_new(stored.reader(0).map_err(io)?, None);
            (reader.map_err(|e| damaged(e.to_string()))?.schema(), Inner::IpcStream(stored))
        };
        let names = names_of(&schema, options)?;
        Ok((names, Self { schema, inner, path: path.to_owned(), options: options.clone() }))
    }

    pub(crate) fn read(self, names: Vec<String>, wanted: &[bool]) -> Result<Table, TableError> {
        let damaged = |what: String| TableError::Damaged { path: self.path.clone(), what };
        let io = |e| read_error(&self.path, e);
        let positions: Vec<usize> = (0..names.len()).filter(|&i| wanted[i]).collect();
        let mut reader = BatchReader::new(&self.schema, &positions, &self.options)?;
        let batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>> = match self.inner {
            Inner::Parquet(builder) => {
                let mask = ProjectionMask::roots(builder.parquet_schema(), positions.iter().copied());
                Box::new(builder.with_projection(mask).build().map_err(|e| damaged(e.to_string()))?)
            }
            Inner::IpcFile(stored) => Box::new(
                FileReader::try_new(stored.reader(0).map_err(io)?, Some(positions))
                    .map_err(|e| damaged(e.to_string()))?,
            ),
            Inner::IpcStream(stored) => Box::new(
                StreamReader::try_new(stored.reader(0).map_err(io)?, Some(positions))
                    .map_err(|e| damaged(e.to_string()))?,
            ),
        };
        for batch in batches {
            reader.add(&batch.map_err(|e| damaged(e.to_string()))?, &self.path)?;
        }
        Ok(reader.finish())
    }
}

impl Table {
    /// A table from Arrow batches of one schema. Dictionaries are taken over value by value, not row by row;
    /// types are remembered. Only columns for which `wanted` holds are read.
    pub fn from_batches(
        schema: &Schema,
        batches: &[RecordBatch],
        wanted: impl Fn(&str) -> bool,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let memory = Path::new("the table in memory");
        let names = names_of(schema, options)?;
        let positions: Vec<usize> = (0..names.len()).filter(|&i| wanted(&names[i])).collect();
        let mut reader = BatchReader::new(schema, &positions, options)?;
        for batch in batches {
            let fits = batch
                .schema_ref()
                .fields()
                .iter()
                .map(|f| f.data_type())
                .eq(schema.fields().iter().map(|f| f.data_type()));
            let projected = if fits { batch.project(&positions).ok() } else { None };
            let Some(batch) = projected else {
                let what = "its batches do not have one schema".to_owned();
                return Err(TableError::Damaged { path: memory.to_owned(), what });
            };
            reader.add(&batch, memory)?;
        }
        let table = reader.finish();
        if table.rows() == 0 { Err(TableError::HeaderOnly) } else { Ok(table) }
    }
}

fn names_of(schema: &Schema, options: &ReadOptions) -> Result<Vec<String>, TableError> {
    if schema.fields().len() > options.limits.columns {
        return Err(TableError::TooManyColumns { limit: options.limits.columns });
    }
    let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
    check_names(&names)?;
    Ok(names)
}

/// Columns that grow batch by batch.
struct BatchReader<'a> {
    columns: Vec<(usize, ColumnBuilder)>,
    /// The dictionary that a column had in the last batch, and the codes of its values that were met.
    known: Vec<Option<(ArrayRef, Vec<Option<u32>>)>>,
    rows: usize,
    options: &'a ReadOptions,
}

impl<'a> BatchReader<'a> {
    fn new(schema: &Schema, positions: &[usize], options: &'a ReadOptions) -> Result<Self, TableError> {
        let columns: Result<Vec<_>, TableError> =
            positions.iter().map(|&i| Ok((i, builder(schema.field(i))?))).collect();
        Ok(Self { columns: columns?, known: vec![None; positions.len()], rows: 0, options })
    }

    /// Adds a batch that holds exactly the wanted columns.
    fn add(&mut self, batch: &RecordBatch, path: &Path) -> Result<(), TableError> {
        let limit = self.options.limits.field;
        for (((_, column), known), array) in self.columns.iter_mut().zip(&mut self.known).zip(batch.columns())
        {
            append(column, known, array, limit).map_err(|e| match e {
                Append::Arrow(e) => TableError::Damaged { path: path.to_owned(), what: e.to_string() },
                Append::TooLong => TableError::FieldTooLong { line: self.rows as u64 + 1, limit },
            })?;
        }
        self.rows += batch.num_rows();
        if self.rows >= u32::MAX as usize {
            return Err(TableError::TooManyRows { limit: u32::MAX as usize });
        }
        self.options.pulse(self.rows)?;
        check_memory(&self.columns, self.rows, self.options.limits.memory)
    }

    fn finish(self) -> Table {
        let columns = self.columns.into_iter().map(|(_, c)| c.finish()).collect();
        Table::new(columns, self.rows, b',')
    }
}

fn builder(field: &Field) -> Result<ColumnBuilder, TableError> {
    let name = field.name().clone();
    let kind = match field.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        other => other.clone(),
    };
    let plain = !kind.is_nested()
        && !matches!(
            kind,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_)
        );
    if !plain {
        return Err(TableError::Nested { column: name, kind: kind.to_string() });
    }
    // A type that text cannot be turned back into is published as text.
    Ok(if can_cast_types(&DataType::Utf8, &kind) {
        ColumnBuilder::typed(name, kind, field.data_type().clone())
    } else {
        ColumnBuilder::new(name)
    })
}

/// Bytes that can be read from several places: a file or memory.
enum Stored {
    File(File),
    Memory(Bytes),
}

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

impl Stored {
    /// What can be read only once is copied to an unnamed file.
    fn new(input: Input, options: &ReadOptions, path: &Path) -> Result<Self, TableError> {
        let io = |e| read_error(path, e);
        let stream = match input {
            Input::File(file) => return Ok(Self::File(file)),
            Input::Memory(bytes) => return Ok(Self::Memory(bytes.into())),
            Input::Stream(stream) => stream,
        };
        let mut spool = tempfile::tempfile().map_err(io)?;
        // What does not fit compressed does not fit at all.
        let limit = options.limits.memory;
        let copied = std::io::copy(&mut stream.take(limit as u64 + 1), &mut spool).map_err(io)?;
        if copied > limit as u64 {
            return Err(TableError::TooLarge { row: 0, limit });
        }
        Ok(Self::File(spool))
    }

    fn reader(&self, start: u64) -> std::io::Result<Box<dyn ReadSeek>> {
        let mut reader: Box<dyn ReadSeek> = match self {
            Self::File(file) => Box::new(BufReader::new(file.try_clone()?)),
            Self::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
        };
        reader.seek(SeekFrom::Start(start))?;
        Ok(reader)
    }
}

impl Length for Stored {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => Length::len(file),
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Stored {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        match self {
            Self::File(file) => Ok(Box::new(file.get_read(start)?)),
            Self::Memory(bytes) => Ok(Box::new(bytes.get_read(start)?)),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}

enum Append {
    Arrow(ArrowError),
    TooLong,
}

type Known = Option<(ArrayRef, Vec<Option<u32>>)>;

fn append(
    column: &mut ColumnBuilder,
    known: &mut Known,
    array: &ArrayRef,
    limit: usize,
) -> Result<(), Append> {
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        let texts = Texts::new(array, limit)?;
        let mut buffer = String::new();
        for row in 0..array.len() {
            let code = texts.code(column, row, &mut buffer)?;
            column.push_code(code);
        }
        return Ok(());
    };
    let values = dictionary.values();
    let texts = Texts::new(values, limit)?;
    // Batches of one frame share a dictionary: each of its values is met once.
    let mut codes = match known.take() {
        Some((last, codes)) if Arc::ptr_eq(&last, values) => codes,
        _ => vec![None; values.len()],
    };
    let mut buffer = String::new();
    let keys = dictionary.normalized_keys();
    for (row, key) in keys.into_iter().enumerate() {
        let code = if array.is_null(row) {
            column.intern_null()
        } else if let Some(code) = codes[key] {
            code
        } else {
            *codes[key].insert(texts.code(column, key, &mut buffer)?)
        };
        column.push_code(code);
    }
    *known = Some((values.clone(), codes));
    Ok(())
}

/// The cells of an array as text.
struct Texts<'a> {
    array: &'a ArrayRef,
    how: How<'a>,
    limit: usize,
}

enum How<'a> {
    /// They are text.
    Text(&'a arrow_array::StringArray),
    /// They are written out one by one.
    Written(ArrayFormatter<'a>),
}

const FORMAT: FormatOptions<'static> = FormatOptions::new();

impl<'a> Texts<'a> {
    fn new(array: &'a ArrayRef, limit: usize) -> Result<Self, Append> {
        let how = match array.as_string_opt::<i32>() {
            Some(texts) => How::Text(texts),
            None => How::Written(ArrayFormatter::try_new(array.as_ref(), &FORMAT).map_err(Append::Arrow)?),
        };
        Ok(Self { array, how, limit })
    }

    /// The code of a cell in the column; `buffer` is used for writing it.
    #[inline]
    fn code(&self, column: &mut ColumnBuilder, at: usize, buffer: &mut String) -> Result<u32, Append> {
        if self.array.is_null(at) {
            return Ok(column.intern_null());
        }
        let text = match &self.how {
            How::Text(texts) => texts.value(at),
            How::Written(formatter) => {
                buffer.clear();
                // A value that cannot be formatted (a date beyond the calendar) is an error, not an empty
                // cell.
                write!(buffer, "{}", formatter.value(at))
                    .map_err(|_| Append::Arrow(ArrowError::CastError("a value has no text".into())))?;
                buffer.as_str()
            }
        };
        if text.len() > self.limit { Err(Append::TooLong) } else { Ok(column.intern(text)) }
    }
}
