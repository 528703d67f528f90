//! All integration tests of the command: one binary, linked once.
//! One file's tests: `cargo test --test all golden::`.

mod after;
mod bad_input;
mod bad_output;
mod cases;
mod certify;
mod compare;
mod docs;
mod every_release_verifies;
mod frame;
mod golden;
mod good_input;
mod instance;
mod interrupt;
mod models;
mod mutated;
mod page;
mod pieces;
mod planted_faults;
mod plot;
mod plot_map;
mod report;
mod support;
