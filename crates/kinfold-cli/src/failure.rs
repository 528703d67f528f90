//! Everything that can go wrong, shown once, with what to try.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kinfold::bounds::NoBound;
use kinfold::model::encode::EncodeError;
use kinfold::model::policy::{Mistakes, Place};
use kinfold::model::problem::Impossible;
use kinfold::model::table::TableError;
use kinfold::model::verify::VerifyError;
use kinfold::{SolveError, WriteError};
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    Table(TableError),
    Policy(Mistakes),
    Impossible(Impossible),
    Solve(SolveError),
    Write {
        path: PathBuf,
        error: WriteError,
    },
    /// What was typed makes no sense.
    Usage {
        what: String,
        hint: Option<String>,
    },
    /// A release is not safe or not true; what is wrong was already shown.
    NotSafe,
    /// Something was asked of a release that is not safe.
    Unsafe,
    /// The verifier refused what anonymize wrote.
    Refused(String),
    Stopped,
}

impl Failure {
    pub fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), hint: Some(hint.into()) }
    }

    pub fn write(path: &Path, error: impl Into<WriteError>) -> Self {
        Self::Write { path: path.to_owned(), error: error.into() }
    }

    /// Mistakes found in a table point into the policy file as well.
    pub fn in_file(self, file: &Option<(String, String)>) -> Self {
        match self {
            Self::Policy(mistakes) => Self::Policy(Mistakes { file: file.clone(), ..mistakes }),
            other => other,
        }
    }

    pub fn code(&self) -> u8 {
        match self {
            Self::NotSafe | Self::Unsafe | Self::Refused(_) => 1,
            Self::Stopped => 130,
            _ => 2,
        }
    }

    pub fn show(&self) {
        match self {
            Self::Table(e) => show(e, e.hint()),
            Self::Policy(mistakes) => show_mistakes(mistakes),
            Self::Impossible(e) => show(e, e.hint()),
            Self::Solve(e) => show(e, e.hint()),
            Self::Write { path, error } => {
                let hint = match error {
                    WriteError::Io(e) if e.kind() == std::io::ErrorKind::StorageFull => {
                        Some("make room, or write elsewhere; nothing was left behind".to_owned())
                    }
                    WriteError::Io(e) if e.kind() == std::io::ErrorKind::NotFound => {
                        Some("does the folder exist?".to_owned())
                    }
                    WriteError::Io(e) if e.kind() == std::io::ErrorKind::IsADirectory => {
                        Some("name a file in it".to_owned())
                    }
                    _ => None,
                };
                show(&format!("cannot write {}: {error}", path.display()), hint);
            }
            Self::Usage { what, hint } => show(what, hint.clone()),
            Self::Refused(why) => show(
                &format!("the verifier refused the release, and it was not written: {why}"),
                Some(
                    "this is a fault of kinfold: please report it, with the command but without the table"
                        .into(),
                ),
            ),
            Self::Stopped => show(&"stopped; nothing was written", None),
            Self::Unsafe => show(
                &"this release is not safe, and no map of it is drawn",
                Some("kinfold verify says why".into()),
            ),
            Self::NotSafe => {}
        }
    }
}

fn show(what: &dyn Display, hint: Option<String>) {
    let what = what.to_string();
    let mut report = Group::with_title(Level::ERROR.primary_title(&what));
    if let Some(hint) = &hint {
        report = report.element(Level::HELP.message(hint));
    }
    let _ = writeln!(anstream::stderr(), "{}", Renderer::styled().render(&[report]));
}

fn show_mistakes(mistakes: &Mistakes) {
    for mistake in &mistakes.list {
        let title = match &mistake.place {
            Some(Place::Flag(flag)) => format!("{flag}: {}", mistake.what),
            _ => mistake.what.clone(),
        };
        let mut report = Group::with_title(Level::ERROR.primary_title(&title));
        if let (Some(Place::File(span)), Some((name, text))) = (&mistake.place, &mistakes.file) {
            // A mistake about a whole table points at its first line only.
            let end = text[span.clone()].find('\n').map_or(span.end, |i| span.start + i);
            let snippet = Snippet::source(text.as_str()).path(name.as_str());
            report = report.element(snippet.annotation(AnnotationKind::Primary.span(span.start..end)));
        }
        if let Some(hint) = &mistake.hint {
            report = report.element(Level::HELP.message(hint));
        }
        let _ = writeln!(anstream::stderr(), "{}", Renderer::styled().render(&[report]));
    }
}

impl From<TableError> for Failure {
    fn from(e: TableError) -> Self {
        match e {
            TableError::Stopped => Self::Stopped,
            e => Self::Table(e),
        }
    }
}

impl From<Mistakes> for Failure {
    fn from(e: Mistakes) -> Self {
        Self::Policy(e)
    }
}

impl From<EncodeError> for Failure {
    fn from(e: EncodeError) -> Self {
        match e {
            EncodeError::Policy(e) => Self::Policy(e),
            EncodeError::Impossible(e) => Self::Impossible(e),
        }
    }
}

impl From<SolveError> for Failure {
    fn from(e: SolveError) -> Self {
        match e {
            SolveError::Stopped(_) => Self::Stopped,
            e => Self::Solve(e),
        }
    }
}

impl From<NoBound> for Failure {
    fn from(e: NoBound) -> Self {
        match e {
            NoBound::Stopped(_) => Self::Stopped,
            e => Self::Usage {
                what: e.to_string(),
                hint: Some("anonymize does without one: --bound none".into()),
            },
        }
    }
}

impl From<VerifyError> for Failure {
    fn from(e: VerifyError) -> Self {
        match e {
            VerifyError::Table(e) => e.into(),
            VerifyError::Policy(e) => Self::Policy(e),
            VerifyError::Original(e) => e.into(),
            e => Self::Usage { what: e.to_string(), hint: None },
        }
    }
}
