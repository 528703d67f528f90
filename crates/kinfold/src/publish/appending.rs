//! A release as a file, or several releases one after the other: those of the pieces of a table.

use super::{Release, WriteError};
use crate::save::FileFormat;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{BufWriter, Write};

/// A file that grows by releases.
pub(crate) struct Appender<W: Write + Send> {
    delimiter: u8,
    begun: bool,
    out: Out<W>,
}

enum Out<W: Write + Send> {
    Text(BufWriter<W>),
    Gzip(GzEncoder<W>),
    #[cfg(feature = "columnar")]
    Typed(super::columnar::TypedAppender<W>),
}

impl<W: Write + Send> Appender<W> {
    pub fn new(file: W, format: FileFormat, delimiter: u8) -> Result<Self, WriteError> {
        let out = match format {
            FileFormat::Csv { gzip: false, .. } => Out::Text(BufWriter::new(file)),
            FileFormat::Csv { gzip: true, .. } => Out::Gzip(GzEncoder::new(file, Compression::fast())),
            #[cfg(feature = "columnar")]
            _ => Out::Typed(super::columnar::TypedAppender::new(file, format == FileFormat::Parquet)),
            #[cfg(not(feature = "columnar"))]
            _ => return Err(WriteError::Format("this build writes no Parquet or Arrow".into())),
        };
        Ok(Self { delimiter, begun: false, out })
    }

    /// Adds the rows of a release; all have the same columns.
    pub fn append(&mut self, release: &Release) -> Result<(), WriteError> {
        let out: &mut dyn Write = match &mut self.out {
            Out::Text(out) => out,
            Out::Gzip(out) => out,
            #[cfg(feature = "columnar")]
            Out::Typed(out) => return out.append(release),
        };
        if !std::mem::replace(&mut self.begun, true) {
            release.write_header(self.delimiter, out)?;
        }
        release.write_rows(self.delimiter, out)
    }

    /// Writes what is left.
    pub fn finish(self) -> Result<(), WriteError> {
        match self.out {
            Out::Text(mut out) => Ok(out.flush()?),
            Out::Gzip(out) => Ok(out.finish()?.flush()?),
            #[cfg(feature = "columnar")]
            Out::Typed(out) => out.finish(),
        }
    }
}

impl Release {
    /// Writes the release as CSV, with the delimiter of the table it came from.
    pub fn write_csv(&self, out: &mut (dyn Write + Send)) -> Result<(), WriteError> {
        FileFormat::default().write(self, out)
    }
}
