//! Work in the background. Every job is a call of the library on a thread of its own: it can be watched and
//! stopped, and a new job of the same kind stops the one before it.

use super::trouble::Trouble;
use kinfold::Progress;
use kinfold::model::{Call, Event};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often a job tells how far it is.
const OFTEN: Duration = Duration::from_millis(100);
/// How long a watcher waits for news before it is told that there are none.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a job is for. A session has one of each kind at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Reads the table and looks at its columns.
    Read,
    /// The release for the k of the slider, at quick effort.
    Answer,
    /// The figures for another k, for the curve.
    Point,
    /// The release that is published.
    Publish,
    /// How far it can be from the best.
    Certify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Stage {
    Working,
    Done,
    Failed,
}

/// How far a job is, as the page is told.
#[derive(Debug, Clone, Serialize)]
pub struct State {
    number: u64,
    stage: Stage,
    /// Grows with every change.
    revision: u64,
    phase: Option<&'static str>,
    /// The share of the phase that is done.
    done: Option<f64>,
    rows: Option<usize>,
    loss: Option<f64>,
    bound: Option<f64>,
    /// Seconds, loss and bound over time.
    trail: Vec<(f64, Option<f64>, Option<f64>)>,
    error: Option<Trouble>,
    result: Option<Value>,
}

/// More points than this show nothing more.
const MOST_POINTS: usize = 400;

impl State {
    /// Keeps the trail short however long the job runs: every second point goes.
    fn thin_out(&mut self) {
        if self.trail.len() >= MOST_POINTS {
            self.trail = self.trail.iter().copied().step_by(2).collect();
        }
    }
}

struct Job {
    number: u64,
    call: Call,
    state: watch::Sender<State>,
}

impl Job {
    /// Stops it, unless it is done: its release can still be written then.
    fn stop(&self) {
        if self.state.borrow().stage == Stage::Working {
            self.call.stop();
        }
    }
}

/// The jobs of a session.
#[derive(Default)]
pub struct Jobs {
    by_kind: Mutex<(u64, BTreeMap<Kind, Arc<Job>>)>,
}

impl Jobs {
    /// Starts a job; the one of this kind that runs is stopped. What `work` answers is its result.
    pub fn start(
        &self,
        kind: Kind,
        work: impl FnOnce(&Call) -> Result<Value, Trouble> + Send + 'static,
    ) -> Result<u64, Trouble> {
        let mut jobs = self.by_kind.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.0 += 1;
        let number = jobs.0;
        let (state, _) = watch::channel(State {
            number,
            stage: Stage::Working,
            revision: 1,
            phase: None,
            done: None,
            rows: None,
            loss: None,
            bound: None,
            trail: Vec::new(),
            error: None,
            result: None,
        });
        let call = Call::watched(watcher(state.clone()));
        let job = Arc::new(Job { number, call, state });
        if let Some(before) = jobs.1.insert(kind, job.clone()) {
            before.stop();
        }
        let thread = std::thread::Builder::new().name(format!("job {number}"));
        let spawned = thread.spawn(move || {
            let answer = catch_unwind(AssertUnwindSafe(|| work(&job.call)));
            let answer = answer.unwrap_or_else(|_| {
                Err(Trouble::fault("an internal error stopped this: please report it as a bug"))
            });
            job.state.send_modify(|state| {
                state.revision += 1;
                match answer {
                    Ok(result) => (state.stage, state.result) = (Stage::Done, Some(result)),
                    Err(trouble) => (state.stage, state.error) = (Stage::Failed, Some(trouble)),
                }
            });
        });
        spawned.map_err(|e| Trouble::fault(format!("cannot start a thread: {e}")))?;
        Ok(number)
    }

    /// Stops a job, unless a newer one has taken its place.
    pub fn stop(&self, kind: Kind, number: u64) {
        if let Some(job) = self.job(kind).filter(|job| job.number == number) {
            job.stop();
        }
    }

    /// Stops all of them.
    pub fn stop_all(&self) {
        let jobs = self.by_kind.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.1.values().for_each(|job| job.stop());
    }

    /// How far the job of this kind is, once there is something that the watcher has not `seen`.
    pub async fn news(&self, kind: Kind, number: u64, seen: u64) -> Result<State, Trouble> {
        let none = || Trouble::missing("there is no such job", "start it again");
        let mut news = self.job(kind).ok_or_else(none)?.state.subscribe();
        let told = |state: &State| state.number != number || state.revision > seen;
        // No news are an answer, too: that the job is where it was.
        let waited = tokio::time::timeout(PATIENCE, news.wait_for(told)).await;
        waited.map_or(Ok(()), |state| state.map(|_| ()).map_err(|_| none()))?;
        Ok(news.borrow().clone())
    }

    fn job(&self, kind: Kind) -> Option<Arc<Job>> {
        self.by_kind.lock().unwrap_or_else(PoisonError::into_inner).1.get(&kind).cloned()
    }
}

/// Writes down what a call tells, and passes it on now and then.
fn watcher(to: watch::Sender<State>) -> impl Fn(Event) + Send + Sync + 'static {
    let started = Instant::now();
    let last = Mutex::new(started);
    move |event| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.elapsed() >= OFTEN || matches!(event, Event::Phase(_));
        if due {
            *last = Instant::now();
        }
        to.send_if_modified(|state| {
            match event {
                Event::Phase(phase) => (state.phase, state.done) = (Some(phase.word()), None),
                Event::Rows(rows) => state.rows = Some(rows),
                Event::Work(Progress { done, loss, bound }) => {
                    (state.done, state.loss, state.bound) =
                        (Some(done), loss.or(state.loss), bound.or(state.bound));
                    if due && (loss.is_some() || bound.is_some()) {
                        state.thin_out();
                        state.trail.push((started.elapsed().as_secs_f64(), state.loss, state.bound));
                    }
                }
                _ => {}
            }
            state.revision += u64::from(due);
            due
        });
    }
}
