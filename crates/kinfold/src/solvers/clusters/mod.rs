//! Solvers that make clusters: groups around a centre (paper *cluster*), or around a mean.
//!
//! Under the objectives radius, cellular and sse records are points. The model's `metric/` scales the columns and says
//! how far two records are apart, in whole numbers that keep the triangle inequality. An answer names a centre per
//! group, a record or the group's middle, and the judge works the radius out. `space.rs` finds who is near
//! without listing distances, the model's `flow.rs` shares rows out, `threshold.rs` is the search of the radius
//! solvers, `dual.rs` the primal-dual method of the cellular ones, and `balls.rs` has the changes that can only help.

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
