//! A release as Parquet or Arrow. Untouched columns get the type they had; ends of ranges too, or
//! that of numbers, where every group has them; what groups say is text.

use super::cells::{Cells, Release, ReleasedColumn};
use super::{WriteError, typed};
use arrow_array::{ArrayRef, Int32Array, NullArray, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DECIMAL128_MAX_PRECISION, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use foldhash::fast::FixedState;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::sync::Arc;

const BATCH: usize = 1 << 16;

impl From<ArrowError> for WriteError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, source) => Self::Io(source),
            other => Self::Format(other.to_string()),
        }
    }
}

impl From<ParquetError> for WriteError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(source) => match source.downcast::<std::io::Error>() {
                Ok(io) => Self::Io(*io),
                Err(other) => Self::Format(other.to_string()),
            },
            other => Self::Format(other.to_string()),
        }
    }
}

impl Release {
    /// The release as Arrow batches. Untouched columns have the type they had, dictionaries included; what
    /// groups say is a dictionary of texts, which all batches share.
    pub fn batches(&self) -> Result<(SchemaRef, Vec<RecordBatch>), WriteError> {
        let arrays = Arrays::new(self, Storage::Memory)?;
        let batches = self.rows.chunks(BATCH).map(|rows| arrays.batch(rows)).collect::<Result<_, _>>()?;
        Ok((arrays.schema, batches))
    }
}

/// A Parquet or Arrow file that grows by releases. The first of them says which types its columns have.
pub(super) struct TypedAppender<W: Write + Send> {
    file: Option<W>,
    parquet: bool,
    begun: Option<(SchemaRef, TypedWriter<W>)>,
}

enum TypedWriter<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<FileWriter<BufWriter<W>>>),
}

impl<W: Write + Send> TypedAppender<W> {
    pub(super) fn new(file: W, parquet: bool) -> Self {
        Self { file: Some(file), parquet, begun: None }
    }

    pub(super) fn append(&mut self, release: &Release) -> Result<(), WriteError> {
        let arrays = Arrays::new(release, Storage::File)?;
        if let Some(file) = self.file.take() {
            let schema = arrays.schema.clone();
            let writer = if self.parquet {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))?;
                TypedWriter::Parquet(Box::new(writer))
            } else {
                TypedWriter::Arrow(Box::new(FileWriter::try_new(BufWriter::new(file), &schema)?))
            };
            self.begun = Some((schema, writer));
        }
        let Some((schema, writer)) = &mut self.begun else { return Ok(()) };
        if *schema != arrays.schema {
            return Err(WriteError::Format("pieces of the release need different types; write text".into()));
        }
        for rows in release.rows.chunks(BATCH) {
            let batch = arrays.batch(rows)?;
            match writer {
                TypedWriter::Parquet(writer) => writer.write(&batch)?,
                TypedWriter::Arrow(writer) => writer.write(&batch)?,
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), WriteError> {
        match self.begun {
            Some((_, TypedWriter::Parquet(writer))) => writer.close().map(drop)?,
            Some((_, TypedWriter::Arrow(mut writer))) => writer.finish()?,
            None => {}
        }
        Ok(())
    }
}

/// Where arrays go: files have plain types, memory has dictionaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    File,
    Memory,
}

/// Every column's distinct values, of its final type. Each is converted once, not once per row.
struct Arrays<'a> {
    release: &'a Release,
    schema: SchemaRef,
    columns: Vec<Values<'a>>,
}

struct Values<'a> {
    column: &'a ReleasedColumn,
    values: ArrayRef,
    /// For every text of the column the place of its value; none for a null, and for what no released row has.
    keys: Vec<Option<i32>>,
}

impl<'a> Arrays<'a> {
    fn new(release: &'a Release, storage: Storage) -> Result<Self, WriteError> {
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        for column in &release.columns {
            let kind = column_type(&column.cells, storage);
            columns.push(Values::new(release, column, value_type(&kind))?);
            fields.push(Field::new(&column.name, kind, true));
        }
        Ok(Self { release, schema: Arc::new(Schema::new(fields)), columns })
    }

    fn batch(&self, rows: &[u32]) -> Result<RecordBatch, WriteError> {
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.columns.len());
        for (values, field) in self.columns.iter().zip(self.schema.fields()) {
            let key = |&row: &u32| values.keys[self.release.index(values.column, row)];
            let keys: Vec<Option<i32>> = rows.iter().map(key).collect();
            arrays.push(match field.data_type() {
                DataType::Dictionary(kind, _) => {
                    let array = typed::dictionary(&keys, kind, &values.values);
                    let crowded = || format!("column {:?} has more values than {kind} numbers", field.name());
                    array.ok_or_else(|| WriteError::Format(crowded()))?
                }
                DataType::Null => Arc::new(NullArray::new(rows.len())),
                _ => take(&values.values, &Int32Array::from(keys), None)?,
            });
        }
        Ok(RecordBatch::try_new(self.schema.clone(), arrays)?)
    }
}

impl<'a> Values<'a> {
    fn new(release: &Release, column: &'a ReleasedColumn, kind: &DataType) -> Result<Self, WriteError> {
        let grouped = column.cells.of_groups();
        let texts = match grouped {
            Some(texts) => texts.distinct().iter().map(Option::as_deref).collect(),
            None => {
                let mut texts = column.cells.texts();
                // What only withheld rows have is not published, not even in a dictionary.
                let mut released = vec![false; texts.len()];
                release.rows.iter().for_each(|&row| released[release.index(column, row)] = true);
                texts
                    .iter_mut()
                    .zip(released)
                    .filter(|(_, released)| !released)
                    .for_each(|(text, _)| *text = None);
                texts
            }
        };
        // Every text is a value once, in order of appearance.
        let mut places: HashMap<&str, i32, FixedState> = HashMap::default();
        let mut distinct: Vec<&str> = Vec::new();
        let mut keys = Vec::with_capacity(texts.len());
        for text in texts {
            keys.push(text.map(|text| {
                *places.entry(text).or_insert_with(|| {
                    distinct.push(text);
                    distinct.len() as i32 - 1
                })
            }));
        }
        if let Some(texts) = grouped {
            keys = texts.of_group().iter().map(|&text| keys[text as usize]).collect();
        }
        if distinct.iter().map(|text| text.len()).sum::<usize>() > i32::MAX as usize {
            return Err(WriteError::Format(format!(
                "the distinct texts of column {:?} make more than 2 GiB",
                column.name
            )));
        }
        // A value that does not fit is no null, and no message shows it.
        let values = typed::values(&distinct, kind).ok_or_else(|| {
            WriteError::Format(format!("a value of column {:?} does not fit {kind}", column.name))
        })?;
        Ok(Self { column, values, keys })
    }
}

fn column_type(cells: &Cells, storage: Storage) -> DataType {
    match (cells, storage) {
        (Cells::Untouched(c), Storage::File) => c.origin().cloned().unwrap_or(DataType::Utf8),
        (Cells::Untouched(c), Storage::Memory) => c.stored().cloned().unwrap_or(DataType::Utf8),
        (Cells::Grouped(_), Storage::File) => DataType::Utf8,
        (Cells::Grouped(_), Storage::Memory) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        (Cells::Numbers(texts), _) => number_type(texts.distinct()),
        (Cells::Ends(texts, c), _) => ends_type(texts.distinct(), c.as_ref().and_then(|c| c.origin())),
    }
}

fn value_type(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => values,
        plain => plain,
    }
}

/// The type that holds every end exactly: the table's own, whole numbers, floats, or text.
fn ends_type(texts: &[Option<String>], origin: Option<&DataType>) -> DataType {
    let all = |fits: &dyn Fn(&str) -> bool| texts.iter().flatten().all(|t| fits(t));
    let fits = |kind: &DataType| {
        let texts: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
        typed::values(&texts, kind).is_some()
    };
    match origin {
        Some(kind) if fits(kind) => kind.clone(),
        Some(_) => DataType::Utf8,
        None if all(&|t| t.parse::<i64>().is_ok_and(|n| n.to_string() == t)) => DataType::Int64,
        None if all(&|t| t.parse::<f64>().is_ok_and(|n| n.to_string() == t)) => DataType::Float64,
        None => DataType::Utf8,
    }
}

/// Floats where they hold every decimal exactly, or else decimals: a type that does not depend on whether the
/// numbers happen to be whole.
fn number_type(texts: &[Option<String>]) -> DataType {
    let present = || texts.iter().flatten();
    if present().all(|t| t.parse::<f64>().is_ok_and(|n| n.to_string() == *t)) {
        return DataType::Float64;
    }
    let places = |text: &String| text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let whole = |text: &String| text.trim_start_matches('-').split('.').next().map_or(0, str::len);
    let scale = present().map(places).max().unwrap_or(0);
    let digits = present().map(whole).max().unwrap_or(0) + scale;
    match i8::try_from(scale) {
        Ok(scale) if digits <= usize::from(DECIMAL128_MAX_PRECISION) => {
            DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale)
        }
        _ => DataType::Utf8,
    }
}
