//! Which columns can be kept as they are: paper *suppress*, section 3.1, k-anonymity on attributes.
//!
//! # The problem
//! Drop whole columns, as little weight as possible, so that everybody looks like k − 1 others on those that
//! are kept. It is NP-hard (Theorem 3.2), but tables have few columns.
//!
//! # The idea
//! The **level** of a set of columns is the largest k that it can be kept for: the people of its smallest
//! look, or of the smallest look that cannot be withheld. More columns make looks smaller, so a set's level
//! is no more than that of any part of it (*apriori*: Agrawal, Srikant 1994). Sets are grown column by
//! column. What a column would do to the level is counted before it is taken, looks of few people first;
//! columns that would bring the level below every k for which something can still be gained are out for all
//! sets that follow. A set is given up when all columns that are left could not make it better than the best
//! known one. One search answers for every k of a range.

use crate::parts::looks::{CodeTable, Counter, Looks};
use crate::{Run, Stopped};
use kinfold_model::{Problem, Rule};
use std::ops::RangeInclusive;

/// Columns that can be kept together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// Quasi-identifiers by number, ascending.
    pub columns: Vec<usize>,
    /// What they would cost if they were dropped.
    pub worth: u64,
    /// Whether the search was finished: nothing better can be kept.
    pub best: bool,
}

/// The columns to keep for the problem's own k: all sets of the greatest worth, at most `limit` of them.
pub fn best_sets(problem: &Problem, limit: usize, run: &Run) -> Result<Vec<Kept>, Stopped> {
    let k = problem.k();
    let mut search = ColumnSearch::new(problem, k..=k, limit.max(1), run);
    search.run(&CodeTable::new(problem))?;
    let best = search.finished;
    let sets = search.answers.swap_remove(0).sets;
    Ok(sets.into_iter().map(|(columns, worth)| Kept { columns, worth, best }).collect())
}

/// The best set of columns for every k of a range, whatever the problem's own k is.
pub fn curve(problem: &Problem, ks: RangeInclusive<u64>, run: &Run) -> Result<Vec<(u64, Kept)>, Stopped> {
    let most = (*ks.end()).min(problem.people());
    let mut search = ColumnSearch::new(problem, *ks.start()..=most, 1, run);
    search.run(&CodeTable::new(problem))?;
    let best = search.finished;
    let kept = search.answers.into_iter().filter_map(|answer| answer.sets.into_iter().next());
    Ok((*ks.start()..).zip(kept.map(|(columns, worth)| Kept { columns, worth, best })).collect())
}

/// The records of every look on these columns.
pub(super) fn looks_on(problem: &Problem, columns: &[usize]) -> Vec<Vec<u32>> {
    let table = CodeTable::new(problem);
    let mut counter = table.counter();
    let alike = Looks::alike(problem.records());
    let looks = columns.iter().fold(alike, |looks, &column| counter.refine(&looks, &table.columns[column]));
    looks.each().map(<[u32]>::to_vec).collect()
}

/// The best sets so far for one k.
#[derive(Clone, Default)]
struct Answer {
    worth: u64,
    sets: Vec<(Vec<usize>, u64)>,
}

/// A column that may still join, what it is worth, and the most that its level can be.
#[derive(Clone, Copy)]
struct Candidate {
    column: usize,
    worth: u64,
    level: u64,
}

struct ColumnSearch<'p> {
    worth: Vec<u64>,
    may_withhold: u64,
    least: u64,
    most: u64,
    /// By k, from the least on: worth falls.
    answers: Vec<Answer>,
    limit: usize,
    /// The level of every pair of columns.
    pairs: Vec<Vec<u64>>,
    run: &'p Run,
    finished: bool,
}

impl<'p> ColumnSearch<'p> {
    fn new(problem: &Problem, ks: RangeInclusive<u64>, limit: usize, run: &'p Run) -> Self {
        let (least, most) = (*ks.start(), *ks.end());
        // To keep nothing is always possible.
        let nothing = Answer { worth: 0, sets: vec![(Vec::new(), 0)] };
        Self {
            worth: problem.rules().iter().map(Rule::full).collect(),
            may_withhold: problem.may_withhold(),
            least,
            most,
            answers: vec![nothing; (most + 1).saturating_sub(least) as usize],
            limit,
            pairs: Vec::new(),
            run,
            finished: true,
        }
    }

    fn run(&mut self, table: &CodeTable) -> Result<(), Stopped> {
        if self.answers.is_empty() {
            return Ok(());
        }
        let columns = self.worth.len();
        let alike = Looks::alike(table.people.len());
        let mut counter = table.counter();
        let mut candidates = Vec::new();
        self.pairs = vec![vec![u64::MAX; columns]; columns];
        for column in 0..columns {
            self.run.check()?;
            let level = self.level(&mut counter, &alike, &table.columns[column], self.least);
            if level < self.least {
                continue;
            }
            let looks = counter.refine(&alike, &table.columns[column]);
            for &Candidate { column: other, level: cap, .. } in &candidates {
                let pair = self.level(&mut counter, &looks, &table.columns[other], self.least);
                (self.pairs[column][other], self.pairs[other][column]) = (pair.min(cap), pair.min(cap));
            }
            candidates.push(Candidate { column, worth: self.worth[column], level });
        }
        // The most worthy first, then those that part people least: good sets are found early.
        candidates.sort_by_key(|c| (std::cmp::Reverse((c.worth, c.level)), c.column));
        self.grow(table, &mut counter, &alike, &mut Vec::new(), (0, u64::MAX), candidates)
    }

    /// The largest k that these looks with this column serve; anything below `floor` if that is less.
    fn level(&self, counter: &mut Counter<'_>, looks: &Looks, column: &[u32], floor: u64) -> u64 {
        if self.may_withhold == 0 {
            let mut least = u64::MAX;
            counter.with(looks, column, |people| {
                least = least.min(people);
                least >= floor
            });
            return least;
        }
        let (mut sizes, mut below) = (Vec::new(), 0);
        counter.with(looks, column, |people| {
            sizes.push(people);
            below += if people < floor { people } else { 0 };
            below <= self.may_withhold
        });
        sizes.sort_unstable();
        let mut withheld = 0;
        let stays = |&people: &u64| {
            withheld += people;
            withheld > self.may_withhold
        };
        if below > self.may_withhold { 0 } else { sizes.into_iter().find(stays).unwrap_or(u64::MAX) }
    }

    /// The least k for which a set of this worth would be news.
    fn news(&self, worth: u64) -> u64 {
        let old = |answer: &Answer| {
            answer.worth > worth || answer.worth == worth && answer.sets.len() >= self.limit
        };
        self.least + self.answers.iter().take_while(|answer| old(answer)).count() as u64
    }

    /// Takes a set down for every k that it serves.
    fn take_down(&mut self, kept: &[usize], worth: u64, level: u64) {
        let mut columns = kept.to_vec();
        columns.sort_unstable();
        for (_, answer) in (self.least..=level.min(self.most)).zip(&mut self.answers) {
            if worth > answer.worth {
                *answer = Answer { worth, sets: vec![(columns.clone(), worth)] };
            } else if worth == answer.worth && worth > 0 && answer.sets.len() < self.limit {
                answer.sets.push((columns.clone(), worth));
            }
        }
    }

    fn grow(
        &mut self,
        table: &CodeTable,
        counter: &mut Counter<'_>,
        looks: &Looks,
        kept: &mut Vec<usize>,
        (worth, level): (u64, u64),
        mut candidates: Vec<Candidate>,
    ) -> Result<(), Stopped> {
        if self.run.is_over()? {
            self.finished = false;
            return Ok(());
        }
        if !kept.is_empty() {
            self.take_down(kept, worth, level);
        }
        // What each column would do. Whoever falls out makes the others' hope smaller.
        for i in (0..candidates.len()).rev() {
            let hope = worth + candidates.iter().map(|c| c.worth).sum::<u64>();
            let floor = self.news(hope);
            if floor > level.min(self.most) {
                return Ok(());
            }
            if kept.len() > 1 && candidates[i].level >= floor {
                let column = &table.columns[candidates[i].column];
                candidates[i].level = self.level(counter, looks, column, floor).min(candidates[i].level);
            }
            if candidates[i].level < floor {
                candidates.remove(i);
            }
        }
        for i in 0..candidates.len() {
            let Candidate { column, worth: own, level: served } = candidates[i];
            let rest = &candidates[i + 1..];
            let pair = &self.pairs[column];
            let next: Vec<Candidate> = rest
                .iter()
                .map(|c| Candidate { level: c.level.min(pair[c.column]).min(served), ..*c })
                .collect();
            let gain = |k: u64| {
                let fitting = next.iter().filter(|c| c.level >= k).map(|c| c.worth).sum::<u64>();
                let answer = &self.answers[(k - self.least) as usize];
                let hope = worth + own + fitting;
                hope > answer.worth || hope == answer.worth && answer.sets.len() < self.limit
            };
            if !(self.least..=served.min(self.most)).any(gain) {
                continue;
            }
            kept.push(column);
            let finer = counter.refine(looks, &table.columns[column]);
            self.grow(table, counter, &finer, kept, (worth + own, served), next)?;
            kept.pop();
        }
        Ok(())
    }
}
