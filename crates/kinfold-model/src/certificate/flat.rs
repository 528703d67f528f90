//! The check where cells are only suppressed: every group has a set of columns in which its people agree, and
//! pays for the others. So for every set of columns, the people who agree on it fall into classes, and the
//! dearest group of a class is made of its dearest people: k of them, then others as long as they are worth
//! more than they pay. If none of these is worth too much, no group is.
//!
//! Column by column, a class is parted by its values, or left as it is and pays for the column. A class that
//! agrees on a column without being asked need not pay for it, so every class is looked at once, with all
//! columns on which it agrees: three rows are a handful of classes, however many columns there are. Classes
//! too small to hold a group are left out, and those too cheap to be worth it.

use super::{PriceCheck, Prices};
use crate::cost::{Rule, RuleKind};
use crate::problem::Problem;

/// The verdict, unless columns are of another kind, or there are too many classes for the comparisons
/// allowed, or pairs have prices.
pub(super) fn check(problem: &Problem, prices: &Prices, work: u64) -> Option<PriceCheck> {
    let flat = problem.rules().iter().all(|rule| matches!(rule.kind(), RuleKind::Flat { .. }));
    if !flat || !prices.cuts.is_empty() {
        return None;
    }
    let mut records: Vec<u32> =
        (0..problem.records() as u32).filter(|&r| problem.record_size(r) > 0).collect();
    // The dearest first; parting keeps that order among those who agree.
    records.sort_by_key(|&r| std::cmp::Reverse(prices.of(r)));
    let full = problem.rules().iter().map(Rule::full).collect();
    let mut classes = Classes { problem, prices, full, told: Vec::new(), pays: 0, work };
    // No group crosses what must stay apart. Sorting keeps the order of those who may meet.
    records.sort_by_key(|&r| problem.class(r));
    let mut apart = records.chunk_by(|&a, &b| problem.may_meet(a, b));
    match apart.try_for_each(|records| classes.part(records)) {
        Ok(()) => Some(PriceCheck::Holds),
        Err(PriceCheck::TooMuchWork) => None,
        Err(verdict) => Some(verdict),
    }
}

struct Classes<'p> {
    problem: &'p Problem,
    prices: &'p Prices,
    /// What a star costs in every column.
    full: Vec<u64>,
    /// Which of the first columns are told.
    told: Vec<bool>,
    /// What the others of them cost.
    pays: u64,
    /// Comparisons that are left.
    work: u64,
}

impl Classes<'_> {
    /// Looks at all classes that these records, which agree on the columns told, fall into.
    fn part(&mut self, class: &[u32]) -> Result<(), PriceCheck> {
        self.work = self.work.checked_sub(class.len() as u64).ok_or(PriceCheck::TooMuchWork)?;
        if self.at_most(class) <= i128::from(self.prices.per_group) {
            return Ok(());
        }
        let column = self.told.len();
        if column == self.full.len() {
            let (worth, members) = self.dearest(class);
            return if worth > i128::from(self.prices.per_group) {
                Err(PriceCheck::Dearer(members))
            } else {
                Ok(())
            };
        }
        let code = |r: u32| self.problem.codes(r)[column];
        let mut sorted = class.to_vec();
        sorted.sort_by_key(|&r| code(r));
        let parts: Vec<&[u32]> = sorted.chunk_by(|&a, &b| code(a) == code(b)).collect();
        let agree = parts.len() == 1;
        self.told.push(true);
        for part in parts {
            // Whoever agrees on a column that is not told is looked at where it is.
            let known = (0..column).any(|c| !self.told[c] && self.agree(part, c));
            if self.people(part) >= self.problem.k() && !known {
                self.part(part)?;
            }
        }
        self.told.pop();
        if !agree {
            self.told.push(false);
            self.pays += self.full[column];
            self.part(class)?;
            self.pays -= self.full[column];
            self.told.pop();
        }
        Ok(())
    }

    fn people(&self, class: &[u32]) -> u64 {
        class.iter().map(|&r| self.problem.record_size(r)).sum()
    }

    fn agree(&self, class: &[u32], column: usize) -> bool {
        let code = |r: u32| self.problem.codes(r)[column];
        class.windows(2).all(|pair| code(pair[0]) == code(pair[1]))
    }

    /// No group of these is worth more, whatever it pays besides.
    fn at_most(&self, class: &[u32]) -> i128 {
        let (mut worth, mut room) = (0, 2 * self.problem.k() - 1);
        for &record in class {
            let gain = i128::from(self.prices.of(record)) - i128::from(self.pays);
            if gain <= 0 || room == 0 {
                break;
            }
            let people = self.problem.record_size(record).min(room);
            worth += gain * i128::from(people);
            room -= people;
        }
        worth
    }

    /// The group of a class that is worth most beyond what its people pay, by falling price, and how much;
    /// nothing if they are too few.
    fn dearest(&self, class: &[u32]) -> (i128, Vec<u32>) {
        let k = self.problem.k() as usize;
        let (mut worth, mut members) = (0, Vec::new());
        for &record in class {
            let gain = i128::from(self.prices.of(record)) - i128::from(self.pays);
            for _ in 0..self.problem.record_size(record).min(2 * k as u64) {
                if members.len() == 2 * k - 1 || members.len() >= k && gain <= 0 {
                    return (worth, members);
                }
                worth += gain;
                members.push(record);
            }
        }
        if members.len() < k { (0, Vec::new()) } else { (worth, members) }
    }
}
