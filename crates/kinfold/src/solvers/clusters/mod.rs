//! Solvers that make clusters: groups around a centre (paper *cluster*), or around a mean.

mod balls;
pub(crate) mod cellular;
mod dual;
mod few_outliers;
pub(super) mod gather;
pub(super) mod mdav;
mod means;
pub(super) mod micro;
mod outliers;
mod space;
mod threshold;
