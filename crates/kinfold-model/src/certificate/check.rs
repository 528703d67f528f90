//! Checks that no group is worth more than it costs: the heart of a certificate, written without a line of the engine.
//!
//! Groups are built person by person. The first is the dearest (ties: the record with the smaller number); whoever joins
//! comes after all who are in, or is one more copy of the last. Since nobody is dearer than the
//! first, a group whose box costs as much as the first's price is worth no more than it costs, and nobody
//! that far from the first is looked at. A started group is given up when no choice among those who
//! may still join can lift it: if the final box costs w, then everybody pays w, and only those join
//! with whom the box costs at most w; so for every such w, the dearest of them say what is possible at best.

use super::{Cut, Prices};
use crate::cost::{Rule, RuleKind};
use crate::problem::Problem;
use std::collections::BTreeMap;

/// What the search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No group is worth more than it costs and the price per group.
    Holds,
    /// Some group is: its records, once for every person.
    Dearer(Vec<u32>),
    /// The work allowed was not enough to tell.
    TooMuchWork,
}

/// Looks for a group that is worth more than it costs, with about so many comparisons of records at most.
pub fn check_prices(problem: &Problem, prices: &Prices, work: u64) -> Verdict {
    let mut checker = Checker::new(problem, prices, work);
    (0..checker.order.len()).find_map(|place| checker.from(place)).unwrap_or(Verdict::Holds)
}

/// The most that a group around this dearest record is worth beyond its cost; never negative. For tests of pricing.
pub fn dearest_around(problem: &Problem, prices: &Prices, record: u32) -> i128 {
    let mut checker = Checker::new(problem, prices, u64::MAX);
    checker.seek_most = true;
    if let Some(place) = checker.order.iter().position(|&r| r == record) {
        checker.from(place);
    }
    checker.allowed - i128::from(prices.per_group)
}

/// Everybody's records, the dearest first.
fn by_falling_price(problem: &Problem, prices: &Prices) -> Vec<u32> {
    let mut order: Vec<u32> = (0..problem.records() as u32).filter(|&r| problem.record_size(r) > 0).collect();
    order.sort_by_key(|&r| (std::cmp::Reverse(prices.of_record[r as usize]), r));
    order
}

/// Records that are compared with all others first: what is far from one is far from what is near it.
const LANDMARKS: usize = 6;

struct Checker<'p> {
    problem: &'p Problem,
    prices: &'p Prices,
    work: u64,
    /// What a group may be worth beyond its cost.
    allowed: i128,
    /// Whether to go on after a dearer group, raising `allowed`.
    seek_most: bool,
    /// For every record the cuts that name it.
    cuts_of: BTreeMap<u32, Vec<&'p Cut>>,
    /// Everybody's records, the dearest first.
    order: Vec<u32>,
    /// For every record what lies between it and each landmark.
    to_landmark: Vec<[u64; LANDMARKS]>,
    /// For every landmark the way to each record and the record's place in the order, the nearest first.
    around_landmark: Vec<Vec<(u64, u32)>>,
}

/// Somebody who may join: the record, how many are left of it, and the box's cost with them.
#[derive(Clone, Copy)]
struct Guest {
    record: u32,
    left: u64,
    with: i128,
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
            _ if low == high => 0,
            RuleKind::Line { at, .. } if high as usize == at.len() => rule.full(),
            RuleKind::Line { at, .. } => at[high as usize] - at[low as usize],
            RuleKind::Tree { tree, cost } => cost[tree.join(low, high) as usize],
            RuleKind::Set { step, .. } => {
                step * (self.labels.len() as u64 - u64::from(self.labels.contains(&code)))
            }
        }
    }
}

impl<'p> Checker<'p> {
    fn new(problem: &'p Problem, prices: &'p Prices, work: u64) -> Self {
        let mut checker = Self {
            problem,
            prices,
            work,
            allowed: i128::from(prices.per_group),
            seek_most: false,
            cuts_of: BTreeMap::new(),
            order: by_falling_price(problem, prices),
            to_landmark: Vec::new(),
            around_landmark: Vec::new(),
        };
        for cut in &prices.cuts {
            for &record in &cut.records {
                checker.cuts_of.entry(record).or_default().push(cut);
            }
        }
        let records = problem.records() as u32;
        // Each landmark is the record farthest from those before it.
        let mut landmarks: Vec<u32> = vec![0];
        let mut nearest = vec![u64::MAX; records as usize];
        checker.to_landmark = vec![[0; LANDMARKS]; records as usize];
        for number in 0..LANDMARKS {
            let landmark = landmarks[number];
            for record in 0..records {
                let apart = checker.cost_with(&checker.covers_of(landmark), record);
                checker.to_landmark[record as usize][number] = apart;
                nearest[record as usize] = nearest[record as usize].min(apart);
            }
            let way = |(&record, place): (&u32, u32)| (checker.to_landmark[record as usize][number], place);
            let mut around: Vec<(u64, u32)> = checker.order.iter().zip(0..).map(way).collect();
            around.sort_unstable();
            checker.around_landmark.push(around);
            let farthest = (0..records).max_by_key(|&r| (nearest[r as usize], std::cmp::Reverse(r)));
            landmarks.push(farthest.unwrap_or(0));
        }
        checker
    }

    fn covers_of(&self, record: u32) -> Vec<Covered> {
        self.problem.codes(record).iter().map(|&code| Covered::new(code)).collect()
    }

    /// What one person pays in a group that covers this, if a record joins.
    fn cost_with(&self, covers: &[Covered], record: u32) -> u64 {
        let codes = covers.iter().zip(self.problem.codes(record));
        self.problem.rules().iter().zip(codes).map(|(rule, (cover, &code))| cover.cost_with(rule, code)).sum()
    }

    /// All groups that start with the record at this place of the order.
    fn from(&mut self, place: usize) -> Option<Verdict> {
        let first = self.order[place];
        // Where nobody is worth anything, no group is worth more than it costs.
        let price = u64::try_from(self.prices.of_record[first as usize]).ok().filter(|&price| price > 0)?;
        let marks = self.to_landmark[first as usize];
        // Costs between records obey the triangle inequality in every column: who is near the first is about as far from
        // any landmark. The landmark with the fewest such records says whom to look at.
        let window = |(around, mark): (&'_ Vec<(u64, u32)>, u64)| {
            let from = around.partition_point(|&(way, _)| way + price <= mark);
            from..around.partition_point(|&(way, _)| way < mark + price)
        };
        let windows = self.around_landmark.iter().zip(marks).map(window).zip(&self.around_landmark);
        let (range, around) = windows.min_by_key(|(range, _)| range.len())?;
        let looked_at = range.len() as u64;
        let price = i128::from(price);
        let covers = self.covers_of(first);
        let mut places: Vec<u32> = around[range].iter().map(|&(_, other)| other).collect();
        places.retain(|&other| {
            let record = self.order[other as usize];
            let near = |(a, b): (&u64, &u64)| i128::from(a.abs_diff(*b)) < price;
            other as usize >= place && marks.iter().zip(&self.to_landmark[record as usize]).all(near)
        });
        places.sort_unstable();
        let mut guests = Vec::new();
        for record in places.into_iter().map(|other| self.order[other as usize]) {
            let with = i128::from(self.cost_with(&covers, record));
            let left = self.problem.record_size(record) - u64::from(record == first);
            if with < price && left > 0 {
                guests.push(Guest { record, left, with });
            }
        }
        let mut party = Party { people: 1, worth: price, members: vec![first], covers };
        guests.retain(|guest| self.hope(&party, guest) > self.allowed);
        if self.spend(1 + looked_at / 4 + guests.len() as u64) {
            return Some(Verdict::TooMuchWork);
        }
        self.grow(&mut party, &guests)
    }

    /// Takes work off what is allowed; true if there is not enough.
    fn spend(&mut self, work: u64) -> bool {
        let enough = self.work >= work;
        self.work = self.work.saturating_sub(work);
        !enough
    }

    fn grow(&mut self, party: &mut Party, guests: &[Guest]) -> Option<Verdict> {
        let k = self.problem.k();
        if party.people >= k {
            let cost = i128::from(self.cost_with(&party.covers, party.members[0])) * i128::from(party.people);
            if party.worth - cost > self.allowed {
                if !self.seek_most {
                    return Some(Verdict::Dearer(party.members.clone()));
                }
                self.allowed = party.worth - cost;
            }
        }
        if party.people == 2 * k - 1 {
            return None;
        }
        for place in 0..guests.len() {
            let rest = &guests[place..];
            if self.spend(rest.len() as u64) {
                return Some(Verdict::TooMuchWork);
            }
            if self.at_best(party, rest) <= self.allowed {
                // Those after have fewer to choose from.
                return None;
            }
            let guest = rest[0];
            let before = (party.worth, party.covers.clone());
            party.people += 1;
            party.worth += i128::from(self.prices.of_record[guest.record as usize]);
            party.worth -= self.for_pairs(&party.members, guest.record);
            party.members.push(guest.record);
            let codes = self.problem.codes(guest.record);
            for (cover, (rule, &code)) in party.covers.iter_mut().zip(self.problem.rules().iter().zip(codes))
            {
                cover.add(rule, code);
            }
            let mut next = Vec::with_capacity(rest.len());
            for other in rest {
                let left = other.left - u64::from(other.record == guest.record);
                let other =
                    Guest { left, with: i128::from(self.cost_with(&party.covers, other.record)), ..*other };
                if left > 0 && self.hope(party, &other) > self.allowed {
                    next.push(other);
                }
            }
            let verdict = self.grow(party, &next);
            party.people -= 1;
            (party.worth, party.covers) = before;
            party.members.pop();
            if verdict.is_some() {
                return verdict;
            }
        }
        None
    }

    /// The prices of the pairs that are made when this one joins these: the second of a cut's people, the fourth, and so on.
    fn for_pairs(&self, members: &[u32], joins: u32) -> i128 {
        let cuts = self.cuts_of.get(&joins).into_iter().flatten();
        let makes_a_pair =
            |cut: &&&Cut| members.iter().filter(|member| cut.records.contains(member)).count() % 2 == 1;
        cuts.filter(makes_a_pair).map(|cut| i128::from(cut.price)).sum()
    }

    /// The most that the group can be worth beyond its cost if this one joins, now or later: everybody pays at least what
    /// the box costs then, and nobody else is dearer than the first.
    fn hope(&self, party: &Party, guest: &Guest) -> i128 {
        let price = |record: u32| i128::from(self.prices.of_record[record as usize]);
        let others = i128::from(2 * self.problem.k() - 2) - i128::from(party.people);
        let beside = others * (price(party.members[0]) - guest.with).max(0);
        party.worth - i128::from(party.people) * guest.with + price(guest.record) - guest.with + beside
    }

    /// The most that the group can be worth beyond its cost once somebody of these has joined.
    fn at_best(&self, party: &Party, guests: &[Guest]) -> i128 {
        let k = self.problem.k();
        let price = |guest: &Guest| i128::from(self.prices.of_record[guest.record as usize]);
        let mut by_reach: Vec<&Guest> = guests.iter().collect();
        by_reach.sort_unstable_by_key(|guest| guest.with);
        // Guests come by falling price: the places of those within reach, sorted, are the dearest first.
        let most = (2 * k - 1 - party.people) as usize;
        let mut best = i128::MIN;
        let mut joined: Vec<i128> = Vec::new();
        for guest in by_reach {
            for _ in 0..guest.left.min(most as u64) {
                let at = joined.iter().position(|&p| p < price(guest)).unwrap_or(joined.len());
                joined.insert(at, price(guest));
            }
            joined.truncate(most);
            let mut people = i128::from(party.people);
            let mut worth = party.worth - people * guest.with;
            for &price in &joined {
                if people < i128::from(k) || price > guest.with {
                    people += 1;
                    worth += price - guest.with;
                }
            }
            if people >= i128::from(k) {
                best = best.max(worth);
            }
        }
        best
    }
}
