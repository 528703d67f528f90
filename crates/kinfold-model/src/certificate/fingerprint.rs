//! A number that tells problems apart: FNV-1a over what they are made of. It tells a mistaken file at once
//! and why; no proof rests on it, for every number of a certificate is checked against the table itself.

use crate::cost::RuleKind;
use crate::problem::Problem;

/// What a certificate remembers of the problem it was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Of k, weights and how many may be withheld.
    pub policy: u64,
    /// Of the quasi-identifiers of every row.
    pub table: u64,
}

impl Fingerprint {
    pub(crate) fn of(problem: &Problem) -> Self {
        let mut policy = Fnv::default();
        policy.add(problem.k());
        policy.add(problem.may_withhold());
        problem.rules().iter().for_each(|rule| policy.add(rule.full()));
        let mut table = Fnv::default();
        for rule in problem.rules() {
            match rule.kind() {
                RuleKind::Line { at, missing } => {
                    table.add(1 + u64::from(*missing));
                    at.iter().for_each(|&place| table.add(place));
                }
                RuleKind::Set { values, step } => {
                    table.add(3);
                    table.add(u64::from(*values));
                    table.add(*step);
                }
                RuleKind::Flat { values } => {
                    table.add(5);
                    table.add(u64::from(*values));
                }
                RuleKind::Tree { tree, cost } => {
                    table.add(4);
                    for (node, &cost) in (0..tree.nodes()).zip(cost) {
                        let (first, last) = tree.span(node);
                        [first.into(), last.into(), cost].into_iter().for_each(|part| table.add(part));
                    }
                }
            }
        }
        for record in 0..problem.records() as u32 {
            problem.codes(record).iter().for_each(|&code| table.add(code.into()));
        }
        for row in 0..problem.rows() as u32 {
            table.add(problem.record_of(row).into());
            table.add(problem.row_size(row));
        }
        problem.class_of().into_iter().flatten().for_each(|&class| table.add(class.into()));
        Self { policy: policy.0, table: table.0 }
    }
}

/// Fowler, Noll and Vo's hash, 64 bits.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn add(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.add_byte(byte));
    }

    pub(crate) fn add_byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0
    }
}
