//! The largest group (paper *geo*): one value, one group. Generalizing a value means the same for everybody
//! who has it, so all rows of a record are in one group. Values on a line are grouped in runs that do not
//! overlap, points in rectangles and several lines in boxes that do not. A missing value comes last on its
//! line.

use super::RuleKind;
use crate::problem::{Problem, greatest_common_divisor};
use std::collections::BTreeMap;

/// Two groups that share rows of one record, if any do.
pub fn parted(problem: &Problem, group_of: &[u32]) -> Option<(u32, u32)> {
    (0..problem.records() as u32).find_map(|record| {
        let mut groups = problem.rows_of(record).iter().map(|&row| group_of[row as usize]);
        let first = groups.next()?;
        groups.find(|&group| group != first).map(|other| (first, other))
    })
}

/// A group's box: first and last code on every column.
type Sides = Vec<(u32, u32)>;

/// Two groups whose runs, rectangles or boxes overlap, if any do. Only where all columns are lines is that
/// asked.
pub(crate) fn overlapping<'g>(
    problem: &Problem,
    groups: impl Iterator<Item = &'g [u32]>,
) -> Option<(u32, u32)> {
    if !problem.rules().iter().all(|rule| matches!(rule.kind(), RuleKind::Line { .. })) {
        return None;
    }
    let sides = |rows: &[u32]| -> Sides {
        (0..problem.rules().len())
            .map(|column| {
                let codes = || rows.iter().map(|&row| problem.codes(problem.record_of(row))[column]);
                (codes().min().unwrap_or(0), codes().max().unwrap_or(0))
            })
            .collect()
    };
    let boxes: Vec<Sides> = groups.map(sides).collect();
    let mut open: Vec<Vec<u32>> = vec![(0..boxes.len() as u32).collect()];
    while let Some(list) = open.pop() {
        match halves(&boxes, &list) {
            Some(halves) => open.extend(halves),
            None => {
                let pair = first_pair(&boxes, &list);
                if pair.is_some() {
                    return pair;
                }
            }
        }
    }
    None
}

/// So few boxes are compared with each other.
const FEW: usize = 16;

/// Boxes below a cut and boxes above it; those that it cuts are in both, so boxes that overlap are together
/// in one of them. `None` if there are few, or no cut makes both lists shorter by much. Boxes that do not
/// overlap nearly always have such a cut.
fn halves(boxes: &[Sides], list: &[u32]) -> Option<[Vec<u32>; 2]> {
    if list.len() <= FEW {
        return None;
    }
    let cut = |axis: usize| {
        let mut starts: Vec<u32> = list.iter().map(|&b| boxes[b as usize][axis].0).collect();
        let (_, &mut middle, _) = starts.select_nth_unstable(list.len() / 2);
        let below =
            list.iter().copied().filter(|&b| boxes[b as usize][axis].0 < middle).collect::<Vec<u32>>();
        let above = list.iter().copied().filter(|&b| boxes[b as usize][axis].1 >= middle).collect();
        [below, above]
    };
    let best = (0..boxes[0].len()).map(cut).min_by_key(|[below, above]| below.len().max(above.len()))?;
    best.iter().all(|half| half.len() * 10 <= list.len() * 9).then_some(best)
}

/// Two boxes of a list that overlap, by comparing all.
fn first_pair(boxes: &[Sides], list: &[u32]) -> Option<(u32, u32)> {
    let meet = |a: u32, b: u32| {
        let mut sides = boxes[a as usize].iter().zip(&boxes[b as usize]);
        sides.all(|(a, b)| a.0 <= b.1 && b.0 <= a.1)
    };
    let pairs = list.iter().enumerate().flat_map(|(at, &a)| list[at + 1..].iter().map(move |&b| (a, b)));
    pairs.into_iter().find(|&(a, b)| meet(a, b))
}

/// What the largest group holds at least, in any release: k; the largest value that stays, for it is in one
/// group; and the people that stay, shared out evenly among as many groups as there can be, in every part of
/// the map (in the table, where there is no map).
pub fn least_largest(problem: &Problem) -> u64 {
    if problem.may_withhold() > 0 {
        return least_limit(problem).0;
    }
    let parts = parts(problem, &vec![false; problem.records()]);
    parts.values().map(|sizes| even_share(sizes, problem.k())).max().unwrap_or(0).max(problem.k())
}

/// The least limit on groups that what may be withheld does not rule out, and for every record whether it
/// must be withheld to keep the limit. It is at least k, no record that stays is larger, and no release has a
/// smaller largest group.
pub fn least_limit(problem: &Problem) -> (u64, Vec<bool>) {
    let sizes = (0..problem.records() as u32).map(|record| problem.record_size(record));
    let mut limits: Vec<u64> = sizes.filter(|&size| size > problem.k()).chain([problem.k()]).collect();
    limits.sort_unstable();
    limits.dedup();
    // The higher the limit, the fewer must go; between two sizes they are the same.
    let least = limits.partition_point(|&limit| must_go(problem, limit).is_none());
    let stay = problem.people().saturating_sub(problem.may_withhold());
    for at in least..limits.len() {
        let Some(goes) = must_go(problem, limits[at]) else { break };
        let groups: u64 = parts(problem, &goes).values().map(|sizes| most_groups(sizes, problem.k())).sum();
        let limit = limits[at].max(stay.div_ceil(groups.max(1)));
        if limits.get(at + 1).is_none_or(|&next| limit < next) {
            return (limit, goes);
        }
    }
    // Nothing can be released at all; then any limit holds.
    (problem.k(), vec![false; problem.records()])
}

/// The sizes of the records that are not gone, by parts of the map.
fn parts(problem: &Problem, gone: &[bool]) -> BTreeMap<u32, Vec<u64>> {
    let mut parts: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (record, part) in (0u32..).zip(part_of_records(problem, gone)) {
        if !gone[record as usize] {
            parts.entry(part).or_default().push(problem.record_size(record));
        }
    }
    parts
}

/// The records that every release without a group above a limit withholds: those larger than it and, once
/// they are gone, parts of the map with fewer than k people. `None` where that is more than may be withheld,
/// or leaves nothing to release.
fn must_go(problem: &Problem, limit: u64) -> Option<Vec<bool>> {
    let records = || 0..problem.records() as u32;
    let mut goes: Vec<bool> = records().map(|record| problem.record_size(record) > limit).collect();
    let part_of = part_of_records(problem, &goes);
    let mut people: BTreeMap<u32, u64> = BTreeMap::new();
    for record in records().filter(|&record| !goes[record as usize]) {
        *people.entry(part_of[record as usize]).or_default() += problem.record_size(record);
    }
    for record in records() {
        goes[record as usize] |= people.get(&part_of[record as usize]).is_none_or(|&p| p < problem.k());
    }
    let leaving: u64 =
        records().filter(|&record| goes[record as usize]).map(|record| problem.record_size(record)).sum();
    let possible = leaving <= problem.may_withhold() && goes.contains(&false);
    possible.then_some(goes)
}

/// For every record the part of the map it is in, without the regions of records that are gone; 0 for all
/// where there is no map.
fn part_of_records(problem: &Problem, gone: &[bool]) -> Vec<u32> {
    let Some(connected) = problem.connected() else { return vec![0; problem.records()] };
    let region = |record: usize| problem.codes(record as u32)[connected.column] as usize;
    let mut closed = vec![false; connected.graph.regions()];
    (0..gone.len()).filter(|&record| gone[record]).for_each(|record| closed[region(record)] = true);
    let component = connected.graph.without(&closed).components();
    (0..gone.len()).map(|record| component[region(record)]).collect()
}

/// How many groups there can be at most: every group holds a value of k people or more, or k people with
/// smaller ones.
pub fn most_groups(sizes: &[u64], k: u64) -> u64 {
    let k = least_level(sizes, k);
    let large = sizes.iter().filter(|&&size| size >= k).count() as u64;
    let rest: u64 = sizes.iter().filter(|&&size| size < k).sum();
    (large + rest / k.max(1)).max(1)
}

/// What the largest group holds at least if nobody is withheld: the largest value, and the people shared out
/// among the most groups.
pub fn even_share(sizes: &[u64], k: u64) -> u64 {
    let (largest, people) = (sizes.iter().copied().max().unwrap_or(0), sizes.iter().sum::<u64>());
    largest.max(people.div_ceil(most_groups(sizes, k))).max(least_level(sizes, k).min(people))
}

/// The least that a group of k people can hold: a multiple of what all sizes are multiples of.
fn least_level(sizes: &[u64], k: u64) -> u64 {
    let common = sizes.iter().fold(0, |a, &b| greatest_common_divisor(a, b)).max(1);
    k.div_ceil(common) * common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_overlap_are_found_among_many() {
        // A wall of bricks: rows of boxes, each shifted by half of one against the row below.
        let brick = |row: u32, at: u32| {
            vec![(4 * at + 2 * (row % 2), 4 * at + 2 * (row % 2) + 3), (row, row), (0, 9)]
        };
        let mut wall: Vec<Sides> = (0..40).flat_map(|row| (0..40).map(move |at| brick(row, at))).collect();
        let found = |wall: &[Sides]| {
            let mut open: Vec<Vec<u32>> = vec![(0..wall.len() as u32).collect()];
            let (mut pair, mut compared) = (None, 0);
            while let Some(list) = open.pop() {
                match halves(wall, &list) {
                    Some(halves) => open.extend(halves),
                    None => {
                        compared += list.len() * list.len();
                        pair = pair.or(first_pair(wall, &list));
                    }
                }
            }
            (pair, compared)
        };
        let (pair, compared) = found(&wall);
        assert_eq!(pair, None);
        assert!(compared < 100_000, "{compared} of {}", wall.len() * wall.len());
        // One brick a step too long.
        wall[777][0].1 += 1;
        assert_eq!(found(&wall).0, Some((777, 778)));
        wall[777][0].1 -= 1;
        wall[777][1].0 -= 1;
        assert!(found(&wall).0.is_some_and(|(a, b)| a < 777 && b == 777));
    }

    #[test]
    fn people_are_shared_out_among_as_many_groups_as_there_can_be() {
        assert_eq!(even_share(&[3, 3, 3, 2], 5), 6, "two groups");
        assert_eq!(even_share(&[9, 3, 3], 5), 9, "the large value alone");
        assert_eq!(even_share(&[5, 4, 4, 4], 5), 6, "the large one, and two groups of the rest");
        assert_eq!(even_share(&[5, 1], 5), 6, "one group");
        assert_eq!(even_share(&[4, 4, 4, 4, 4], 5), 10, "groups of 8 at least: two of them");
        assert_eq!(even_share(&[2; 7], 7), 14, "not two groups of 7");
    }
}
