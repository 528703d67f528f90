//! The largest group (paper *geo*): one value, one group. Generalizing a value means the same for everybody who has it, so all rows
//! of a record are in one group. Values on a line are grouped in runs that do not overlap, points in rectangles that do not.

use super::RuleKind;
use crate::problem::Problem;
use std::collections::BTreeMap;

/// Two groups that share rows of one record, if any do.
pub fn parted(problem: &Problem, group_of: &[u32]) -> Option<(u32, u32)> {
    (0..problem.records() as u32).find_map(|record| {
        let mut groups = problem.rows_of(record).iter().map(|&row| group_of[row as usize]);
        let first = groups.next()?;
        groups.find(|&group| group != first).map(|other| (first, other))
    })
}

/// A box on one or two lines: first and last code of each.
type Box = [(u32, u32); 2];

/// Two groups whose runs or rectangles overlap, if any do. Only where all columns are lines, one or two of them, is that asked.
pub fn overlapping<'g>(problem: &Problem, groups: impl Iterator<Item = &'g [u32]>) -> Option<(u32, u32)> {
    let lines = problem.rules().iter().all(|rule| matches!(rule.kind(), RuleKind::Line { .. }));
    if !lines || problem.rules().len() > 2 {
        return None;
    }
    let boxes: Vec<Box> = groups
        .map(|rows| {
            let side = |column: usize| {
                let codes =
                    || rows.iter().filter_map(|&row| problem.codes(problem.record_of(row)).get(column));
                (codes().min().copied().unwrap_or(0), codes().max().copied().unwrap_or(0))
            };
            [side(0), side(1)]
        })
        .collect();
    // A line sweeps along the first column, and holds what it crosses by where it starts in the second; boxes come before others go.
    let mut events: Vec<(u32, bool, u32)> = Vec::with_capacity(2 * boxes.len());
    for (group, [(from, to), _]) in (0u32..).zip(&boxes) {
        events.extend([(*from, false, group), (*to, true, group)]);
    }
    events.sort_unstable();
    let mut crossed: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (_, goes, group) in events {
        let (low, high) = boxes[group as usize][1];
        if goes {
            crossed.remove(&low);
            continue;
        }
        let below = crossed.range(..=high).next_back();
        if let Some((_, &(_, other))) = below.filter(|(_, (end, _))| *end >= low) {
            return Some((other.min(group), other.max(group)));
        }
        crossed.insert(low, (high, group));
    }
    None
}

/// What the largest group holds at least, in any release: k; the largest value, for it is in one group; and the people of every part of the
/// map (of the table, where there is no map) shared out evenly among as many groups as there can be. Where people may be
/// withheld, those in parts with fewer than k must be, and the rest of the share can be the largest values.
pub fn least_largest(problem: &Problem) -> u64 {
    let component = problem.connected().map(|connected| connected.graph.components());
    let part_of = |record: u32| match (problem.connected(), &component) {
        (Some(connected), Some(component)) => component[problem.codes(record)[connected.column] as usize],
        _ => 0,
    };
    let mut parts: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for record in 0..problem.records() as u32 {
        parts.entry(part_of(record)).or_default().push(problem.record_size(record));
    }
    let k = problem.k();
    let (heavy, light): (Vec<_>, Vec<_>) =
        parts.into_values().partition(|sizes| sizes.iter().sum::<u64>() >= k);
    let least = match problem.may_withhold() {
        0 => heavy.iter().map(|sizes| even_share(sizes, k)).max(),
        share => largest_that_stays(heavy.concat(), share.saturating_sub(light.iter().flatten().sum())),
    };
    least.unwrap_or(0).max(k)
}

/// How many groups there can be at most: every group holds a value of k people or more, or k people with smaller ones.
pub fn most_groups(sizes: &[u64], k: u64) -> u64 {
    let large = sizes.iter().filter(|&&size| size >= k).count() as u64;
    let rest: u64 = sizes.iter().filter(|&&size| size < k).sum();
    (large + rest / k).max(1)
}

/// What the largest group holds at least if nobody is withheld: the largest value, and the people shared out among the most groups.
pub fn even_share(sizes: &[u64], k: u64) -> u64 {
    let (largest, people) = (sizes.iter().copied().max().unwrap_or(0), sizes.iter().sum::<u64>());
    largest.max(people.div_ceil(most_groups(sizes, k)))
}

/// The largest value when as many people are left out as may be, the largest values first. Whole values are: one value is never parted.
fn largest_that_stays(mut sizes: Vec<u64>, may_withhold: u64) -> Option<u64> {
    sizes.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
    let mut left = may_withhold;
    sizes.into_iter().find(|&size| match left.checked_sub(size) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withholding_takes_the_largest_values_first() {
        let stays = [0, 59, 60, 99, 100, 200].map(|may| largest_that_stays(vec![10, 60, 40, 30], may));
        assert_eq!(stays, [Some(60), Some(60), Some(40), Some(40), Some(30), None]);
    }

    #[test]
    fn people_are_shared_out_among_as_many_groups_as_there_can_be() {
        assert_eq!(even_share(&[3, 3, 3, 2], 5), 6, "two groups");
        assert_eq!(even_share(&[9, 3, 3], 5), 9, "the large value alone");
        assert_eq!(even_share(&[5, 4, 4, 4], 5), 6, "the large one, and two groups of the rest");
        assert_eq!(even_share(&[5, 1], 5), 6, "one group");
    }
}
