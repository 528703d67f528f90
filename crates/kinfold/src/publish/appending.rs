//! One file made of several releases, one after the other: those of the pieces of a table.

use super::{Release, WriteError};
use crate::save::FileFormat;
use std::fs::File;
use std::io::{BufWriter, Write};

/// A file that grows by releases.
pub(crate) struct Appender {
    delimiter: u8,
    begun: bool,
    out: Out,
}

enum Out {
    Text(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<File>),
    #[cfg(feature = "columnar")]
    Typed(super::columnar::TypedAppender),
    #[cfg(not(feature = "columnar"))]
    Nothing,
}

impl Appender {
    pub fn new(file: File, format: FileFormat, delimiter: u8) -> Self {
        let out = match format {
            FileFormat::Csv { gzip: false, .. } => Out::Text(BufWriter::new(file)),
            FileFormat::Csv { gzip: true, .. } => {
                Out::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::fast()))
            }
            #[cfg(feature = "columnar")]
            FileFormat::Parquet => Out::Typed(super::columnar::TypedAppender::new(file, true)),
            #[cfg(feature = "columnar")]
            FileFormat::Arrow => Out::Typed(super::columnar::TypedAppender::new(file, false)),
            #[cfg(not(feature = "columnar"))]
            _ => Out::Nothing,
        };
        Self { delimiter, begun: false, out }
    }

    /// Adds the rows of a release; all have the same columns.
    pub fn append(&mut self, release: &Release) -> Result<(), WriteError> {
        let first = !std::mem::replace(&mut self.begun, true);
        match &mut self.out {
            Out::Text(out) => text(release, self.delimiter, first, out),
            Out::Gzip(out) => text(release, self.delimiter, first, out),
            #[cfg(feature = "columnar")]
            Out::Typed(out) => out.append(release),
            #[cfg(not(feature = "columnar"))]
            Out::Nothing => Err(WriteError::Format("this build writes no Parquet or Arrow".into())),
        }
    }

    /// Writes what is left.
    pub fn finish(self) -> Result<(), WriteError> {
        match self.out {
            Out::Text(mut out) => Ok(out.flush()?),
            Out::Gzip(out) => Ok(out.finish()?.flush()?),
            #[cfg(feature = "columnar")]
            Out::Typed(out) => out.finish(),
            #[cfg(not(feature = "columnar"))]
            Out::Nothing => Ok(()),
        }
    }
}

fn text(release: &Release, delimiter: u8, first: bool, out: &mut dyn Write) -> Result<(), WriteError> {
    if first {
        release.write_header(delimiter, out)?;
    }
    release.write_rows(delimiter, out)
}
