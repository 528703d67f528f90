//! What Python hands over: tables and a policy. How to work comes as JSON, which the library reads
//! (`kinfold::Settings`).

use crate::error::{not_arrow, raised};
use arrow_array::RecordBatchReader;
use kinfold::model::Policy;
use kinfold::model::call::Phase;
use kinfold::model::judge::WITHHELD;
use kinfold::model::policy::Draft;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::{Error, GroupsFile, Settings, Solvers};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use std::ops::Deref;
use std::path::PathBuf;

/// A table: a file, or what an object streams as Arrow.
pub enum Input {
    Path(PathBuf),
    Stream(Box<dyn RecordBatchReader + Send>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Input {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<PathBuf>() {
            Ok(path) => Ok(Self::Path(path)),
            Err(_) => {
                let stream = object.extract::<PyRecordBatchReader>().and_then(|stream| stream.into_reader());
                Ok(Self::Stream(stream.map_err(|error| not_arrow(object.py(), error))?))
            }
        }
    }
}

impl Input {
    /// Opens it: its columns are known, its rows are not read yet.
    pub fn open(self, reading: &ReadOptions) -> Result<Source, Error> {
        reading.call.phase(Phase::Reading)?;
        Ok(match self {
            Self::Path(path) => Source::open(&path, reading)?,
            Self::Stream(reader) => Source::from_reader(reader, reading)?,
        })
    }
}

/// How to work.
pub struct How(pub Settings);

impl Deref for How {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for How {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let json: String = object.extract()?;
        Settings::from_json(&json).map(Self).map_err(|error| raised(object.py(), &error))
    }
}

/// A policy as text, what it is called in messages, and whether it means to name every column.
#[derive(FromPyObject)]
pub struct PolicyText {
    text: String,
    name: PathBuf,
    complete: bool,
    /// The columns of the table that pieces are made of; none: it is for a release, whatever its columns.
    pub columns: Vec<String>,
}

impl PolicyText {
    /// What it says, and every mistake in it.
    pub fn draft(&self) -> Draft {
        let draft = Draft::from_toml(&self.text, &self.name);
        if self.complete { draft } else { draft.incomplete() }
    }

    /// The policy for its columns.
    pub fn settled(&self) -> Result<Policy, Error> {
        let draft = self.draft();
        Ok(if self.columns.is_empty() { draft.settle()? } else { draft.settle_for(&self.columns)? })
    }
}

/// Who was in which group of an earlier release: the text of a groups file, or the groups.
#[derive(FromPyObject)]
pub enum GroupsText {
    Text(String),
    Groups(Vec<Option<u32>>),
}

impl GroupsText {
    pub fn parse(self) -> Result<GroupsFile, Error> {
        match self {
            Self::Text(text) => GroupsFile::parse(&text),
            Self::Groups(groups) => {
                Ok(GroupsFile::of(groups.into_iter().map(|group| group.unwrap_or(WITHHELD)).collect()))
            }
        }
    }
}

/// The solvers to choose from.
pub fn catalogue() -> Solvers {
    Solvers::standard().with(kinfold_papers::SOLVERS)
}
