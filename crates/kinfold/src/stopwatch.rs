//! How long a piece of work took: on the wall, and on all cores together.

use cpu_time::ProcessTime;
use std::time::Instant;

/// Started before the work.
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<ProcessTime>,
}

/// Seconds that a piece of work took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    /// On the wall.
    pub wall: f64,
    /// User and system time of all threads; `None` where the system does not tell.
    pub cpu: Option<f64>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { wall: Instant::now(), cpu: ProcessTime::try_now().ok() }
    }

    /// The time since the start.
    pub fn spent(&self) -> Spent {
        let cpu = self.cpu.and_then(|start| Some(ProcessTime::try_now().ok()?.duration_since(start)));
        Spent { wall: self.wall.elapsed().as_secs_f64(), cpu: cpu.map(|t| t.as_secs_f64()) }
    }
}

/// Times the phases of a call.
#[derive(Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the last lap.
    pub(crate) fn lap(&mut self) -> f64 {
        let last = std::mem::replace(&mut self.0, Instant::now());
        (self.0 - last).as_secs_f64()
    }
}
