//! Prices, ready to be asked what a group may be worth.

use super::master::Column;
use super::price::Members;
use kinfold_model::{Cut, Prices, members};

/// Prices with an index of the cuts that name a record.
#[derive(Debug, Clone)]
pub(crate) struct Tariff {
    pub(crate) prices: Prices,
    /// The cuts of every record; none without cuts.
    cuts: Option<members::Members>,
}

impl Tariff {
    pub(crate) fn new(prices: Prices) -> Self {
        let named = (0..).zip(&prices.cuts);
        let named = named.flat_map(|(number, cut)| cut.records.iter().map(move |&record| (number, record)));
        let cuts = (!prices.cuts.is_empty()).then(|| members::Members::new(prices.of_record.len(), named));
        Self { prices, cuts }
    }

    /// The cuts that name one of these records, each once.
    pub(crate) fn cuts_naming(&self, records: &[u32]) -> Vec<&Cut> {
        let mut cuts: Vec<u32> = records.iter().flat_map(|&record| self.numbers(record)).copied().collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts.into_iter().map(|cut| &self.prices.cuts[cut as usize]).collect()
    }

    fn numbers(&self, record: u32) -> &[u32] {
        self.cuts.as_ref().map_or(&[], |cuts| cuts.of(record))
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
        if self.cuts.is_none() { plain } else { plain + self.for_all_pairs(&column.members) }
    }
}

/// How many of the members a cut names.
#[inline]
pub(crate) fn people_in(cut: &Cut, members: &[(u32, u64)]) -> u64 {
    members.iter().filter(|(record, _)| cut.records.contains(record)).map(|&(_, copies)| copies).sum()
}
