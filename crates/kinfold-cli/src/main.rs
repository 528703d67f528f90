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
mod screen;
mod text;

use clap::Parser;
use std::process::ExitCode;

/// 0: done, safe. 1: not safe. 2: could not tell or could not do (bad input). 130: stopped by the user.
fn main() -> ExitCode {
    let typed = args::Args::parse();
    if let Err(failure) = commands::run(&typed) {
        failure.show();
        return ExitCode::from(failure.code());
    }
    ExitCode::SUCCESS
}
