//! Where results go: names that mean standard output, and files that must not be overwritten.

use crate::failure::Failure;
use kinfold::Destination;
use kinfold::model::Call;
use std::path::{Path, PathBuf};

/// A file, or standard output for `-`; made sure of before any work is done.
pub fn open(path: &Path, call: &Call) -> Result<Destination, Failure> {
    Ok(if is_stdio(path) { Destination::stdout(call)? } else { Destination::file(path, call)? })
}

/// The same for a file that may not be wanted.
pub fn open_if(path: Option<&Path>, call: &Call) -> Result<Option<Destination>, Failure> {
    path.map(|path| open(path, call)).transpose()
}

/// The file with this text in it, which lacks only its name.
pub fn filled(mut file: Destination, text: &str) -> Result<Destination, Failure> {
    file.write(text.as_bytes())?;
    Ok(file)
}

/// Gives a file its name, after all that may fail.
pub fn commit_if(file: Option<Destination>) -> Result<(), Failure> {
    Ok(file.map_or(Ok(()), Destination::commit)?)
}

/// Makes sure that a chart can be written and is no file that is read, before any work is done.
pub fn open_chart<'a>(
    path: &Path,
    inputs: impl Iterator<Item = &'a PathBuf>,
    call: &Call,
) -> Result<Destination, Failure> {
    if path.extension().is_some_and(|e| !e.eq_ignore_ascii_case("svg")) {
        return Err(Failure::usage(
            format!("cannot write {}: a chart is an SVG picture", path.display()),
            "name it .svg; browsers show it, and print it as anything else",
        ));
    }
    for input in inputs {
        refuse_reading(Some(path), "the chart", input)?;
    }
    open(path, call)
}

/// Refuses to write over a file that is read.
pub fn refuse_reading(output: Option<&Path>, what: &str, input: &Path) -> Result<(), Failure> {
    match output.filter(|o| !is_stdio(o) && same(o, input)) {
        Some(o) => Err(Failure::usage(
            format!("{what} {} is also read", o.display()),
            "give it another name: input files are not overwritten",
        )),
        None => Ok(()),
    }
}

/// Refuses to write two things to one place.
pub fn refuse_sharing(a: Option<&Path>, b: Option<&Path>, what: &str) -> Result<(), Failure> {
    match (a, b) {
        (Some(a), Some(b)) if is_stdio(a) && is_stdio(b) => Err(Failure::usage(
            format!("{what} cannot both go to standard output"),
            "write one of them to a file",
        )),
        (Some(a), Some(b)) if !is_stdio(a) && !is_stdio(b) && same(a, b) => {
            Err(Failure::usage(format!("{what} cannot both go to {}", a.display()), "give one another name"))
        }
        _ => Ok(()),
    }
}

/// Whether something goes to standard output; refused beside `--json`, which goes there too.
pub fn alone_on_stdout(output: Option<&Path>, what: &str, json: bool) -> Result<bool, Failure> {
    let to_stdout = output.is_some_and(is_stdio);
    if json && to_stdout {
        return Err(Failure::usage(
            format!("{what} and --json cannot both go to standard output"),
            format!("write {what} to a file"),
        ));
    }
    Ok(to_stdout)
}

/// Whether a name means standard input or output.
pub fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether two names lead to the same file, now or once both are written.
fn same(a: &Path, b: &Path) -> bool {
    // Standard input may well be a file.
    let b = if is_stdio(b) { Path::new("/dev/stdin") } else { b };
    match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b || same_file(&a, &b),
        (Err(_), Err(_)) => match (future_path(a), future_path(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        },
        _ => false,
    }
}

/// The full name of a file that is not there yet.
fn future_path(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(std::fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

#[cfg(unix)]
fn same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(_: &Path, _: &Path) -> bool {
    false
}
