//! The trusted part of Kinfold: what a table, a policy and a problem are, what a release costs,
//! and whether it is safe. It cannot call a solver, and it never optimises.
//!
//! `Table + Policy → Problem → (a solver) → Solution → (published bytes) → Verdict`
//!
//! - [`table`] reads tables; [`policy`] reads policies; `encode` joins them into a [`problem`].
//! - [`frame`] is what is learned from a table, to be applied to other rows.
//! - [`cost`] says what a grouping costs; [`judge`](mod@judge) checks an answer and makes the solution.
//! - [`call`] stops and watches a call; [`hint`] says what to try after an error; [`world`] supplies files.
//! - [`risk`] says how likely people are found again.
//! - [`verify`] judges a published table from its bytes and the policy alone.
//!
//! Modules that only the engine builds on are not listed. What nearly every file speaks of is at the top, too.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

#[doc(hidden)]
pub mod bands;
pub mod call;
pub mod certificate;
#[doc(hidden)]
pub mod classes;
pub mod cost;
#[doc(hidden)]
pub mod distribution;
#[doc(hidden)]
pub mod encode;
#[doc(hidden)]
pub mod flow;
#[doc(hidden)]
pub mod fold;
pub mod frame;
#[doc(hidden)]
pub mod grid;
pub mod hierarchy;
pub mod hint;
#[doc(hidden)]
pub mod identifying;
pub mod judge;
pub mod kind;
pub mod ladder;
#[doc(hidden)]
pub mod members;
#[doc(hidden)]
pub mod metric;
pub mod policy;
pub mod problem;
#[doc(hidden)]
pub mod range_max;
#[doc(hidden)]
pub mod recode;
pub mod recoding;
#[doc(hidden)]
pub mod regions;
#[doc(hidden)]
pub mod requirement;
pub mod risk;
#[doc(hidden)]
pub mod singles;
#[doc(hidden)]
pub mod spelling;
pub mod table;
#[doc(hidden)]
pub mod told;
pub mod unit;
#[doc(hidden)]
pub mod value;
pub mod verify;
pub mod world;

#[doc(no_inline)]
pub use {
    call::{Call, Event, Phase},
    certificate::{Cut, Prices},
    cost::{Cost, ONE, Objective, Rule, RuleKind},
    frame::Frame,
    hint::Hint,
    judge::{Found, Solution, WITHHELD},
    kind::Kind,
    policy::{Form, Mistake, Mistakes, Policy, Role},
    problem::Problem,
    requirement::{Guard, Tally},
    table::{Column, Limits, ReadOptions, Source, Table, TableError},
    unit::Unit,
    verify::{Finding, Lookup, Published, Verdict},
};
