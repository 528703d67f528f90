//! Prices, ready to be asked what a group may be worth.

use super::master::Column;
use super::price::Members;
use kinfold_model::certificate::{Cut, Prices};

/// Prices with an index of the cuts that name a record.
#[derive(Debug, Clone)]
pub(crate) struct Tariff {
    pub(crate) prices: Prices,
    /// For every record where its cuts begin in `cuts`; a last entry where all end. Empty without cuts.
    begin: Vec<u32>,
    cuts: Vec<u32>,
}

impl Tariff {
    pub(crate) fn new(prices: Prices) -> Self {
        let mut begin = Vec::new();
        let mut cuts = Vec::new();
        if !prices.cuts.is_empty() {
            let mut named: Vec<(u32, u32)> = Vec::new();
            for (number, cut) in (0..).zip(&prices.cuts) {
                named.extend(cut.records.iter().map(|&record| (record, number)));
            }
            named.sort_unstable();
            begin = vec![0; prices.of_record.len() + 1];
            named.iter().for_each(|&(record, _)| begin[record as usize + 1] += 1);
            (1..begin.len()).for_each(|at| begin[at] += begin[at - 1]);
            cuts = named.into_iter().map(|(_, cut)| cut).collect();
        }
        Self { prices, begin, cuts }
    }

    /// The cuts that name one of these records, each once.
    pub(crate) fn cuts_naming(&self, records: &[u32]) -> Vec<&Cut> {
        let mut cuts: Vec<u32> = records.iter().flat_map(|&record| self.numbers(record)).copied().collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts.into_iter().map(|cut| &self.prices.cuts[cut as usize]).collect()
    }

    fn numbers(&self, record: u32) -> &[u32] {
        let at = record as usize;
        match self.begin.get(at + 1) {
            Some(&end) => &self.cuts[self.begin[at] as usize..end as usize],
            None => &[],
        }
    }

    fn cuts_of(&self, record: u32) -> impl Iterator<Item = &Cut> {
        self.numbers(record).iter().map(|&cut| &self.prices.cuts[cut as usize])
    }

    /// What a group may be worth more when one more person of a record joins these: the price of every pair
    /// made.
    #[inline]
    pub(crate) fn for_pairs(&self, members: &[(u32, u64)], record: u32) -> i64 {
        let makes_a_pair = |cut: &&Cut| people_in(cut, members) % 2 == 1;
        self.cuts_of(record).filter(makes_a_pair).map(|cut| cut.price as i64).sum()
    }

    /// What a group may be worth more because of the pairs it holds.
    fn for_all_pairs(&self, members: &Members) -> i64 {
        let mut sum = 0;
        for (at, &(record, _)) in members.iter().enumerate() {
            // Every cut is counted at the first of the members that it names.
            for cut in self.cuts_of(record) {
                if !members[..at].iter().any(|(other, _)| cut.records.contains(other)) {
                    sum += cut.price as i64 * (people_in(cut, &members[at..]) / 2) as i64;
                }
            }
        }
        sum
    }

    /// What a group costs beyond what it may be worth; negative if it is worth too much.
    pub(crate) fn slack(&self, column: &Column) -> i64 {
        let plain = column.slack(&self.prices);
        if self.cuts.is_empty() { plain } else { plain + self.for_all_pairs(&column.members) }
    }
}

/// How many of the members a cut names.
#[inline]
pub(crate) fn people_in(cut: &Cut, members: &[(u32, u64)]) -> u64 {
    members.iter().filter(|(record, _)| cut.records.contains(record)).map(|&(_, copies)| copies).sum()
}
