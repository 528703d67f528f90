//! Which files the page may read: those below the folder that the command was started in, and what the
//! command line named. Links are followed before that is decided.

use super::trouble::Trouble;
use axum::http::StatusCode;
use kinfold::model::world::{Disk, World};
use kinfold::model::{Source, TableError};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// How deep folders are searched for tables, and how many are listed.
const DEPTH: usize = 3;
const MOST: usize = 200;
/// How many entries of folders are looked at: the page should not wait for a large disk.
const MOST_ENTRIES: usize = 20_000;

/// Endings of tables.
const TABLES: [&str; 9] =
    [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt", ".parquet", ".arrow", ".feather", ".ipc"];

/// Where files may be.
#[derive(Debug, Clone)]
pub struct Folders {
    root: PathBuf,
    /// The table of the command line, wherever it is.
    pub table: Option<PathBuf>,
    /// The policy of the command line; the files it names are beside it.
    pub policy: Option<PathBuf>,
}

/// A table that could be opened.
#[derive(Debug, Serialize)]
pub struct Listed {
    path: String,
    bytes: u64,
}

impl Folders {
    pub fn new(root: &Path, table: Option<&Path>, policy: Option<&Path>) -> io::Result<Self> {
        let full = |path: Option<&Path>| path.map(std::fs::canonicalize).transpose();
        Ok(Self { root: std::fs::canonicalize(root)?, table: full(table)?, policy: full(policy)? })
    }

    /// The folder that the command was started in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of this name, if it may be read.
    pub fn open(&self, typed: &Path) -> Result<PathBuf, Trouble> {
        let full = std::fs::canonicalize(self.root.join(typed)).map_err(|e| {
            Trouble::missing(
                format!("cannot read {}: {e}", typed.display()),
                "check the path: it starts at the folder that kinfold serve was started in",
            )
        })?;
        if !self.may_read(&full) {
            return Err(Trouble::new(
                StatusCode::FORBIDDEN,
                format!("{} is outside the folder that kinfold serve was started in", typed.display()),
                "start kinfold serve in a folder above it, or drop the file on the page",
            ));
        }
        if !full.is_file() {
            return Err(Trouble::unsuitable(
                format!("{} is not a file", typed.display()),
                "name a CSV, Parquet or Arrow file",
            ));
        }
        Ok(full)
    }

    fn may_read(&self, full: &Path) -> bool {
        let beside_policy = self.policy.as_deref().and_then(Path::parent);
        full.starts_with(&self.root)
            || self.table.as_deref() == Some(full)
            || beside_policy.is_some_and(|folder| full.starts_with(folder))
    }

    /// The path as it is typed: below the root without the root.
    pub fn shown(&self, full: &Path) -> String {
        full.strip_prefix(&self.root).unwrap_or(full).display().to_string()
    }

    /// Tables below the root, in the order of their paths.
    pub fn tables(&self) -> Vec<Listed> {
        let (mut found, mut entries) = (Vec::new(), MOST_ENTRIES);
        self.search(&self.root, DEPTH, &mut found, &mut entries);
        found
    }

    /// `left`: how many entries of folders may still be looked at.
    fn search(&self, folder: &Path, depth: usize, found: &mut Vec<Listed>, left: &mut usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let (mut folders, mut files) = (Vec::new(), Vec::new());
        for entry in entries.take(*left).flatten() {
            *left -= 1;
            let path = entry.path();
            // Links are not followed: their type is that of a link.
            match entry.file_type() {
                _ if name(&path).starts_with('.') => {}
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() => files.push(path),
                _ => {}
            }
        }
        folders.sort();
        files.sort();
        for path in files.iter().filter(|path| TABLES.iter().any(|end| name(path).ends_with(end))) {
            let Ok(meta) = path.metadata() else { continue };
            if found.len() < MOST {
                found.push(Listed { path: self.shown(path), bytes: meta.len() });
            }
        }
        for folder in folders.iter().filter(|_| depth > 1) {
            self.search(folder, depth - 1, found, left);
        }
    }
}

/// The files that a policy may name: those of the folders, and those that were dropped on the page.
#[derive(Debug)]
pub struct Reachable {
    pub folders: Folders,
    /// The session's own folder.
    pub own: PathBuf,
    /// How much may be read.
    pub disk: Disk,
}

impl Reachable {
    fn find(&self, path: &Path) -> io::Result<PathBuf> {
        let dropped = path.file_name().map(|name| self.own.join(name)).filter(|path| path.is_file());
        if let Some(path) = dropped {
            return Ok(path);
        }
        let full = std::fs::canonicalize(path)?;
        if self.folders.may_read(&full) {
            return Ok(full);
        }
        let why = "it is outside the folder that kinfold serve was started in";
        Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
    }
}

impl World for Reachable {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.disk.read(&self.find(path)?)
    }

    fn table(&self, path: &Path) -> Result<Source, TableError> {
        let full = self.find(path).map_err(|source| TableError::Io { path: path.to_owned(), source })?;
        self.disk.table(&full)
    }

    fn has(&self, path: &Path) -> bool {
        self.find(path).is_ok()
    }
}
