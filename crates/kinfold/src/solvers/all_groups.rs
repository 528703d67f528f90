//! The best grouping of a tiny table under any requirements: every set of rows is looked at as a group.
//!
//! The best grouping of a set of rows is a group with its first row, and the best grouping of the rest. So
//! sets are gone through from small to large, and each needs all its subsets: 3ⁿ steps for n rows.

use crate::{Run, Stopped};
use kinfold_model::cost::group_cost;
use kinfold_model::{Cost, Found, Guard, Problem};

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
    let mut search =
        Search { problem, guard, run, groups: &groups, least: &least, best: None, chosen: Vec::new() };
    search.cover(sets - 1, Cost::ZERO)?;
    // All rows as one group fulfil everything, so there is a grouping.
    let (cost, chosen) = search.best.unwrap_or_default();
    Ok((Found::of_groups(problem.rows(), chosen.into_iter().map(rows_of)), cost))
}

/// Groups that fulfil everything one by one must also do so where they are published alike. What the best
/// groupings cost if that is left out is a bound: without such groups the search goes straight to the best.
struct Search<'a> {
    problem: &'a Problem,
    guard: &'a Guard,
    run: &'a Run,
    groups: &'a [Option<Cost>],
    least: &'a [Option<(Cost, usize)>],
    best: Option<(Cost, Vec<usize>)>,
    chosen: Vec<usize>,
}

impl Search<'_> {
    fn cover(&mut self, left: usize, cost: Cost) -> Result<(), Stopped> {
        self.run.check()?;
        if left == 0 {
            self.best = Some((cost, self.chosen.clone()));
            return Ok(());
        }
        let others = left & (left - 1);
        // The group of the best grouping first.
        let first = self.least[left].map_or(left, |(_, group)| group);
        let parts = std::iter::successors(Some(others), |&part| (part > 0).then(|| (part - 1) & others));
        for group in std::iter::once(first).chain(parts.map(|part| left ^ part)) {
            let bound =
                self.groups[group].zip(self.least[left ^ group]).map(|(own, (rest, _))| (own, own + rest));
            if let Some((own, bound)) = bound
                && self.best.as_ref().is_none_or(|(least, _)| cost + bound < *least)
            {
                self.chosen.push(group);
                if self.may_be_beside(group) {
                    self.cover(left ^ group, cost + own)?;
                }
                self.chosen.pop();
            }
        }
        Ok(())
    }

    /// Whether the last group and those that are published alike fulfil everything together.
    fn may_be_beside(&self, last: usize) -> bool {
        let rows: Vec<Vec<u32>> = self.chosen.iter().map(|&group| rows_of(group).collect()).collect();
        let alike = self.guard.alike(rows.iter().map(Vec::as_slice));
        let with_last = |alike: &&Vec<u32>| alike.iter().any(|&group| self.chosen[group as usize] == last);
        alike.iter().find(with_last).is_none_or(|alike| {
            let together: Vec<u32> = alike.iter().flat_map(|&group| rows[group as usize].clone()).collect();
            self.guard.fulfilled_by(&self.guard.group(&together, |row| self.problem.row_size(row)))
        })
    }
}

fn cost_as_group(problem: &Problem, guard: &Guard, set: usize) -> Option<Cost> {
    let rows: Vec<u32> = rows_of(set).collect();
    let people: u64 = rows.iter().map(|&row| problem.row_size(row)).sum();
    if people < problem.k() {
        return None;
    }
    let group = guard.group(&rows, |row| problem.row_size(row));
    guard.fulfilled_by(&group).then(|| group_cost(problem, &rows))
}

fn rows_of(set: usize) -> impl Iterator<Item = u32> {
    (0..usize::BITS).filter(move |row| set >> row & 1 == 1)
}
