//! One call of the library: stopping it from outside, and watching how far it is. Nothing of this is global,
//! so that a page or a notebook can run several calls at once.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// The user stopped the work; there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("stopped")]
pub struct Stopped;

/// What a call is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Reading a table.
    Reading,
    /// Looking at its columns.
    Inspecting,
    /// Encoding it under the policy.
    Encoding,
    /// Grouping the rows.
    Grouping,
    /// Looking for a lower bound.
    Bounding,
    /// Writing the release.
    Publishing,
    /// Verifying what was written.
    Verifying,
    /// Proving a bound.
    Proving,
    /// Improving a grouping.
    Improving,
    /// Checking a certificate.
    Checking,
}

impl Phase {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Inspecting => "inspecting",
            Self::Encoding => "encoding",
            Self::Grouping => "grouping",
            Self::Bounding => "bounding",
            Self::Publishing => "publishing",
            Self::Verifying => "verifying",
            Self::Proving => "proving",
            Self::Improving => "improving",
            Self::Checking => "checking",
        }
    }
}

/// How far a solver has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The share of its work that is done, 0 to 1.
    pub done: f64,
    /// The average loss of the best valid grouping so far, once there is one and it is known.
    pub loss: Option<f64>,
    /// What any grouping must lose on average, as far as it is proven.
    pub bound: Option<f64>,
}

/// What a call tells its watcher.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A new phase starts.
    Phase(Phase),
    /// Work on one of several settings starts, which this describes.
    Part(String),
    /// So many rows were read.
    Rows(usize),
    /// A solver or a proof has come so far.
    Work(Progress),
}

type Watcher = Arc<dyn Fn(Event) + Send + Sync>;

/// A call. Clones are the same call: stopping one stops all.
#[derive(Clone, Default)]
pub struct Call {
    shared: Arc<Shared>,
    watcher: Option<Watcher>,
}

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    /// Files that do not have their final name yet.
    unfinished: Mutex<Vec<PathBuf>>,
}

impl Call {
    /// A call that nobody watches.
    pub fn new() -> Self {
        Self::default()
    }

    /// A call that tells how far it is. The watcher is called from the threads that work: it should be quick.
    pub fn watched(watcher: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self { watcher: Some(Arc::new(watcher)), ..Self::default() }
    }

    /// The same call, told to nobody.
    pub fn quietly(&self) -> Self {
        Self { watcher: None, ..self.clone() }
    }

    /// Stops the call: it ends soon, with [`Stopped`] and without an answer.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
    }

    /// Fails once the call was stopped. Ask often.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.shared.stopped.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
    }

    /// Tells the watcher.
    pub fn tell(&self, event: Event) {
        if let Some(watcher) = &self.watcher {
            watcher(event);
        }
    }

    /// Starts a phase, unless the call was stopped.
    pub fn phase(&self, phase: Phase) -> Result<(), Stopped> {
        self.tell(Event::Phase(phase));
        self.check()
    }

    /// The files that do not have their final name yet. While the lock is held, no file gets one.
    pub fn unfinished(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.shared.unfinished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the call and deletes its unfinished files, for a program that is about to end. While the guard
    /// lives, no file gets its final name.
    pub fn abandon(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.stop();
        let unfinished = self.unfinished();
        for path in unfinished.iter() {
            // It may be gone already.
            let _ = std::fs::remove_file(path);
        }
        unfinished
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("stopped", &self.check().is_err()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_one_call_and_others_are_not() {
        let (one, other) = (Call::new(), Call::new());
        let clone = one.clone();
        assert_eq!(clone.phase(Phase::Reading), Ok(()));
        one.stop();
        assert_eq!(clone.check(), Err(Stopped));
        assert_eq!(clone.quietly().check(), Err(Stopped));
        assert_eq!(other.check(), Ok(()));
    }

    #[test]
    fn a_watcher_hears_everything_unless_it_is_to_be_quiet() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = heard.clone();
        let call = Call::watched(move |event| ear.lock().unwrap().push(event));
        call.tell(Event::Rows(3));
        call.quietly().tell(Event::Rows(4));
        assert_eq!(call.phase(Phase::Encoding), Ok(()));
        assert_eq!(*heard.lock().unwrap(), [Event::Rows(3), Event::Phase(Phase::Encoding)]);
    }

    #[test]
    fn an_abandoned_call_leaves_no_unfinished_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("half");
        std::fs::write(&path, "half").unwrap();
        let call = Call::new();
        call.unfinished().push(path.clone());
        drop(call.abandon());
        assert!(!path.exists());
        assert_eq!(call.check(), Err(Stopped));
    }
}
