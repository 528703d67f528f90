//! Greedy Search: Algorithm 2 of paper *optimize*.
//!
//! # The problem
//! Sorted runs only ever group neighbours in one order. The row that fits a group best may stand
//! anywhere.
//!
//! # The idea
//! Walk through the sorted rows. The first row without a group starts one; k − 1 times, of all rows
//! still free, the one whose joining costs least joins (lines 9–17). Rows left over at the end join
//! the group that they make worse least (the paper's note on convergence).
//!
//! # How it is fast
//! Every free record is looked at for every join, as in the paper; [`Sweep`] does it column by
//! column and applies only what changed. Copies of a record are looked at once.
//!
//! # What it lacks
//! The last groups take what nobody wanted. At the deadline the rows still free are cut into
//! sorted runs.

use super::initial::cut_into_runs;
use crate::parts::closing::Closing;
use crate::parts::leftovers;
use crate::parts::order::{ORDER, sorted_records_as_set};
use crate::parts::sweep::{Amount, Sweep};
use crate::{Answer, Card, Run, Solver, Stopped};
use kinfold_model::{Found, Objective, Problem};

pub(crate) struct GreedySearch;

const CARD: Card = Card {
    key: "greedy-search",
    title: "seeds in sorted order, each joined by the k − 1 cheapest rows",
    paper: "Liang, Samavi: optimization-based k-anonymity algorithms, Algorithm 2",
    objectives: Objective::BY_CELL,
    runtime: "n² over distinct records: a second at 30,000 rows, minutes at 300,000",
    not_for: "hundreds of thousands of distinct records",
    settings: &[ORDER],
    ..Card::BASE
};

impl Solver for GreedySearch {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let mut sweep = Sweep::<i64>::new(problem, &sorted_records_as_set(problem, run));
        Ok(grow_groups(problem, run, &mut sweep, |sweep, _| sweep.first())?.into())
    }
}

/// Grows group after group, each from the seed that `pick` finds; `pick` is given the seed before.
pub(super) fn grow_groups<A: Amount>(
    problem: &Problem,
    run: &Run,
    sweep: &mut Sweep<'_, A>,
    mut pick: impl FnMut(&mut Sweep<'_, A>, Option<u32>) -> Option<usize>,
) -> Result<Found, Stopped> {
    let mut group_of = vec![0; problem.rows()];
    let (mut group, mut free) = (0u32, problem.people());
    let mut seed = None;
    while free >= problem.k() && !run.out_of_time() {
        run.check()?;
        run.report(1.0 - free as f64 / problem.people() as f64, None);
        let Some(at) = pick(sweep, seed) else { break };
        seed = Some(sweep.record(at));
        let people = grow(problem, sweep, at, |row| group_of[row as usize] = group);
        free -= people;
        group += 1;
    }
    let rest = sweep.remaining();
    let after = cut_into_runs(problem, rest.iter().copied(), group, &mut group_of);
    if after == group {
        leftovers::distribute(problem, &mut group_of, group as usize, &rest);
    }
    Ok(Found::plain(group_of))
}

/// One group: the seed at a position, and the cheapest rows until it holds k people and fulfils what else is
/// required. Returns how many it holds.
pub(super) fn grow<A: Amount>(
    problem: &Problem,
    sweep: &mut Sweep<'_, A>,
    seed: usize,
    mut assign: impl FnMut(u32),
) -> u64 {
    let record = sweep.record(seed);
    let mut closing = Closing::new(problem);
    let mut take = |sweep: &mut Sweep<'_, A>, at: usize| {
        let row = sweep.take(at);
        assign(row);
        closing.take(row)
    };
    if take(sweep, seed) {
        return closing.people;
    }
    sweep.begin(record);
    while let Some((at, _)) = sweep.cheapest() {
        // A record that changes nothing stays the cheapest as long as it has rows.
        let free_ride = sweep.rise(at) == A::default();
        let record = sweep.record(at);
        let mut closed = take(sweep, at);
        while !closed && free_ride && sweep.alive(at) {
            closed = take(sweep, at);
        }
        if closed {
            break;
        }
        sweep.join(record);
    }
    closing.people
}
