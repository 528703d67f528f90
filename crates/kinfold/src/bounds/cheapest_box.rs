//! The cheapest box that holds somebody and k − 1 others: nobody pays less in any group.
//!
//! The search is that of [`price`](super::price) with other stakes: in a node, somebody must reach at least
//! as far as to the k-th person of the list. If these k fit a box of that cost the node is solved; if not,
//! one side that many of them need is paid for, or everybody who needs it is struck.

use super::boxes::{Around, Candidate, Space, explore};
use super::nearest::{for_everybody, way_to_company};
use super::pattern_prices;
use super::price::Members;
use crate::{Run, Stopped};
use kinfold_model::Prices;

/// Where boxes are patterns, how often everybody is marked up from there.
const ASCENTS: usize = 2;
/// Nodes per record; beyond them, the bound of what is left open is the price.
const BUDGET: usize = 400;

pub(super) fn prices(space: &Space<'_>, run: &Run) -> Result<Prices, Stopped> {
    if let Some(patterns) = space.patterns() {
        let cheapest = for_everybody(space, run, |record| {
            patterns.of(record).first().map_or(0, |&cheapest| patterns.cost[cheapest as usize])
        })?;
        return pattern_prices::ascend(space, patterns, cheapest, ASCENTS, run);
    }
    for_everybody(space, run, |record| {
        if run.out_of_time() { way_to_company(space, record) } else { around(space, record) }
    })
}

/// The cheapest box around a record.
pub(super) fn around(space: &Space<'_>, record: u32) -> u64 {
    match way_to_company(space, record) {
        0 => 0,
        near => cheapest(space, record, near),
    }
}

struct BoxSearch<'a> {
    space: &'a Space<'a>,
    record: u32,
    others: u64,
    /// The cheapest box found, and the least bound of nodes left open.
    best: i64,
    open: i64,
    budget: usize,
}

/// `near`: the way to the k-th person, from which the search starts.
fn cheapest(space: &Space<'_>, record: u32, near: u64) -> u64 {
    let others = space.problem.k() - space.people[record as usize].min(space.problem.k());
    let mut search = BoxSearch { space, record, others, best: i64::MAX, open: i64::MAX, budget: BUDGET };
    let Some((radius, chosen)) = search.choose(&mut search.within(near + 1)) else { return near };
    search.keep_if_cheaper(&chosen);
    if search.best == radius {
        return radius as u64;
    }
    let candidates = search.within(search.best as u64);
    explore(space, Around::new(space, record), candidates, &mut |candidates| search.look(candidates));
    search.best.min(search.open) as u64
}

impl BoxSearch<'_> {
    fn within(&self, radius: u64) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        self.space.within(self.record, radius, |record, reach| {
            let copies = self.space.people[record as usize];
            candidates.push(Candidate { record, copies, price: 0, reach: reach as i64 });
            radius
        });
        candidates
    }

    /// The nearest of the list that make k people, and how far they reach.
    fn choose(&self, candidates: &mut [Candidate]) -> Option<(i64, Members)> {
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

    fn keep_if_cheaper(&mut self, chosen: &Members) {
        let records = std::iter::once(self.record).chain(chosen.iter().map(|&(record, _)| record));
        self.best = self.best.min(self.space.box_cost(records) as i64);
    }

    /// The nearest people of a node, unless their box costs no more than they reach.
    fn look(&mut self, candidates: &mut Vec<Candidate>) -> Option<Members> {
        candidates.retain(|c| c.reach < self.best);
        let (radius, chosen) = self.choose(candidates)?;
        if self.budget == 0 {
            self.open = self.open.min(radius);
            return None;
        }
        self.budget -= 1;
        self.keep_if_cheaper(&chosen);
        (self.best > radius).then_some(chosen)
    }
}
