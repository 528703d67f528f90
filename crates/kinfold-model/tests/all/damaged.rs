//! Parquet and Arrow files with bytes turned over: whatever they say, it ends in a table or in an error.
#![cfg(feature = "columnar")]

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, NullArray, RecordBatch, StringArray,
    StringViewArray, TimestampMicrosecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use kinfold_model::table::{Limits, ReadOptions, Source, Table, TableError, keep_still_about_damaged_files};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::sync::{Arc, Once};

/// A panic that becomes an error need not be told.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(keep_still_about_damaged_files);
}

fn read(bytes: Vec<u8>) -> Result<Table, TableError> {
    let limits = Limits { memory: 16 << 20, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    Source::from_bytes(bytes, &options)?.read(|_| true)
}

fn batch() -> RecordBatch {
    let tags: DictionaryArray<Int8Type> = vec![Some("x"), None, Some("y"), Some("x")].into_iter().collect();
    let columns: [(&str, ArrayRef); 7] = [
        ("n", Arc::new(Int32Array::from(vec![Some(1), None, Some(-3), Some(1)]))),
        ("f", Arc::new(Float64Array::from(vec![0.5, 1.0, 2.0, 2.0]))),
        ("b", Arc::new(BooleanArray::from(vec![true, false, true, true]))),
        ("t", Arc::new(TimestampMicrosecondArray::from(vec![0, 1, 2, 3]).with_timezone("UTC"))),
        ("s", Arc::new(StringArray::from(vec![Some("Rome"), None, Some(""), Some("Oslo")]))),
        ("v", Arc::new(StringViewArray::from(vec!["a", "a text that is too long for a view", "b", "c"]))),
        ("d", Arc::new(tags)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
}

fn small() -> RecordBatch {
    let columns: [(&str, ArrayRef); 2] =
        [("n", Arc::new(Int32Array::from(vec![1, 2]))), ("z", Arc::new(NullArray::new(2)))];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
}

fn arrow_file(batch: &RecordBatch, packed: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(packed).unwrap();
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn arrow_stream(batch: &RecordBatch, packed: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(packed).unwrap();
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn parquet_with(batch: &RecordBatch, options: ArrowWriterOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new_with_options(&mut bytes, batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// One text of a megabyte in so many rows.
fn long_texts(rows: usize) -> RecordBatch {
    let text = StringArray::from(vec!["x".repeat(1_000_000)]);
    let texts: DictionaryArray<Int8Type> = DictionaryArray::new(vec![0; rows].into(), Arc::new(text));
    RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)]).unwrap()
}

#[test]
fn a_text_that_is_stored_once_is_read_once() {
    for plain in [false, true] {
        let packed = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let options = ArrowWriterOptions::new().with_skip_arrow_metadata(plain).with_properties(packed);
        let bytes = parquet_with(&long_texts(8192), options);
        assert!(bytes.len() < 100_000, "the file is small");
        let table = read(bytes).unwrap();
        assert_eq!((table.rows(), table.columns()[0].distinct()), (8192, 1));
    }
}

#[test]
fn what_does_not_fit_is_too_large_and_not_damaged() {
    // Each is whole; a page, a batch, a column unpacked take more than there may be.
    let page = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(1 << 30)
        .set_compression(Compression::SNAPPY);
    let page = parquet_with(&long_texts(100), ArrowWriterOptions::new().with_properties(page.build()));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![7; 25_000_000]));
    let numbers = RecordBatch::try_from_iter([("n", numbers)]).unwrap();
    let batch = arrow_file(&numbers, None);
    let column = arrow_stream(&numbers, Some(CompressionType::ZSTD));
    for (bytes, small) in [(page, true), (batch, false), (column, true)] {
        assert_eq!(bytes.len() < 10_000_000, small);
        assert!(matches!(read(bytes), Err(TableError::TooLarge { .. })));
    }
}

/// Every byte is set to a few values, one after the other.
fn mutate(bytes: &[u8], step: usize) {
    hush();
    assert!(read(bytes.to_vec()).is_ok());
    for at in (0..bytes.len()).step_by(step) {
        for value in [0x00, 0x01, 0x7f, 0x80, 0xff, bytes[at] ^ 0x10] {
            let mut mutant = bytes.to_vec();
            mutant[at] = value;
            let _ = read(mutant);
        }
    }
    for length in (0..bytes.len()).step_by(step * 5) {
        let _ = read(bytes[..length].to_vec());
    }
}

#[test]
fn arrow_files_with_a_wrong_byte_are_tables_or_errors() {
    mutate(&arrow_file(&small(), None), 1);
    for packed in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        mutate(&arrow_file(&batch(), packed), 7);
    }
}

#[test]
fn arrow_streams_with_a_wrong_byte_are_tables_or_errors() {
    mutate(&arrow_stream(&small(), None), 1);
    for packed in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        mutate(&arrow_stream(&batch(), packed), 7);
    }
}

#[test]
fn parquet_with_a_wrong_byte_is_a_table_or_an_error() {
    mutate(&parquet(&small()), 1);
    mutate(&parquet(&batch()), 7);
}
