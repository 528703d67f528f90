//! One file per subcommand.

mod anonymize;
mod certify;
mod compare;
mod demo;
mod generate;
mod hierarchy;
mod inspect;
mod instance;
mod plot;
mod risk;
mod serve;
mod solvers;
mod utility;
mod verify;
mod whatif;

use crate::args::{Args, Command};
use crate::failure::{Failure, in_flags};
use crate::progress::Line;
use kinfold::model::{Call, Hint};
use kinfold::report::Json;
use kinfold::report::text::NOTE;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// How to talk, and the call that is talked about.
#[derive(Clone)]
pub struct Voice {
    pub quiet: bool,
    pub json: bool,
    pub call: Call,
    line: Option<Arc<Line>>,
    at_stop: Arc<Mutex<Option<AtStop>>>,
}

type AtStop = Box<dyn FnOnce() + Send>;

impl Voice {
    fn new(args: &Args) -> Result<Self, Failure> {
        let line = if args.quiet { None } else { Line::new().map(Arc::new) };
        let call = match line.clone() {
            Some(line) => Call::watched(move |event| line.show(event)),
            None => Call::new(),
        };
        let voice = Self { quiet: args.quiet, json: args.json, call, line, at_stop: Arc::default() };
        voice.watch_for_stop()?;
        Ok(voice)
    }

    /// From now on, Ctrl-C or SIGTERM deletes unfinished files and ends the program, whatever it is doing:
    /// also while it waits for a pipe.
    fn watch_for_stop(&self) -> Result<(), Failure> {
        let voice = self.clone();
        let stop = move || {
            let _no_file_gets_its_name = voice.call.abandon();
            voice.finish();
            if let Some(clean_up) = voice.at_stop.lock().unwrap_or_else(PoisonError::into_inner).take() {
                clean_up();
                std::process::exit(0);
            }
            let stopped = Failure::from(kinfold::Error::Stopped);
            stopped.show();
            std::process::exit(i32::from(stopped.code()))
        };
        ctrlc::set_handler(stop).map_err(|e| Failure::Usage {
            what: format!("cannot install the Ctrl-C handler: {e}"),
            hint: None,
        })
    }

    /// What is to be done when the command is stopped, where that is how it ends: it is a success then.
    pub fn when_stopped(&self, clean_up: impl FnOnce() + Send + 'static) {
        *self.at_stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(clean_up));
    }

    /// Takes the line of progress away.
    pub fn finish(&self) {
        if let Some(line) = &self.line {
            line.finish();
        }
    }

    /// The same, but quiet: the result goes where people would read.
    pub fn quiet_if(&self, quiet: bool) -> Self {
        Self { quiet: self.quiet || quiet, ..self.clone() }
    }

    /// Says the result: to machines as JSON, to people (unless they want quiet) as text.
    pub fn result(&self, json: &impl Json, text: impl FnOnce() -> String) -> Result<(), Failure> {
        self.finish();
        if self.json {
            print(&format!("{:#}\n", json.to_json()))
        } else if self.quiet {
            Ok(())
        } else {
            print(&text())
        }
    }

    /// Remarks that are not the result.
    pub fn notes(&self, notes: &[Hint]) {
        for note in notes.iter().filter(|_| !self.quiet) {
            let text = in_flags(note);
            // Nobody reads standard error any more: nothing to be done about it.
            let _ = writeln!(anstream::stderr(), "{style}note:{style:#} {text}", style = NOTE);
        }
    }
}

/// Prints to standard output; a reader that has seen enough (`| head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| kinfold::Error::write(Path::new("standard output"), e).into()),
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let voice = &Voice::new(args)?;
    let result = match &args.command {
        Command::Inspect(a) => inspect::run(a, voice),
        Command::Hierarchy(a) => hierarchy::run(a, voice),
        Command::Anonymize(a) => anonymize::run(a, voice),
        Command::Verify(a) => verify::run(a, voice),
        Command::Risk(a) => risk::run(a, voice),
        Command::Utility(a) => utility::run(a, voice),
        Command::Certify(a) => certify::run(a, voice),
        Command::Compare(a) => compare::run(a, voice),
        Command::Whatif(a) => whatif::run(a, voice),
        Command::Plot(a) => plot::run(a, voice),
        Command::Serve(a) => serve::run(a, voice),
        Command::Solvers(a) => solvers::run(a, voice),
        Command::Demo => demo::run(voice),
        Command::Generate(a) => generate::run(a, voice),
    };
    voice.finish();
    result
}
