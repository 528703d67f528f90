//! One block: groups that exchange rows among themselves.

use crate::parts::digest::Digests;
use crate::parts::groups::{Group, Unit};
use crate::parts::random::Random;
use crate::run::{Run, Stopped};
use kinfold_model::problem::Problem;

/// What all blocks read.
pub(super) struct Shared<'a, const L: usize, const W: usize> {
    pub(super) problem: &'a Problem,
    pub(super) digests: &'a Digests<L, W>,
    pub(super) neighbours: &'a [Vec<(i32, u32)>],
    /// −ln of numbers spread evenly between 0 and 1: few, so that they stay in the nearest cache.
    logarithms: [f32; LOGARITHMS],
}

impl<'a, const L: usize, const W: usize> Shared<'a, L, W> {
    pub(super) fn new(
        problem: &'a Problem,
        digests: &'a Digests<L, W>,
        neighbours: &'a [Vec<(i32, u32)>],
    ) -> Self {
        let logarithms = std::array::from_fn(|i| -((i as f32 + 0.5) / LOGARITHMS as f32).ln());
        Self { problem, digests, neighbours, logarithms }
    }

    /// How much worse a change may be this time: the temperature times −ln of a random number.
    #[inline]
    fn slack(&self, temperature: f64, random: &mut Random) -> f64 {
        temperature * f64::from(self.logarithms[(random.next() >> 32) as usize % LOGARITHMS])
    }
}

pub(super) struct Block<'a, const L: usize, const W: usize> {
    shared: &'a Shared<'a, L, W>,
    k: u32,
    most: u32,
    /// Units of this block, sorted by record; what they are called outside; the group of each.
    units: Vec<Unit>,
    outside: Vec<u32>,
    group_of: Vec<u32>,
    groups: Vec<Group<L, W>>,
    empty: Vec<u32>,
    /// For every unit where its record's neighbours are listed; for every entry of that list the units of a
    /// neighbouring record, first and how many. Only what lies in the block is listed.
    list_of: Vec<(u32, u32)>,
    near: Vec<u32>,
}

const LOGARITHMS: usize = 512;
/// How many pairs are drawn at once.
const BATCH: usize = 16;
/// A run of units in one number: where it starts, and how many of it count.
const COUNT_BITS: u32 = 10;
const COUNT_MOST: u32 = (1 << COUNT_BITS) - 1;

fn run_of(first: u32, count: u32) -> u32 {
    first << COUNT_BITS | count.min(COUNT_MOST)
}

/// A change that could be made.
enum Change {
    /// The unit goes to the group.
    Move(u32, u32),
    /// The two units change places.
    Swap(u32, u32),
}

impl<'a, const L: usize, const W: usize> Block<'a, L, W> {
    pub(super) fn new(shared: &'a Shared<'a, L, W>, all: &[Unit], groups: &[Vec<u32>]) -> Self {
        let k = shared.problem.k() as u32;
        let grouped =
            (0u32..).zip(groups).flat_map(|(group, members)| members.iter().map(move |&unit| (unit, group)));
        // Outside numbers are sorted by record already.
        let mut sorted: Vec<(u32, u32)> = grouped.collect();
        sorted.sort_unstable();
        let units: Vec<Unit> = sorted.iter().map(|&(unit, _)| all[unit as usize]).collect();
        let mut block = Self {
            shared,
            k,
            most: 2 * k - 1,
            outside: sorted.iter().map(|&(unit, _)| unit).collect(),
            group_of: sorted.iter().map(|&(_, group)| group).collect(),
            groups: vec![Group::default(); groups.len()],
            empty: Vec::new(),
            list_of: Vec::with_capacity(units.len()),
            near: Vec::new(),
            units,
        };
        block.list_neighbours();
        for unit in 0..block.units.len() as u32 {
            let group = &mut block.groups[block.group_of[unit as usize] as usize];
            group.include(shared.digests, &block.units, unit);
        }
        for group in &mut block.groups {
            group.settle(shared.digests, &block.units);
        }
        block
    }

    fn list_neighbours(&mut self) {
        let runs: Vec<(u32, u32, u32)> = self
            .units
            .chunk_by(|a, b| a.record == b.record)
            .scan(0, |first, run| {
                let entry = (run[0].record, *first, run.len() as u32);
                *first += run.len() as u32;
                Some(entry)
            })
            .collect();
        for &(record, first, count) in &runs {
            let start = self.near.len() as u32;
            if count > 1 {
                self.near.push(run_of(first, count));
            }
            for &(_, other) in &self.shared.neighbours[record as usize] {
                if let Ok(at) = runs.binary_search_by_key(&other, |r| r.0) {
                    self.near.push(run_of(runs[at].1, runs[at].2));
                }
            }
            let length = self.near.len() as u32 - start;
            self.list_of.extend(std::iter::repeat_n((start, length), count as usize));
        }
    }

    /// The groups, in the units' outside numbers.
    pub(super) fn finish(self) -> Vec<Vec<u32>> {
        let outside = &self.outside;
        let full = self.groups.iter().filter(|g| !g.members.is_empty());
        full.map(|g| g.members.iter().map(|&m| outside[m as usize]).collect()).collect()
    }

    /// Tries changes: so many per unit, accepting so large a share of those that matter.
    pub(super) fn anneal(
        &mut self,
        run: &Run,
        random: &mut Random,
        accepted: f64,
        tries: usize,
    ) -> Result<(), Stopped> {
        if self.groups.len() < 2 {
            return Ok(());
        }
        let temperature = if accepted > 0.0 { self.calibrate(random, accepted) } else { 0.0 };
        let batches = tries * self.units.len() / BATCH;
        // Dissolving and creating look at about k rows each: one in so many batches, so that they take a fixed share.
        let rare = (self.k as usize).div_ceil(4);
        let mut pairs = [(0, 0); BATCH];
        for batch in 0..batches {
            if batch % 512 == 0 {
                run.check()?;
                if run.out_of_time() {
                    break;
                }
            }
            self.draw(random, &mut pairs);
            for (r, s) in pairs {
                if let Some(change) = self.bring_together(r, s, random) {
                    let slack = self.shared.slack(temperature, random);
                    if self.delta(&change, slack).is_some_and(|d| d < 0 || (d as f64) < slack) {
                        self.apply(&change);
                    }
                }
            }
            if batch % rare == 0 {
                let slack = self.shared.slack(temperature, random);
                if (batch / rare).is_multiple_of(2) {
                    self.dissolve(random, slack)
                } else {
                    self.create(random, slack)
                }
            }
        }
        Ok(())
    }

    /// Draws pairs of neighbouring units, each step for all of them before the next: the processor then waits for
    /// memory once per step, not once per pair. A unit without a neighbour is paired with itself.
    #[inline]
    fn draw(&self, random: &mut Random, pairs: &mut [(u32, u32); BATCH]) {
        let mut lists = [(0, 0); BATCH];
        for (pair, list) in pairs.iter_mut().zip(&mut lists) {
            pair.0 = random.below(self.units.len()) as u32;
            *list = self.list_of[pair.0 as usize];
        }
        for (pair, &(start, length)) in pairs.iter_mut().zip(&lists) {
            pair.1 = if length == 0 { pair.0 } else { self.near_unit(start, length, random) };
        }
        let mut touched = 0;
        for pair in pairs.iter_mut() {
            let (a, b) = (self.group_of[pair.0 as usize], self.group_of[pair.1 as usize]);
            touched ^= self.groups[a as usize].people ^ self.groups[b as usize].people;
            touched ^= self.shared.digests.of(self.units[pair.1 as usize].record).lanes[0] as u32;
            if a == b {
                pair.1 = pair.0;
            }
        }
        std::hint::black_box(touched);
    }

    /// A random copy of a random record of a list.
    #[inline]
    fn near_unit(&self, start: u32, length: u32, random: &mut Random) -> u32 {
        // One draw for both choices: the high half picks the record, the low half the copy.
        let draw = random.next();
        let run = self.near[start as usize + (((draw >> 32) * u64::from(length)) >> 32) as usize];
        let (first, count) = (run >> COUNT_BITS, run & COUNT_MOST);
        first + (((draw & 0xffff_ffff) * u64::from(count)) >> 32) as u32
    }

    /// The temperature at which this share of changes would be accepted.
    fn calibrate(&mut self, random: &mut Random, accepted: f64) -> f64 {
        let mut deltas = Vec::new();
        for _ in 0..2000 {
            let r = random.below(self.units.len()) as u32;
            let s = self.neighbour(r, random);
            let change = s.and_then(|s| self.bring_together(r, s, random));
            let delta = change.and_then(|change| self.delta(&change, f64::INFINITY));
            deltas.extend(delta.filter(|&d| d != 0).map(|d| d as f64));
        }
        if deltas.is_empty() {
            return 0.0;
        }
        let share =
            |t: f64| deltas.iter().map(|d| (-d / t).min(0.0).exp()).sum::<f64>() / deltas.len() as f64;
        let (mut low, mut high) = (1.0f64, deltas.iter().fold(1.0f64, |m, d| m.max(d.abs())) * 10.0);
        for _ in 0..40 {
            let middle = (low * high).sqrt();
            if share(middle) < accepted { low = middle } else { high = middle }
        }
        low
    }

    /// A unit of a record near that of `unit`, in another group.
    #[inline]
    fn neighbour(&self, unit: u32, random: &mut Random) -> Option<u32> {
        let (start, length) = self.list_of[unit as usize];
        if length == 0 {
            return None;
        }
        let other = self.near_unit(start, length, random);
        (self.group_of[other as usize] != self.group_of[unit as usize]).then_some(other)
    }

    fn spare(&self, unit: u32) -> bool {
        self.groups[self.group_of[unit as usize] as usize].people >= self.k + self.units[unit as usize].people
    }

    fn room(&self, group: u32, unit: u32) -> bool {
        self.groups[group as usize].people + self.units[unit as usize].people <= self.most
    }

    /// A change that would put two units into one group; none if they are, or if no change is allowed.
    #[inline]
    fn bring_together(&self, r: u32, s: u32, random: &mut Random) -> Option<Change> {
        let (a, b) = (self.group_of[r as usize], self.group_of[s as usize]);
        if a == b {
            return None;
        }
        if self.spare(s) && self.room(a, s) {
            return Some(Change::Move(s, a));
        }
        if self.spare(r) && self.room(b, r) {
            return Some(Change::Move(r, b));
        }
        // s comes to r, and another member of r's group goes where s was.
        let members = &self.groups[a as usize].members;
        let t = members[random.below(members.len())];
        if t == r && members.len() > 1 {
            return None;
        }
        let (give, get) = (self.units[t as usize].people, self.units[s as usize].people);
        let fits = self.groups[a as usize].people + get >= self.k + give
            && self.groups[b as usize].people + give >= self.k + get;
        fits.then_some(Change::Swap(t, s))
    }

    /// By how much a change raises the cost; none as soon as it is clear that it is more than `most`.
    #[inline]
    fn delta(&self, change: &Change, most: f64) -> Option<i64> {
        let digests = self.shared.digests;
        let unit = |u: u32| self.units[u as usize];
        let group = |u: u32| &self.groups[self.group_of[u as usize] as usize];
        let (first, second, other) = match *change {
            Change::Move(u, to) => {
                let (from, to, people) = (group(u), &self.groups[to as usize], unit(u).people);
                let with = to.cells_with(digests, &self.units, u);
                let first = i64::from(to.people + people) * i64::from(with) - to.cost();
                let second = || {
                    let without = from.cells_without(digests, &self.units, u);
                    i64::from(from.people - people) * i64::from(without)
                };
                (first, second(), from.cost())
            }
            Change::Swap(t, s) => {
                let (a, b, gives, gets) = (group(t), group(s), unit(t).people, unit(s).people);
                let a_after = a.cells_exchanged(digests, &self.units, t, s);
                let first = i64::from(a.people - gives + gets) * i64::from(a_after) - a.cost();
                // The other group can gain no more than all it costs.
                if (first - b.cost()) as f64 > most {
                    return None;
                }
                let b_after = b.cells_exchanged(digests, &self.units, s, t);
                (first, i64::from(b.people - gets + gives) * i64::from(b_after), b.cost())
            }
        };
        Some(first + second - other)
    }

    fn apply(&mut self, change: &Change) {
        match *change {
            Change::Move(u, to) => self.shift(u, to),
            Change::Swap(t, s) => {
                let (a, b) = (self.group_of[t as usize], self.group_of[s as usize]);
                self.shift(t, b);
                self.shift(s, a);
            }
        }
    }

    fn shift(&mut self, unit: u32, to: u32) {
        let from = std::mem::replace(&mut self.group_of[unit as usize], to);
        self.groups[from as usize].remove(self.shared.digests, &self.units, unit);
        self.groups[to as usize].add(self.shared.digests, &self.units, unit);
    }

    /// Gives every member of a random group to a neighbour's group, if that is worth it.
    fn dissolve(&mut self, random: &mut Random, slack: f64) {
        let a = self.group_of[random.below(self.units.len())];
        let members = self.groups[a as usize].members.clone();
        if members.len() > 2 * self.k as usize {
            return;
        }
        let mut change = -self.groups[a as usize].cost();
        let mut moved = Vec::new();
        for &u in &members {
            let mut best: Option<(i64, u32)> = None;
            for _ in 0..6 {
                let Some(s) = self.neighbour(u, random) else { continue };
                let c = self.group_of[s as usize];
                if c == a || !self.room(c, u) || best.is_some_and(|(_, g)| g == c) {
                    continue;
                }
                let group = &self.groups[c as usize];
                let with = group.cells_with(self.shared.digests, &self.units, u);
                let rise =
                    i64::from(group.people + self.units[u as usize].people) * i64::from(with) - group.cost();
                if best.is_none_or(|(least, _)| rise < least) {
                    best = Some((rise, c));
                }
            }
            let Some((rise, c)) = best else { break };
            change += rise;
            self.shift(u, c);
            moved.push(u);
            if change as f64 > slack && change > 0 {
                break;
            }
        }
        if moved.len() == members.len() && (change < 0 || (change as f64) < slack) {
            self.empty.push(a);
            return;
        }
        for &u in &moved {
            self.shift(u, a);
        }
    }

    /// Makes a new group around a random row, from groups that can spare rows, if that is worth it.
    fn create(&mut self, random: &mut Random, slack: f64) {
        let r = random.below(self.units.len()) as u32;
        if !self.spare(r) {
            return;
        }
        let new = self.empty.pop().unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() as u32 - 1
        });
        let mut moved: Vec<(u32, u32)> = Vec::new();
        let mut before = 0i64;
        let mut touched: Vec<u32> = Vec::new();
        let mut around = r;
        for _ in 0..6 * self.k {
            let u = if moved.is_empty() { Some(r) } else { self.neighbour(around, random) };
            if let Some(u) = u
                && self.group_of[u as usize] != new
                && self.spare(u)
            {
                let from = self.group_of[u as usize];
                if !touched.contains(&from) {
                    touched.push(from);
                    before += self.groups[from as usize].cost();
                }
                moved.push((u, from));
                self.shift(u, new);
                if self.groups[new as usize].people >= self.k {
                    break;
                }
            }
            around = moved[random.below(moved.len())].0;
        }
        let after: i64 = touched.iter().chain([&new]).map(|&g| self.groups[g as usize].cost()).sum();
        let change = after - before;
        if self.groups[new as usize].people >= self.k && (change < 0 || (change as f64) < slack) {
            return;
        }
        for &(u, from) in moved.iter().rev() {
            self.shift(u, from);
        }
        self.empty.push(new);
    }
}
