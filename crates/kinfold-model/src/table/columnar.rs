//! Typed tables: Parquet, Arrow IPC (file and stream), and Arrow batches in memory. Cells become text; the
//! type is remembered, so that what is published untouched gets it back.

use super::csv::check_memory;
use super::guard::{check_file, check_stream, guard};
use super::source::{Input, check_names, read_error};
use super::typed::{Cells, Unreadable, has_text};
use super::{ColumnBuilder, ReadOptions, Table, TableError};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const BATCH: usize = 4096;
/// What a table without a file is called in messages.
const IN_MEMORY: &str = "the table in memory";

pub(crate) struct ColumnarSource {
    schema: SchemaRef,
    inner: Inner,
    path: PathBuf,
    options: ReadOptions,
}

enum Inner {
    Parquet(Box<ParquetRecordBatchReaderBuilder<Stored>>),
    /// Arrow, as a file or as a stream.
    Ipc {
        stored: Stored,
        file: bool,
    },
    /// Batches that come from elsewhere in memory.
    Stream(Box<dyn RecordBatchReader + Send>),
}

impl ColumnarSource {
    pub(crate) fn open(
        input: Input,
        magic: &[u8],
        path: &Path,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Self), TableError> {
        let damaged = |what: String| TableError::Damaged { path: path.to_owned(), what };
        let stored = Stored::new(input, options, path)?;
        let limit = options.limits.memory;
        let (schema, inner) = if magic.starts_with(b"PAR1") {
            let builder = guard(|| ParquetRecordBatchReaderBuilder::try_new(stored)).map_err(damaged)?;
            let builder = builder.map_err(|e| damaged(e.to_string()))?.with_batch_size(BATCH);
            (builder.schema().clone(), Inner::Parquet(Box::new(builder)))
        } else {
            let file = magic.starts_with(b"ARROW1");
            let mut reader = stored.reader(0).map_err(|e| read_error(path, e))?;
            let checked = guard(|| match file {
                true => check_file(&mut reader, limit),
                false => check_stream(&mut reader, limit),
            });
            checked.and_then(|lengths| lengths).map_err(damaged)?;
            let schema = guard(|| ipc_batches(&stored, file, None).map(|(schema, _)| schema));
            let schema = schema.map_err(damaged)?.map_err(|e| damaged(e.to_string()))?;
            (schema, Inner::Ipc { stored, file })
        };
        let names = names_of(&schema, options)?;
        Ok((names, Self { schema, inner, path: path.to_owned(), options: options.clone() }))
    }

    /// A table that comes batch by batch.
    pub(crate) fn stream(
        reader: Box<dyn RecordBatchReader + Send>,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Self), TableError> {
        let schema = reader.schema();
        let names = names_of(&schema, options)?;
        let path = PathBuf::from(IN_MEMORY);
        Ok((names, Self { schema, inner: Inner::Stream(reader), path, options: options.clone() }))
    }

    pub(crate) fn read(self, names: Vec<String>, wanted: &[bool]) -> Result<Table, TableError> {
        let damaged = |what: String| TableError::Damaged { path: self.path.clone(), what };
        let positions: Vec<usize> = (0..names.len()).filter(|&i| wanted[i]).collect();
        let mut reader = BatchReader::new(&self.schema, &positions, &self.options)?;
        let opened = guard(|| -> Result<Batches, ArrowError> {
            match self.inner {
                Inner::Parquet(builder) => {
                    let mask = ProjectionMask::roots(builder.parquet_schema(), positions.iter().copied());
                    Ok(Box::new(builder.with_projection(mask).build()?))
                }
                Inner::Ipc { stored, file } => Ok(ipc_batches(&stored, file, Some(positions))?.1),
                Inner::Stream(reader) => Ok(Box::new(reader.map(move |batch| {
                    // What the source says may show cells.
                    let failed = |_| ArrowError::ExternalError("the stream of batches failed".into());
                    batch.map_err(failed)?.project(&positions)
                }))),
            }
        });
        let mut batches = opened.map_err(damaged)?.map_err(|e| damaged(e.to_string()))?;
        while let Some(batch) = guard(|| batches.next()).map_err(damaged)? {
            reader.add(&batch.map_err(|e| damaged(e.to_string()))?, &self.path)?;
        }
        Ok(reader.finish())
    }
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// The schema of an Arrow file or stream, and its batches.
fn ipc_batches(
    stored: &Stored,
    file: bool,
    wanted: Option<Vec<usize>>,
) -> Result<(SchemaRef, Batches), ArrowError> {
    let reader = stored.reader(0)?;
    Ok(if file {
        let reader = FileReader::try_new(reader, wanted)?;
        (reader.schema(), Box::new(reader))
    } else {
        let reader = StreamReader::try_new(reader, wanted)?;
        (reader.schema(), Box::new(reader))
    })
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
        let memory = Path::new(IN_MEMORY);
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
    known: Vec<Known>,
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
        // Nulls take no room in a file: the rows are counted before they are read.
        let rows = self.rows.saturating_add(batch.num_rows());
        if rows >= u32::MAX as usize {
            return Err(TableError::TooManyRows { limit: u32::MAX as usize });
        }
        if rows.saturating_mul(self.columns.len() * size_of::<u32>()) > self.options.limits.memory {
            return Err(TableError::TooLarge { row: self.rows, limit: self.options.limits.memory });
        }
        for (((_, column), known), array) in self.columns.iter_mut().zip(&mut self.known).zip(batch.columns())
        {
            append(column, known, array, limit).map_err(|(row, why)| {
                let (column, row) = (column.name().to_owned(), self.rows + row + 1);
                let kind = || array.data_type().to_string();
                match why {
                    Unreadable::TooLong => TableError::FieldTooLong { line: row as u64, limit },
                    Unreadable::Beyond => TableError::BeyondCalendar { column, row, kind: kind() },
                    // The schema said otherwise.
                    Unreadable::Kind => TableError::Damaged {
                        path: path.to_owned(),
                        what: format!("a batch has column {column:?} with type {}", kind()),
                    },
                }
            })?;
        }
        self.rows = rows;
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
    let (kind, stored) = match field.data_type() {
        DataType::Dictionary(_, values) => (values.as_ref(), field.data_type()),
        DataType::RunEndEncoded(_, values) => (values.data_type(), values.data_type()),
        plain => (plain, plain),
    };
    if !has_text(kind) {
        return Err(TableError::Nested { column: name, kind: kind.to_string() });
    }
    // A duration's text is for people: it is published as text.
    Ok(match kind {
        DataType::Duration(_) => ColumnBuilder::new(name),
        kind => ColumnBuilder::typed(name, kind.clone(), stored.clone()),
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

/// The dictionary that a column had in the last batch, and the codes of its values that were met.
type Known = Option<(ArrayRef, Vec<Option<u32>>)>;

/// Adds the cells of an array to a column; if that fails, at which row of it.
fn append(
    column: &mut ColumnBuilder,
    known: &mut Known,
    array: &ArrayRef,
    limit: usize,
) -> Result<(), (usize, Unreadable)> {
    let Some((keys, values)) = keys_and_values(array) else {
        let cells = Cells::new(array, limit).ok_or((0, Unreadable::Kind))?;
        for row in 0..array.len() {
            let code = cells.code(column, row).map_err(|e| (row, e))?;
            column.push_code(code);
        }
        return Ok(());
    };
    let cells = Cells::new(values, limit).ok_or((0, Unreadable::Kind))?;
    // Batches of one frame share a dictionary: each of its values is met once.
    let mut codes = match known.take() {
        Some((last, codes)) if Arc::ptr_eq(&last, values) => codes,
        _ => vec![None; values.len()],
    };
    for (row, key) in keys.into_iter().enumerate() {
        let code = if array.is_null(row) {
            column.intern_null()
        } else if let Some(code) = codes[key] {
            code
        } else {
            *codes[key].insert(cells.code(column, key).map_err(|e| (row, e))?)
        };
        column.push_code(code);
    }
    *known = Some((values.clone(), codes));
    Ok(())
}

/// Of a dictionary and of runs: the place of every row's value, and the values.
fn keys_and_values(array: &ArrayRef) -> Option<(Vec<usize>, &ArrayRef)> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = dictionary.values();
        // Without values all rows are null, and no key is looked at.
        let keys = if values.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
        return Some((keys, values));
    }
    runs::<Int16Type>(array).or_else(|| runs::<Int32Type>(array)).or_else(|| runs::<Int64Type>(array))
}

fn runs<R: RunEndIndexType>(array: &ArrayRef) -> Option<(Vec<usize>, &ArrayRef)> {
    let runs = array.as_run_opt::<R>()?;
    Some(((0..array.len()).map(|row| runs.get_physical_index(row)).collect(), runs.values()))
}
