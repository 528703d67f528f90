//! Mondrian: LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity" (2006).
//!
//! # The problem
//! A grouping of millions of rows in a second, better than one sorted order can give when columns
//! matter alike.
//!
//! # The idea
//! Take all rows as one block. Cut it in two on the column that it covers most of, as near to the
//! median as both sides keep k people; if no cut on that column does, try the next. Cut the halves
//! again, until nothing can be cut. What is published is the tight cover of each block, not the
//! block.
//!
//! # Strict and relaxed
//! Strict (the default) never separates rows with the same value on the cut column, so blocks do
//! not overlap. `relaxed` may share out the rows at the median value, and so cuts further.
//!
//! # Requirements beyond k
//! Strict cuts are made only where both sides fulfil everything. For presence the most even cuts are tried.
//!
//! # Example
//! Ages 35, 36, 61, 63 with k = 2: cut between 36 and 61; neither half can be cut.

use crate::{Answer, Card, Run, Setting, Solver, Stopped};
use kinfold_model::requirement::Presence;
use kinfold_model::{Found, Guard, Objective, Problem, RuleKind, Tally};

pub(crate) struct Mondrian;

const CARD: Card = Card {
    key: "mondrian",
    title: "cut the widest column at its median, again and again",
    paper: "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (2006)",
    objectives: Objective::BY_CELL,
    runtime: "n log n: a second for a million rows",
    not_for: "least loss on tables small enough for the others",
    settings: &[Setting {
        key: "relaxed",
        values: &["false", "true"],
        about: "rows with the median value may go to either side",
    }],
    ..Card::BASE
};

/// Blocks of fewer items are not worth another thread.
const PARALLEL: usize = 20_000;
/// Of the cuts of a column, so many are tried for presence.
const TRIED: usize = 8;

impl Solver for Mondrian {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let relaxed = run.is_on("relaxed");
        // Strict cuts keep copies together, so records are cut; relaxed ones may part them, so rows are.
        let mut items: Vec<u32> = if relaxed {
            (0..problem.rows() as u32).collect()
        } else {
            (0..problem.records() as u32).collect()
        };
        let blocks = Blocks { problem, run, relaxed }.cut(&mut items)?;
        let mut group_of = vec![0; problem.rows()];
        let mut rest = items.as_slice();
        for (group, length) in (0u32..).zip(blocks) {
            let (block, after) = rest.split_at(length);
            rest = after;
            for &item in block {
                if relaxed {
                    group_of[item as usize] = group;
                } else {
                    for &row in problem.rows_of(item) {
                        group_of[row as usize] = group;
                    }
                }
            }
        }
        Ok(Found::plain(group_of).into())
    }
}

struct Blocks<'a> {
    problem: &'a Problem,
    run: &'a Run,
    relaxed: bool,
}

impl Blocks<'_> {
    fn code(&self, item: u32, column: usize) -> u32 {
        let record = if self.relaxed { self.problem.record_of(item) } else { item };
        self.problem.codes(record)[column]
    }

    fn people(&self, item: u32) -> u64 {
        if self.relaxed { self.problem.row_size(item) } else { self.problem.record_size(item) }
    }

    /// Reorders the items so that blocks lie side by side; returns the length of each block.
    fn cut(&self, items: &mut [u32]) -> Result<Vec<usize>, Stopped> {
        self.run.check()?;
        let people: u64 = items.iter().map(|&item| self.people(item)).sum();
        let at = if people >= 2 * self.problem.k() && !self.run.out_of_time() {
            self.cut_once(items, people)
        } else {
            None
        };
        let Some(at) = at else { return Ok(vec![items.len()]) };
        let parallel = items.len() > PARALLEL;
        let (left, right) = items.split_at_mut(at);
        let (left, right) = if parallel {
            rayon::join(|| self.cut(left), || self.cut(right))
        } else {
            (self.cut(left), self.cut(right))
        };
        let mut lengths = left?;
        lengths.extend(right?);
        Ok(lengths)
    }

    /// Parts the items in two on the widest column that can be cut; returns where the second part starts.
    fn cut_once(&self, items: &mut [u32], people: u64) -> Option<usize> {
        let mut widths: Vec<(u64, usize)> = (0..self.problem.rules().len())
            .map(|column| (self.width(items, column), column))
            .filter(|w| w.0 > 0)
            .collect();
        widths.sort_unstable_by_key(|&(width, column)| (std::cmp::Reverse(width), column));
        widths.iter().find_map(|&(_, column)| {
            if self.relaxed {
                self.part_relaxed(items, column, people)
            } else {
                self.part_strict(items, column, people)
            }
        })
    }

    /// What the block's cell costs on this column.
    fn width(&self, items: &[u32], column: usize) -> u64 {
        let rule = &self.problem.rules()[column];
        let codes = items.iter().map(|&item| self.code(item, column));
        if let RuleKind::Set { values, step } = rule.kind() {
            // Counting labels with marks: a large block would otherwise be sorted for every column.
            let mut marks = vec![0u64; (*values as usize).div_ceil(64)];
            if marks.len() <= items.len() {
                for code in codes {
                    marks[code as usize / 64] |= 1 << (code % 64);
                }
                let labels: u64 = marks.iter().map(|m| u64::from(m.count_ones())).sum();
                return step * (labels - 1);
            }
        }
        rule.cost(&rule.cover(codes)).0
    }

    /// All items up to some code on the left, the others on the right, as near to half the people as k
    /// allows.
    fn part_strict(&self, items: &mut [u32], column: usize, people: u64) -> Option<usize> {
        let mut sizes: Vec<(u32, u64)> = self.people_per_code(items, column);
        let k = self.problem.k();
        let (mut left, mut cuts) = (0, Vec::new());
        let last_of_fulfilling = self.fulfilling_cuts(items, column);
        sizes.pop();
        for (code, size) in sizes {
            left += size;
            let right = people - left;
            let fulfils = last_of_fulfilling.as_ref().is_none_or(|codes| codes.binary_search(&code).is_ok());
            if left >= k && right >= k && fulfils {
                cuts.push((left.abs_diff(right), code));
            }
        }
        let (_, last_left) = match self.problem.guard().and_then(Guard::presence) {
            None => cuts.into_iter().min()?,
            Some(presence) => {
                cuts.sort_unstable();
                cuts.truncate(TRIED);
                cuts.into_iter().find(|&(_, code)| self.hides(presence, items, column, code))?
            }
        };
        let (left, right): (Vec<u32>, Vec<u32>) =
            items.iter().partition(|&&item| self.code(item, column) <= last_left);
        items[..left.len()].copy_from_slice(&left);
        items[left.len()..].copy_from_slice(&right);
        Some(left.len())
    }

    /// Whether both sides of a cut after this code are a small enough share of the population.
    fn hides(&self, presence: &Presence, items: &[u32], column: usize, last_left: u32) -> bool {
        [true, false].into_iter().all(|left| {
            let side = items.iter().copied().filter(|&item| (self.code(item, column) <= last_left) == left);
            let rows = side.flat_map(|item| self.problem.rows_of(item).iter().copied());
            let persons = self.problem.guard().map_or(0, |guard| {
                let seen = rows.clone().map(|row| guard.row(row, self.problem.row_size(row)));
                Tally::of(guard.requirements(), seen).persons(guard.requirements())
            });
            presence.fulfilled(persons, &presence.hull(rows))
        })
    }

    /// The codes after which a cut leaves two sides that fulfil everything beyond k, ascending; `None` if k is
    /// all that is required.
    fn fulfilling_cuts(&self, items: &[u32], column: usize) -> Option<Vec<u32>> {
        let guard = self.problem.guard()?;
        let requirements = guard.requirements();
        let mut sorted: Vec<(u32, u32)> = items.iter().map(|&item| (self.code(item, column), item)).collect();
        sorted.sort_unstable();
        let rows = |item: u32| self.problem.rows_of(item).iter().copied();
        let seen = |row: u32| guard.row(row, self.problem.row_size(row));
        let mut head = Tally::new(requirements);
        let mut tail = Tally::of(requirements, sorted.iter().flat_map(|&(_, item)| rows(item)).map(seen));
        let mut cuts = Vec::new();
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            for row in same.iter().flat_map(|&(_, item)| rows(item)) {
                head.add(requirements, seen(row));
                tail.remove(requirements, seen(row));
            }
            if head.fulfils(requirements) && tail.fulfils(requirements) {
                cuts.push(same[0].0);
            }
        }
        Some(cuts)
    }

    /// People per code, codes ascending.
    fn people_per_code(&self, items: &[u32], column: usize) -> Vec<(u32, u64)> {
        let values = self.problem.rules()[column].values() as usize;
        if values <= items.len() {
            let mut sizes = vec![0u64; values];
            let mut seen = vec![false; values];
            for &item in items {
                let code = self.code(item, column) as usize;
                sizes[code] += self.people(item);
                seen[code] = true;
            }
            return (0u32..).zip(sizes).filter(|(code, _)| seen[*code as usize]).collect();
        }
        let mut pairs: Vec<(u32, u64)> =
            items.iter().map(|&item| (self.code(item, column), self.people(item))).collect();
        pairs.sort_unstable();
        pairs.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        pairs
    }

    /// Sorted by code, cut as near to half the people as k allows, also between equal codes.
    fn part_relaxed(&self, items: &mut [u32], column: usize, people: u64) -> Option<usize> {
        items.sort_by_key(|&item| self.code(item, column));
        let k = self.problem.k();
        let (mut left, mut best) = (0, None);
        for (i, &item) in items.iter().enumerate() {
            left += self.people(item);
            let right = people - left;
            if left >= k && right >= k {
                let imbalance = left.abs_diff(right);
                if best.is_none_or(|(least, _)| imbalance < least) {
                    best = Some((imbalance, i + 1));
                }
            }
        }
        best.map(|(_, at)| at)
    }
}
