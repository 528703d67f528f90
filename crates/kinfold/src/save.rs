//! The files that come of an anonymization, and what a release is written as.

use crate::destination::Destination;
use crate::document::ReportOptions;
use crate::error::Error;
use crate::publish::{Appender, Release, WriteError};
use crate::report::{Facts, Json, to_html};
use kinfold_model::hint::Hint;
use kinfold_model::policy::{Form, Policy};
use std::io::Write;
use std::path::Path;

/// The files that come of an anonymization: all of them, or none.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Files {
    /// The release.
    pub release: Option<(Destination, FileFormat)>,
    /// The group of every row. It is private, as the frame is.
    pub groups: Option<Destination>,
    /// What names in the release stand for.
    pub lookup: Option<Destination>,
    /// What every value is published as, in columns that are coded once. It is private, too.
    pub mapping: Option<Destination>,
    /// What was learned from the table.
    pub frame: Option<Destination>,
    /// The run record, and the command as it was typed. It is private, too.
    pub record: Option<(Destination, String)>,
    /// The report for people, and what it is to say.
    pub report: Option<(ReportFiles, ReportOptions<'static>)>,
}

impl Files {
    /// A release of labels alone says nothing: it is not written without its lookup file.
    pub fn refuse_without_lookup(&self, policy: &Policy) -> Result<(), Error> {
        if policy.form != Form::Codes || self.release.is_none() || self.lookup.is_some() {
            return Ok(());
        }
        let hint = Hint::from("name it: ").setting("lookup", "FILE");
        Err(Error::unsuitable("form codes publishes a lookup file beside the release", hint))
    }

    /// All of them, once they are written. Devices and pipes get their copies.
    pub(crate) fn stage(self) -> Result<Staged, Error> {
        let release = self.release.map(|(file, _)| file);
        let [page, figures] =
            self.report.map_or([None, None], |(files, _)| [Some(files.page), files.figures]);
        let record = self.record.map(|(file, _)| file);
        let [groups, mapping, frame, record] =
            [self.groups, self.mapping, self.frame, record].map(|file| file.map(Destination::private));
        let files = [release, groups, self.lookup, mapping, frame, record, page, figures];
        let mut staged: Vec<_> = files.into_iter().flatten().collect();
        Destination::send_all(&mut staged)?;
        Ok(Staged(staged))
    }
}

/// The report for people, to be written beside a release.
#[derive(Debug)]
pub struct ReportFiles {
    /// The page.
    pub page: Destination,
    /// Its figures, as JSON.
    pub figures: Option<Destination>,
}

impl ReportFiles {
    pub(crate) fn write(&mut self, facts: &Facts) -> Result<(), Error> {
        self.page.write(to_html(facts, facts.about.language).as_bytes())?;
        if let Some(figures) = &mut self.figures {
            figures.write(format!("{:#}\n", facts.to_json()).as_bytes())?;
        }
        Ok(())
    }

    /// Writes the report and gives its files their names.
    pub fn save(mut self, facts: &Facts) -> Result<(), Error> {
        self.write(facts)?;
        Destination::commit_all([Some(self.page), self.figures].into_iter().flatten().collect())
    }
}

/// Files that are written and verified, and lack only their names.
#[derive(Debug)]
#[must_use = "without a commit nothing gets its name"]
pub struct Staged(pub(crate) Vec<Destination>);

impl Staged {
    /// Gives all files their names, or none.
    pub fn commit(self) -> Result<(), Error> {
        Destination::commit_all(self.0)
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
    pub(crate) fn delimiter(self, of_table: u8) -> u8 {
        match self {
            Self::Csv { delimiter: Some(delimiter), .. } => delimiter,
            _ => of_table,
        }
    }

    /// Writes a release in this format.
    #[doc(hidden)]
    pub fn write(self, release: &Release, file: impl Write + Send) -> Result<(), WriteError> {
        let mut out = Appender::new(file, self, self.delimiter(release.delimiter()))?;
        out.append(release)?;
        out.finish()
    }
}
