//! Errors of the library as exceptions of the package, in Python's words.

use kinfold::Error;
use kinfold::model::{Hint, Mistakes};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The exception for an error.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let hint = error.hint().map(|hint| in_python(&hint));
    let class = match error {
        Error::Stopped => return PyKeyboardInterrupt::new_err("stopped"),
        Error::Policy(mistakes) => return exception(py, "PolicyError", (told(mistakes),)),
        Error::Table(_) | Error::Original(_) => "TableError",
        Error::Impossible(_) | Error::Overlaid(_) => "ImpossibleError",
        Error::Solve(_) | Error::Bound(_) => "SolverError",
        Error::Write { .. } => "OutputError",
        Error::Refused(_) => "InternalError",
        _ => "UsageError",
    };
    exception(py, class, (error.to_string(), hint))
}

/// A fault of this program.
pub fn internal(py: Python<'_>, what: &str) -> PyErr {
    let hint = "this is a bug in kinfold: please report it, with the call but without the table";
    exception(py, "InternalError", (what, hint))
}

/// A frame that does not stream Arrow as it should. What others say of it may show cells.
pub fn not_arrow(py: Python<'_>, error: PyErr) -> PyErr {
    let ours = py.import("kinfold._errors").and_then(|errors| errors.getattr("Error"));
    match ours {
        Ok(ours) if !error.is_instance(py, &ours) => {
            let hint = "does every column have a name of its own and values of one type?";
            exception(py, "TableError", ("the frame cannot be read as Arrow", hint))
        }
        _ => error,
    }
}

/// Something that makes no sense.
pub fn usage(what: impl Into<String>, hint: impl Into<Hint>) -> Error {
    Error::unsuitable(what, hint)
}

/// An exception of this class, which Python code defines.
fn exception<'py>(py: Python<'py>, class: &str, args: impl PyCallArgs<'py>) -> PyErr {
    let made = py.import("kinfold._errors").and_then(|errors| errors.getattr(class)?.call1(args));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Every mistake: what is wrong, what to try, and the line of the policy's text, counted from 1.
fn told(mistakes: &Mistakes) -> Vec<(String, Option<String>, Option<usize>)> {
    let one = |mistake: &kinfold::model::policy::Mistake| {
        (mistake.what.clone(), mistake.hint.as_ref().map(in_python), mistakes.line(mistake))
    };
    mistakes.list.iter().map(one).collect()
}

/// A hint as Python words it.
pub fn in_python(hint: &Hint) -> String {
    hint.say(keyword)
}

/// A setting as a keyword, an action as a function.
fn keyword(name: &str, value: Option<&str>) -> String {
    match (name, value) {
        ("inspect", _) => "kinfold.inspect(table)".to_owned(),
        ("draft", _) => "kinfold.inspect(table).policy".to_owned(),
        ("certify" | "solvers" | "verify", _) => format!("kinfold.{name}"),
        ("drop_rest" | "keep_order" | "refuse", _) => format!("{name}=True"),
        ("lookup", Some(_)) => "lookup=True".to_owned(),
        (name, None) => format!("{name}="),
        (name, Some(value)) => format!("{name}={}", literal(name, value)),
    }
}

/// A value as Python writes it: a number, a list of columns, a model of a column, a text.
fn literal(name: &str, value: &str) -> String {
    let quoted = |text: &str| format!("{:?}", text.trim_matches('\''));
    let listed = |text: &str| format!("[{}]", text.split(',').map(quoted).collect::<Vec<_>>().join(", "));
    match name {
        _ if value.parse::<f64>().is_ok() => value.to_owned(),
        "diversity" | "closeness" | "likeness" | "disclosure" => match value.split_once('=') {
            Some((column, model)) => format!("{{{}: {}}}", quoted(column), literal("", model)),
            None => quoted(value),
        },
        "quasi" => listed(value),
        "identifier" | "person" | "sensitive" | "keep" | "drop" | "acknowledge" => format!("[{value:?}]"),
        _ => quoted(value),
    }
}
