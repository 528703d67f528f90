//! Annealing: from the tree-greedy grouping, many small changes, of which bad ones are accepted ever more
//! rarely.
//!
//! # The problem
//! Greedy groupings are some 15 % above what is possible: early groups took what later ones needed.
//!
//! # The idea
//! Take a row and one of its nearest neighbours in another group, and let the groups exchange or hand over a
//! row so that the two come together. Now and then change whole groups: dissolve one into its neighbours,
//! make a new one from groups that can spare rows, or put two together and part them along a column. Changes
//! for the better are taken; changes for the worse with probability exp(−change/temperature). The temperature
//! is set by what share of changes is to be accepted, falling from a fifth to one in a hundred, so that it
//! fits any k, size, column and weight. Where the policy lets rows be withheld, leaving one out is a change
//! like any other. At last only changes for the better are taken. The best grouping between passes counts.
//!
//! # How it is fast
//! A change is judged in O(1) from the two groups' totals (see `parts/groups.rs`). Passes work on blocks of
//! neighbouring groups, cut anew each time, in parallel; each block has a random stream of its own, so the
//! number of threads changes nothing. Rows are kept and visited in the order of the tree, neighbours near
//! each other in memory. Rows in groups that cost nothing start no change: whoever needs them asks. Of a
//! record with very many copies most are left in a group of their own; enough stay to be lent. Small tables
//! are annealed many times.
//!
//! `moving.rs` has the rows that move and a pass over them, `blocks.rs` the blocks, `block.rs` moves and swaps,
//! `reshape.rs` the changes of whole groups, `withhold.rs` leaves rows out.
//!
//! # Requirements beyond k
//! Every group has a tally (`watch.rs`), and a change is made only if all groups that it touches still fulfil
//! everything. Where groups must mirror the table (closeness, likeness, disclosure), rows of the same class
//! change places, which never breaks anything, and two groups are parted by slices. `slices.rs` has the start.
//!
//! # What helps, measured on census tables at equal time
//! Without dissolving and creating the loss is 2 % higher at k = 5 and half as high again at k = 200. Parting
//! two groups anew lowers it by 1 % at k = 5, by 3 % at k = 50.
//!
//! # What did not help
//! More neighbours than 8, or fewer. Picking rows at random instead of in turn (no better, and slower on
//! large tables). Hotter starts, colder ends, more and shorter passes. Vector instructions beyond the common
//! ones.

mod block;
mod blocks;
mod hosts;
mod moving;
mod reshape;
mod slices;
mod watch;
mod withhold;

use super::tree_greedy;
use crate::parts::digest::{EVERYTHING, Layout, Work};
use crate::parts::random::Random;
use crate::{Answer, Card, Effort, Run, Solver, Stopped};
use block::Shared;
use blocks::block_rows;
use kinfold_model::cost::group_cost;
use kinfold_model::{Cost, Found, Objective, Problem, WITHHELD};
use moving::{Moving, Pace};
use rayon::prelude::*;
use std::sync::Mutex;

pub(crate) struct Anneal;

const CARD: Card = Card {
    key: "anneal",
    title: "tree-greedy, then small changes accepted ever more rarely",
    paper: "Kirkpatrick, Gelatt, Vecchi: optimization by simulated annealing (1983); moves of our own",
    objectives: Objective::BY_CELL,
    uses_effort: true,
    runtime: "linear in rows: some 0.1 ms per row at normal effort",
    not_for: "a first look at millions of rows: use quick effort",
    ..Card::BASE
};

impl Solver for Anneal {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        Layout::of(problem).run(&Annealing { problem, run }).map(Answer::from)
    }
}

/// Share of changes accepted, first and last.
const WARM: f64 = 0.2;
const COLD: f64 = 0.01;
/// Columns from which on a try costs more with every column.
const MANY_COLUMNS: usize = 28;
/// Tries per row and pass at least.
const FEWEST_TRIES: usize = 3;
/// Records of a large table.
const LARGE: usize = 60_000;
/// Tries per row of the last pass, which only descends, at most.
const DESCENT: usize = 75;
/// The last pass ends when two tries per row gain less than one in so many; where the start took long, it is
/// worth more, where it was made in a hurry, less.
const ENOUGH: i64 = 500;
const ENOUGH_IN_A_HURRY: i64 = 100;
const ENOUGH_AFTER_SWEEPING: i64 = 20_000;
/// The last pass may begin at this share of a time limit.
const COOL_BY: f64 = 0.85;

/// Passes that anneal, tries per row in each, and how often to start anew.
#[derive(Debug, Clone, Copy)]
struct Schedule {
    passes: usize,
    tries: usize,
    restarts: u64,
}

impl Schedule {
    /// Fewer tries per row where a try costs more (large groups, many columns), and on large tables, where a
    /// small loss is worth less time: from four times [`LARGE`] on, the tries of all rows together stay the
    /// same. Small tables are annealed several times, because one run may end in a poor place: so many tries
    /// in all.
    fn of(run: &Run, effort: Effort, problem: &Problem, rows: usize) -> Self {
        let tries = 28 + 45 / problem.k() as usize;
        let tries = tries * MANY_COLUMNS / problem.rules().len().max(MANY_COLUMNS);
        let tries = match problem.records() as f64 / LARGE as f64 {
            times if times > 4.0 => (2.0 * tries as f64 / times) as usize,
            times if times > 1.0 => tries / 2,
            _ => tries,
        };
        let tries = tries.max(FEWEST_TRIES);
        let (passes, tries, budget) = match effort {
            Effort::Quick => (0, 0, 0_u32),
            Effort::Normal => (30, tries, 500_000),
            Effort::Deep => (110, 3 * tries, 12_000_000),
        };
        let budget = (f64::from(budget) * run.share) as u64;
        let restarts = (budget / (passes * tries * rows).max(1) as u64).clamp(1, 200);
        Self { passes, tries, restarts }
    }
}

struct Annealing<'a> {
    problem: &'a Problem,
    run: &'a Run,
}

impl Work for Annealing<'_> {
    type Answer = Result<Found, Stopped>;

    fn run<const L: usize, const W: usize>(&self, layout: &Layout) -> Self::Answer {
        let Self { problem, run } = *self;
        let mut start = tree_greedy::start::<L, W>(problem, layout, run)?;
        if let Some(guard) = problem.guard() {
            slices::fulfil(problem, guard, &start.near, run, &mut start.found.group_of)?;
        }
        let (moving, first) = Moving::new(problem, &start.near.records, start.found.group_of);
        let rows = block_rows(problem.k(), start.rough);
        let shared = Shared::new(problem, &start.near, &start.neighbours, rows);
        let enough = match start.neighbours.exact {
            false => ENOUGH_AFTER_SWEEPING,
            true if start.rough => ENOUGH_IN_A_HURRY,
            true => ENOUGH,
        };
        // Each effort begins with what the ones below do, so that more of it never loses more.
        let below = [Effort::Quick, Effort::Normal, Effort::Deep].into_iter().filter(|e| *e <= run.effort);
        // With a time limit, a schedule that fills it is worth more than a short one before it.
        let efforts: Vec<Effort> = below
            .filter(|e| *e != Effort::Normal || run.effort == Effort::Normal || run.deadline.is_none())
            .collect();
        let schedules =
            efforts.into_iter().map(|effort| Schedule::of(run, effort, problem, moving.units.len()));
        let schedules: Vec<Schedule> = schedules.collect();
        let of = schedules.iter().map(|s| s.restarts as usize * (s.passes + 1)).sum();
        let told = PassProgress { problem, run, of, best: Mutex::new((0, i64::MAX)) };
        let mut best: Option<(Option<Cost>, Vec<u32>)> = None;
        for schedule in schedules {
            let work = Attempt { shared: &shared, told: &told, moving: &moving, schedule, enough };
            // A single attempt goes on from the best so far; many begin anew, for a local optimum leads all
            // to the same place.
            let so_far = best.as_ref().filter(|_| schedule.restarts == 1);
            let found = work.best(so_far.map_or(&first, |(_, found)| found))?;
            // In exact costs, once there is something to compare: those of digests are rounded.
            let cost = (run.effort > Effort::Quick).then(|| exact_cost(problem, &moving.finish(&found)));
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, found));
            }
            if run.out_of_time() {
                break;
            }
        }
        Ok(Found::plain(moving.finish(best.as_ref().map_or(&first, |(_, found)| found))))
    }
}

/// What the groups cost, as the judge counts; rows that are withheld lose everything.
fn exact_cost(problem: &Problem, group_of: &[u32]) -> Cost {
    let mut rows: Vec<u32> = (0..problem.rows() as u32).collect();
    rows.sort_unstable_by_key(|&row| (group_of[row as usize], row));
    let groups = rows.chunk_by(|&a, &b| group_of[a as usize] == group_of[b as usize]);
    groups
        .map(|group| match group_of[group[0] as usize] {
            WITHHELD => {
                let people: u64 = group.iter().map(|&row| problem.row_size(row)).sum();
                Cost(people * problem.withheld_cost())
            }
            _ => group_cost(problem, group),
        })
        .sum()
}

/// Attempts are made so many at a time, and no more once the best was found so often.
const ROUND: u64 = 4;
const AGAIN: u32 = 4;

/// What all attempts of a schedule share.
struct Attempt<'a, const L: usize, const W: usize> {
    shared: &'a Shared<'a, L, W>,
    told: &'a PassProgress<'a>,
    moving: &'a Moving,
    schedule: Schedule,
    enough: i64,
}

impl<const L: usize, const W: usize> Attempt<'_, L, W> {
    /// The best of all attempts, in parallel.
    fn best(&self, first: &[u32]) -> Result<Vec<u32>, Stopped> {
        let (run, restarts) = (self.told.run, self.schedule.restarts);
        let mut best: Option<(i64, Vec<u32>)> = None;
        let mut met = 0;
        for round in (0..restarts).step_by(ROUND as usize) {
            let attempts: Result<Vec<_>, Stopped> = (round..restarts.min(round + ROUND))
                .into_par_iter()
                .map(|restart| self.one(first, Random::new(run.seed ^ restart << 32)))
                .collect();
            for (cost, group_of) in attempts? {
                match &best {
                    // Of equally good ones the first counts, whichever thread was faster.
                    Some((least, _)) if cost >= *least => met += u32::from(cost == *least),
                    _ => (best, met) = (Some((cost, group_of)), 1),
                }
            }
            if met >= AGAIN || run.out_of_time() {
                break;
            }
        }
        Ok(best.map_or_else(|| first.to_vec(), |(_, group_of)| group_of))
    }

    /// One run: warm, ever colder, and down. The best grouping between passes counts, not the last.
    fn one(&self, first: &[u32], mut random: Random) -> Result<(i64, Vec<u32>), Stopped> {
        let Self { told, schedule: Schedule { passes, tries, .. }, .. } = *self;
        let mut group_of = first.to_vec();
        let mut best: Option<(i64, Vec<u32>)> = None;
        let mut pass = 0;
        // With a time limit, time cools as well: the hotter passes are left out when there are too many.
        while pass < passes && told.run.time_used() < COOL_BY {
            let done = (pass as f64 / passes as f64).max(told.run.time_used() / COOL_BY);
            let accepted = WARM * (COLD / WARM).powf(done);
            let pace = Pace { accepted, tries, enough: 0, until: COOL_BY };
            let (was, cost) = self.moving.pass(&mut group_of, self.shared, told.run, random.next(), pace)?;
            let best = best.get_or_insert_with(|| (was, first.to_vec()));
            if cost < best.0 {
                *best = (cost, group_of.clone());
            }
            told.pass_done(best.0);
            pass += 1;
        }
        let pace = Pace { accepted: 0.0, tries: DESCENT, enough: self.enough, until: 1.0 };
        let (_, cost) = self.moving.pass(&mut group_of, self.shared, told.run, random.next(), pace)?;
        let best = best.filter(|(least, _)| *least < cost).unwrap_or((cost, group_of));
        told.pass_done(best.0);
        Ok(best)
    }
}

/// Tells how far all attempts together have come, and the least loss so far.
struct PassProgress<'a> {
    problem: &'a Problem,
    run: &'a Run,
    /// Passes of all attempts.
    of: usize,
    /// Passes done, and the least cost.
    best: Mutex<(usize, i64)>,
}

impl PassProgress<'_> {
    fn pass_done(&self, cost: i64) {
        let Ok(mut best) = self.best.lock() else { return };
        best.0 += 1;
        best.1 = best.1.min(cost);
        let loss = best.1 as f64 / (self.problem.people() as f64 * EVERYTHING as f64);
        let done = best.0 as f64 / self.of as f64;
        self.run.report(done.max(self.run.time_used().min(1.0)), Some(loss));
    }
}
