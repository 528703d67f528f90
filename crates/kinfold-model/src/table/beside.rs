//! What a typed file holds besides the cells of its rows: dictionaries, statistics, Bloom filters, texts behind
//! nulls, metadata. None of it may say what no row says.

use super::columnar::{Stored, ipc_batches};
use super::guard::guard;
use super::hidden::{Found, Hidden, Place};
use super::metadata::Words;
use super::pages::of_columns;
use super::typed::Cells;
use super::{Column, ColumnBuilder, Table, TableError};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use foldhash::fast::FixedState;
use parquet::basic::Type;
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::AsBytes;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::statistics::Statistics;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A typed file, to be looked at once its rows are read.
pub(crate) enum Beside {
    Parquet(Stored),
    Ipc { stored: Stored, file: bool },
}

/// A file of any kind, to be looked at.
pub(crate) struct Looking {
    pub beside: Option<Beside>,
    pub path: PathBuf,
    pub field: usize,
}

impl Looking {
    /// What no row has, in these columns; with the table, if it fits memory.
    pub fn look(
        self,
        names: &[String],
        wanted: &dyn Fn(&str) -> bool,
        table: Option<&Table>,
    ) -> std::result::Result<Found, TableError> {
        let rows = Rows { names, wanted, table, limit: self.field };
        let looked = guard(|| match self.beside {
            None => Ok(Found::default()),
            Some(Beside::Parquet(stored)) => parquet(stored, &rows),
            Some(Beside::Ipc { stored, file }) => ipc(&stored, file, &rows),
        });
        // Its words are not repeated: they may hold cells.
        let unread = |_| "it is damaged: what it holds besides its rows cannot be read".to_owned();
        let found = looked.and_then(|found| found.map_err(unread));
        found.map_err(|what| TableError::Damaged { path: self.path, what })
    }
}

/// What is known of the rows.
struct Rows<'a> {
    pub names: &'a [String],
    /// The columns that are looked at.
    pub wanted: &'a dyn Fn(&str) -> bool,
    /// The columns as they were read, if they fit memory.
    pub table: Option<&'a Table>,
    pub limit: usize,
}

fn parquet(stored: Stored, rows: &Rows<'_>) -> Result<Found> {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
    let metadata = reader.parse_and_finish(&stored)?;
    let mut found = Found::default();
    let mut words = Words::new(rows.names);
    for pair in metadata.file_metadata().key_value_metadata().into_iter().flatten() {
        words.add(None, &pair.key, pair.value.as_deref().unwrap_or_default());
    }
    for (key, value) in footer_of(&stored)?.iter().flat_map(|footer| of_columns(footer)) {
        words.add(None, &key, &value);
    }
    let stored = Arc::new(stored);
    for leaf in 0..metadata.file_metadata().schema_descr().num_columns() {
        let path = metadata.file_metadata().schema_descr().column(leaf).path().clone();
        let name = path.parts().first().cloned().unwrap_or_default();
        if (rows.wanted)(&name) {
            found.hidden.extend(leaf_of(&stored, &metadata, leaf, &name)?);
        }
    }
    words.finish(rows.table, &mut found);
    Ok(found)
}

/// The bytes of a Parquet file's own metadata; none if they are encrypted.
fn footer_of(stored: &Stored) -> Result<Option<bytes::Bytes>> {
    let tail = stored.len().saturating_sub(8);
    let end = stored.get_bytes(tail, 8)?;
    let length = end.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    if !end.ends_with(b"PAR1") {
        return Ok(None);
    }
    stored.get_bytes(tail.saturating_sub(length.into()), length as usize).map(Some)
}

/// What one column of a Parquet file hides.
fn leaf_of(stored: &Arc<Stored>, metadata: &ParquetMetaData, leaf: usize, name: &str) -> Result<Vec<Hidden>> {
    let mut suspects = Suspects::default();
    let mut beyond = 0;
    for (number, group) in metadata.row_groups().iter().enumerate() {
        let chunk = group.column(leaf);
        let kind = chunk.column_type();
        if let Some(statistics) = chunk.statistics() {
            suspects.bounds(statistics, kind);
        }
        let index = metadata.column_index().and_then(|index| index.get(number)?.get(leaf));
        index.into_iter().for_each(|index| suspects.index(index, kind));
        let filter = Sbbf::read_from_column_chunk(chunk, stored.as_ref())?;
        let mut own = filter.as_ref().map(|filter| Sbbf::new_with_num_of_bytes(filter.num_blocks() * 32));
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        read_chunk(stored, chunk, rows, &mut suspects, &mut own)?;
        if let (Some(filter), Some(own)) = (filter, own) {
            let (mut told, mut known) = (Vec::new(), Vec::new());
            filter.write_bitset(&mut told)?;
            own.write_bitset(&mut known)?;
            beyond += usize::from(told.iter().zip(&known).any(|(told, known)| told & !known != 0));
        }
    }
    let filters = (beyond > 0).then_some((Place::Filter, beyond));
    let hidden = |(place, values)| Hidden { column: Some(name.to_owned()), place, values };
    Ok(suspects.left().into_iter().chain(filters).map(hidden).collect())
}

/// Reads a chunk of a column: every value clears a suspect, and is in the filter.
fn read_chunk(
    stored: &Arc<Stored>,
    chunk: &ColumnChunkMetaData,
    rows: usize,
    suspects: &mut Suspects,
    filter: &mut Option<Sbbf>,
) -> Result<()> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::new(ReaderProperties::builder().set_read_page_statistics(true).build());
    let pages = SerializedPageReader::new_with_properties(stored.clone(), chunk, rows, None, told)?;
    let tap = Tap { pages, seen: seen.clone() };
    let kind = chunk.column_type();
    let width = chunk.column_descr().type_length();
    let mut last: Option<Vec<u8>> = None;
    let look = |suspects: &mut Suspects| {
        let pages: Vec<Seen> = seen.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        for page in &pages {
            match page {
                Seen::Dictionary(bytes) => suspects.dictionary(bytes, kind, width),
                Seen::Bounds(statistics) => suspects.bounds(statistics, kind),
            }
        }
        !pages.is_empty()
    };
    let mut each = |value: &[u8]| {
        if look(suspects) {
            last = None;
        }
        if last.as_deref() == Some(value) {
            return;
        }
        if let Some(filter) = filter {
            filter.insert(value);
        }
        suspects.clear(&canonical(value, kind));
        last = Some(value.to_vec());
    };
    match get_column_reader(chunk.column_descr_ptr(), Box::new(tap)) {
        ColumnReader::BoolColumnReader(reader) => values(reader, &mut each)?,
        ColumnReader::Int32ColumnReader(reader) => values(reader, &mut each)?,
        ColumnReader::Int64ColumnReader(reader) => values(reader, &mut each)?,
        ColumnReader::Int96ColumnReader(reader) => values(reader, &mut each)?,
        ColumnReader::FloatColumnReader(reader) => values(reader, &mut each)?,
        ColumnReader::DoubleColumnReader(reader) => values(reader, &mut each)?,
        ColumnReader::ByteArrayColumnReader(reader) => values(reader, &mut each)?,
        ColumnReader::FixedLenByteArrayColumnReader(reader) => values(reader, &mut each)?,
    }
    // A chunk of nulls may have a dictionary, too.
    look(suspects);
    Ok(())
}

/// So many values are decoded at a time.
const BATCH: usize = 1 << 10;

fn values<T: parquet::data_type::DataType>(
    mut reader: ColumnReaderImpl<T>,
    each: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    let (mut values, mut there, mut again) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        values.clear();
        there.clear();
        again.clear();
        let (records, ..) = reader.read_records(BATCH, Some(&mut there), Some(&mut again), &mut values)?;
        if records == 0 {
            return Ok(());
        }
        values.iter().for_each(|value: &T::T| each(value.as_bytes()));
    }
}

/// The two zeros of floats are one in statistics.
fn canonical(value: &[u8], kind: Type) -> std::borrow::Cow<'_, [u8]> {
    let zero = match kind {
        Type::FLOAT => value.try_into().is_ok_and(|bytes| f32::from_le_bytes(bytes) == 0.0),
        Type::DOUBLE => value.try_into().is_ok_and(|bytes| f64::from_le_bytes(bytes) == 0.0),
        _ => false,
    };
    if zero { vec![0; value.len()].into() } else { value.into() }
}

/// Values of a column that some part of the file tells, and that no row was found to have.
#[derive(Default)]
struct Suspects {
    values: HashMap<Vec<u8>, Place, FixedState>,
    /// Those that rows have.
    cleared: HashSet<Vec<u8>, FixedState>,
    /// What may be cut off: some value must begin so.
    beginnings: Vec<(Vec<u8>, Place)>,
}

/// Bounds of fewer bytes are not cut off.
const CUT: usize = 8;

impl Suspects {
    fn add(&mut self, value: &[u8], kind: Type, place: Place) {
        let value = canonical(value, kind).into_owned();
        if !self.cleared.contains(&value) {
            self.values.entry(value).or_insert(place);
        }
    }

    fn dictionary(&mut self, mut bytes: &[u8], kind: Type, width: i32) {
        let width = match kind {
            Type::INT32 | Type::FLOAT => Some(4),
            Type::INT64 | Type::DOUBLE => Some(8),
            Type::INT96 => Some(12),
            Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(width).ok().filter(|&width| width > 0),
            Type::BYTE_ARRAY | Type::BOOLEAN => None,
        };
        while !bytes.is_empty() {
            let length = width.or_else(|| {
                let (length, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                usize::try_from(u32::from_le_bytes(*length)).ok()
            });
            let Some((value, rest)) = length.and_then(|length| bytes.split_at_checked(length)) else {
                return;
            };
            self.add(value, kind, Place::Dictionary);
            bytes = rest;
        }
    }

    /// A bound of texts may be the beginning of one; an upper bound then ends in another letter.
    fn bound(&mut self, value: &[u8], kind: Type, exact: bool, upper: bool) {
        let texts = matches!(kind, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
        if exact || !texts || value.len() < CUT {
            return self.add(value, kind, Place::Statistics);
        }
        if self.cleared.contains(value) {
            return;
        }
        let letters = std::str::from_utf8(value).ok().and_then(|text| text.char_indices().next_back());
        let kept = if upper { letters.map_or(value.len() - 1, |(at, _)| at) } else { value.len() };
        self.beginnings.push((value[..kept].to_vec(), Place::Statistics));
    }

    fn bounds(&mut self, statistics: &Statistics, kind: Type) {
        if let Some(least) = statistics.min_bytes_opt() {
            self.bound(least, kind, statistics.min_is_exact(), false);
        }
        if let Some(most) = statistics.max_bytes_opt() {
            self.bound(most, kind, statistics.max_is_exact(), true);
        }
    }

    fn index(&mut self, index: &ColumnIndexMetaData, kind: Type) {
        macro_rules! bounds {
            ($index:expr) => {{
                let index = $index;
                let least = index.min_values_iter().flatten().map(|value| (value.as_bytes(), false));
                let most = index.max_values_iter().flatten().map(|value| (value.as_bytes(), true));
                least.chain(most).for_each(|(value, upper)| self.bound(value, kind, false, upper));
            }};
        }
        match index {
            ColumnIndexMetaData::NONE => {}
            ColumnIndexMetaData::BOOLEAN(index) => bounds!(index),
            ColumnIndexMetaData::INT32(index) => bounds!(index),
            ColumnIndexMetaData::INT64(index) => bounds!(index),
            ColumnIndexMetaData::INT96(index) => bounds!(index),
            ColumnIndexMetaData::FLOAT(index) => bounds!(index),
            ColumnIndexMetaData::DOUBLE(index) => bounds!(index),
            ColumnIndexMetaData::BYTE_ARRAY(index) | ColumnIndexMetaData::FIXED_LEN_BYTE_ARRAY(index) => {
                bounds!(index)
            }
        }
    }

    /// A row has this value.
    fn clear(&mut self, value: &[u8]) {
        if self.values.remove(value).is_some() {
            self.cleared.insert(value.to_vec());
        }
        self.beginnings.retain(|(beginning, _)| !value.starts_with(beginning));
    }

    fn left(self) -> BTreeMap<Place, usize> {
        let mut left = BTreeMap::new();
        let values = self.values.into_values().chain(self.beginnings.into_iter().map(|(_, place)| place));
        values.for_each(|place| *left.entry(place).or_default() += 1);
        left
    }
}

/// What pages tell besides their values.
enum Seen {
    Dictionary(bytes::Bytes),
    Bounds(Statistics),
}

/// Hands pages on, and takes down what they tell.
struct Tap<R: ChunkReader> {
    pages: SerializedPageReader<R>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl<R: ChunkReader + 'static> PageReader for Tap<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        let told = match &page {
            Some(Page::DictionaryPage { buf, .. }) => Some(Seen::Dictionary(buf.clone())),
            Some(Page::DataPage { statistics, .. } | Page::DataPageV2 { statistics, .. }) => {
                statistics.clone().map(Seen::Bounds)
            }
            None => None,
        };
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).extend(told);
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl<R: ChunkReader + 'static> Iterator for Tap<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

fn ipc(stored: &Stored, file: bool, rows: &Rows<'_>) -> Result<Found> {
    let (schema, batches) = ipc_batches(stored, file, None)?;
    let mut found = Found::default();
    let mut words = Words::new(rows.names);
    words.schema(&schema);
    let mut entries: Vec<Entries> = schema.fields().iter().map(|field| Entries::new(field.name())).collect();
    for batch in batches {
        let batch = batch?;
        for ((array, entries), field) in batch.columns().iter().zip(&mut entries).zip(schema.fields()) {
            if (rows.wanted)(field.name()) {
                entries.add(array, rows.limit);
                entries.behind(array, rows.table.and_then(|table| table.column(field.name())));
            }
        }
    }
    for (entries, field) in entries.into_iter().zip(schema.fields()) {
        let unused = entries.used.iter().filter(|&&used| !used).count();
        for (place, values) in [(Place::Dictionary, unused), (Place::Nulls, entries.behind.len())] {
            if values > 0 {
                found.hidden.push(Hidden { column: Some(field.name().clone()), place, values });
            }
        }
    }
    words.finish(rows.table, &mut found);
    Ok(found)
}

/// The entries of a column's dictionaries, and which of them rows have.
struct Entries {
    texts: ColumnBuilder,
    used: Vec<bool>,
    last: Option<(ArrayRef, Vec<Option<u32>>)>,
    /// Texts behind nulls that no row has.
    behind: HashSet<String>,
}

impl Entries {
    fn new(name: &str) -> Self {
        let texts = ColumnBuilder::new(name.to_owned());
        Self { texts, used: Vec::new(), last: None, behind: HashSet::new() }
    }

    fn add(&mut self, array: &ArrayRef, limit: usize) {
        let Some(dictionary) = array.as_any_dictionary_opt() else { return };
        let values = dictionary.values();
        let codes = match self.last.take() {
            Some((last, codes)) if Arc::ptr_eq(&last, values) => codes,
            _ => {
                let Some(cells) = Cells::new(values, limit) else { return };
                let present = |at: &usize| !values.is_null(*at);
                let code =
                    |at: usize| Some(at).filter(present).and_then(|at| cells.code(&mut self.texts, at).ok());
                (0..values.len()).map(code).collect()
            }
        };
        let most = codes.iter().flatten().map(|&code| code as usize + 1).max().unwrap_or(0);
        self.used.resize(most.max(self.used.len()), false);
        if !values.is_empty() {
            for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
                if let Some(code) = codes[key].filter(|_| !array.is_null(row)) {
                    self.used[code as usize] = true;
                }
            }
        }
        self.last = Some((values.clone(), codes));
    }

    fn behind(&mut self, array: &ArrayRef, column: Option<&Column>) {
        if array.null_count() == 0 {
            return;
        }
        let text = |row: usize| match array.data_type() {
            DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
            DataType::Utf8View => Some(array.as_string_view().value(row)),
            _ => None,
        };
        let nulls = (0..array.len()).filter(|&row| array.is_null(row));
        let texts: HashSet<&str> = nulls.filter_map(text).filter(|text| !text.is_empty()).collect();
        if !texts.is_empty() {
            let known = column.map(|column| (0..column.distinct() as u32).map(|code| column.text(code)));
            let known: HashSet<&str> = known.into_iter().flatten().collect();
            self.behind.extend(texts.difference(&known).map(|text| (*text).to_owned()));
        }
    }
}
