//! Why a call of the library has no answer. Every error says what is wrong and, where it can, what to try; a
//! front end shows it once, in its own words for settings.

use crate::bounds::NoBound;
use crate::{Short, SolveError, Stopped, WriteError};
use kinfold_model::encode::EncodeError;
use kinfold_model::problem::Impossible;
use kinfold_model::verify::VerifyError;
use kinfold_model::{Hint, Mistakes, Policy, TableError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A table cannot be read.
    #[error(transparent)]
    Table(TableError),
    /// The table that a release is compared with cannot be read.
    #[error("the original: {0}")]
    Original(TableError),
    /// The policy has mistakes, or does not fit the table.
    #[error(transparent)]
    Policy(#[from] Mistakes),
    /// No release can fulfil the policy.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// Earlier releases leave fewer than k people together, and not all of those may be withheld.
    #[error("{0}")]
    Overlaid(Short),
    /// No solver has an answer.
    #[error(transparent)]
    Solve(SolveError),
    /// There is no bound.
    #[error(transparent)]
    Bound(NoBound),
    /// A file cannot be written.
    #[error("cannot write {path}: {error}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system or the format said.
        error: WriteError,
    },
    /// A file cannot be given its name, and others that have theirs could not be taken back.
    #[error("cannot write {path}: {error}; in place already: {}", listed(in_place), path = path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
        /// The files that stay.
        in_place: Vec<PathBuf>,
    },
    /// The verifier refused a release: a fault of this program. Nothing was written.
    #[error("the verifier refused the release, and it was not written: {0}")]
    Refused(String),
    /// Something was asked of a release that is not safe.
    #[error("this release is not safe: no map is drawn")]
    Unsafe,
    /// What was asked for makes no sense here.
    #[error("{what}")]
    Unsuitable {
        /// What is wrong.
        what: String,
        /// What to try.
        hint: Option<Hint>,
    },
    /// The user stopped the work. Nothing was written.
    #[error("stopped; nothing was written")]
    Stopped,
}

impl Error {
    /// Something that makes no sense, and what to try.
    pub fn unsuitable(what: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::Unsuitable { what: what.into(), hint: Some(hint.into()) }
    }

    /// The same, with what it is about.
    pub(crate) fn about(self, whom: &str) -> Self {
        match self {
            Self::Unsuitable { what, hint } => Self::Unsuitable { what: format!("{whom}: {what}"), hint },
            other => other,
        }
    }

    /// Refuses the first of these that is the case: what is wrong, and what to try.
    pub(crate) fn refuse(
        list: impl IntoIterator<Item = (bool, impl Into<String>, &'static str)>,
    ) -> Result<(), Self> {
        match list.into_iter().find(|(is_so, ..)| *is_so) {
            Some((_, what, hint)) => Err(Self::unsuitable(what, hint)),
            None => Ok(()),
        }
    }

    /// A file that cannot be written.
    pub fn write(path: &Path, error: impl Into<WriteError>) -> Self {
        Self::Write { path: path.to_owned(), error: error.into() }
    }

    /// A file that cannot be given its name after others got theirs.
    pub(crate) fn unfinished(path: &Path, error: std::io::Error, in_place: Vec<PathBuf>) -> Self {
        match in_place.is_empty() {
            true => Self::write(path, error),
            false => Self::Unfinished { path: path.to_owned(), error, in_place },
        }
    }

    /// Mistakes that a table brings to light point into the policy's file, too.
    pub(crate) fn in_policy(self, policy: &Policy) -> Self {
        match self {
            Self::Policy(mistakes) => Self::Policy(mistakes.within(&policy.sources)),
            other => other,
        }
    }

    /// What to try.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::Table(e) | Self::Original(e) => e.hint(),
            Self::Impossible(e) => e.hint(),
            Self::Overlaid(short) => Some(short.hint()),
            Self::Solve(e) => e.hint(),
            Self::Bound(_) => Some("a release can do without one: {bound=none}".into()),
            Self::Write { error: WriteError::Io(e), .. } => match e.kind() {
                ErrorKind::StorageFull => {
                    Some("free disk space, or write elsewhere; nothing was left behind".into())
                }
                ErrorKind::NotFound => Some("does the folder exist?".into()),
                ErrorKind::IsADirectory => Some("name a file in it".into()),
                _ => None,
            },
            Self::Unfinished { .. } => Some("delete what is in place, or run it again".into()),
            Self::Refused(_) => Some(
                "this is a bug in kinfold: please report it, with the command but without the table".into(),
            ),
            Self::Unsafe => Some("run {verify} for the reasons".into()),
            Self::Unsuitable { hint, .. } => hint.clone(),
            Self::Policy(_) | Self::Write { .. } | Self::Stopped => None,
        }
    }
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl From<Stopped> for Error {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl From<TableError> for Error {
    fn from(e: TableError) -> Self {
        match e {
            TableError::Stopped(_) => Self::Stopped,
            e => Self::Table(e),
        }
    }
}

impl From<EncodeError> for Error {
    fn from(e: EncodeError) -> Self {
        match e {
            EncodeError::Stopped(_) => Self::Stopped,
            EncodeError::Policy(e) => Self::Policy(e),
            EncodeError::Impossible(e) => Self::Impossible(e),
            e => Self::Unsuitable { what: e.to_string(), hint: None },
        }
    }
}

impl From<SolveError> for Error {
    fn from(e: SolveError) -> Self {
        match e {
            SolveError::Stopped(_) => Self::Stopped,
            e => Self::Solve(e),
        }
    }
}

impl From<NoBound> for Error {
    fn from(e: NoBound) -> Self {
        match e {
            NoBound::Stopped(_) => Self::Stopped,
            e => Self::Bound(e),
        }
    }
}

impl From<VerifyError> for Error {
    fn from(e: VerifyError) -> Self {
        match e {
            VerifyError::Table(e) => e.into(),
            VerifyError::Policy(e) => Self::Policy(e),
            VerifyError::Original(e) => e.into(),
            VerifyError::Stopped(_) => Self::Stopped,
            VerifyError::Untrue(why) => Self::Refused(why.to_string()),
            e => Self::Unsuitable { what: e.to_string(), hint: None },
        }
    }
}
