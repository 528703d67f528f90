//! The nearest places of every place.
//!
//! The tree finds them exactly as long as it leaves out enough. With many columns it leaves out little: where
//! most of a sample of searches have looked at half of all leaves, or at [`LOOKS`], and are not done, all
//! stop early, and then everybody asks the neighbours found so far for theirs: who is near to somebody near
//! is likely near (Dong, Moses, Li: efficient k-nearest neighbor graph construction, 2011). (Where the tree
//! helps, asking instead of searching costs 2 % of the loss on hierarchies.)

use super::growing::Growing;
use super::near::Near;
use crate::{Effort, Run, Stopped};
use rayon::prelude::*;
use std::ops::Range;

/// Leaves that the places of one leaf may look at; on census tables they need 50.
const LOOKS: u32 = 1024;
/// How many leaves are asked whether the tree is of use.
const SAMPLE: usize = 16;
/// Rounds of asking neighbours.
const ROUNDS: usize = 4;
/// The share of a time limit after which nobody is looked for any more.
const LOOK_BY: f64 = 0.4;

/// Leaves looked at on large tables at quick and at normal effort, times the records: on a table of 300,000
/// distinct records of eight columns, fifty for each leaf lose 0.3 % more than a thousand; on a million, four
/// lose 0.7 % more than fifteen.
const QUICK_LOOKS: usize = 15_000_000;
/// Beyond so many records there are fewer looks still.
const MANY_RECORDS: usize = 250_000;
const NORMAL_LOOKS: usize = 60_000_000;
const LEAST_LOOKS: u32 = 4;

/// Leaves that may be looked at from each. Where the tree is of no use, what is left of the time is better
/// spent on groups.
fn looks(exact: bool, effort: Effort, records: usize, columns: usize) -> u32 {
    match effort {
        Effort::Quick if exact => {
            let looks = QUICK_LOOKS / records * MANY_RECORDS.min(records) / records;
            (looks as u32).clamp(LEAST_LOOKS, LOOKS)
        }
        Effort::Normal if exact => ((NORMAL_LOOKS / records) as u32).clamp(16 * LEAST_LOOKS, LOOKS),
        Effort::Quick => ((24_000 / (columns * columns)) as u32).clamp(2 * LEAST_LOOKS, LOOKS),
        Effort::Normal if !exact => LOOKS / 4,
        _ => LOOKS,
    }
}

/// The nearest places of every place, nearest first, with what the pair would cost.
pub(crate) struct Neighbours {
    each: usize,
    flat: Vec<(i32, u32)>,
    /// Whether the tree left out enough for an exact search.
    pub(crate) exact: bool,
}

impl Neighbours {
    /// The `each` nearest of every place; `each` is less than the number of places. `columns`: those of the
    /// problem.
    pub(crate) fn find<const L: usize, const W: usize>(
        near: &Near<L, W>,
        columns: usize,
        each: usize,
        run: &Run,
    ) -> Result<Self, Stopped> {
        let leaves = near.leaves();
        let sample: Vec<_> = leaves.iter().step_by(leaves.len().div_ceil(SAMPLE)).collect();
        let most = LOOKS.min(leaves.len() as u32 / 2);
        let lost = sample.par_iter().filter(|leaf| !near.neighbours((**leaf).clone(), each, most).1).count();
        let exact = lost * 2 <= sample.len();
        let looks = looks(exact, run.effort, near.records.len(), columns);
        let found = run.each(&leaves, |leaf| {
            let looks = if run.time_used() < LOOK_BY { looks } else { 0 };
            near.neighbours(leaf.clone(), each, looks).0
        })?;
        let mut neighbours = Self { each, flat: found.into_iter().flatten().flatten().collect(), exact };
        if !exact {
            for _ in 0..ROUNDS {
                neighbours.ask(near, &leaves, run)?;
            }
        }
        Ok(neighbours)
    }

    /// The nearest of a place.
    pub(crate) fn of(&self, place: u32) -> &[(i32, u32)] {
        &self.flat[place as usize * self.each..][..self.each]
    }

    /// Everybody asks the neighbours, and who has them for a neighbour.
    fn ask<const L: usize, const W: usize>(
        &mut self,
        near: &Near<L, W>,
        leaves: &[Range<u32>],
        run: &Run,
    ) -> Result<(), Stopped> {
        let fans = self.fans(near.records.len());
        let asked = run.each(leaves, |leaf| {
            let in_time = run.time_used() < LOOK_BY;
            let list = |p| if in_time { self.asked(near, &fans, p) } else { self.of(p).to_vec() };
            leaf.clone().flat_map(list).collect::<Vec<_>>()
        })?;
        self.flat = asked.into_iter().flatten().collect();
        Ok(())
    }

    /// The nearest among those known, their neighbours and the fans.
    fn asked<const L: usize, const W: usize>(
        &self,
        near: &Near<L, W>,
        fans: &[Vec<u32>],
        place: u32,
    ) -> Vec<(i32, u32)> {
        let mut list = self.of(place).to_vec();
        let known: Vec<u32> = list.iter().map(|&(_, other)| other).chain([place]).collect();
        let mut strangers: Vec<u32> = fans[place as usize].clone();
        for &(_, friend) in &list {
            strangers.extend(self.of(friend).iter().map(|&(_, other)| other));
        }
        strangers.sort_unstable();
        strangers.dedup();
        let alone = Growing::new(&near.digests, place);
        for other in strangers.into_iter().filter(|other| !known.contains(other)) {
            let limit = list[self.each - 1];
            let rise = near.rise(&alone, other, limit.0);
            if (rise, other) < limit {
                let at = list.partition_point(|f| *f < (rise, other));
                list.insert(at, (rise, other));
                list.truncate(self.each);
            }
        }
        list
    }

    /// For every place those who have it for a neighbour, as many as they may have themselves.
    fn fans(&self, places: usize) -> Vec<Vec<u32>> {
        let mut fans = vec![Vec::new(); places];
        for (i, &(_, other)) in self.flat.iter().enumerate() {
            let list: &mut Vec<u32> = &mut fans[other as usize];
            if list.len() < self.each {
                list.push((i / self.each) as u32);
            }
        }
        fans
    }
}
