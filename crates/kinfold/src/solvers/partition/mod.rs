//! Groupings made of listed groups: [`dive`] makes one of the linear program's mixture, and [`Partition`]
//! finds the best that a list allows. `exact` and `polish` stand on them.

mod branch;
mod dive;

pub(crate) use branch::Partition;
pub(crate) use dive::dive;
