//! Likeness and disclosure: how frequent each value may be, as exact bounds on its count.

use super::logarithm::{UNIT, exp_below, ln_below};
use super::{Decimal, Requirements, protected::Column};

/// Bounds on the share of one value: with count c of n people, N people in the table and T of them with the
/// value, `c·N·unit ≤ n·most` and `n·least ≤ c·N·least_unit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    unit: u64,
    most: u128,
    least_unit: u64,
    least: u128,
}

impl Limit {
    /// Basic likeness is exact. The logarithm of the enhanced form is irrational, so rounding it down loses
    /// nothing but what cannot be told from the threshold.
    pub(crate) fn likeness(column: &Column, value: u32, whole: u64, beta: Decimal, enhanced: bool) -> Self {
        let total = column.totals[value as usize];
        let basic = |gain: u64, unit: u64| {
            let most = u128::from(unit + gain) * u128::from(total);
            Self { unit, most, least_unit: 1, least: 0 }
        };
        let ln = ln_below(whole, total);
        let beta_is_less =
            u128::from(beta.units()) * u128::from(UNIT) <= u128::from(ln) * u128::from(Decimal::ONE);
        if !enhanced || beta_is_less { basic(beta.units(), Decimal::ONE) } else { basic(ln, UNIT) }
    }

    /// e^δ is rounded down, so what is within the bounds is strictly within the true ones.
    pub(crate) fn disclosure(column: &Column, value: u32, delta: Decimal) -> Self {
        let total = u128::from(column.totals[value as usize]);
        // A larger δ would leave no room in the products; the smaller one is on the safe side.
        let factor = exp_below(delta.min(Requirements::MOST_DELTA));
        Self {
            unit: UNIT,
            most: u128::from(factor) * total,
            least_unit: factor,
            least: u128::from(UNIT) * total,
        }
    }

    /// Whether `count · whole / under` is within what δ allows, as [`Limit::disclosure`] has it.
    pub(crate) fn ratio_within(count: u64, whole: u64, under: u128, delta: Decimal) -> bool {
        let factor = u128::from(exp_below(delta.min(Requirements::MOST_DELTA)));
        let (over, unit) = (u128::from(count) * u128::from(whole), u128::from(UNIT));
        over * unit <= under * factor && under * unit <= over * factor
    }

    /// Whether so many of so many people may have the value.
    pub(crate) fn allows(&self, count: u64, people: u64, whole: u64) -> bool {
        let (count, people) = (u128::from(count) * u128::from(whole), u128::from(people));
        count * u128::from(self.unit) <= people * self.most
            && people * self.least <= count * u128::from(self.least_unit)
    }
}
