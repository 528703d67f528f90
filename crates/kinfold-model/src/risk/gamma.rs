//! The logarithm of the gamma function and its derivative, by their asymptotic series: arguments are shifted
//! up to where the series is exact to the last digits.

/// From here on the series is good to about 1e-15.
const FAR: f64 = 12.0;

/// ln Γ(x) for x > 0.
pub(super) fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < FAR {
        shift -= x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))))
        / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

/// ψ(x), the derivative of ln Γ, for x > 0.
pub(super) fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < FAR {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square
        * (1.0 / 12.0
            - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0))));
    shift + x.ln() - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials_and_harmonic_numbers() {
        let mut factorial = 1.0f64;
        let mut harmonic = -0.577_215_664_901_532_9;
        for n in 1..40 {
            let x = f64::from(n);
            assert!((ln_gamma(x) - factorial.ln()).abs() < 1e-11 * factorial.ln().max(1.0), "{n}");
            assert!((digamma(x) - harmonic).abs() < 1e-12, "{n}");
            factorial *= x;
            harmonic += 1.0 / x;
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-12);
    }
}
