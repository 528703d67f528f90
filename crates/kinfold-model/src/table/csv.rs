//! Text tables: fields between delimiters, quotes as in RFC 4180, lines ending in LF or CRLF.
//!
//! `csv-core` cuts the bytes into fields in buffers that we own, so a field that never ends is
//! refused at its limit rather than read into memory. Blank lines are passed over.

use super::decode::decode;
use super::header::{Header, looks_like_data, numbered};
use super::source::{PULSE, check_names, read_error};
use super::{ColumnBuilder, Limits, ReadOptions, Table, TableError, sniff};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use std::io::Read;
use std::path::{Path, PathBuf};

const CHUNK: usize = 1 << 18;
const SAMPLE: usize = 1 << 16;
/// So many bytes are read at most before the memory is looked at again.
const UNCHECKED: usize = 1 << 20;

pub(crate) struct CsvSource {
    records: Records,
    /// Whether the first line is a row that is yet to be taken.
    waiting: bool,
    options: ReadOptions,
    delimiter: u8,
    taken: usize,
}

impl CsvSource {
    pub(crate) fn open(
        reader: Box<dyn Read + Send>,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Self), TableError> {
        let mut input = Input::new(decode(reader, path, options.encoding.as_deref())?, path);
        input.fill(SAMPLE)?;
        if input.rest().iter().all(u8::is_ascii_whitespace) && input.ended {
            return Err(TableError::Empty);
        }
        let delimiter = options.delimiter.unwrap_or_else(|| sniff::delimiter(input.rest()));
        let mut records = Records::new(input, delimiter, options);
        if !records.next()? {
            return Err(TableError::Empty);
        }
        let mut names = Vec::new();
        for (i, field) in records.fields().enumerate() {
            let name = std::str::from_utf8(field).map_err(|e| TableError::NotUtf8 {
                line: 1,
                column: format!("number {}", i + 1),
                byte: e.valid_up_to() + 1,
            })?;
            names.push(name.to_owned());
        }
        let waiting = options.header == Header::No;
        if waiting {
            names = numbered(names.len());
        } else if options.header == Header::Detect && looks_like_data(&names, &records.ahead()) {
            return Err(TableError::NoHeader);
        }
        check_names(&names)?;
        Ok((names, Self { records, waiting, options: options.clone(), delimiter, taken: 0 }))
    }

    /// Reads on: so many rows at most.
    pub(crate) fn read(
        &mut self,
        names: &[String],
        wanted: &[bool],
        most: usize,
    ) -> Result<Table, TableError> {
        let expected = names.len();
        let mut columns: Vec<(usize, ColumnBuilder)> = names
            .iter()
            .enumerate()
            .filter(|(i, _)| wanted[*i])
            .map(|(i, name)| (i, ColumnBuilder::new(name.clone()).after(self.taken)))
            .collect();
        let limit = self.options.limits.memory;
        let (mut rows, mut unchecked) = (0usize, 0);
        while rows < most && (std::mem::take(&mut self.waiting) || self.records.next()?) {
            if self.records.width != expected {
                let line = self.records.line();
                return Err(TableError::Ragged { line, expected, found: self.records.width });
            }
            for (i, column) in &mut columns {
                if let Err(e) = column.push(self.records.field(*i)) {
                    return Err(TableError::NotUtf8 {
                        line: self.records.line(),
                        column: column.head.name.clone(),
                        byte: e.valid_up_to() + 1,
                    });
                }
            }
            rows += 1;
            unchecked += self.records.written;
            if rows.is_multiple_of(PULSE) {
                self.options.pulse(self.taken + rows)?;
                unchecked = UNCHECKED;
            }
            if unchecked >= UNCHECKED {
                check_memory(&columns, self.records.bytes.len(), rows, limit)?;
                unchecked = 0;
            }
            if rows == u32::MAX as usize {
                return Err(TableError::TooManyRows(rows));
            }
        }
        self.taken += rows;
        check_memory(&columns, 0, rows, limit)?;
        let columns = columns.into_iter().map(|(_, c)| c.finish()).collect();
        Ok(Table::new(columns, rows, self.delimiter))
    }
}

/// All cells of a text in memory without a header, every row as wide as the first. A cell may be as long as
/// the text.
pub(crate) fn read_cells(text: &str, delimiter: u8) -> Result<Vec<Vec<String>>, TableError> {
    let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let limits = Limits { field: text.len(), memory: usize::MAX, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let mut records = Records::new(Input::new(reader, Path::new("(text)")), delimiter, &options);
    let mut rows: Vec<Vec<String>> = Vec::new();
    while records.next()? {
        let row: Vec<String> = records.fields().map(|f| String::from_utf8_lossy(f).into_owned()).collect();
        if let Some(first) = rows.first()
            && first.len() != row.len()
        {
            return Err(TableError::Ragged { line: records.line(), expected: first.len(), found: row.len() });
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Refuses a table that has outgrown the limit together with what its reader `holds`.
pub(crate) fn check_memory(
    columns: &[(usize, ColumnBuilder)],
    holds: usize,
    row: usize,
    limit: usize,
) -> Result<(), TableError> {
    let used: usize = columns.iter().map(|(_, c)| c.memory()).sum();
    if used.saturating_add(holds) > limit { Err(TableError::TooLarge { row, limit }) } else { Ok(()) }
}

/// A buffered reader that can be looked into.
struct Input {
    reader: Box<dyn Read + Send>,
    path: PathBuf,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    quotes: usize,
}

impl Input {
    fn new(reader: Box<dyn Read + Send>, path: &Path) -> Self {
        let buffer = vec![0; CHUNK];
        Self { reader, path: path.to_owned(), buffer, start: 0, end: 0, ended: false, quotes: 0 }
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads on until `least` bytes wait or the input ends.
    fn fill(&mut self, least: usize) -> Result<(), TableError> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        while !self.ended && self.end - self.start < least {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => {
                    self.quotes += memchr::memchr_iter(b'"', &self.buffer[self.end..self.end + n]).count();
                    self.end += n;
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(read_error(&self.path, e)),
            }
        }
        Ok(())
    }
}

/// The fields of one row after another.
struct Records {
    input: Input,
    reader: Reader,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    width: usize,
    written: usize,
    limits: Limits,
    delimiter: u8,
}

impl Records {
    fn new(input: Input, delimiter: u8, options: &ReadOptions) -> Self {
        Self {
            input,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            bytes: vec![0; 1 << 12],
            ends: vec![0; 1 << 6],
            width: 0,
            written: 0,
            limits: options.limits,
            delimiter,
        }
    }

    /// Rows that lie ahead in the sample, without moving there; none where they are malformed.
    fn ahead(&self) -> Vec<Vec<String>> {
        let rest = self.input.rest();
        let mut sample = &rest[..rest.len().min(SAMPLE)];
        if !self.input.ended || sample.len() < rest.len() {
            // The last line may be cut off by the end of the sample.
            sample = &sample[..memchr::memrchr(b'\n', sample).map_or(0, |at| at + 1)];
        }
        read_cells(&String::from_utf8_lossy(sample), self.delimiter).unwrap_or_default()
    }

    /// Moves to the next row; false at the end.
    fn next(&mut self) -> Result<bool, TableError> {
        let (mut written, mut ended) = (0, 0);
        loop {
            if self.input.start == self.input.end && !self.input.ended {
                self.input.fill(1)?;
            }
            let (result, taken, bytes, fields) = self.reader.read_record(
                self.input.rest(),
                &mut self.bytes[written..],
                &mut self.ends[ended..],
            );
            self.input.start += taken;
            written += bytes;
            self.written = written;
            ended += fields;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    let field_start = if ended == 0 { 0 } else { self.ends[ended - 1] };
                    if written - field_start > self.limits.field {
                        return Err(TableError::FieldTooLong { line: self.line(), limit: self.limits.field });
                    }
                    let wider = self.bytes.len() * 2;
                    if wider > self.limits.memory {
                        return Err(TableError::TooLarge { row: 0, limit: self.limits.memory });
                    }
                    self.bytes.resize(wider, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    if ended > self.limits.columns {
                        return Err(TableError::TooManyColumns(self.limits.columns));
                    }
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::Record => {
                    self.width = ended;
                    return self.check(written).map(|()| true);
                }
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Limits hold also for rows that fitted the buffers; a last row that swallowed lines has an open quote.
    fn check(&self, written: usize) -> Result<(), TableError> {
        if self.width > self.limits.columns {
            return Err(TableError::TooManyColumns(self.limits.columns));
        }
        if written > self.limits.field && self.fields().any(|f| f.len() > self.limits.field) {
            return Err(TableError::FieldTooLong { line: self.line(), limit: self.limits.field });
        }
        let last = self.input.ended && self.input.start == self.input.end;
        if last && self.input.quotes % 2 == 1 && self.lines_inside() > 0 {
            // An open quote swallows the end of the last line too.
            return Err(TableError::OpenQuote(self.reader.line().saturating_sub(self.lines_inside())));
        }
        Ok(())
    }

    /// The line on which the row starts: where the reader is, less what the row itself holds. (Where the
    /// reader was before will not do: it passes over blank lines and the rest of a CRLF only then.)
    fn line(&self) -> u64 {
        let ended = self.input.start > 0 && self.input.buffer[self.input.start - 1] == b'\n';
        self.reader.line().saturating_sub(self.lines_inside() + u64::from(ended)).max(1)
    }

    /// Ends of lines within quotes.
    fn lines_inside(&self) -> u64 {
        memchr::memchr_iter(b'\n', &self.bytes[..self.written]).count() as u64
    }

    #[inline]
    fn field(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    fn fields(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.width).map(|i| self.field(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Source;

    fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Table, TableError> {
        Source::from_bytes(bytes.to_vec(), options)?.read(|_| true)
    }

    fn read(bytes: &[u8]) -> Result<Table, TableError> {
        read_with(bytes, &ReadOptions::default())
    }

    fn column(table: &Table, name: &str) -> Vec<String> {
        let c = table.column(name).unwrap();
        c.codes().iter().map(|&code| c.text(code).to_owned()).collect()
    }

    #[test]
    fn cells_come_as_they_are() {
        let table = read(b"\xef\xbb\xbfid;text\r\n001;\" a;\"\"b\"\"\r\nc \"\r\n\r\n2;\xc3\xa9\r\n").unwrap();
        assert_eq!(column(&table, "id"), ["001", "2"]);
        assert_eq!(column(&table, "text"), [" a;\"b\"\r\nc ", "é"]);
        assert_eq!(table.delimiter(), b';');
    }

    #[test]
    fn a_last_line_without_end_counts() {
        assert_eq!(column(&read(b"a,b\n1,2\n3,4").unwrap(), "b"), ["2", "4"]);
    }

    #[test]
    fn a_table_without_header_is_noticed_and_can_be_read() {
        let bytes = b"Ada,65\nBen,34\n";
        assert!(matches!(read(bytes), Err(TableError::NoHeader)));
        let no = ReadOptions { header: Header::No, ..ReadOptions::default() };
        assert_eq!(column(&read_with(bytes, &no).unwrap(), "column2"), ["65", "34"]);
        assert_eq!(column(&read_with(b"Ada,65\n", &no).unwrap(), "column1"), ["Ada"], "one row is a table");
        let many = "Ada,65\nBen,34\n".repeat(50_000);
        assert!(matches!(read(many.as_bytes()), Err(TableError::NoHeader)), "a large one, too");
        let yes = ReadOptions { header: Header::Yes, ..ReadOptions::default() };
        assert_eq!(column(&read_with(bytes, &yes).unwrap(), "65"), ["34"]);
        // What repeats in the first line is not told as a name that is there twice.
        assert!(matches!(read(b"0,Ada,0\n1,Ben,2\n"), Err(TableError::NoHeader)));
    }

    #[test]
    fn faults_have_their_line() {
        let ragged = |bytes| match read(bytes) {
            Err(TableError::Ragged { line, expected, found }) => (line, expected, found),
            other => panic!("{other:?}"),
        };
        assert_eq!(ragged(b"a,b\n1,2\n3\n"), (3, 2, 1));
        assert_eq!(ragged(b"a,b\n\"1\n\n\",2\n3,4,5\n"), (5, 2, 3), "a quoted field may hold lines");
        assert_eq!(ragged(b"a,b\r\n1,2\r\n3\r\n"), (3, 2, 1));
        assert_eq!(ragged(b"\n\na,b\n\n\n1,2\n\n3\n"), (8, 2, 1), "blank lines count");
        assert_eq!(ragged(b"a,b\n1,2\n3"), (3, 2, 1), "the last line may have no end");
        assert!(matches!(
            read(b"a,b\n1,2\n3,caf\xe9\n"),
            Err(TableError::NotUtf8 { line: 3, column, byte: 4 }) if column == "b"
        ));
        assert!(matches!(read(b"a,b\n1,2\n3,\"4\n5,6\n7,8\n"), Err(TableError::OpenQuote(3))));
        assert!(matches!(read(b"a,,c\n1,2,3\n"), Err(TableError::EmptyName(2))));
        assert!(matches!(
            read(b"a,b,a\n1,2,3\n"),
            Err(TableError::DuplicateName { first: 1, second: 3, .. })
        ));
        assert!(matches!(read(b""), Err(TableError::Empty)));
        assert!(matches!(read(b"\n \n"), Err(TableError::Empty)));
        assert!(matches!(read(b"a,b\n"), Err(TableError::HeaderOnly)));
    }

    #[test]
    fn other_encodings_are_decoded_when_named() {
        let options = ReadOptions { encoding: Some("windows-1252".into()), ..Default::default() };
        assert_eq!(column(&read_with(b"a\ncaf\xe9\n", &options).unwrap(), "a"), ["café"]);
        let utf16: Vec<u8> = "\u{feff}a,b\n1,é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(column(&read(&utf16).unwrap(), "b"), ["é"], "a byte order mark speaks for itself");
        let options = ReadOptions { encoding: Some("shift_jis".into()), ..Default::default() };
        assert!(matches!(
            read_with(b"a\n1\n\x81\xff\n", &options),
            Err(TableError::Malformed { line: 3, encoding: "Shift_JIS" })
        ));
        let options = ReadOptions { encoding: Some("klingon".into()), ..Default::default() };
        assert!(matches!(read_with(b"a\n1\n", &options), Err(TableError::UnknownEncoding(_))));
    }

    #[test]
    fn limits_hold() {
        let limits = Limits { columns: 3, field: 10, memory: 1 << 20 };
        let options = ReadOptions { limits, ..Default::default() };
        assert!(matches!(read_with(b"a,b,c,d\n1,2,3,4\n", &options), Err(TableError::TooManyColumns(3))));
        assert!(matches!(
            read_with(b"a,b\n1,12345678901\n", &options),
            Err(TableError::FieldTooLong { line: 2, limit: 10 })
        ));
        let mut many = b"a\n".to_vec();
        for i in 0..200_000 {
            many.extend_from_slice(format!("{i}\n").as_bytes());
        }
        assert!(matches!(read_with(&many, &options), Err(TableError::TooLarge { .. })));
    }

    /// Endless input: reading must give up by itself.
    struct Endless(&'static [u8], usize);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            for slot in buffer.iter_mut() {
                *slot = *self.0.get(self.1).unwrap_or(&b'x');
                self.1 += 1;
            }
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_field_that_never_ends_is_refused() {
        let open = |start| {
            CsvSource::open(Box::new(Endless(start, 0)), Path::new("endless"), &ReadOptions::default())
        };
        assert!(matches!(
            open(b"a,b\n").map(|(n, s)| {
                let mut source = s;
                source.read(&n, &[true, true], usize::MAX)
            }),
            Ok(Err(TableError::FieldTooLong { .. }))
        ));
        assert!(matches!(open(b"a,\"").err(), Some(TableError::FieldTooLong { .. })));
    }
}
