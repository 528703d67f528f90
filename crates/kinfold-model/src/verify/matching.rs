//! The largest number of pairs between two sides: maximum flow in a bipartite graph (Dinic).

use crate::call::{Call, Stopped};

/// Which right nodes each left node may be paired with.
pub(super) struct Edges {
    /// Where each left node's edges start; one more entry than left nodes.
    pub(super) starts: Vec<usize>,
    /// The right ends.
    pub(super) to: Vec<u32>,
}

/// Pairs at most `left[i]` times node i on the left and `right[j]` times node j on the right.
pub(super) fn largest_matching(
    left: &[u64],
    right: &[u64],
    edges: &Edges,
    call: &Call,
) -> Result<u64, Stopped> {
    let mut flow = Flow::new(left, right, edges);
    let mut total = flow.greedy();
    while flow.levels() {
        total += flow.blocking(call)?;
    }
    Ok(total)
}

const FAR: u32 = u32::MAX;

struct Flow<'a> {
    edges: &'a Edges,
    /// What each node can still give or take.
    left: Vec<u64>,
    right: Vec<u64>,
    used: Vec<u64>,
    /// The edges at each right node, as (left node, edge).
    back: Vec<Vec<(u32, usize)>>,
    left_level: Vec<u32>,
    right_level: Vec<u32>,
    left_next: Vec<usize>,
    right_next: Vec<usize>,
}

impl<'a> Flow<'a> {
    fn new(left: &[u64], right: &[u64], edges: &'a Edges) -> Self {
        let mut back = vec![Vec::new(); right.len()];
        for from in 0..left.len() {
            for edge in edges.starts[from]..edges.starts[from + 1] {
                back[edges.to[edge] as usize].push((from as u32, edge));
            }
        }
        Self {
            edges,
            left: left.to_vec(),
            right: right.to_vec(),
            used: vec![0; edges.to.len()],
            back,
            left_level: vec![FAR; left.len()],
            right_level: vec![FAR; right.len()],
            left_next: vec![0; left.len()],
            right_next: vec![0; right.len()],
        }
    }

    /// A first flow: most pairs are found without looking further.
    fn greedy(&mut self) -> u64 {
        let mut total = 0;
        for from in 0..self.left.len() {
            for edge in self.edges.starts[from]..self.edges.starts[from + 1] {
                let to = self.edges.to[edge] as usize;
                let amount = self.left[from].min(self.right[to]);
                self.left[from] -= amount;
                self.right[to] -= amount;
                self.used[edge] += amount;
                total += amount;
            }
        }
        total
    }

    /// Distances from left nodes with something to give; whether a right node with room is in reach.
    fn levels(&mut self) -> bool {
        self.left_level.fill(FAR);
        self.right_level.fill(FAR);
        self.left_next.copy_from_slice(&self.edges.starts[..self.left.len()]);
        self.right_next.fill(0);
        let mut wave: Vec<u32> = (0..self.left.len() as u32).filter(|&l| self.left[l as usize] > 0).collect();
        for &l in &wave {
            self.left_level[l as usize] = 0;
        }
        let (mut level, mut reached) = (0, false);
        while !wave.is_empty() && !reached {
            let mut next = Vec::new();
            for &from in &wave {
                for edge in self.edges.starts[from as usize]..self.edges.starts[from as usize + 1] {
                    let to = self.edges.to[edge] as usize;
                    if self.right_level[to] != FAR {
                        continue;
                    }
                    self.right_level[to] = level + 1;
                    reached |= self.right[to] > 0;
                    for &(l, back) in &self.back[to] {
                        if self.used[back] > 0 && self.left_level[l as usize] == FAR {
                            self.left_level[l as usize] = level + 2;
                            next.push(l);
                        }
                    }
                }
            }
            wave = next;
            level += 2;
        }
        reached
    }

    /// Pushes along shortest paths until none is left.
    fn blocking(&mut self, call: &Call) -> Result<u64, Stopped> {
        let mut total = 0;
        for source in 0..self.left.len() {
            call.check()?;
            while self.left[source] > 0 && self.left_level[source] == 0 {
                match self.push_from(source) {
                    0 => break,
                    amount => total += amount,
                }
            }
        }
        Ok(total)
    }

    /// One path from `source`, with an explicit stack: paths can be as long as the table.
    fn push_from(&mut self, source: usize) -> u64 {
        // Forward edges at even places, backward edges at odd ones.
        let mut path: Vec<usize> = Vec::new();
        let mut node = source;
        loop {
            // At a left node: find a forward edge.
            let end = self.edges.starts[node + 1];
            let mut stepped = false;
            while self.left_next[node] < end {
                let edge = self.left_next[node];
                let to = self.edges.to[edge] as usize;
                if self.right_level[to] == self.left_level[node] + 1 {
                    if self.right[to] > 0 {
                        path.push(edge);
                        return self.apply(source, to, &path);
                    }
                    if let Some((left, back)) = self.step_back(to) {
                        path.extend([edge, back]);
                        node = left;
                        stepped = true;
                        break;
                    }
                }
                self.left_next[node] += 1;
            }
            if stepped {
                continue;
            }
            // Dead end: the edge back to this node is spent for this phase.
            let Some(back) = path.pop() else { return 0 };
            let forward = path.pop().unwrap_or(back);
            let right = self.edges.to[back] as usize;
            self.right_next[right] += 1;
            node = self.edges.starts.partition_point(|&s| s <= forward) - 1;
        }
    }

    fn step_back(&mut self, right: usize) -> Option<(usize, usize)> {
        while let Some(&(left, edge)) = self.back[right].get(self.right_next[right]) {
            if self.used[edge] > 0 && self.left_level[left as usize] == self.right_level[right] + 1 {
                return Some((left as usize, edge));
            }
            self.right_next[right] += 1;
        }
        None
    }

    fn apply(&mut self, source: usize, sink: usize, path: &[usize]) -> u64 {
        let least_back = path.iter().skip(1).step_by(2).map(|&e| self.used[e]).min().unwrap_or(u64::MAX);
        let amount = self.left[source].min(self.right[sink]).min(least_back);
        for (i, &edge) in path.iter().enumerate() {
            if i % 2 == 0 { self.used[edge] += amount } else { self.used[edge] -= amount }
        }
        self.left[source] -= amount;
        self.right[sink] -= amount;
        amount
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
        }
    }
}
