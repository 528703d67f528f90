//! Logarithms, on the safe side. A bound made of one is rounded down; entropy at its very threshold is
//! decided by prime factors.

use super::Decimal;

/// One in the fixed point of [`ln_below`] and [`exp_below`].
pub(super) const UNIT: u64 = 1 << 32;

/// More than floats can err by, relative to what they compute here.
const MARGIN: f64 = 1e-13;

/// ln(whole / part) in units, rounded down to below the true value; exact if both are the same.
pub(super) fn ln_below(whole: u64, part: u64) -> u64 {
    if part >= whole {
        return 0;
    }
    let ln = (whole as f64 / part as f64).ln();
    // A quotient near 1 loses precision in absolute terms: the margin is relative to 1 + ln.
    ((ln - (1.0 + ln) * MARGIN) * UNIT as f64).max(0.0) as u64
}

/// e^exponent in units, rounded down to below the true value.
pub(super) fn exp_below(exponent: Decimal) -> u64 {
    (exponent.to_f64().exp() * (1.0 - MARGIN) * UNIT as f64) as u64
}

/// Whether −Σ q ln q ≥ ln l, for the shares q of these counts, which are above 0. No counts reach nothing.
///
/// With n = Σ c this is n ln n − Σ c ln c − n ln l ≥ 0.
pub(super) fn entropy_reaches(counts: &[u64], l: Decimal) -> bool {
    let n: u64 = counts.iter().sum();
    if n == 0 {
        return false;
    }
    let ln = |x: u64| (x as f64).ln();
    let sum: f64 = counts.iter().map(|&c| c as f64 * ln(c)).sum();
    let n_float = n as f64;
    let ln_l = l.to_f64().ln();
    let above = n_float * ln(n) - sum - n_float * ln_l;
    let margin = n_float * (1.0 + ln(n) + ln_l.abs()) * MARGIN * (1.0 + counts.len() as f64 / 64.0);
    above > margin || (above > -margin && entropy_equals(counts, n, l))
}

/// Whether nⁿ = lⁿ · Π cᶜ, by the exponents of primes. A prime that divides one side must divide the other,
/// so those of n and of the unit of decimals are all that matter.
fn entropy_equals(counts: &[u64], n: u64, l: Decimal) -> bool {
    let mut primes = primes_of(n);
    primes.extend([2, 5]);
    primes.sort_unstable();
    primes.dedup();
    let only_these = |x: u64| primes.iter().fold(x, |rest, &p| rest / p.pow(exponent(rest, p))) == 1;
    only_these(l.units())
        && counts.iter().all(|&c| only_these(c))
        && primes.iter().all(|&p| {
            let times = |factor: u64, x: u64| u128::from(factor) * u128::from(exponent(x, p));
            let left = times(n, n) + times(n, Decimal::ONE);
            let right = times(n, l.units()) + counts.iter().map(|&c| times(c, c)).sum::<u128>();
            left == right
        })
}

fn primes_of(mut n: u64) -> Vec<u64> {
    let mut primes = Vec::new();
    let mut divisor = 2;
    while divisor * divisor <= n {
        if n.is_multiple_of(divisor) {
            primes.push(divisor);
            n /= divisor.pow(exponent(n, divisor));
        }
        divisor += 1;
    }
    if n > 1 {
        primes.push(n);
    }
    primes
}

/// How often the prime divides the number, which is above 0.
fn exponent(mut number: u64, prime: u64) -> u32 {
    let mut times = 0;
    while number > 0 && number.is_multiple_of(prime) {
        number /= prime;
        times += 1;
    }
    times
}

/// Σ c ln c in fixed point, so that it can be added to and taken from without drift.
#[derive(Debug, Clone)]
pub(super) struct CountLogs {
    table: Vec<u64>,
}

impl CountLogs {
    /// One in its fixed point. c ln c of 2³⁶ people is below 2⁴¹, so that sums fit.
    const UNIT: f64 = (1u64 << 22) as f64;

    pub(crate) fn new() -> Self {
        Self { table: (0..1024).map(Self::compute).collect() }
    }

    fn compute(count: u64) -> u64 {
        if count < 2 { 0 } else { (count as f64 * (count as f64).ln() * Self::UNIT).round() as u64 }
    }

    /// count · ln count.
    pub(crate) fn of(&self, count: u64) -> u64 {
        self.table.get(count as usize).copied().unwrap_or_else(|| Self::compute(count))
    }

    /// Whether n ln n − Σ c ln c ≥ n ln l, where that is clear; `None` where only the exact test can tell.
    pub(crate) fn clearly(&self, n: u64, sum: u64, distinct: u64, ln_l: f64) -> Option<bool> {
        let n_float = n as f64;
        let whole = self.of(n) as f64;
        let above = whole - sum as f64 - n_float * ln_l * Self::UNIT;
        let margin = distinct as f64 + 2.0 + (2.0 * whole + n_float * ln_l.abs() * Self::UNIT) * MARGIN;
        (above.abs() > margin).then_some(above > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn l(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn entropy_at_its_threshold() {
        // Equally frequent values are exactly as diverse as they are many, at any size.
        for (count, many) in [(1, 2), (7, 3), (1, 5), (999_983, 7), (1 << 30, 11)] {
            let counts = vec![count; many];
            assert!(entropy_reaches(&counts, Decimal::whole(many as u32)));
            assert!(!entropy_reaches(&counts, Decimal::of_units(many as u64 * Decimal::ONE + 1).unwrap()));
        }
        // (1/2, 1/4, 1/4) twice over is worth three bits: eight values, though no count is like the others.
        let three_bits = [4, 2, 2, 2, 1, 1, 2, 1, 1];
        assert!(entropy_reaches(&three_bits, l("8")) && !entropy_reaches(&three_bits, l("8.000000001")));
        assert!(entropy_reaches(&[5], l("1")) && !entropy_reaches(&[5], l("1.000000001")));
        assert!(!entropy_reaches(&[], l("1")));
        // A uniform group of which one row has changed falls short.
        assert!(!entropy_reaches(&[1_000_001, 999_999, 1_000_000], l("3")));
    }

    #[test]
    fn equality_by_primes_is_not_nearness() {
        assert!(entropy_equals(&[3, 3], 6, l("2")));
        assert!(!entropy_equals(&[3, 3], 6, l("2.000000001")));
        assert!(!entropy_equals(&[1 << 30, (1 << 30) + 1], (1 << 31) + 1, l("2")));
        assert!(entropy_equals(&[2, 2, 2, 2, 2], 10, l("5")));
    }

    #[test]
    fn bounds_lie_below_and_near() {
        for (whole, part) in [(2, 1), (1_000_000, 999_999), (1 << 36, 1), (7, 3)] {
            let true_value = (whole as f64 / part as f64).ln() * UNIT as f64;
            let below = ln_below(whole, part) as f64;
            assert!(below <= true_value && true_value - below < 1.1 + true_value * 1e-11, "{whole}/{part}");
        }
        assert_eq!(ln_below(5, 5), 0);
        for exponent in ["0.000000001", "0.5", "1", "15"] {
            let true_value = l(exponent).to_f64().exp() * UNIT as f64;
            let below = exp_below(l(exponent)) as f64;
            assert!(below < true_value && true_value - below < 5.0 + true_value * 1e-11, "{exponent}");
            assert!(below >= UNIT as f64);
        }
    }
}
