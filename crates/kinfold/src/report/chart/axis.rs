//! Where a value stands along a side of a panel, and which numbers are written there.

use crate::report::thousands;

/// A range of values with marks on it.
#[derive(Clone)]
pub struct Axis {
    low: f64,
    high: f64,
    scale: fn(f64) -> f64,
    pub ticks: Vec<Tick>,
}

/// A mark; some have no text.
#[derive(Clone)]
pub(crate) struct Tick {
    pub value: f64,
    pub text: Option<String>,
}

/// Quicker than this is as quick as can be measured.
const QUICKEST: f64 = 1e-5;
/// Up to so many decades, marks at 2 and 5 have a text too.
const FEW_DECADES: f64 = 1.5;

impl Axis {
    /// Seconds, logarithmic.
    pub(crate) fn of_time(seconds: impl Iterator<Item = f64>) -> Self {
        let scale: fn(f64) -> f64 = |s| s.max(QUICKEST).log10();
        let (first, last) = ends(seconds.map(scale));
        // At least a decade, so that small differences look small.
        let missing = (1.0 - (last - first)).max(0.0) / 2.0;
        let margin = 0.1 * (last - first).max(1.0);
        let (low, high) = (first - missing - margin, last + missing + margin);
        let mut ticks = Vec::new();
        for decade in low.floor() as i32..=high.floor() as i32 {
            for digit in 1..=9 {
                let value = f64::from(digit) * 10f64.powi(decade);
                if (low..=high).contains(&value.log10()) {
                    let told = digit == 1 || high - low < FEW_DECADES && [2, 5].contains(&digit);
                    ticks.push(Tick { value, text: told.then(|| time(value)) });
                }
            }
        }
        Self { low, high, scale, ticks }
    }

    /// Average loss, linear, from a round number not far below the least.
    pub(crate) fn of_loss(losses: impl Iterator<Item = f64>) -> Self {
        let (least, most) = ends(losses);
        let range = (most - least).max(most * 0.1).max(1e-4);
        let step = round_step(range / 4.0);
        let low = ((least - range * 0.1) / step).floor().max(0.0);
        let high = ((most + range * 0.1) / step).ceil();
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let marks = (low as u32..=high as u32).map(|n| f64::from(n) * step);
        Self::linear(low * step, high * step, marks, |loss| format!("{loss:.decimals$}"))
    }

    /// Whole numbers, linear, from the least to the most exactly.
    pub(crate) fn of_whole(least: u64, most: u64) -> Self {
        let (low, high) =
            if least < most { (least as f64, most as f64) } else { (least as f64 - 1.0, most as f64 + 1.0) };
        let step = round_step((high - low) / 8.0).max(1.0);
        let marks = (low / step).ceil() as u64..=(high / step).floor() as u64;
        Self::linear(low, high, marks.map(|n| n as f64 * step), |number| thousands(number as u64))
    }

    /// Ratios from 1 to a round number not far above the most, linear.
    pub(crate) fn of_ratio(most: f64) -> Self {
        let step = round_step((most - 1.0).max(0.01) / 5.0);
        let steps = ((most - 1.0) / step).ceil().max(2.0) as u32;
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let marks = (0..=steps).map(|n| 1.0 + f64::from(n) * step);
        Self::linear(1.0, 1.0 + f64::from(steps) * step, marks, |ratio| format!("{ratio:.decimals$}"))
    }

    fn linear(low: f64, high: f64, marks: impl Iterator<Item = f64>, told: impl Fn(f64) -> String) -> Self {
        let ticks = marks.map(|value| Tick { value, text: Some(told(value)) }).collect();
        Self { low, high, scale: |value| value, ticks }
    }

    /// How far along the axis a value is, 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        ((self.scale)(value) - self.low) / (self.high - self.low)
    }
}

/// Lowest and highest; of nothing, 0 and 0.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.map(|v| (v, v)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0.0, 0.0))
}

/// One of 1, 2, 5, 10 and so on, not much below this.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    power * [1.0, 2.0, 5.0].into_iter().find(|m| m * power >= least * 0.8).unwrap_or(10.0)
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.00099 => format!("{:.0} µs", s * 1e6),
        s if s < 0.099 => format!("{:.0} ms", s * 1e3),
        s if s < 0.99 => format!("{s:.1} s"),
        s => format!("{} s", thousands(s.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().filter_map(|t| t.text.as_deref()).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        let time = Axis::of_time([0.004, 0.02, 3.0, 500.0].into_iter());
        assert_eq!(texts(&time), ["10 ms", "0.1 s", "1 s", "10 s", "100 s", "1,000 s"]);
        assert_eq!(texts(&Axis::of_time([2.0, 3.0].into_iter())), ["1 s", "2 s", "5 s"]);
        let loss = Axis::of_loss([0.0156, 0.0187, 0.0357].into_iter());
        assert_eq!(texts(&loss), ["0.010", "0.015", "0.020", "0.025", "0.030", "0.035", "0.040"]);
        assert_eq!(
            texts(&Axis::of_whole(2_629, 9_100)),
            ["3,000", "4,000", "5,000", "6,000", "7,000", "8,000", "9,000"]
        );
        assert_eq!(texts(&Axis::of_whole(7, 7)), ["6", "7", "8"]);
        assert_eq!(texts(&Axis::of_ratio(1.93)), ["1.0", "1.2", "1.4", "1.6", "1.8", "2.0"]);
    }

    #[test]
    fn every_value_has_a_place() {
        for values in [vec![], vec![0.0], vec![0.5], vec![0.0, 1.0], vec![1e-9, 0.3], vec![0.2, 0.2]] {
            for axis in [Axis::of_time(values.iter().copied()), Axis::of_loss(values.iter().copied())] {
                assert!(values.iter().all(|&v| (0.0..=1.0).contains(&axis.share(v))), "{values:?}");
                assert!(texts(&axis).len() >= 2, "{values:?}");
            }
        }
    }
}
