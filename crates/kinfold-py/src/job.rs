//! Work on a thread of its own. The caller waits for it with the interpreter released, looks for Ctrl-C and tells how
//! far the work is, twenty times a second.

use crate::error::{internal, raised};
use kinfold::Error;
use kinfold::model::{Call, Event};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long to wait before looking around.
const MOMENT: Duration = Duration::from_millis(50);
/// How long to wait for work that was stopped. Whatever it still does afterwards, it leaves no file.
const PATIENCE: Duration = Duration::from_millis(400);
/// Address space for the stack of the thread.
const STACK: usize = 16 << 20;

/// How far the work is: what it does, the share that is done, the rows that were read, the loss so far.
#[derive(Debug, Clone, Default, PartialEq)]
struct Stage {
    name: String,
    done: Option<f64>,
    rows: Option<usize>,
    loss: Option<f64>,
}

impl Stage {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Phase(phase) => *self = Self { name: phase.word().to_owned(), ..Self::default() },
            Event::Part(name) => *self = Self { name, ..Self::default() },
            Event::Rows(rows) => self.rows = Some(rows),
            Event::Work(so_far) => (self.done, self.loss) = (Some(so_far.done), so_far.loss),
            _ => {}
        }
    }
}

/// Runs work under a new call. `progress` is called with how far it is; what it raises stops the work.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Call) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let stage = Arc::new(Mutex::new(Stage::default()));
    let call = match progress {
        Some(_) => {
            let ear = stage.clone();
            Call::watched(move |event| ear.lock().unwrap_or_else(PoisonError::into_inner).hear(event))
        }
        None => Call::new(),
    };
    run_under(py, &call, &stage, progress, work)
}

/// Runs more work under a call that is over.
pub fn go_on<T: Send + 'static>(
    py: Python<'_>,
    call: &Call,
    work: impl FnOnce(&Call) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    run_under(py, call, &Mutex::default(), None, work)
}

fn run_under<T: Send + 'static>(
    py: Python<'_>,
    call: &Call,
    stage: &Mutex<Stage>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Call) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let (answer, heard) = channel();
    let own = call.clone();
    let thread = std::thread::Builder::new().name("kinfold".to_owned()).stack_size(STACK);
    let started = thread.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&own)));
        // Nobody waits any more: nothing to be done about it.
        let _ = answer.send(done);
    });
    if let Err(error) = started {
        return Err(internal(py, &format!("no thread could be started: {error}")));
    }
    let heard = Mutex::new(heard);
    let mut told = Stage::default();
    loop {
        match wait(py, &heard, MOMENT) {
            Ok(Ok(done)) => return done.map_err(|error| raised(py, &error)),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(internal(py, "the engine panicked"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut tell = || -> PyResult<()> {
            let now = stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(progress) = progress.filter(|_| now != told) {
                progress.call1((now.name.as_str(), now.done, now.rows, now.loss))?;
                told = now;
            }
            Ok(())
        };
        if let Err(stop) = py.check_signals().and_then(|()| tell()) {
            drop(call.abandon());
            let _ = wait(py, &heard, PATIENCE);
            return Err(stop);
        }
    }
}

/// Waits for an answer while other Python threads run.
fn wait<T: Send>(py: Python<'_>, heard: &Mutex<Receiver<T>>, time: Duration) -> Result<T, RecvTimeoutError> {
    py.detach(|| heard.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time))
}
