//! What Python hands over: tables, a policy, and how to work.

use crate::error::{not_arrow, usage};
use arrow_array::RecordBatchReader;
use kinfold::bounds::Strength;
use kinfold::model::call::{Call, Phase};
use kinfold::model::policy::Draft;
use kinfold::model::table::{Limits, ReadOptions, Source};
use kinfold::{Choice, Effort, Error, Options, ReportOptions, RiskOptions, Solvers};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

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
    pub drop_rest: bool,
}

impl PolicyText {
    /// What it says, and every mistake in it.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::from_toml(&self.text, &self.name);
        if !self.complete {
            draft = draft.incomplete();
        }
        if self.drop_rest {
            draft.drop_rest();
        }
        draft
    }
}

/// How to work, as JSON; what is not said is as the library has it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct How {
    pub effort: Option<String>,
    pub seed: u64,
    pub threads: Option<usize>,
    /// Seconds.
    pub time_limit: Option<f64>,
    pub solver: Option<String>,
    pub bound: Option<String>,
    pub keep_order: bool,
    pub others_ok: bool,
    pub lookup: bool,
    pub refuse: bool,
    pub improve: bool,
    pub solvers: Vec<String>,
    pub efforts: Vec<String>,
    pub missing: Option<Vec<String>>,
    pub threshold: Option<Vec<f64>>,
    pub population_size: Option<u64>,
    pub sampling_fraction: Option<f64>,
    pub sets: Option<usize>,
    pub target: Option<String>,
    pub curve: bool,
    pub delimiter: Option<char>,
    pub encoding: Option<String>,
    pub max_memory: Option<usize>,
}

impl How {
    /// Reads it.
    pub fn parse(json: &str) -> Result<Self, Error> {
        serde_json::from_str(json).map_err(|e| usage(format!("an option makes no sense: {e}"), ""))
    }

    /// How a table is read.
    pub fn reading(&self, call: &Call) -> Result<ReadOptions, Error> {
        let delimiter = self.delimiter.map(|c| {
            u8::try_from(c).map_err(|_| usage("the delimiter is not a single byte", "use {delimiter=;}"))
        });
        let mut limits = Limits::default();
        limits.memory = self.max_memory.unwrap_or(limits.memory);
        Ok(ReadOptions {
            delimiter: delimiter.transpose()?,
            encoding: self.encoding.clone(),
            limits,
            call: call.clone(),
            ..ReadOptions::default()
        })
    }

    /// How the library is to work.
    pub fn options(&self, call: &Call) -> Result<Options, Error> {
        let mut options = Options::default();
        options.effort = self.effort.as_deref().map_or(Ok(options.effort), effort)?;
        options.seed = self.seed;
        options.threads = self.threads;
        options.time_limit = self.time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        options.solver = self.solver.as_deref().map_or(Ok(Choice::Auto), |name| catalogue().choice(name))?;
        options.bound = self.bound.as_deref().map_or(Ok(options.bound), strength)?;
        options.keep_order = self.keep_order;
        options.lookup = self.lookup;
        options.refuse = self.refuse;
        options.limits = self.reading(call)?.limits;
        options.call = call.clone();
        Ok(options)
    }
}

impl How {
    /// What is asked of the risk.
    pub fn risk<'a>(&self) -> RiskOptions<'a> {
        let mut options = RiskOptions::default();
        options.thresholds = self.threshold.clone().unwrap_or(options.thresholds);
        options.subset_columns = self.sets.unwrap_or(options.subset_columns);
        (options.population_size, options.sampling_fraction) = (self.population_size, self.sampling_fraction);
        options
    }

    /// What a report for people is to say.
    pub fn report<'a>(&self) -> ReportOptions<'a> {
        let mut options = ReportOptions::default();
        (options.risk, options.target, options.curve) = (self.risk(), self.target.clone(), self.curve);
        options
    }
}

/// The solvers to choose from.
pub fn catalogue() -> Solvers {
    Solvers::standard().with(kinfold_papers::SOLVERS)
}

/// The effort of that name.
pub fn effort(word: &str) -> Result<Effort, Error> {
    let all = [Effort::Quick, Effort::Normal, Effort::Deep];
    all.into_iter()
        .find(|effort| effort.word() == word)
        .ok_or_else(|| usage(format!("unknown effort {word:?}"), "use one of quick, normal, deep"))
}

fn strength(word: &str) -> Result<Strength, Error> {
    match word {
        "none" => Ok(Strength::None),
        "quick" => Ok(Strength::Quick),
        "lp" => Ok(Strength::Lp),
        _ => Err(usage(format!("unknown bound {word:?}"), "use one of none, quick, lp")),
    }
}
