//! Parquet and Arrow, in and out: the same table, the same release, and types kept.
#![cfg(feature = "columnar")]

use crate::support::{policy_for, read_csv, run_with_threads};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchReader, StringArray,
};
use arrow_schema::{ArrowError, DataType, Schema};
use kinfold::model::encode::encode;
use kinfold::model::table::{ReadOptions, Source, Table, TableError};
use kinfold::model::verify::{Published, check_truth, verify};
use kinfold::{Choice, FileFormat, Release, publish, solve};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

const POLICY: &str = r#"
k = 2
[columns]
age = { role = "quasi", kind = "numeric" }
born = { role = "quasi", kind = "date" }
city = { role = "quasi", kind = "category" }
pay = "keep"
smoker = "sensitive"
"#;

fn batch() -> RecordBatch {
    let column = |name: &str, array: ArrayRef| (name.to_owned(), array);
    RecordBatch::try_from_iter([
        column("age", Arc::new(Int64Array::from(vec![Some(30), Some(31), None, Some(60), Some(62), None]))),
        column("born", Arc::new(Date32Array::from(vec![9000, 9001, 9002, 100, 101, 102]))),
        column(
            "city",
            Arc::new(StringArray::from(vec![Some("Rome"), Some("Rome"), Some(""), Some("Oslo"), None, None])),
        ),
        column(
            "pay",
            Arc::new(Float64Array::from(vec![Some(0.1), Some(1e20), Some(-0.0), None, Some(3.0), Some(2.5)])),
        ),
        column(
            "smoker",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true), Some(true), None])),
        ),
    ])
    .unwrap()
}

fn parquet_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch().schema(), None).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    bytes
}

fn read(bytes: Vec<u8>) -> Table {
    Source::from_bytes(bytes, &ReadOptions::default()).unwrap().read(|_| true).unwrap()
}

fn release(form: &str, write: impl Fn(&Release) -> Vec<u8>) -> (Table, Vec<u8>, String) {
    let table = read(parquet_bytes());
    let toml = format!("form = \"{form}\"\n{POLICY}");
    let policy = policy_for(&table, &toml);
    let encoded = encode(&table, &policy).unwrap();
    let outcome = solve(&encoded.problem, &Choice::Auto, &run_with_threads(1)).unwrap();
    let bytes = write(&publish(&table, &policy, &encoded, &outcome.solution));
    (table, bytes, toml)
}

fn as_parquet(release: &Release) -> Vec<u8> {
    let mut bytes = Vec::new();
    FileFormat::Parquet.write(release, &mut bytes).unwrap();
    bytes
}

fn as_arrow(release: &Release) -> Vec<u8> {
    let mut bytes = Vec::new();
    FileFormat::Arrow.write(release, &mut bytes).unwrap();
    bytes
}

#[test]
fn typed_releases_are_safe_and_true() {
    for form in ["ranges", "bounds", "midpoint"] {
        for write in [as_parquet, as_arrow] {
            let (table, bytes, toml) = release(form, write);
            let policy = policy_for(&table, &toml);
            let published =
                Published::read(Source::from_bytes(bytes, &ReadOptions::default()).unwrap(), &policy, true)
                    .unwrap();
            let verdict = verify(&published, &policy).unwrap();
            assert!(verdict.safe() && verdict.rows == 6, "{verdict:?}");
            let truth = check_truth(&published, &table, &policy).unwrap();
            assert!(truth.holds(), "{form}: {truth:?}");
        }
    }
}

#[test]
fn what_is_published_untouched_keeps_its_type_and_value() {
    for write in [as_parquet, as_arrow] {
        let (table, bytes, _) = release("ranges", write);
        let released = read(bytes);
        for (name, kind) in [("pay", DataType::Float64), ("smoker", DataType::Boolean)] {
            let (before, after) = (table.column(name).unwrap(), released.column(name).unwrap());
            assert_eq!(after.origin(), Some(&kind));
            for row in 0..6 {
                let (b, a) = (before.codes()[row], after.codes()[row]);
                assert_eq!(
                    (before.text(b), before.is_null(b)),
                    (after.text(a), after.is_null(a)),
                    "{name}, row {row}"
                );
            }
        }
        assert_eq!(released.column("age").unwrap().origin(), Some(&DataType::Utf8));
    }
}

#[test]
fn bounds_of_typed_columns_keep_their_type() {
    let (_, bytes, _) = release("bounds", as_parquet);
    let released = read(bytes);
    assert_eq!(released.column("born_min").unwrap().origin(), Some(&DataType::Date32));
    assert_eq!(released.column("age_max").unwrap().origin(), Some(&DataType::Int64));
}

#[test]
fn middles_and_widths_are_numbers_and_dates() {
    let (_, bytes, _) = release("midpoint", as_parquet);
    let released = read(bytes);
    let kind = |name: &str| released.column(name).unwrap().origin().cloned().unwrap();
    assert_eq!((kind("age"), kind("age_width")), (DataType::Float64, DataType::Float64));
    assert_eq!((kind("born"), kind("born_width")), (DataType::Date32, DataType::Int64));
}

#[test]
fn middles_with_more_digits_than_a_float_are_decimals() {
    let table = read_csv("x,y\n0.46540198070366826,1.50\n0.46540198070366827,2\n");
    let toml = "k = 2\nform = \"midpoint\"\n[columns]\nx = \"quasi\"\ny = \"quasi\"\n";
    let policy = policy_for(&table, toml);
    let encoded = encode(&table, &policy).unwrap();
    let outcome = solve(&encoded.problem, &Choice::Auto, &run_with_threads(1)).unwrap();
    let released = read(as_parquet(&publish(&table, &policy, &encoded, &outcome.solution)));
    let cell = |name: &str| {
        let column = released.column(name).unwrap();
        (column.origin().cloned().unwrap(), column.text(column.codes()[0]).to_owned())
    };
    assert_eq!(cell("x"), (DataType::Decimal128(38, 18), "0.465401980703668265".to_owned()));
    assert_eq!(cell("y").0, DataType::Float64);
    assert!(cell("y").1.starts_with("1.75"));
}

#[test]
fn a_null_is_not_an_empty_text() {
    let table = read(parquet_bytes());
    let city = table.column("city").unwrap();
    assert!(!city.is_null(city.codes()[2]) && city.is_null(city.codes()[4]));
    assert_eq!(city.codes()[4], city.codes()[5]);
}

#[test]
fn damaged_files_and_nested_columns_are_refused() {
    let mut bytes = parquet_bytes();
    bytes.truncate(bytes.len() / 2);
    assert!(matches!(Source::from_bytes(bytes, &ReadOptions::default()), Err(TableError::Damaged { .. })));

    let list =
        arrow_array::ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>([Some(vec![
            Some(1),
        ])]);
    let nested = RecordBatch::try_from_iter([
        ("tags", Arc::new(list) as ArrayRef),
        ("x", Arc::new(Int64Array::from(vec![1])) as ArrayRef),
    ])
    .unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, nested.schema(), None).unwrap();
    writer.write(&nested).unwrap();
    writer.close().unwrap();
    let open = || Source::from_bytes(bytes.clone(), &ReadOptions::default()).unwrap();
    assert!(matches!(open().read(|_| true), Err(TableError::Nested { column, .. }) if column == "tags"));
    assert_eq!(
        open().read(|name| name != "tags").unwrap().rows(),
        1,
        "a column that is not read does not matter"
    );
}

fn stream(batches: Vec<Result<RecordBatch, ArrowError>>) -> Box<dyn RecordBatchReader + Send> {
    Box::new(RecordBatchIterator::new(batches, batch().schema()))
}

#[test]
fn a_stream_of_batches_is_read_as_a_file_is() {
    let options = ReadOptions::default();
    let halves = || vec![Ok(batch().slice(0, 2)), Ok(batch().slice(2, 4))];
    let streamed =
        Source::from_reader(stream(halves()), &options).unwrap().read(|name| name != "pay").unwrap();
    let stored = Source::from_bytes(parquet_bytes(), &options).unwrap().read(|name| name != "pay").unwrap();
    for (one, other) in streamed.columns().iter().zip(stored.columns()) {
        assert_eq!((one.name(), one.codes(), one.origin()), (other.name(), other.codes(), other.origin()));
        assert!((0..one.distinct() as u32).all(|code| one.text(code) == other.text(code)));
    }
    assert_eq!((streamed.rows(), streamed.columns().len()), (6, 4));
}

#[test]
fn a_stream_that_fails_or_is_empty_is_an_error_without_a_cell() {
    let read =
        |batches| Source::from_reader(stream(batches), &ReadOptions::default()).unwrap().read(|_| true);
    let failed = Err(ArrowError::ComputeError("Zephyrine".to_owned()));
    let error = read(vec![Ok(batch()), failed]).unwrap_err().to_string();
    assert!(error.contains("the table in memory") && !error.contains("Zephyrine"), "{error}");
    assert!(matches!(read(Vec::new()), Err(TableError::HeaderOnly)));
    let twice = vec![batch().schema().field(0).clone(); 2];
    let same = RecordBatchIterator::new(Vec::new(), Arc::new(Schema::new(twice)));
    let error = Source::from_reader(Box::new(same), &ReadOptions::default()).err().unwrap();
    assert!(matches!(error, TableError::DuplicateName { .. }), "{error}");
}
