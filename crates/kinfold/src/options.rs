//! How a call is to work: who groups the rows, how long it may take, who watches.

use crate::bounds::Strength;
use crate::catalogue::Choice;
use crate::error::Error;
use crate::run::{Effort, Run};
use kinfold_model::call::{Call, Phase};
use kinfold_model::encode::{Encoded, encode_and_learn, encode_with};
use kinfold_model::frame::Frame;
use kinfold_model::policy::Policy;
use kinfold_model::table::{Header, Limits, ReadOptions, Table};
use std::time::Duration;

/// How to anonymize.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Who groups the rows.
    pub solver: Choice,
    /// How long to search for an answer.
    pub effort: Effort,
    /// Where random choices start from.
    pub seed: u64,
    /// How many threads may work; none: one per core. The answer does not depend on it.
    pub threads: Option<usize>,
    /// How long grouping and bounding may take.
    pub time_limit: Option<Duration>,
    /// How good a bound is wanted.
    pub bound: Strength,
    /// Whether rows are put in another order.
    pub shuffle: bool,
    /// Whether long sets get names, which [`Anonymized::lookup`](crate::Anonymized::lookup) explains.
    pub lookup: bool,
    /// What was learned from an earlier table: the same domains and the same loss scale. None: learned from
    /// this one.
    pub using: Option<Frame>,
    /// Whether what is learned from the table is kept, as [`Anonymized::frame`](crate::Anonymized::frame).
    pub keep_frame: bool,
    /// What a release may be at most, when it is read for verifying.
    pub limits: Limits,
    /// The call: stop it, watch it.
    pub call: Call,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            solver: Choice::Auto,
            effort: Effort::default(),
            seed: 0,
            threads: None,
            time_limit: None,
            bound: Strength::default(),
            shuffle: false,
            lookup: false,
            using: None,
            keep_frame: false,
            limits: Limits::default(),
            call: Call::new(),
        }
    }
}

impl Options {
    /// The run of a solver, whose time starts now.
    pub(crate) fn run(&self) -> Run {
        let run = Run { seed: self.seed, effort: self.effort, call: self.call.clone(), ..Run::default() };
        let deadline = self.time_limit.and_then(|limit| run.started.checked_add(limit));
        Run { threads: self.threads.unwrap_or(run.threads), deadline, ..run }
    }

    /// A problem, and what its codes stand for.
    pub(crate) fn encode(&self, table: &Table, policy: &Policy) -> Result<Encoded, Error> {
        self.call.phase(Phase::Encoding)?;
        let encoded = encode_with(table, policy, self.using.as_ref(), &self.call);
        encoded.map_err(|e| Error::from(e).in_policy(policy))
    }

    /// The same, with what was learned from the table if that is to be kept.
    pub(crate) fn encode_keeping(
        &self,
        table: &Table,
        policy: &Policy,
    ) -> Result<(Encoded, Option<Frame>), Error> {
        if !self.keep_frame || self.using.is_some() {
            let frame = self.using.clone().filter(|_| self.keep_frame);
            return Ok((self.encode(table, policy)?, frame));
        }
        self.call.phase(Phase::Encoding)?;
        let encoded = encode_and_learn(table, policy, &self.call);
        let (encoded, frame) = encoded.map_err(|e| Error::from(e).in_policy(policy))?;
        Ok((encoded, Some(frame)))
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
