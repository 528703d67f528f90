//! Maximum distance to average vector: the usual baseline of microaggregation (Domingo-Ferrer, Torra 2005).
//!
//! # The problem
//! Groups of k rows or more whose values are near the mean of the group, for that is what is published.
//!
//! # The idea
//! Work from the outside inwards. The row furthest from the mean of what is left takes its k − 1 nearest; the
//! row furthest from that one takes its nearest. Rows at the rim are the hardest to place, so they choose
//! first.
//!
//! # Example
//! Values 1, 2, 9, 10, 20, 21 with k = 2: 21 takes 20, 1 takes 2, and 9 and 10 are left.
//!
//! # What it lacks
//! Groups hold k rows, all but the last; what is taken first is never taken back.

use super::means::{Points, square};
use crate::{Answer, Card, Run, Solver, Stopped};
use kinfold_model::{Found, Objective, Problem};

pub(crate) struct Mdav;

const CARD: Card = Card {
    key: "mdav",
    title: "microaggregation from the rim inwards, groups of k",
    paper: "Domingo-Ferrer, Torra: ordinal, continuous and heterogeneous k-anonymity through microaggregation, section 2",
    objectives: &[Objective::Sse],
    runtime: "n² / k",
    not_for: "least error: micro starts from it",
    ..Card::BASE
};

impl Solver for Mdav {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        Ok(Found::plain(mdav(&Points::new(problem), problem, run)?).into())
    }
}

/// The group of every row. At the deadline what is left is one group.
pub(super) fn mdav(points: &Points, problem: &Problem, run: &Run) -> Result<Vec<u32>, Stopped> {
    let k = problem.k() as usize;
    let mut left: Vec<u32> = (0..problem.rows() as u32).collect();
    let mut group_of = vec![0; problem.rows()];
    let mut group = 0;
    let mut take = |left: &mut Vec<u32>, around: u32| {
        let here = points.of(around);
        let mut near: Vec<(f64, u32)> = left.iter().map(|&row| (square(here, points.of(row)), row)).collect();
        // The row itself comes first among those at its place.
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let key = |row: u32| row != around;
        near.select_nth_unstable_by(k - 1, |a, b| key(a.1).cmp(&key(b.1)).then_with(|| order(a, b)));
        near[..k].iter().for_each(|&(_, row)| group_of[row as usize] = group);
        let mut taken: Vec<u32> = near[..k].iter().map(|&(_, row)| row).collect();
        taken.sort_unstable();
        left.retain(|row| taken.binary_search(row).is_err());
        group += 1;
    };
    while left.len() >= 2 * k && !run.out_of_time() {
        run.check()?;
        run.report(1.0 - left.len() as f64 / problem.rows() as f64, None);
        let first = furthest(points, &left, &mean(points, &left));
        let second = furthest(points, &left, points.of(first));
        let both = left.len() >= 3 * k;
        take(&mut left, first);
        if both {
            // Whoever was furthest may have been taken: of equals, or where k is large.
            let second =
                if left.contains(&second) { second } else { furthest(points, &left, points.of(first)) };
            take(&mut left, second);
        }
    }
    left.iter().for_each(|&row| group_of[row as usize] = group);
    Ok(group_of)
}

fn mean(points: &Points, rows: &[u32]) -> Vec<f64> {
    let mut mean = vec![0.0; points.columns];
    for &row in rows {
        mean.iter_mut().zip(points.of(row)).for_each(|(sum, x)| *sum += x);
    }
    mean.iter_mut().for_each(|sum| *sum /= rows.len() as f64);
    mean
}

/// The row furthest from a place; of several the first.
fn furthest(points: &Points, rows: &[u32], from: &[f64]) -> u32 {
    let mut best = (f64::NEG_INFINITY, rows[0]);
    for &row in rows {
        let distance = square(from, points.of(row));
        if distance > best.0 {
            best = (distance, row);
        }
    }
    best.1
}
