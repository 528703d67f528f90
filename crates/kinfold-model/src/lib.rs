//! The trusted part of Kinfold: what a table, a policy and a problem are, what a release costs,
//! and whether it is safe. It cannot call a solver, and it never optimises.
//!
//! `Table + Policy → Problem → (a solver) → Solution → (published bytes) → Verdict`
//!
//! - [`table`] reads tables; [`policy`] reads policies; [`encode`] joins them into a [`problem`].
//! - [`frame`] is what is learned from a table, to be applied to other rows.
//! - [`cost`] says what a grouping costs; [`judge`](mod@judge) checks an answer and makes the solution.
//! - [`grid`] rounds the ends of ranges; [`told`] says what ends and labels disclose.
//! - [`call`] stops and watches a call; [`hint`] says what to try after an error; [`world`] supplies files.
//! - [`risk`] says how likely people are found again.
//! - [`verify`] judges a published table from its bytes and the policy alone.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

pub mod bands;
pub mod call;
pub mod certificate;
pub mod cost;
pub mod distribution;
pub mod encode;
pub mod flow;
pub mod fold;
pub mod frame;
pub mod grid;
pub mod hierarchy;
pub mod hint;
pub mod identifying;
pub mod judge;
pub mod kind;
pub mod metric;
pub mod policy;
pub mod problem;
pub mod range_max;
pub mod regions;
pub mod requirement;
pub mod risk;
pub mod singles;
pub mod spelling;
pub mod table;
pub mod told;
pub mod unit;
pub mod value;
pub mod verify;
pub mod world;
