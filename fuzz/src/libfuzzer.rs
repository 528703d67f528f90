//! One binary for all targets: the environment variable `TARGET` names one.
#![no_main]

use kinfold_fuzz::{Target, target};
use std::sync::LazyLock;

static CHOSEN: LazyLock<Target> = LazyLock::new(|| {
    kinfold::model::table::keep_still_about_damaged_files();
    target(&std::env::var("TARGET").unwrap_or_default()).expect("TARGET names a target")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (CHOSEN.run)(bytes));
