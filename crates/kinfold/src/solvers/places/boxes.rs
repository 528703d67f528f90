//! Cuts points into boxes of at least k people each (paper *geo*, Theorem 2, in any number of dimensions): a
//! box is cut across an axis whenever that leaves k on both sides. Points on the cut all go to one side, so
//! boxes never overlap.
//!
//! A box of d axes that cannot be cut holds at most 2d(k − 1) people and those of one point. For let v be the
//! first value on an axis up to which there are k people: below it there are fewer than k, and above it, too,
//! or the box could be cut there. So at most 2(k − 1) people are off v, on each of the axes, and all others
//! are at one point.
//!
//! Which cut is free. A box of p·k people and a rest can become p boxes: the cut that comes closest to
//! leaving a whole number of even shares on both sides is taken, across the longest side unless another is
//! much better. Then the block around the fullest box is cut anew, in other places, as long as that makes it
//! emptier.

use std::collections::BTreeSet;

/// Points with their people. Values on an axis are numbered in their order.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    /// The numbers of the values of point 0 on every axis, then of point 1, …
    pub(crate) codes: Vec<u32>,
    /// Where the values of each axis are, on one scale for all axes. Different values may be at one place:
    /// only lengths are told from it.
    pub(crate) places: Vec<Vec<u64>>,
    pub(crate) people: Vec<u64>,
}

impl Points {
    fn code(&self, point: u32, axis: usize) -> u32 {
        self.codes[point as usize * self.axes() + axis]
    }

    fn axes(&self) -> usize {
        self.places.len()
    }

    fn people(&self, within: &[u32]) -> u64 {
        within.iter().map(|&p| self.people[p as usize]).sum()
    }

    fn side(&self, within: &[u32], axis: usize) -> u64 {
        let codes = || within.iter().map(|&p| self.code(p, axis));
        let place = |code: Option<u32>| code.map_or(0, |code| self.places[axis][code as usize]);
        place(codes().max()) - place(codes().min())
    }
}

/// How much closer to even shares, relative to k, a cut across another than the longest side must come.
const ACROSS: f64 = 0.05;
/// A block that is cut anew holds fewer than so many times k people.
const BLOCK: u64 = 16;
/// How many cuts are tried in a box that is cut anew, the best first, and how many boxes in all.
const CUTS: usize = 16;
const TRIES: usize = 3_000;

/// The points of every box. `go_on` says whether there is time to cut anew.
pub(crate) fn boxes(points: &Points, k: u64, go_on: impl Fn() -> bool) -> Vec<Vec<u32>> {
    let mut blocks = Vec::new();
    let mut open = vec![(0..points.people.len() as u32).collect::<Vec<u32>>()];
    while let Some(within) = open.pop() {
        let best = if points.people(&within) < BLOCK * k { None } else { best_cut(points, &within, k) };
        match best {
            Some(cut) => open.extend(cut.part(points, &within)),
            None => blocks.push(cut_up(points, within, k)),
        }
    }
    empty_the_fullest(points, &mut blocks, k, go_on);
    blocks.into_iter().flatten().collect()
}

/// Cuts in the best place as long as there is one.
fn cut_up(points: &Points, within: Vec<u32>, k: u64) -> Vec<Vec<u32>> {
    let (mut open, mut done) = (vec![within], Vec::new());
    while let Some(within) = open.pop() {
        match best_cut(points, &within, k) {
            Some(cut) => open.extend(cut.part(points, &within)),
            None => done.push(within),
        }
    }
    done
}

/// Cuts the block with the fullest box anew, again and again, until that makes it no emptier.
fn empty_the_fullest(points: &Points, blocks: &mut [Vec<Vec<u32>>], k: u64, go_on: impl Fn() -> bool) {
    let fullest = |block: &[Vec<u32>]| block.iter().map(|list| points.people(list)).max().unwrap_or(0);
    let mut waiting: BTreeSet<(u64, usize)> =
        blocks.iter().enumerate().map(|(at, block)| (fullest(block), at)).collect();
    while let Some((most, at)) = waiting.pop_last().filter(|_| go_on()) {
        let whole = blocks[at].concat();
        let next = waiting.last().map_or(k, |&(most, _)| most);
        let limits = [next, most - 1].into_iter().filter(|limit| (k..most).contains(limit));
        let anew =
            limits.filter_map(|limit| within_limit(points, &whole, k, limit, &mut TRIES.clone())).next();
        let Some(anew) = anew else { break };
        blocks[at] = anew.into_iter().flat_map(|list| cut_up(points, list, k)).collect();
        waiting.insert((fullest(&blocks[at]), at));
    }
}

/// Boxes of k people and no more than the limit, if some cuts make such; `tries` says how long to look for
/// them.
fn within_limit(
    points: &Points,
    within: &[u32],
    k: u64,
    limit: u64,
    tries: &mut usize,
) -> Option<Vec<Vec<u32>>> {
    if points.people(within) <= limit {
        return Some(vec![within.to_vec()]);
    }
    *tries = tries.checked_sub(1)?;
    let mut cuts = cuts(points, within, k);
    cuts.sort_by(|a, b| a.score.total_cmp(&b.score));
    cuts.into_iter().take(CUTS).find_map(|cut| {
        let [low, high] = cut.part(points, within);
        let mut found = within_limit(points, &low, k, limit, tries)?;
        found.extend(within_limit(points, &high, k, limit, tries)?);
        Some(found)
    })
}

/// A cut that leaves k people on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cut {
    /// How far it is from leaving even shares; the lower the better.
    score: f64,
    axis: usize,
    /// Points before this are below it, the others above.
    at: u32,
}

impl Cut {
    fn part(self, points: &Points, within: &[u32]) -> [Vec<u32>; 2] {
        let (low, high) = within.iter().partition(|&&p| points.code(p, self.axis) < self.at);
        [low, high]
    }
}

/// The best cut, if any leaves k on both sides.
fn best_cut(points: &Points, within: &[u32], k: u64) -> Option<Cut> {
    cuts(points, within, k).into_iter().min_by(|a, b| a.score.total_cmp(&b.score))
}

/// Every cut that leaves k on both sides, those across the longest side first.
fn cuts(points: &Points, within: &[u32], k: u64) -> Vec<Cut> {
    let people = points.people(within);
    let mut cuts = Vec::new();
    if people < 2 * k {
        return cuts;
    }
    let mut axes: Vec<(u64, usize)> =
        (0..points.axes()).map(|axis| (points.side(within, axis), axis)).collect();
    axes.sort_by_key(|&(side, _)| std::cmp::Reverse(side));
    let parts = people / k;
    let share = people as f64 / parts as f64;
    let ideal = (parts / 2) as f64 * share;
    for (rank, (_, axis)) in axes.into_iter().enumerate() {
        let mut sorted: Vec<(u32, u64)> =
            within.iter().map(|&p| (points.code(p, axis), points.people[p as usize])).collect();
        sorted.sort_unstable();
        let mut below = 0;
        for pair in sorted.windows(2) {
            below += pair[0].1;
            if pair[1].0 == pair[0].0 || below < k || people - below < k {
                continue;
            }
            // Either side may be the one with the smaller share.
            let off = (below as f64 - ideal).abs().min(((people - below) as f64 - ideal).abs()) / k as f64;
            let score = off + if rank == 0 { 0.0 } else { ACROSS };
            cuts.push(Cut { score, axis, at: pair[1].0 });
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::random::Random;

    /// Points with these coordinates, each at the place of its number.
    fn points(list: &[(Vec<u32>, u64)]) -> Points {
        let axes = list[0].0.len();
        Points {
            codes: list.iter().flat_map(|(at, _)| at.clone()).collect(),
            places: vec![(0..100).collect(); axes],
            people: list.iter().map(|&(_, people)| people).collect(),
        }
    }

    #[test]
    fn boxes_hold_enough_do_not_overlap_and_cannot_be_cut() {
        let mut random = Random::new(2);
        let mut emptier = 0;
        for round in 0..450 {
            let axes = 1 + round % 4;
            let wide = 2 + random.below(30);
            let k = 2 + random.below(12) as u64;
            let mut list: Vec<(Vec<u32>, u64)> = (0..1 + random.below(80))
                .map(|_| {
                    let at = (0..axes).map(|_| random.below(wide) as u32).collect();
                    (at, 1 + random.below(4) as u64)
                })
                .collect();
            list.sort_unstable();
            list.dedup_by(|a, b| a.0 == b.0);
            let points = points(&list);
            if points.people.iter().sum::<u64>() < k {
                continue;
            }
            let heaviest = points.people.iter().copied().max().unwrap_or(0);
            let found = boxes(&points, k, || true);
            let fullest = |boxes: &[Vec<u32>]| boxes.iter().map(|list| points.people(list)).max();
            let plain = fullest(&boxes(&points, k, || false));
            assert!(fullest(&found) <= plain, "cutting anew fills boxes");
            emptier += usize::from(fullest(&found) < plain);
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), list.len());
            let mut sides = Vec::new();
            for inside in &found {
                let people = points.people(inside);
                let most = 2 * axes as u64 * (k - 1) + heaviest;
                assert!(people >= k && people <= most, "{people} with k = {k} on {axes} axes");
                assert_eq!(best_cut(&points, inside, k), None);
                let side = |axis: usize| {
                    let codes = || inside.iter().map(|&p| points.code(p, axis));
                    (codes().min().unwrap_or(0), codes().max().unwrap_or(0))
                };
                sides.push((0..axes).map(side).collect::<Vec<_>>());
            }
            for (i, a) in sides.iter().enumerate() {
                for b in &sides[i + 1..] {
                    let apart = |axis: usize| a[axis].1 < b[axis].0 || b[axis].1 < a[axis].0;
                    assert!((0..axes).any(apart), "{a:?} and {b:?} overlap");
                }
            }
        }
        assert!(emptier > 50, "cutting anew hardly helps: {emptier}");
    }

    #[test]
    fn the_worst_case_of_the_paper_is_not_cut_in_any_dimension() {
        // Points of k − 1 people on both sides of one of k, on every axis: no cut leaves k on both sides.
        for axes in 1..6 {
            let k = 5;
            let mut list = vec![(vec![1; axes], k)];
            for axis in 0..axes {
                for at in [0, 2] {
                    let mut codes = vec![1; axes];
                    codes[axis] = at;
                    list.push((codes, k - 1));
                }
            }
            let points = points(&list);
            let found = boxes(&points, k, || true);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(
                points.people(&found[0]),
                2 * axes as u64 * (k - 1) + k,
                "as many as the theorem allows"
            );
            // One person more on any axis, and there is a cut.
            list[1].1 += 1;
            assert_eq!(boxes(&super::tests::points(&list), k, || true).len(), 2);
        }
    }
}
