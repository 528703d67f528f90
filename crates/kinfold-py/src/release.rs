//! A verified release, handed out as Arrow and written to files.

use crate::error::usage;
use crate::job;
use crate::told::Told;
use arrow_array::{ArrayRef, StructArray};
use kinfold::model::call::Call;
use kinfold::model::judge::WITHHELD;
use kinfold::model::table::Table;
use kinfold::report::{Json, Language, to_html};
use kinfold::{Anonymized, Destination, Error, FileFormat, Files, Settings};
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
    /// The table that it was made from.
    table: Table,
    /// The names of all columns of the table.
    columns: Vec<String>,
    call: Call,
}

impl Release {
    pub fn new(done: Anonymized, table: Table, columns: Vec<String>, call: &Call) -> Self {
        Self { done: Arc::new(Mutex::new(done)), table, columns, call: call.clone() }
    }

    fn done(&self) -> MutexGuard<'_, Anonymized> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (schema, batches) = {
            let done = self.done();
            let (schema, batches) = done.batches();
            (schema.clone(), batches.to_vec())
        };
        let field = arrow_schema::Field::new_struct("", schema.fields().clone(), false);
        let arrays = batches.into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        to_stream_pycapsule(py, Box::new(ArrayIterator::new(arrays, field.into())), requested_schema)
    }

    /// The schema of the release.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.done().batches().0.as_ref())
    }

    /// The names of all columns of the table.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// What came of the anonymization.
    fn report(&self) -> Told {
        Told::anonymize(&self.done().report)
    }

    /// What came of it in numbers that add up over the pieces of a table, as JSON.
    fn figures(&self) -> String {
        self.done().figures().to_json().to_string()
    }

    /// The group of every row of the table; none for rows that are left out.
    fn groups(&self) -> Vec<Option<u32>> {
        self.done().groups().iter().map(|&group| (group != WITHHELD).then_some(group)).collect()
    }

    /// What names in the release stand for, as CSV.
    fn lookup(&self) -> Option<String> {
        self.done().lookup().map(str::to_owned)
    }

    /// The report for people as an HTML page, in the language of this code or the policy's; `how` says what it is
    /// to hold.
    fn page(&self, py: Python<'_>, language: Option<String>, how: String) -> PyResult<String> {
        let (done, table) = (self.done.clone(), self.table.clone());
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
            let options = Settings::from_json(&how)?.report(policy);
            Ok(to_html(&done.facts(&table, &options)?, language))
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
