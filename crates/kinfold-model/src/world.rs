//! Where the files that a policy names come from: hierarchies, maps. The command reads them from disk; a page
//! or a cluster hands them over from memory.

use crate::table::{Limits, ReadOptions, Source, TableError, human_bytes};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Supplies files by name.
pub trait World: fmt::Debug + Send + Sync {
    /// The bytes of a text file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether there is such a file.
    fn has(&self, path: &Path) -> bool;

    /// Opens a table.
    fn table(&self, path: &Path) -> Result<Source, TableError> {
        let bytes = self.read(path).map_err(|source| TableError::Io { path: path.to_owned(), source })?;
        Source::from_bytes(bytes, &ReadOptions::default())
    }
}

/// The files of this machine. Text files beside the table may take an eighth of the memory: their values take
/// several times their bytes.
#[derive(Debug, Clone, Copy)]
pub struct Disk {
    memory: usize,
}

impl Default for Disk {
    fn default() -> Self {
        Self::within(Limits::default().memory)
    }
}

impl Disk {
    /// Files that fit this memory.
    pub fn within(memory: usize) -> Self {
        Self { memory }
    }

    /// The text of a file.
    pub fn text(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?).map_err(|_| not_text())
    }
}

impl World for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_text(File::open(path)?, self.memory / 8)
    }

    fn has(&self, path: &Path) -> bool {
        path.exists()
    }

    fn table(&self, path: &Path) -> Result<Source, TableError> {
        let limits = Limits { memory: self.memory, ..Limits::default() };
        // Standard input is the table's alone.
        let path = if path.as_os_str() == "-" { Path::new("./-") } else { path };
        Source::open(path, &ReadOptions { limits, ..ReadOptions::default() })
    }
}

fn not_text() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text")
}

/// Reads a text. What has no end, or is no text, is refused before it fills the memory.
fn read_text(mut reader: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        let before = text.len();
        reader.by_ref().take(1 << 16).read_to_end(&mut text)?;
        if text.len() == before {
            return Ok(text);
        }
        // A label may have a NUL in it. What has them by the dozen is no text, or has no end.
        let read = &text[before..];
        if read.iter().filter(|&&byte| byte == 0).count() * 4 > read.len() {
            return Err(not_text());
        }
        if text.len() > most {
            let what =
                format!("it is larger than {}, an eighth of the memory that may be used", human_bytes(most));
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
    }
}

/// Files in memory, and no others.
impl World for BTreeMap<PathBuf, Vec<u8>> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn has(&self, path: &Path) -> bool {
        self.contains_key(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused() {
        let refused = |reader: &mut dyn Read| read_text(reader, 1 << 20).unwrap_err();
        assert_eq!(refused(&mut io::repeat(0)).kind(), io::ErrorKind::InvalidData);
        assert_eq!(refused(&mut &b"w\0i\0d\0e\0"[..]).kind(), io::ErrorKind::InvalidData);
        assert_eq!(read_text(&b"name,set\na\0,{b}\n"[..], 1 << 20).unwrap().len(), 16);
        let endless = refused(&mut io::repeat(b'a'));
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(endless.to_string(), "it is larger than 1 MiB, an eighth of the memory that may be used");
        assert_eq!(read_text(&b"a;b\n"[..], 4).unwrap(), b"a;b\n");
    }
}
