//! Prices prove a lower bound. Give every person a price, the same for copies of a record. If the people of
//! no group are worth more than the group costs, then any release costs at least what all people are worth
//! together.
//!
//! # Why it is a bound
//! Part any release into its people, and its groups into groups of k to 2k − 1 people: a part of a group is
//! covered by the group's box, so parting costs nothing. (Rows that stand for several people are parted too,
//! and rows with count 0 are left out: that only makes the release cheaper.) Each group costs at
//! least the prices of its people, and everybody is in one group.
//!
//! # Refinements
//! - There are at most ⌊people / k⌋ groups. So a group may be worth more than it costs by up to a *price per
//!   group*, if that many times this price is taken off at the end. It matters where k does not divide the
//!   number of people.
//! - Of three people at most one group can hold two. In general, of the people of some records the groups
//!   hold no more pairs than half of these people, rounded down. So there may be a *price per pair*: a group
//!   may be worth more than it costs by that price for every pair of these people that it holds, if the price
//!   times all the pairs there can be is taken off at the end. In linear programs this is a cut (Jepsen,
//!   Petersen, Spoorendonk, Pisinger 2008: subset-row inequalities).
//! - A withheld person pays a full cell in every column. Whoever is dearer than that is taken down to it, for
//!   the dearest people, as many as may be withheld.

use crate::cost::{Cost, Objective};
use crate::problem::Problem;

/// A price for every pair of people of some records who share a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The records, each once.
    pub records: Vec<u32>,
    /// What a group may be worth more for every pair of their people that it holds.
    pub price: u64,
}

/// A price for every person, and what a group may be worth beyond its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    /// The price of one person of each record, in the units of [`Cost`]; it may be negative.
    pub of_record: Vec<i64>,
    /// What a group's people may be worth beyond what the group costs.
    pub per_group: u64,
    /// What a group may be worth more for pairs of people that it holds.
    pub cuts: Vec<Cut>,
}

impl Prices {
    /// The price of one person of a record.
    #[inline]
    pub fn of(&self, record: u32) -> i64 {
        self.of_record[record as usize]
    }

    /// Whether a record comes before another by falling price; ties go to the smaller number.
    #[inline]
    pub fn precedes(&self, a: u32, b: u32) -> bool {
        let (first, second) = (self.of(a), self.of(b));
        first > second || first == second && a < b
    }

    /// Whether every price per pair names records of the problem, each once, and is no larger than anything
    /// can cost.
    pub(crate) fn cuts_name_records(&self, problem: &Problem) -> bool {
        self.cuts.iter().all(|cut| {
            let mut records = cut.records.clone();
            records.sort_unstable();
            records.dedup();
            let known = records.last().is_none_or(|&last| (last as usize) < problem.records());
            known && records.len() == cut.records.len() && cut.price < 1 << 62
        })
    }

    /// What any release costs at least, provided that no group is worth more than its cost and the price per
    /// group.
    pub fn bound(&self, problem: &Problem) -> Cost {
        if !Objective::BY_CELL.contains(&problem.objective()) {
            // Groups do not pay for themselves there: prices say nothing.
            return Cost::ZERO;
        }
        let records = 0..problem.records() as u32;
        let all: i128 =
            records.clone().map(|r| i128::from(self.of(r)) * i128::from(problem.record_size(r))).sum();
        let groups = i128::from(problem.people() / problem.k()) * i128::from(self.per_group);
        let pairs = |cut: &Cut| cut.records.iter().map(|&r| problem.record_size(r)).sum::<u64>() / 2;
        let cuts: i128 = self.cuts.iter().map(|cut| i128::from(cut.price) * i128::from(pairs(cut))).sum();
        let full = i128::from(problem.withheld_cost());
        let mut dear: Vec<(i128, u64)> = records
            .map(|r| (i128::from(self.of(r)) - full, problem.record_size(r)))
            .filter(|(beyond, _)| *beyond > 0)
            .collect();
        dear.sort_unstable_by_key(|&(beyond, _)| std::cmp::Reverse(beyond));
        let mut left = problem.may_withhold();
        let mut withheld = 0;
        for (beyond, people) in dear {
            let people = people.min(left);
            withheld += beyond * i128::from(people);
            left -= people;
        }
        // Nothing costs less than nothing, and no problem's costs are as large as 2^63.
        Cost((all - groups - cuts - withheld).clamp(0, i128::from(i64::MAX)) as u64)
    }
}
