//! The cheapest box that holds somebody and k − 1 others: nobody pays less in any group.
//!
//! The search is that of [`price`](super::price) with other stakes: in a node, somebody must reach at least
//! as far as to the k-th person of the list. If these k fit a box of that cost the node is solved; if not,
//! one side that many of them need is paid for, or everybody who needs it is struck.

use super::boxes::{Around, Space};
use super::nearest::{for_everybody, way_to_company};
use super::pattern_prices;
use super::range_tree::RangeTree;
use crate::run::{Run, Stopped};
use kinfold_model::certificate::Prices;

/// Where boxes are patterns, how often everybody is marked up from there.
const ASCENTS: usize = 2;
/// Nodes per record; beyond them, the bound of what is left open is the price.
const BUDGET: usize = 400;

pub(super) fn prices(space: &Space<'_>, tree: &RangeTree, run: &Run) -> Result<Prices, Stopped> {
    if let Some(patterns) = space.patterns() {
        let cheapest = for_everybody(space, run, |record| {
            patterns.of(record).first().map_or(0, |&cheapest| patterns.cost[cheapest as usize])
        })?;
        return pattern_prices::ascend(space, patterns, cheapest, ASCENTS, run);
    }
    for_everybody(space, run, |record| {
        if run.out_of_time() { way_to_company(space, tree, record) } else { around(space, tree, record) }
    })
}

/// The cheapest box around a record.
pub(super) fn around(space: &Space<'_>, tree: &RangeTree, record: u32) -> u64 {
    match way_to_company(space, tree, record) {
        0 => 0,
        near => cheapest(space, tree, record, near),
    }
}

#[derive(Clone, Copy)]
struct Candidate {
    record: u32,
    copies: u64,
    reach: u64,
}

struct BoxSearch<'a> {
    space: &'a Space<'a>,
    record: u32,
    others: u64,
    /// The cheapest box found, and the least bound of nodes left open.
    best: u64,
    open: u64,
    budget: usize,
}

/// `near`: the way to the k-th person, from which the search starts.
fn cheapest(space: &Space<'_>, tree: &RangeTree, record: u32, near: u64) -> u64 {
    let others = space.problem.k() - space.people[record as usize].min(space.problem.k());
    let mut search = BoxSearch { space, record, others, best: u64::MAX, open: u64::MAX, budget: BUDGET };
    let mut company = Vec::new();
    tree.within(space, record, near + 1, |other, reach| {
        company.push(Candidate { record: other, copies: space.people[other as usize], reach });
        near + 1
    });
    let (radius, chosen) = match search.choose(&mut company) {
        Some(found) => found,
        None => return near,
    };
    search.keep_if_cheaper(&chosen);
    if search.best == radius {
        return radius;
    }
    let mut candidates = Vec::new();
    tree.within(space, record, search.best, |other, reach| {
        candidates.push(Candidate { record: other, copies: space.people[other as usize], reach });
        search.best
    });
    search.explore(Around::new(space, record), candidates);
    search.best.min(search.open)
}

impl BoxSearch<'_> {
    /// The nearest of the list that make k people, and how far they reach.
    fn choose(&self, candidates: &mut [Candidate]) -> Option<(u64, Vec<(u32, u64)>)> {
        candidates.sort_unstable_by_key(|c| (c.reach, c.record));
        let (mut people, mut chosen) = (0, Vec::new());
        for candidate in candidates {
            people += candidate.copies;
            chosen.push((candidate.record, candidate.copies));
            if people >= self.others {
                return Some((candidate.reach, chosen));
            }
        }
        None
    }

    fn keep_if_cheaper(&mut self, chosen: &[(u32, u64)]) {
        let records = std::iter::once(self.record).chain(chosen.iter().map(|&(record, _)| record));
        self.best = self.best.min(self.space.box_cost(records));
    }

    fn explore(&mut self, around: Around, mut candidates: Vec<Candidate>) {
        loop {
            candidates.retain(|c| c.reach < self.best);
            let Some((radius, chosen)) = self.choose(&mut candidates) else { return };
            if self.budget == 0 {
                self.open = self.open.min(radius);
                return;
            }
            self.budget -= 1;
            self.keep_if_cheaper(&chosen);
            if self.best <= radius {
                return;
            }
            // Somebody is outside: had all been inside, their box would cost no more than the radius.
            let Some(step) = around.most_wanted(self.space, &chosen) else { return };
            let mut paid = around.clone();
            paid.make(self.space, &step);
            let stretched = candidates
                .iter()
                .map(|c| {
                    let rise = around.rise_when_paid(self.space, &paid, &step, c.record);
                    Candidate { reach: c.reach + rise, ..*c }
                })
                .collect();
            self.explore(paid, stretched);
            candidates.retain(|c| !step.needed_by(self.space.codes(c.record)));
        }
    }
}
