//! One file per subcommand.

mod anonymize;
mod certify;
mod compare;
mod demo;
mod generate;
mod inspect;
mod instance;
mod keepable;
mod plot;
mod solvers;
mod verify;

use crate::args::{Args, Command};
use crate::failure::Failure;
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// How to talk.
#[derive(Debug, Clone, Copy)]
pub struct Voice {
    pub quiet: bool,
    pub json: bool,
}

impl Voice {
    /// Says the result: to machines as JSON, to people (unless they want quiet) as text.
    pub fn result(self, json: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.json {
            print(&format!("{:#}\n", json()))
        } else if self.quiet {
            Ok(())
        } else {
            print(&text())
        }
    }

    /// A remark that is not the result.
    pub fn note(self, text: &str) {
        if !self.quiet {
            // Nobody reads standard error any more: nothing to be done about it.
            let _ = writeln!(anstream::stderr(), "{style}note:{style:#} {text}", style = crate::screen::NOTE);
        }
    }
}

/// A whole number for machines, as a float where it is beyond 64 bits.
fn whole(number: u128) -> Value {
    u64::try_from(number).map_or_else(|_| Value::from(number as f64), Value::from)
}

/// Prints to standard output; a reader that has seen enough (`| head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| Failure::write(Path::new("standard output"), e)),
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let voice = Voice { quiet: args.quiet, json: args.json };
    if !args.quiet {
        crate::progress::enable();
    }
    let result = match &args.command {
        Command::Inspect(a) => inspect::run(a, voice),
        Command::Anonymize(a) => anonymize::run(a, voice),
        Command::Verify(a) => verify::run(a, voice),
        Command::Certify(a) => certify::run(a, voice),
        Command::Compare(a) => compare::run(a, voice),
        Command::Plot(a) => plot::run(a, voice),
        Command::Solvers(a) => solvers::run(a, voice),
        Command::Demo => demo::run(voice),
        Command::Generate(a) => generate::run(a, voice),
    };
    crate::progress::finish();
    result
}
