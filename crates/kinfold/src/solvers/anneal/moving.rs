//! The rows that move, and one pass over them. A grouping is a list beside them: the group of each.

use super::block::{Block, Shared};
use super::blocks;
use crate::parts::groups::Unit;
use crate::parts::numbering::{groups_of, number_from};
use crate::parts::random::Random;
use crate::{Run, Stopped};
use kinfold_model::{Guard, Problem, Tally, WITHHELD};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How a pass goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The share of changes to be accepted; 0: only changes for the better.
    pub(super) accepted: f64,
    /// Changes tried for every row.
    pub(super) tries: usize,
    /// A descent ends when two tries per row gain less than one in so many.
    pub(super) enough: i64,
    /// The pass ends at this share of the time limit.
    pub(super) until: f64,
}

/// What all attempts share.
pub(super) struct Moving {
    /// The rows that move, in the order of places.
    pub(super) units: Vec<Unit>,
    pub(super) rows: Vec<u32>,
    /// Units of one class have the same protected values; empty if nothing is required of them.
    pub(super) classes: Vec<u32>,
    /// The group of every row that does not move; the others are withheld here.
    rest: Vec<u32>,
}

impl Moving {
    /// The rows that move, and the group of each.
    pub(super) fn new(problem: &Problem, records: &[u32], mut group_of_row: Vec<u32>) -> (Self, Vec<u32>) {
        let still = still_rows(problem, &group_of_row);
        let (mut units, mut rows, mut group_of) = (Vec::new(), Vec::new(), Vec::new());
        for (place, &record) in (0u32..).zip(records) {
            for &row in problem.rows_of(record) {
                if still[row as usize] {
                    continue;
                }
                let group = &mut group_of_row[row as usize];
                units.push(Unit { place, people: problem.row_size(row) as u32 });
                rows.push(row);
                group_of.push(std::mem::replace(group, WITHHELD));
            }
        }
        let classes = problem.guard().map_or(Vec::new(), |guard| classes(guard, &rows));
        (Self { units, rows, classes, rest: group_of_row }, group_of)
    }

    /// One pass over all blocks. What the grouping cost before and costs now.
    pub(super) fn pass<const L: usize, const W: usize>(
        &self,
        group_of: &mut [u32],
        shared: &Shared<'_, L, W>,
        run: &Run,
        seed: u64,
        pace: Pace,
    ) -> Result<(i64, i64), Stopped> {
        let mut random = Random::new(seed);
        let blocks = blocks::cut(
            shared.problem,
            shared.records,
            &self.units,
            group_of,
            shared.block_rows,
            &mut random,
        );
        let seeds: Vec<u64> = blocks.iter().map(|_| random.next()).collect();
        // People that may be withheld beyond those that are.
        let out = self.units.iter().zip(&*group_of).filter(|(_, g)| **g == WITHHELD);
        let out: u64 = out.map(|(u, _)| u64::from(u.people)).sum();
        let spare = shared.problem.may_withhold().saturating_sub(out);
        let people: u64 = self.units.iter().map(|u| u64::from(u.people)).sum();
        let done: Result<Vec<_>, Stopped> = blocks
            .par_iter()
            .zip(&seeds)
            .map(|(units, &seed)| {
                let own: u64 = units.iter().map(|&u| u64::from(self.units[u as usize].people)).sum();
                let mut block = Block::new(shared, self, units, group_of);
                block.may_withhold = (u128::from(spare) * u128::from(own) / u128::from(people.max(1))) as u64;
                let before = block.cost();
                block.anneal(run, &mut Random::new(seed), pace)?;
                Ok((before, block.cost(), block.finish()))
            })
            .collect();
        let (mut before, mut after, mut next) = (0, 0, 0);
        for (units, (was, is, groups)) in blocks.iter().zip(done?) {
            before += was;
            after += is;
            let count = groups_of(&groups) as u32;
            for (&unit, group) in units.iter().zip(groups) {
                group_of[unit as usize] = if group == WITHHELD { WITHHELD } else { next + group };
            }
            next += count;
        }
        Ok((before, after))
    }

    /// The group of every row, counted without gaps.
    pub(super) fn finish(&self, group_of: &[u32]) -> Vec<u32> {
        let mut group_of_row = self.rest.clone();
        let mut group_of = group_of.to_vec();
        let next = number_from(0, &mut group_of_row);
        number_from(next, &mut group_of);
        for (&row, group) in self.rows.iter().zip(group_of) {
            group_of_row[row as usize] = group;
        }
        group_of_row
    }
}

/// Numbers the combinations of protected values that these rows have.
fn classes(guard: &Guard, rows: &[u32]) -> Vec<u32> {
    let mut numbers: BTreeMap<&[u32], u32> = BTreeMap::new();
    let number = |&row: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(guard.values(row)).or_insert(next)
    };
    rows.iter().map(number).collect()
}

/// Which rows need not move: of a group of more than 4k copies of one record, all but about 3k. They stay a
/// group of their own; enough of the others are left to be lent. Where more than their number is required,
/// those that move are spread over the classes, and both parts must fulfil everything.
fn still_rows(problem: &Problem, group_of: &[u32]) -> Vec<bool> {
    let groups = groups_of(group_of);
    let (mut count, mut record_of) = (vec![0usize; groups], vec![None; groups]);
    let mut mixed = vec![false; groups];
    for (row, &group) in (0u32..).zip(group_of).filter(|(_, g)| **g != WITHHELD) {
        let (group, record) = (group as usize, problem.record_of(row));
        count[group] += 1;
        mixed[group] |= *record_of[group].get_or_insert(record) != record || problem.row_size(row) != 1;
    }
    let k = problem.k() as usize;
    let large = |group: u32| group != WITHHELD && !mixed[group as usize] && count[group as usize] > 4 * k;
    let mut rows: Vec<u32> =
        (0..group_of.len() as u32).filter(|&row| large(group_of[row as usize])).collect();
    rows.sort_by_key(|&row| group_of[row as usize]);
    let mut still = vec![false; group_of.len()];
    for group in rows.chunk_by(|&a, &b| group_of[a as usize] == group_of[b as usize]) {
        match problem.guard() {
            None => group[..group.len() - 3 * k].iter().for_each(|&row| still[row as usize] = true),
            Some(guard) => still_copies(guard, group, k).for_each(|row| still[row as usize] = true),
        }
    }
    still
}

/// All but about 3k copies of a record, the same share of every class; none if those that stay or those that
/// move would not fulfil everything.
fn still_copies(guard: &Guard, group: &[u32], k: usize) -> impl Iterator<Item = u32> {
    let mut shares: BTreeMap<&[u32], usize> = BTreeMap::new();
    let moves = |row: &&u32| {
        // Half a share to begin with, so that whole shares are rounded.
        let share = shares.entry(guard.values(**row)).or_insert(group.len() / 2);
        *share += 3 * k;
        let due = *share >= group.len();
        *share -= if due { group.len() } else { 0 };
        due
    };
    let (moving, still): (Vec<u32>, Vec<u32>) = group.iter().partition(moves);
    let requirements = guard.requirements();
    let fulfil = [&moving, &still].into_iter().all(|rows| {
        let seen = rows.iter().map(|&row| guard.row(row, 1));
        rows.len() >= k && Tally::of(requirements, seen).fulfils(requirements)
    });
    still.into_iter().filter(move |_| fulfil)
}
