//! Cuts: what a mixture of groups may do and a real choice of groups cannot.
//!
//! The linear program may take halves of groups. Of three people, at most one group can hold two; a mixture
//! that takes halves of three groups, each with another two of them, takes one and a half. Forbidding that
//! lifts the bound close to the best grouping where groups are small (Jepsen, Petersen, Spoorendonk, Pisinger
//! 2008: subset-row cuts). A cut that is added to the program gets a price there: see
//! [`Prices`](kinfold_model::certificate::Prices).

use super::master::Column;
use super::tariff::people_in;
use kinfold_model::Cut;
use std::collections::{BTreeMap, BTreeSet};

/// Shares of groups in a mixture below this are noise.
pub(crate) const NOISE: f64 = 1e-3;
/// A cut is worth adding if the mixture exceeds it by so much.
const EXCESS: f64 = 0.02;
/// Cuts that are kept to by no more than this are tried with two more records, so many of them.
const NEAR: f64 = 0.4;
const EXTENDED: usize = 60;
/// How many of the cuts added at a time may name the same record.
const MOST_PER_RECORD: usize = 6;

/// How many pairs of the people that a cut names there can be, with so many people of every record.
pub(crate) fn most_pairs(cut: &Cut, people: &[u64]) -> u64 {
    cut.records.iter().map(|&record| people[record as usize]).sum::<u64>() / 2
}

/// Adds cuts to a list, each once.
pub(crate) fn add(cuts: &mut Vec<Cut>, more: impl IntoIterator<Item = Cut>) {
    let mut known: BTreeSet<Vec<u32>> = cuts.iter().map(|cut| cut.records.clone()).collect();
    cuts.extend(more.into_iter().filter(|cut| known.insert(cut.records.clone())));
}

/// The cuts that this mixture of groups exceeds most, at most so many; they have no price yet.
pub(crate) fn exceeded<'c>(
    shares: impl Iterator<Item = (&'c Column, f64)>,
    people: &[u64],
    most: usize,
) -> Vec<Cut> {
    let mixture: Vec<(&Column, f64)> = shares.filter(|&(_, share)| share > NOISE).collect();
    let mut groups_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut company: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (at, (group, share)) in mixture.iter().enumerate() {
        if *share > 1.0 - NOISE {
            continue;
        }
        for &(record, _) in &group.members {
            groups_of.entry(record).or_default().push(at);
            company.entry(record).or_default().extend(group.members.iter().map(|&(other, _)| other));
        }
    }
    let mut candidates = BTreeSet::new();
    for (&middle, near) in &company {
        for &a in near {
            for &b in near.range(a..) {
                // Three records, or two or one if there are copies of them.
                let mut records = vec![a, middle, b];
                records.sort_unstable();
                records.dedup();
                // Half of an even number loses nothing by rounding down.
                if records.iter().map(|&r| people[r as usize]).sum::<u64>() % 2 == 1 {
                    candidates.insert(records);
                }
            }
        }
    }
    let excess = |cut: &Cut| {
        let mut groups: Vec<usize> = cut.records.iter().flat_map(|r| groups_of[r].iter().copied()).collect();
        groups.sort_unstable();
        groups.dedup();
        let pairs = |&at: &usize| mixture[at].1 * (people_in(cut, &mixture[at].0.members) / 2) as f64;
        groups.iter().map(pairs).sum::<f64>() - most_pairs(cut, people) as f64
    };
    let mut found: Vec<(f64, Cut)> = Vec::new();
    let mut near_misses: Vec<(f64, Cut)> = Vec::new();
    for records in candidates {
        let cut = Cut { records, price: 0 };
        let excess = excess(&cut);
        if excess > EXCESS {
            found.push((excess, cut));
        } else if excess > -NEAR {
            near_misses.push((excess, cut));
        }
    }
    // Three people who just keep to their cut may not do so together with two more.
    if found.is_empty() {
        near_misses.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.records.cmp(&b.1.records)));
        let mut known = BTreeSet::new();
        for (_, cut) in near_misses.iter().take(EXTENDED) {
            let company: BTreeSet<u32> = cut.records.iter().flat_map(|r| &company[r]).copied().collect();
            let others: Vec<u32> = company
                .into_iter()
                .filter(|r| !cut.records.contains(r) && people[*r as usize] % 2 == 1)
                .collect();
            for (i, a) in others.iter().enumerate() {
                for b in &others[i + 1..] {
                    let mut records = cut.records.clone();
                    records.extend([a, b]);
                    records.sort_unstable();
                    let cut = Cut { records, price: 0 };
                    let excess = excess(&cut);
                    if excess > EXCESS && known.insert(cut.records.clone()) {
                        found.push((excess, cut));
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.records.cmp(&b.1.records)));
    let mut named: BTreeMap<u32, usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    for (_, cut) in found {
        let tired = cut.records.iter().any(|r| named.get(r).is_some_and(|&times| times >= MOST_PER_RECORD));
        if !tired && chosen.len() < most {
            cut.records.iter().for_each(|&r| *named.entry(r).or_default() += 1);
            chosen.push(cut);
        }
    }
    chosen
}
