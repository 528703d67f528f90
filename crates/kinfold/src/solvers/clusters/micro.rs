//! Microaggregation by annealing: rows move between groups until the squared error is small.
//!
//! # The problem
//! Groups of k rows or more, with as little squared distance from the means of the groups as can be.
//!
//! # The idea
//! Start from `mdav`. Then propose small changes, and take those that lower the error, and at first also some
//! that raise it, ever fewer: a row moves to the group of one of its neighbours, if its own can spare it; two
//! rows of neighbouring groups change places; a group dissolves, each row going where it adds least; a row
//! and its neighbours that can be spared make a new group. With the sum S of a group's rows, its error is a
//! constant minus |S|²/m: every change is a few products of vectors.
//!
//! # Example
//! Values 1, 2, 3, 10, 11, 12, 13 with k = 3: whatever the start, 10 ends up with 11, 12 and 13.
//!
//! # What it lacks
//! A bound. And it looks for every row's neighbours among all others, so time grows with the square of the
//! rows.

use super::mdav::mdav;
use super::means::Points;
use crate::parts::numbering::{groups_of, number};
use crate::parts::random::Random;
use crate::{Answer, Card, Effort, Run, Solver, Stopped, Unsupported};
use kinfold_model::{Found, Objective, Problem};
use rayon::prelude::*;

pub(crate) struct Micro;

const CARD: Card = Card {
    key: "micro",
    title: "microaggregation by annealing: moves, swaps, dissolves and makes groups",
    paper: "Kirkpatrick, Gelatt, Vecchi: optimization by simulated annealing; moves of our own",
    objectives: &[Objective::Sse],
    uses_effort: true,
    runtime: "n² for neighbours, then as much as the effort allows",
    not_for: "more than 100,000 rows",
    ..Card::BASE
};

/// Neighbours that a row may follow.
const NEIGHBOURS: usize = 32;
/// Runs of annealing from different seeds; the best counts.
const RUNS: u64 = 2;
/// Where annealing begins and ends, as shares of the error per row.
const HOT: f64 = 5.0;
const COLD: f64 = 0.002;
/// Proposals between two looks at the clock.
const ROUND: usize = 1 << 12;
const MOST_ROWS: usize = 100_000;

impl Solver for Micro {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let takes = || format!("micro takes up to {MOST_ROWS} rows: try mdav");
        Unsupported::unless(problem.rows() <= MOST_ROWS, takes)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let points = Points::new(problem);
        let start = mdav(&points, problem, &run.one_part_of(4))?;
        // Where all rows are alike, or few, there is nothing to move.
        if points.columns == 0 || problem.rows() < 2 * problem.k() as usize || run.out_of_time() {
            return Ok(Found::plain(start).into());
        }
        let neighbours = points.neighbours(NEIGHBOURS.max(2 * problem.k() as usize));
        let annealed = (0..RUNS).into_par_iter().map(|number| {
            let state = State::new(&points, &neighbours, start.clone(), problem.k() as usize);
            anneal(state, Random::new(run.seed.wrapping_add(number << 32)), run, number == 0)
        });
        let annealed: Vec<(f64, Vec<u32>)> = annealed.collect::<Result<_, Stopped>>()?;
        let best = annealed.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let mut group_of = best.map_or(start, |(_, group_of)| group_of);
        number(&mut group_of);
        Ok(Found::plain(group_of).into())
    }
}

/// Proposals in one run of annealing.
fn proposals(rows: usize, effort: Effort) -> usize {
    let (each, most, least) = match effort {
        Effort::Quick => (2_000, 2_000_000, 100),
        Effort::Normal => (20_000, 30_000_000, 1_000),
        Effort::Deep => (200_000, 300_000_000, 10_000),
    };
    (rows * each).min(most).max(rows * least)
}

fn anneal(
    mut state: State<'_>,
    mut random: Random,
    run: &Run,
    tell: bool,
) -> Result<(f64, Vec<u32>), Stopped> {
    let rows = state.group_of.len();
    let rounds = proposals(rows, run.effort).div_ceil(ROUND);
    let scale = state.error() / rows as f64;
    let mut best = (state.error(), state.group_of.clone());
    for round in 0..rounds {
        run.check()?;
        let done = (round as f64 / rounds as f64).max(run.time_used());
        if done >= 1.0 {
            break;
        }
        let heat = scale * HOT * (COLD / HOT).powf(done);
        for _ in 0..ROUND {
            state.propose(heat, &mut random);
        }
        // Sums drift by rounding; they are made anew before they are believed.
        state.refresh();
        if state.error() < best.0 {
            best = (state.error(), state.group_of.clone());
        }
        if tell && round % 64 == 0 {
            run.report(done, None);
        }
    }
    // Cold: only what lowers the error.
    for _ in 0..(rows * 200).div_ceil(ROUND) {
        run.check()?;
        (0..ROUND).for_each(|_| state.propose(0.0, &mut random));
    }
    state.refresh();
    if state.error() < best.0 {
        best = (state.error(), state.group_of);
    }
    Ok(best)
}

/// A grouping that changes. A number without rows is free for a new group.
struct State<'a> {
    points: &'a Points,
    neighbours: &'a [Vec<u32>],
    k: usize,
    group_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// Where each row stands among the members of its group.
    slot: Vec<u32>,
    /// Sums of coordinates, group after group, and |S|²/m of each.
    sums: Vec<f64>,
    held: Vec<f64>,
    /// The sum of what groups hold.
    total: f64,
    free: Vec<u32>,
    squares: f64,
}

impl<'a> State<'a> {
    fn new(points: &'a Points, neighbours: &'a [Vec<u32>], group_of: Vec<u32>, k: usize) -> Self {
        let groups = groups_of(&group_of);
        // As many as there can be at once, and one in the making.
        let room = (group_of.len() / k + 1).max(groups);
        let mut members = vec![Vec::new(); room];
        let mut slot = vec![0; group_of.len()];
        for (row, &group) in (0u32..).zip(&group_of) {
            slot[row as usize] = members[group as usize].len() as u32;
            members[group as usize].push(row);
        }
        let squares = (0..group_of.len() as u32).map(|row| dot(points.of(row), points.of(row))).sum();
        let free = (groups as u32..room as u32).rev().collect();
        let (sums, held) = (vec![0.0; room * points.columns], vec![0.0; room]);
        let mut state =
            Self { points, neighbours, k, group_of, members, slot, sums, held, total: 0.0, free, squares };
        state.refresh();
        state
    }

    fn error(&self) -> f64 {
        self.squares - self.total
    }

    fn refresh(&mut self) {
        self.sums.fill(0.0);
        let columns = self.points.columns;
        for (group, rows) in self.members.iter().enumerate() {
            let sum = &mut self.sums[group * columns..][..columns];
            for &row in rows {
                sum.iter_mut().zip(self.points.of(row)).for_each(|(s, x)| *s += x);
            }
            self.held[group] = if rows.is_empty() { 0.0 } else { dot(sum, sum) / rows.len() as f64 };
        }
        self.total = self.held.iter().sum();
    }

    #[inline]
    fn sum(&self, group: u32) -> &[f64] {
        &self.sums[group as usize * self.points.columns..][..self.points.columns]
    }

    /// How much more the group holds with this row (or, `sign` −1, without it).
    #[inline]
    fn change(&self, group: u32, row: u32, sign: f64) -> f64 {
        let (sum, x) = (self.sum(group), self.points.of(row));
        let size = self.members[group as usize].len() as f64 + sign;
        if size < 0.5 {
            return -self.held[group as usize];
        }
        let length: f64 = sum.iter().zip(x).map(|(s, x)| (s + sign * x) * (s + sign * x)).sum();
        length / size - self.held[group as usize]
    }

    fn relocate(&mut self, row: u32, to: u32) {
        let from = self.group_of[row as usize];
        let at = self.slot[row as usize] as usize;
        self.members[from as usize].swap_remove(at);
        if let Some(&moved) = self.members[from as usize].get(at) {
            self.slot[moved as usize] = at as u32;
        }
        self.slot[row as usize] = self.members[to as usize].len() as u32;
        self.members[to as usize].push(row);
        self.group_of[row as usize] = to;
        let columns = self.points.columns;
        for (group, sign) in [(from, -1.0), (to, 1.0)] {
            let x = self.points.of(row);
            let sum = &mut self.sums[group as usize * columns..][..columns];
            sum.iter_mut().zip(x).for_each(|(s, x)| *s += sign * x);
            let size = self.members[group as usize].len();
            let held = if size == 0 { 0.0 } else { dot(sum, sum) / size as f64 };
            self.total += held - self.held[group as usize];
            self.held[group as usize] = held;
        }
    }

    fn propose(&mut self, heat: f64, random: &mut Random) {
        let kind = random.below(256);
        if kind == 0 {
            return self.dissolve(heat, random);
        }
        if kind == 1 {
            return self.make(heat, random);
        }
        let row = random.below(self.group_of.len()) as u32;
        let near = &self.neighbours[row as usize];
        // The nearest are asked most often.
        let most = 1 + random.below(near.len());
        let other = near[random.below(most)];
        let (from, to) = (self.group_of[row as usize], self.group_of[other as usize]);
        if from == to {
            return;
        }
        let spare = self.members[from as usize].len() > self.k;
        if spare && kind < 128 {
            let gain = self.change(from, row, -1.0) + self.change(to, row, 1.0);
            if accepts(gain, heat, random) {
                self.relocate(row, to);
            }
            return;
        }
        let members = &self.members[to as usize];
        let back = members[random.below(members.len())];
        let gain = self.swap_gain(row, back);
        if accepts(gain, heat, random) {
            self.relocate(row, to);
            self.relocate(back, from);
        }
    }

    #[inline]
    fn swap_gain(&self, a: u32, b: u32) -> f64 {
        let (from, to) = (self.group_of[a as usize], self.group_of[b as usize]);
        let (x, y, s, t) = (self.points.of(a), self.points.of(b), self.sum(from), self.sum(to));
        let (mut along_s, mut along_t, mut length) = (0.0, 0.0, 0.0);
        for i in 0..x.len() {
            let d = y[i] - x[i];
            along_s += s[i] * d;
            along_t += t[i] * d;
            length += d * d;
        }
        (2.0 * along_s + length) / self.members[from as usize].len() as f64
            + (length - 2.0 * along_t) / self.members[to as usize].len() as f64
    }

    /// All rows of a group go where they add least.
    fn dissolve(&mut self, heat: f64, random: &mut Random) {
        let row = random.below(self.group_of.len()) as u32;
        let group = self.group_of[row as usize];
        let rows = self.members[group as usize].clone();
        let before = self.total;
        for &row in &rows {
            let mut best: Option<(f64, u32)> = None;
            for &other in &self.neighbours[row as usize] {
                let to = self.group_of[other as usize];
                if to != group && best.is_none_or(|(_, known)| known != to) {
                    let gain = self.change(to, row, 1.0);
                    if best.is_none_or(|(known, _)| gain > known) {
                        best = Some((gain, to));
                    }
                }
            }
            match best {
                Some((_, to)) => self.relocate(row, to),
                None => break,
            }
        }
        let whole = self.members[group as usize].is_empty();
        if whole && accepts(self.total - before, heat, random) {
            self.free.push(group);
            return;
        }
        for &row in &rows {
            if self.group_of[row as usize] != group {
                self.relocate(row, group);
            }
        }
    }

    /// A row and the nearest that can be spared make a group.
    fn make(&mut self, heat: f64, random: &mut Random) {
        let Some(&group) = self.free.last() else { return };
        let row = random.below(self.group_of.len()) as u32;
        let before = self.total;
        let mut moved: Vec<(u32, u32)> = Vec::new();
        for other in std::iter::once(row).chain(self.neighbours[row as usize].iter().copied()) {
            let from = self.group_of[other as usize];
            if self.members[from as usize].len() > self.k {
                moved.push((other, from));
                self.relocate(other, group);
            }
            if moved.len() == self.k {
                break;
            }
        }
        if moved.len() == self.k && accepts(self.total - before, heat, random) {
            self.free.pop();
            return;
        }
        for (row, from) in moved {
            self.relocate(row, from);
        }
    }
}

#[inline]
fn accepts(gain: f64, heat: f64, random: &mut Random) -> bool {
    // Rounding is no gain: without heat, nothing may go round in circles.
    gain > 1e-12 || heat > 0.0 && ((random.next() >> 11) as f64 / (1u64 << 53) as f64) < (gain / heat).exp()
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
