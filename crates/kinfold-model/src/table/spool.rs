//! Rows that wait in a temporary file, sorted into pieces: each can be read back as a table.
//!
//! A part is what one chunk gives to one piece: per column its distinct texts and a code per row, in as few
//! bytes as the number of texts allows. Names and types stay in memory. The file has no name where the system
//! has such files, and can be read by its owner alone.

use super::{Column, Gathering, Table};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// Rows on the disk, by piece.
#[derive(Debug)]
pub struct Spool<F = File> {
    file: F,
    /// The columns, without rows.
    like: Table,
    /// Piece, place in the file, rows.
    parts: Vec<(u32, u64, usize)>,
    end: u64,
}

const NO_NULL: u32 = u32::MAX;

impl<F: Read + Write + Seek> Spool<F> {
    /// A spool in this file, for tables with the columns of this one.
    pub fn new(file: F, like: &Table) -> Self {
        Self { file, like: Gathering::like(like).finish(), parts: Vec::new(), end: 0 }
    }

    /// Adds every row to the piece that it belongs to.
    pub fn add(&mut self, table: &Table, piece_of: &[u32]) -> io::Result<()> {
        let mut rows: Vec<(u32, u32)> = piece_of.iter().copied().zip(0..).collect();
        rows.sort_unstable();
        let mut bytes = Vec::new();
        for part in rows.chunk_by(|a, b| a.0 == b.0) {
            self.parts.push((part[0].0, self.end + bytes.len() as u64, part.len()));
            for column in &table.columns {
                write_cells(column, part.iter().map(|&(_, row)| column.codes[row as usize]), &mut bytes);
            }
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Reads the rows of all pieces that are meant, in the order in which they came.
    pub fn read(&mut self, meant: impl Fn(u32) -> bool) -> io::Result<Table> {
        let mut table = Gathering::like(&self.like);
        for &(_, at, rows) in self.parts.iter().filter(|part| meant(part.0)) {
            self.file.seek(SeekFrom::Start(at))?;
            let mut reader = BufReader::with_capacity(1 << 16, &mut self.file);
            let columns: io::Result<Vec<Arc<Column>>> = self
                .like
                .columns
                .iter()
                .map(|like| read_cells(&mut reader, like, rows).map(Arc::new))
                .collect();
            table.add(&Table { columns: columns?, rows, delimiter: self.like.delimiter }, 0..rows);
        }
        Ok(table.finish())
    }
}

/// Writes the texts that occur, numbered as they appear, and the number of every row's.
fn write_cells(column: &Column, codes: impl Iterator<Item = u32> + Clone, out: &mut Vec<u8>) {
    let mut number = vec![u32::MAX; column.distinct()];
    let mut texts: Vec<u32> = Vec::new();
    for code in codes.clone() {
        let number = &mut number[code as usize];
        if *number == u32::MAX {
            *number = texts.len() as u32;
            texts.push(code);
        }
    }
    let null = column.null.map_or(NO_NULL, |null| number[null as usize]);
    out.extend((texts.len() as u32).to_le_bytes());
    out.extend(null.to_le_bytes());
    texts.iter().for_each(|&code| out.extend((column.text(code).len() as u32).to_le_bytes()));
    texts.iter().for_each(|&code| out.extend(column.text(code).as_bytes()));
    let width = width(texts.len());
    codes.for_each(|code| out.extend(&number[code as usize].to_le_bytes()[..width]));
}

/// Bytes that hold the numbers of so many texts.
fn width(texts: usize) -> usize {
    match texts {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

fn read_cells(reader: &mut impl Read, like: &Column, rows: usize) -> io::Result<Column> {
    let mut word = [0; 4];
    let mut next = |reader: &mut dyn Read| reader.read_exact(&mut word).map(|()| u32::from_le_bytes(word));
    let (texts, null) = (next(reader)?, next(reader)?);
    let lengths: Vec<u32> = (0..texts).map(|_| next(reader)).collect::<io::Result<_>>()?;
    let mut dictionary = super::Dictionary::default();
    let mut text = Vec::new();
    let damaged = |_| io::Error::from(io::ErrorKind::InvalidData);
    for length in lengths {
        text.resize(length as usize, 0);
        reader.read_exact(&mut text)?;
        dictionary.add(std::str::from_utf8(&text).map_err(damaged)?);
    }
    let width = width(texts as usize);
    let mut bytes = vec![0; rows * width];
    reader.read_exact(&mut bytes)?;
    let code = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |code, &byte| code << 8 | u32::from(byte));
    let codes: Vec<u32> = bytes.chunks_exact(width).map(code).collect();
    if codes.iter().any(|&code| code >= texts) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let null = (null != NO_NULL).then_some(null);
    Ok(Column { codes, dictionary, null, ..like.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_as_they_were() {
        let rows: Vec<Vec<String>> = (0..2000)
            .map(|i| vec![format!("t{}", i * 7 % 300), (i % 5).to_string(), String::new()])
            .collect();
        let cells: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let names = ["many", "few", "empty"];
        let all = Table::from_cells(&names, &cells).unwrap();
        let mut spool = Spool::new(tempfile::tempfile().unwrap(), &all);
        for chunk in cells.chunks(700) {
            let table = Table::from_cells(&names, chunk).unwrap();
            let few = table.column("few").unwrap();
            let piece_of: Vec<u32> = few.codes().iter().map(|&c| few.text(c).parse().unwrap()).collect();
            spool.add(&table, &piece_of).unwrap();
        }
        let read = |meant: &dyn Fn(u32) -> bool, spool: &mut Spool| -> Vec<Vec<String>> {
            let table = spool.read(meant).unwrap();
            let text = |row: usize| move |c: &Arc<Column>| c.text(c.codes()[row]).to_owned();
            (0..table.rows()).map(|row| table.columns().iter().map(text(row)).collect()).collect()
        };
        let of = |pieces: &[&str]| -> Vec<Vec<String>> {
            rows.iter().filter(|row| pieces.contains(&row[1].as_str())).cloned().collect()
        };
        assert_eq!(read(&|piece| piece == 3, &mut spool), of(&["3"]));
        let mut two = read(&|piece| piece == 0 || piece == 4, &mut spool);
        let mut both = of(&["0", "4"]);
        two.sort();
        both.sort();
        assert_eq!(two, both);
        assert!(read(&|piece| piece == 9, &mut spool).is_empty());
    }
}
