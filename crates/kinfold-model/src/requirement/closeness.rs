//! Closeness: the earth mover's distance between a group's distribution and the table's, in exact integers.
//!
//! With counts c of n people in the group and T of N in the table, q − p = (c·N − T·n) / (n·N). Everything
//! below is in units of 1 / (n·N), times the largest distance of two values ([`Apart::scale`]).

use super::{Decimal, Distance, protected::Column};
use crate::hierarchy::Tree;
use std::collections::BTreeMap;

/// A distance in parts of `scale`, both whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Apart {
    pub distance: u128,
    pub scale: u128,
}

impl Apart {
    pub(crate) fn at_most(self, t: Decimal) -> bool {
        // No distance is above 1.
        t.units() >= Decimal::ONE
            || self.distance * u128::from(Decimal::ONE) <= u128::from(t.units()) * self.scale
    }
}

/// Of columns with more values, groups are not compared value by value: as many groups would take hours.
const MANY: usize = 1 << 10;

/// How far a group of `people` with this histogram is from the table; `None` if the column lacks what the
/// distance needs.
pub(super) fn apart(
    column: &Column,
    histogram: &BTreeMap<u32, u64>,
    people: u64,
    distance: Distance,
) -> Option<Apart> {
    match distance {
        Distance::Equal if column.totals.len() > MANY => Some(equal(column, histogram, people)),
        Distance::Ordered if column.totals.len() > MANY => {
            let counts = |tell: &mut dyn FnMut(u32, u64)| histogram.iter().for_each(|(&v, &c)| tell(v, c));
            column.line.as_ref().map(|line| line.apart(counts, people))
        }
        _ => by_definition(column, histogram, people, distance),
    }
}

/// What all values add that the group does not have is known together.
fn equal(column: &Column, histogram: &BTreeMap<u32, u64>, people: u64) -> Apart {
    let whole: u64 = column.totals.iter().sum();
    let total = |value: u32| column.totals.get(value as usize).copied().unwrap_or(0);
    let own = histogram.iter().map(|(&v, &count)| product(count, whole) - product(total(v), people));
    let others = whole - histogram.keys().map(|&value| total(value)).sum::<u64>();
    let distance = magnitudes(own) + u128::from(others) * u128::from(people);
    Apart { distance, scale: 2 * u128::from(people) * u128::from(whole) }
}

/// The same by the definition, value by value.
fn by_definition(
    column: &Column,
    histogram: &BTreeMap<u32, u64>,
    people: u64,
    distance: Distance,
) -> Option<Apart> {
    let whole: u64 = column.totals.iter().sum();
    let count = |value: u32| histogram.get(&value).copied().unwrap_or(0);
    // q − p of every value.
    let surplus: Vec<i128> = column
        .totals
        .iter()
        .zip(0..)
        .map(|(&total, value)| product(count(value), whole) - product(total, people))
        .collect();
    let unit = u128::from(people) * u128::from(whole);
    Some(match distance {
        Distance::Equal => Apart { distance: magnitudes(surplus), scale: 2 * unit },
        Distance::Ordered => {
            column.line.as_ref()?;
            // What passes from each rank to the next: the sum of all surplus before.
            let mut carried = 0;
            let passing = surplus.iter().map(|s| {
                carried += s;
                carried
            });
            let steps = surplus.len().saturating_sub(1).max(1);
            Apart { distance: magnitudes(passing), scale: steps as u128 * unit }
        }
        Distance::Tree => {
            let shape = column.shape.as_ref()?;
            Apart { distance: shape.moved(&surplus), scale: u128::from(shape.height()) * unit }
        }
    })
}

fn product(a: u64, b: u64) -> i128 {
    i128::from(a) * i128::from(b)
}

fn magnitudes(numbers: impl IntoIterator<Item = i128>) -> u128 {
    numbers.into_iter().map(i128::unsigned_abs).sum()
}

/// A tree over values: two of them are as far apart as their lowest common node is high. A node's height is
/// the longest way down from it.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    tree: Tree,
    leaf_of: Vec<u32>,
    heights: Vec<u32>,
}

impl Shape {
    pub(crate) fn new(tree: Tree, leaf_of: Vec<u32>) -> Self {
        let mut heights = vec![0; tree.nodes() as usize];
        // Nodes come after their children.
        for node in 0..tree.root() {
            let least = heights[node as usize] + 1;
            let above = &mut heights[tree.parent(node) as usize];
            *above = least.max(*above);
        }
        Self { tree, leaf_of, heights }
    }

    /// The largest distance of two values.
    pub(crate) fn height(&self) -> u32 {
        self.heights[self.tree.root() as usize].max(1)
    }

    /// Surplus moves to where there is a lack within the lowest node that has both, as in Li et al. 2007.
    fn moved(&self, surplus: &[i128]) -> u128 {
        let nodes = self.tree.nodes() as usize;
        let mut extra = vec![0i128; nodes];
        for (&leaf, &surplus) in self.leaf_of.iter().zip(surplus) {
            extra[leaf as usize] = surplus;
        }
        let (mut surplus_below, mut lack_below) = (vec![0u128; nodes], vec![0u128; nodes]);
        for node in 0..self.tree.root() {
            let above = self.tree.parent(node) as usize;
            let extra_here = extra[node as usize];
            extra[above] += extra_here;
            surplus_below[above] += extra_here.max(0).unsigned_abs();
            lack_below[above] += extra_here.min(0).unsigned_abs();
        }
        let cost = |node: usize| u128::from(self.heights[node]) * surplus_below[node].min(lack_below[node]);
        (0..nodes).map(cost).sum()
    }

    /// The nodes over a value, from its leaf to the one below the root.
    pub(crate) fn path(&self, value: u32) -> impl Iterator<Item = u32> + Clone {
        let root = self.tree.root();
        let next = move |&node: &u32| Some(self.tree.parent(node)).filter(|&above| above != root);
        std::iter::successors(Some(self.leaf_of[value as usize]), next)
    }

    /// How much higher the node above is.
    pub(crate) fn rise(&self, node: u32) -> u32 {
        self.heights[self.tree.parent(node) as usize] - self.heights[node as usize]
    }

    pub(crate) fn nodes(&self) -> u32 {
        self.tree.nodes()
    }
}

/// The table's values in their order, such that the distance of a group with few values is found without a
/// look at all others.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// How many people of the table have a value up to this one.
    up_to: Vec<u64>,
    /// The sum of `up_to` before each value, and over all.
    sums: Vec<u64>,
}

impl Line {
    pub(crate) fn new(totals: &[u64]) -> Self {
        let running = |numbers: &[u64]| {
            let add = |sum: &mut u64, &number: &u64| {
                *sum += number;
                Some(*sum)
            };
            numbers.iter().scan(0, add).collect::<Vec<u64>>()
        };
        let up_to = running(totals);
        let mut sums = vec![0];
        sums.extend(running(&up_to));
        Self { up_to, sums }
    }

    /// What [`apart`] says of ordered distance, for counts that come in ascending order of values.
    pub(crate) fn apart(&self, counts: impl Fn(&mut dyn FnMut(u32, u64)), people: u64) -> Apart {
        let (mut distance, mut from, mut below) = (0, 0, 0);
        counts(&mut |value, count| {
            distance += self.between(from, value as usize, below, people);
            (from, below) = (value as usize, below + count);
        });
        distance += self.between(from, self.up_to.len(), below, people);
        let unit = u128::from(people) * u128::from(self.up_to.last().copied().unwrap_or(0));
        Apart { distance, scale: self.up_to.len().saturating_sub(1).max(1) as u128 * unit }
    }

    /// Σ |below·N − up_to·n| over the values `from..to`, up to each of which the group has `below` people.
    /// As `up_to` ascends, the terms change their sign once.
    fn between(&self, from: usize, to: usize, below: u64, people: u64) -> u128 {
        let whole = u128::from(self.up_to.last().copied().unwrap_or(0));
        let (below, people) = (u128::from(below) * whole, u128::from(people));
        let lacks = |&up_to: &u64| u128::from(up_to) * people <= below;
        let turn = from + self.up_to[from..to].partition_point(lacks);
        let sum = |from: usize, to: usize| people * u128::from(self.sums[to] - self.sums[from]);
        below * (turn - from) as u128 - sum(from, turn) + sum(turn, to) - below * (to - turn) as u128
    }
}

#[cfg(test)]
mod tests {
    use super::super::Protected;
    use super::*;

    #[test]
    fn groups_of_few_values_are_as_far_as_the_definition_says() {
        let mut state = 7u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        for values in [3, 40, 2 * MANY] {
            let totals: Vec<u64> = (0..values).map(|_| 1 + below(4)).collect();
            let (people, order) = (totals.iter().sum(), Some((0..values as u32).collect()));
            let told = Protected { totals: totals.clone(), order, ..Protected::default() };
            let column = Column::new(told, people).unwrap();
            for _ in 0..50 {
                let mut histogram = BTreeMap::new();
                for _ in 0..1 + below(9) {
                    let value = below(values as u64) as u32;
                    histogram.insert(value, 1 + below(totals[value as usize]));
                }
                let group = histogram.values().sum();
                let line = column.line.as_ref().unwrap();
                let ordered = line.apart(|tell| histogram.iter().for_each(|(&v, &c)| tell(v, c)), group);
                let defined = |distance| by_definition(&column, &histogram, group, distance).unwrap();
                assert_eq!(ordered, defined(Distance::Ordered));
                assert_eq!(equal(&column, &histogram, group), defined(Distance::Equal));
                assert_eq!(
                    apart(&column, &histogram, group, Distance::Equal),
                    Some(defined(Distance::Equal))
                );
            }
        }
    }
}
