//! Kinfold publishes a table about people so that every row looks like at least k − 1 others,
//! and loses as little information as possible.
//!
//! ```standalone_crate
//! use kinfold::{Options, anonymize, model::{policy::Policy, table::Table}};
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(&folder)?;
//! # std::fs::write("patients.csv", "name,age,sex\nAnn,35,F\nBea,36,F\nCal,61,M\nDan,63,M\n")?;
//! # std::fs::write("policy.toml", "k = 2\n[columns]\nname = {role = \"identifier\"}\n\
//! #     age = {role = \"quasi\"}\nsex = {role = \"quasi\"}\n")?;
//!
//! let table = Table::open("patients.csv")?; // or Table::from_batches
//! let policy = Policy::open("policy.toml")?.for_table(&table)?;
//! let mut done = anonymize(&table, &policy, &Options::default())?;
//! done.save("release.csv")?; // written to a temporary file, verified, renamed
//!
//! assert_eq!(done.report.groups, 2);
//! assert_eq!(std::fs::read_to_string("release.csv")?, "age,sex\n[35-36],F\n[35-36],F\n[61-63],M\n[61-63],M\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod anonymize;
pub mod bounds;
mod card;
mod catalogue;
mod certify;
mod compare;
mod destination;
mod document;
mod earlier;
mod error;
mod groups_file;
pub mod inspect;
pub mod instances;
mod loss_curve;
mod options;
mod outline;
mod parts;
mod piecewise;
mod plot;
mod prepared;
mod publish;
pub mod report;
mod risk;
mod run;
mod save;
pub mod scale;
mod settings;
mod solve;
pub mod solvers;
mod stopwatch;
pub mod toolkit;
mod utility;
mod verify;
mod warning;
mod whatif;

pub use anonymize::{Anonymized, anonymize, read, refuse_without_lookup};
pub use card::{Card, Case, Input, Kept, Promise, Setting, promise_table};
pub use catalogue::{Choice, Solvers};
pub use certify::{Certified, CertifyOptions, certifiable, certify, check_certificate};
pub use compare::{CompareOptions, compare, keepable};
pub use destination::Destination;
pub use document::{ReportOptions, file_facts, sha256};
pub use earlier::{Earlier, Short};
pub use error::Error;
pub use groups_file::parse_groups;
pub use kinfold_model as model;
pub use loss_curve::loss_curve;
pub use options::Options;
pub use outline::Outline;
pub use plot::{LabelPlotOptions, MapPlotOptions, plot_labels, plot_map, point_columns};
pub use prepared::{Prepared, prepare};
pub use publish::{Release, WriteError, publish};
pub use risk::{RiskOptions, USUAL_THRESHOLDS, risk};
pub use run::{Effort, Progress, Run, Stopped};
pub use save::{FileFormat, Files, ReportFiles, Staged};
pub use settings::{Settings, Word, duration, size};
pub use solve::{Answer, Outcome, SolveError, Solver, Unsupported, solve, solve_by};
pub use solvers::columns;
pub use solvers::places::{LabelSizes, label_sizes, people_per_label};
pub use stopwatch::{Spent, Stopwatch};
pub use utility::{UtilityOptions, utility};
pub use verify::{VerifyOptions, read_release, read_whole, verify, verify_large};
pub use warning::MANY_UNIQUE;
pub use whatif::whatif;
