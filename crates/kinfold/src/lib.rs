//! Kinfold publishes a table about people so that every row looks like at least k − 1 others,
//! and loses as little information as possible.
//!
//! ```standalone_crate
//! use kinfold::{Options, Policy, Table, anonymize};
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(&folder)?;
//! # std::fs::write("patients.csv", "name,age,sex\nAnn,35,F\nBea,36,F\nCal,61,M\nDan,63,M\n")?;
//! # std::fs::write("policy.toml", "k = 2\n[columns]\nname = {role = \"identifier\"}\n\
//! #     age = {role = \"quasi\"}\nsex = {role = \"quasi\"}\n")?;
//!
//! let table = Table::open("patients.csv")?; // or Table::from_batches
//! let policy = Policy::open("policy.toml")?.for_table(&table)?;
//! let grouped = anonymize(&table, &policy, &Options::default())?;
//! let done = grouped.save("release.csv")?; // or into_batches: written to a temporary file, verified, renamed
//!
//! assert_eq!(done.report.groups, 2);
//! assert_eq!(std::fs::read_to_string("release.csv")?, "age,sex\n[35-36],F\n[35-36],F\n[61-63],M\n[61-63],M\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | call | options | what it answers |
//! |---|---|---|
//! | [`inspect`](fn@inspect::inspect) | | what is known of a table, with a draft of a policy |
//! | [`anonymize`] | [`Options`] | the release: [`Anonymized`] with its [`AnonymizeReport`](report::AnonymizeReport) |
//! | [`prepare`] | [`Options`] | the same for several k, from one [`Prepared`] table |
//! | [`scale::anonymize_in_pieces`] | [`Options`], [`Files`] | the same for tables larger than memory |
//! | [`verify`] | [`VerifyOptions`] | [`VerifyReport`](report::VerifyReport): is a release safe and true? |
//! | [`risk`] | [`RiskOptions`] | [`RiskReport`](report::RiskReport): how likely are people found again? |
//! | [`utility`] | [`UtilityOptions`] | [`UtilityReport`](report::UtilityReport): what is it still good for? |
//! | [`certify`] | [`CertifyOptions`] | [`Certified`]: how far is it from the best? |
//! | [`compare`] | [`CompareOptions`] | [`CompareReport`](report::CompareReport): solvers side by side |
//! | [`whatif`], [`loss_curve`] | [`Options`] | what other settings of the policy, or other k, would lose |
//! | [`plot_map`], [`plot_labels`] | [`MapPlotOptions`], [`LabelPlotOptions`] | pictures |
//!
//! A [`Table`] is read, a [`Policy`] says what is protected; [`report`] has every report as a struct, as JSON, as text and
//! as a page. Who writes a [`Solver`] is given a [`Problem`](model::problem::Problem) and answers with
//! [`Found`](model::judge::Found) groups; [`model`] has these and all that calls are made of.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod anonymize;
mod anonymized;
#[doc(hidden)]
pub mod bounds;
mod card;
mod catalogue;
mod certify;
mod destination;
mod document;
mod earlier;
mod error;
mod faults;
mod groups_file;
pub mod inspect;
mod options;
mod outline;
mod parts;
mod piecewise;
mod plot;
mod prepared;
mod publish;
mod record;
pub mod report;
mod risk;
mod run;
mod save;
pub mod scale;
mod settings;
mod shown;
mod solve;
#[doc(hidden)]
pub mod solvers;
mod stopwatch;
#[doc(hidden)]
pub mod toolkit;
mod utility;
mod variants;
mod verify;
mod warning;

pub use anonymize::{Grouped, anonymize, read, read_linked};
pub use anonymized::Anonymized;
pub use bounds::Strength;
pub use card::{Card, Case, Input, Kept, Promise, Setting};
pub use catalogue::{Choice, Solvers};
pub use certify::{Certified, CertifyOptions, certify, check_certificate};
pub use destination::Destination;
pub use document::{ReportOptions, file_facts, named};
pub use earlier::{Earlier, Short};
pub use error::Error;
pub use groups_file::{GroupsFile, parse_groups};
pub use kinfold_model as model;
pub use kinfold_model::policy::Policy;
pub use kinfold_model::table::Table;
pub use options::Options;
pub use outline::Outline;
pub use plot::{LabelPlotOptions, MapPlotOptions, plot_labels, plot_map};
pub use prepared::{Prepared, prepare};
pub use publish::WriteError;
pub use risk::{RiskOptions, USUAL_THRESHOLDS, risk};
pub use run::{Effort, Progress, Run, Stopped};
pub use save::{FileFormat, Files, ReportFiles, Staged};
pub use settings::{Seed, Settings, Word, duration, size};
pub use solve::{Answer, Outcome, SolveError, Solver, Unsupported, solve, solve_by};
pub use utility::{UtilityOptions, utility};
pub use variants::{CompareOptions, compare, keepable, loss_curve, whatif};
pub use verify::{VerifyOptions, read_release, read_whole, verify, verify_large};

// For the front ends and for tests.
#[doc(hidden)]
pub use {
    card::promise_table,
    certify::certifiable,
    document::sha256,
    plot::point_columns,
    publish::{Release, publish},
    solvers::places::{LabelSizes, label_sizes, people_per_label},
    stopwatch::{Spent, Stopwatch},
    variants::ks,
    warning::MANY_UNIQUE,
};
