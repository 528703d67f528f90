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

use super::boxes::{Around, Candidate, Space, explore};
use kinfold_model::Prices;

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

/// The dearest group around an anchor. Nodes beyond the budget are left open, and their bounds count as if they
/// were reached.
pub(super) fn around(space: &Space<'_>, prices: &Prices, budget: usize, anchor: u32) -> Priced {
    let price = prices.of(anchor);
    if price <= 0 || space.people[anchor as usize] == 0 {
        return Priced::default();
    }
    let k = space.problem.k() as usize;
    let per_group = prices.per_group as i64;
    let mut search = AnchorSearch {
        space,
        prices,
        anchor,
        price,
        k,
        floor: per_group,
        open: per_group,
        budget,
        groups: Vec::new(),
    };
    let candidates = candidates(space, prices, anchor, price as u64, |c| search.hopeful(c));
    explore(space, Around::new(space, anchor), candidates, &mut |candidates| search.look(candidates));
    Priced { most: search.floor.max(search.open) - per_group, groups: search.groups }
}

/// Who may be in a group with an anchor, who is its dearest, within a radius; other copies of the anchor first.
pub(super) fn candidates(
    space: &Space<'_>,
    prices: &Prices,
    anchor: u32,
    radius: u64,
    hopeful: impl Fn(&Candidate) -> bool,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut consider = |record: u32, copies: u64, reach: u64| {
        let candidate = Candidate { record, copies, price: prices.of(record), reach: reach as i64 };
        if copies > 0 && hopeful(&candidate) {
            candidates.push(candidate);
        }
    };
    consider(anchor, space.people[anchor as usize] - 1, 0);
    space.within(anchor, radius, |record, reach| {
        if prices.precedes(anchor, record) {
            consider(record, space.people[record as usize], reach);
        }
        radius
    });
    candidates
}

struct AnchorSearch<'a> {
    space: &'a Space<'a>,
    prices: &'a Prices,
    anchor: u32,
    price: i64,
    k: usize,
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
        let others = (2 * self.k as i64 - 2) * (self.price - candidate.reach).max(0);
        candidate.reach < self.price && others + candidate.price - candidate.reach > self.floor
    }

    /// The people that a node's bound is made of, unless they are a group that is worth as much.
    fn look(&mut self, candidates: &mut Vec<Candidate>) -> Option<Members> {
        candidates.retain(|c| self.hopeful(c));
        candidates.sort_unstable_by_key(|c| (c.reach, std::cmp::Reverse(c.price), c.record));
        let (bound, radius) =
            at_best(candidates, self.k, 1, self.price).filter(|&(bound, _)| bound > self.floor)?;
        if self.budget == 0 {
            self.open = self.open.max(bound);
            return None;
        }
        self.budget -= 1;
        let chosen = self.choose(candidates, radius);
        let worth = self.worth(&chosen);
        if worth > self.floor {
            self.floor = worth;
            self.groups.push(chosen.clone());
        }
        (worth < bound).then_some(chosen)
    }

    /// The people that the bound at this radius is made of, the anchor among them.
    fn choose(&self, candidates: &[Candidate], radius: i64) -> Members {
        let mut near: Vec<&Candidate> = candidates.iter().filter(|c| c.reach <= radius).collect();
        near.sort_by_key(|c| std::cmp::Reverse(c.price));
        let mut chosen = vec![(self.anchor, 1)];
        let mut taken = 0;
        for candidate in near {
            let wanted = if candidate.price > radius { 2 * self.k - 2 } else { self.k - 1 };
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

/// The most that a group can be worth beyond its cost if some of these candidates, in the order of their reach,
/// join so many people of this worth, and at which radius; `None` if they are too few for k.
pub(super) fn at_best(candidates: &[Candidate], k: usize, people: usize, worth: i64) -> Option<(i64, i64)> {
    let (need, room) = (k.saturating_sub(people), 2 * k - 1 - people);
    let mut dearest: Vec<i64> = Vec::with_capacity(room + 1);
    let mut best: Option<(i64, i64)> = None;
    let mut changed = false;
    for (i, candidate) in candidates.iter().enumerate() {
        for _ in 0..candidate.copies.min(room as u64) {
            let at = dearest.partition_point(|&p| p >= candidate.price);
            if at == room {
                break;
            }
            dearest.truncate(room - 1);
            dearest.insert(at, candidate.price);
            changed = true;
        }
        let radius = candidate.reach;
        let last = candidates.get(i + 1).is_none_or(|next| next.reach > radius);
        if !last || !changed || dearest.len() < need {
            continue;
        }
        changed = false;
        let surplus = dearest[need..].iter().take_while(|&&p| p > radius);
        let taken = dearest[..need].iter().chain(surplus);
        let worth = worth - people as i64 * radius + taken.map(|p| p - radius).sum::<i64>();
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, radius));
        }
    }
    best
}
