//! Groups whose cost with a member fewer, more or exchanged is known without looking at the others.
//!
//! For every lane a group keeps its two highest values, for every bit whether one member has it or
//! several. Without a member, a lane is the second highest if the member had the highest, and a bit is
//! gone if only that member had it.
// Loops over a fixed number of lanes and words read best with the index, and unroll.
#![allow(clippy::needless_range_loop)]

use super::digest::{Coded, Digest, Digests};

/// Rows that are published alike.
#[derive(Debug, Clone)]
pub(crate) struct Group<const L: usize, const W: usize> {
    top: [i32; L],
    second: [i32; L],
    once: [u64; W],
    many: [u64; W],
    /// What one person's cells cost, and what of it is for lanes.
    pub(crate) cells: i32,
    lane_cells: i32,
    pub(crate) people: u32,
    /// Units, numbered by the owner of the group.
    pub(crate) members: Vec<u32>,
    /// The codes of every member on all coded columns.
    codes: Vec<u32>,
    /// In large groups, how many members have each bit, and how many are not below each lane's second
    /// highest; empty in small ones, which are quickly looked through.
    counts: Vec<u32>,
}

/// From this many members on, a group counts its bits.
const LARGE: usize = 24;

/// Lower than any lane.
const NO_LANE: i32 = -(1 << 30);

impl<const L: usize, const W: usize> Default for Group<L, W> {
    fn default() -> Self {
        Self {
            top: [NO_LANE; L],
            second: [NO_LANE; L],
            once: [0; W],
            many: [0; W],
            cells: 0,
            lane_cells: 0,
            people: 0,
            members: Vec::new(),
            codes: Vec::new(),
            counts: Vec::new(),
        }
    }
}

/// A row that can be moved: its place and how many people it stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) place: u32,
    pub(crate) people: u32,
}

impl<const L: usize, const W: usize> Group<L, W> {
    /// What the group costs.
    #[inline]
    pub(crate) fn cost(&self) -> i64 {
        i64::from(self.people) * i64::from(self.cells)
    }

    pub(crate) fn add(&mut self, digests: &Digests<L, W>, units: &[Unit], unit: u32) {
        self.cells = if self.members.is_empty() { 0 } else { self.cells_with(digests, units, unit) };
        self.include(digests, units, unit);
        self.lane_cells = digests.lanes_cost(&self.top);
    }

    /// Adds a member without working out the cost: [`Group::update_cost`] must follow.
    pub(crate) fn include(&mut self, digests: &Digests<L, W>, units: &[Unit], unit: u32) {
        self.members.push(unit);
        let place = units[unit as usize].place;
        self.codes.extend((0..digests.coded.len()).map(|x| digests.code(place, x)));
        self.people += units[unit as usize].people;
        self.cover(digests.of(place));
    }

    /// Works out the cost.
    pub(crate) fn update_cost(&mut self, digests: &Digests<L, W>) {
        if self.members.is_empty() {
            (self.cells, self.lane_cells) = (0, 0);
            return;
        }
        let mut bits = [0; W];
        for w in 0..W {
            bits[w] = self.once[w] | self.many[w];
        }
        self.lane_cells = digests.lanes_cost(&self.top);
        self.cells = self.lane_cells + digests.bits_cost(bits) - digests.base + self.coded_cells(digests);
    }

    pub(crate) fn remove(&mut self, digests: &Digests<L, W>, units: &[Unit], unit: u32) {
        self.cells = if self.members.len() == 1 { 0 } else { self.cells_without(digests, units, unit) };
        if let Some(at) = self.members.iter().position(|&m| m == unit) {
            self.members.swap_remove(at);
            for x in (0..digests.coded.len()).rev() {
                self.codes.swap_remove(at * digests.coded.len() + x);
            }
        }
        self.people -= units[unit as usize].people;
        let digest = digests.of(units[unit as usize].place);
        if self.members.len() >= LARGE {
            self.uncover(digests, units, digest);
        } else {
            self.recover(digests, units);
        }
        self.lane_cells = if self.members.is_empty() { 0 } else { digests.lanes_cost(&self.top) };
    }

    /// Looks through all members.
    fn recover(&mut self, digests: &Digests<L, W>, units: &[Unit]) {
        (self.top, self.second) = ([NO_LANE; L], [NO_LANE; L]);
        (self.once, self.many) = ([0; W], [0; W]);
        self.counts.clear();
        for i in 0..self.members.len() {
            self.cover(digests.of(units[self.members[i] as usize].place));
        }
    }

    /// Takes one digest away by counting; a lane is looked through only when one of its two highest values is
    /// gone altogether.
    fn uncover(&mut self, digests: &Digests<L, W>, units: &[Unit], leaving: &Digest<L, W>) {
        if self.counts.is_empty() {
            self.counts = vec![0; W * 64 + L];
            for i in 0..self.members.len() {
                count_bits(&mut self.counts, &digests.of(units[self.members[i] as usize].place).bits, 1);
            }
            for l in 0..L {
                self.look_through(l, digests, units);
            }
        } else {
            count_bits(&mut self.counts, &leaving.bits, u32::MAX);
            for l in 0..L {
                if leaving.lanes[l] >= self.second[l] {
                    self.counts[W * 64 + l] -= 1;
                    if self.counts[W * 64 + l] < 2 {
                        self.look_through(l, digests, units);
                    } else if leaving.lanes[l] == self.top[l] {
                        // Two that are not below the second remain: if the highest was alone, it is the
                        // second now.
                        self.top[l] = if self.top[l] > self.second[l] { self.second[l] } else { self.top[l] };
                    }
                }
            }
        }
        for w in 0..W {
            let mut word = leaving.bits[w];
            while word != 0 {
                let bit = word.trailing_zeros();
                word &= word - 1;
                match self.counts[w * 64 + bit as usize] {
                    0 => self.once[w] &= !(1 << bit),
                    1 => {
                        self.many[w] &= !(1 << bit);
                        self.once[w] |= 1 << bit;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Finds the two highest values of a lane, and how many are not below the second.
    fn look_through(&mut self, l: usize, digests: &Digests<L, W>, units: &[Unit]) {
        let (mut top, mut second, mut count) = (NO_LANE, NO_LANE, 0);
        for &m in &self.members {
            let x = digests.of(units[m as usize].place).lanes[l];
            count = not_below_second(count, top, second, x);
            second = second.max(top.min(x));
            top = top.max(x);
        }
        (self.top[l], self.second[l]) = (top, second);
        self.counts[W * 64 + l] = count;
    }

    fn cover(&mut self, digest: &Digest<L, W>) {
        if !self.counts.is_empty() {
            count_bits(&mut self.counts, &digest.bits, 1);
            for l in 0..L {
                let count = &mut self.counts[W * 64 + l];
                *count = not_below_second(*count, self.top[l], self.second[l], digest.lanes[l]);
            }
        }
        for l in 0..L {
            let x = digest.lanes[l];
            self.second[l] = self.second[l].max(self.top[l].min(x));
            self.top[l] = self.top[l].max(x);
        }
        for w in 0..W {
            self.many[w] |= self.once[w] & digest.bits[w];
            self.once[w] = (self.once[w] | digest.bits[w]) & !self.many[w];
        }
    }

    /// The highest values of all lanes once a member with these has left.
    #[inline(always)]
    fn top_without(&self, leaving: &Digest<L, W>) -> [i32; L] {
        let mut top = self.top;
        for l in 0..L {
            top[l] = if leaving.lanes[l] == self.top[l] { self.second[l] } else { self.top[l] };
        }
        top
    }

    /// What one person's cells would cost with one member more.
    #[inline(always)]
    pub(crate) fn cells_with(&self, digests: &Digests<L, W>, units: &[Unit], inn: u32) -> i32 {
        let coming = digests.of(units[inn as usize].place);
        let lanes = digests.joined_lanes_cost(&self.top, &coming.lanes);
        let mut gained = [0; W];
        for w in 0..W {
            gained[w] = coming.bits[w] & !(self.once[w] | self.many[w]);
        }
        let bits = digests.single_bits_cost(gained);
        self.cells - self.lane_cells + lanes + bits + self.coded_change(digests, units, None, Some(inn))
    }

    /// What one person's cells would cost with one member less; somebody must be left.
    #[inline(always)]
    pub(crate) fn cells_without(&self, digests: &Digests<L, W>, units: &[Unit], out: u32) -> i32 {
        let leaving = digests.of(units[out as usize].place);
        let lanes = digests.lanes_cost(&self.top_without(leaving));
        let mut lost = [0; W];
        for w in 0..W {
            lost[w] = self.once[w] & leaving.bits[w];
        }
        let bits = digests.single_bits_cost(lost);
        self.cells - self.lane_cells + lanes - bits + self.coded_change(digests, units, Some(out), None)
    }

    /// What one person's cells would cost with one member exchanged.
    #[inline(always)]
    pub(crate) fn cells_exchanged(&self, digests: &Digests<L, W>, units: &[Unit], out: u32, inn: u32) -> i32 {
        let (leaving, coming) =
            (digests.of(units[out as usize].place), digests.of(units[inn as usize].place));
        let lanes = digests.joined_lanes_cost(&self.top_without(leaving), &coming.lanes);
        let (mut lost, mut gained) = ([0; W], [0; W]);
        for w in 0..W {
            lost[w] = self.once[w] & leaving.bits[w] & !coming.bits[w];
            gained[w] = coming.bits[w] & !(self.once[w] | self.many[w]);
        }
        let bits = digests.single_bits_cost(gained) - digests.single_bits_cost(lost);
        self.cells - self.lane_cells + lanes + bits + self.coded_change(digests, units, Some(out), Some(inn))
    }

    /// By how much coded columns would cost more.
    #[inline]
    fn coded_change(
        &self,
        digests: &Digests<L, W>,
        units: &[Unit],
        out: Option<u32>,
        inn: Option<u32>,
    ) -> i32 {
        let mut change = 0;
        for (x, column) in digests.coded.iter().enumerate() {
            let code = |unit: u32| digests.code(units[unit as usize].place, x);
            let (leaving, coming) = (out.map(code), inn.map(code));
            if leaving == coming {
                continue;
            }
            let codes = self.codes.iter().skip(x).step_by(digests.coded.len()).copied();
            if column.is_set {
                let count = |code: u32| codes.clone().filter(|&c| c == code).count();
                change -= if leaving.is_some_and(|c| count(c) == 1) { column.step } else { 0 };
                change += if coming.is_some_and(|c| count(c) == 0) { column.step } else { 0 };
            } else {
                let stay = self.members.iter().zip(codes.clone()).filter(|(m, _)| Some(**m) != out);
                change += span(column, stay.map(|(_, c)| c).chain(coming)) - span(column, codes);
            }
        }
        change
    }

    /// What all coded columns cost.
    fn coded_cells(&self, digests: &Digests<L, W>) -> i32 {
        let cost = |(x, column): (usize, &Coded)| {
            let codes = self.codes.iter().skip(x).step_by(digests.coded.len()).copied();
            if column.is_set {
                let mut labels: Vec<u32> = codes.collect();
                labels.sort_unstable();
                labels.dedup();
                column.step * (labels.len() as i32 - 1)
            } else {
                span(column, codes)
            }
        };
        digests.coded.iter().enumerate().map(cost).sum()
    }
}

/// What codes cost of which only the lowest and the highest matter.
fn span(column: &Coded, codes: impl Iterator<Item = u32>) -> i32 {
    let (low, high) = codes.fold((u32::MAX, 0), |(low, high), c| (low.min(c), high.max(c)));
    if low > high { 0 } else { column.span(low, high) }
}

/// How many values are not below the second highest once `x` comes to those that have `top` and `second`.
fn not_below_second(count: u32, top: i32, second: i32, x: i32) -> u32 {
    if x < second {
        count
    } else if x == second || x > top && top == second {
        count + 1
    } else {
        2
    }
}

/// Counts a digest's bits once more, or once less (`by` is then −1).
fn count_bits<const W: usize>(counts: &mut [u32], bits: &[u64; W], by: u32) {
    for (w, mut word) in bits.iter().copied().enumerate() {
        while word != 0 {
            let count = &mut counts[w * 64 + word.trailing_zeros() as usize];
            *count = count.wrapping_add(by);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::digest::{EVERYTHING, Layout, Work};
    use crate::parts::random::Random;
    use kinfold_model::cost::{ONE, Objective, Rule, group_cost};
    use kinfold_model::hierarchy::Hierarchy;
    use kinfold_model::problem::{Parts, Problem};
    use std::sync::Arc;

    /// Every kind of rule, small and large, weighted.
    fn every_rule() -> Vec<Rule> {
        let shallow = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;z;*\n").unwrap().with_extra_leaf();
        let flat = Hierarchy::parse("a;*\nb;*\nc;*\n").unwrap();
        // Branches of one, two, three … leaves, two levels deep.
        let branch = |i: u32| (1..).find(|b| b * (b + 1) / 2 > i).unwrap_or(0);
        let path = |i: u32| format!("{i};{};{};*", branch(i), branch(i) / 4);
        let deep = Hierarchy::parse(&(0..99).map(path).collect::<Vec<_>>().join("\n")).unwrap();
        let deep = Arc::new(deep.tree().clone());
        vec![
            Rule::line((0..=10).map(|i| i * ONE / 10).collect(), false, ONE).unwrap(),
            Rule::set(7, ONE / 2),
            Rule::set(100, ONE),
            Rule::set(3000, ONE),
            Rule::line(vec![0, ONE / 3, 2 * ONE], true, 2 * ONE).unwrap(),
            Rule::line(vec![0, 0, ONE], true, ONE).unwrap(),
            Rule::tree(Arc::new(shallow.tree().clone()), ONE),
            Rule::tree(Arc::new(flat.tree().clone()), ONE),
            Rule::tree(deep.clone(), 3 * ONE),
            Rule::peopled_tree(deep, &(0..99).map(|i| i * i % 7).collect::<Vec<_>>(), ONE).unwrap(),
            Rule::flat(6, ONE),
        ]
    }

    fn problem(random: &mut Random, rules: Vec<Rule>, rows: usize) -> Problem {
        let codes: Vec<u32> = (0..rows)
            .flat_map(|_| rules.iter().map(|r| value(random, r.values())).collect::<Vec<_>>())
            .collect();
        let record_of = (0..rows as u32).collect();
        Problem::new(Parts::new(2, Objective::Ncp, rules, record_of, codes)).unwrap()
    }

    /// One of the first or the last few: both are what groups have in common now and then.
    fn value(random: &mut Random, values: u32) -> u32 {
        let near = random.below(values.min(5) as usize) as u32;
        if random.below(3) == 0 { values - 1 - near } else { near }
    }

    #[test]
    fn running_totals_equal_the_plain_definition() {
        compare(every_rule());
        // Two values mostly, so that groups are now of one value and now starred.
        compare([2, 2, 9, 2].map(|values| Rule::flat(values, u64::from(values) * ONE)).to_vec());
        // So many that the last stay codes.
        compare((0..10).flat_map(|_| every_rule()).collect());
        for rule in every_rule() {
            compare(vec![rule]);
        }
    }

    fn compare(rules: Vec<Rule>) {
        let mut random = Random::new(4);
        for size in [3, 8, 60] {
            let problem = problem(&mut random, rules.clone(), 80);
            Layout::of(&problem).run(&Compare { problem: &problem, size });
        }
    }

    struct Compare<'a> {
        problem: &'a Problem,
        size: u32,
    }

    impl Work for Compare<'_> {
        type Answer = ();

        fn run<const L: usize, const W: usize>(&self, layout: &Layout) {
            let Self { problem, size } = *self;
            let mut random = Random::new(5);
            let digests = Digests::<L, W>::new(problem, layout);
            let units: Vec<Unit> = (0..80).map(|place| Unit { place, people: 1 }).collect();
            let unit = problem.withheld_cost() as f64 / EVERYTHING as f64;
            let plain = |rows: &[u32]| group_cost(problem, rows).0 as f64 / rows.len() as f64 / unit;
            let close = |cells: i32, rows: &[u32]| {
                assert!((f64::from(cells) - plain(rows)).abs() < 70.0, "{cells} is not {}", plain(rows));
            };
            let mut group = Group::<L, W>::default();
            for u in 0..size {
                group.add(&digests, &units, u);
            }
            for _ in 0..300 {
                let out = group.members[random.below(group.members.len())];
                let inn = loop {
                    let candidate = random.below(80) as u32;
                    if !group.members.contains(&candidate) {
                        break candidate;
                    }
                };
                let without: Vec<u32> = group.members.iter().copied().filter(|&m| m != out).collect();
                let with: Vec<u32> = group.members.iter().copied().chain([inn]).collect();
                let exchanged: Vec<u32> = without.iter().copied().chain([inn]).collect();
                close(group.cells, &group.members);
                close(group.cells_without(&digests, &units, out), &without);
                close(group.cells_with(&digests, &units, inn), &with);
                close(group.cells_exchanged(&digests, &units, out, inn), &exchanged);
                group.remove(&digests, &units, out);
                group.add(&digests, &units, inn);
                assert_eq!(group.people, size);
            }
        }
    }
}
