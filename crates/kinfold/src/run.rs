//! What a solver may know of the world: its seed, its threads, its settings, when to stop, whom to tell.
//! Solvers read no clock and do no I/O; they ask the run.

pub use kinfold_model::call::{Progress, Stopped};
use kinfold_model::{Call, Event};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long to search for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Effort {
    /// A good answer at once.
    Quick,
    /// A very good one in seconds.
    #[default]
    Normal,
    /// The best within minutes.
    Deep,
}

/// The circumstances of one solve.
#[derive(Clone)]
pub struct Run {
    /// Where random choices start from.
    pub seed: u64,
    /// How many threads may work; the answer does not depend on it.
    pub threads: usize,
    /// How long to search for an answer.
    pub effort: Effort,
    /// The share of the work that is worth doing on any table, however small: less than 1 for a part of a table.
    pub share: f64,
    /// When the work began.
    pub started: Instant,
    /// When the best answer so far is wanted.
    pub deadline: Option<Instant>,
    /// The call it belongs to: it may be stopped, and is told how far the work is.
    pub call: Call,
    /// The solver's own settings, by key; checked against its card.
    pub settings: BTreeMap<String, String>,
}

/// A delay that users do not notice.
const MOMENT: Duration = Duration::from_millis(20);

impl Default for Run {
    fn default() -> Self {
        Self {
            seed: 0,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            effort: Effort::default(),
            share: 1.0,
            started: Instant::now(),
            deadline: None,
            call: Call::new(),
            settings: BTreeMap::new(),
        }
    }
}

impl Run {
    /// Fails once the user stopped the work. Ask often.
    pub fn check(&self) -> Result<(), Stopped> {
        self.call.check()
    }

    /// Whether the best answer so far is wanted now.
    pub fn out_of_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the best answer so far is wanted now. Fails once the user stopped the work.
    pub fn is_over(&self) -> Result<bool, Stopped> {
        self.check()?;
        Ok(self.out_of_time())
    }

    /// Whether there is time to search on.
    pub fn goes_on(&self) -> bool {
        !self.out_of_time() && self.check().is_ok()
    }

    /// The share of the time limit that is used up; 0 without a limit.
    pub(crate) fn time_used(&self) -> f64 {
        let share = |deadline: Instant| {
            let limit = deadline.saturating_duration_since(self.started).as_secs_f64();
            if limit > 0.0 { self.started.elapsed().as_secs_f64() / limit } else { 1.0 }
        };
        self.deadline.map_or(0.0, share)
    }

    /// What is left of the time limit, if there is one.
    pub fn seconds_left(&self) -> Option<f64> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).as_secs_f64())
    }

    /// The same run, to end when one of so many equal parts of the time left is over.
    pub fn one_part_of(&self, parts: u32) -> Self {
        let now = Instant::now();
        let deadline = self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / parts);
        Self { deadline, ..self.clone() }
    }

    /// A run for extra work such as a quick bound: its deadline leaves all threads together a tenth of the
    /// time since the start, and 20 ms.
    pub(crate) fn aside(&self) -> Self {
        let now = Instant::now();
        let spare = (now.saturating_duration_since(self.started) / 10 + MOMENT) / self.threads.max(1) as u32;
        let deadline = self.deadline.map_or(now + spare, |deadline| deadline.min(now + spare));
        Self { started: now, deadline: Some(deadline), ..self.clone() }
    }

    /// Tells how much of the work is done, and what the best grouping so far loses.
    pub fn report(&self, done: f64, loss: Option<f64>) {
        self.tell(Progress { done, loss, bound: None });
    }

    /// Tells how far the work is.
    pub fn tell(&self, so_far: Progress) {
        self.call.tell(Event::Work(so_far));
    }

    /// Whether a switch of the solver is on.
    pub fn is_on(&self, key: &str) -> bool {
        self.settings.get(key).is_some_and(|v| v == "true")
    }

    /// Does the same to all of these, on the threads of the pool; the answers are in their order.
    pub(crate) fn each<T: Send, A: Send>(
        &self,
        all: impl IntoParallelIterator<Item = T>,
        work: impl Fn(T) -> A + Send + Sync,
    ) -> Result<Vec<A>, Stopped> {
        all.into_par_iter().map(|one| self.check().map(|()| work(one))).collect()
    }

    /// The same run, told to nobody.
    pub(crate) fn quietly(&self) -> Self {
        Self { call: self.call.quietly(), ..self.clone() }
    }

    /// Runs work on a pool of this run's threads.
    pub(crate) fn in_pool<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if self.threads <= 1 && rayon::current_thread_index().is_some() && rayon::current_num_threads() == 1 {
            // It is there already: many small parts are not worth a pool each.
            return work();
        }
        match rayon::ThreadPoolBuilder::new().num_threads(self.threads.max(1)).build() {
            Ok(pool) => pool.install(work),
            // No thread to be had: the calling one does the work, with the same answer.
            Err(_) => work(),
        }
    }
}
