//! Typed tables: Parquet, Arrow IPC (file and stream), and Arrow batches in memory. Cells become text; the
//! type is remembered, so that what is published untouched gets it back.

use super::beside::{Beside, Looking};
use super::csv::check_memory;
use super::guard::{Trouble, check_file, check_stream, guard};
use super::pages::check_pages;
use super::source::{Input, PULSE, check_names, read_error};
use super::typed::{Cells, Unreadable, has_text};
use super::{ColumnBuilder, ReadOptions, Source, Table, TableError};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, downcast_run_array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What decoders hold beside the table is not counted up to this.
const SPARE: usize = 64 << 20;
/// So many bytes of texts are added at most before the memory is looked at again.
const UNCHECKED: usize = 1 << 16;
/// What a table without a file is called in messages.
const IN_MEMORY: &str = "the table in memory";

pub(crate) struct ColumnarSource {
    schema: SchemaRef,
    inner: Inner,
    path: PathBuf,
    options: ReadOptions,
}

enum Inner {
    Parquet {
        stored: Stored,
        metadata: ArrowReaderMetadata,
    },
    /// Arrow, as a file or as a stream, and what its decoder holds.
    Ipc {
        stored: Stored,
        file: bool,
        holds: usize,
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
        let limit = options.limits.memory.saturating_add(SPARE);
        let (schema, inner) = if magic.starts_with(b"PAR1") {
            let metadata = guard(|| ArrowReaderMetadata::load(&stored, ArrowReaderOptions::new()));
            let metadata = metadata.map_err(damaged)?.map_err(|e| damaged(e.to_string()))?;
            (metadata.schema().clone(), Inner::Parquet { stored, metadata })
        } else {
            let file = magic.starts_with(b"ARROW1");
            let mut reader = stored.reader(0).map_err(|e| read_error(path, e))?;
            let checked = guard(|| match file {
                true => check_file(&mut reader, limit),
                false => check_stream(&mut reader, limit),
            });
            let holds = checked.map_err(damaged)?.map_err(|trouble| in_words(trouble, path, options))?;
            let schema = guard(|| ipc_batches(&stored, file, None).map(|(schema, _)| schema));
            let schema = schema.map_err(damaged)?.map_err(|e| damaged(e.to_string()))?;
            (schema, Inner::Ipc { stored, file, holds })
        };
        let names = names_of(&schema, options)?;
        Ok((names, Self { schema, inner, path: path.to_owned(), options: options.clone() }))
    }

    pub(crate) fn stream(
        reader: Box<dyn RecordBatchReader + Send>,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Self), TableError> {
        let schema = reader.schema();
        let names = names_of(&schema, options)?;
        let path = PathBuf::from(IN_MEMORY);
        Ok((names, Self { schema, inner: Inner::Stream(reader), path, options: options.clone() }))
    }

    /// The file, to be looked at besides its cells; batches in memory have nothing besides.
    pub(crate) fn looking(&self) -> Looking {
        let beside = match &self.inner {
            Inner::Parquet { stored, .. } => stored.again().map(Beside::Parquet),
            Inner::Ipc { stored, file, .. } => {
                stored.again().map(|stored| Beside::Ipc { stored, file: *file })
            }
            Inner::Stream(_) => None,
        };
        Looking { beside, path: self.path.clone(), field: self.options.limits.field }
    }

    /// Starts to read the wanted columns.
    pub(crate) fn opened(self, wanted: &[bool]) -> Result<OpenBatches, TableError> {
        let damaged = |what: String| TableError::Damaged { path: self.path.clone(), what };
        let positions: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i]).collect();
        let places = positions.clone();
        let opened = match self.inner {
            Inner::Parquet { stored, metadata } => {
                let limit = self.options.limits.memory.saturating_add(SPARE);
                guard(|| parquet_batches(stored, metadata, &positions, limit)).map_err(damaged)?
            }
            Inner::Stream(stream) => {
                let projected = stream.map(move |batch| {
                    // What the source says may show cells.
                    let failed = |_| ArrowError::ExternalError("the stream of batches failed".into());
                    batch.map_err(failed)?.project(&positions)
                });
                Ok((Box::new(projected) as Batches, 0))
            }
            Inner::Ipc { stored, file, holds } => {
                let batches = guard(|| ipc_batches(&stored, file, Some(positions))).map_err(damaged)?;
                batches.map(|(_, batches)| (batches, holds)).map_err(|e| Trouble::Damaged(e.to_string()))
            }
        };
        let (batches, holds) = opened.map_err(|trouble| in_words(trouble, &self.path, &self.options))?;
        let Self { schema, path, options, .. } = self;
        Ok(OpenBatches { schema, positions: places, batches, holds, rest: None, taken: 0, path, options })
    }
}

/// The batches of a table that is being read, and what is left of the last one.
pub(crate) struct OpenBatches {
    schema: SchemaRef,
    positions: Vec<usize>,
    batches: Batches,
    /// Bytes that the decoder holds.
    holds: usize,
    rest: Option<RecordBatch>,
    taken: usize,
    path: PathBuf,
    options: ReadOptions,
}

impl OpenBatches {
    /// Reads on: so many rows at most.
    pub(crate) fn read(&mut self, most: usize) -> Result<Table, TableError> {
        let damaged = |what: String| TableError::Damaged { path: self.path.clone(), what };
        let builders =
            self.positions.iter().map(|&i| Ok((i, builder(self.schema.field(i))?.after(self.taken))));
        let mut columns = builders.collect::<Result<Vec<_>, TableError>>()?;
        let mut known = vec![None; columns.len()];
        let mut rows = 0;
        while rows < most {
            let next = match self.rest.take() {
                Some(rest) => rest,
                None => match guard(|| self.batches.next()).map_err(damaged)? {
                    Some(batch) => batch.map_err(|e| damaged(e.to_string()))?,
                    None => break,
                },
            };
            let fits = next.num_rows().min(most - rows);
            self.rest = (fits < next.num_rows()).then(|| next.slice(fits, next.num_rows() - fits));
            self.add(&next.slice(0, fits), rows, &mut columns, &mut known)?;
            rows += fits;
        }
        self.taken += rows;
        let columns = columns.into_iter().map(|(_, c)| c.finish()).collect();
        Ok(Table::new(columns, rows, b','))
    }

    /// Adds a batch that holds exactly the wanted columns to those that have so many rows.
    fn add(
        &self,
        batch: &RecordBatch,
        before: usize,
        columns: &mut [(usize, ColumnBuilder)],
        known: &mut [Known],
    ) -> Result<(), TableError> {
        let holds = self.holds.saturating_sub(SPARE);
        let (field, memory) = (self.options.limits.field, self.options.limits.memory);
        // Nulls take no room in a file: the rows are counted before they are read.
        let rows = before.saturating_add(batch.num_rows());
        if rows >= u32::MAX as usize {
            return Err(TableError::TooManyRows(u32::MAX as usize));
        }
        if rows.saturating_mul(columns.len() * size_of::<u32>()) > memory {
            return Err(TableError::TooLarge { row: before, limit: memory });
        }
        let mut used: usize = holds + columns.iter().map(|(_, c)| c.memory()).sum::<usize>();
        for (((_, column), known), array) in columns.iter_mut().zip(known).zip(batch.columns()) {
            let others = used - column.memory();
            let room = Room { most: memory.saturating_sub(others), seen: column.interner.texts() };
            append(column, known, array, field, room).map_err(|(row, why)| {
                let (column, row) = (column.head.name.clone(), self.taken + before + row + 1);
                let kind = || array.data_type().to_string();
                match why {
                    Unreadable::TooLong => TableError::FieldTooLong { line: row as u64, limit: field },
                    Unreadable::Beyond => TableError::BeyondCalendar { column, row, kind: kind() },
                    Unreadable::TooLarge => TableError::TooLarge { row, limit: memory },
                    // The schema said otherwise.
                    Unreadable::Kind => TableError::Damaged {
                        path: self.path.clone(),
                        what: format!("a batch has column {column:?} with type {}", kind()),
                    },
                }
            })?;
            used = others + column.memory();
        }
        self.options.pulse(self.taken + rows)?;
        check_memory(columns, holds, rows, memory)
    }
}

fn in_words(trouble: Trouble, path: &Path, options: &ReadOptions) -> TableError {
    match trouble {
        Trouble::Damaged(what) => TableError::Damaged { path: path.to_owned(), what },
        Trouble::TooLarge => TableError::TooLarge { row: 0, limit: options.limits.memory },
    }
}

/// The batches of a Parquet file, and what its decoder holds. Texts are taken as views, so that a text that
/// is in the file once and in many rows is in memory once.
fn parquet_batches(
    stored: Stored,
    metadata: ArrowReaderMetadata,
    positions: &[usize],
    limit: usize,
) -> Result<(Batches, usize), Trouble> {
    let viewed = |field: &Field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => true,
        DataType::Dictionary(_, values) => values.is_string(),
        _ => false,
    };
    let fields = metadata.schema().fields().iter().map(|field| match viewed(field) {
        true => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        false => field.clone(),
    });
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata.schema().metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    let views = ArrowReaderMetadata::try_new(metadata.metadata().clone(), options);
    let (shared, metadata) = (views.is_ok(), views.unwrap_or(metadata));
    let mask = ProjectionMask::roots(metadata.parquet_schema(), positions.iter().copied());
    let mut reader = stored.reader(0).map_err(|e| e.to_string())?;
    let wanted = |leaf| mask.leaf_included(leaf);
    let needs = check_pages(&mut reader, metadata.metadata(), wanted, shared, limit)?;
    if needs.holds > limit {
        return Err(Trouble::TooLarge);
    }
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(stored, metadata);
    let batches = builder.with_batch_size(needs.rows()).with_projection(mask).build();
    Ok((Box::new(batches.map_err(|e| e.to_string())?), needs.holds))
}

pub(super) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// The schema of an Arrow file or stream, and its batches.
pub(super) fn ipc_batches(
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
        let kinds =
            |schema: &Schema| schema.fields().iter().map(|f| f.data_type().clone()).collect::<Vec<_>>();
        if batches.iter().any(|batch| kinds(batch.schema_ref()) != kinds(schema)) {
            let what = "its batches do not have one schema".to_owned();
            return Err(TableError::Damaged { path: IN_MEMORY.into(), what });
        }
        let batches: Vec<_> = batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::new(schema.clone()));
        Source::from_reader(Box::new(reader), options)?.read(wanted)
    }
}

fn names_of(schema: &Schema, options: &ReadOptions) -> Result<Vec<String>, TableError> {
    if schema.fields().len() > options.limits.columns {
        return Err(TableError::TooManyColumns(options.limits.columns));
    }
    let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
    check_names(&names)?;
    Ok(names)
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
pub(super) enum Stored {
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

    fn again(&self) -> Option<Self> {
        match self {
            Self::File(file) => file.try_clone().ok().map(Self::File),
            Self::Memory(bytes) => Some(Self::Memory(bytes.clone())),
        }
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

/// How much memory a column may have.
struct Room {
    most: usize,
    /// Bytes of texts when that was looked at last.
    seen: usize,
}

impl Room {
    #[inline]
    fn check(&mut self, column: &ColumnBuilder) -> Result<(), Unreadable> {
        if column.interner.texts() - self.seen < UNCHECKED {
            return Ok(());
        }
        self.seen = column.interner.texts();
        if column.memory() > self.most { Err(Unreadable::TooLarge) } else { Ok(()) }
    }
}

/// Adds the cells of an array to a column; if that fails, at which row of it.
fn append(
    column: &mut ColumnBuilder,
    known: &mut Known,
    array: &ArrayRef,
    limit: usize,
    mut room: Room,
) -> Result<(), (usize, Unreadable)> {
    // A batch may be as long as its file: what a row takes beside its code is made for some rows at a time.
    let parts = (0..array.len()).step_by(PULSE).map(|at| (at, array.slice(at, PULSE.min(array.len() - at))));
    let Some(values) = dictionary_of(array) else {
        for (start, part) in parts {
            let cells = Cells::new(&part, limit).ok_or((0, Unreadable::Kind))?;
            for row in 0..part.len() {
                let code = cells.code(column, row).map_err(|e| (start + row, e))?;
                column.codes.push(code);
                room.check(column).map_err(|e| (start + row, e))?;
            }
        }
        return Ok(());
    };
    if values.len().saturating_mul(size_of::<(u64, Option<u32>)>()) > room.most.saturating_add(SPARE) {
        return Err((0, Unreadable::TooLarge));
    }
    let cells = Cells::new(values, limit).ok_or((0, Unreadable::Kind))?;
    // Batches of one frame share a dictionary: each of its values is met once.
    let mut codes = match known.take() {
        Some((last, codes)) if Arc::ptr_eq(&last, values) => codes,
        _ => vec![None; values.len()],
    };
    for (start, part) in parts {
        let keys = keys_of(&part).ok_or((start, Unreadable::Kind))?;
        for (row, key) in keys.into_iter().enumerate() {
            let code = if part.is_null(row) {
                column.intern_null()
            } else if let Some(code) = codes[key] {
                code
            } else {
                *codes[key].insert(cells.code(column, key).map_err(|e| (start + row, e))?)
            };
            column.codes.push(code);
            room.check(column).map_err(|e| (start + row, e))?;
        }
    }
    *known = Some((values.clone(), codes));
    Ok(())
}

/// The values of a dictionary and of runs.
fn dictionary_of(array: &ArrayRef) -> Option<&ArrayRef> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        return Some(dictionary.values());
    }
    let array: &dyn Array = array;
    downcast_run_array!(array => Some(array.values()), _ => None)
}

/// Of a dictionary and of runs: the place of every row's value.
fn keys_of(array: &ArrayRef) -> Option<Vec<usize>> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        // Without values all rows are null, and no key is looked at.
        let empty = dictionary.values().is_empty();
        return Some(if empty { vec![0; array.len()] } else { dictionary.normalized_keys() });
    }
    let array: &dyn Array = array;
    downcast_run_array!(
        array => Some((0..array.len()).map(|row| array.get_physical_index(row)).collect()),
        _ => None
    )
}
