//! A release as Parquet or Arrow. Untouched columns get the type they had; ends of ranges too, or
//! that of numbers, where every group has them; what groups say is text.

use super::WriteError;
use super::cells::{Cells, Release};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_cast::display::FormatOptions;
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::sync::Arc;

const BATCH: usize = 1 << 16;
const EXACT: CastOptions<'static> = CastOptions { safe: false, format_options: FormatOptions::new() };

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

impl Release<'_> {
    /// Writes the release as Parquet.
    pub fn write_parquet(&self, out: &mut (dyn Write + Send)) -> Result<(), WriteError> {
        let schema = self.schema();
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))?;
        for rows in self.rows.chunks(BATCH) {
            writer.write(&self.batch(&schema, rows)?)?;
        }
        writer.close()?;
        Ok(())
    }

    /// Writes the release as an Arrow IPC file.
    pub fn write_arrow(&self, out: &mut dyn Write) -> Result<(), WriteError> {
        let schema = self.schema();
        let mut writer = FileWriter::try_new(out, &schema)?;
        for rows in self.rows.chunks(BATCH) {
            writer.write(&self.batch(&schema, rows)?)?;
        }
        writer.finish()?;
        Ok(())
    }

    fn schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self
            .columns
            .iter()
            .map(|column| {
                let kind = match &column.cells {
                    Cells::Untouched(c) => c.origin().cloned().unwrap_or(DataType::Utf8),
                    Cells::Grouped(_) => DataType::Utf8,
                    Cells::Ends(texts, c) => ends_type(texts, c.and_then(|c| c.origin())),
                };
                Field::new(&column.name, kind, true)
            })
            .collect();
        Arc::new(Schema::new(fields))
    }

    fn batch(&self, schema: &SchemaRef, rows: &[u32]) -> Result<RecordBatch, WriteError> {
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (column, field) in self.columns.iter().zip(schema.fields()) {
            let distinct = column.cells.texts();
            let texts: StringArray = rows.iter().map(|&row| distinct[self.index(column, row)]).collect();
            // Not "safe" casts: those would turn a value that does not fit into a null, silently. Arrow's own
            // message would show the value.
            let array = cast_with_options(&texts, field.data_type(), &EXACT).map_err(|_| {
                WriteError::Format(format!(
                    "a value of column {:?} does not fit {}",
                    column.name,
                    field.data_type()
                ))
            })?;
            arrays.push(array);
        }
        Ok(RecordBatch::try_new(schema.clone(), arrays)?)
    }
}

/// The type that holds every end exactly: the table's own, whole numbers, floats, or text.
fn ends_type(texts: &[Option<String>], origin: Option<&DataType>) -> DataType {
    let all = |fits: &dyn Fn(&str) -> bool| texts.iter().flatten().all(|t| fits(t));
    let castable = |kind: &DataType| {
        let array: StringArray = texts.iter().map(Option::as_deref).collect();
        can_cast_types(&DataType::Utf8, kind) && cast_with_options(&array, kind, &EXACT).is_ok()
    };
    match origin {
        Some(kind) if castable(kind) => kind.clone(),
        Some(_) => DataType::Utf8,
        None if all(&|t| t.parse::<i64>().is_ok_and(|n| n.to_string() == t)) => DataType::Int64,
        None if all(&|t| t.parse::<f64>().is_ok_and(|n| n.to_string() == t)) => DataType::Float64,
        None => DataType::Utf8,
    }
}
