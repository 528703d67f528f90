//! Text tables: fields between delimiters, quotes as in RFC 4180, lines ending in LF or CRLF.
//!
//! `csv-core` cuts the bytes into fields in buffers that we own, so a field that never ends is
//! refused at its limit rather than read into memory. Blank lines are passed over.

use super::source::{PULSE, check_names, read_error};
use super::{ColumnBuilder, ReadOptions, Table, TableError, sniff};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use encoding_rs_io::DecodeReaderBytesBuilder;
use std::io::Read;
use std::path::{Path, PathBuf};

const CHUNK: usize = 1 << 18;
const SAMPLE: usize = 1 << 16;

pub(crate) struct CsvSource {
    records: Records,
    options: ReadOptions,
    delimiter: u8,
}

impl CsvSource {
    pub(crate) fn open(
        reader: Box<dyn Read + Send>,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Self), TableError> {
        let mut input = Input::new(decode(reader, options)?, path);
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
        check_names(&names)?;
        Ok((names, Self { records, options: options.clone(), delimiter }))
    }

    pub(crate) fn read(mut self, names: Vec<String>, wanted: &[bool]) -> Result<Table, TableError> {
        let expected = names.len();
        let mut columns: Vec<(usize, ColumnBuilder)> = names
            .into_iter()
            .enumerate()
            .filter(|(i, _)| wanted[*i])
            .map(|(i, name)| (i, ColumnBuilder::new(name)))
            .collect();
        let mut rows = 0usize;
        while self.records.next()? {
            if self.records.width() != expected {
                let line = self.records.line();
                return Err(TableError::Ragged { line, expected, found: self.records.width() });
            }
            for (i, column) in &mut columns {
                if let Err(e) = column.push(self.records.field(*i)) {
                    return Err(TableError::NotUtf8 {
                        line: self.records.line(),
                        column: column.name().to_owned(),
                        byte: e.valid_up_to() + 1,
                    });
                }
            }
            rows += 1;
            if rows.is_multiple_of(PULSE) {
                self.options.pulse(rows)?;
                check_memory(&columns, rows, self.options.limits.memory)?;
            }
            if rows == u32::MAX as usize {
                return Err(TableError::TooManyRows { limit: rows });
            }
        }
        let columns = columns.into_iter().map(|(_, c)| c.finish()).collect();
        Ok(Table::new(columns, rows, self.delimiter))
    }
}

/// All cells of a small text without a header, every row as wide as the first.
pub(crate) fn read_cells(text: &str, delimiter: u8) -> Result<Vec<Vec<String>>, TableError> {
    let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let mut records =
        Records::new(Input::new(reader, Path::new("(text)")), delimiter, &ReadOptions::default());
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

pub(crate) fn check_memory(
    columns: &[(usize, ColumnBuilder)],
    row: usize,
    limit: usize,
) -> Result<(), TableError> {
    let used: usize = columns.iter().map(|(_, c)| c.memory()).sum();
    if used > limit { Err(TableError::TooLarge { row, limit }) } else { Ok(()) }
}

/// UTF-8 comes through as it is (its errors are told with their place); other encodings become UTF-8.
fn decode(reader: Box<dyn Read + Send>, options: &ReadOptions) -> Result<Box<dyn Read + Send>, TableError> {
    let mut builder = DecodeReaderBytesBuilder::new();
    match &options.encoding {
        Some(name) => {
            let encoding = encoding_rs::Encoding::for_label(name.as_bytes())
                .ok_or_else(|| TableError::UnknownEncoding(name.clone()))?;
            if encoding == encoding_rs::UTF_8 {
                builder.utf8_passthru(true);
            } else {
                builder.encoding(Some(encoding));
            }
        }
        None => {
            builder.utf8_passthru(true);
        }
    }
    Ok(Box::new(builder.strip_bom(true).bom_sniffing(true).build(reader)))
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
    line: u64,
    field_limit: usize,
    column_limit: usize,
}

impl Records {
    fn new(input: Input, delimiter: u8, options: &ReadOptions) -> Self {
        Self {
            input,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            bytes: vec![0; 1 << 12],
            ends: vec![0; 1 << 6],
            width: 0,
            line: 1,
            field_limit: options.limits.field,
            column_limit: options.limits.columns,
        }
    }

    /// Moves to the next row; false at the end.
    fn next(&mut self) -> Result<bool, TableError> {
        let (mut written, mut ended) = (0, 0);
        self.line = self.reader.line();
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
            ended += fields;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    let field_start = if ended == 0 { 0 } else { self.ends[ended - 1] };
                    if written - field_start > self.field_limit {
                        return Err(TableError::FieldTooLong { line: self.line, limit: self.field_limit });
                    }
                    self.bytes.resize(self.bytes.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    if ended > self.column_limit {
                        return Err(TableError::TooManyColumns { limit: self.column_limit });
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
        if self.width > self.column_limit {
            return Err(TableError::TooManyColumns { limit: self.column_limit });
        }
        if written > self.field_limit && self.fields().any(|f| f.len() > self.field_limit) {
            return Err(TableError::FieldTooLong { line: self.line, limit: self.field_limit });
        }
        let last = self.input.ended && self.input.start == self.input.end;
        if last && self.input.quotes % 2 == 1 && self.reader.line() > self.line + 1 {
            return Err(TableError::OpenQuote { line: self.line });
        }
        Ok(())
    }

    fn width(&self) -> usize {
        self.width
    }

    /// The line on which the row starts.
    fn line(&self) -> u64 {
        self.line
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
