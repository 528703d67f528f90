//! Solvers that make clusters: groups around a centre (paper *cluster*), or around a mean.

mod balls;
pub(super) mod cellular;
mod dual;
pub(super) mod gather;
pub(super) mod kr_center;
pub(super) mod kr_outliers;
pub(super) mod mdav;
mod means;
pub(super) mod micro;
pub(super) mod outliers;
pub(super) mod r_cellular;
pub(super) mod r_outliers;
mod space;
mod threshold;
