//! Tree greedy: Greedy Search in a good order, with the nearest record found through a tree.
//!
//! # The problem
//! Greedy Search looks at every free row for every join, n² in all, and its last groups take what
//! nobody wanted.
//!
//! # The idea
//! Rows that are far from everything are the ones that cost: they choose first. Records are sorted by
//! how far one must go to find k people; each that is still free starts a group and is joined by the
//! nearest free record, with all its copies, until k people are there. The nearest is exact: a tree
//! over the records ([`Near`]) leaves out only what cannot be nearer. Records with k copies or more
//! wait: they lend copies to others, and what is left of them is a group that loses nothing.
//!
//! # What it lacks
//! No choice is ever taken back.

use crate::parts::digest::{Digest, Digests, Layout, Work};
use crate::parts::leftovers;
use crate::parts::near::{Near, Query};
use crate::run::{Run, Stopped};
use crate::solve::{Card, Promise, Solver};
use kinfold_model::cost::Objective;
use kinfold_model::judge::Found;
use kinfold_model::problem::Problem;
use rayon::prelude::*;

pub(crate) struct TreeGreedy;

const CARD: Card = Card {
    key: "tree-greedy",
    title: "the most isolated records first, each joined by its nearest free records",
    paper: "Greedy Search of Liang, Samavi, in another order and through a tree",
    objectives: &[Objective::Ncp],
    uses_effort: false,
    promise: Promise::Heuristic,
    runtime: "near n log n: a tenth of a second at 30,000 rows",
    not_for: "least loss: anneal starts from it",
    settings: &[],
};

impl Solver for TreeGreedy {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Found, Stopped> {
        Layout::of(problem).run(&Fill { problem, run })
    }
}

struct Fill<'a> {
    problem: &'a Problem,
    run: &'a Run,
}

impl Work for Fill<'_> {
    type Answer = Result<Found, Stopped>;

    fn run<const L: usize, const W: usize>(&self, layout: &Layout) -> Self::Answer {
        start::<L, W>(self.problem, layout, self.run).map(|start| start.found)
    }
}

/// How many neighbours tell how isolated a record is, and are tried by annealing; longer lists made it worse.
const NEIGHBOURS: usize = 8;

/// A greedy grouping, and what it was found with.
pub(super) struct Start<const L: usize, const W: usize> {
    pub(super) found: Found,
    pub(super) digests: Digests<L, W>,
    /// The nearest records of every record, nearest first.
    pub(super) neighbours: Vec<Vec<(i32, u32)>>,
}

pub(super) fn start<const L: usize, const W: usize>(
    problem: &Problem,
    layout: &Layout,
    run: &Run,
) -> Result<Start<L, W>, Stopped> {
    let digests = Digests::new(problem, layout);
    let mut near = Near::new(problem, &digests);
    let records = (0..problem.records() as u32).into_par_iter();
    let neighbours: Result<Vec<_>, Stopped> =
        records.map(|record| run.check().map(|()| near.neighbours(record, NEIGHBOURS))).collect();
    let neighbours = neighbours?;
    let found = greedy(problem, run, &digests, &mut near, &neighbours)?;
    Ok(Start { found, digests, neighbours })
}

/// Grows groups around the most isolated records.
fn greedy<const L: usize, const W: usize>(
    problem: &Problem,
    run: &Run,
    digests: &Digests<L, W>,
    near: &mut Near<'_, L, W>,
    neighbours: &[Vec<(i32, u32)>],
) -> Result<Found, Stopped> {
    let k = problem.k();
    let mut seeds: Vec<u32> = (0..problem.records() as u32).filter(|&r| problem.record_size(r) < k).collect();
    let isolation = |record: u32| {
        let mut people = problem.record_size(record);
        let enough = |&&(_, other): &&(i32, u32)| {
            people += problem.record_size(other);
            people >= k
        };
        let list = &neighbours[record as usize];
        list.iter().find(enough).or(list.last()).map_or(0, |n| n.0)
    };
    seeds.sort_by_cached_key(|&record| (std::cmp::Reverse(isolation(record)), record));
    let mut pool = Pool {
        problem,
        taken: vec![0; problem.records()],
        left: (0..problem.records() as u32).map(|r| problem.record_size(r)).collect(),
    };
    let mut group_of = vec![0; problem.rows()];
    let mut group = 0u32;
    let mut leftover = Vec::new();
    let mut next = 0;
    while next < seeds.len() {
        let seed = seeds[next];
        next += 1;
        if near.is_dead(seed) {
            continue;
        }
        if group.is_multiple_of(256) {
            run.check()?;
        }
        let mut union: Digest<L, W> = *digests.of(seed);
        let mut codes: Vec<Vec<u32>> =
            (0..digests.coded.len()).map(|x| vec![digests.code(seed, x)]).collect();
        let mut people = pool.left[seed as usize];
        let mut rows: Vec<u32> = pool.take(seed, u64::MAX).collect();
        near.kill(seed);
        while people < k {
            let Some((_, record)) = near.nearest(&Query { union: &union, codes: &codes }) else { break };
            let before = pool.left[record as usize];
            rows.extend(pool.take(record, k - people));
            people += before - pool.left[record as usize];
            if pool.left[record as usize] == 0 {
                near.kill(record);
            } else if before >= k && pool.left[record as usize] < k {
                seeds.push(record);
            }
            union.join(digests.of(record));
            for (x, list) in codes.iter_mut().enumerate() {
                list.push(digests.code(record, x));
            }
        }
        if people < k {
            leftover.extend(rows);
            continue;
        }
        for row in rows {
            group_of[row as usize] = group;
        }
        group += 1;
    }
    for record in 0..problem.records() as u32 {
        if !near.is_dead(record) {
            for row in pool.take(record, u64::MAX) {
                group_of[row as usize] = group;
            }
            group += 1;
        }
    }
    leftovers::settle(problem, &mut group_of, group as usize, &leftover);
    Ok(Found { group_of })
}

/// The rows of every record that are still free.
struct Pool<'p> {
    problem: &'p Problem,
    taken: Vec<u32>,
    left: Vec<u64>,
}

impl Pool<'_> {
    /// Takes rows until they hold this many people, or all.
    fn take(&mut self, record: u32, people: u64) -> std::vec::IntoIter<u32> {
        let rows = &self.problem.rows_of(record)[self.taken[record as usize] as usize..];
        let mut held = 0;
        let mut taken = Vec::new();
        for &row in rows {
            if held >= people {
                break;
            }
            held += self.problem.row_size(row);
            taken.push(row);
        }
        self.taken[record as usize] += taken.len() as u32;
        self.left[record as usize] -= held;
        taken.into_iter()
    }
}
