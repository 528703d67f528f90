//! Cuts points into rectangles of at least k people each (paper *geo*, Theorem 2): a rectangle is cut along an axis whenever some line
//! leaves k on both sides. Points on the line all go to one side, so rectangles never overlap.
//!
//! Which line is free. A rectangle of p·k people and a rest can become p rectangles: the line that comes closest to leaving a whole
//! number of even shares on both sides is taken, across the longer side unless the other is much better. A rectangle that no
//! line cuts holds at most 4(k − 1) people and those of one point.

/// A point with its people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Where it is, in steps of equal length on both axes.
    pub(crate) at: [u64; 2],
    pub(crate) people: u64,
}

/// How much closer to even shares, relative to k, a line across the shorter side must come.
const ACROSS: f64 = 0.05;

/// For every point the number of its rectangle.
pub(crate) fn rectangles(points: &[Point], k: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut rectangle = vec![0; points.len()];
    let mut next = 0;
    let mut open: Vec<&mut [u32]> = vec![&mut order];
    while let Some(within) = open.pop() {
        match line(points, within, k) {
            Some((axis, middle)) => {
                within.sort_unstable_by_key(|&p| (points[p as usize].at[axis], p));
                let (low, high) = within.split_at_mut(middle);
                open.extend([high, low]);
            }
            None => {
                within.iter().for_each(|&p| rectangle[p as usize] = next);
                next += 1;
            }
        }
    }
    rectangle
}

/// The best line: its axis, and how many points lie below it. `None` if none leaves k on both sides.
fn line(points: &[Point], within: &[u32], k: u64) -> Option<(usize, usize)> {
    let people: u64 = within.iter().map(|&p| points[p as usize].people).sum();
    if people < 2 * k {
        return None;
    }
    let side = |axis: usize| {
        let at = || within.iter().map(|&p| points[p as usize].at[axis]);
        at().max().unwrap_or(0) - at().min().unwrap_or(0)
    };
    let longer = usize::from(side(1) > side(0));
    let parts = people / k;
    let share = people as f64 / parts as f64;
    let ideal = (parts / 2) as f64 * share;
    let mut best: Option<(f64, usize, usize)> = None;
    for axis in [longer, 1 - longer] {
        let mut sorted: Vec<(u64, u64)> =
            within.iter().map(|&p| (points[p as usize].at[axis], points[p as usize].people)).collect();
        sorted.sort_unstable();
        let mut below = 0;
        for middle in 1..sorted.len() {
            below += sorted[middle - 1].1;
            if sorted[middle].0 == sorted[middle - 1].0 || below < k || people - below < k {
                continue;
            }
            // Either side may be the one with the smaller share.
            let off = (below as f64 - ideal).abs().min(((people - below) as f64 - ideal).abs()) / k as f64;
            let score = off + if axis == longer { 0.0 } else { ACROSS };
            if best.is_none_or(|(least, ..)| score < least) {
                best = Some((score, axis, middle));
            }
        }
    }
    best.map(|(_, axis, middle)| (axis, middle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::random::Random;

    #[test]
    fn rectangles_hold_enough_do_not_overlap_and_cannot_be_cut() {
        let mut random = Random::new(2);
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
            let of = rectangles(&points, k);
            let number = of.iter().max().map_or(0, |&r| r + 1);
            let mut boxes = Vec::new();
            for rectangle in 0..number {
                let inside: Vec<u32> =
                    (0..points.len() as u32).filter(|&p| of[p as usize] == rectangle).collect();
                let people: u64 = inside.iter().map(|&p| points[p as usize].people).sum();
                assert!(people >= k && people <= 4 * (k - 1) + heaviest, "{people} with k = {k}");
                assert_eq!(line(&points, &inside, k), None);
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
    }

    #[test]
    fn the_worst_case_of_the_paper_is_not_cut() {
        // Four points of k − 1 people north, south, east and west of one of k: no line leaves k on both sides.
        let k = 5;
        let around = [[1, 0], [0, 1], [2, 1], [1, 2]].map(|at| Point { at, people: k - 1 });
        let points: Vec<Point> = around.into_iter().chain([Point { at: [1, 1], people: k }]).collect();
        let of = rectangles(&points, k);
        assert!(of.iter().all(|&r| r == 0), "{of:?}");
        assert_eq!(points.iter().map(|p| p.people).sum::<u64>(), 5 * k - 4);
    }
}
