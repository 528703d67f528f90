//! Everything that can go wrong, shown once, with what to try.

use crate::flags::key;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kinfold::Error;
use kinfold::model::policy::Spot;
use kinfold::model::{Hint, Mistakes};
use std::fmt::Display;
use std::io::Write;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The library has no answer.
    Library(Error),
    /// What was typed makes no sense.
    Usage { what: String, hint: Option<String> },
    /// A release is not safe or not true; what is wrong was already shown.
    NotSafe,
}

impl Failure {
    pub fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), hint: Some(hint.into()) }
    }

    /// 1: not safe. 2: could not tell or could not do. 130: stopped.
    pub fn code(&self) -> u8 {
        match self {
            Self::NotSafe | Self::Library(Error::Unsafe | Error::Refused(_)) => 1,
            Self::Library(Error::Stopped) => 130,
            _ => 2,
        }
    }

    pub fn show(&self) {
        match self {
            Self::NotSafe => {}
            Self::Usage { what, hint } => show(what, hint.clone()),
            Self::Library(Error::Policy(mistakes)) => show_mistakes(mistakes),
            Self::Library(e @ Error::Original(_)) => show(e, e.hint().map(|hint| hint.say(original_flag))),
            Self::Library(e) => show(e, e.hint().map(|hint| in_flags(&hint))),
        }
    }
}

/// A hint as the command words it.
pub fn in_flags(hint: &Hint) -> String {
    hint.say(flag)
}

/// A setting as a flag, an action as a command.
fn flag(name: &str, value: Option<&str>) -> String {
    let flag = match name {
        "k" => "-k".to_owned(),
        "inspect" => "kinfold inspect TABLE".to_owned(),
        "draft" => "kinfold inspect TABLE --policy-out FILE".to_owned(),
        "certify" => "certify --certificate".to_owned(),
        "solvers" | "verify" => format!("kinfold {name}"),
        "acknowledge" => {
            return format!("--set 'columns.{}.acknowledge = true'", key(value.unwrap_or("NAME")));
        }
        _ => format!("--{}", name.replace('_', "-")),
    };
    value.map_or(flag.clone(), |value| format!("{flag} {value}"))
}

/// Two tables are read: the flags that speak of the original have names of their own.
fn original_flag(name: &str, value: Option<&str>) -> String {
    match name {
        "delimiter" | "encoding" | "header" => flag(&format!("original_{name}"), value),
        _ => flag(name, value),
    }
}

fn show(what: &dyn Display, hint: Option<String>) {
    let what = what.to_string();
    print(Group::with_title(Level::ERROR.primary_title(&what)), hint);
}

fn print(mut report: Group<'_>, hint: Option<String>) {
    report = report.elements(hint.map(|hint| Level::HELP.message(hint)));
    let _ = writeln!(anstream::stderr(), "{}", Renderer::styled().render(&[report]));
}

fn show_mistakes(mistakes: &Mistakes) {
    for mistake in &mistakes.list {
        let spot = mistake.place.and_then(|place| mistakes.sources.spot(place));
        let title = match spot {
            Some(Spot::Setting(name)) => format!("{}: {}", flag(name, None), mistake.what),
            _ => mistake.what.clone(),
        };
        let mut report = Group::with_title(Level::ERROR.primary_title(&title));
        let shown = match spot {
            Some(Spot::File(path, text, span)) => Some((path.display().to_string(), text, span)),
            Some(Spot::Typed(name, text, span)) => Some((flag(name, None), text, span)),
            _ => None,
        };
        if let Some((name, text, span)) = shown {
            // A mistake about a whole table points at its first line only.
            let end = text[span.clone()].find('\n').map_or(span.end, |i| span.start + i);
            let snippet = Snippet::source(text).path(name);
            report = report.element(snippet.annotation(AnnotationKind::Primary.span(span.start..end)));
        }
        print(report, mistake.hint.as_ref().map(in_flags));
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(e: E) -> Self {
        Self::Library(e.into())
    }
}
