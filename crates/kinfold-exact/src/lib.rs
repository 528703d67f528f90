//! Solvers that need HiGHS, a solver of mixed-integer programs in C++: it takes a C++ compiler, cmake and
//! libclang to build. They are a crate of their own so that nobody else needs those, and so that the engine
//! is the same with them and without.
//!
//! ```
//! use kinfold::Solvers;
//!
//! let solvers = Solvers::standard().with(kinfold_exact::SOLVERS);
//! assert_eq!(solvers.choice("milp")?.to_string(), "milp");
//! # Ok::<(), kinfold::SolveError>(())
//! ```

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod milp;
mod pattern;
mod program;

use kinfold::Solver;

/// The solvers of this crate.
pub const SOLVERS: &[&dyn Solver] = &[&milp::Milp, &pattern::Pattern];
