//! Parameters of requirements, exactly as they were written: 0.2 is one fifth, not the float nearest to it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A number from 0 to 1,000,000 with at most nine decimal places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Decimal(u64);

impl Decimal {
    pub(crate) const ONE: u64 = 1_000_000_000;
    pub(crate) const MAX: Self = Self(1_000_000 * Self::ONE);

    /// So many billionths; `None` above the maximum.
    pub(crate) fn of_units(units: u64) -> Option<Self> {
        (units <= Self::MAX.0).then_some(Self(units))
    }

    /// A whole number; the maximum if it is above that.
    pub(crate) const fn whole(value: u32) -> Self {
        let units = value as u64 * Self::ONE;
        if units < Self::MAX.0 { Self(units) } else { Self::MAX }
    }

    /// Reads digits with at most nine places after the point: `3`, `0.25`, `.5`.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
            return None;
        }
        // Nine digits at most: both parts fit.
        let number = |part: &str| part.bytes().fold(0u64, |n, b| n * 10 + u64::from(b - b'0'));
        Self::of_units(number(whole) * Self::ONE + number(&format!("{fraction:0<9}")))
    }

    /// The decimal that a person would write for this float: the shortest one that reads back as it.
    pub(crate) fn from_f64(value: f64) -> Option<Self> {
        Self::parse(&value.to_string())
    }

    /// The number in billionths.
    pub(crate) fn units(self) -> u64 {
        self.0
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        // Both are exact in a float, so the quotient is rounded once.
        self.0 as f64 / Self::ONE as f64
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = format!("{}.{:09}", self.0 / Self::ONE, self.0 % Self::ONE);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_and_written_exactly() {
        for (text, units) in [("0.2", 200_000_000), ("3", 3_000_000_000), ("0.000000001", 1), ("0", 0)] {
            let decimal = Decimal::parse(text).unwrap();
            assert_eq!((decimal.units(), decimal.to_string().as_str()), (units, text));
            assert_eq!(Decimal::from_f64(text.parse().unwrap()), Some(decimal));
        }
        assert_eq!(Decimal::parse(".5"), Decimal::parse("0.50"));
        assert_eq!(Decimal::parse("1000000"), Some(Decimal::MAX));
        assert_eq!(Decimal::parse("0.1").unwrap().to_f64(), 0.1);
    }

    #[test]
    fn what_is_not_exact_or_too_large_is_refused() {
        for text in ["", ".", "-1", "+1", "1e3", "0.0000000001", "1000000.1", "1.2.3", " 1", "9999999999"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        for float in [f64::NAN, f64::INFINITY, -0.5, 1e-12, 1.0 / 3.0] {
            assert_eq!(Decimal::from_f64(float), None, "{float}");
        }
    }
}
