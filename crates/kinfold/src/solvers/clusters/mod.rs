//! Solvers that make clusters: groups around a centre.

pub(super) mod mdav;
mod means;
pub(super) mod micro;
