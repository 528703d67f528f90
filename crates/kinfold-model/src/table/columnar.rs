//! Typed tables: Parquet and Arrow IPC (file and stream). Cells become text; the type is remembered,
//! so that what is published untouched gets it back.

use super::csv::check_memory;
use super::source::{check_names, read_error};
use super::{ColumnBuilder, ReadOptions, Table, TableError};
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_cast::{can_cast_types, cast};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const BATCH: usize = 4096;

pub(crate) struct ColumnarSource {
    schema: SchemaRef,
    inner: Inner,
    path: PathBuf,
    options: ReadOptions,
}

enum Inner {
    Parquet(Box<ParquetRecordBatchReaderBuilder<File>>),
    IpcFile(File),
    IpcStream(File),
}

impl ColumnarSource {
    pub(crate) fn open(
        reader: Box<dyn Read + Send>,
        magic: &[u8],
        path: &Path,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Self), TableError> {
        let damaged = |what: String| TableError::Damaged { path: path.to_owned(), what };
        let file = seekable(reader, path, options)?;
        let (schema, inner) = if magic.starts_with(b"PAR1") {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file)
                .map_err(|e| damaged(e.to_string()))?
                .with_batch_size(BATCH);
            (builder.schema().clone(), Inner::Parquet(Box::new(builder)))
        } else if magic.starts_with(b"ARROW1") {
            let again = file.try_clone().map_err(|e| read_error(path, e))?;
            let reader =
                FileReader::try_new(BufReader::new(file), None).map_err(|e| damaged(e.to_string()))?;
            (reader.schema(), Inner::IpcFile(again))
        } else {
            let mut again = file.try_clone().map_err(|e| read_error(path, e))?;
            let reader =
                StreamReader::try_new(BufReader::new(file), None).map_err(|e| damaged(e.to_string()))?;
            again.seek(SeekFrom::Start(0)).map_err(|e| read_error(path, e))?;
            (reader.schema(), Inner::IpcStream(again))
        };
        if schema.fields().len() > options.limits.columns {
            return Err(TableError::TooManyColumns { limit: options.limits.columns });
        }
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        check_names(&names)?;
        Ok((names, Self { schema, inner, path: path.to_owned(), options: options.clone() }))
    }

    pub(crate) fn read(self, names: Vec<String>, wanted: &[bool]) -> Result<Table, TableError> {
        let damaged = |what: String| TableError::Damaged { path: self.path.clone(), what };
        let positions: Vec<usize> = (0..names.len()).filter(|&i| wanted[i]).collect();
        let mut columns = Vec::new();
        for &i in &positions {
            columns.push((i, self.builder(i)?));
        }
        let batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>> = match self.inner {
            Inner::Parquet(builder) => {
                let mask = ProjectionMask::roots(builder.parquet_schema(), positions.iter().copied());
                Box::new(builder.with_projection(mask).build().map_err(|e| damaged(e.to_string()))?)
            }
            Inner::IpcFile(mut file) => {
                file.seek(SeekFrom::Start(0)).map_err(|e| read_error(&self.path, e))?;
                Box::new(
                    FileReader::try_new(BufReader::new(file), Some(positions))
                        .map_err(|e| damaged(e.to_string()))?,
                )
            }
            Inner::IpcStream(file) => Box::new(
                StreamReader::try_new(BufReader::new(file), Some(positions))
                    .map_err(|e| damaged(e.to_string()))?,
            ),
        };
        let mut rows = 0;
        for batch in batches {
            let batch = batch.map_err(|e| damaged(e.to_string()))?;
            for ((_, column), array) in columns.iter_mut().zip(batch.columns()) {
                append(column, array, &self.options).map_err(|e| match e {
                    Append::Arrow(e) => damaged(e.to_string()),
                    Append::TooLong => {
                        TableError::FieldTooLong { line: rows as u64 + 1, limit: self.options.limits.field }
                    }
                })?;
            }
            rows += batch.num_rows();
            if rows >= u32::MAX as usize {
                return Err(TableError::TooManyRows { limit: u32::MAX as usize });
            }
            self.options.pulse(rows)?;
            check_memory(&columns, rows, self.options.limits.memory)?;
        }
        Ok(Table::new(columns.into_iter().map(|(_, c)| c.finish()).collect(), rows, b','))
    }

    fn builder(&self, i: usize) -> Result<ColumnBuilder, TableError> {
        let field = self.schema.field(i);
        let name = field.name().clone();
        let kind = match field.data_type() {
            DataType::Dictionary(_, values) => values.as_ref().clone(),
            other => other.clone(),
        };
        let plain = !kind.is_nested()
            && !matches!(
                kind,
                DataType::Binary
                    | DataType::LargeBinary
                    | DataType::BinaryView
                    | DataType::FixedSizeBinary(_)
            );
        if !plain {
            return Err(TableError::Nested { column: name, kind: kind.to_string() });
        }
        // A type that text cannot be turned back into is published as text.
        Ok(if can_cast_types(&DataType::Utf8, &kind) {
            ColumnBuilder::typed(name, kind)
        } else {
            ColumnBuilder::new(name)
        })
    }
}

/// These formats are read from several places: what cannot seek is spooled to an unnamed file.
fn seekable(
    mut reader: Box<dyn Read + Send>,
    path: &Path,
    options: &ReadOptions,
) -> Result<File, TableError> {
    let io = |e| read_error(path, e);
    if path.as_os_str() != "-" && path.is_file() {
        return File::open(path).map_err(io);
    }
    let mut spool = tempfile::tempfile().map_err(io)?;
    // What does not fit compressed does not fit at all.
    let limit = options.limits.memory;
    let copied = std::io::copy(&mut (&mut reader).take(limit as u64 + 1), &mut spool).map_err(io)?;
    if copied > limit as u64 {
        return Err(TableError::TooLarge { row: 0, limit });
    }
    spool.seek(SeekFrom::Start(0)).map_err(io)?;
    Ok(spool)
}

enum Append {
    Arrow(ArrowError),
    TooLong,
}

fn append(column: &mut ColumnBuilder, array: &dyn Array, options: &ReadOptions) -> Result<(), Append> {
    let plain;
    let array = match array.data_type() {
        DataType::Dictionary(_, values) => {
            plain = cast(array, values).map_err(Append::Arrow)?;
            plain.as_ref()
        }
        _ => array,
    };
    let format = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array, &format).map_err(Append::Arrow)?;
    let mut text = String::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            column.push_null();
            continue;
        }
        text.clear();
        // A value that cannot be formatted (a date beyond the calendar) is an error, not an empty cell.
        write!(text, "{}", formatter.value(row))
            .map_err(|_| Append::Arrow(ArrowError::CastError("a value has no text".into())))?;
        if text.len() > options.limits.field {
            return Err(Append::TooLong);
        }
        column.push_str(&text);
    }
    Ok(())
}
