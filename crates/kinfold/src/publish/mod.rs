//! Writes a judged solution down: what the cells of each group say, and the file that says it.

mod alike;
mod appending;
pub(crate) mod bands;
mod cells;
mod centres;
mod codes;
#[cfg(feature = "columnar")]
mod columnar;
mod csv;
mod lookup;
mod mapping;
mod middles;
mod order;
mod points;
mod texts;
#[cfg(feature = "columnar")]
mod typed;

pub(crate) use appending::Appender;
pub use cells::{Release, publish};
use thiserror::Error;

/// Why a release could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system said no.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file format said no.
    #[error("{0}")]
    Format(String),
}
