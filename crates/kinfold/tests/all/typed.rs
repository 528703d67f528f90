//! Typed columns, one type after the other: the text that each value has, and the way back.
#![cfg(feature = "columnar")]

use crate::support::{anonymized, policy_for, run_with_threads};
use arrow_array::types::{ArrowPrimitiveType, Decimal256Type, Float16Type, Int16Type, Int32Type};
use arrow_array::*;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use kinfold::model::encode::encode;
use kinfold::model::table::{ReadOptions, Source, Table, TableError};
use kinfold::model::verify::{Published, check_truth};
use kinfold::{Choice, FileFormat, Options, Release, publish, solve};
use parquet::arrow::ArrowWriter;
use std::io::Cursor;
use std::sync::Arc;

type Half = <Float16Type as ArrowPrimitiveType>::Native;
type Wide = <Decimal256Type as ArrowPrimitiveType>::Native;

fn arrow_bytes(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    bytes
}

fn with_group(array: &ArrayRef) -> RecordBatch {
    let group: ArrayRef = Arc::new(StringArray::from(vec!["same"; array.len()]));
    RecordBatch::try_from_iter_with_nullable([("group", group, true), ("value", array.clone(), true)])
        .unwrap()
}

fn read(bytes: Vec<u8>) -> Result<Table, TableError> {
    Source::from_bytes(bytes, &ReadOptions::default())?.read(|_| true)
}

fn texts(table: &Table) -> Vec<Option<&str>> {
    let column = table.column("value").unwrap();
    column.codes().iter().map(|&code| (!column.is_null(code)).then(|| column.text(code))).collect()
}

const POLICY: &str = "k = 2\n[columns]\ngroup = { role = \"quasi\" }\nvalue = \"keep\"\n";

fn release_of(table: &Table) -> Release {
    let policy = policy_for(table, POLICY);
    let encoded = encode(table, &policy).unwrap();
    let outcome = solve(&encoded.problem, &Choice::Auto, &run_with_threads(1)).unwrap();
    publish(table, &policy, &encoded, &outcome.solution)
}

/// The column as an untouched column of a release: as a file, and in memory.
fn released(table: &Table) -> (ArrayRef, ArrayRef) {
    let release = release_of(table);
    let mut bytes = Vec::new();
    FileFormat::Arrow.write(&release, &mut bytes).unwrap();
    let mut reader = FileReader::try_new(Cursor::new(bytes), None).unwrap();
    let file = reader.next().unwrap().unwrap().column_by_name("value").unwrap().clone();
    let (_, batches) = release.batches().unwrap();
    let memory = batches[0].column_by_name("value").unwrap().clone();
    (file, memory)
}

struct Pin {
    array: ArrayRef,
    texts: &'static [&'static str],
}

fn pin(array: impl Array + 'static, texts: &'static [&'static str]) -> Pin {
    Pin { array: Arc::new(array), texts }
}

fn numbers() -> Vec<Pin> {
    let halves = [1.0, 0.1, -2.5, 65504.0, 6e-8, f32::INFINITY].map(Half::from_f32);
    vec![
        pin(Int8Array::from(vec![-128, 0, 127]), &["-128", "0", "127"]),
        pin(Int16Array::from(vec![-32768, 5, 32767]), &["-32768", "5", "32767"]),
        pin(Int32Array::from(vec![i32::MIN, -1, i32::MAX]), &["-2147483648", "-1", "2147483647"]),
        pin(
            Int64Array::from(vec![i64::MIN, 7, i64::MAX]),
            &["-9223372036854775808", "7", "9223372036854775807"],
        ),
        pin(UInt8Array::from(vec![0, 200, 255]), &["0", "200", "255"]),
        pin(UInt16Array::from(vec![0, 65535]), &["0", "65535"]),
        pin(UInt32Array::from(vec![1, u32::MAX]), &["1", "4294967295"]),
        pin(UInt64Array::from(vec![1, u64::MAX]), &["1", "18446744073709551615"]),
        pin(
            Float16Array::from(halves.to_vec()),
            &["1", "0.099975586", "-2.5", "65504", "0.000000059604645", "inf"],
        ),
        pin(
            Float32Array::from(vec![
                0.0,
                -0.0,
                0.1,
                3.0,
                16777216.0,
                1e12,
                1e13,
                1.5e13,
                1e-5,
                1e-6,
                1.25e-6,
                1e-7,
                f32::MAX,
                f32::MIN_POSITIVE,
                1e-45,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
            ]),
            &[
                "0.0",
                "-0.0",
                "0.1",
                "3.0",
                "16777216.0",
                "1000000000000.0",
                "1e13",
                "1.5e13",
                "0.00001",
                "0.000001",
                "0.00000125",
                "1e-7",
                "3.4028235e38",
                "1.1754944e-38",
                "1e-45",
                "inf",
                "-inf",
                "NaN",
            ],
        ),
        pin(
            Float64Array::from(vec![
                0.0,
                -0.0,
                0.1,
                3.0,
                1e15,
                1e16,
                1.5e16,
                1234567890123456.7,
                12345678901234567.0,
                1e-4,
                1e-5,
                1.25e-5,
                1e-6,
                -2.5,
                1e20,
                f64::MAX,
                f64::MIN_POSITIVE,
                5e-324,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
            ]),
            &[
                "0.0",
                "-0.0",
                "0.1",
                "3.0",
                "1000000000000000.0",
                "1e16",
                "1.5e16",
                "1234567890123456.8",
                "1.2345678901234568e16",
                "0.0001",
                "0.00001",
                "0.0000125",
                "1e-6",
                "-2.5",
                "1e20",
                "1.7976931348623157e308",
                "2.2250738585072014e-308",
                "5e-324",
                "inf",
                "-inf",
                "NaN",
            ],
        ),
        pin(BooleanArray::from(vec![true, false]), &["true", "false"]),
    ]
}

fn decimals() -> Vec<Pin> {
    let wide = |text: &str| Wide::from_string(text).unwrap();
    vec![
        pin(
            Decimal32Array::from(vec![12345, -5, 0, 999_999_999]).with_precision_and_scale(9, 2).unwrap(),
            &["123.45", "-0.05", "0.00", "9999999.99"],
        ),
        pin(
            Decimal64Array::from(vec![12345, -5, 0]).with_precision_and_scale(18, 0).unwrap(),
            &["12345", "-5", "0"],
        ),
        pin(
            Decimal64Array::from(vec![12345, -50, 0]).with_precision_and_scale(18, 4).unwrap(),
            &["1.2345", "-0.0050", "0.0000"],
        ),
        pin(
            Decimal128Array::from(vec![10i128.pow(37), -1, 0, 150]).with_precision_and_scale(38, 3).unwrap(),
            &["10000000000000000000000000000000000.000", "-0.001", "0.000", "0.150"],
        ),
        pin(
            Decimal128Array::from(vec![123, -5, 0]).with_precision_and_scale(10, -2).unwrap(),
            &["12300", "-500", "0"],
        ),
        pin(
            Decimal256Array::from(vec![
                wide("123456789012345678901234567890123456789012345"),
                wide("-7"),
                wide("0"),
                wide("9223372036854775808"),
            ])
            .with_precision_and_scale(60, 5)
            .unwrap(),
            &[
                "1234567890123456789012345678901234567890.12345",
                "-0.00007",
                "0.00000",
                "92233720368547.75808",
            ],
        ),
    ]
}

fn moments() -> Vec<Pin> {
    let day = 86_400;
    vec![
        pin(
            Date32Array::from(vec![0, -1, 19_000, -800_000, 3_000_000]),
            &["1970-01-01", "1969-12-31", "2022-01-08", "-0221-09-04", "+10183-09-21"],
        ),
        pin(
            Date64Array::from(vec![0, 86_400_000, 86_400_001, -1]),
            &[
                "1970-01-01T00:00:00",
                "1970-01-02T00:00:00",
                "1970-01-02T00:00:00.001",
                "1969-12-31T23:59:59.999",
            ],
        ),
        pin(Time32SecondArray::from(vec![0, 3661, day - 1]), &["00:00:00", "01:01:01", "23:59:59"]),
        pin(Time32MillisecondArray::from(vec![0, 3_661_001]), &["00:00:00", "01:01:01.001"]),
        pin(Time64MicrosecondArray::from(vec![1, 1_000]), &["00:00:00.000001", "00:00:00.001"]),
        pin(
            Time64NanosecondArray::from(vec![1, 86_399_999_999_999]),
            &["00:00:00.000000001", "23:59:59.999999999"],
        ),
        pin(
            TimestampSecondArray::from(vec![0, 1_600_000_000, -1]),
            &["1970-01-01T00:00:00", "2020-09-13T12:26:40", "1969-12-31T23:59:59"],
        ),
        pin(
            TimestampMillisecondArray::from(vec![0, 1_600_000_000_123, -1]),
            &["1970-01-01T00:00:00", "2020-09-13T12:26:40.123", "1969-12-31T23:59:59.999"],
        ),
        pin(
            TimestampMicrosecondArray::from(vec![0, 1_600_000_000_000_001]),
            &["1970-01-01T00:00:00", "2020-09-13T12:26:40.000001"],
        ),
        pin(
            TimestampNanosecondArray::from(vec![0, 1_600_000_000_000_000_001, i64::MAX]),
            &["1970-01-01T00:00:00", "2020-09-13T12:26:40.000000001", "2262-04-11T23:47:16.854775807"],
        ),
        pin(
            TimestampSecondArray::from(vec![0, 1_600_000_000]).with_timezone("+02:00"),
            &["1970-01-01T02:00:00+02:00", "2020-09-13T14:26:40+02:00"],
        ),
        pin(
            TimestampMillisecondArray::from(vec![0, 1_600_000_000_500]).with_timezone("+00:00"),
            &["1970-01-01T00:00:00Z", "2020-09-13T12:26:40.500Z"],
        ),
        pin(
            TimestampNanosecondArray::from(vec![0, 1]).with_timezone("-0930"),
            &["1969-12-31T14:30:00-09:30", "1969-12-31T14:30:00.000000001-09:30"],
        ),
    ]
}

fn intervals() -> Vec<Pin> {
    use arrow_array::types::{IntervalDayTimeType as Days, IntervalMonthDayNanoType as Months};
    vec![
        pin(
            IntervalYearMonthArray::from(vec![0, 14, -1, 25]),
            &["0 years 0 mons", "1 years 2 mons", "-1 years 11 mons", "2 years 1 mons"],
        ),
        pin(
            IntervalDayTimeArray::from(vec![
                Days::make_value(0, 0),
                Days::make_value(3, 3_661_001),
                Days::make_value(-1, -1),
                Days::make_value(0, -60_500),
            ]),
            &["0 secs", "3 days 1 hours 1 mins 1.001 secs", "-1 days -0.001 secs", "-1 mins -0.500 secs"],
        ),
        pin(
            IntervalMonthDayNanoArray::from(vec![
                Months::make_value(0, 0, 0),
                Months::make_value(14, -2, 3_600_000_000_001),
                Months::make_value(0, 0, -1_500_000_000),
            ]),
            &["0 secs", "14 mons -2 days 1 hours 0.000000001 secs", "-1.500000000 secs"],
        ),
    ]
}

fn words() -> Vec<Pin> {
    vec![
        pin(StringArray::from(vec!["a", "", "é"]), &["a", "", "é"]),
        pin(LargeStringArray::from(vec!["a", "", "é"]), &["a", "", "é"]),
        pin(
            StringViewArray::from(vec!["a", "", "a text that is longer than a view"]),
            &["a", "", "a text that is longer than a view"],
        ),
    ]
}

fn every_pin() -> Vec<Pin> {
    [numbers(), decimals(), moments(), intervals(), words()].into_iter().flatten().collect()
}

/// The same values with a null before, one after, and each of them twice.
fn with_nulls(array: &ArrayRef) -> ArrayRef {
    let n = array.len() as u32;
    let places = [None].into_iter().chain((0..n).chain(0..n).map(Some)).chain([None]);
    arrow_select::take::take(array, &places.collect::<UInt32Array>(), None).unwrap()
}

#[test]
fn every_type_has_the_text_it_always_had() {
    for Pin { array, texts: expected } in every_pin() {
        let kind = array.data_type().clone();
        let table = read(arrow_bytes(&with_group(&array))).unwrap();
        assert_eq!(texts(&table), expected.iter().map(|&t| Some(t)).collect::<Vec<_>>(), "{kind}");
        assert_eq!(table.column("value").unwrap().origin(), Some(&kind));
        let table = read(arrow_bytes(&with_group(&with_nulls(&array)))).unwrap();
        let mut twice = vec![None];
        twice.extend(expected.iter().chain(expected).map(|&t| Some(t)));
        twice.push(None);
        assert_eq!(texts(&table), twice, "{kind}");
    }
}

#[test]
fn every_type_comes_back_as_it_was() {
    for Pin { array, .. } in every_pin() {
        for array in [array.clone(), with_nulls(&array)] {
            let kind = array.data_type().clone();
            let table = read(arrow_bytes(&with_group(&array))).unwrap();
            let (file, memory) = released(&table);
            assert_eq!(file.to_data(), array.to_data(), "{kind}");
            assert_eq!(memory.to_data(), array.to_data(), "{kind}");
        }
    }
}

#[test]
fn durations_are_text() {
    let pins = [
        pin(DurationSecondArray::from(vec![0, 90, -1]), &["P0D", "PT90S", "-PT1S"]),
        pin(DurationMillisecondArray::from(vec![1, 90_500]), &["PT0.001S", "PT90.5S"]),
        pin(DurationMicrosecondArray::from(vec![1]), &["PT0.000001S"]),
        pin(DurationNanosecondArray::from(vec![1, 86_400_000_000_000]), &["PT0.000000001S", "PT86400S"]),
    ];
    for Pin { array, texts: expected } in pins {
        let table = read(arrow_bytes(&with_group(&array))).unwrap();
        assert_eq!(texts(&table), expected.iter().map(|&t| Some(t)).collect::<Vec<_>>());
        assert_eq!(table.column("value").unwrap().origin(), None);
    }
}

#[test]
fn dictionaries_come_back_as_they_were() {
    let words: DictionaryArray<Int16Type> =
        vec![Some("b"), None, Some("a"), Some("b"), Some("")].into_iter().collect();
    let keys = Int32Array::from(vec![Some(1), Some(0), None, Some(1), Some(2)]);
    let values: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.5), Some(7.0), None]));
    let numbers = DictionaryArray::<Int32Type>::try_new(keys, values).unwrap();
    let expected: [&[Option<&str>]; 2] = [
        &[Some("b"), None, Some("a"), Some("b"), Some("")],
        &[Some("7.0"), Some("0.5"), None, Some("7.0"), None],
    ];
    for (array, expected) in [Arc::new(words) as ArrayRef, Arc::new(numbers)].into_iter().zip(expected) {
        let table = read(arrow_bytes(&with_group(&array))).unwrap();
        assert_eq!(texts(&table), expected);
        let (file, memory) = released(&table);
        assert_eq!(memory.data_type(), array.data_type());
        let again = read(arrow_bytes(&with_group(&memory))).unwrap();
        assert_eq!(texts(&again), expected);
        assert_eq!(Some(file.data_type()), table.column("value").unwrap().origin());
    }
}

/// A label that only withheld people have is in no byte of any release: neither in a dictionary, nor in statistics,
/// nor in metadata. It is looked for in plain Parquet, too: what is compressed may hide it.
#[test]
fn what_only_withheld_people_have_is_nowhere() {
    let canary = "Huntington";
    let labels = (0..202).map(|row| if row < 200 { ["flu", "gout", "cold"][row % 3] } else { canary });
    let labels: DictionaryArray<Int32Type> = labels.map(Some).collect();
    let ages =
        Int64Array::from_iter_values((0..202).map(|row| if row < 200 { 20 + row / 4 } else { 500 * row }));
    let batch = RecordBatch::try_from_iter([("age", Arc::new(ages) as ArrayRef), ("diag", Arc::new(labels))])
        .unwrap();
    let table = read(arrow_bytes(&batch)).unwrap();
    for role in ["sensitive", "keep"] {
        let text = format!(
            "k = 4\nwithhold = \"2%\"\n[columns]\nage = {{ role = \"quasi\", kind = \"numeric\" }}\n\
             diag = \"{role}\"\n"
        );
        let policy = policy_for(&table, &text);
        let mut done = anonymized(&table, &policy, &Options::default()).unwrap();
        assert_eq!(done.report.withheld, 2);
        let (schema, batches) = done.batches().unwrap();
        let mut outputs = vec![schema.to_string().into_bytes()];
        for batch in batches {
            outputs.push(arrow_bytes(batch));
            let mut bytes = Vec::new();
            let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
            writer.write(batch).unwrap();
            writer.close().unwrap();
            outputs.push(bytes);
        }
        for format in [FileFormat::default(), FileFormat::Parquet, FileFormat::Arrow] {
            let mut bytes = Vec::new();
            done.write(&mut bytes, format).unwrap();
            if format != FileFormat::default() {
                let again = read(bytes.clone()).unwrap();
                assert!(
                    again.columns().iter().all(|c| (0..c.distinct() as u32).all(|at| c.text(at) != canary))
                );
            }
            outputs.push(bytes);
        }
        for bytes in outputs {
            assert!(!bytes.windows(canary.len()).any(|seen| seen == canary.as_bytes()), "{role}");
        }
    }
}

#[test]
fn moments_of_a_zone_keep_instant_and_type() {
    let seconds = || TimestampSecondArray::from(vec![Some(0), None, Some(1_600_000_000), Some(-1)]);
    let nanos = || TimestampNanosecondArray::from(vec![Some(1), None, Some(i64::MIN), Some(i64::MAX)]);
    for (zone, said) in [
        ("UTC", "2020-09-13T12:26:40Z"),
        ("+00:00", "2020-09-13T12:26:40Z"),
        ("Europe/Rome", "2020-09-13T12:26:40Z"),
        ("no zone at all", "2020-09-13T12:26:40Z"),
        ("+05:30", "2020-09-13T17:56:40+05:30"),
        ("-08", "2020-09-13T04:26:40-08:00"),
    ] {
        let arrays =
            [Arc::new(seconds().with_timezone(zone)) as ArrayRef, Arc::new(nanos().with_timezone(zone))];
        for array in arrays {
            let table = read(arrow_bytes(&with_group(&array))).unwrap();
            assert_eq!(table.column("value").unwrap().origin(), Some(array.data_type()));
            let (file, memory) = released(&table);
            assert_eq!((file.to_data(), memory.to_data()), (array.to_data(), array.to_data()), "{zone}");
            let mut bytes = Vec::new();
            FileFormat::Parquet.write(&release_of(&table), &mut bytes).unwrap();
            assert_eq!(texts(&read(bytes).unwrap()), texts(&table), "{zone}");
        }
        let array = Arc::new(seconds().with_timezone(zone)) as ArrayRef;
        assert_eq!(texts(&read(arrow_bytes(&with_group(&array))).unwrap())[2], Some(said));
    }
}

#[test]
fn what_no_calendar_has_is_refused_without_being_told() {
    let arrays = [
        Arc::new(Date32Array::from(vec![1, 2, i32::MAX])) as ArrayRef,
        Arc::new(Date64Array::from(vec![1, 2, i64::MAX])),
        Arc::new(TimestampSecondArray::from(vec![1, 2, i64::MAX])),
        Arc::new(TimestampMillisecondArray::from(vec![1, 2, i64::MIN]).with_timezone("UTC")),
        Arc::new(Time32SecondArray::from(vec![1, 2, 86_400])),
        Arc::new(Time32MillisecondArray::from(vec![1, 2, -1])),
        Arc::new(Time64NanosecondArray::from(vec![1, 2, i64::MAX])),
        Arc::new(DurationSecondArray::from(vec![1, 2, i64::MAX])),
    ];
    for array in arrays {
        let error = read(arrow_bytes(&with_group(&array))).unwrap_err();
        let said = error.to_string();
        assert!(
            matches!(&error, TableError::BeyondCalendar { column, row: 3, .. } if column == "value"),
            "{said}"
        );
        assert!(error.hint().is_some());
        // A null is no value, whatever stands behind it.
        let places = UInt32Array::from(vec![Some(0), Some(1), None]);
        let clean = arrow_select::take::take(&array, &places, None).unwrap();
        assert_eq!(texts(&read(arrow_bytes(&with_group(&clean))).unwrap())[2], None);
    }
}

#[test]
fn columns_of_nulls_stay_null() {
    let empty: DictionaryArray<Int16Type> = [None::<&str>; 3].into_iter().collect();
    let nothing: [ArrayRef; 3] =
        [Arc::new(NullArray::new(3)), Arc::new(Int64Array::from(vec![None; 3])), Arc::new(empty)];
    for array in nothing {
        let table = read(arrow_bytes(&with_group(&array))).unwrap();
        assert_eq!(texts(&table), [None; 3]);
        let (file, memory) = released(&table);
        assert_eq!(memory.data_type(), array.data_type());
        for array in [file, memory] {
            assert_eq!(texts(&read(arrow_bytes(&with_group(&array))).unwrap()), [None; 3]);
        }
        let mut bytes = Vec::new();
        FileFormat::Parquet.write(&release_of(&table), &mut bytes).unwrap();
        assert_eq!(texts(&read(bytes).unwrap()), [None; 3]);
    }
}

#[test]
fn runs_are_read_value_by_value() {
    let ends = Int32Array::from(vec![2, 3, 5]);
    let runs =
        RunArray::<Int32Type>::try_new(&ends, &Int64Array::from(vec![Some(7), None, Some(9)])).unwrap();
    let table = read(arrow_bytes(&with_group(&(Arc::new(runs) as ArrayRef)))).unwrap();
    assert_eq!(texts(&table), [Some("7"), Some("7"), None, Some("9"), Some("9")]);
    assert_eq!(
        released(&table).0.as_ref(),
        &Int64Array::from(vec![Some(7), Some(7), None, Some(9), Some(9)])
    );
}

#[test]
fn a_null_and_an_empty_text_are_two_things_in_typed_releases_only() {
    for words in [vec![Some(""), None, Some("a"), None], vec![None, Some(""), Some("a"), Some("")]] {
        let array: ArrayRef = Arc::new(StringArray::from(words.clone()));
        let table = read(arrow_bytes(&with_group(&array))).unwrap();
        let release = release_of(&table);
        let (mut typed, mut plain) = (Vec::new(), Vec::new());
        FileFormat::Arrow.write(&release, &mut typed).unwrap();
        release.write_csv(&mut plain).unwrap();
        let policy = policy_for(&table, POLICY);
        let holds = |bytes: Vec<u8>| {
            let source = Source::from_bytes(bytes, &ReadOptions::default()).unwrap();
            check_truth(&Published::read(source, &policy, true).unwrap(), &table, &policy).unwrap().holds()
        };
        assert!(holds(typed) && holds(plain));
        let swapped: Vec<Option<&str>> = words
            .iter()
            .map(|word| match word {
                None => Some(""),
                Some("") => None,
                other => *other,
            })
            .collect();
        let lie: ArrayRef = Arc::new(StringArray::from(swapped));
        assert!(!holds(arrow_bytes(&with_group(&lie))));
    }
}

#[test]
fn a_float_between_two_texts_has_the_even_one() {
    let array: ArrayRef = Arc::new(Float64Array::from(vec![867_422_801_702_560.2, 867_422_801_702_560.4]));
    let table = read(arrow_bytes(&with_group(&array))).unwrap();
    assert_eq!(texts(&table), [Some("867422801702560.2"), Some("867422801702560.4")]);
    let array: ArrayRef = Arc::new(Float32Array::from(vec![522_429.12, 522_429.38]));
    let table = read(arrow_bytes(&with_group(&array))).unwrap();
    assert_eq!(texts(&table), [Some("522429.12"), Some("522429.38")]);
}
