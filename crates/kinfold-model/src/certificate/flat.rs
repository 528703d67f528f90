//! The check where cells are only suppressed: every group has a set of columns in which its people agree, and pays for the others.
//! So for every set of columns, the people who agree on it fall into classes, and the dearest group of a class is made of its
//! dearest people: k of them, then others as long as they are worth more than they pay. If none of these is worth too
//! much, no group is. That looks at all records for all sets of columns: plain, and quick for few columns.

use super::{Prices, Verdict};
use crate::cost::{Rule, RuleKind};
use crate::problem::Problem;

/// The verdict, unless columns are of another kind or too many for the work allowed, or pairs have prices.
pub(super) fn check(problem: &Problem, prices: &Prices, work: u64) -> Option<Verdict> {
    let flat = problem.rules().iter().all(|rule| matches!(rule.kind(), RuleKind::Flat { .. }));
    let columns = problem.rules().len() as u32;
    let comparisons = (problem.records() as u64 * u64::from(columns)).checked_shl(columns);
    if !flat || !prices.cuts.is_empty() || columns > 24 || comparisons.is_none_or(|needed| needed > work) {
        return None;
    }
    let mut records: Vec<u32> =
        (0..problem.records() as u32).filter(|&r| problem.record_size(r) > 0).collect();
    // The dearest first; sorting by codes keeps that order among those who agree.
    records.sort_by_key(|&r| std::cmp::Reverse(prices.of(r)));
    let full: Vec<u64> = problem.rules().iter().map(Rule::full).collect();
    for told in 0..1u32 << columns {
        let shown = |c: &usize| told >> c & 1 == 1;
        let pays: u64 = (0..full.len()).filter(|c| !shown(c)).map(|c| full[c]).sum();
        let codes = |r: u32| (0..full.len()).filter(shown).map(move |c| problem.codes(r)[c]);
        let mut classes = records.clone();
        classes.sort_by(|&a, &b| codes(a).cmp(codes(b)));
        for class in classes.chunk_by(|&a, &b| codes(a).eq(codes(b))) {
            let (worth, members) = dearest(problem, prices, class, i128::from(pays));
            if worth > i128::from(prices.per_group) {
                return Some(Verdict::Dearer(members));
            }
        }
    }
    Some(Verdict::Holds)
}

/// The group of a class that is worth most beyond what its people pay, by falling price, and how much; nothing if they are too few.
fn dearest(problem: &Problem, prices: &Prices, class: &[u32], pays: i128) -> (i128, Vec<u32>) {
    let k = problem.k() as usize;
    let (mut worth, mut members) = (0, Vec::new());
    for &record in class {
        let gain = i128::from(prices.of(record)) - pays;
        for _ in 0..problem.record_size(record).min(2 * k as u64) {
            if members.len() == 2 * k - 1 || members.len() >= k && gain <= 0 {
                return (worth, members);
            }
            worth += gain;
            members.push(record);
        }
    }
    if members.len() < k { (0, Vec::new()) } else { (worth, members) }
}
