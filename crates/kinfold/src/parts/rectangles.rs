//! Cuts points into rectangles of at least k people each (paper *geo*, Theorem 2): a rectangle is cut along an axis whenever some line
//! leaves k on both sides. Points on the line all go to one side, so rectangles never overlap.
//!
//! Which line is free. A rectangle of p·k people and a rest can become p rectangles: the line that comes closest to leaving a whole
//! number of even shares on both sides is taken, across the longer side unless the other is much better. A rectangle that no
//! line cuts holds at most 4(k − 1) people and those of one point. Then the block around the fullest rectangle is cut anew, with
//! other lines, as long as that makes it emptier.

use std::collections::BTreeSet;

/// A point with its people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Where it is, in steps of equal length on both axes.
    pub(crate) at: [u64; 2],
    pub(crate) people: u64,
}

/// How much closer to even shares, relative to k, a line across the shorter side must come.
const ACROSS: f64 = 0.05;
/// A block that is cut anew holds fewer than so many times k people.
const BLOCK: u64 = 16;
/// How many lines are tried in a rectangle that is cut anew, the best first, and how many rectangles in all.
const LINES: usize = 16;
const TRIES: usize = 3_000;

/// For every point the number of its rectangle. `go_on` says whether there is time to cut anew.
pub(crate) fn rectangles(points: &[Point], k: u64, go_on: impl Fn() -> bool) -> Vec<u32> {
    let mut blocks = Vec::new();
    let mut open = vec![(0..points.len() as u32).collect::<Vec<u32>>()];
    while let Some(within) = open.pop() {
        let best = if people(points, &within) < BLOCK * k { None } else { best_line(points, &within, k) };
        match best {
            Some(line) => open.extend(line.part(points, &within)),
            None => blocks.push(cut(points, within, k)),
        }
    }
    empty_the_fullest(points, &mut blocks, k, go_on);
    let mut rectangle = vec![0; points.len()];
    for (number, list) in (0..).zip(blocks.iter().flatten()) {
        list.iter().for_each(|&p| rectangle[p as usize] = number);
    }
    rectangle
}

fn people(points: &[Point], within: &[u32]) -> u64 {
    within.iter().map(|&p| points[p as usize].people).sum()
}

/// Cuts along the best line as long as there is one.
fn cut(points: &[Point], within: Vec<u32>, k: u64) -> Vec<Vec<u32>> {
    let (mut open, mut done) = (vec![within], Vec::new());
    while let Some(within) = open.pop() {
        match best_line(points, &within, k) {
            Some(line) => open.extend(line.part(points, &within)),
            None => done.push(within),
        }
    }
    done
}

/// Cuts the block with the fullest rectangle anew, again and again, until that makes it no emptier.
fn empty_the_fullest(points: &[Point], blocks: &mut [Vec<Vec<u32>>], k: u64, go_on: impl Fn() -> bool) {
    let fullest = |block: &[Vec<u32>]| block.iter().map(|list| people(points, list)).max().unwrap_or(0);
    let mut waiting: BTreeSet<(u64, usize)> =
        blocks.iter().enumerate().map(|(at, block)| (fullest(block), at)).collect();
    while let Some((most, at)) = waiting.pop_last().filter(|_| go_on()) {
        let whole = blocks[at].concat();
        let next = waiting.last().map_or(k, |&(most, _)| most);
        let limits = [next, most - 1].into_iter().filter(|limit| (k..most).contains(limit));
        let anew =
            limits.filter_map(|limit| within_limit(points, &whole, k, limit, &mut TRIES.clone())).next();
        let Some(anew) = anew else { break };
        blocks[at] = anew.into_iter().flat_map(|list| cut(points, list, k)).collect();
        waiting.insert((fullest(&blocks[at]), at));
    }
}

/// Rectangles of k people and no more than the limit, if some lines make such; `tries` says how long to look for them.
fn within_limit(
    points: &[Point],
    within: &[u32],
    k: u64,
    limit: u64,
    tries: &mut usize,
) -> Option<Vec<Vec<u32>>> {
    if people(points, within) <= limit {
        return Some(vec![within.to_vec()]);
    }
    *tries = tries.checked_sub(1)?;
    let mut lines = lines(points, within, k);
    lines.sort_by(|a, b| a.score.total_cmp(&b.score));
    lines.into_iter().take(LINES).find_map(|line| {
        let [low, high] = line.part(points, within);
        let mut found = within_limit(points, &low, k, limit, tries)?;
        found.extend(within_limit(points, &high, k, limit, tries)?);
        Some(found)
    })
}

/// A line that leaves k people on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    /// How far it is from leaving even shares; the lower the better.
    score: f64,
    axis: usize,
    /// Points before this are below it, the others above.
    at: u64,
}

impl Line {
    fn part(self, points: &[Point], within: &[u32]) -> [Vec<u32>; 2] {
        let (low, high) = within.iter().partition(|&&p| points[p as usize].at[self.axis] < self.at);
        [low, high]
    }
}

/// The best line, if any leaves k on both sides.
fn best_line(points: &[Point], within: &[u32], k: u64) -> Option<Line> {
    lines(points, within, k).into_iter().min_by(|a, b| a.score.total_cmp(&b.score))
}

/// Every line that leaves k on both sides.
fn lines(points: &[Point], within: &[u32], k: u64) -> Vec<Line> {
    let people = people(points, within);
    let mut lines = Vec::new();
    if people < 2 * k {
        return lines;
    }
    let side = |axis: usize| {
        let at = || within.iter().map(|&p| points[p as usize].at[axis]);
        at().max().unwrap_or(0) - at().min().unwrap_or(0)
    };
    let longer = usize::from(side(1) > side(0));
    let parts = people / k;
    let share = people as f64 / parts as f64;
    let ideal = (parts / 2) as f64 * share;
    for axis in [longer, 1 - longer] {
        let mut sorted: Vec<(u64, u64)> =
            within.iter().map(|&p| (points[p as usize].at[axis], points[p as usize].people)).collect();
        sorted.sort_unstable();
        let mut below = 0;
        for pair in sorted.windows(2) {
            below += pair[0].1;
            if pair[1].0 == pair[0].0 || below < k || people - below < k {
                continue;
            }
            // Either side may be the one with the smaller share.
            let off = (below as f64 - ideal).abs().min(((people - below) as f64 - ideal).abs()) / k as f64;
            let score = off + if axis == longer { 0.0 } else { ACROSS };
            lines.push(Line { score, axis, at: pair[1].0 });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::random::Random;

    #[test]
    fn rectangles_hold_enough_do_not_overlap_and_cannot_be_cut() {
        let mut random = Random::new(2);
        let mut emptier = 0;
        for _ in 0..300 {
            let wide = 2 + random.below(30);
            let k = 2 + random.below(12) as u64;
            let mut points: Vec<Point> = (0..1 + random.below(80))
                .map(|_| Point {
                    at: [random.below(wide) as u64, random.below(wide) as u64],
                    people: 1 + random.below(4) as u64,
                })
                .collect();
            points.sort_unstable_by_key(|p| p.at);
            points.dedup_by_key(|p| p.at);
            if points.iter().map(|p| p.people).sum::<u64>() < k {
                continue;
            }
            let heaviest = points.iter().map(|p| p.people).max().unwrap_or(0);
            let of = rectangles(&points, k, || true);
            let number = of.iter().max().map_or(0, |&r| r + 1);
            let fullest = |of: &[u32]| {
                let inside =
                    |r: u32| of.iter().zip(&points).filter(move |(own, _)| **own == r).map(|(_, p)| p.people);
                (0..number.max(of.len() as u32)).map(|r| inside(r).sum::<u64>()).max()
            };
            let plain = fullest(&rectangles(&points, k, || false));
            assert!(fullest(&of) <= plain, "cutting anew fills rectangles");
            emptier += usize::from(fullest(&of) < plain);
            let mut boxes = Vec::new();
            for rectangle in 0..number {
                let inside: Vec<u32> =
                    (0..points.len() as u32).filter(|&p| of[p as usize] == rectangle).collect();
                let people: u64 = inside.iter().map(|&p| points[p as usize].people).sum();
                assert!(people >= k && people <= 4 * (k - 1) + heaviest, "{people} with k = {k}");
                assert_eq!(best_line(&points, &inside, k), None);
                let side = |axis: usize| {
                    let at = || inside.iter().map(|&p| points[p as usize].at[axis]);
                    (at().min().unwrap_or(0), at().max().unwrap_or(0))
                };
                boxes.push([side(0), side(1)]);
            }
            for (i, a) in boxes.iter().enumerate() {
                for b in &boxes[i + 1..] {
                    let apart = |axis: usize| a[axis].1 < b[axis].0 || b[axis].1 < a[axis].0;
                    assert!(apart(0) || apart(1), "{a:?} and {b:?} overlap");
                }
            }
        }
        assert!(emptier > 50, "cutting anew hardly helps: {emptier}");
    }

    #[test]
    fn the_worst_case_of_the_paper_is_not_cut() {
        // Four points of k − 1 people north, south, east and west of one of k: no line leaves k on both sides.
        let k = 5;
        let around = [[1, 0], [0, 1], [2, 1], [1, 2]].map(|at| Point { at, people: k - 1 });
        let points: Vec<Point> = around.into_iter().chain([Point { at: [1, 1], people: k }]).collect();
        let of = rectangles(&points, k, || true);
        assert!(of.iter().all(|&r| r == 0), "{of:?}");
        assert_eq!(points.iter().map(|p| p.people).sum::<u64>(), 5 * k - 4);
    }
}
