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
