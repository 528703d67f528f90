//! Steps of saving that can fail: a test lets each of them fail in turn. Outside tests nothing is asked, and a
//! [`Handle`] is its file.

use std::io::{self, Read, Seek, SeekFrom, Write};

/// Asks whether the next step of saving may be taken.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn step(_: &'static str) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(crate) use tests::step;

/// An open file. Each write, read and flush of it is a step.
#[derive(Debug)]
pub(crate) struct Handle<F = std::fs::File>(pub F);

impl<F: Write> Write for Handle<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        step("write")?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        step("flush")?;
        self.0.flush()
    }
}

impl<F: Read> Read for Handle<F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        step("read")?;
        self.0.read(bytes)
    }
}

impl<F: Seek> Seek for Handle<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        step("seek")?;
        self.0.seek(to)
    }
}

#[cfg(test)]
mod tests;
