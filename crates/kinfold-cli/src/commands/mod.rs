//! One file per subcommand.

mod anonymize;
mod compare;
mod demo;
mod generate;
mod inspect;
mod solvers;
mod verify;

use crate::args::{Args, Command};
use crate::failure::Failure;

/// How to talk.
#[derive(Debug, Clone, Copy)]
pub struct Voice {
    pub quiet: bool,
    pub json: bool,
}

impl Voice {
    /// Says something to people: on standard output, or on standard error when that belongs to machines.
    pub fn say(self, text: &str) {
        if self.quiet {
            return;
        }
        if self.json { anstream::eprint!("{text}") } else { anstream::print!("{text}") }
    }

    /// A remark that is not the result.
    pub fn note(self, text: &str) {
        if !self.quiet {
            anstream::eprintln!("{style}note:{style:#} {text}", style = crate::screen::NOTE);
        }
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
        Command::Compare(a) => compare::run(a, voice),
        Command::Solvers => solvers::run(voice),
        Command::Demo => demo::run(voice),
        Command::Generate(a) => generate::run(a),
    };
    crate::progress::finish();
    result
}
