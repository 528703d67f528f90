//! What typed files hold besides their rows: nothing that no row has, or they are not safe.
#![cfg(feature = "columnar")]

use crate::support::{anonymized, policy_for};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{Field, Schema};
use kinfold::model::policy::Policy;
use kinfold::model::table::{Place, ReadOptions, Source, Table};
use kinfold::model::verify::{Published, Verdict, verify};
use kinfold::{FileFormat, Options};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::HashMap;
use std::sync::Arc;

const POLICY: &str = "k = 2\n[columns]\nage = { role = \"quasi\", kind = \"numeric\" }\nsex = \"quasi\"\n\
                      ill = \"sensitive\"\n";

fn policy() -> Policy {
    let names = Table::from_cells(&["age", "sex", "ill"], &[vec!["1", "F", "flu"]]).unwrap();
    policy_for(&names, POLICY)
}

fn judged(bytes: Vec<u8>) -> Verdict {
    let source = Source::from_bytes(bytes, &ReadOptions::default()).unwrap();
    verify(&Published::read_file(source, &policy(), false).unwrap(), &policy()).unwrap()
}

fn places(bytes: Vec<u8>) -> Vec<(Option<String>, Place)> {
    let verdict = judged(bytes);
    assert_eq!(verdict.safe(), verdict.hidden.is_empty());
    verdict.hidden.into_iter().map(|hidden| (hidden.column, hidden.place)).collect()
}

fn batch() -> RecordBatch {
    let ages = Int64Array::from_iter_values((0..60).map(|row| 20 + row / 6));
    let column = |text: fn(usize) -> Option<&'static str>| {
        Arc::new((0..60).map(text).collect::<StringArray>()) as ArrayRef
    };
    let ill = column(|row| [Some("influenza, seasonal"), Some("gout"), None][row % 3]);
    RecordBatch::try_from_iter([
        ("age", Arc::new(ages) as ArrayRef),
        ("sex", column(|_| Some("F"))),
        ("ill", ill),
    ])
    .unwrap()
}

fn parquet(properties: WriterPropertiesBuilder, schema: Option<Schema>) -> Vec<u8> {
    let batch = match schema {
        Some(schema) => RecordBatch::try_new(Arc::new(schema), batch().columns().to_vec()).unwrap(),
        None => batch(),
    };
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// The last places of a text are another text: those in the footer, after all pages.
fn replaced(bytes: &[u8], old: &str, new: &str, after: usize) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut bytes = bytes.to_vec();
    let mut found = 0;
    for at in after..bytes.len() - old.len() {
        if bytes[at..].starts_with(old.as_bytes()) {
            bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
            found += 1;
        }
    }
    assert!(found > 0, "{old}");
    bytes
}

fn end_of_pages(bytes: &[u8]) -> usize {
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).unwrap();
    let ends = reader.metadata().row_groups().iter().flat_map(|group| group.columns()).map(|c| {
        let (start, length) = c.byte_range();
        (start + length) as usize
    });
    ends.max().unwrap()
}

#[test]
fn files_with_a_name_that_no_row_has_are_not_safe() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hidden");
    let place = |file: &str| places(std::fs::read(folder.join(file)).unwrap());
    for file in ["unused-dictionary.parquet", "unused-dictionary.arrow"] {
        assert_eq!(place(file), [(Some("sex".to_owned()), Place::Dictionary)], "{file}");
    }
    let metadata = place("metadata.parquet");
    assert!(metadata.contains(&(None, Place::Metadata("people".into()))), "{metadata:?}");
}

#[test]
fn files_that_say_what_their_rows_say_are_safe() {
    let plain = WriterProperties::builder;
    for properties in [
        plain(),
        plain().set_dictionary_enabled(false),
        plain().set_bloom_filter_enabled(true),
        plain().set_writer_version(WriterVersion::PARQUET_2_0).set_max_row_group_row_count(Some(7)),
        plain().set_statistics_enabled(EnabledStatistics::Page).set_write_page_header_statistics(true),
        plain().set_statistics_truncate_length(Some(9)).set_column_index_truncate_length(Some(8)),
    ] {
        assert_eq!(places(parquet(properties, None)), []);
    }
}

#[test]
fn statistics_and_filters_of_other_values_are_not_safe() {
    let properties = || WriterProperties::builder().set_dictionary_enabled(false);
    let bytes = parquet(properties(), None);
    let told = replaced(&bytes, "gout", "gast", end_of_pages(&bytes));
    assert_eq!(places(told), [(Some("ill".into()), Place::Statistics)]);
    let told = replaced(&bytes, "influenza, seasonal", "influenza, swine-ab", end_of_pages(&bytes));
    assert_eq!(places(told), [(Some("ill".into()), Place::Statistics)]);
    // In the header of a page.
    let headers = properties()
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_write_page_header_statistics(true)
        .set_compression(parquet::basic::Compression::SNAPPY);
    let bytes = parquet(headers, None);
    assert_eq!(places(bytes.clone()), []);
    let first = bytes.windows(4).position(|text| text == b"gout").unwrap();
    let mut told = bytes.clone();
    told[first..first + 4].copy_from_slice(b"gast");
    assert_eq!(places(told), [(Some("ill".into()), Place::Statistics)]);
    // A filter with one more bit.
    let bytes = parquet(properties().set_bloom_filter_enabled(true), None);
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(&bytes)).unwrap();
    let chunk = reader.metadata().row_group(0).column(2);
    let (at, length) = (chunk.bloom_filter_offset().unwrap(), chunk.bloom_filter_length().unwrap());
    let mut told = bytes.clone();
    told[(at + i64::from(length)) as usize - 1] ^= 0x10;
    assert_eq!(places(told), [(Some("ill".into()), Place::Filter)]);
}

/// What pandas and Spark write is about the schema, unless somebody puts values in.
#[test]
fn metadata_are_judged_by_what_they_say() {
    let pandas = |attributes: &str, index: &str| {
        format!(
            r#"{{"index_columns": [{index}], "column_indexes": [{{"name": null, "field_name": null, "pandas_type": "unicode", "numpy_type": "object", "metadata": {{"encoding": "UTF-8"}}}}],
            "columns": [{{"name": "age", "field_name": "age", "pandas_type": "int64", "numpy_type": "int64", "metadata": null}},
            {{"name": "ill", "field_name": "ill", "pandas_type": "categorical", "numpy_type": "int8", "metadata": {{"num_categories": 2, "ordered": false}}}}],
            "attributes": {{{attributes}}}, "creator": {{"library": "pyarrow", "version": "26.0.1"}}, "pandas_version": "3.0.1"}}"#
        )
    };
    let range = r#"{"kind": "range", "name": null, "start": 0, "stop": 60, "step": 1}"#;
    let spark = r#"{"type":"struct","fields":[{"name":"age","type":"string","nullable":true,"metadata":{}},{"name":"ill","type":"decimal(38,0)","nullable":true,"metadata":{}}]}"#;
    let verdict = |key: &str, value: &str| {
        let pair = KeyValue::new(key.to_owned(), value.to_owned());
        judged(parquet(WriterProperties::builder().set_key_value_metadata(Some(vec![pair])), None))
    };
    let hides = |key: &str, value: &str| !verdict(key, value).hidden.is_empty();
    let unclear = |key: &str, value: &str| verdict(key, value).unclear;
    for (key, value) in [
        ("pandas", pandas("", range).as_str()),
        ("pandas", pandas("", r#""__index_level_0__""#).as_str()),
        ("org.apache.spark.sql.parquet.row.metadata", spark),
        ("org.apache.spark.version", "4.0.1"),
        ("note", "gout"),
    ] {
        assert!(!hides(key, value) && unclear(key, value).is_empty(), "{key} {value}");
    }
    for (key, value) in [
        ("pandas", pandas(r#""made from": "Ann Arbor's file""#, range).as_str()),
        ("org.apache.spark.sql.parquet.row.metadata", &spark.replace("{}", r#"{"comment":"Ann"}"#)),
        ("note", "Ann"),
        ("note", r#"["gout", "Ann"]"#),
    ] {
        assert!(hides(key, value), "{key} {value}");
    }
    // A name may be that of a column that there was once.
    let gone = pandas("", r#""patient""#);
    assert_eq!((hides("pandas", &gone), unclear("pandas", &gone)), (false, vec!["pandas".to_owned()]));
    assert_eq!(unclear("r", "A\n3\n263168\n"), ["r"]);
    // Fields have metadata, too, in the schema that Arrow puts into the file.
    let with = |value: &str| {
        let field = |(at, field): (usize, &Arc<Field>)| {
            let told = HashMap::from([("_PL_ENUM_VALUES".to_owned(), value.to_owned())]);
            let told = if at == 2 { told } else { HashMap::new() };
            field.as_ref().clone().with_metadata(told)
        };
        Schema::new(batch().schema().fields().iter().enumerate().map(field).collect::<Vec<_>>())
    };
    let found = |value: &str| places(parquet(WriterProperties::builder(), Some(with(value))));
    assert_eq!(found("4;gout19;influenza, seasonal"), []);
    assert_eq!(
        found("4;gout10;Huntington"),
        [(Some("ill".into()), Place::Metadata("_PL_ENUM_VALUES".into()))]
    );
    let arrow = |schema: Schema| {
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new(&mut bytes, &schema).unwrap();
        writer
            .write(&RecordBatch::try_new(Arc::new(schema.clone()), batch().columns().to_vec()).unwrap())
            .unwrap();
        writer.finish().unwrap();
        places(bytes)
    };
    assert_eq!(arrow(with("")), []);
    assert_eq!(
        arrow(with("10;Huntington")),
        [(Some("ill".into()), Place::Metadata("_PL_ENUM_VALUES".into()))]
    );
}

#[test]
fn texts_behind_nulls_are_not_safe() {
    let texts = |hidden: &str| {
        let values = StringArray::from(vec!["gout", hidden, "flu", "flu"]);
        let nulls =
            arrow_array::Array::nulls(&StringArray::from(vec![Some(""), None, Some(""), Some("")])).cloned();
        let (offsets, bytes, _) = values.into_parts();
        Arc::new(StringArray::new(offsets, bytes, nulls)) as ArrayRef
    };
    let file = |hidden: &str| {
        let (ages, sex) = (Int64Array::from(vec![1; 4]), StringArray::from(vec!["F"; 4]));
        let columns = [("age", Arc::new(ages) as ArrayRef), ("sex", Arc::new(sex)), ("ill", texts(hidden))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        places(bytes)
    };
    assert_eq!((file(""), file("flu")), (vec![], vec![]));
    assert_eq!(file("Huntington"), [(Some("ill".into()), Place::Nulls)]);
}

#[test]
fn our_own_files_hide_nothing() {
    let bytes = parquet(WriterProperties::builder(), None);
    let table = Source::from_bytes(bytes, &ReadOptions::default()).unwrap().read(|_| true).unwrap();
    for form in ["ranges", "bounds", "midpoint"] {
        let policy = policy_for(&table, &format!("form = \"{form}\"\nwithhold = \"20%\"\n{POLICY}"));
        let mut done = anonymized(&table, &policy, &Options::default()).unwrap();
        for format in [FileFormat::Parquet, FileFormat::Arrow] {
            let mut bytes = Vec::new();
            done.write(&mut bytes, format).unwrap();
            let source = Source::from_bytes(bytes, &ReadOptions::default()).unwrap();
            let verdict = verify(&Published::read_file(source, &policy, true).unwrap(), &policy).unwrap();
            assert!(verdict.safe() && verdict.unclear.is_empty(), "{form}: {verdict:?}");
        }
    }
}
