//! Prices that prove a bound, where cells are only suppressed: repair without search, and dual ascent.
//!
//! A group's box is a pattern there, and the dearest group of a pattern is made of the dearest people who
//! match it: k of them, and further ones while they are worth more than the pattern costs. A list of the
//! dearest people of every pattern says how dear one more may be. To repair prices, people are taken up one
//! after another, the cheapest first, and marked down to that: every group is looked at when its last member
//! comes. To raise prices that prove a bound, everybody in turn is marked up to it, beside all others.

use super::boxes::Space;
use super::price::Members;
use super::repair::Repaired;
use crate::parts::patterns::Patterns;
use crate::{Run, Stopped};
use kinfold_model::{Prices, Problem, RuleKind};
use std::collections::BTreeMap;

/// In how many ways records and patterns may match, and how many people the lists of the dearest may hold
/// together.
pub(super) const MOST_MATCHES: usize = 30_000_000;
const MOST_DEAREST: usize = 60_000_000;

/// The patterns of a problem in which cells are only suppressed, unless they match in more than `room` ways.
pub(super) fn listed(problem: &Problem, room: usize) -> Option<Patterns> {
    let flat = problem.rules().iter().all(|rule| matches!(rule.kind(), RuleKind::Flat { .. }));
    let most = MOST_DEAREST / (2 * problem.k() as usize - 1);
    flat.then(|| Patterns::list(problem, room, || true)).flatten().filter(|patterns| patterns.len() <= most)
}

/// Somebody who may share a group.
#[derive(Debug, Clone, Copy)]
struct Dear {
    price: i64,
    record: u32,
}

/// The dearest people of every pattern, no more than a group can hold.
struct Dearest<'a> {
    space: &'a Space<'a>,
    patterns: &'a Patterns,
    k: usize,
    lengths: Vec<u32>,
    people: Vec<Dear>,
}

/// The most that a record may be priced at beside others, and the group that says so.
struct Limit {
    price: i64,
    pattern: u32,
    own: usize,
}

/// Marks prices without cuts down until no group has prices above its cost. `None` at the deadline.
pub(super) fn repair(
    space: &Space<'_>,
    patterns: &Patterns,
    mut prices: Prices,
    run: &Run,
) -> Result<Option<Repaired>, Stopped> {
    let mut order: Vec<u32> = (0..space.records()).filter(|&r| space.people[r as usize] > 0).collect();
    order.sort_unstable_by_key(|&r| (prices.of(r), std::cmp::Reverse(r)));
    let mut dearest = Dearest::new(space, patterns);
    let mut groups = Vec::new();
    for (i, &record) in order.iter().enumerate() {
        if i % 256 == 0 && run.is_over()? {
            return Ok(None);
        }
        let price = &mut prices.of_record[record as usize];
        if let Some(limit) = dearest.limit(record, prices.per_group).filter(|limit| limit.price < *price) {
            groups.push(dearest.group(record, &limit));
            *price = limit.price;
        }
        dearest.add(record, *price);
    }
    Ok(Some(Repaired { prices, groups }))
}

/// Dual ascent: everybody in turn is marked up as far as the prices of all others allow, so often. The prices
/// given must prove a bound already, without a price per group or cuts; so do those returned.
pub(super) fn ascend(
    space: &Space<'_>,
    patterns: &Patterns,
    mut prices: Prices,
    times: usize,
    run: &Run,
) -> Result<Prices, Stopped> {
    let mut dearest = Dearest::new(space, patterns);
    let everybody = || (0..space.records()).filter(|&r| space.people[r as usize] > 0);
    everybody().for_each(|record| dearest.add(record, prices.of(record)));
    let most = (super::MOST_ROWS * space.problem.withheld_cost()) as i64;
    for _ in 0..times {
        let mut order: Vec<u32> = everybody().collect();
        // The dearest have the fewest who are near them: they go first.
        order.sort_by_key(|&r| std::cmp::Reverse(prices.of(r)));
        for (i, record) in order.into_iter().enumerate() {
            if i % 256 == 0 && run.is_over()? {
                return Ok(prices);
            }
            let limit = dearest.limit(record, 0).map_or(most, |limit| limit.price.min(most));
            if limit > prices.of(record) {
                prices.of_record[record as usize] = limit;
                dearest.raise(record, limit);
            }
        }
    }
    Ok(prices)
}

impl<'a> Dearest<'a> {
    fn new(space: &'a Space<'a>, patterns: &'a Patterns) -> Self {
        let k = space.problem.k() as usize;
        let none = Dear { price: 0, record: 0 };
        let people = vec![none; patterns.len() * (2 * k - 1)];
        Self { space, patterns, k, lengths: vec![0; patterns.len()], people }
    }

    fn room(&self) -> usize {
        2 * self.k - 1
    }

    fn copies(&self, record: u32) -> usize {
        self.space.people[record as usize].min(self.room() as u64) as usize
    }

    fn of(&self, pattern: u32) -> &[Dear] {
        &self.people[pattern as usize * self.room()..][..self.lengths[pattern as usize] as usize]
    }

    /// Takes a record up into the lists of its patterns.
    fn add(&mut self, record: u32, price: i64) {
        let (room, copies) = (self.room(), self.copies(record));
        for &pattern in self.patterns.of(record) {
            let length = &mut self.lengths[pattern as usize];
            let list = &mut self.people[pattern as usize * room..][..room];
            let at = list[..*length as usize].partition_point(|other| other.price >= price);
            let copies = copies.min(room - at);
            let stay = (*length as usize).min(room - copies);
            if stay > at {
                list.copy_within(at..stay, at + copies);
            }
            list[at..at + copies].fill(Dear { price, record });
            *length = ((*length as usize).max(at) + copies).min(room) as u32;
        }
    }

    /// Brings the lists up to date when a record's price has risen. Who is not in a list was too cheap for
    /// it, and so are all others who are not.
    fn raise(&mut self, record: u32, price: i64) {
        let room = self.room();
        for &pattern in self.patterns.of(record) {
            let length = &mut self.lengths[pattern as usize];
            let list = &mut self.people[pattern as usize * room..][..room];
            let mut kept = 0;
            for at in 0..*length as usize {
                if list[at].record != record {
                    list[kept] = list[at];
                    kept += 1;
                }
            }
            *length = kept as u32;
        }
        self.add(record, price);
    }

    /// How dear a record may be, given those in the lists. With j people of its own, all priced alike, and
    /// the dearest others, a group of a pattern must not be worth more than it costs and the price per group.
    fn limit(&self, record: u32, per_group: u64) -> Option<Limit> {
        let copies = self.copies(record);
        let mut least: Option<Limit> = None;
        for &pattern in self.patterns.of(record) {
            let cost = self.patterns.cost[pattern as usize] as i64;
            let others = self.of(pattern);
            // Nobody in it is worth what it costs: it allows at least this cost, and so does whatever costs
            // more.
            let dear = others.first().is_some_and(|dear| dear.price > cost);
            if !dear && least.as_ref().is_some_and(|least| least.price <= cost) {
                continue;
            }
            for own in 1..=copies {
                let Some(worth) = self.worth_beside(pattern, record, own) else { continue };
                let price = cost + (per_group as i64 - worth).div_euclid(own as i64);
                if least.as_ref().is_none_or(|least| price < least.price) {
                    least = Some(Limit { price, pattern, own });
                }
            }
        }
        least
    }

    /// The others who make the dearest group of a pattern with so many people of this record.
    fn beside(&self, pattern: u32, record: u32, own: usize) -> impl Iterator<Item = &Dear> {
        let cost = self.patterns.cost[pattern as usize] as i64;
        let (need, room) = (self.k.saturating_sub(own), self.room() - own);
        let others = self.of(pattern).iter().filter(move |dear| dear.record != record);
        let wanted = move |(i, dear): &(usize, &Dear)| *i < need || dear.price > cost;
        others.take(room).enumerate().take_while(wanted).map(|(_, dear)| dear)
    }

    /// What these others are worth beyond what the pattern costs them; `None` if they are too few.
    fn worth_beside(&self, pattern: u32, record: u32, own: usize) -> Option<i64> {
        let cost = self.patterns.cost[pattern as usize] as i64;
        let (mut people, mut worth) = (own, 0);
        for dear in self.beside(pattern, record, own) {
            people += 1;
            worth += dear.price - cost;
        }
        (people >= self.k).then_some(worth)
    }

    fn group(&self, record: u32, limit: &Limit) -> Members {
        let mut members: BTreeMap<u32, u64> = BTreeMap::from([(record, limit.own as u64)]);
        for dear in self.beside(limit.pattern, record, limit.own) {
            *members.entry(dear.record).or_default() += 1;
        }
        members.into_iter().collect()
    }
}
