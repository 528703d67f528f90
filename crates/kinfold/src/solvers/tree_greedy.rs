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
//! Large groups leave ever worse records to the last ones. From k = 15 on, and where there are few columns,
//! records sorted as by *initial* are also cut into runs at the best places; the cheaper grouping counts.
//! (Cutting the order of the tree was never better.)
//!
//! # What it lacks
//! No choice is ever taken back.
//!
//! # What did not help
//! Taking all copies of a record at once (too many groups grow beyond k). Telling isolation from the records
//! of the same branch instead of the true neighbours: hardly faster, 0.5 % worse.

use super::greedy_search::grow;
use crate::parts::cut::{Item, best_runs};
use crate::parts::digest::{Digests, Layout, Work};
use crate::parts::growing::Growing;
use crate::parts::leftovers;
use crate::parts::mend::cost_of;
use crate::parts::near::{Alive, Near};
use crate::parts::neighbours::Neighbours;
use crate::parts::order::sorted_records;
use crate::parts::sweep::{Amount, Sweep, coarse_will_do};
use crate::{Answer, Card, Effort, Run, Solver, Stopped};
use kinfold_model::{Found, Objective, Problem, WITHHELD};
use rayon::prelude::*;

pub(crate) struct TreeGreedy;

const CARD: Card = Card {
    key: "tree-greedy",
    title: "the most isolated records first, each joined by its nearest free records",
    paper: "Greedy Search of Liang, Samavi, in another order and through a tree",
    objectives: Objective::BY_CELL,
    runtime: "near n log n: a tenth of a second at 30,000 rows",
    not_for: "least loss: anneal starts from it",
    ..Card::BASE
};

impl Solver for TreeGreedy {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        Layout::of(problem).run(&Fill { problem, run }).map(Answer::from)
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
pub(super) const NEIGHBOURS: usize = 8;

/// Parts of the tree with so many records are filled apart, so that threads can share them and a part fits
/// the cache: on a million distinct records this is a tenth faster than parts of 2^18 records and loses 0.4 %
/// more at quick effort.
const PART: usize = 1 << 16;

/// At quick effort, rough work will do for tables of more records than this: a place a little farther than
/// the nearest, fewer neighbours, smaller parts and a shorter descent. On a million of them that takes 55 %
/// of the time and loses 3 % more.
const ROUGH: usize = 200_000;
const FEW_NEIGHBOURS: usize = 5;
const SMALL_PART: usize = 1 << 14;

/// Where the tree is of no use all records of a part are looked at: so many records × rows × columns at
/// least, and parts of no fewer records.
const SWEPT: usize = 40_000_000_000;
const SWEPT_AT_LEAST: usize = 4_096;

/// The share of a time limit after which groups are no longer grown.
const GROW_BY: f64 = 0.7;

/// A greedy grouping, and what it was found with.
pub(super) struct Start<const L: usize, const W: usize> {
    pub(super) found: Found,
    pub(super) near: Near<L, W>,
    pub(super) neighbours: Neighbours,
    /// Whether it was made in a hurry.
    pub(super) rough: bool,
}

pub(super) fn start<const L: usize, const W: usize>(
    problem: &Problem,
    layout: &Layout,
    run: &Run,
) -> Result<Start<L, W>, Stopped> {
    let near = Near::new(problem, Digests::<L, W>::new(problem, layout));
    let rough = run.effort == Effort::Quick && problem.records() > ROUGH;
    let each = if rough { FEW_NEIGHBOURS } else { NEIGHBOURS.min(problem.records() - 1) };
    let neighbours = Neighbours::find(&near, problem.rules().len(), each, run)?;
    let isolation = (0..problem.records() as u32)
        .map(|place| reach(problem, &near.records, place, neighbours.of(place)))
        .collect();
    let greedy = Greedy { problem, run, near: &near, neighbours: &neighbours, isolation, rough };
    let mut best = greedy.grouping()?;
    let (columns, k) = (problem.rules().len(), problem.k() as usize);
    if (k >= LARGE_K || columns <= FEW_COLUMNS) && problem.records() * k <= MOST_STEPS {
        run.check()?;
        if let Some(found) = greedy.runs()
            && cost_of(problem, &near, &found) < cost_of(problem, &near, &best)
        {
            best = found;
        }
    }
    Ok(Start { found: Found::plain(best), near, neighbours, rough })
}

/// When the sorted list is cut as well, and how many steps that may take.
const LARGE_K: usize = 15;
const FEW_COLUMNS: usize = 3;
const MOST_STEPS: usize = 5_000_000;

/// How far a place must go to meet k people, as far as its neighbours tell.
fn reach(problem: &Problem, records: &[u32], place: u32, neighbours: &[(i32, u32)]) -> i32 {
    let mut people = problem.record_size(records[place as usize]);
    let enough = |&&(_, other): &&(i32, u32)| {
        people += problem.record_size(records[other as usize]);
        people >= problem.k()
    };
    neighbours.iter().find(enough).or(neighbours.last()).map_or(0, |n| n.0)
}

/// The groups of a part, one after the other, and rows that found none.
struct Filled {
    rows: Vec<u32>,
    starts: Vec<usize>,
    /// Place and row.
    leftover: Vec<(u32, u32)>,
}

/// What a grouping is made from.
struct Greedy<'a, const L: usize, const W: usize> {
    problem: &'a Problem,
    run: &'a Run,
    near: &'a Near<L, W>,
    neighbours: &'a Neighbours,
    /// How far every place must go.
    isolation: Vec<i32>,
    rough: bool,
}

impl<const L: usize, const W: usize> Greedy<'_, L, W> {
    /// Cuts the sorted records into runs; records with k people or more are groups of their own.
    fn runs(&self) -> Option<Vec<u32>> {
        let Self { problem, near, .. } = *self;
        let mut group_of = vec![0; problem.rows()];
        let mut group = 0;
        let mut put = |place: u32, group: u32| {
            let rows = problem.rows_of(near.records[place as usize]);
            rows.iter().for_each(|&row| group_of[row as usize] = group);
        };
        let mut place_of = vec![0; problem.records()];
        (0u32..).zip(&near.records).for_each(|(place, &record)| place_of[record as usize] = place);
        let mut items = Vec::new();
        for place in sorted_records(problem).into_iter().map(|record| place_of[record as usize]) {
            let people = problem.record_size(near.records[place as usize]);
            if people >= problem.k() {
                put(place, group);
                group += 1;
            } else {
                items.push(Item { place, people });
            }
        }
        let ends = if items.is_empty() { Vec::new() } else { best_runs(&near.digests, &items, problem.k())? };
        let mut start = 0;
        for end in ends {
            items[start..end].iter().for_each(|item| put(item.place, group));
            group += 1;
            start = end;
        }
        Some(group_of)
    }

    /// Fills groups in parts of the tree; the group of every row.
    fn grouping(&self) -> Result<Vec<u32>, Stopped> {
        let Self { problem, near, neighbours, .. } = *self;
        let filled = if neighbours.exact {
            self.parts(if self.rough { SMALL_PART } else { PART }, |alive| {
                if self.rough {
                    alive.roughly();
                }
                self.fill(alive)
            })?
        } else {
            let most = SWEPT / (problem.rows() * problem.rules().len());
            self.parts(most.max(SWEPT_AT_LEAST), |alive| match coarse_will_do(problem) {
                true => self.sweep::<i16>(alive),
                false => self.sweep::<i64>(alive),
            })?
        };
        let mut group_of = vec![WITHHELD; problem.rows()];
        let mut group = 0;
        for part in &filled {
            for rows in part.starts.windows(2) {
                for &row in &part.rows[rows[0]..rows[1]] {
                    group_of[row as usize] = group;
                }
                group += 1;
            }
        }
        // Rows that found no group go with a neighbour that has one, or wherever they cost least.
        let mut alone = Vec::new();
        for (place, row) in filled.into_iter().flat_map(|part| part.leftover) {
            let group_of_place = |&p: &u32| {
                let rows = problem.rows_of(near.records[p as usize]);
                rows.iter().map(|&r| group_of[r as usize]).find(|&g| g != WITHHELD)
            };
            match neighbours.of(place).iter().find_map(|(_, p)| group_of_place(p)) {
                Some(group) => group_of[row as usize] = group,
                None => alone.push(row),
            }
        }
        leftovers::distribute(problem, &mut group_of, group as usize, &alone);
        Ok(group_of)
    }

    /// Fills all parts of the tree with at most so many places.
    fn parts(
        &self,
        most: usize,
        fill: impl Fn(&mut Alive) -> Result<Filled, Stopped> + Send + Sync,
    ) -> Result<Vec<Filled>, Stopped> {
        self.near.parts(&|places| places.len() <= most).par_iter_mut().map(fill).collect()
    }

    /// Grows groups around the most isolated records.
    fn fill(&self, alive: &mut Alive) -> Result<Filled, Stopped> {
        let Self { problem, run, near, ref isolation, .. } = *self;
        let k = problem.k();
        let mut pool = Pool::new(problem, near, alive);
        let mut seeds: Vec<u32> = alive.places().filter(|&p| pool.left(p) < k).collect();
        seeds.sort_by_key(|&place| (std::cmp::Reverse(isolation[place as usize]), place));
        let mut filled = Filled { rows: Vec::new(), starts: vec![0], leftover: Vec::new() };
        let mut next = 0;
        while next < seeds.len() {
            let seed = seeds[next];
            next += 1;
            if alive.is_dead(seed) {
                continue;
            }
            if next.is_multiple_of(256) {
                run.check()?;
                if run.time_used() >= GROW_BY {
                    break;
                }
            }
            let mut group = Growing::new(&near.digests, seed);
            let mut people = pool.take(seed, u64::MAX, &mut filled.rows);
            near.kill(alive, seed);
            while people < k {
                let Some((_, place)) = near.nearest(alive, &group) else { break };
                let before = pool.left(place);
                people += pool.take(place, k - people, &mut filled.rows);
                let after = pool.left(place);
                if after == 0 {
                    near.kill(alive, place);
                } else if before >= k && after < k {
                    seeds.push(place);
                }
                group.join(&near.digests, place);
            }
            if people < k {
                let start = filled.starts[filled.starts.len() - 1];
                filled.leftover.extend(filled.rows.drain(start..).map(|row| (seed, row)));
            } else {
                filled.starts.push(filled.rows.len());
            }
        }
        // What is left are records of k people and more; when time is up also others, which make runs.
        let (mut people, mut last) = (0, 0);
        for place in alive.places().filter(|&place| !alive.is_dead(place)) {
            people += pool.take(place, u64::MAX, &mut filled.rows);
            last = place;
            if people >= k {
                filled.starts.push(filled.rows.len());
                people = 0;
            }
        }
        let start = filled.starts[filled.starts.len() - 1];
        filled.leftover.extend(filled.rows.drain(start..).map(|row| (last, row)));
        Ok(filled)
    }

    /// The same, looking at all records of the part.
    fn sweep<A: Amount>(&self, alive: &Alive) -> Result<Filled, Stopped> {
        let Self { problem, run, near, ref isolation, .. } = *self;
        let mut places: Vec<u32> = alive.places().collect();
        places.sort_by_key(|&place| (std::cmp::Reverse(isolation[place as usize]), place));
        let order: Vec<u32> = places.iter().map(|&place| near.records[place as usize]).collect();
        let mut free: u64 = order.iter().map(|&record| problem.record_size(record)).sum();
        let mut sweep = Sweep::<A>::new(problem, &order);
        let mut filled = Filled { rows: Vec::new(), starts: vec![0], leftover: Vec::new() };
        while free >= problem.k() && run.time_used() < GROW_BY {
            run.check()?;
            let Some(at) = sweep.first() else { break };
            free -= grow(problem, &mut sweep, at, |row| filled.rows.push(row));
            filled.starts.push(filled.rows.len());
        }
        // When time is up, what is left makes runs.
        let mut taken = vec![false; problem.rows()];
        filled.rows.iter().for_each(|&row| taken[row as usize] = true);
        let rows_of =
            |place: u32| problem.rows_of(near.records[place as usize]).iter().map(move |&row| (place, row));
        let (mut people, mut run) = (0, Vec::new());
        for (place, row) in alive.places().flat_map(rows_of).filter(|&(_, row)| !taken[row as usize]) {
            people += problem.row_size(row);
            run.push((place, row));
            if people >= problem.k() {
                filled.rows.extend(run.drain(..).map(|(_, row)| row));
                filled.starts.push(filled.rows.len());
                people = 0;
            }
        }
        filled.leftover = run;
        Ok(filled)
    }
}

/// The rows of a part of the tree that are still free.
struct Pool<'a> {
    problem: &'a Problem,
    first: u32,
    /// Rows in the order of places, the first free one of each place, and where those of the next place
    /// begin.
    rows: Vec<u32>,
    free: Vec<(u32, u32)>,
    /// The people of each place that are still free.
    left: Vec<u64>,
}

impl<'a> Pool<'a> {
    fn new<const L: usize, const W: usize>(problem: &'a Problem, near: &Near<L, W>, alive: &Alive) -> Self {
        let places = alive.places();
        let records = &near.records[places.start as usize..places.end as usize];
        let (mut rows, mut free) = (Vec::with_capacity(records.len()), Vec::with_capacity(records.len()));
        for &record in records {
            let start = rows.len() as u32;
            rows.extend_from_slice(problem.rows_of(record));
            free.push((start, rows.len() as u32));
        }
        let left = records.iter().map(|&r| problem.record_size(r)).collect();
        Self { problem, first: places.start, rows, free, left }
    }

    /// The people of a place that are still free.
    fn left(&self, place: u32) -> u64 {
        self.left[(place - self.first) as usize]
    }

    /// Takes rows of a place until they hold this many people, or all; says how many they hold.
    fn take(&mut self, place: u32, people: u64, taken: &mut Vec<u32>) -> u64 {
        let at = (place - self.first) as usize;
        let (next, end) = &mut self.free[at];
        let mut held = 0;
        while next < end {
            let row = self.rows[*next as usize];
            let size = self.problem.row_size(row);
            // Rows that stand for nobody come along: nobody would ask for them later.
            if held >= people && size > 0 {
                break;
            }
            held += size;
            taken.push(row);
            *next += 1;
        }
        self.left[at] -= held;
        held
    }
}
