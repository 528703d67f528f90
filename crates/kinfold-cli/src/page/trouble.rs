//! What goes wrong, as the page shows it: what, what to try, and for policies every mistake with its line.

use super::session::Session;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use kinfold::Error;
use kinfold::model::{Hint, Mistake, Mistakes};
use serde::Serialize;

/// Why a request has no answer.
#[derive(Debug, Clone, Serialize)]
pub struct Trouble {
    #[serde(skip)]
    status: StatusCode,
    what: String,
    hint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mistakes: Vec<MistakeReport>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopped: bool,
}

/// A mistake in a policy.
#[derive(Debug, Clone, Serialize)]
pub struct MistakeReport {
    pub what: String,
    hint: Option<String>,
    /// The line of the policy, counted from 1.
    line: Option<usize>,
}

impl Trouble {
    pub fn new(status: StatusCode, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, what: what.into(), hint: Some(hint.into()), mistakes: Vec::new(), stopped: false }
    }

    /// Something that was asked for and is not there.
    pub fn missing(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what, hint)
    }

    /// Something that makes no sense now.
    pub fn unsuitable(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, what, hint)
    }

    /// A fault of this program or of the machine.
    pub fn fault(what: impl Into<String>) -> Self {
        let hint = "try again; if it stays, restart kinfold serve";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, what, hint)
    }

    /// The same without the folders that the user did not type.
    pub fn without(mut self, session: &Session) -> Self {
        self.what = session.short(&self.what);
        for mistake in &mut self.mistakes {
            mistake.what = session.short(&mistake.what);
        }
        self
    }
}

impl From<Error> for Trouble {
    fn from(e: Error) -> Self {
        let mistakes = match &e {
            Error::Policy(mistakes) => reported(mistakes),
            _ => Vec::new(),
        };
        let what = match mistakes.as_slice() {
            [] => e.to_string(),
            [only] => only.what.clone(),
            several => format!("the policy has {} mistakes", several.len()),
        };
        let hint = e.hint().as_ref().map(in_words).or_else(|| mistakes.first()?.hint.clone());
        let stopped = matches!(e, Error::Stopped);
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, what, hint, mistakes, stopped }
    }
}

/// All mistakes, each with its line.
pub fn reported(mistakes: &Mistakes) -> Vec<MistakeReport> {
    let report = |mistake: &Mistake| MistakeReport {
        what: mistake.what.clone(),
        hint: mistake.hint.as_ref().map(in_words),
        line: mistakes.line(mistake),
    };
    mistakes.list.iter().map(report).collect()
}

/// A hint as the page words it: a setting is a line of the policy, an action a step of the page.
pub fn in_words(hint: &Hint) -> String {
    hint.say(|name, value| match (name, value) {
        ("inspect" | "draft", _) => "step 2".to_owned(),
        ("certify", _) => "step 5".to_owned(),
        ("solvers" | "verify", _) => format!("kinfold {name}"),
        // What only the command can set.
        ("max_memory" | "delimiter" | "encoding", _) => {
            format!("kinfold serve --{} {}", name.replace('_', "-"), value.unwrap_or("…"))
        }
        (name, Some(value)) => format!("{name} = {value}"),
        (name, None) => name.to_owned(),
    })
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        (self.status, Json(serde_json::json!({ "error": self }))).into_response()
    }
}
