//! The `kinfold` command as a call: argv → what was typed (`args`) → what it means and does (`commands`) → exit
//! code.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod args;
mod catalogue;
mod commands;
mod failure;
mod flags;
mod input;
mod output;
mod page;
mod progress;
mod report;

use clap::Parser;
use std::ffi::OsString;
use std::io::Write;

/// Runs the command; the first argument is its name. 0: done, safe. 1: not safe. 2: could not tell or could not do
/// (bad input). 130: stopped by the user.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    kinfold::model::table::keep_still_about_damaged_files();
    let args: Vec<OsString> = args.into_iter().collect();
    let typed = match args::Args::try_parse_from(&args) {
        Ok(typed) => typed,
        Err(told) => {
            if let Some(failure) = args::instead(&told, &args) {
                failure.show();
                return failure.code();
            }
            // Help and the version come this way, too. Nobody reads it: nothing to be done about it.
            let _ = told.print();
            return u8::try_from(told.exit_code()).unwrap_or(2);
        }
    };
    let result = commands::run(&typed);
    // Where the process is not ours, nobody else does it. Nobody reads it: nothing to be done about it.
    let _ = std::io::stdout().flush();
    match result {
        Ok(()) => 0,
        Err(failure) => {
            failure.show();
            failure.code()
        }
    }
}
