//! All integration tests of the engine: one binary, linked once.
//! One file's tests: `cargo test --test all stars::`.

mod beside;
mod bounds;
mod cases;
mod certificates;
mod clusters;
mod columnar;
mod columns;
mod damaged;
mod door;
mod earlier;
mod efforts;
mod exact;
mod fidelity;
mod instances;
mod label_sizes;
mod loss;
mod models;
mod optimize_paper;
mod order;
mod pieces;
mod places;
mod prepared;
mod presence;
mod promises;
mod properties;
mod publishing;
mod requirements;
mod risk;
mod spelled;
mod split_carry;
mod stars;
mod stars_factors;
mod support;
mod truth;
mod typed;
mod user_solver;
mod utility;
mod whatif;

use kinfold::Solvers;

/// The solvers that tests of every solver go through.
fn own() -> Solvers {
    Solvers::standard()
}

/// The solvers whose promises are told together.
fn catalogue() -> Solvers {
    Solvers::standard()
}
