//! The largest number of pairs between two sides: those with the fewest choices are paired first, and what
//! is left over by paths that change pairs (Dinic 1970).

use crate::call::{Call, Stopped};
use crate::members::Members;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Which right nodes each left node may be paired with.
pub(super) struct Edges {
    /// Where each left node's edges start; one more entry than left nodes.
    pub(super) starts: Vec<usize>,
    pub(super) to: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// So many classes at most are kept together in a group; who takes from more is wide, and takes what is left.
const CLASSES: usize = 8;

/// How many pairs there can be: at most `left[i]` with node i on the left and `right[j]` with node j on the
/// right.
pub(super) fn largest_matching(
    left: &[u64],
    right: &[u64],
    edges: &Edges,
    call: &Call,
) -> Result<u64, Stopped> {
    Ok(largest_pairing(left, right, edges, vec![0; edges.to.len()], call)?.iter().sum())
}

/// The same, as the number of pairs that every edge stands for. Pairs to start with are changed only where that
/// makes more of them.
pub(super) fn largest_pairing(
    left: &[u64],
    right: &[u64],
    edges: &Edges,
    start: Vec<u64>,
    call: &Call,
) -> Result<Vec<u64>, Stopped> {
    let mut pairing = Pairing::new(left, right, edges);
    for (edge, &pairs) in start.iter().enumerate() {
        pairing.left[pairing.from[edge] as usize] -= pairs;
        pairing.right[edges.to[edge] as usize] -= pairs;
    }
    pairing.paired = start;
    pairing.pair_at_once();
    while pairing.find_levels(call)? {
        for node in 0..left.len() as u32 {
            while pairing.left[node as usize] > 0 {
                call.check()?;
                if !pairing.change_pairs(node) {
                    break;
                }
            }
        }
    }
    Ok(pairing.paired)
}

/// Pairs to start with, in which nodes of one class on the right are paired with one group on the left where
/// there are enough of them: every group takes from the class that can give it most, the smallest of those.
pub(super) fn keep_together(
    left: &[u64],
    right: &[u64],
    edges: &Edges,
    group_of: &[u32],
    class_of: &[u32],
    call: &Call,
) -> Result<Vec<u64>, Stopped> {
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    let mut paired = vec![0; edges.to.len()];
    let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    (0..left.len()).for_each(|node| members.entry(group_of[node]).or_default().push(node));
    let mut room: BTreeMap<u32, u64> = BTreeMap::new();
    class_of.iter().zip(&right).for_each(|(&class, &rows)| *room.entry(class).or_default() += rows);
    let choices = |nodes: &[usize]| -> usize {
        nodes.iter().map(|&node| edges.starts[node + 1] - edges.starts[node]).sum()
    };
    let mut groups: Vec<Vec<usize>> = members.into_values().collect();
    groups.sort_by_key(|nodes| choices(nodes));
    for nodes in groups {
        for _ in 0..CLASSES {
            call.check()?;
            // What every class can give to this group.
            let mut gives: BTreeMap<u32, u64> = BTreeMap::new();
            for &node in &nodes {
                let mut of_node: BTreeMap<u32, u64> = BTreeMap::new();
                for &to in &edges.to[edges.starts[node]..edges.starts[node + 1]] {
                    *of_node.entry(class_of[to as usize]).or_default() += right[to as usize];
                }
                of_node
                    .into_iter()
                    .for_each(|(class, n)| *gives.entry(class).or_default() += n.min(left[node]));
            }
            let best = gives.into_iter().filter(|(_, gives)| *gives > 0);
            let Some((class, _)) = best.max_by_key(|&(class, gives)| (gives, Reverse((room[&class], class))))
            else {
                break;
            };
            for &node in &nodes {
                let own = edges.starts[node]..edges.starts[node + 1];
                for (paired, &to) in paired[own.clone()].iter_mut().zip(&edges.to[own]) {
                    let to = to as usize;
                    if class_of[to] == class {
                        let pairs = left[node].min(right[to]);
                        (left[node], right[to]) = (left[node] - pairs, right[to] - pairs);
                        *paired += pairs;
                        room.entry(class).and_modify(|room| *room -= pairs);
                    }
                }
            }
        }
    }
    Ok(paired)
}

struct Pairing<'a> {
    edges: &'a Edges,
    from: Vec<u32>,
    /// The edges of every right node.
    back: Members,
    /// What is still to be paired on both sides, and what every edge pairs.
    left: Vec<u64>,
    right: Vec<u64>,
    paired: Vec<u64>,
    /// How far each node is from a left node that is not paired, and the edge to go on with.
    level_left: Vec<u32>,
    level_right: Vec<u32>,
    at_left: Vec<usize>,
    at_right: Vec<u32>,
}

impl<'a> Pairing<'a> {
    fn new(left: &[u64], right: &[u64], edges: &'a Edges) -> Self {
        let mut from = Vec::with_capacity(edges.to.len());
        for (node, ends) in (0u32..).zip(edges.starts.windows(2)) {
            from.resize(from.len() + ends[1] - ends[0], node);
        }
        let back = Members::new(right.len(), (0u32..).zip(edges.to.iter().copied()));
        Self {
            edges,
            from,
            back,
            left: left.to_vec(),
            right: right.to_vec(),
            paired: vec![0; edges.to.len()],
            level_left: Vec::new(),
            level_right: Vec::new(),
            at_left: Vec::new(),
            at_right: Vec::new(),
        }
    }

    /// Pairs the left nodes with the fewest choices first, each with right nodes that have the fewest.
    fn pair_at_once(&mut self) {
        let choices = |node: u32| {
            let ends = &self.edges.to[self.edges.starts[node as usize]..self.edges.starts[node as usize + 1]];
            ends.iter().map(|&to| self.right[to as usize]).sum::<u64>()
        };
        let mut order: Vec<(u64, u32)> =
            (0..self.left.len() as u32).map(|node| (choices(node), node)).collect();
        order.sort_unstable();
        let mut own: Vec<(usize, usize)> = Vec::new();
        for (_, node) in order {
            let ends = self.edges.starts[node as usize]..self.edges.starts[node as usize + 1];
            own.clear();
            own.extend(ends.map(|edge| {
                let to = self.edges.to[edge];
                (self.back.of(to).len(), edge)
            }));
            own.sort_unstable();
            for &(_, edge) in &own {
                let to = self.edges.to[edge] as usize;
                let pairs = self.left[node as usize].min(self.right[to]);
                self.left[node as usize] -= pairs;
                self.right[to] -= pairs;
                self.paired[edge] += pairs;
            }
        }
    }

    /// How far every node is from the left nodes that are not paired; false if no free right node can be
    /// reached.
    fn find_levels(&mut self, call: &Call) -> Result<bool, Stopped> {
        self.level_left = self.left.iter().map(|&open| if open > 0 { 0 } else { NONE }).collect();
        self.level_right = vec![NONE; self.right.len()];
        self.at_left = self.edges.starts.clone();
        self.at_right = vec![0; self.right.len()];
        let mut now: Vec<u32> =
            (0..self.left.len() as u32).filter(|&node| self.left[node as usize] > 0).collect();
        let (mut level, mut found) = (0, false);
        while !now.is_empty() && !found {
            let mut reached = Vec::new();
            for &node in &now {
                call.check()?;
                for edge in self.edges.starts[node as usize]..self.edges.starts[node as usize + 1] {
                    let to = self.edges.to[edge];
                    if self.level_right[to as usize] == NONE {
                        self.level_right[to as usize] = level + 1;
                        found |= self.right[to as usize] > 0;
                        reached.push(to);
                    }
                }
            }
            now.clear();
            for to in reached {
                for &edge in self.back.of(to) {
                    let node = self.from[edge as usize];
                    if self.paired[edge as usize] > 0 && self.level_left[node as usize] == NONE {
                        self.level_left[node as usize] = level + 2;
                        now.push(node);
                    }
                }
            }
            level += 2;
        }
        Ok(found)
    }

    /// Pairs a left node more often, by a path from level to level; false if there is none.
    fn change_pairs(&mut self, start: u32) -> bool {
        // Edges to the right and back, by turns.
        let mut path: Vec<u32> = Vec::new();
        let mut node = start;
        let last = loop {
            let edge = self.at_left[node as usize];
            if edge == self.edges.starts[node as usize + 1] {
                // Nowhere to go: back to the right node that led here.
                let Some(led) = path.pop() else { return false };
                self.at_right[self.edges.to[led as usize] as usize] += 1;
                node = self.go_back(&mut path);
                continue;
            }
            let to = self.edges.to[edge] as usize;
            if self.level_right[to] != self.level_left[node as usize] + 1 {
                self.at_left[node as usize] += 1;
                continue;
            }
            path.push(edge as u32);
            if self.right[to] > 0 {
                break to;
            }
            node = self.go_back(&mut path);
        };
        let back = path.iter().skip(1).step_by(2).map(|&edge| self.paired[edge as usize]);
        let pairs = back.chain([self.left[start as usize], self.right[last]]).min().unwrap_or(0);
        for (turn, &edge) in path.iter().enumerate() {
            let paired = &mut self.paired[edge as usize];
            *paired = if turn % 2 == 0 { *paired + pairs } else { *paired - pairs };
        }
        self.left[start as usize] -= pairs;
        self.right[last] -= pairs;
        true
    }

    /// From the right end of a path back to a left node that is paired with it. Where nothing can be reached, the last
    /// edge is passed over.
    fn go_back(&mut self, path: &mut Vec<u32>) -> u32 {
        if let Some(&last) = path.last() {
            let to = self.edges.to[last as usize];
            let (own, to) = (self.back.of(to), to as usize);
            while let Some(&back) = own.get(self.at_right[to] as usize) {
                let node = self.from[back as usize];
                if self.paired[back as usize] > 0
                    && self.level_left[node as usize] == self.level_right[to] + 1
                {
                    path.push(back);
                    return node;
                }
                self.at_right[to] += 1;
            }
        }
        let node = path.pop().map_or(0, |edge| self.from[edge as usize]);
        self.at_left[node as usize] += 1;
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit copies and plain augmenting paths: slow, obvious.
    fn brute(left: &[u64], right: &[u64], edges: &Edges) -> u64 {
        let copies = |caps: &[u64]| -> Vec<usize> {
            caps.iter().enumerate().flat_map(|(i, &c)| std::iter::repeat_n(i, c as usize)).collect()
        };
        let (ls, rs) = (copies(left), copies(right));
        let mut partner: Vec<Option<usize>> = vec![None; rs.len()];
        fn augment(
            l: usize,
            ls: &[usize],
            rs: &[usize],
            edges: &Edges,
            seen: &mut [bool],
            partner: &mut [Option<usize>],
        ) -> bool {
            let allowed = &edges.to[edges.starts[ls[l]]..edges.starts[ls[l] + 1]];
            for r in 0..rs.len() {
                if !seen[r] && allowed.contains(&(rs[r] as u32)) {
                    seen[r] = true;
                    if partner[r].is_none_or(|p| augment(p, ls, rs, edges, seen, partner)) {
                        partner[r] = Some(l);
                        return true;
                    }
                }
            }
            false
        }
        (0..ls.len())
            .filter(|&l| augment(l, &ls, &rs, edges, &mut vec![false; rs.len()], &mut partner))
            .count() as u64
    }

    #[test]
    fn equals_plain_augmenting_paths_on_random_graphs() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let left: Vec<u64> = (0..1 + random(7)).map(|_| random(4)).collect();
            let right: Vec<u64> = (0..1 + random(7)).map(|_| random(4)).collect();
            let mut edges = Edges { starts: vec![0], to: Vec::new() };
            for _ in &left {
                edges.to.extend((0..right.len() as u32).filter(|_| random(3) == 0));
                edges.starts.push(edges.to.len());
            }
            let found = largest_matching(&left, &right, &edges, &Call::new());
            assert_eq!(found, Ok(brute(&left, &right, &edges)));
            let mut start = vec![0; edges.to.len()];
            let (mut open, mut room) = (left.clone(), right.clone());
            for (node, ends) in edges.starts.windows(2).enumerate() {
                let own = ends[0]..ends[1];
                for (pairs, &to) in start[own.clone()].iter_mut().zip(&edges.to[own]) {
                    *pairs = random(3).min(open[node]).min(room[to as usize]);
                    open[node] -= *pairs;
                    room[to as usize] -= *pairs;
                }
            }
            let pairs = largest_pairing(&left, &right, &edges, start, &Call::new()).unwrap();
            assert_eq!(Ok(pairs.iter().sum()), found);
            let mut taken = vec![0; right.len()];
            for (node, ends) in edges.starts.windows(2).enumerate() {
                assert!(pairs[ends[0]..ends[1]].iter().sum::<u64>() <= left[node]);
            }
            edges.to.iter().zip(&pairs).for_each(|(&to, pairs)| taken[to as usize] += pairs);
            assert!(taken.iter().zip(&right).all(|(taken, room)| taken <= room));
        }
    }
}
