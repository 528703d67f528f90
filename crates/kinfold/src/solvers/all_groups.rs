//! The best grouping of a tiny table under any requirements: every set of rows is looked at as a group.
//!
//! The best grouping of a set of rows is a group with its first row, and the best grouping of the rest. So
//! sets are gone through from small to large, and each needs all its subsets: 3ⁿ steps for n rows.

use crate::run::{Run, Stopped};
use kinfold_model::cost::{Cost, group_cost};
use kinfold_model::judge::Found;
use kinfold_model::problem::Problem;
use kinfold_model::requirement::{Group, Guard};

/// Rows that it takes on.
pub(super) const MOST_ROWS: usize = 14;

/// The least cost of all groupings whose groups hold k people and fulfil everything.
pub(super) fn best(problem: &Problem, guard: &Guard, run: &Run) -> Result<(Found, Cost), Stopped> {
    let sets = 1usize << problem.rows();
    let groups: Vec<Option<Cost>> = (0..sets).map(|set| cost_as_group(problem, guard, set)).collect();
    // For every set of rows what its best grouping costs, and the group of its first row.
    let mut least: Vec<Option<(Cost, usize)>> = vec![None; sets];
    least[0] = Some((Cost::ZERO, 0));
    for set in 1..sets {
        if set % 256 == 0 {
            run.check()?;
        }
        let others = set & (set - 1);
        let mut part = others;
        // The first row with every subset of the others.
        loop {
            let group = set ^ part;
            if let (Some(cost), Some((rest, _))) = (groups[group], least[part]) {
                let here = (cost + rest, group);
                least[set] = Some(least[set].map_or(here, |best| best.min(here)));
            }
            if part == 0 {
                break;
            }
            part = (part - 1) & others;
        }
    }
    let mut group_of = vec![0; problem.rows()];
    let (mut left, mut number) = (sets - 1, 0);
    // All rows as one group fulfil everything, so every set that is reached here has a grouping.
    while let Some((_, group)) = least[left].filter(|_| left > 0) {
        rows_of(group).for_each(|row| group_of[row as usize] = number);
        number += 1;
        left ^= group;
    }
    let cost = least[sets - 1].map_or(Cost::ZERO, |(cost, _)| cost);
    Ok((Found::plain(group_of), cost))
}

fn cost_as_group(problem: &Problem, guard: &Guard, set: usize) -> Option<Cost> {
    let rows: Vec<u32> = rows_of(set).collect();
    let people: u64 = rows.iter().map(|&row| problem.row_size(row)).sum();
    if people < problem.k() {
        return None;
    }
    let requirements = guard.requirements();
    let seen = rows.iter().map(|&row| guard.row(row, problem.row_size(row)));
    requirements.fulfilled_by(&Group::of(requirements, seen)).then(|| group_cost(problem, &rows))
}

fn rows_of(set: usize) -> impl Iterator<Item = u32> {
    (0..usize::BITS).filter(move |row| set >> row & 1 == 1)
}
