//! How far apart two records are: what clusters are made by.
//!
//! Every quasi-identifier gives a distance of its own, and the distances are combined into one:
//!
//! | kind | distance, times the column's weight |
//! |---|---|
//! | numeric, date, ordinal | difference of the scaled values; a missing value is as far from all others as the column is wide |
//! | category | 0 if equal, else 1 |
//! | hierarchy | (leaves under the lowest common node − 1) / (leaves − 1): an ultrametric |
//! | point (two columns) | the way along the great circle, scaled |
//!
//! Distances are whole numbers, [`ONE`] units per 1. Places on a line are rounded once, and everything after
//! that is exact integer arithmetic, rounded up at the end; rounding up keeps the triangle inequality, for
//! ⌈a⌉ + ⌈b⌉ ≥ a + b ≥ c is a whole number and so at least ⌈c⌉. The great circle is worked out in floating
//! point and rounded up beyond what that can err.

mod measure;

use crate::cost::{Cost, ONE, Objective, Rule};
use crate::hierarchy::Tree;
use crate::policy::Policy;
pub(crate) use measure::measure;
use std::sync::Arc;

/// How numbers are scaled in distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The width of the column's domain.
    Range,
    /// The column's standard deviation.
    Sd,
    /// What the policy gives as the column's unit; 1 where it gives none. Points are in kilometres.
    Given,
}

impl Scale {
    pub(crate) const ALL: &'static [Self] = &[Self::Range, Self::Sd, Self::Given];

    /// What a policy says, or what is usual for what it says.
    pub(crate) fn of(policy: &Policy) -> Self {
        let given = policy.quasi().any(|(_, quasi)| quasi.unit.is_some());
        policy.metric.scale.unwrap_or(match policy.objective {
            Objective::Sse => Self::Sd,
            _ if given => Self::Given,
            _ => Self::Range,
        })
    }

    /// The word for it in policies and flags.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Sd => "sd",
            Self::Given => "given",
        }
    }
}

/// How the distances of the columns make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Combine {
    /// The root of the sum of squares.
    #[default]
    Euclidean,
    /// The sum.
    Manhattan,
    /// The largest.
    Maximum,
}

impl Combine {
    pub const ALL: &'static [Self] = &[Self::Euclidean, Self::Manhattan, Self::Maximum];

    /// The word for it in policies and flags.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::Manhattan => "manhattan",
            Self::Maximum => "maximum",
        }
    }
}

/// What one column, or a pair of them, adds to a distance.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Values in order.
    Line {
        column: usize,
        /// Where the codes are, ascending, in units.
        at: Vec<i64>,
        /// How far missing values are from all others.
        apart: u64,
        /// Whether values can be averaged: numbers can, dates and levels are counted off.
        mean: bool,
        /// The value at place 0, and units per 1.
        origin: (f64, f64),
    },
    /// Labels.
    Labels { column: usize, apart: u64 },
    /// Leaves of a tree.
    Tree {
        column: usize,
        tree: Arc<Tree>,
        /// How far two leaves are apart whose lowest common node is this.
        height: Vec<u64>,
    },
    /// Points on the globe.
    Point {
        /// The quasi-identifiers for latitude and longitude, by number.
        columns: [usize; 2],
        /// Degrees of the codes of each.
        degrees: [Vec<f64>; 2],
        /// Units per radian.
        radian: f64,
    },
}

/// Where missing values stand on a line: nowhere near anything.
const MISSING: i64 = i64::MIN;

/// No column may be wider than this, so that squares of distances can be added up exactly.
const WIDEST: u64 = 1 << 56;

/// The mean radius of the earth, in kilometres.
pub(crate) const EARTH: f64 = 6371.0088;

/// A distance between records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metric {
    /// What each column adds.
    pub axes: Vec<Axis>,
    /// How that makes one distance.
    pub combine: Combine,
}

/// What the objectives that make clusters need besides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clusters {
    /// How far records are apart.
    pub metric: Metric,
    /// Whether the middle of a group may be its centre, besides records.
    pub middles: bool,
    /// What every group costs under `cellular`, besides its people.
    pub setup: Cost,
    pub max_groups: Option<u64>,
}

impl Axis {
    /// Whether it is about columns that there are, and can tell their codes apart.
    pub(crate) fn fits(&self, rules: &[Rule]) -> bool {
        match self {
            Self::Line { column, .. } | Self::Labels { column, .. } => *column < rules.len(),
            Self::Tree { column, tree, height } => {
                let leaves = rules.get(*column).map(Rule::values);
                leaves.is_some_and(|leaves| leaves <= tree.leaves()) && height.len() == tree.nodes() as usize
            }
            Self::Point { columns, .. } => columns.iter().all(|&column| column < rules.len()),
        }
    }

    /// How many numbers say where a record is.
    fn width(&self) -> usize {
        if matches!(self, Self::Point { .. }) { 3 } else { 1 }
    }

    /// The largest distance that it can add.
    fn largest(&self) -> u64 {
        match self {
            Self::Line { at, apart, .. } => {
                let ends = at.first().zip(at.last()).map_or(0, |(low, high)| high.abs_diff(*low));
                ends.max(*apart)
            }
            Self::Labels { apart, .. } => *apart,
            Self::Tree { height, .. } => height.iter().copied().max().unwrap_or(0),
            Self::Point { degrees, radian, .. } => {
                // First along the meridian, then along the parallel, is a way.
                let wide =
                    |d: &[f64]| d.iter().copied().reduce(f64::max).zip(d.iter().copied().reduce(f64::min));
                let way: f64 =
                    degrees.iter().filter_map(|d| wide(d.as_slice())).map(|(high, low)| high - low).sum();
                ((way.min(180.0).to_radians() * radian * 1.000_001) as u64).saturating_add(1_000)
            }
        }
    }

    #[inline]
    fn distance(&self, a: &[i64], b: &[i64]) -> u64 {
        match self {
            Self::Point { .. } if a == b => 0,
            Self::Line { .. } | Self::Labels { .. } | Self::Tree { .. } if a[0] == b[0] => 0,
            Self::Line { apart, .. } if a[0] == MISSING || b[0] == MISSING => *apart,
            Self::Line { .. } => a[0].abs_diff(b[0]),
            Self::Labels { apart, .. } => *apart,
            Self::Tree { tree, height, .. } => {
                let (low, high) = (a[0].min(b[0]) as u32, a[0].max(b[0]) as u32);
                height[tree.join(low, high) as usize]
            }
            Self::Point { radian, .. } => {
                let (mut apart, mut together) = (0.0, 0.0);
                for (&a, &b) in a.iter().zip(b) {
                    let (a, b) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
                    apart += (a - b) * (a - b);
                    together += (a + b) * (a + b);
                }
                // Both legs are worked out, so that points are told apart well when they are near and when
                // they are opposite.
                let angle = 2.0 * apart.sqrt().atan2(together.sqrt());
                // So far beyond is more than what the steps before can err together, three times over.
                (angle * radian).ceil() as u64 + 1 + (radian * 2f64.powi(-48)) as u64
            }
        }
    }
}

impl Metric {
    /// How many numbers say where a record is.
    pub fn width(&self) -> usize {
        self.axes.iter().map(Axis::width).sum()
    }

    /// Where the record with these codes is.
    pub fn place(&self, codes: &[u32], place: &mut Vec<i64>) {
        for axis in &self.axes {
            match axis {
                Axis::Line { column, at, .. } => {
                    place.push(at.get(codes[*column] as usize).copied().unwrap_or(MISSING));
                }
                Axis::Labels { column, .. } | Axis::Tree { column, .. } => {
                    place.push(i64::from(codes[*column]));
                }
                Axis::Point { columns, degrees, .. } => {
                    let [latitude, longitude] =
                        [0, 1].map(|i| degrees[i].get(codes[columns[i]] as usize).copied().unwrap_or(0.0));
                    place.extend(on_the_globe(latitude, longitude));
                }
            }
        }
    }

    /// The middle of some records: the mean of numbers, the (lower) median of dates and levels, of labels and
    /// leaves the most frequent. There is none where a value is missing, or on the globe.
    pub(crate) fn middle(&self, records: &[&[u32]]) -> Option<Vec<i64>> {
        let middle = |axis: &Axis| match axis {
            Axis::Point { .. } => None,
            Axis::Line { column, at, mean, .. } => {
                let mut places: Vec<i64> = records
                    .iter()
                    .map(|codes| at.get(codes[*column] as usize).copied())
                    .collect::<Option<_>>()?;
                if *mean {
                    let sum: i128 = places.iter().map(|&p| i128::from(p)).sum();
                    return Some(sum.div_euclid(places.len() as i128) as i64);
                }
                places.sort_unstable();
                places.get((places.len() - 1) / 2).copied()
            }
            Axis::Labels { column, .. } | Axis::Tree { column, .. } => {
                let mut codes: Vec<u32> = records.iter().map(|codes| codes[*column]).collect();
                codes.sort_unstable();
                let most =
                    codes.chunk_by(|a, b| a == b).max_by_key(|same| (same.len(), std::cmp::Reverse(same[0])));
                most.map(|same| i64::from(same[0]))
            }
        };
        if records.is_empty() { None } else { self.axes.iter().map(middle).collect() }
    }

    /// How far two places are apart.
    #[inline]
    pub fn between(&self, a: &[i64], b: &[i64]) -> u64 {
        let mut at = 0;
        let parts = self.axes.iter().map(|axis| {
            let from = at;
            at += axis.width();
            axis.distance(&a[from..at], &b[from..at])
        });
        match self.combine {
            Combine::Manhattan => parts.sum(),
            Combine::Maximum => parts.max().unwrap_or(0),
            Combine::Euclidean => {
                // One column's distance is that of the records; no squares are needed to see it.
                let (mut squares, mut several, mut last) = (0u128, 0, 0);
                for part in parts.filter(|&part| part > 0) {
                    squares += u128::from(part) * u128::from(part);
                    several += 1;
                    last = part;
                }
                if several <= 1 { last } else { root_up(squares) }
            }
        }
    }

    /// How far two records are apart, by their codes.
    pub fn distance(&self, a: &[u32], b: &[u32]) -> u64 {
        let (mut from, mut to) = (Vec::with_capacity(self.width()), Vec::with_capacity(self.width()));
        self.place(a, &mut from);
        self.place(b, &mut to);
        self.between(&from, &to)
    }

    /// No two records are further apart; `None` if a column is too wide to add up squares.
    pub(crate) fn largest(&self) -> Option<u64> {
        let all: Vec<u64> = self.axes.iter().map(Axis::largest).collect();
        // The sum is no less than any way to combine.
        let sum: u128 = all.iter().map(|&part| u128::from(part)).sum();
        (sum < u128::from(WIDEST)).then_some(sum as u64)
    }
}

/// Where a point is, as bits of three floats: the unit vector from the middle of the earth.
fn on_the_globe(latitude: f64, longitude: f64) -> [i64; 3] {
    let (up, round) = (latitude.to_radians(), longitude.to_radians());
    [up.cos() * round.cos(), up.cos() * round.sin(), up.sin()].map(|x| x.to_bits() as i64)
}

/// The way along the great circle between two points in degrees, in radians.
pub(crate) fn great_circle(a: (f64, f64), b: (f64, f64)) -> f64 {
    let axis = Axis::Point { columns: [0, 0], degrees: [Vec::new(), Vec::new()], radian: ONE as f64 };
    axis.distance(&on_the_globe(a.0, a.1), &on_the_globe(b.0, b.1)) as f64 / ONE as f64
}

/// The least whole number whose square is no less.
fn root_up(square: u128) -> u64 {
    // Floating point is off by little; whole numbers set it right.
    let mut root = (square as f64).sqrt() as u64;
    while u128::from(root) * u128::from(root) < square {
        root += 1;
    }
    while root > 0 && u128::from(root - 1) * u128::from(root - 1) >= square {
        root -= 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;

    #[test]
    fn roots_are_rounded_up_exactly() {
        for root in [0u64, 1, 2, 3, 1 << 31, (1 << 53) + 1, (1 << 56) + 12_345] {
            let square = u128::from(root) * u128::from(root);
            assert_eq!(root_up(square), root);
            assert_eq!(root_up(square + 1), root + 1);
        }
    }

    #[test]
    fn known_distances() {
        // Berlin to Paris: about 878 km.
        let km = great_circle((52.52, 13.405), (48.8566, 2.3522)) * EARTH;
        assert!((877.0..879.0).contains(&km), "{km}");
        let metric = |combine| Metric {
            axes: vec![
                Axis::Line {
                    column: 0,
                    at: vec![0, 3 * ONE as i64],
                    apart: 5 * ONE,
                    mean: true,
                    origin: (0.0, 1.0),
                },
                Axis::Labels { column: 1, apart: 4 * ONE },
            ],
            combine,
        };
        for (combine, expected) in [(Combine::Euclidean, 5), (Combine::Manhattan, 7), (Combine::Maximum, 4)] {
            assert_eq!(metric(combine).distance(&[0, 0], &[1, 1]), expected * ONE);
        }
        assert_eq!(metric(Combine::Maximum).distance(&[0, 0], &[2, 0]), 5 * ONE, "missing");
        let tree = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\n").unwrap().tree().clone();
        let height = (0..tree.nodes()).map(|n| u64::from(tree.width(n) - 1)).collect();
        let tree = Metric {
            axes: vec![Axis::Tree { column: 0, tree: Arc::new(tree), height }],
            ..Metric::default()
        };
        assert_eq!((tree.distance(&[0], &[1]), tree.distance(&[0], &[2])), (1, 2));
    }
}
