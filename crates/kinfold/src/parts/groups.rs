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
    /// What one person's cells cost.
    pub(crate) cells: i32,
    pub(crate) people: u32,
    /// Units, numbered by the owner of the group.
    pub(crate) members: Vec<u32>,
    /// The codes of every member on all coded columns.
    codes: Vec<u32>,
    /// In large groups, how many members have each bit, and how many are not below each lane's second highest;
    /// empty in small ones, which are quickly looked through.
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
    }

    /// Adds a member without working out the cost: [`Group::settle`] must follow.
    pub(crate) fn include(&mut self, digests: &Digests<L, W>, units: &[Unit], unit: u32) {
        self.members.push(unit);
        let place = units[unit as usize].place;
        self.codes.extend((0..digests.coded.len()).map(|x| digests.code(place, x)));
        self.people += units[unit as usize].people;
        self.cover(digests.of(units[unit as usize].place));
    }

    /// Works out the cost.
    pub(crate) fn settle(&mut self, digests: &Digests<L, W>) {
        self.cells = self.cells_now(digests);
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
                        // Two that are not below the second remain: if the highest was alone, it is the second now.
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

    fn cells_now(&self, digests: &Digests<L, W>) -> i32 {
        if self.members.is_empty() {
            return 0;
        }
        if Digests::<L, W>::FLAT {
            return digests.stars(|l| self.is_starred(l)) + self.coded_cells(digests);
        }
        let mut bits = [0; W];
        for w in 0..W {
            bits[w] = self.once[w] | self.many[w];
        }
        let plain = self.top.iter().sum::<i32>() + digests.bits_cost(bits) - digests.base;
        plain + self.coded_cells(digests)
    }

    /// Whether the members have several values in the flat column of this lane.
    #[inline(always)]
    fn is_starred(&self, l: usize) -> bool {
        self.top[l] != -self.top[l + Digests::<L, W>::HALF]
    }

    /// The highest value of a lane once a member with this one has left.
    #[inline(always)]
    fn top_without(&self, l: usize, leaving: &Digest<L, W>) -> i32 {
        if leaving.lanes[l] == self.top[l] { self.second[l] } else { self.top[l] }
    }

    /// What one person's cells would cost with one member more.
    #[inline(always)]
    pub(crate) fn cells_with(&self, digests: &Digests<L, W>, units: &[Unit], inn: u32) -> i32 {
        let coming = digests.of(units[inn as usize].place);
        if Digests::<L, W>::FLAT {
            let plain = digests.stars(|l| !self.is_starred(l) & (coming.lanes[l] != self.top[l]));
            return self.cells + plain + self.coded_change(digests, units, None, Some(inn));
        }
        let (mut rise, mut gained) = (0, [0; W]);
        for l in 0..L {
            rise += (coming.lanes[l] - self.top[l]).max(0);
        }
        for w in 0..W {
            gained[w] = coming.bits[w] & !(self.once[w] | self.many[w]);
        }
        let plain = rise + digests.single_bits_cost(gained);
        self.cells + plain + self.coded_change(digests, units, None, Some(inn))
    }

    /// What one person's cells would cost with one member less.
    #[inline(always)]
    pub(crate) fn cells_without(&self, digests: &Digests<L, W>, units: &[Unit], out: u32) -> i32 {
        let leaving = digests.of(units[out as usize].place);
        if Digests::<L, W>::FLAT {
            let one = |l: usize| {
                self.top_without(l, leaving) == -self.top_without(l + Digests::<L, W>::HALF, leaving)
            };
            let plain = digests.stars(|l| self.is_starred(l) & one(l));
            return self.cells - plain + self.coded_change(digests, units, Some(out), None);
        }
        let (mut fall, mut lost) = (0, [0; W]);
        for l in 0..L {
            fall += if leaving.lanes[l] == self.top[l] { self.top[l] - self.second[l] } else { 0 };
        }
        for w in 0..W {
            lost[w] = self.once[w] & leaving.bits[w];
        }
        let plain = fall + digests.single_bits_cost(lost);
        self.cells - plain + self.coded_change(digests, units, Some(out), None)
    }

    /// What one person's cells would cost with one member exchanged.
    #[inline(always)]
    pub(crate) fn cells_exchanged(&self, digests: &Digests<L, W>, units: &[Unit], out: u32, inn: u32) -> i32 {
        let (leaving, coming) =
            (digests.of(units[out as usize].place), digests.of(units[inn as usize].place));
        if Digests::<L, W>::FLAT {
            let top = |l: usize| self.top_without(l, leaving).max(coming.lanes[l]);
            let several = |l: usize| top(l) != -top(l + Digests::<L, W>::HALF);
            let plain = digests.stars(several) - digests.stars(|l| self.is_starred(l));
            return self.cells + plain + self.coded_change(digests, units, Some(out), Some(inn));
        }
        let mut change = 0;
        for l in 0..L {
            change += self.top_without(l, leaving).max(coming.lanes[l]) - self.top[l];
        }
        let (mut lost, mut gained) = ([0; W], [0; W]);
        for w in 0..W {
            lost[w] = self.once[w] & leaving.bits[w] & !coming.bits[w];
            gained[w] = coming.bits[w] & !(self.once[w] | self.many[w]);
        }
        let plain = change + digests.single_bits_cost(gained) - digests.single_bits_cost(lost);
        self.cells + plain + self.coded_change(digests, units, Some(out), Some(inn))
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
            if column.is_set() {
                let count = |code: u32| codes.clone().filter(|&c| c == code).count();
                change -= if leaving.is_some_and(|c| count(c) == 1) { column.step() } else { 0 };
                change += if coming.is_some_and(|c| count(c) == 0) { column.step() } else { 0 };
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
            if column.is_set() {
                let mut labels: Vec<u32> = codes.collect();
                labels.sort_unstable();
                labels.dedup();
                column.step() * (labels.len() as i32 - 1)
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
    use crate::parts::digest::Layout;
    use crate::parts::random::Random;
    use kinfold_model::cost::{ONE, Objective, Rule, group_cost};
    use kinfold_model::hierarchy::Hierarchy;
    use kinfold_model::problem::{Parts, Problem};
    use std::sync::Arc;

    /// Every kind of rule, small and large, weighted.
    fn every_rule() -> Vec<Rule> {
        let tree = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;z;*\n").unwrap();
        vec![
            Rule::line((0..=10).map(|i| i * ONE / 10).collect(), false, ONE),
            Rule::set(7, ONE / 2),
            Rule::set(100, ONE),
            Rule::set(3000, ONE),
            Rule::line(vec![0, ONE], true, 2 * ONE),
            Rule::tree(Arc::new(tree.tree().clone()), ONE),
            Rule::flat(6, ONE),
        ]
    }

    fn problem(random: &mut Random, rules: Vec<Rule>, rows: usize) -> Problem {
        let codes: Vec<u32> = (0..rows)
            .flat_map(|_| {
                rules.iter().map(|r| random.below(r.values().min(9) as usize) as u32).collect::<Vec<_>>()
            })
            .collect();
        let record_of = (0..rows as u32).collect();
        Problem::new(Parts {
            k: 2,
            objective: Objective::Ncp,
            rules,
            record_of,
            codes,
            row_sizes: None,
            may_withhold: 0,
            clusters: Default::default(),
            connected: None,
        })
        .unwrap()
    }

    #[test]
    fn running_totals_equal_the_plain_definition() {
        compare::<4, 4>(&every_rule());
        // Two values mostly, so that groups are now of one value and now starred; the last column stays a code.
        compare::<8, 0>(&[2, 2, 9, 2].map(|values| Rule::flat(values, u64::from(values) * ONE)));
        compare::<64, 0>(&[2, 3].repeat(17).into_iter().map(|v| Rule::flat(v, ONE)).collect::<Vec<_>>());
    }

    fn compare<const L: usize, const W: usize>(rules: &[Rule]) {
        let mut random = Random::new(4);
        for size in [3, 8, 60] {
            let problem = problem(&mut random, rules.to_vec(), 80);
            let digests = Digests::<L, W>::new(&problem, &Layout::of(&problem));
            let units: Vec<Unit> = (0..80).map(|place| Unit { place, people: 1 }).collect();
            let unit = problem.withheld_cost() as f64 / f64::from(1 << 30);
            let plain = |rows: &[u32]| group_cost(&problem, rows).0 as f64 / rows.len() as f64 / unit;
            let close = |cells: i32, rows: &[u32]| {
                assert!((f64::from(cells) - plain(rows)).abs() < 20.0, "{cells} is not {}", plain(rows));
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
