//! Files appear under their final name whole, or not at all: what is written goes to a temporary
//! file beside it and is renamed at the end. A device or pipe gets a copy at the end instead.

use crate::failure::Failure;
use kinfold::WriteError;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// A file in the making.
pub struct Output {
    temporary: NamedTempFile,
    target: Target,
    name: PathBuf,
}

enum Target {
    /// Renamed to this.
    File(PathBuf),
    /// Copied into this.
    Device(PathBuf),
    Stdout,
    /// Thrown away.
    Nowhere,
}

impl Output {
    /// Makes sure that the file can be written, before any work is done.
    pub fn create(path: Option<&Path>) -> Result<Self, Failure> {
        // Where a folder of its own is missing, the fault is the temporary folder's.
        let elsewhere_name = std::env::temp_dir();
        let name = path.filter(|p| !is_stdio(p)).map_or(elsewhere_name, Path::to_owned);
        let fail = |e: io::Error| Failure::write(&name, e);
        let elsewhere = || temporary(&std::env::temp_dir(), "kinfold");
        let (temporary, target) = match path {
            None => (elsewhere().map_err(fail)?, Target::Nowhere),
            Some(p) if is_stdio(p) => (elsewhere().map_err(fail)?, Target::Stdout),
            Some(p) => match p.metadata() {
                Ok(meta) if meta.is_dir() => {
                    return Err(fail(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
                }
                Ok(meta) if !meta.is_file() => (elsewhere().map_err(fail)?, Target::Device(p.to_owned())),
                _ => beside(p).map_err(fail)?,
            },
        };
        Ok(Self { temporary, target, name })
    }

    /// Where the bytes are until they have their final name.
    pub fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Writes to the temporary file.
    pub fn write(&mut self, work: impl FnOnce(&mut File) -> Result<(), WriteError>) -> Result<(), Failure> {
        work(self.temporary.as_file_mut()).map_err(|e| Failure::write(&self.name, e))
    }

    /// Gives the file its final name.
    pub fn commit(mut self) -> Result<(), Failure> {
        let name = self.name.clone();
        let fail = |e: io::Error| Failure::write(&name, e);
        match self.target {
            Target::Nowhere => Ok(()),
            Target::File(path) => {
                self.temporary.as_file_mut().sync_all().map_err(fail)?;
                let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
                unfinished.retain(|p| p != self.temporary.path());
                self.temporary.persist(&path).map_err(|e| fail(e.error))?;
                Ok(())
            }
            Target::Device(path) => {
                let mut device = File::options().write(true).open(path).map_err(fail)?;
                copy_out(self.temporary.as_file_mut(), &mut device).map_err(fail)
            }
            Target::Stdout => match copy_out(self.temporary.as_file_mut(), &mut io::stdout().lock()) {
                // A reader that has seen enough (`| head`) is no failure.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other.map_err(fail),
            },
        }
    }
}

/// A temporary file in the folder of the final one, so that renaming is one step.
fn beside(path: &Path) -> io::Result<(NamedTempFile, Target)> {
    // A link is written through: its target is replaced, not the link.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // A file that may not be written is not replaced either.
    match File::options().append(true).open(&path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((temporary(folder, &stem)?, Target::File(path)))
}

fn temporary(folder: &Path, stem: &str) -> io::Result<NamedTempFile> {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    // Opened by hand: the release should have the permissions of any new file, not those of a secret.
    tempfile::Builder::new()
        .prefix(&format!(".{stem}."))
        .suffix(".tmp")
        .make_in(folder, |p| File::options().read(true).write(true).create_new(true).open(p))
        .inspect(|file| unfinished.push(file.path().to_owned()))
}

/// Temporary files that a stop must take away.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Takes unfinished files away and ends the program. Holding the lock, it lets no file get its final name any more.
pub fn abandon() -> ! {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        // Gone already: just as well.
        let _ = std::fs::remove_file(path);
    }
    crate::progress::finish();
    Failure::Stopped.show();
    std::process::exit(i32::from(Failure::Stopped.code()))
}

fn copy_out(from: &mut File, to: &mut impl Write) -> io::Result<()> {
    from.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer)? {
            0 => return to.flush(),
            n => to.write_all(&buffer[..n])?,
        }
    }
}

/// Writes a small file whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut output = Output::create(Some(path))?;
    output.write(|out| Ok(out.write_all(bytes)?))?;
    output.commit()
}

/// Makes sure that a chart can be written and is no file that is read, before any work is done.
pub fn open_chart<'a>(path: &Path, inputs: impl Iterator<Item = &'a PathBuf>) -> Result<Output, Failure> {
    if path.extension().is_some_and(|e| !e.eq_ignore_ascii_case("svg")) {
        return Err(Failure::usage(
            format!("cannot write {}: a chart is an SVG picture", path.display()),
            "name it .svg; browsers show it, and print it as anything else",
        ));
    }
    for input in inputs {
        refuse_reading(Some(path), "the chart", input)?;
    }
    Output::create(Some(path))
}

/// Refuses to write over a file that is read.
pub fn refuse_reading(output: Option<&Path>, what: &str, input: &Path) -> Result<(), Failure> {
    match output.filter(|o| !is_stdio(o) && same(o, input)) {
        Some(o) => Err(Failure::usage(
            format!("{what} {} is also read", o.display()),
            "give it another name: nothing is overwritten that was read",
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
