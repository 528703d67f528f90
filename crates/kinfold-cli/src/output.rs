//! Files appear under their final name whole, or not at all: what is written goes to a temporary
//! file beside it and is renamed at the end. A device or pipe gets a copy at the end instead.

use crate::failure::Failure;
use crate::input::STOP;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
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
        let name = path.map_or_else(|| PathBuf::from("(no file)"), Path::to_owned);
        let fail = |e: io::Error| Failure::write(&name, e);
        let elsewhere = || temporary(&std::env::temp_dir(), "kinfold");
        let (temporary, target) = match path {
            None => (elsewhere().map_err(fail)?, Target::Nowhere),
            Some(p) if p.as_os_str() == "-" => (elsewhere().map_err(fail)?, Target::Stdout),
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

    /// Writes; stops when the user does.
    pub fn write(
        &mut self,
        work: impl FnOnce(&mut Stoppable<'_>) -> Result<(), kinfold::WriteError>,
    ) -> Result<(), Failure> {
        let mut out = Stoppable(self.temporary.as_file_mut());
        work(&mut out).map_err(|e| Failure::write(&self.name, e))
    }

    /// Gives the file its final name.
    pub fn commit(mut self) -> Result<(), Failure> {
        let name = self.name.clone();
        let fail = |e: io::Error| Failure::write(&name, e);
        crate::input::check_stop()?;
        match self.target {
            Target::Nowhere => Ok(()),
            Target::File(path) => {
                self.temporary.as_file_mut().sync_all().map_err(fail)?;
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
    // Opened by hand: the release should have the permissions of any new file, not those of a secret.
    tempfile::Builder::new()
        .prefix(&format!(".{stem}."))
        .suffix(".tmp")
        .make_in(folder, |p| File::options().read(true).write(true).create_new(true).open(p))
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

/// A writer that fails once the user stopped the work.
pub struct Stoppable<'a>(&'a mut File);

const STOP_MARK: &str = "stopped by the user";

/// Whether an error is [`Stoppable`]'s.
pub fn is_stop(error: &io::Error) -> bool {
    error.to_string().contains(STOP_MARK)
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not `ErrorKind::Interrupted`: that one is retried.
        if STOP.load(Ordering::Relaxed) { Err(io::Error::other(STOP_MARK)) } else { self.0.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Refuses to write a file over one that is read.
pub fn refuse_same(input: &Path, output: Option<&Path>, what: &str) -> Result<(), Failure> {
    let Some(output) = output.filter(|o| o.as_os_str() != "-") else { return Ok(()) };
    let same = match (std::fs::canonicalize(input), std::fs::canonicalize(output)) {
        (Ok(a), Ok(b)) => a == b || same_file(&a, &b),
        _ => false,
    };
    if same {
        return Err(Failure::usage(
            format!("{what} {} is also read", output.display()),
            "give it another name: nothing is overwritten that was read",
        ));
    }
    Ok(())
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
