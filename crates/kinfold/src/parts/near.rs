//! The nearest record to a group, exactly, without looking at all of them: a tree over the records
//! whose nodes know what every record below would add at least.
//!
//! A node keeps the lowest lanes and the union of bits of its records. A record below it raises a
//! group by at least Σ (lowest lane − group's lane) where that is positive, and by a step for every
//! column on which node and group share no label. What cannot beat the best found is not entered.
//!
//! With many columns a tree leaves out little, and looking at everything takes n² steps. Searches are given
//! so many leaves to look at, and then take the best that they have found and say so.
//!
//! Records are numbered anew in the order of the leaves, here called **places**: what is near in the table is
//! near in memory, and every part of the tree is a range of places.
// Loops over a fixed number of lanes and words read best with the index, and unroll.
#![allow(clippy::needless_range_loop)]

use super::digest::Digests;
use super::growing::Growing;
use super::random::Random;
use super::sorting::{Items, Sorting};
use kinfold_model::{Problem, Rule};
use std::ops::Range;

const LEAF: usize = 8;
const NONE: u32 = u32::MAX;
/// Leaves that each search for one nearest place adds to what may be looked at; on census tables they need 3
/// to 20.
const PATIENCE: u32 = 64;

pub(crate) struct Near<const L: usize, const W: usize> {
    /// By place.
    pub(crate) digests: Digests<L, W>,
    nodes: Vec<Node<L, W>>,
    /// The record at every place.
    pub(crate) records: Vec<u32>,
    /// Per node and coded column, the lowest and the highest code below.
    ranges: Vec<(u32, u32)>,
}

struct Node<const L: usize, const W: usize> {
    low: [i32; L],
    bits: [u64; W],
    /// The places below.
    start: u32,
    end: u32,
    /// The second child; the first follows its parent. None at a leaf.
    right: u32,
    parent: u32,
}

/// A part of the tree, and which of its places are still to be found.
pub(crate) struct Alive {
    root: u32,
    /// Living places below each node of the part.
    below: Vec<u32>,
    start: u32,
    leaf_of: Vec<u32>,
    /// Leaves that may still be looked at.
    patience: u32,
    rough: bool,
}

/// A place that looks for its neighbours.
struct Seeker<const L: usize, const W: usize> {
    place: u32,
    alone: Growing<L, W>,
    found: Vec<(i32, u32)>,
    limit: i32,
}

impl Alive {
    pub(crate) fn places(&self) -> Range<u32> {
        self.start..self.start + self.leaf_of.len() as u32
    }

    /// Searches may end with a place that is up to a third farther than the nearest.
    pub(crate) fn roughly(&mut self) {
        self.rough = true;
    }

    /// What a place must be nearer than to be looked for, when the best so far is this near.
    fn worth_looking(&self, best: i32) -> i32 {
        if self.rough { best - best / 4 } else { best }
    }

    pub(crate) fn is_dead(&self, place: u32) -> bool {
        self.leaf_of[(place - self.start) as usize] == NONE
    }

    fn any_below(&self, node: u32) -> bool {
        self.below[(node - self.root) as usize] > 0
    }
}

impl<const L: usize, const W: usize> Near<L, W> {
    pub(crate) fn new(problem: &Problem, digests: Digests<L, W>) -> Self {
        let mut near = Self { digests, nodes: Vec::new(), records: Vec::new(), ranges: Vec::new() };
        let mut sorting = Sorting::new(problem);
        near.build(problem.rules(), sorting.all(), 0, NONE, &mut Random::new(0x6b69_6e66));
        near.records = sorting.records;
        near.digests.reorder(&near.records);
        near.cover();
        near
    }

    /// Nodes for these records, whose places begin at `start`; what the nodes cover is told later.
    fn build(
        &mut self,
        rules: &[Rule],
        mut items: Items<'_>,
        start: usize,
        parent: u32,
        random: &mut Random,
    ) -> u32 {
        let (id, end) = (self.nodes.len() as u32, start + items.len());
        let (low, bits) = ([i32::MAX; L], [0; W]);
        self.nodes.push(Node { low, bits, start: start as u32, end: end as u32, right: NONE, parent });
        if let Some((.., middle)) = (items.len() > LEAF).then(|| items.split(rules, random)).flatten() {
            let (left, right) = items.split_at(middle);
            self.build(rules, left, start, id, random);
            let right = self.build(rules, right, start + middle, id, random);
            self.nodes[id as usize].right = right;
        }
        id
    }

    /// Tells every node what it covers, the last first: children follow their parents.
    fn cover(&mut self) {
        let coded = self.digests.coded.len();
        self.ranges = vec![(u32::MAX, 0); self.nodes.len() * coded];
        for id in (0..self.nodes.len()).rev() {
            let Node { mut low, mut bits, start, end, right, .. } = self.nodes[id];
            let mut add = |lanes: &[i32; L], words: &[u64; W]| {
                for l in 0..L {
                    low[l] = low[l].min(lanes[l]);
                }
                for w in 0..W {
                    bits[w] |= words[w];
                }
            };
            let ranges = if right == NONE {
                for place in start..end {
                    let digest = self.digests.of(place);
                    add(&digest.lanes, &digest.bits);
                }
                let codes = |x| (start..end).map(move |place| (place, x));
                let code = |(place, x)| self.digests.code(place, x);
                (0..coded).map(|x| codes(x).map(code).fold((u32::MAX, 0), |r, c| wider(r, (c, c)))).collect()
            } else {
                let children = [id + 1, right as usize];
                for child in children {
                    add(&self.nodes[child].low, &self.nodes[child].bits);
                }
                let [left, right] = children.map(|child| &self.ranges[child * coded..][..coded]);
                left.iter().zip(right).map(|(&l, &r)| wider(l, r)).collect::<Vec<_>>()
            };
            self.ranges[id * coded..][..coded].copy_from_slice(&ranges);
            (self.nodes[id].low, self.nodes[id].bits) = (low, bits);
        }
    }

    /// The largest parts of the tree that `small` accepts, all their places alive; leaves are always
    /// accepted.
    pub(crate) fn parts(&self, small: &impl Fn(Range<u32>) -> bool) -> Vec<Alive> {
        let mut parts = Vec::new();
        let mut node = 0u32;
        while (node as usize) < self.nodes.len() {
            let n = &self.nodes[node as usize];
            if n.right == NONE || small(n.start..n.end) {
                let part = self.part(node);
                node += part.below.len() as u32;
                parts.push(part);
            } else {
                node += 1;
            }
        }
        parts
    }

    /// The places of every leaf.
    pub(crate) fn leaves(&self) -> Vec<Range<u32>> {
        self.nodes.iter().filter(|n| n.right == NONE).map(|n| n.start..n.end).collect()
    }

    fn part(&self, root: u32) -> Alive {
        let top = &self.nodes[root as usize];
        let inside = self.nodes[root as usize..].iter().take_while(|n| n.end <= top.end);
        let (start, patience) = (top.start, PATIENCE * 1000);
        let mut part = Alive { root, below: Vec::new(), start, leaf_of: Vec::new(), patience, rough: false };
        for (id, n) in (root..).zip(inside) {
            part.below.push(n.end - n.start);
            if n.right == NONE {
                part.leaf_of.extend((n.start..n.end).map(|_| id));
            }
        }
        part
    }

    /// The place is not to be found any more.
    pub(crate) fn kill(&self, alive: &mut Alive, place: u32) {
        let mut node = std::mem::replace(&mut alive.leaf_of[(place - alive.start) as usize], NONE);
        while node != NONE && node >= alive.root {
            alive.below[(node - alive.root) as usize] -= 1;
            node = self.nodes[node as usize].parent;
        }
    }

    /// The place is to be found again.
    pub(crate) fn revive(&self, alive: &mut Alive, place: u32) {
        let mut node = alive.root;
        while self.nodes[node as usize].right != NONE {
            let right = self.nodes[node as usize].right;
            node = if place >= self.nodes[right as usize].start { right } else { node + 1 };
        }
        alive.leaf_of[(place - alive.start) as usize] = node;
        while node != NONE && node >= alive.root {
            alive.below[(node - alive.root) as usize] += 1;
            node = self.nodes[node as usize].parent;
        }
    }

    /// The living place that raises the group least, and by how much.
    pub(crate) fn nearest(&self, alive: &mut Alive, group: &Growing<L, W>) -> Option<(i32, u32)> {
        if alive.below.first().is_none_or(|&b| b == 0) {
            return None;
        }
        let mut best = (i32::MAX, NONE);
        let mut patience = alive.patience.saturating_add(PATIENCE);
        self.search(alive.root, group, alive, &mut best, &mut patience);
        alive.patience = patience;
        (best.1 != NONE).then_some(best)
    }

    /// The `count` places nearest to each of these places, nearest first, itself left out, and whether they
    /// surely are. They look together: what is too far from all of them is passed once. After so many leaves
    /// they take what they have found.
    pub(super) fn neighbours(
        &self,
        places: Range<u32>,
        count: usize,
        leaves: u32,
    ) -> (Vec<Vec<(i32, u32)>>, bool) {
        let mut together = Growing::new(&self.digests, places.start);
        places.clone().for_each(|place| together.join(&self.digests, place));
        let mut seekers: Vec<Seeker<L, W>> = places
            .map(|place| Seeker {
                place,
                alone: Growing::new(&self.digests, place),
                found: Vec::with_capacity(count + 1),
                limit: i32::MAX,
            })
            .collect();
        let mut until = (i32::MAX, leaves);
        self.visit(0, &together, &mut seekers, count, &mut until);
        (seekers.into_iter().map(|s| s.found).collect(), until.1 > 0)
    }

    /// Shows a node to all who seek. `until`: beyond what nobody looks any more, and how many leaves they may
    /// see.
    fn visit(
        &self,
        node: u32,
        together: &Growing<L, W>,
        seekers: &mut [Seeker<L, W>],
        count: usize,
        until: &mut (i32, u32),
    ) {
        let n = &self.nodes[node as usize];
        if n.right == NONE {
            for seeker in seekers.iter_mut() {
                let query = &seeker.alone;
                if self.bound(node, query) >= seeker.limit {
                    continue;
                }
                for place in (n.start..n.end).filter(|&p| p != seeker.place) {
                    let rise = self.rise(query, place, seeker.limit);
                    if rise < seeker.limit {
                        let at = seeker.found.partition_point(|f| *f <= (rise, place));
                        seeker.found.insert(at, (rise, place));
                        seeker.found.truncate(count);
                        if seeker.found.len() == count {
                            seeker.limit = seeker.found[count - 1].0;
                        }
                    }
                }
            }
            *until = (seekers.iter().map(|s| s.limit).max().unwrap_or(0), until.1.saturating_sub(1));
            return;
        }
        let children = [node + 1, n.right];
        let bounds = children.map(|c| self.bound(c, together));
        let first = usize::from(bounds[1] < bounds[0]);
        for i in [first, 1 - first] {
            // Who has not found enough yet goes on.
            if bounds[i] < until.0 && (until.1 > 0 || until.0 == i32::MAX) {
                self.visit(children[i], together, seekers, count, until);
            }
        }
    }

    /// Looks for a living place below a node that is better than the best.
    fn search(
        &self,
        node: u32,
        group: &Growing<L, W>,
        alive: &Alive,
        best: &mut (i32, u32),
        patience: &mut u32,
    ) {
        let n = &self.nodes[node as usize];
        if n.right == NONE {
            *patience = patience.saturating_sub(1);
            for place in (n.start..n.end).filter(|&place| !alive.is_dead(place)) {
                let rise = self.rise(group, place, best.0);
                if rise < best.0 {
                    *best = (rise, place);
                }
            }
            return;
        }
        let children = [node + 1, n.right];
        let bounds = children.map(|c| if alive.any_below(c) { self.bound(c, group) } else { i32::MAX });
        let first = usize::from(bounds[1] < bounds[0]);
        for i in [first, 1 - first] {
            if bounds[i] < alive.worth_looking(best.0) && (*patience > 0 || best.1 == NONE) {
                self.search(children[i], group, alive, best, patience);
            }
        }
    }

    /// By how much a place raises a group; if it is more than `limit`, coded columns may be left out.
    #[inline]
    pub(super) fn rise(&self, group: &Growing<L, W>, place: u32, limit: i32) -> i32 {
        let rise = group.rise(&self.digests, self.digests.of(place));
        if group.codes.is_empty() || rise >= limit {
            rise
        } else {
            rise + group.coded_rise(&self.digests, place)
        }
    }

    /// What every record below a node adds at least.
    #[inline]
    fn bound(&self, node: u32, query: &Growing<L, W>) -> i32 {
        let n = &self.nodes[node as usize];
        let mut shared = [0; W];
        for w in 0..W {
            shared[w] = n.bits[w] & query.union.bits[w];
        }
        let mut bound = query.lanes_rise(&self.digests, &n.low) + self.digests.unshared_cost(shared);
        for (x, codes) in query.codes.iter().enumerate() {
            let (low, high) = self.ranges[node as usize * query.codes.len() + x];
            bound += self.digests.coded[x].least_rise(codes, low, high);
        }
        bound
    }
}

/// The range of codes that holds both.
fn wider(one: (u32, u32), other: (u32, u32)) -> (u32, u32) {
    (one.0.min(other.0), one.1.max(other.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::digest::Layout;
    use kinfold_model::cost::{ONE, Objective};
    use kinfold_model::hierarchy::Hierarchy;
    use kinfold_model::problem::Parts;
    use std::sync::Arc;

    #[test]
    fn the_nearest_are_the_nearest_of_all() {
        let mut random = Random::new(17);
        for _ in 0..20 {
            let paths: Vec<String> = (0..40).map(|i| format!("{i};{};{};*", i / 3, i / 11)).collect();
            let tree = Hierarchy::parse(&paths.join("\n")).unwrap();
            let rules = vec![
                Rule::line((0..=20).map(|i| i * ONE / 20).collect(), false, ONE).unwrap(),
                Rule::set(5, ONE),
                Rule::set(1000, ONE),
                Rule::line(vec![0, ONE / 2, ONE], true, ONE).unwrap(),
                Rule::tree(Arc::new(tree.tree().clone()), ONE),
            ];
            let mut rows: Vec<Vec<u32>> = (0..300)
                .map(|_| rules.iter().map(|r| random.below(r.values().min(40) as usize) as u32).collect())
                .collect();
            rows.sort();
            rows.dedup();
            let record_of = (0..rows.len() as u32).collect();
            let parts = Parts::new(2, Objective::Ncp, rules, record_of, rows.concat());
            let problem = Problem::new(parts).unwrap();
            let near = Near::new(&problem, Digests::<8, 1>::new(&problem, &Layout::of(&problem)));
            let digests = &near.digests;
            let mut alive = near.parts(&|_| true).remove(0);
            while let Some(seed) = alive.places().find(|&p| !alive.is_dead(p)) {
                let mut group = Growing::new(digests, seed);
                near.kill(&mut alive, seed);
                for _ in 0..3 {
                    let rise = |p: u32| near.rise(&group, p, i32::MAX);
                    let least = alive.places().filter(|&p| !alive.is_dead(p)).map(rise).min();
                    let found = near.nearest(&mut alive, &group);
                    assert_eq!(found.map(|f| f.0), least);
                    let Some((_, place)) = found else { break };
                    near.kill(&mut alive, place);
                    group.join(digests, place);
                }
            }
            for leaf in near.leaves() {
                let (lists, sure) = near.neighbours(leaf.clone(), 5, 1000);
                assert!(sure);
                for (place, found) in leaf.zip(lists) {
                    let alone = Growing::new(digests, place);
                    let rise = |p: u32| near.rise(&alone, p, i32::MAX);
                    let mut all: Vec<i32> =
                        (0..digests.len() as u32).filter(|&p| p != place).map(rise).collect();
                    all.sort_unstable();
                    assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), all[..5]);
                }
            }
        }
    }
}
