//! The `kinfold` command: argv → what was typed ([`args`]) → what it means and does ([`commands`]) → exit
//! code.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod args;
mod catalogue;
mod commands;
mod failure;
mod input;
mod output;
mod progress;
mod report;
mod screen;
mod text;

use clap::Parser;
use std::process::ExitCode;

/// 0: done, safe. 1: not safe. 2: could not tell or could not do (bad input). 130: stopped by the user.
fn main() -> ExitCode {
    keep_still_about_damaged_files();
    let typed = args::Args::parse();
    if let Err(failure) = commands::run(&typed) {
        failure.show();
        return ExitCode::from(failure.code());
    }
    ExitCode::SUCCESS
}

/// A panic while a damaged file is decoded becomes an error message: its own words would only stand before
/// it.
fn keep_still_about_damaged_files() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !kinfold_model::table::guarded() {
            tell(panic);
        }
    }));
}
