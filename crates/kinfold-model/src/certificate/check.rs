//! Checks that no group has prices above its cost: the heart of a certificate, written without a line of
//! the engine.
//!
//! Groups are built person by person around a first one, the dearest (ties: the record with the smaller
//! number). Since nobody is dearer than the first, a group whose box costs as much as the first's price is
//! worth no more than it costs, and nobody that far from the first is looked at. If the final box costs w,
//! then everybody pays w, and only those join with whom the box costs at most w; so for every such w, the
//! dearest of them say what is possible at best. Where that is too little for every w the group is given up,
//! and whoever would have to take the place of somebody too much dearer is sent away. Of those who would join
//! at best, the one who makes the box largest is asked first: with them everybody pays much more, without
//! them less is possible.

use super::landmarks::Landmarks;
use super::{Cut, Prices, flat};
use crate::cost::{Rule, RuleKind};
use crate::problem::Problem;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What the search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PriceCheck {
    /// No group has prices above its cost and the price per group.
    Holds,
    /// Some group is: its records, once for every person.
    Dearer(Vec<u32>),
    /// The work allowed was not enough to tell.
    TooMuchWork,
}

/// How many first people are looked at together, before what is left of the work is counted.
const TOGETHER: usize = 4_096;

/// Looks for a group that has prices above its cost, with about so many comparisons of records at most.
pub fn check_prices(problem: &Problem, prices: &Prices, mut work: u64) -> PriceCheck {
    // Half of the work is left for the other way.
    work = work.div_ceil(2);
    if let Some(verdict) = flat::check(problem, prices, work) {
        return verdict;
    }
    let ground = Ground::new(problem, prices);
    let places: Vec<usize> = (0..ground.order.len()).collect();
    for together in places.chunks(TOGETHER) {
        // Each may use all that is left, so what comes out does not depend on threads.
        let search = |&place: &usize| {
            let mut search = Search { ground: &ground, work, allowed: ground.per_group(), seek_most: false };
            (search.from(place), work - search.work)
        };
        for (verdict, spent) in together.par_iter().map(search).collect::<Vec<_>>() {
            match (verdict, work.checked_sub(spent)) {
                (Some(verdict), _) => return verdict,
                (None, None) => return PriceCheck::TooMuchWork,
                (None, Some(left)) => work = left,
            }
        }
    }
    PriceCheck::Holds
}

/// The most that a group around this dearest record is worth beyond its cost; never negative. For tests of
/// pricing.
pub fn dearest_around(problem: &Problem, prices: &Prices, record: u32) -> i128 {
    let ground = Ground::new(problem, prices);
    let mut search = Search { ground: &ground, work: u64::MAX, allowed: ground.per_group(), seek_most: true };
    if let Some(place) = ground.order.iter().position(|&r| r == record) {
        search.from(place);
    }
    search.allowed - ground.per_group()
}

/// What all searches share.
struct Ground<'p> {
    problem: &'p Problem,
    prices: &'p Prices,
    /// For every record the cuts that name it.
    cuts_of: BTreeMap<u32, Vec<&'p Cut>>,
    /// Everybody's records, the dearest first.
    order: Vec<u32>,
    landmarks: Landmarks,
}

/// The search for a dearer group.
struct Search<'g> {
    ground: &'g Ground<'g>,
    /// Comparisons that are left.
    work: u64,
    /// What a group may be worth beyond its cost.
    allowed: i128,
    /// Whether to go on after a dearer group, raising `allowed`.
    seek_most: bool,
}

/// Somebody who may join: the record, how many are left of it, and the box's cost with them.
#[derive(Clone, Copy)]
struct Guest {
    record: u32,
    left: u64,
    with: i128,
}

/// What the group can be worth beyond its cost if its box costs so much in the end.
struct Chance {
    with: i128,
    worth: i128,
    /// The price of the cheapest who joins for it.
    cheapest: i128,
    /// Only somebody dearer than this can be in such a group, here or with a box that costs more.
    above: i128,
}

/// A group in the making.
struct Party {
    people: u64,
    /// What its people are worth, less what they may be worth more because of pairs: that can only grow.
    worth: i128,
    members: Vec<u32>,
    /// What the members cover in every column.
    covers: Vec<Covered>,
}

/// The least and the greatest code of a column, and, among labels, all of them.
#[derive(Clone)]
struct Covered {
    low: u32,
    high: u32,
    labels: Vec<u32>,
}

impl Covered {
    fn new(code: u32) -> Self {
        Self { low: code, high: code, labels: vec![code] }
    }

    fn add(&mut self, rule: &Rule, code: u32) {
        (self.low, self.high) = (self.low.min(code), self.high.max(code));
        if matches!(rule.kind(), RuleKind::Set { .. }) && !self.labels.contains(&code) {
            self.labels.push(code);
        }
    }

    /// What a cell costs that covers one code more, straight from the definition.
    fn cost_with(&self, rule: &Rule, code: u32) -> u64 {
        let (low, high) = (self.low.min(code), self.high.max(code));
        match rule.kind() {
            RuleKind::Tree { tree, cost } => cost[tree.join(low, high) as usize],
            _ if low == high => 0,
            RuleKind::Line { at, .. } if high as usize == at.len() => rule.full(),
            RuleKind::Line { at, .. } => at[high as usize] - at[low as usize],
            RuleKind::Flat { .. } => rule.full(),
            RuleKind::Set { step, .. } => {
                step * (self.labels.len() as u64 - u64::from(self.labels.contains(&code)))
            }
        }
    }
}

impl<'p> Ground<'p> {
    fn new(problem: &'p Problem, prices: &'p Prices) -> Self {
        let mut order: Vec<u32> =
            (0..problem.records() as u32).filter(|&r| problem.record_size(r) > 0).collect();
        order.sort_by_key(|&r| (std::cmp::Reverse(prices.of_record[r as usize]), r));
        let mut cuts_of: BTreeMap<u32, Vec<&'p Cut>> = BTreeMap::new();
        for cut in &prices.cuts {
            for &record in &cut.records {
                cuts_of.entry(record).or_default().push(cut);
            }
        }
        let landmarks = Landmarks::new(&order, problem.records(), |from, to| {
            let covers: Vec<Covered> = covers_of(problem, from);
            to.par_iter().map(|&record| cost_with(problem, &covers, record)).collect()
        });
        Self { problem, prices, cuts_of, order, landmarks }
    }

    fn per_group(&self) -> i128 {
        i128::from(self.prices.per_group)
    }

    fn price(&self, record: u32) -> i128 {
        i128::from(self.prices.of_record[record as usize])
    }
}

fn covers_of(problem: &Problem, record: u32) -> Vec<Covered> {
    problem.codes(record).iter().map(|&code| Covered::new(code)).collect()
}

/// What one person pays in a group that covers this, if a record joins.
fn cost_with(problem: &Problem, covers: &[Covered], record: u32) -> u64 {
    let codes = covers.iter().zip(problem.codes(record));
    problem.rules().iter().zip(codes).map(|(rule, (cover, &code))| cover.cost_with(rule, code)).sum()
}

impl Search<'_> {
    /// All groups that start with the record at this place of the order.
    fn from(&mut self, place: usize) -> Option<PriceCheck> {
        let Ground { problem, order, landmarks, .. } = self.ground;
        let first = order[place];
        // Where nobody is worth anything, no group has prices above its cost.
        let price = u64::try_from(self.ground.prices.of_record[first as usize]).ok().filter(|&p| p > 0)?;
        let (mut places, looked_at) = landmarks.near(first, price);
        places.retain(|&other| other as usize >= place && problem.may_meet(first, order[other as usize]));
        places.sort_unstable();
        let covers = covers_of(problem, first);
        let mut party = Party { people: 1, worth: i128::from(price), members: vec![first], covers };
        let mut guests = Vec::new();
        for record in places.into_iter().map(|other| order[other as usize]) {
            let left = problem.record_size(record) - u64::from(record == first);
            let with = i128::from(cost_with(problem, &party.covers, record));
            let guest = Guest { record, left, with };
            if with < party.worth && left > 0 && self.hope(&party, &guest) > self.allowed {
                guests.push(guest);
            }
        }
        if self.spend(1 + looked_at / 4 + guests.len() as u64) {
            return Some(PriceCheck::TooMuchWork);
        }
        self.grow(&mut party, guests)
    }

    /// Takes work off what is allowed; true if there is not enough.
    fn spend(&mut self, work: u64) -> bool {
        let enough = self.work >= work;
        self.work = self.work.saturating_sub(work);
        !enough
    }

    /// All groups that hold this party and some of these guests.
    fn grow(&mut self, party: &mut Party, mut guests: Vec<Guest>) -> Option<PriceCheck> {
        let problem = self.ground.problem;
        loop {
            if party.people >= problem.k() {
                let cost = i128::from(cost_with(problem, &party.covers, party.members[0]));
                let beyond = party.worth - cost * i128::from(party.people);
                if beyond > self.allowed {
                    if !self.seek_most {
                        return Some(PriceCheck::Dearer(party.members.clone()));
                    }
                    self.allowed = beyond;
                }
            }
            if self.spend(1 + guests.len() as u64) {
                return Some(PriceCheck::TooMuchWork);
            }
            if party.people == 2 * problem.k() - 1 {
                return None;
            }
            let chances = self.chances(party, &guests);
            let before = guests.len();
            guests.retain(|guest| self.has_a_chance(&chances, guest));
            if guests.len() < before {
                // Without the hopeless there is less hope for the others.
                continue;
            }
            // Either the one who makes the box largest is in, or not.
            let best = chances.iter().max_by_key(|chance| chance.worth)?;
            let joining = |guest: &(usize, &Guest)| {
                guest.1.with <= best.with && self.ground.price(guest.1.record) >= best.cheapest
            };
            let outermost = guests.iter().enumerate().filter(joining).max_by_key(|(_, guest)| guest.with);
            let (at, &guest) = outermost.or(guests.iter().enumerate().next())?;
            let verdict = self.join(party, &guest, &guests);
            if verdict.is_some() {
                return verdict;
            }
            guests.remove(at);
        }
    }

    /// All groups that hold this party, this guest, and some of these.
    fn join(&mut self, party: &mut Party, guest: &Guest, guests: &[Guest]) -> Option<PriceCheck> {
        let problem = self.ground.problem;
        let before = (party.worth, party.covers.clone());
        party.people += 1;
        party.worth += self.ground.price(guest.record) - self.for_pairs(&party.members, guest.record);
        party.members.push(guest.record);
        let codes = problem.codes(guest.record);
        for (cover, (rule, &code)) in party.covers.iter_mut().zip(problem.rules().iter().zip(codes)) {
            cover.add(rule, code);
        }
        let mut next = Vec::with_capacity(guests.len());
        for other in guests {
            let left = other.left - u64::from(other.record == guest.record);
            let with = i128::from(cost_with(problem, &party.covers, other.record));
            let other = Guest { left, with, ..*other };
            if left > 0 && self.hope(party, &other) > self.allowed {
                next.push(other);
            }
        }
        let verdict = self.grow(party, next);
        party.people -= 1;
        (party.worth, party.covers) = before;
        party.members.pop();
        verdict
    }

    /// The prices of the pairs that are made when this one joins these: the second of a cut's people, the
    /// fourth, and so on.
    fn for_pairs(&self, members: &[u32], joins: u32) -> i128 {
        let cuts = self.ground.cuts_of.get(&joins).into_iter().flatten();
        let makes_a_pair =
            |cut: &&&Cut| members.iter().filter(|member| cut.records.contains(member)).count() % 2 == 1;
        cuts.filter(makes_a_pair).map(|cut| i128::from(cut.price)).sum()
    }

    /// The most that the group can be worth beyond its cost if this one joins, now or later: everybody pays
    /// at least what the box costs then, and nobody else is dearer than the first.
    fn hope(&self, party: &Party, guest: &Guest) -> i128 {
        let others = i128::from(2 * self.ground.problem.k() - 2) - i128::from(party.people);
        let beside = others * (self.ground.price(party.members[0]) - guest.with).max(0);
        let people = i128::from(party.people + 1);
        party.worth + self.ground.price(guest.record) - people * guest.with + beside
    }

    /// The costs of the final box at which the group can be worth more than is allowed, the least first.
    fn chances(&self, party: &Party, guests: &[Guest]) -> Vec<Chance> {
        let need = self.ground.problem.k().saturating_sub(party.people) as usize;
        let room = (2 * self.ground.problem.k() - 1 - party.people) as usize;
        let mut by_reach: Vec<(i128, i128, u64)> =
            guests.iter().map(|g| (g.with, self.ground.price(g.record), g.left)).collect();
        by_reach.sort_unstable();
        let mut chances = Vec::new();
        // The dearest within reach, falling.
        let mut joined: Vec<i128> = Vec::with_capacity(room + 1);
        for (with, price, left) in by_reach {
            for _ in 0..left.min(room as u64) {
                let at = joined.partition_point(|&p| p >= price);
                if at == room {
                    break;
                }
                joined.truncate(room - 1);
                joined.insert(at, price);
            }
            if joined.len() < need {
                continue;
            }
            let surplus = joined[need..].iter().take_while(|&&p| p > with).count();
            let joining = &joined[..need + surplus];
            let people = i128::from(party.people) + joining.len() as i128;
            let worth = party.worth + joining.iter().sum::<i128>() - people * with;
            if worth > self.allowed {
                // One more joins for the cost of the box, or in place of the cheapest who had to.
                let cheapest = joining.last().copied().unwrap_or(i128::MAX);
                let instead_of = if joining.len() < room { cheapest.min(with) } else { cheapest };
                // Who is cheaper makes the group worth less, by as much as they are cheaper.
                let above = instead_of - (worth - self.allowed);
                chances.push(Chance { with, worth, cheapest, above });
            }
        }
        for at in (1..chances.len()).rev() {
            chances[at - 1].above = chances[at].above.min(chances[at - 1].above);
        }
        chances
    }

    /// Whether somebody could be in a group that is worth more than is allowed.
    fn has_a_chance(&self, chances: &[Chance], guest: &Guest) -> bool {
        let within = chances.partition_point(|chance| chance.with < guest.with);
        chances.get(within).is_some_and(|chance| self.ground.price(guest.record) > chance.above)
    }
}
