//! Where the files that a policy names come from: hierarchies, maps. The command reads them from disk; a page
//! or a cluster hands them over from memory.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Supplies files by name.
pub trait World: fmt::Debug + Send + Sync {
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether there is such a file.
    fn has(&self, path: &Path) -> bool;
}

/// The files of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl World for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn has(&self, path: &Path) -> bool {
        path.exists()
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
