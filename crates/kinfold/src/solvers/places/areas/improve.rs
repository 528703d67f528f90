//! Makes the largest areas smaller: an area of 2k people and more is split in two where that leaves k in
//! each, and a region on the border of an area moves to a neighbouring one that stays smaller, as long as
//! both stay connected and hold k. Largest areas first; an area that cannot be made smaller is done with
//! until a neighbour changes. The largest are also parted anew together with a neighbour (`recombine`), until
//! one of them resists: below it, the largest area is as large as it will be.

use crate::parts::numbering::{groups_of, number};
use crate::parts::random::Random;
use kinfold_model::regions::Graph;
use std::collections::{BTreeSet, VecDeque};

/// From which regions spanning trees are grown to find a split.
const ROOTS: usize = 6;
/// Looks at an area at most: so many, and so many per region.
const LOOKS: usize = 1_000;
const LOOKS_PER_REGION: usize = 2;

/// Areas whose largest is no larger, and mostly smaller. `go_on` is asked before every change.
pub(crate) fn improve(
    graph: &Graph,
    people: &[u64],
    k: u64,
    area: Vec<u32>,
    mut go_on: impl FnMut() -> bool,
) -> Vec<u32> {
    let mut areas = Areas::new(graph, people, k, area);
    let mut waiting: BTreeSet<(u64, u32)> =
        (0..areas.regions.len() as u32).map(|a| (areas.size(a), a)).collect();
    let mut random = Random::new(people.len() as u64);
    let mut resisted = false;
    for _ in 0..LOOKS + LOOKS_PER_REGION * people.len() {
        let Some((size, area)) = waiting.pop_last() else { break };
        if !go_on() {
            break;
        }
        if size != areas.size(area) {
            continue;
        }
        let moved = areas.split(area).or_else(|| areas.give(area)).map(|other| vec![area, other]);
        let changed = match moved {
            None if !resisted => areas.recombine(area, &mut random),
            moved => moved,
        };
        resisted |= changed.is_none();
        for area in changed.into_iter().flatten() {
            let touched = areas.touching(area).into_iter().chain([area]);
            waiting.extend(touched.map(|a| (areas.size(a), a)));
        }
    }
    number(&mut areas.area);
    areas.area
}

/// Areas in the making.
pub(super) struct Areas<'a> {
    pub(super) graph: &'a Graph,
    pub(super) people: &'a [u64],
    pub(super) k: u64,
    area: Vec<u32>,
    pub(super) regions: Vec<Vec<u32>>,
    sizes: Vec<u64>,
    /// The last search that has seen each region, and the number of that search.
    seen: Vec<u32>,
    round: u32,
}

impl<'a> Areas<'a> {
    fn new(graph: &'a Graph, people: &'a [u64], k: u64, area: Vec<u32>) -> Self {
        let count = groups_of(&area);
        let (mut regions, mut sizes) = (vec![Vec::new(); count], vec![0; count]);
        for (region, &a) in (0u32..).zip(&area) {
            regions[a as usize].push(region);
            sizes[a as usize] += people[region as usize];
        }
        Self { graph, people, k, area, regions, sizes, seen: vec![0; people.len()], round: 0 }
    }

    pub(super) fn size(&self, area: u32) -> u64 {
        self.sizes[area as usize]
    }

    /// The areas that touch one.
    pub(super) fn touching(&self, area: u32) -> Vec<u32> {
        let neighbours = self.regions[area as usize].iter().flat_map(|&r| self.graph.neighbours(r));
        let mut touching: Vec<u32> =
            neighbours.map(|&r| self.area[r as usize]).filter(|&a| a != area).collect();
        touching.sort_unstable();
        touching.dedup();
        touching
    }

    /// Splits an area in two of k people each, as evenly as some edge of some spanning tree allows. Returns
    /// the new area.
    fn split(&mut self, area: u32) -> Option<u32> {
        let size = self.size(area);
        if size < 2 * self.k {
            return None;
        }
        let regions = &self.regions[area as usize];
        let step = regions.len().div_ceil(ROOTS).max(1);
        let mut best: Option<(u64, Vec<u32>)> = None;
        for &root in regions.iter().step_by(step) {
            let (order, above) = self.grow(root, area);
            let mut hanging: Vec<u64> = order.iter().map(|&r| self.people[r as usize]).collect();
            for at in (1..order.len()).rev() {
                hanging[above[at]] += hanging[at];
                let larger = hanging[at].max(size - hanging[at]);
                let smaller = size - larger;
                if smaller >= self.k && best.as_ref().is_none_or(|(least, _)| larger < *least) {
                    // What hangs from this region, itself included.
                    let mut below = vec![false; order.len()];
                    below[at] = true;
                    (at + 1..order.len()).for_each(|i| below[i] |= below[above[i]]);
                    best = Some((larger, (0..order.len()).filter(|&i| below[i]).map(|i| order[i]).collect()));
                }
            }
        }
        let (_, part) = best?;
        let new = self.add_area();
        part.into_iter().for_each(|region| self.shift(region, new));
        Some(new)
    }

    /// Gives a region on the border to the neighbouring area that is smallest with it, if that makes the
    /// larger of the two smaller. Returns the area that got it.
    fn give(&mut self, area: u32) -> Option<u32> {
        let size = self.size(area);
        let mut offers: Vec<(u64, u32, u32)> = Vec::new();
        for &region in &self.regions[area as usize] {
            let gift = self.people[region as usize];
            if gift == 0 || size - gift < self.k {
                continue;
            }
            for &next in self.graph.neighbours(region) {
                let other = self.area[next as usize];
                let larger = (self.size(other) + gift).max(size - gift);
                if other != area && larger < size {
                    offers.push((larger, region, other));
                }
            }
        }
        offers.sort_unstable();
        offers.dedup();
        let (_, region, other) = offers.into_iter().find(|&(_, region, _)| self.holds_without(region))?;
        self.shift(region, other);
        Some(other)
    }

    /// Whether the area of a region hangs together without it: whether those of its neighbours that are in
    /// the area still reach each other. On a map they mostly do in a few steps.
    fn holds_without(&mut self, region: u32) -> bool {
        let area = self.area[region as usize];
        let inside = |r: &&u32| self.area[**r as usize] == area;
        let near: Vec<u32> = self.graph.neighbours(region).iter().filter(inside).copied().collect();
        let Some(&first) = near.first() else { return false };
        self.round += 1;
        self.seen[region as usize] = self.round;
        self.seen[first as usize] = self.round;
        let mut missing = near.len() - 1;
        let mut queue = VecDeque::from([first]);
        while let (Some(at), true) = (queue.pop_front(), missing > 0) {
            for &next in self.graph.neighbours(at) {
                if self.area[next as usize] == area && self.seen[next as usize] != self.round {
                    self.seen[next as usize] = self.round;
                    missing -= usize::from(near.binary_search(&next).is_ok());
                    queue.push_back(next);
                }
            }
        }
        missing == 0
    }

    /// A new area without regions.
    pub(super) fn add_area(&mut self) -> u32 {
        self.regions.push(Vec::new());
        self.sizes.push(0);
        self.regions.len() as u32 - 1
    }

    pub(super) fn shift(&mut self, region: u32, to: u32) {
        let from = std::mem::replace(&mut self.area[region as usize], to);
        self.regions[from as usize].retain(|&r| r != region);
        self.regions[to as usize].push(region);
        self.sizes[from as usize] -= self.people[region as usize];
        self.sizes[to as usize] += self.people[region as usize];
    }

    /// The regions of an area in the order of breadth from one, and the place of the one before each.
    fn grow(&self, root: u32, area: u32) -> (Vec<u32>, Vec<usize>) {
        let mut place: std::collections::BTreeMap<u32, usize> = [(root, 0)].into();
        let (mut order, mut above) = (vec![root], vec![0]);
        let mut queue = VecDeque::from([0usize]);
        while let Some(at) = queue.pop_front() {
            for &next in self.graph.neighbours(order[at]) {
                if self.area[next as usize] == area && !place.contains_key(&next) {
                    place.insert(next, order.len());
                    queue.push_back(order.len());
                    order.push(next);
                    above.push(at);
                }
            }
        }
        (order, above)
    }
}
