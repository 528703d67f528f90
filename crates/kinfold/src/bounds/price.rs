//! The dearest group around an anchor: of all groups whose first record it is, the one whose people's prices
//! exceed its cost most.
//!
//! # Which groups
//! Records are ordered by falling price, ties by number; the anchor is the first record of its group, so
//! every group has exactly one anchor. Nobody in the group has a higher price than the anchor, so a group
//! whose box costs as much as the anchor's price cannot be worth more than it costs: only records whose pair
//! with the anchor costs less are looked at. Groups hold k to 2k − 1 people (see [`bounds`](super)), several
//! copies of a record included.
//!
//! # The search
//! A node is a box that is paid for and a list of records that may still be chosen. Let w_j be the cost of
//! the box stretched to record j. A group that reaches as far as w pays at least w per person, and holds only
//! records with w_j ≤ w: so for every w the best k people by price, then further ones while they are worth
//! it, bound what any group can bring. Every radius counts: a radius that changes only the surplus people can
//! be the best. If the chosen people fit a box of that cost the node is solved. If not, one side of the box
//! that many of them need is either paid for, or everybody who needs it is struck from the list.

use super::boxes::{Around, Space};
use super::range_tree::RangeTree;
use kinfold_model::certificate::Prices;

/// Records of a group with the copies of each.
pub type Members = Vec<(u32, u64)>;

/// What was found around an anchor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Priced {
    /// No group with this anchor is worth more than this beyond its cost and the price per group; never
    /// negative.
    pub(crate) most: i64,
    /// Groups worth more than they cost, ever better.
    pub(crate) groups: Vec<Members>,
}

/// Prices groups in a space.
pub(crate) struct Pricer<'a> {
    pub(crate) space: &'a Space<'a>,
    pub(crate) tree: &'a RangeTree,
    pub(crate) prices: &'a Prices,
    /// Nodes per anchor; beyond them, bounds of open nodes count as if they were reached.
    pub(crate) budget: usize,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    record: u32,
    copies: u64,
    price: i64,
    /// What the box costs when it is stretched to this record.
    reach: i64,
}

impl Pricer<'_> {
    pub(crate) fn around(&self, anchor: u32) -> Priced {
        let price = self.prices.of(anchor);
        let people = self.space.people[anchor as usize];
        if price <= 0 || people == 0 {
            return Priced::default();
        }
        let k = self.space.problem.k();
        let per_group = self.prices.per_group as i64;
        let mut search = AnchorSearch {
            space: self.space,
            prices: self.prices,
            anchor,
            price,
            need: k as usize - 1,
            room: 2 * k as usize - 2,
            floor: per_group,
            open: per_group,
            budget: self.budget,
            groups: Vec::new(),
        };
        let mut candidates = Vec::new();
        let mut consider = |record: u32, copies: u64, reach: u64| {
            let candidate = Candidate { record, copies, price: self.prices.of(record), reach: reach as i64 };
            if copies > 0 && search.hopeful(&candidate) {
                candidates.push(candidate);
            }
        };
        consider(anchor, people - 1, 0);
        self.tree.within(self.space, anchor, price as u64, |record, reach| {
            if self.prices.precedes(anchor, record) {
                consider(record, self.space.people[record as usize], reach);
            }
            price as u64
        });
        search.explore(Around::new(self.space, anchor), candidates);
        let most = search.floor.max(search.open) - per_group;
        Priced { most, groups: search.groups }
    }
}

struct AnchorSearch<'a> {
    space: &'a Space<'a>,
    prices: &'a Prices,
    anchor: u32,
    price: i64,
    /// People beside the anchor: at least, at most.
    need: usize,
    room: usize,
    /// The best found so far; the price per group before anything is found.
    floor: i64,
    /// The best bound of nodes that were left open.
    open: i64,
    budget: usize,
    groups: Vec<Members>,
}

impl AnchorSearch<'_> {
    /// Whether some group with this record could be worth more than the best so far: all others are at most
    /// as dear as the anchor.
    fn hopeful(&self, candidate: &Candidate) -> bool {
        let others = self.room as i64 * (self.price - candidate.reach).max(0);
        candidate.reach < self.price && others + candidate.price - candidate.reach > self.floor
    }

    fn explore(&mut self, around: Around, mut candidates: Vec<Candidate>) {
        loop {
            candidates.retain(|c| self.hopeful(c));
            candidates.sort_unstable_by_key(|c| (c.reach, std::cmp::Reverse(c.price), c.record));
            let Some((bound, radius)) = self.bound(&candidates) else { return };
            if bound <= self.floor {
                return;
            }
            if self.budget == 0 {
                self.open = self.open.max(bound);
                return;
            }
            self.budget -= 1;
            let chosen = self.choose(&candidates, radius);
            let worth = self.worth(&chosen);
            if worth > self.floor {
                self.floor = worth;
                self.groups.push(chosen.clone());
            }
            if worth >= bound {
                return;
            }
            // Somebody is outside: had all been inside, they would be worth the bound.
            let Some(step) = around.most_wanted(self.space, &chosen) else { return };
            let mut paid = around.clone();
            paid.make(self.space, &step);
            let stretched = candidates
                .iter()
                .map(|c| {
                    let rise = around.rise_when_paid(self.space, &paid, &step, c.record);
                    Candidate { reach: c.reach + rise as i64, ..*c }
                })
                .collect();
            self.explore(paid, stretched);
            candidates.retain(|c| !step.needed_by(self.space.codes(c.record)));
        }
    }

    /// The best that any choice can be worth, and at which radius; `None` if there are too few people.
    fn bound(&self, candidates: &[Candidate]) -> Option<(i64, i64)> {
        let mut dearest: Vec<i64> = Vec::with_capacity(self.room + 1);
        let mut best: Option<(i64, i64)> = None;
        let mut changed = false;
        for (i, candidate) in candidates.iter().enumerate() {
            for _ in 0..candidate.copies.min(self.room as u64) {
                let at = dearest.partition_point(|&p| p >= candidate.price);
                if at == self.room {
                    break;
                }
                dearest.truncate(self.room - 1);
                dearest.insert(at, candidate.price);
                changed = true;
            }
            let radius = candidate.reach;
            let last = candidates.get(i + 1).is_none_or(|next| next.reach > radius);
            if !last || !changed || dearest.len() < self.need {
                continue;
            }
            changed = false;
            let surplus = dearest[self.need..].iter().take_while(|&&p| p > radius);
            let taken = dearest[..self.need].iter().chain(surplus);
            let worth = self.price - radius + taken.map(|p| p - radius).sum::<i64>();
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, radius));
            }
        }
        best
    }

    /// The people that the bound at this radius is made of, the anchor among them.
    fn choose(&self, candidates: &[Candidate], radius: i64) -> Members {
        let mut near: Vec<&Candidate> = candidates.iter().filter(|c| c.reach <= radius).collect();
        near.sort_by_key(|c| std::cmp::Reverse(c.price));
        let mut chosen = vec![(self.anchor, 1)];
        let mut taken = 0;
        for candidate in near {
            let wanted = if candidate.price > radius { self.room } else { self.need };
            let copies = candidate.copies.min(wanted.saturating_sub(taken) as u64);
            if copies == 0 {
                break;
            }
            taken += copies as usize;
            match candidate.record == self.anchor {
                true => chosen[0].1 += copies,
                false => chosen.push((candidate.record, copies)),
            }
        }
        chosen
    }

    /// What a group's prices exceed its cost by.
    fn worth(&self, members: &Members) -> i64 {
        let cost = self.space.box_cost(members.iter().map(|&(record, _)| record)) as i64;
        members.iter().map(|&(record, copies)| copies as i64 * (self.prices.of(record) - cost)).sum()
    }
}
