//! A verified release, handed out as Arrow and written to files.

use crate::error::{raised, usage};
use crate::input::How;
use crate::job;
use crate::told::Told;
use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{Field, SchemaRef};
use kinfold::model::{Call, WITHHELD};
use kinfold::report::{Json, Language, to_html};
use kinfold::scale::Figures;
use kinfold::{Anonymized, Destination, Error, FileFormat, Files};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A release that the verifier has passed.
#[pyclass(frozen, module = "kinfold._kinfold")]
pub struct Release {
    done: Arc<Mutex<Anonymized>>,
    /// The names of all columns of the table.
    columns: Vec<String>,
    call: Call,
}

impl Release {
    pub fn new(done: Anonymized, columns: Vec<String>, call: &Call) -> Self {
        Self { done: Arc::new(Mutex::new(done)), columns, call: call.clone() }
    }

    fn done(&self) -> MutexGuard<'_, Anonymized> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The batches that the verifier passed.
fn held(done: &Anonymized) -> PyResult<(&SchemaRef, &[RecordBatch])> {
    done.batches().ok_or_else(|| PyRuntimeError::new_err("the release is not in memory"))
}

/// Batches as a stream.
fn stream<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyArrowResult<Bound<'py, PyCapsule>> {
    let field = Field::new_struct("", schema.fields().clone(), false);
    let arrays = batches.into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
    to_stream_pycapsule(py, Box::new(ArrayIterator::new(arrays, field.into())), requested_schema)
}

/// A piece of a release. It is verified with the others.
#[pyclass(frozen, module = "kinfold._kinfold")]
pub struct Piece {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    pub figures: Figures,
}

#[pymethods]
impl Piece {
    /// The piece as a stream of Arrow batches.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        stream(py, &self.schema, self.batches.clone(), requested_schema)
    }

    /// What came of it in numbers that add up over the pieces of a table, as JSON.
    fn figures(&self) -> String {
        self.figures.to_json().to_string()
    }
}

#[pymethods]
impl Release {
    /// The release as a stream of Arrow batches: those that the verifier passed.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let done = self.done();
        let (schema, batches) = held(&done)?;
        stream(py, schema, batches.to_vec(), requested_schema)
    }

    /// The schema of the release.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, held(&self.done())?.0.as_ref())
    }

    /// The names of all columns of the table.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// How it was made, with the seed, as JSON. Confidential.
    fn record(&self) -> String {
        self.done().record()
    }

    /// What came of the anonymization.
    fn report(&self) -> Told {
        Told::anonymize(&self.done().report)
    }

    /// The group of every row of the table; none for rows that are left out.
    fn groups(&self) -> Vec<Option<u32>> {
        self.done().groups().iter().map(|&group| (group != WITHHELD).then_some(group)).collect()
    }

    /// What names in the release stand for, as CSV.
    fn lookup(&self) -> Option<String> {
        self.done().lookup().map(str::to_owned)
    }

    /// What every value is published as in the columns that are coded once, as CSV. Confidential.
    fn mapping(&self, py: Python<'_>) -> PyResult<String> {
        self.done().mapping().map_err(|error| raised(py, &error))
    }

    /// The report for people as an HTML page, in the language of this code or the policy's; `how` says what it is
    /// to hold.
    fn page(&self, py: Python<'_>, language: Option<String>, how: How) -> PyResult<String> {
        let done = self.done.clone();
        job::go_on(py, &self.call, move |_| {
            let done = done.lock().unwrap_or_else(PoisonError::into_inner);
            let policy = done.policy();
            let language = match &language {
                None => policy.report.language,
                Some(code) => {
                    let codes: Vec<&str> = Language::ALL.iter().map(|known| known.code()).collect();
                    let unknown = || {
                        usage(format!("no report in {code:?}"), format!("use one of {}", codes.join(", ")))
                    };
                    *Language::ALL.iter().find(|known| known.code() == code).ok_or_else(unknown)?
                }
            };
            let options = how.report(policy);
            Ok(to_html(&done.facts(&options)?, language))
        })
    }

    /// Writes the release to a file: whole and verified, or not at all.
    #[pyo3(signature = (path, lookup=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, lookup: Option<PathBuf>) -> PyResult<()> {
        let (done, call) = (self.done.clone(), self.call.clone());
        job::go_on(py, &self.call, move |_| -> Result<(), Error> {
            let mut files = Files::default();
            files.release = Some((Destination::file(&path, &call)?, FileFormat::of(&path)?));
            files.lookup = lookup.map(|path| Destination::file(&path, &call)).transpose()?;
            done.lock().unwrap_or_else(PoisonError::into_inner).save_all(files)
        })
    }
}
