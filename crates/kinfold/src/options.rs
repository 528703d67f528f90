//! How a call is to work: who groups the rows, how long it may take, who watches.

use crate::bounds::Strength;
use crate::catalogue::Choice;
use crate::earlier::Earlier;
use crate::error::Error;
use crate::run::{Effort, Run};
use kinfold_model::call::Call;
use kinfold_model::frame::Frame;
use kinfold_model::table::{Header, Limits, ReadOptions};
use std::time::Duration;

/// How to anonymize.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Who groups the rows.
    pub solver: Choice,
    /// How long to search for an answer.
    pub effort: Effort,
    /// Where random choices start from.
    pub seed: u64,
    /// Whether the seed is told in the run record alone: [`Options::draw_seed`].
    pub secret_seed: bool,
    /// How many threads may work; none: one per core. The answer does not depend on it.
    pub threads: Option<usize>,
    /// How long grouping and bounding may take.
    pub time_limit: Option<Duration>,
    /// How good a bound is wanted.
    pub bound: Strength,
    /// Whether the rows of the release stand in the order of the table. Whoever knows about
    /// where a person stands in it may then tell the person's row. By default rows are sorted by what is
    /// published.
    pub keep_order: bool,
    /// Whether long sets get names, which [`Anonymized::lookup`](crate::Anonymized::lookup) explains.
    pub lookup: bool,
    /// What was learned from an earlier table: the same domains and the same loss scale. None: learned from
    /// this one.
    pub using: Option<Frame>,
    /// Whether what is learned from the table is kept, as [`Anonymized::frame`](crate::Anonymized::frame).
    pub keep_frame: bool,
    /// Earlier releases about the same people. How many people are left where all are laid over each other is
    /// measured and reported.
    pub after: Vec<Earlier>,
    /// Whether rows are grouped so that k people are left in every intersection with earlier releases; if that
    /// is not possible, nothing is published.
    pub refuse: bool,
    /// With `refuse`, how many people of the table may count as new after an earlier release whose groups file is not
    /// known; none: nobody.
    pub new_people: Option<u64>,
    /// What a release may be at most, when it is read for verifying.
    pub limits: Limits,
    /// The call: stop it, watch it.
    pub call: Call,
}

impl Options {
    /// Draws the seed from the system's randomness, and keeps it secret: whoever has a register of the same people
    /// and knows the seed can make the groups again.
    pub fn draw_seed(&mut self) -> Result<(), Error> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)
            .map_err(|e| Error::unsuitable(format!("the system has no randomness: {e}"), ""))?;
        // Every front end takes a number of 63 bits.
        (self.seed, self.secret_seed) = (u64::from_le_bytes(bytes) >> 1, true);
        Ok(())
    }

    /// The run of a solver, whose time starts now.
    pub(crate) fn run(&self) -> Run {
        let run = Run { seed: self.seed, effort: self.effort, call: self.call.clone(), ..Run::default() };
        let deadline = self.time_limit.and_then(|limit| run.started.checked_add(limit));
        Run { threads: self.threads.unwrap_or(run.threads), deadline, ..run }
    }

    /// How a release is read back.
    pub(crate) fn reading(&self) -> ReadOptions {
        ReadOptions {
            header: Header::Yes,
            limits: self.limits,
            call: self.call.clone(),
            ..ReadOptions::default()
        }
    }
}
