//! All integration tests of the engine: one binary, linked once.
//! One file's tests: `cargo test --test all stars::`.

mod beside;
mod bounds;
mod cases;
mod certificates;
mod classes;
mod clusters;
mod columnar;
mod columns;
mod door;
mod earlier;
mod efforts;
mod exact;
mod fidelity;
mod levels;
mod loss;
mod models;
mod order;
mod pieces;
mod places;
mod prepared;
mod presence;
mod properties;
mod publishing;
mod requirements;
mod risk;
mod schemes;
mod spelled;
mod stars;
mod support;
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
