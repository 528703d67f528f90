//! Tests of the trusted crate by itself: the judge, the verifier and the checker of certificates, on answers, releases
//! and certificates that no engine made. One file's tests: `cargo test -p kinfold-model --test all judge::`.

mod certificates;
#[cfg(feature = "columnar")]
mod damaged;
mod judge;
mod judged;
mod levels;
#[allow(dead_code)] // the engine's tests need all of it
mod support;
mod truth;
mod verdicts;
mod verify;
