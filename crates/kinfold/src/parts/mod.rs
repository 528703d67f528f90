//! Machinery that several solvers share.

pub(crate) mod leftovers;
pub(crate) mod order;
pub(crate) mod random;
pub(crate) mod sweep;
