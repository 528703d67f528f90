//! The `kinfold` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kinfold_cli::run(std::env::args_os()))
}
