//! A release as CSV, with the delimiter of the table it came from.

use super::WriteError;
use super::cells::Release;
use std::io::Write;

const BUFFER: usize = 1 << 18;

impl Release<'_> {
    /// Writes the release as CSV.
    pub fn write_csv(&self, out: &mut dyn Write) -> Result<(), WriteError> {
        let delimiter = self.delimiter;
        let alone = self.columns.len() == 1;
        // Every distinct cell is quoted once; writing a row is copying.
        let quoted: Vec<Vec<Vec<u8>>> = self
            .columns
            .iter()
            .map(|c| c.cells.texts().iter().map(|t| quote(t.unwrap_or(""), delimiter, alone)).collect())
            .collect();
        let mut buffer: Vec<u8> = Vec::with_capacity(BUFFER + 4096);
        for (i, column) in self.columns.iter().enumerate() {
            buffer.extend_from_slice(&quote(&column.name, delimiter, alone));
            buffer.push(if i + 1 < self.columns.len() { delimiter } else { b'\n' });
        }
        for &row in &self.rows {
            for (i, (column, texts)) in self.columns.iter().zip(&quoted).enumerate() {
                buffer.extend_from_slice(&texts[self.index(column, row)]);
                buffer.push(if i + 1 < self.columns.len() { delimiter } else { b'\n' });
            }
            if buffer.len() >= BUFFER {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
        out.write_all(&buffer)?;
        out.flush()?;
        Ok(())
    }
}

/// Quotes where a reader would otherwise misunderstand; an empty cell that is a whole line would vanish.
fn quote(text: &str, delimiter: u8, alone: bool) -> Vec<u8> {
    let special = |b: u8| b == delimiter || matches!(b, b'"' | b'\n' | b'\r');
    if !(text.bytes().any(special) || alone && text.is_empty()) {
        return text.as_bytes().to_vec();
    }
    let mut quoted = Vec::with_capacity(text.len() + 2);
    quoted.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    quoted
}
