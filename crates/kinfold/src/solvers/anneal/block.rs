//! One block: groups that exchange rows among themselves.

use super::moving::{Moving, Pace};
use super::watch::Watch;
use crate::parts::digest::{Digests, EVERYTHING};
use crate::parts::groups::{Group, Unit};
use crate::parts::near::Near;
use crate::parts::neighbours::Neighbours;
use crate::parts::random::Random;
use crate::{Run, Stopped};
use kinfold_model::{Problem, WITHHELD};

/// What all blocks read.
pub(super) struct Shared<'a, const L: usize, const W: usize> {
    pub(super) problem: &'a Problem,
    pub(super) digests: &'a Digests<L, W>,
    pub(super) records: &'a [u32],
    neighbours: &'a Neighbours,
    /// Rows in a block.
    pub(super) block_rows: usize,
    /// The most people a row stands for.
    largest: u32,
    /// −ln of numbers spread evenly between 0 and 1: few, so that they stay in the nearest cache.
    logarithms: [f32; LOGARITHMS],
}

impl<'a, const L: usize, const W: usize> Shared<'a, L, W> {
    pub(super) fn new(
        problem: &'a Problem,
        near: &'a Near<L, W>,
        neighbours: &'a Neighbours,
        block_rows: usize,
    ) -> Self {
        let logarithms = std::array::from_fn(|i| -((i as f32 + 0.5) / LOGARITHMS as f32).ln());
        let largest = (0..problem.rows() as u32).map(|row| problem.row_size(row) as u32).max().unwrap_or(1);
        let (digests, records) = (&near.digests, near.records.as_slice());
        Self { problem, digests, records, neighbours, block_rows, largest, logarithms }
    }

    /// How much worse a change may be this time: the temperature times −ln of a random number.
    #[inline]
    fn slack(&self, temperature: f64, random: &mut Random) -> i64 {
        (temperature * f64::from(self.logarithms[(random.next() >> 32) as usize % LOGARITHMS])) as i64
    }
}

pub(super) struct Block<'a, const L: usize, const W: usize> {
    pub(super) shared: &'a Shared<'a, L, W>,
    pub(super) k: u32,
    most: u32,
    /// People in a group of middling size: k, unless requirements make groups larger.
    pub(super) typical: u32,
    pub(super) watch: Option<Watch<'a>>,
    /// Units of this block in the order of places; the group of each.
    pub(super) units: Vec<Unit>,
    pub(super) group_of: Vec<u32>,
    /// The first is [`OUT`] and stays empty.
    pub(super) groups: Vec<Group<L, W>>,
    pub(super) empty: Vec<u32>,
    /// For every unit where its neighbours are listed; for every entry of that list the units of a
    /// neighbouring place, first and how many. Only what lies in the block is listed.
    lists: Vec<(u32, u32)>,
    near: Vec<u32>,
    /// People that may still be withheld, and people that are.
    pub(super) may_withhold: u64,
    pub(super) withheld: u64,
}

/// The number of the group that units without a group have: they are withheld.
pub(super) const OUT: u32 = 0;

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
    /// A block of these units, ascending, with their groups.
    pub(super) fn new(
        shared: &'a Shared<'a, L, W>,
        moving: &Moving,
        inside: &[u32],
        group_of_all: &[u32],
    ) -> Self {
        let (k, guard) = (shared.problem.k() as u32, shared.problem.guard());
        let units: Vec<Unit> = inside.iter().map(|&unit| moving.units[unit as usize]).collect();
        let mut numbers: Vec<u32> = inside.iter().map(|&unit| group_of_all[unit as usize]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|&g| g != WITHHELD);
        // Numbers ascend as groups do, after OUT.
        let number = |group: u32| numbers.binary_search(&group).map_or(OUT, |at| at as u32 + 1);
        let mut block = Self {
            shared,
            k,
            // Larger groups could be parted, if k is all that is asked for.
            most: if guard.is_some() { u32::MAX / 2 } else { (2 * k - 2).saturating_add(shared.largest) },
            typical: k,
            watch: guard.map(|guard| Watch::new(guard, moving, inside, numbers.len() + 1)),
            group_of: inside.iter().map(|&unit| number(group_of_all[unit as usize])).collect(),
            groups: vec![Group::default(); numbers.len() + 1],
            empty: Vec::new(),
            lists: Vec::with_capacity(units.len()),
            near: Vec::new(),
            may_withhold: 0,
            withheld: 0,
            units,
        };
        block.list_neighbours();
        for unit in 0..block.units.len() as u32 {
            match block.group_of[unit as usize] {
                OUT => block.withheld += u64::from(block.units[unit as usize].people),
                group => block.groups[group as usize].include(shared.digests, &block.units, unit),
            }
        }
        block.groups.iter_mut().for_each(|group| group.update_cost(shared.digests));
        if let Some(watch) = &mut block.watch {
            for (number, group) in (0u32..).zip(&block.groups) {
                watch.count(&block.units, number, &group.members);
            }
            let people: u64 = block.groups.iter().map(|group| u64::from(group.people)).sum();
            block.typical = k.max((people / block.groups.len() as u64) as u32);
        }
        block
    }

    fn list_neighbours(&mut self) {
        let mut first = 0;
        let mut runs: Vec<(u32, u32, u32)> = Vec::new();
        for run in self.units.chunk_by(|a, b| a.place == b.place) {
            runs.push((run[0].place, first, run.len() as u32));
            first += run.len() as u32;
        }
        for &(place, first, count) in &runs {
            let start = self.near.len() as u32;
            if count > 1 {
                self.near.push(run_of(first, count));
            }
            for (_, other) in self.shared.neighbours.of(place) {
                if let Ok(at) = runs.binary_search_by_key(other, |r| r.0) {
                    self.near.push(run_of(runs[at].1, runs[at].2));
                }
            }
            let length = self.near.len() as u32 - start;
            self.lists.extend(std::iter::repeat_n((start, length), count as usize));
        }
    }

    /// The group of every unit, counted without gaps, or [`WITHHELD`].
    pub(super) fn finish(self) -> Vec<u32> {
        let mut numbers = vec![WITHHELD; self.groups.len()];
        let full = numbers.iter_mut().zip(&self.groups).filter(|(_, g)| !g.members.is_empty());
        (0u32..).zip(full).for_each(|(next, (number, _))| *number = next);
        self.group_of.iter().map(|&g| numbers[g as usize]).collect()
    }

    /// What all groups and withheld people cost.
    pub(super) fn cost(&self) -> i64 {
        self.groups.iter().map(Group::cost).sum::<i64>() + self.withheld as i64 * EVERYTHING
    }

    /// Tries changes: so many per unit, accepting so large a share of those that matter. Where only changes
    /// for the better are taken, it ends when they have become rare.
    pub(super) fn anneal(&mut self, run: &Run, random: &mut Random, pace: Pace) -> Result<(), Stopped> {
        if self.groups.len() <= 2 && self.shared.problem.may_withhold() == 0 {
            return Ok(());
        }
        let temperature = if pace.accepted > 0.0 { self.calibrate(random, pace.accepted) } else { 0.0 };
        // Changes of whole groups look at about k rows each: one in so many batches, so that they take a
        // fixed share of the time.
        let reshape = 5 + self.typical / 6;
        let resplit = 2 + self.typical / if pace.accepted > 0.0 { 3 } else { 12 };
        let (mut batch, mut dissolves) = (0u32, false);
        let mut pairs = [(0, 0); BATCH];
        let mut cost = self.cost();
        for sweep in 0..pace.tries {
            let mut next = 0;
            while next < self.units.len() {
                batch = batch.wrapping_add(1);
                if batch.is_multiple_of(512) {
                    run.check()?;
                    if run.time_used() >= pace.until {
                        return Ok(());
                    }
                }
                next = self.draw(next, random, &mut pairs);
                for (r, s) in pairs.into_iter().filter(|(r, s)| r != s) {
                    if let Some(change) = self.bring_together(r, s, random) {
                        let slack = self.shared.slack(temperature, random);
                        if self.delta(&change, slack).is_some_and(|d| d < slack) && self.allows(&change) {
                            self.apply(&change);
                        }
                    }
                }
                let slack = self.shared.slack(temperature, random);
                if batch.is_multiple_of(resplit) {
                    self.resplit(random, slack);
                }
                if batch.is_multiple_of(reshape) {
                    dissolves = !dissolves;
                    if dissolves { self.dissolve(random, slack) } else { self.create(random, slack) }
                }
                if self.may_withhold + self.withheld > 0 {
                    self.withhold(random, slack);
                }
            }
            if pace.accepted == 0.0 && sweep % 2 == 1 {
                let before = std::mem::replace(&mut cost, self.cost());
                if (before - cost) * pace.enough < before {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Draws neighbours for the next units from `next` on, and says where it ended. Units in groups that cost
    /// nothing are passed by: they have nothing to gain, and those who want them draw themselves. Each step
    /// is done for all pairs before the next: the processor then waits for memory once per step, not once per
    /// pair. A unit without a neighbour elsewhere is paired with itself.
    #[inline]
    fn draw(&self, mut next: usize, random: &mut Random, pairs: &mut [(u32, u32); BATCH]) -> usize {
        let mut drawn = 0;
        while drawn < BATCH && next < self.units.len() {
            pairs[drawn] = (next as u32, next as u32);
            drawn += usize::from(self.groups[self.group_of[next] as usize].cells != 0);
            next += 1;
        }
        pairs[drawn..].fill((0, 0));
        for pair in &mut pairs[..drawn] {
            let (start, length) = self.lists[pair.0 as usize];
            if length > 0 {
                pair.1 = self.near_unit(start, length, random);
            }
        }
        let mut touched = 0;
        for pair in &mut pairs[..drawn] {
            let (a, b) = (self.group_of[pair.0 as usize], self.group_of[pair.1 as usize]);
            touched ^= self.groups[b as usize].people;
            touched ^= self.shared.digests.of(self.units[pair.1 as usize].place).lanes[0] as u32;
            if a == b || b == OUT {
                pair.1 = pair.0;
            }
        }
        std::hint::black_box(touched);
        next
    }

    /// A random copy of a random place of a list.
    #[inline]
    fn near_unit(&self, start: u32, length: u32, random: &mut Random) -> u32 {
        // One draw for both choices: the high half picks the place, the low half the copy.
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
            if self.groups[self.group_of[r as usize] as usize].cells == 0 {
                continue;
            }
            let change = self.neighbour(r, random).and_then(|s| self.bring_together(r, s, random));
            let change = change.filter(|change| self.allows(change));
            let delta = change.and_then(|change| self.delta(&change, i64::MAX));
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

    /// A unit of a place near that of `unit`, in another group.
    #[inline]
    pub(super) fn neighbour(&self, unit: u32, random: &mut Random) -> Option<u32> {
        let (start, length) = self.lists[unit as usize];
        if length == 0 {
            return None;
        }
        let other = self.near_unit(start, length, random);
        let group = self.group_of[other as usize];
        (group != self.group_of[unit as usize] && group != OUT).then_some(other)
    }

    #[inline]
    pub(super) fn spare(&self, unit: u32) -> bool {
        self.groups[self.group_of[unit as usize] as usize].people >= self.k + self.units[unit as usize].people
    }

    #[inline]
    pub(super) fn room(&self, group: u32, unit: u32) -> bool {
        self.groups[group as usize].people + self.units[unit as usize].people <= self.most
    }

    /// A change that would put two units of different groups into one; none if no change is allowed.
    #[inline(always)]
    fn bring_together(&self, r: u32, s: u32, random: &mut Random) -> Option<Change> {
        let (a, b) = (self.group_of[r as usize], self.group_of[s as usize]);
        if a == b {
            return None;
        }
        if let Some(watch) = &self.watch
            && (watch.mirrors && random.below(4) > 0)
        {
            let t = watch.same_class(&self.groups[a as usize].members, s, random)?;
            return (t != r).then_some(Change::Swap(t, s));
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

    /// Whether all groups still fulfil what is required after a change.
    #[inline]
    fn allows(&mut self, change: &Change) -> bool {
        match *change {
            Change::Move(u, to) => self.may_leave(u) && self.may_change(to, None, Some(u)),
            Change::Swap(t, s) => {
                let (a, b) = (self.group_of[t as usize], self.group_of[s as usize]);
                self.may_change(a, Some(t), Some(s)) && self.may_change(b, Some(s), Some(t))
            }
        }
    }

    /// Whether a group may go without a unit, as far as requirements are concerned.
    #[inline]
    pub(super) fn may_leave(&mut self, unit: u32) -> bool {
        self.may_change(self.group_of[unit as usize], Some(unit), None)
    }

    /// Whether a group may go without one unit and take another, as far as requirements are concerned.
    #[inline]
    pub(super) fn may_change(&mut self, group: u32, out: Option<u32>, new: Option<u32>) -> bool {
        self.watch.as_mut().is_none_or(|watch| watch.may_change(&self.units, group, out, new))
    }

    /// Whether a group fulfils all requirements, the number of people included.
    pub(super) fn fulfils(&self, group: u32) -> bool {
        self.groups[group as usize].people >= self.k
            && self.watch.as_ref().is_none_or(|watch| watch.fulfils(group))
    }

    /// A group without members.
    pub(super) fn new_group(&mut self) -> u32 {
        self.empty.pop().unwrap_or_else(|| {
            self.groups.push(Group::default());
            if let Some(watch) = &mut self.watch {
                watch.grow();
            }
            self.groups.len() as u32 - 1
        })
    }

    /// By how much a change raises the cost; none as soon as it is clear that it is more than `most`.
    #[inline(always)]
    fn delta(&self, change: &Change, most: i64) -> Option<i64> {
        let people = |u: u32| self.units[u as usize].people;
        let group = |u: u32| &self.groups[self.group_of[u as usize] as usize];
        match *change {
            Change::Move(u, to) => {
                let first = self.joined(to, u);
                // The other group can gain no more than all it costs.
                (first - group(u).cost() <= most).then(|| first + self.left(u))
            }
            Change::Swap(t, s) => {
                let (a, b) = (group(t), group(s));
                let after = a.cells_exchanged(self.shared.digests, &self.units, t, s);
                let first = i64::from(a.people - people(t) + people(s)) * i64::from(after) - a.cost();
                if first - b.cost() > most {
                    return None;
                }
                let after = b.cells_exchanged(self.shared.digests, &self.units, s, t);
                Some(first + i64::from(b.people - people(s) + people(t)) * i64::from(after) - b.cost())
            }
        }
    }

    /// By how much a group costs more once a unit joins it.
    #[inline(always)]
    pub(super) fn joined(&self, group: u32, unit: u32) -> i64 {
        let group = &self.groups[group as usize];
        let after = group.cells_with(self.shared.digests, &self.units, unit);
        i64::from(group.people + self.units[unit as usize].people) * i64::from(after) - group.cost()
    }

    /// By how much a unit's group costs more once the unit has left: seldom above 0.
    #[inline(always)]
    pub(super) fn left(&self, unit: u32) -> i64 {
        let group = &self.groups[self.group_of[unit as usize] as usize];
        let after = group.cells_without(self.shared.digests, &self.units, unit);
        i64::from(group.people - self.units[unit as usize].people) * i64::from(after) - group.cost()
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

    /// Puts a unit into another group, or withholds it, or brings it back.
    pub(super) fn shift(&mut self, unit: u32, to: u32) {
        let from = std::mem::replace(&mut self.group_of[unit as usize], to);
        let people = u64::from(self.units[unit as usize].people);
        if from == OUT {
            self.withheld -= people;
            self.may_withhold += people;
        } else {
            self.groups[from as usize].remove(self.shared.digests, &self.units, unit);
            if let Some(watch) = &mut self.watch {
                watch.left(&self.units, from, unit);
            }
        }
        if to == OUT {
            self.withheld += people;
            self.may_withhold -= people;
        } else {
            self.groups[to as usize].add(self.shared.digests, &self.units, unit);
            if let Some(watch) = &mut self.watch {
                watch.joined(&self.units, to, unit);
            }
        }
    }
}
