//! What Python hands over: tables and a policy. How to work comes as JSON, which the library reads
//! (`kinfold::Settings`).

use crate::error::not_arrow;
use arrow_array::RecordBatchReader;
use kinfold::model::call::Phase;
use kinfold::model::policy::Draft;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::{Error, Solvers};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
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

/// A policy as text, what it is called in messages, and whether it means to name every column.
#[derive(FromPyObject)]
pub struct PolicyText {
    pub text: String,
    pub name: PathBuf,
    pub complete: bool,
}

impl PolicyText {
    /// What it says, and every mistake in it.
    pub fn draft(&self) -> Draft {
        let draft = Draft::from_toml(&self.text, &self.name);
        if self.complete { draft } else { draft.incomplete() }
    }
}

/// The solvers to choose from.
pub fn catalogue() -> Solvers {
    Solvers::standard().with(kinfold_papers::SOLVERS)
}
