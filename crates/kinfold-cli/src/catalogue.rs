//! The solvers of this build.

use kinfold::Solvers;

/// The standard ones, and those that features bring.
pub fn solvers() -> Solvers {
    let solvers = Solvers::standard();
    #[cfg(feature = "exact")]
    let solvers = solvers.with(kinfold_exact::SOLVERS);
    solvers
}
