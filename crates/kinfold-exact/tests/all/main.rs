//! Tests of the solvers that need HiGHS, and the engine's tests of every solver for them.

mod milp;
mod pattern;

#[path = "../../../kinfold/tests/all/cases.rs"]
mod cases;
#[path = "../../../kinfold/tests/all/loss.rs"]
mod loss;
#[path = "../../../kinfold/tests/all/promises.rs"]
mod promises;
#[path = "../../../kinfold/tests/all/properties.rs"]
mod properties;
#[path = "../../../kinfold/tests/all/support/mod.rs"]
#[allow(dead_code)] // not all of it is needed here
mod support;

use kinfold::Solvers;

/// The solvers that tests of every solver go through.
fn own() -> Solvers {
    Solvers::only(kinfold_exact::SOLVERS)
}

/// The solvers whose promises are told together.
fn catalogue() -> Solvers {
    Solvers::standard().with(kinfold_exact::SOLVERS)
}
