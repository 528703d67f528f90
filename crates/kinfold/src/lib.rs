//! Kinfold publishes a table about people so that every row looks like at least k − 1 others,
//! and loses as little information as possible.
//!
//! ```
//! use kinfold::model::{encode::encode, policy::Draft, table::Table};
//! use kinfold::{Choice, Run, solve};
//!
//! let table = Table::from_cells(
//!     &["age", "sex"],
//!     &[vec!["35", "F"], vec!["36", "F"], vec!["61", "M"], vec!["63", "M"]],
//! );
//! let mut draft = Draft::new();
//! draft.k(2, None);
//! draft.quasi_flag("age:numeric");
//! draft.quasi_flag("sex:category");
//! let policy = draft.settle_for(&["age".into(), "sex".into()])?;
//!
//! let encoded = encode(&table, &policy)?;
//! let outcome = solve(&encoded.problem, &Choice::Auto, &Run::default())?;
//! assert_eq!(outcome.solution.groups(), 2);
//!
//! let release = kinfold::publish(&table, &policy, &encoded, &outcome.solution);
//! let mut csv = Vec::new();
//! release.write_csv(&mut csv)?;
//! assert_eq!(String::from_utf8(csv)?, "age,sex\n[35-36],F\n[35-36],F\n[61-63],M\n[61-63],M\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

pub mod bounds;
mod card;
pub mod inspect;
pub mod instances;
mod parts;
mod publish;
mod run;
mod solve;
pub mod solvers;

pub use card::{Card, Case, Input, Kept, Promise, Setting, promise_table};
pub use kinfold_model as model;
pub use publish::{Release, WriteError, publish};
pub use run::{Effort, Progress, Run, Stopped};
pub use solve::{Answer, Choice, Outcome, SolveError, Solver, Unsupported, solve};
pub use solvers::columns;
pub use solvers::places::{LabelSizes, label_sizes, people_per_label};
