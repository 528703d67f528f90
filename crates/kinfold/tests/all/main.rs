//! All integration tests of the engine: one binary, linked once.
//! One file's tests: `cargo test --test all stars::`.

mod bounds;
mod cases;
mod certificates;
mod clusters;
mod columnar;
mod columns;
mod efforts;
mod exact;
mod fidelity;
mod instances;
mod label_sizes;
mod loss;
mod milp;
mod optimize_paper;
mod places;
mod promises;
mod properties;
mod publishing;
mod split_carry;
mod stars;
mod stars_factors;
mod support;
