//! Classes by size, and the risks that follow from their sizes alone.

use serde::Serialize;
use std::collections::BTreeMap;

/// How many classes of people who look alike there are of each size.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    by_size: BTreeMap<u64, u64>,
}

/// How many classes have a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SizeCount {
    /// People in each.
    pub size: u64,
    /// How many classes.
    pub classes: u64,
}

/// Who is at a risk above a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtRisk {
    /// The threshold.
    pub threshold: f64,
    /// People whose risk is above it.
    pub people: u64,
    /// The same as a share of all people.
    pub share: f64,
}

impl Classes {
    /// Classes of these sizes; nobody is in an empty one.
    pub(crate) fn new(sizes: impl IntoIterator<Item = u64>) -> Self {
        let mut by_size = BTreeMap::new();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            *by_size.entry(size).or_default() += 1;
        }
        Self { by_size }
    }

    /// So many classes of every size, smallest first.
    pub fn sizes(&self) -> impl DoubleEndedIterator<Item = SizeCount> {
        self.by_size.iter().map(|(&size, &classes)| SizeCount { size, classes })
    }

    /// People in all classes.
    pub fn people(&self) -> u64 {
        self.by_size.iter().fold(0, |sum, (size, classes)| sum.saturating_add(size.saturating_mul(*classes)))
    }

    /// How many classes there are.
    pub fn count(&self) -> u64 {
        self.by_size.values().sum()
    }

    /// How many classes are of this size; of size 1 these are the sample uniques.
    pub fn of_size(&self, size: u64) -> u64 {
        self.by_size.get(&size).copied().unwrap_or(0)
    }

    /// People in the smallest class; 0 if there is none.
    pub fn smallest(&self) -> u64 {
        self.by_size.keys().next().copied().unwrap_or(0)
    }

    /// People in the largest class; 0 if there is none.
    pub fn largest(&self) -> u64 {
        self.by_size.keys().next_back().copied().unwrap_or(0)
    }

    /// The mean of 1 / size over people: the share of people that a random guess in every class finds.
    pub fn average_risk(&self) -> f64 {
        self.count() as f64 / self.people().max(1) as f64
    }

    /// People whose risk, 1 / size of their class, is above the highest that meets the threshold.
    pub fn above(&self, threshold: f64) -> AtRisk {
        self.above_by(threshold, |size| 1.0 / size as f64)
    }

    /// The same where the risk of a class of this size is something else.
    pub(crate) fn above_by(&self, threshold: f64, risk: impl Fn(u64) -> f64) -> AtRisk {
        let highest = highest_risk(threshold);
        let risky = self.by_size.iter().filter(|(size, _)| risk(**size) > highest);
        let people =
            risky.fold(0u64, |sum, (size, classes)| sum.saturating_add(size.saturating_mul(*classes)));
        AtRisk { threshold, people, share: people as f64 / self.people().max(1) as f64 }
    }
}

/// The highest risk that meets a threshold. A threshold stands for a number of people who share a risk, 1/threshold to
/// the nearest whole number: 0.2 for 5, 0.09 for 11, 0.33 for 3. A risk of 1/11 = 0.0909… so meets 0.09.
pub(crate) fn highest_risk(threshold: f64) -> f64 {
    1.0 / (1.0 / threshold).round().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risks_are_those_of_everybody_one_by_one() {
        let sizes = [1u64, 1, 2, 3, 5, 5, 11];
        let classes = Classes::new(sizes.into_iter().chain([0]));
        let each: Vec<f64> = sizes.iter().flat_map(|&s| vec![1.0 / s as f64; s as usize]).collect();
        assert_eq!((classes.people(), classes.count(), classes.of_size(1)), (28, 7, 2));
        assert_eq!((classes.smallest(), classes.largest()), (1, 11));
        assert!((classes.average_risk() - each.iter().sum::<f64>() / 28.0).abs() < 1e-12);
        for threshold in [0.09, 0.1, 0.2, 0.33, 0.5, 1.0] {
            let at_risk = classes.above(threshold);
            let shared_by = BTreeMap::from([(9, 11), (10, 10), (20, 5), (33, 3), (50, 2), (100, 1)]);
            let least = f64::from(shared_by[&((threshold * 100.0f64).round() as i32)]);
            let people = each.iter().filter(|&&risk| risk > 1.0 / least).count() as u64;
            assert_eq!((at_risk.people, at_risk.share), (people, people as f64 / 28.0), "{threshold}");
        }
    }

    #[test]
    fn nobody_is_at_no_risk() {
        let nobody = Classes::default();
        assert_eq!((nobody.people(), nobody.smallest(), nobody.average_risk()), (0, 0, 0.0));
        assert_eq!(nobody.above(0.2).share, 0.0);
    }
}
