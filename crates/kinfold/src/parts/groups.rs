//! Groups whose cost with a member fewer, more or exchanged is known without looking at the others.
//!
//! For every lane a group keeps its two highest values, for every bit whether one member has it or
//! several. Without a member, a lane is the second highest if the member had the highest, and a bit is
//! gone if only that member had it.
// Loops over a fixed number of lanes and words read best with the index, and unroll.
#![allow(clippy::needless_range_loop)]

use super::digest::{Digest, Digests};

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
    /// In large groups, how many members have each bit; empty in small ones, which are quickly looked through.
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
            counts: Vec::new(),
        }
    }
}

/// A row that can be moved: its record and how many people it stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) record: u32,
    pub(crate) people: u32,
}

impl<const L: usize, const W: usize> Group<L, W> {
    /// What the group costs.
    #[inline]
    pub(crate) fn cost(&self) -> i64 {
        i64::from(self.people) * i64::from(self.cells)
    }

    pub(crate) fn add(&mut self, digests: &Digests<L, W>, units: &[Unit], unit: u32) {
        self.include(digests, units, unit);
        self.settle(digests, units);
    }

    /// Adds a member without working out the cost: [`Group::settle`] must follow.
    pub(crate) fn include(&mut self, digests: &Digests<L, W>, units: &[Unit], unit: u32) {
        self.members.push(unit);
        self.people += units[unit as usize].people;
        self.cover(digests.of(units[unit as usize].record));
    }

    /// Works out the cost.
    pub(crate) fn settle(&mut self, digests: &Digests<L, W>, units: &[Unit]) {
        self.cells = self.cells_now(digests, units);
    }

    pub(crate) fn remove(&mut self, digests: &Digests<L, W>, units: &[Unit], unit: u32) {
        if let Some(at) = self.members.iter().position(|&m| m == unit) {
            self.members.swap_remove(at);
        }
        self.people -= units[unit as usize].people;
        let digest = digests.of(units[unit as usize].record);
        if self.members.len() >= LARGE {
            self.uncover(digests, units, digest);
        } else {
            self.recover(digests, units);
        }
        self.cells = self.cells_now(digests, units);
    }

    /// Looks through all members.
    fn recover(&mut self, digests: &Digests<L, W>, units: &[Unit]) {
        (self.top, self.second) = ([NO_LANE; L], [NO_LANE; L]);
        (self.once, self.many) = ([0; W], [0; W]);
        self.counts.clear();
        for i in 0..self.members.len() {
            self.cover(digests.of(units[self.members[i] as usize].record));
        }
    }

    /// Takes one digest away by counting; a lane is looked through only if one of its two highest leaves.
    fn uncover(&mut self, digests: &Digests<L, W>, units: &[Unit], leaving: &Digest<L, W>) {
        if self.counts.is_empty() {
            self.counts = vec![0; W * 64];
            for i in 0..self.members.len() {
                count_bits(&mut self.counts, &digests.of(units[self.members[i] as usize].record).bits, 1);
            }
        } else {
            count_bits(&mut self.counts, &leaving.bits, u32::MAX);
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
        for l in 0..L {
            if leaving.lanes[l] >= self.second[l] {
                let (mut top, mut second) = (NO_LANE, NO_LANE);
                for &m in &self.members {
                    let x = digests.of(units[m as usize].record).lanes[l];
                    second = second.max(top.min(x));
                    top = top.max(x);
                }
                (self.top[l], self.second[l]) = (top, second);
            }
        }
    }

    fn cover(&mut self, digest: &Digest<L, W>) {
        for l in 0..L {
            let x = digest.lanes[l];
            self.second[l] = self.second[l].max(self.top[l].min(x));
            self.top[l] = self.top[l].max(x);
        }
        for w in 0..W {
            self.many[w] |= self.once[w] & digest.bits[w];
            self.once[w] = (self.once[w] | digest.bits[w]) & !self.many[w];
        }
        if !self.counts.is_empty() {
            count_bits(&mut self.counts, &digest.bits, 1);
        }
    }

    fn cells_now(&self, digests: &Digests<L, W>, units: &[Unit]) -> i32 {
        if self.members.is_empty() {
            return 0;
        }
        let mut bits = [0; W];
        for w in 0..W {
            bits[w] = self.once[w] | self.many[w];
        }
        let plain = self.top.iter().sum::<i32>() + digests.bits_cost(bits) - digests.base;
        plain + self.coded_cells(digests, units, None, None)
    }

    /// What one person's cells would cost with one member more.
    #[inline]
    pub(crate) fn cells_with(&self, digests: &Digests<L, W>, units: &[Unit], inn: u32) -> i32 {
        let coming = digests.of(units[inn as usize].record);
        let (mut rise, mut gained) = (0, [0; W]);
        for l in 0..L {
            rise += (coming.lanes[l] - self.top[l]).max(0);
        }
        for w in 0..W {
            gained[w] = coming.bits[w] & !(self.once[w] | self.many[w]);
        }
        let plain = rise + digests.bits_cost(gained);
        self.cells + plain + self.coded_change(digests, units, None, Some(inn))
    }

    /// What one person's cells would cost with one member less.
    #[inline]
    pub(crate) fn cells_without(&self, digests: &Digests<L, W>, units: &[Unit], out: u32) -> i32 {
        let leaving = digests.of(units[out as usize].record);
        let (mut fall, mut lost) = (0, [0; W]);
        for l in 0..L {
            fall += if leaving.lanes[l] == self.top[l] { self.top[l] - self.second[l] } else { 0 };
        }
        for w in 0..W {
            lost[w] = self.once[w] & leaving.bits[w];
        }
        let plain = fall + digests.bits_cost(lost);
        self.cells - plain + self.coded_change(digests, units, Some(out), None)
    }

    /// What one person's cells would cost with one member exchanged.
    #[inline]
    pub(crate) fn cells_exchanged(&self, digests: &Digests<L, W>, units: &[Unit], out: u32, inn: u32) -> i32 {
        let (leaving, coming) =
            (digests.of(units[out as usize].record), digests.of(units[inn as usize].record));
        let mut change = 0;
        for l in 0..L {
            let stays = if leaving.lanes[l] == self.top[l] { self.second[l] } else { self.top[l] };
            change += stays.max(coming.lanes[l]) - self.top[l];
        }
        let (mut lost, mut gained) = ([0; W], [0; W]);
        for w in 0..W {
            lost[w] = self.once[w] & leaving.bits[w] & !coming.bits[w];
            gained[w] = coming.bits[w] & !(self.once[w] | self.many[w]);
        }
        let plain = change + digests.bits_cost(gained) - digests.bits_cost(lost);
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
        if digests.coded.is_empty() {
            return 0;
        }
        self.coded_cells(digests, units, out, inn) - self.coded_cells(digests, units, None, None)
    }

    fn coded_cells(
        &self,
        digests: &Digests<L, W>,
        units: &[Unit],
        out: Option<u32>,
        inn: Option<u32>,
    ) -> i32 {
        let mut cells = 0;
        for (x, column) in digests.coded.iter().enumerate() {
            let stays = self.members.iter().filter(|&&m| Some(m) != out);
            let codes = stays.chain(&inn).map(|&m| digests.code(units[m as usize].record, x));
            cells += column.cost(codes);
        }
        cells
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
    fn problem(random: &mut Random, rows: usize) -> Problem {
        let tree = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;z;*\n").unwrap();
        let rules = vec![
            Rule::line((0..=10).map(|i| i * ONE / 10).collect(), false, ONE),
            Rule::set(7, ONE / 2),
            Rule::set(100, ONE),
            Rule::set(3000, ONE),
            Rule::line(vec![0, ONE], true, 2 * ONE),
            Rule::tree(Arc::new(tree.tree().clone()), ONE),
        ];
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
        })
        .unwrap()
    }

    #[test]
    fn running_totals_equal_the_plain_definition() {
        let mut random = Random::new(4);
        for size in [3, 8, 60] {
            let problem = problem(&mut random, 80);
            let digests = Digests::<4, 4>::new(&problem, &Layout::of(&problem));
            let units: Vec<Unit> = (0..80).map(|record| Unit { record, people: 1 }).collect();
            let unit = problem.withheld_cost() as f64 / f64::from(1 << 30);
            let plain = |rows: &[u32]| group_cost(&problem, rows).0 as f64 / rows.len() as f64 / unit;
            let close = |cells: i32, rows: &[u32]| {
                assert!((f64::from(cells) - plain(rows)).abs() < 20.0, "{cells} is not {}", plain(rows));
            };
            let mut group = Group::<4, 4>::default();
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
