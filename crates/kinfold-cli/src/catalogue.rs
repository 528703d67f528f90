//! The solvers of this build.

use kinfold::Solvers;

/// Those to choose from, and the methods of the papers.
pub fn solvers() -> Solvers {
    Solvers::standard().with(kinfold_papers::SOLVERS)
}
