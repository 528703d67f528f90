//! Files appear under their final name whole, or not at all: what is written goes to a temporary file beside
//! it and is renamed at the end. A device, a pipe or standard output gets a copy at the end instead.

use crate::document::sha256;
use crate::error::Error;
use crate::publish::{Release, WriteError};
use crate::report::{Facts, FileFacts, Json, Language, to_html};
use kinfold_model::call::Call;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The files that come of an anonymization: all of them, or none.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Files {
    /// The release.
    pub release: Option<(Destination, FileFormat)>,
    /// The group of every row.
    pub groups: Option<Destination>,
    /// What names in the release stand for.
    pub lookup: Option<Destination>,
    /// What was learned from the table.
    pub frame: Option<Destination>,
    /// The report for people.
    pub report: Option<ReportFiles>,
}

/// The report for people, to be written beside a release.
#[derive(Debug)]
pub struct ReportFiles {
    /// The page.
    pub page: Destination,
    /// Its figures, as JSON.
    pub figures: Option<Destination>,
    /// What it states.
    pub facts: Facts,
    /// The language it is written in.
    pub language: Language,
}

impl ReportFiles {
    /// Writes the report; of a release with this many rows, if there is one.
    pub(crate) fn write(&mut self, release: Option<&Destination>, rows: usize) -> Result<(), Error> {
        if let Some(release) = release {
            let file = File::open(release.temporary_path()).and_then(sha256);
            let hash = file.map_err(|e| Error::write(&release.name, e))?;
            let name = match &release.target {
                Target::File(path) | Target::Device(path) => path.file_name().unwrap_or_default(),
                Target::Stdout | Target::Nowhere => "–".as_ref(),
            };
            let name = name.to_string_lossy().into_owned();
            self.facts.release = Some(FileFacts { name, rows: Some(rows), sha256: Some(hash) });
        }
        self.page.write(to_html(&self.facts, self.language).as_bytes())?;
        if let Some(figures) = &mut self.figures {
            figures.write(format!("{:#}\n", self.facts.to_json()).as_bytes())?;
        }
        Ok(())
    }

    /// Writes the report and gives its files their names.
    pub fn save(mut self) -> Result<(), Error> {
        self.write(None, 0)?;
        [Some(self.page), self.figures].into_iter().flatten().try_for_each(Destination::commit)
    }
}

/// What a release is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// Text with this delimiter (none: that of the table), gzipped or not.
    Csv {
        /// The delimiter.
        delimiter: Option<u8>,
        /// Whether it is gzipped.
        gzip: bool,
    },
    /// Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

impl Default for FileFormat {
    fn default() -> Self {
        Self::Csv { delimiter: None, gzip: false }
    }
}

impl FileFormat {
    /// The format that a file's name tells.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let extension =
            |p: &Path| p.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let gzip = extension(path) == "gz";
        let inner =
            if gzip { extension(Path::new(path.file_stem().unwrap_or_default())) } else { extension(path) };
        match (inner.as_str(), gzip) {
            ("csv" | "txt" | "", gzip) => Ok(Self::Csv { delimiter: None, gzip }),
            ("tsv" | "tab", gzip) => Ok(Self::Csv { delimiter: Some(b'\t'), gzip }),
            ("parquet", false) => Ok(Self::Parquet),
            ("arrow" | "feather" | "ipc", false) => Ok(Self::Arrow),
            ("parquet" | "arrow" | "feather" | "ipc", true) => Err(Error::unsuitable(
                format!(".{inner} is not written gzipped"),
                "the format is compressed already: remove .gz",
            )),
            _ => Err(Error::unsuitable(
                format!("cannot write {}: no format of that name", path.display()),
                "name it .csv, .csv.gz, .tsv, .parquet or .arrow",
            )),
        }
    }

    /// The delimiter of text: its own, or that of the table.
    pub(crate) fn delimiter(self, release: &Release) -> u8 {
        match self {
            Self::Csv { delimiter: Some(delimiter), .. } => delimiter,
            _ => release.delimiter(),
        }
    }

    pub(crate) fn write(self, release: &Release, file: &mut (impl Write + Send)) -> Result<(), WriteError> {
        match self {
            Self::Csv { gzip: false, .. } => release.write_delimited(self.delimiter(release), file),
            Self::Csv { gzip: true, .. } => {
                let mut gz = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
                release.write_delimited(self.delimiter(release), &mut gz)?;
                Ok(gz.finish()?.flush()?)
            }
            #[cfg(feature = "columnar")]
            Self::Parquet => release.write_parquet(file),
            #[cfg(feature = "columnar")]
            Self::Arrow => release.write_arrow(&mut io::BufWriter::new(file)),
            #[cfg(not(feature = "columnar"))]
            _ => Err(WriteError::Format("this build writes no Parquet or Arrow".into())),
        }
    }
}

/// A file in the making.
#[derive(Debug)]
pub struct Destination {
    temporary: NamedTempFile,
    target: Target,
    name: PathBuf,
    call: Call,
}

#[derive(Debug)]
enum Target {
    /// Renamed to this.
    File(PathBuf),
    /// Copied into this.
    Device(PathBuf),
    Stdout,
    /// Only looked at; see [`Destination::copy_to`].
    Nowhere,
}

impl Destination {
    /// Makes sure that the file can be written, before any work is done. If the call is abandoned, nothing is
    /// left behind.
    pub fn file(path: &Path, call: &Call) -> Result<Self, Error> {
        let fail = |e: io::Error| Error::write(path, e);
        let (temporary, target) = match path.metadata() {
            Ok(meta) if meta.is_dir() => {
                return Err(fail(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
            }
            Ok(meta) if !meta.is_file() => (elsewhere(call).map_err(fail)?, Target::Device(path.to_owned())),
            _ => beside(path, call).map_err(fail)?,
        };
        Ok(Self { temporary, target, name: path.to_owned(), call: call.clone() })
    }

    /// Standard output.
    pub fn stdout(call: &Call) -> Result<Self, Error> {
        Self::spool(Target::Stdout, call)
    }

    /// A file without a final name, to be copied elsewhere.
    pub(crate) fn nowhere(call: &Call) -> Result<Self, Error> {
        Self::spool(Target::Nowhere, call)
    }

    fn spool(target: Target, call: &Call) -> Result<Self, Error> {
        // Where a folder of its own is missing, the fault is the temporary folder's.
        let name = std::env::temp_dir();
        let temporary = elsewhere(call).map_err(|e| Error::write(&name, e))?;
        Ok(Self { temporary, target, name, call: call.clone() })
    }

    /// Where the bytes are until they have their final name.
    pub(crate) fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Writes to the temporary file.
    pub(crate) fn write_with(
        &mut self,
        work: impl FnOnce(&mut File) -> Result<(), WriteError>,
    ) -> Result<(), Error> {
        work(self.temporary.as_file_mut()).map_err(|e| Error::write(&self.name, e))
    }

    /// Writes these bytes to the temporary file.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.write_with(|file| Ok(file.write_all(bytes)?))
    }

    /// Copies what was written to this writer.
    pub(crate) fn copy_to(mut self, out: &mut dyn Write) -> Result<(), Error> {
        copy_out(self.temporary.as_file_mut(), out).map_err(|e| Error::write(&self.name, e))
    }

    /// Gives the file its final name.
    pub fn commit(mut self) -> Result<(), Error> {
        let name = self.name.clone();
        let fail = |e: io::Error| Error::write(&name, e);
        match self.target {
            Target::Nowhere => Ok(()),
            Target::File(path) => {
                self.temporary.as_file_mut().sync_all().map_err(fail)?;
                let mut unfinished = self.call.unfinished();
                if self.call.check().is_err() {
                    return Err(Error::Stopped);
                }
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

fn elsewhere(call: &Call) -> io::Result<NamedTempFile> {
    temporary(&std::env::temp_dir(), "kinfold", call)
}

/// A temporary file in the folder of the final one, so that renaming is one step.
fn beside(path: &Path, call: &Call) -> io::Result<(NamedTempFile, Target)> {
    // A link is written through: its target is replaced, not the link.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // A file that may not be written is not replaced either.
    match File::options().append(true).open(&path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((temporary(folder, &stem, call)?, Target::File(path)))
}

fn temporary(folder: &Path, stem: &str, call: &Call) -> io::Result<NamedTempFile> {
    let mut unfinished = call.unfinished();
    // Opened by hand: the release should have the permissions of any new file, not those of a secret.
    tempfile::Builder::new()
        .prefix(&format!(".{stem}."))
        .suffix(".tmp")
        .make_in(folder, |p| File::options().read(true).write(true).create_new(true).open(p))
        .inspect(|file| unfinished.push(file.path().to_owned()))
}

fn copy_out(from: &mut File, to: &mut dyn Write) -> io::Result<()> {
    from.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer)? {
            0 => return to.flush(),
            n => to.write_all(&buffer[..n])?,
        }
    }
}
