//! Annealing: from the tree-greedy grouping, many small changes, of which bad ones are accepted ever more rarely.
//!
//! # The problem
//! Greedy groupings are some 15 % above what is possible: early groups took what later ones needed.
//!
//! # The idea
//! Take a row and one of its nearest neighbours in another group, and let the groups exchange or hand over
//! a row so that the two come together; now and then dissolve a group into its neighbours, or make a new
//! one from groups that can spare rows. Changes for the better are taken; changes for the worse with
//! probability exp(−change/temperature). The temperature is set by what share of changes is to be
//! accepted, falling from a tenth to a few in a thousand, so that it fits any k, size, column and weight.
//!
//! # How it is fast
//! A change is judged in O(1) from the two groups' totals (see `parts/groups.rs`). Passes work on blocks of
//! neighbouring groups, cut anew each time, in parallel; each block has a random stream of its own, so
//! the number of threads changes nothing.
//!
//! # Rows that need no thought
//! Of a record with very many copies most are left in a group of their own; enough stay to be lent.

mod block;
mod blocks;

use super::tree_greedy;
use crate::parts::digest::{Layout, Work};
use crate::parts::groups::Unit;
use crate::parts::random::Random;
use crate::run::{Effort, Run, Stopped};
use crate::solve::{Card, Promise, Solver};
use block::{Block, Shared};
use kinfold_model::cost::Objective;
use kinfold_model::judge::{Found, WITHHELD};
use kinfold_model::problem::Problem;
use rayon::prelude::*;

pub(crate) struct Anneal;

const CARD: Card = Card {
    key: "anneal",
    title: "tree-greedy, then small changes accepted ever more rarely",
    paper: "Kirkpatrick, Gelatt, Vecchi: optimization by simulated annealing (1983); moves of our own",
    objectives: &[Objective::Ncp],
    uses_effort: true,
    promise: Promise::Heuristic,
    runtime: "linear in rows: some 0.1 ms per row at normal effort",
    not_for: "a first look at millions of rows: use --effort quick",
    settings: &[],
};

impl Solver for Anneal {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Found, Stopped> {
        Layout::of(problem).run(&Annealing { problem, run })
    }
}

/// Share of changes accepted, first and last.
const WARM: f64 = 0.3;
const COLD: f64 = 0.015;
/// Tries per row of the last pass, which only descends.
const DESCENT: usize = 30;

/// How many passes, and how many tries per row in each. Large groups cost more per change and need fewer.
fn schedule(effort: Effort, k: u64) -> (usize, usize) {
    let (passes, tries) = match effort {
        Effort::Quick => (0, 0),
        Effort::Normal => (30, 27),
        Effort::Deep => (100, 80),
    };
    (passes, if k < 20 { tries } else { tries * 3 / 4 })
}

struct Annealing<'a> {
    problem: &'a Problem,
    run: &'a Run,
}

impl Work for Annealing<'_> {
    type Answer = Result<Found, Stopped>;

    fn run<const L: usize, const W: usize>(&self, layout: &Layout) -> Self::Answer {
        let Self { problem, run } = *self;
        let start = tree_greedy::start::<L, W>(problem, layout, run)?;
        let mut state = State::new(problem, start.found.group_of);
        let shared = Shared::new(problem, &start.digests, &start.neighbours);
        let (passes, tries) = schedule(run.effort, problem.k());
        for pass in 0..=passes {
            if run.out_of_time() {
                break;
            }
            let done = pass as f64 / passes.max(1) as f64;
            run.report(done, None);
            let (accepted, tries) =
                if pass == passes { (0.0, DESCENT) } else { (WARM * (COLD / WARM).powf(done), tries) };
            state.pass(&shared, run, pass as u64, accepted, tries)?;
        }
        Ok(Found { group_of: state.finish() })
    }
}

/// The grouping between passes: units are the rows that move, sorted by record.
struct State {
    group_of_row: Vec<u32>,
    rows: Vec<u32>,
    units: Vec<Unit>,
    groups: Vec<Vec<u32>>,
}

impl State {
    fn new(problem: &Problem, group_of_row: Vec<u32>) -> Self {
        let count = group_of_row.iter().filter(|&&g| g != WITHHELD).max().map_or(0, |&g| g as usize + 1);
        let mut state =
            Self { group_of_row, rows: Vec::new(), units: Vec::new(), groups: vec![Vec::new(); count] };
        let mut frozen = state.frozen_rows(problem);
        for record in 0..problem.records() as u32 {
            for &row in problem.rows_of(record) {
                let group = state.group_of_row[row as usize];
                if group == WITHHELD {
                    continue;
                }
                if frozen[group as usize].0 > 0 {
                    frozen[group as usize].0 -= 1;
                    state.group_of_row[row as usize] = frozen[group as usize].1;
                    continue;
                }
                let unit = state.units.len() as u32;
                state.rows.push(row);
                state.units.push(Unit { record, people: problem.row_size(row) as u32 });
                state.groups[group as usize].push(unit);
            }
        }
        state
    }

    /// For every group how many of its rows need not move, and the number of the group they stay in: of a group
    /// of more than 4k copies of one record, all but 3k.
    fn frozen_rows(&self, problem: &Problem) -> Vec<(u64, u32)> {
        let groups = self.groups.len();
        let mut rows = vec![0u64; groups];
        let mut record_of = vec![None; groups];
        let mut mixed = vec![false; groups];
        for (row, &group) in (0u32..).zip(&self.group_of_row).filter(|(_, g)| **g != WITHHELD) {
            let record = problem.record_of(row);
            rows[group as usize] += 1;
            mixed[group as usize] |=
                *record_of[group as usize].get_or_insert(record) != record || problem.row_size(row) != 1;
        }
        let k = problem.k();
        (0..groups)
            .map(|g| (if mixed[g] || rows[g] <= 4 * k { 0 } else { rows[g] - 3 * k }, (groups + g) as u32))
            .collect()
    }

    fn pass<const L: usize, const W: usize>(
        &mut self,
        shared: &Shared<'_, L, W>,
        run: &Run,
        pass: u64,
        accepted: f64,
        tries: usize,
    ) -> Result<(), Stopped> {
        let seed = Random::new(run.seed ^ (pass + 1)).next();
        let groups = std::mem::take(&mut self.groups).into_iter().filter(|g| !g.is_empty()).collect();
        let blocks = blocks::cut(shared.problem, &self.units, groups, &mut Random::new(seed));
        let done: Result<Vec<Vec<Vec<u32>>>, Stopped> = blocks
            .par_iter()
            .enumerate()
            .map(|(number, groups)| {
                let mut random = Random::new(seed.wrapping_add(number as u64 + 1));
                let mut block = Block::new(shared, &self.units, groups);
                block.anneal(run, &mut random, accepted, tries)?;
                Ok(block.finish())
            })
            .collect();
        self.groups = done?.into_iter().flatten().collect();
        Ok(())
    }

    fn finish(mut self) -> Vec<u32> {
        // Numbers without gaps: the groups of rows that did not move first, then the others.
        let mut moving = vec![false; self.group_of_row.len()];
        for &row in &self.rows {
            moving[row as usize] = true;
        }
        let mut numbers = std::collections::BTreeMap::new();
        for (group, _) in
            self.group_of_row.iter_mut().zip(&moving).filter(|(g, moves)| !**moves && **g != WITHHELD)
        {
            let next = numbers.len() as u32;
            *group = *numbers.entry(*group).or_insert(next);
        }
        let moved = self.groups.iter().filter(|g| !g.is_empty());
        for (number, group) in (numbers.len() as u32..).zip(moved) {
            for &unit in group {
                self.group_of_row[self.rows[unit as usize] as usize] = number;
            }
        }
        self.group_of_row
    }
}
