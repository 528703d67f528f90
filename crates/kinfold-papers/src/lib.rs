//! The papers' own algorithms, to the letter: here to be faithful and to be compared with, where the engine's
//! solvers are here to be good. A folder per paper; each file opens with the paper and the theorem, and
//! `papers/` in the repository says of every paper which function and which test belong together.
//!
//! | paper | methods | file |
//! |---|---|---|
//! | *geo* | Fold, Spread, five halves, the relaxed scheme | `geo/` |
//! | *complexity* | the program over patterns (feature `exact`) | `complexity/` |
//! | *suppress* | set cover, balls | `suppress/` |
//! | *cluster* | cellular clustering without regard to sizes | `cluster.rs` |
//! | *optimize* | Split & Carry; the mixed-integer program (feature `exact`) | `optimize/` |
//! | *complexity*, *suppress* | their reductions, as tables whose best release is known | [`instances`] |
//!
//! What of the papers is also the best that is known – `initial`, `greedy-search`, `gather`, `cellular`, `region-tree`,
//! `boxes`, `columns` – is in the engine, and so is Figure 7 of *geo*, which is a call of its own (`plot labels`).
//! The engine does not know of this crate:
//!
//! ```
//! use kinfold::Solvers;
//!
//! let solvers = Solvers::standard().with(kinfold_papers::SOLVERS);
//! assert_eq!(solvers.choice("split-carry")?.to_string(), "split-carry");
//! # Ok::<(), kinfold::SolveError>(())
//! ```
//!
//! Feature `exact` brings HiGHS, a solver of mixed-integer programs in C++: it takes a C++ compiler, cmake and
//! libclang to build. `program.rs` is the one file that knows it.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod cluster;
#[cfg(feature = "exact")]
mod complexity;
mod geo;
pub mod instances;
mod optimize;
#[cfg(feature = "exact")]
mod program;
mod suppress;

use kinfold::Solver;

/// The solvers of this crate, by paper.
pub const SOLVERS: &[&dyn Solver] = &[
    &geo::FOLD,
    &geo::SPREAD,
    &geo::FIVE_HALVES,
    &geo::RELAXED,
    #[cfg(feature = "exact")]
    &complexity::Pattern,
    &suppress::cover::StarsCover,
    &suppress::ball::Ball,
    &cluster::CellularJoined,
    &optimize::split_carry::SplitCarry,
    #[cfg(feature = "exact")]
    &optimize::milp::Milp,
];
