//! When a growing group is complete.

use kinfold_model::{Guard, Problem, Tally};

/// A group is closed without fulfilling everything when it holds so many times k people: rows that are alike
/// may never fulfil it, and merging finds better partners.
const ENOUGH: u64 = 8;

/// What a growing group has so far.
pub(crate) struct Closing<'p> {
    problem: &'p Problem,
    pub(crate) people: u64,
    tally: Option<(&'p Guard, Tally)>,
}

impl<'p> Closing<'p> {
    /// A group of nobody.
    pub(crate) fn new(problem: &'p Problem) -> Self {
        let tally = problem.guard().map(|guard| (guard, Tally::new(guard.requirements())));
        Self { problem, people: 0, tally }
    }

    /// Takes a row in, and says whether the group is complete.
    pub(crate) fn take(&mut self, row: u32) -> bool {
        let (size, k) = (self.problem.row_size(row), self.problem.k());
        self.people += size;
        let Some((guard, tally)) = &mut self.tally else { return self.people >= k };
        tally.add(guard.requirements(), guard.row(row, size));
        self.people >= k && (tally.fulfils(guard.requirements()) || self.people >= ENOUGH * k)
    }
}
