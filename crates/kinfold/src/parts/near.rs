//! The nearest record to a group, exactly, without looking at all of them: a tree over the records
//! whose nodes know what every record below would add at least.
//!
//! A node keeps the lowest lanes and the union of bits of its records. A record below it raises a
//! group by at least Σ (lowest lane − group's lane) where that is positive, and by a step for every
//! column on which node and group share no label. What cannot beat the best found is not entered.
// Loops over a fixed number of lanes and words read best with the index, and unroll.
#![allow(clippy::needless_range_loop)]

use super::digest::{Digest, Digests};
use super::random::Random;
use kinfold_model::cost::RuleKind;
use kinfold_model::problem::Problem;

const LEAF: usize = 8;
const SAMPLED_PAIRS: usize = 24;
const NONE: u32 = u32::MAX;

pub(crate) struct Near<'d, const L: usize, const W: usize> {
    digests: &'d Digests<L, W>,
    nodes: Vec<Node<L, W>>,
    /// Records in the order of the leaves, and their digests beside each other.
    order: Vec<u32>,
    packed: Vec<Digest<L, W>>,
    leaf_of: Vec<u32>,
    dead: Vec<bool>,
    /// Per node and coded column, which labels lie below, by hash.
    blooms: Vec<u64>,
}

struct Node<const L: usize, const W: usize> {
    low: [i32; L],
    bits: [u64; W],
    start: u32,
    end: u32,
    /// The second child; the first follows its parent. None at a leaf.
    right: u32,
    parent: u32,
    alive: u32,
}

/// A group that looks for a neighbour: its union, and the codes of its members on every coded column.
pub(crate) struct Query<'q, const L: usize, const W: usize> {
    pub(crate) union: &'q Digest<L, W>,
    pub(crate) codes: &'q [Vec<u32>],
}

impl<'d, const L: usize, const W: usize> Near<'d, L, W> {
    pub(crate) fn new(problem: &Problem, digests: &'d Digests<L, W>) -> Self {
        let mut order: Vec<u32> = (0..problem.records() as u32).collect();
        let mut near = Self {
            digests,
            nodes: Vec::new(),
            order: Vec::new(),
            packed: Vec::new(),
            leaf_of: vec![0; order.len()],
            dead: vec![false; order.len()],
            blooms: Vec::new(),
        };
        let mut random = Random::new(0x6b69_6e66);
        near.build(problem, &mut order, 0, NONE, &mut random);
        near.packed = order.iter().map(|&r| *digests.of(r)).collect();
        near.order = order;
        near
    }

    fn build(
        &mut self,
        problem: &Problem,
        items: &mut [u32],
        offset: usize,
        parent: u32,
        random: &mut Random,
    ) -> u32 {
        let id = self.nodes.len() as u32;
        let (mut low, mut bits) = ([i32::MAX; L], [0; W]);
        for &record in items.iter() {
            let digest = self.digests.of(record);
            for l in 0..L {
                low[l] = low[l].min(digest.lanes[l]);
            }
            for w in 0..W {
                bits[w] |= digest.bits[w];
            }
        }
        for x in 0..self.digests.coded.len() {
            let all = |bloom, &record: &u32| bloom | bloom_bit(self.digests.code(record, x));
            self.blooms.push(items.iter().fold(0, all));
        }
        let (start, end) = (offset as u32, (offset + items.len()) as u32);
        self.nodes.push(Node { low, bits, start, end, right: NONE, parent, alive: items.len() as u32 });
        if let Some(middle) = (items.len() > LEAF).then(|| split(problem, items, random)).flatten() {
            let (left, right) = items.split_at_mut(middle);
            self.build(problem, left, offset, id, random);
            let right = self.build(problem, right, offset + middle, id, random);
            self.nodes[id as usize].right = right;
        } else {
            for &record in items.iter() {
                self.leaf_of[record as usize] = id;
            }
        }
        id
    }

    pub(crate) fn is_dead(&self, record: u32) -> bool {
        self.dead[record as usize]
    }

    /// The record is not to be found any more.
    pub(crate) fn kill(&mut self, record: u32) {
        self.dead[record as usize] = true;
        let mut node = self.leaf_of[record as usize];
        while node != NONE {
            self.nodes[node as usize].alive -= 1;
            node = self.nodes[node as usize].parent;
        }
    }

    /// The living record that raises the group least, and by how much.
    pub(crate) fn nearest(&self, query: &Query<'_, L, W>) -> Option<(i32, u32)> {
        let mut best = (i32::MAX, NONE);
        if self.nodes.first().is_some_and(|n| n.alive > 0) {
            self.search(
                0,
                query,
                &mut |rise, record| {
                    if rise < best.0 {
                        best = (rise, record);
                    }
                    best.0
                },
                i32::MAX,
            );
        }
        (best.1 != NONE).then_some(best)
    }

    /// The `count` records nearest to a record, nearest first, dead or alive, itself left out.
    pub(crate) fn neighbours(&self, record: u32, count: usize) -> Vec<(i32, u32)> {
        let codes: Vec<Vec<u32>> =
            (0..self.digests.coded.len()).map(|x| vec![self.digests.code(record, x)]).collect();
        let query = Query { union: self.digests.of(record), codes: &codes };
        let mut found: Vec<(i32, u32)> = Vec::with_capacity(count + 1);
        self.search(
            0,
            &query,
            &mut |rise, other| {
                if other != record {
                    let at = found.partition_point(|f| *f <= (rise, other));
                    found.insert(at, (rise, other));
                    found.truncate(count);
                }
                if found.len() == count { found[count - 1].0 } else { i32::MAX }
            },
            i32::MAX,
        );
        found
    }

    /// Offers every living record that could be better than the limit; `take` returns the new limit.
    fn search(
        &self,
        node: u32,
        query: &Query<'_, L, W>,
        take: &mut impl FnMut(i32, u32) -> i32,
        mut limit: i32,
    ) -> i32 {
        let n = &self.nodes[node as usize];
        if n.right == NONE {
            for i in n.start as usize..n.end as usize {
                let record = self.order[i];
                if self.dead[record as usize] {
                    continue;
                }
                let mut rise = self.digests.rise(query.union, &self.packed[i]);
                if rise < limit && !query.codes.is_empty() {
                    rise += self.coded_rise(query, record);
                }
                if rise < limit {
                    limit = take(rise, record);
                }
            }
            return limit;
        }
        let children = [node + 1, n.right];
        let bounds =
            children.map(|c| if self.nodes[c as usize].alive == 0 { i32::MAX } else { self.bound(c, query) });
        let first = usize::from(bounds[1] < bounds[0]);
        for i in [first, 1 - first] {
            if bounds[i] < limit {
                limit = self.search(children[i], query, take, limit);
            }
        }
        limit
    }

    fn coded_rise(&self, query: &Query<'_, L, W>, record: u32) -> i32 {
        let rise = |(x, codes): (usize, &Vec<u32>)| {
            let (column, code) = (&self.digests.coded[x], self.digests.code(record, x));
            if column.is_set() {
                if codes.contains(&code) { 0 } else { column.step() }
            } else {
                column.cost(codes.iter().copied().chain([code])) - column.cost(codes.iter().copied())
            }
        };
        query.codes.iter().enumerate().map(rise).sum()
    }

    /// What every record below a node adds at least.
    #[inline]
    fn bound(&self, node: u32, query: &Query<'_, L, W>) -> i32 {
        let n = &self.nodes[node as usize];
        let mut bound = 0;
        for l in 0..L {
            bound += (n.low[l] - query.union.lanes[l]).max(0);
        }
        for field in &self.digests.fields {
            if n.bits[field.word] & query.union.bits[field.word] & field.mask == 0 {
                bound += field.step;
            }
        }
        for (x, codes) in query.codes.iter().enumerate() {
            if self.digests.coded[x].is_set() {
                let bloom = self.blooms[node as usize * query.codes.len() + x];
                if codes.iter().all(|&c| bloom & bloom_bit(c) == 0) {
                    bound += self.digests.coded[x].step();
                }
            }
        }
        bound
    }
}

fn bloom_bit(code: u32) -> u64 {
    1 << (code.wrapping_mul(0x9e37_79b1) >> 26)
}

/// Parts the records on the column on which random pairs differ most; none if all are alike.
fn split(problem: &Problem, items: &mut [u32], random: &mut Random) -> Option<usize> {
    let pairs: Vec<(u32, u32)> = (0..SAMPLED_PAIRS)
        .map(|_| (items[random.below(items.len())], items[random.below(items.len())]))
        .collect();
    let spread = |c: usize| -> u64 {
        let rule = &problem.rules()[c];
        let cost = |&(a, b): &(u32, u32)| {
            rule.cost(&rule.cover([problem.codes(a)[c], problem.codes(b)[c]].into_iter())).0
        };
        pairs.iter().map(cost).sum()
    };
    let spreads: Vec<u64> = (0..problem.rules().len()).map(spread).collect();
    let mut columns: Vec<usize> = (0..spreads.len()).collect();
    columns.sort_by_key(|&c| (std::cmp::Reverse(spreads[c]), c));
    columns.into_iter().find_map(|c| part(problem, items, c))
}

/// Lines and trees at the median; labels by filling two halves, the commonest first.
fn part(problem: &Problem, items: &mut [u32], column: usize) -> Option<usize> {
    let mut codes: Vec<u32> = items.iter().map(|&r| problem.codes(r)[column]).collect();
    codes.sort_unstable();
    if codes.first() == codes.last() {
        return None;
    }
    let left: Box<dyn Fn(u32) -> bool> = if let RuleKind::Set { .. } = problem.rules()[column].kind() {
        let mut runs: Vec<(usize, u32)> =
            codes.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0])).collect();
        runs.sort_unstable_by_key(|&(length, code)| (std::cmp::Reverse(length), code));
        let (mut sizes, mut chosen) = ([0, 0], Vec::new());
        for (length, code) in runs {
            let side = usize::from(sizes[1] < sizes[0]);
            sizes[side] += length;
            if side == 0 {
                chosen.push(code);
            }
        }
        chosen.sort_unstable();
        Box::new(move |code| chosen.binary_search(&code).is_ok())
    } else {
        let median = codes[codes.len() / 2];
        // All up to the median, or all below it if the median is the highest.
        let last = if median == codes[codes.len() - 1] { median - 1 } else { median };
        Box::new(move |code| code <= last)
    };
    let (first, second): (Vec<u32>, Vec<u32>) = items.iter().partition(|&&r| left(problem.codes(r)[column]));
    items[..first.len()].copy_from_slice(&first);
    items[first.len()..].copy_from_slice(&second);
    Some(first.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::digest::Layout;
    use kinfold_model::cost::{ONE, Objective, Rule};
    use kinfold_model::problem::Parts;

    #[test]
    fn the_nearest_is_the_nearest_of_all() {
        let mut random = Random::new(17);
        for _ in 0..20 {
            let rules = vec![
                Rule::line((0..=20).map(|i| i * ONE / 20).collect(), false, ONE),
                Rule::set(5, ONE),
                Rule::set(1000, ONE),
                Rule::line(vec![0, ONE / 2, ONE], true, ONE),
            ];
            let mut rows: Vec<Vec<u32>> = (0..300)
                .map(|_| rules.iter().map(|r| random.below(r.values().min(40) as usize) as u32).collect())
                .collect();
            rows.sort();
            rows.dedup();
            let parts = Parts {
                k: 2,
                objective: Objective::Ncp,
                record_of: (0..rows.len() as u32).collect(),
                codes: rows.concat(),
                rules,
                row_sizes: None,
                may_withhold: 0,
            };
            let problem = Problem::new(parts).unwrap();
            let digests = Digests::<4, 1>::new(&problem, &Layout::of(&problem));
            let mut near = Near::new(&problem, &digests);
            while let Some(seed) = (0..problem.records() as u32).find(|&r| !near.is_dead(r)) {
                let mut union = *digests.of(seed);
                let mut codes: Vec<Vec<u32>> =
                    (0..digests.coded.len()).map(|x| vec![digests.code(seed, x)]).collect();
                near.kill(seed);
                for _ in 0..3 {
                    let query = Query { union: &union, codes: &codes };
                    let rise = |r: u32| digests.rise(&union, digests.of(r)) + near.coded_rise(&query, r);
                    let least = (0..problem.records() as u32).filter(|&r| !near.is_dead(r)).map(rise).min();
                    let found = near.nearest(&query);
                    assert_eq!(found.map(|f| f.0), least);
                    let Some((_, record)) = found else { break };
                    near.kill(record);
                    union.join(digests.of(record));
                    for (x, list) in codes.iter_mut().enumerate() {
                        list.push(digests.code(record, x));
                    }
                }
            }
        }
    }
}
