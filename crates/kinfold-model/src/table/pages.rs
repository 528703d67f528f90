//! How large the pages of a Parquet file are. Its decoder allocates what a page says about itself, and reads
//! as many rows at a time as it is told to; so the headers of all pages are read first.

use super::guard::{Checked, Trouble, broken, inside, read_at, size_of_input};
use flate2::read::MultiGzDecoder;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::io::{Cursor, Read, Seek};

/// Bytes of a batch, about.
const BATCH_BYTES: usize = 32 << 20;
/// Rows of a batch at most.
const BATCH_ROWS: usize = 4096;
/// What a cell takes in a batch besides its text.
const CELL: usize = 32;
/// No gzip stream unpacks to more than so many times its size.
const GZIP_FACTOR: usize = 1032;

/// What reading takes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needs {
    /// Bytes of dictionaries and pages that are in memory at once.
    pub(super) holds: usize,
    /// Bytes of a row in a batch.
    row: usize,
}

impl Needs {
    /// How many rows to read at a time.
    pub(super) fn rows(&self) -> usize {
        (BATCH_BYTES / self.row.max(1)).clamp(1, BATCH_ROWS)
    }
}

/// Reads the headers of all pages of the columns that are wanted. With `shared` texts a dictionary is in
/// memory once; otherwise every row has a copy.
pub(super) fn check_pages<R: Read + Seek>(
    reader: &mut R,
    metadata: &ParquetMetaData,
    wanted: impl Fn(usize) -> bool,
    shared: bool,
    limit: usize,
) -> Checked<Needs> {
    let size = size_of_input(reader)?;
    let mut most = Needs::default();
    for group in metadata.row_groups() {
        let mut needs = Needs::default();
        for column in group.columns().iter().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, c)| c) {
            let chunk = check_chunk(reader, column, size, limit)?;
            needs.holds = needs.holds.saturating_add(chunk.dictionary).saturating_add(2 * chunk.page);
            let copied = if shared { 0 } else { chunk.dictionary };
            needs.row = needs.row.saturating_add(CELL + chunk.value.max(copied));
        }
        most = Needs { holds: most.holds.max(needs.holds), row: most.row.max(needs.row) };
    }
    Ok(most)
}

/// A column of a row group.
#[derive(Default)]
struct Chunk {
    /// Bytes of its dictionary.
    dictionary: usize,
    /// Bytes of its largest page, packed and unpacked.
    page: usize,
    /// Bytes of a value, in the page where they are longest.
    value: usize,
}

fn check_chunk<R: Read + Seek>(
    reader: &mut R,
    column: &ColumnChunkMetaData,
    size: u64,
    limit: usize,
) -> Checked<Chunk> {
    let (mut at, length) = column.byte_range();
    if !inside(at as i64, length as i64, size) {
        return broken("a column lies outside the file");
    }
    let (end, mut left) = (at + length, column.num_values());
    let mut chunk = Chunk::default();
    while at < end && left > 0 {
        let (page, header) = read_header(reader, at, end)?;
        at += header as u64;
        let (Ok(packed), Ok(unpacked)) = (usize::try_from(page.packed), usize::try_from(page.unpacked))
        else {
            return broken("a page of negative length");
        };
        if packed as u64 > end - at {
            return broken("a page lies outside its column");
        }
        if unpacked > limit || bursts(reader, column.compression(), at, packed, unpacked, limit)? {
            return Err(Trouble::TooLarge);
        }
        at += packed as u64;
        let values = usize::try_from(page.values).unwrap_or(0);
        if page.is_dictionary {
            if values > unpacked.saturating_mul(8) {
                return broken("the number of values of a dictionary");
            }
            chunk.dictionary = unpacked;
        } else {
            left -= i64::from(page.values.max(0));
            // Where values share their beginnings, the page does not tell how long they are.
            let value = if page.encoding == DELTA_BYTE_ARRAY { unpacked } else { unpacked / values.max(1) };
            chunk.value = chunk.value.max(value);
        }
        chunk.page = chunk.page.max(packed.saturating_add(unpacked));
    }
    Ok(chunk)
}

/// Whether a gzipped page unpacks to more than it says, and more than there may be. Other codecs stop at what
/// the page says.
fn bursts<R: Read + Seek>(
    reader: &mut R,
    codec: Compression,
    at: u64,
    packed: usize,
    unpacked: usize,
    limit: usize,
) -> Checked<bool> {
    if !matches!(codec, Compression::GZIP(_)) || packed.saturating_mul(GZIP_FACTOR) <= limit {
        return Ok(false);
    }
    let mut page = vec![0; packed];
    read_at(reader, at, &mut page)?;
    let mut unpacking = MultiGzDecoder::new(Cursor::new(page)).take(unpacked as u64 + 1);
    // What is damaged otherwise, the decoder will find.
    Ok(std::io::copy(&mut unpacking, &mut std::io::sink()).is_ok_and(|bytes| bytes > unpacked as u64))
}

/// What a page says about itself.
#[derive(Debug, Default, PartialEq, Eq)]
struct Page {
    unpacked: i32,
    packed: i32,
    values: i32,
    encoding: i32,
    is_dictionary: bool,
}

/// The encoding in which a value says how much of its beginning it shares with the one before.
const DELTA_BYTE_ARRAY: i32 = 7;

/// The header of a page, and its length.
fn read_header<R: Read + Seek>(reader: &mut R, at: u64, end: u64) -> Checked<(Page, usize)> {
    let mut room = 1 << 8;
    loop {
        let length = (end - at).min(room);
        let mut bytes = vec![0; length as usize];
        read_at(reader, at, &mut bytes)?;
        let mut thrift = Thrift { bytes: &bytes };
        if let Some(page) = thrift.page() {
            return Ok((page, bytes.len() - thrift.bytes.len()));
        }
        // Headers hold the least and the largest value, and may be long.
        if length < room || room > 1 << 24 {
            return broken("the header of a page");
        }
        room *= 16;
    }
}

/// Thrift's compact protocol, as much of it as page headers use. `None`: it ends too early, or is malformed.
struct Thrift<'a> {
    bytes: &'a [u8],
}

/// Keys and texts that the footer of a Parquet file has for chunks of columns.
pub(super) fn of_columns(footer: &[u8]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut add = |input: &mut Thrift<'_>| {
        let mut pair = [String::new(), String::new()];
        input.structure(&mut |id, kind, input| match (id, kind) {
            (1 | 2, 8) => input.text().map(|text| pair[id as usize - 1] = text),
            _ => input.skip(kind, DEEPEST),
        })?;
        let [key, value] = pair;
        pairs.push((key, value));
        Some(())
    };
    let mut column = |input: &mut Thrift<'_>| {
        input.structure(&mut |id, kind, input| match (id, kind) {
            (3, 12) => input.elements_of(8, &mut add),
            _ => input.skip(kind, DEEPEST),
        })
    };
    let mut group = |input: &mut Thrift<'_>| input.elements_of(1, &mut column);
    // What is malformed, the decoder has found.
    let _ = Thrift { bytes: footer }.elements_of(4, &mut group);
    pairs
}

/// Structures within structures.
const DEEPEST: usize = 16;

impl Thrift<'_> {
    fn page(&mut self) -> Option<Page> {
        let mut page = Page::default();
        self.structure(&mut |id, kind, input| match (id, kind) {
            (2, 5) => input.number().map(|n| page.unpacked = n as i32),
            (3, 5) => input.number().map(|n| page.packed = n as i32),
            (5 | 7 | 8, 12) => {
                page.is_dictionary |= id == 7;
                let encoding = if id == 8 { 4 } else { 2 };
                input.structure(&mut |id, kind, input| match (id, kind) {
                    (1, 5) => input.number().map(|n| page.values = n as i32),
                    (id, 5) if id == encoding => input.number().map(|n| page.encoding = n as i32),
                    _ => input.skip(kind, DEEPEST),
                })
            }
            _ => input.skip(kind, DEEPEST),
        })?;
        Some(page)
    }

    /// Hands every field of a structure to `field`: its number and its type.
    fn structure(&mut self, field: &mut dyn FnMut(i64, u8, &mut Self) -> Option<()>) -> Option<()> {
        let mut id = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            id = if head >> 4 == 0 { self.number()? } else { id + i64::from(head >> 4) };
            field(id, head & 15, self)?;
        }
    }

    /// Hands every element of a structure's list of this number to `each`.
    fn elements_of(&mut self, list: i64, each: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.structure(&mut |id, kind, input| match kind {
            9 if id == list => input.list(&mut |_, input| each(input)),
            _ => input.skip(kind, DEEPEST),
        })
    }

    fn skip(&mut self, kind: u8, deep: usize) -> Option<()> {
        let deep = deep.checked_sub(1)?;
        match kind {
            // True and false have no bytes of their own in a structure.
            1 | 2 => Some(()),
            3 => self.drop(1),
            4..=6 => self.unsigned().map(|_| ()),
            7 => self.drop(8),
            8 => {
                let length = self.unsigned()?;
                self.drop(usize::try_from(length).ok()?)
            }
            9 | 10 => self.list(&mut |kind, input| input.element(kind, deep)),
            11 => {
                let size = self.unsigned()?;
                let kinds = if size == 0 { 0 } else { self.byte()? };
                (0..size).try_for_each(|_| {
                    self.element(kinds >> 4, deep)?;
                    self.element(kinds & 15, deep)
                })
            }
            12 => self.structure(&mut |_, kind, input| input.skip(kind, deep)),
            _ => None,
        }
    }

    /// Hands the type of every element of a list to `each`, which reads it.
    fn list(&mut self, each: &mut dyn FnMut(u8, &mut Self) -> Option<()>) -> Option<()> {
        let head = self.byte()?;
        let size = if head >> 4 == 15 { self.unsigned()? } else { u64::from(head >> 4) };
        (0..size).try_for_each(|_| each(head & 15, self))
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.unsigned()?).ok()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// An element of a list: true and false are bytes there.
    fn element(&mut self, kind: u8, deep: usize) -> Option<()> {
        if matches!(kind, 1 | 2) { self.drop(1) } else { self.skip(kind, deep) }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn drop(&mut self, bytes: usize) -> Option<()> {
        self.bytes = self.bytes.get(bytes..)?;
        Some(())
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn number(&mut self) -> Option<i64> {
        let zigzag = self.unsigned()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_field_by_field() {
        // Type 0, unpacked 300, packed 7, a checksum, and a data page of 5 values in encoding 8 with a list.
        let bytes = [
            0x15, 0, 0x15, 0xd8, 4, 0x15, 14, 0x15, 3, 0x1c, 0x15, 10, 0x15, 16, 0x19, 0x25, 2, 4, 0, 0, 0xaa,
        ];
        let mut thrift = Thrift { bytes: &bytes };
        let page = Page { unpacked: 300, packed: 7, values: 5, encoding: 8, is_dictionary: false };
        assert_eq!(thrift.page(), Some(page));
        assert_eq!(thrift.bytes, [0xaa]);
        for length in 0..bytes.len() - 1 {
            assert_eq!(Thrift { bytes: &bytes[..length] }.page(), None, "cut off at {length}");
        }
    }

    #[test]
    fn nests_without_end_are_refused() {
        assert_eq!(Thrift { bytes: &[0x9c; 1 << 20] }.page(), None);
    }

    #[test]
    fn batches_have_a_size() {
        let rows = |row| Needs { holds: 0, row }.rows();
        assert_eq!((rows(0), rows(100), rows(1 << 20), rows(1 << 40)), (4096, 4096, 32, 1));
    }
}
