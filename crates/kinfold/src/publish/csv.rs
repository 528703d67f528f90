//! A release as CSV.

use super::WriteError;
use super::cells::{Cells, Release, ReleasedColumn};
use std::io::Write;

const BUFFER: usize = 1 << 18;

impl Release {
    pub(super) fn write_header(&self, delimiter: u8, out: &mut dyn Write) -> Result<(), WriteError> {
        let mut buffer: Vec<u8> = Vec::new();
        for column in &self.columns {
            // Readers tell the delimiter from the header: no name may show another.
            quote(&column.name, delimiter, true, &mut buffer);
            buffer.push(delimiter);
        }
        end_line(&mut buffer);
        Ok(out.write_all(&buffer)?)
    }

    pub(super) fn write_rows(&self, delimiter: u8, out: &mut dyn Write) -> Result<(), WriteError> {
        let mut buffer: Vec<u8> = Vec::with_capacity(2 * BUFFER);
        let pieces = self.pieces(delimiter);
        for &row in &self.rows {
            for piece in &pieces {
                buffer.extend_from_slice(piece.text(self.index(piece.column, row)));
            }
            end_line(&mut buffer);
            if buffer.len() >= BUFFER {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)?;
        out.flush()?;
        Ok(())
    }

    /// Every distinct cell is quoted once, and neighbouring columns that a group fills alike are joined:
    /// writing a row is copying a few pieces.
    fn pieces(&self, delimiter: u8) -> Vec<Piece<'_>> {
        let alone = self.columns.len() == 1;
        let grouped = |c: &ReleasedColumn| !matches!(c.cells, Cells::Untouched(_));
        self.columns
            .chunk_by(|a, b| grouped(a) && grouped(b))
            .map(|columns| {
                let mut piece = Piece { column: &columns[0], bytes: Vec::new(), ends: Vec::new() };
                for index in 0..columns[0].cells.len() {
                    for column in columns {
                        quote(column.cells.text(index).unwrap_or(""), delimiter, alone, &mut piece.bytes);
                        piece.bytes.push(delimiter);
                    }
                    piece.ends.push(piece.bytes.len());
                }
                piece
            })
            .collect()
    }
}

/// The cells of one or more columns, quoted, each with a delimiter after it.
struct Piece<'a> {
    column: &'a ReleasedColumn,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Piece<'_> {
    #[inline]
    fn text(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

/// The last delimiter of a line is its end.
pub(super) fn end_line(buffer: &mut [u8]) {
    if let Some(last) = buffer.last_mut() {
        *last = b'\n';
    }
}

/// Quotes where a reader would otherwise misunderstand. In a table of one column an empty cell would vanish
/// with its line, and whatever could be a delimiter would be taken for one.
pub(super) fn quote(text: &str, delimiter: u8, alone: bool, out: &mut Vec<u8>) {
    let special = |b: u8| {
        b == delimiter
            || matches!(b, b'"' | b'\n' | b'\r')
            || alone && matches!(b, b',' | b';' | b'\t' | b'|')
    };
    if !(text.bytes().any(special) || alone && text.is_empty()) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
