//! The largest flow through a network: Dinic's algorithm (1970).

/// A network of nodes and edges with capacities.
#[derive(Debug, Clone)]
pub struct Network {
    heads: Vec<u32>,
    /// Per edge: where it goes, the edge after it at the same node, and what can still flow. The edge back
    /// follows each.
    to: Vec<u32>,
    next: Vec<u32>,
    left: Vec<u64>,
}

const NONE: u32 = u32::MAX;

impl Network {
    /// So many nodes, and no edge.
    pub fn new(nodes: usize) -> Self {
        Self { heads: vec![NONE; nodes], to: Vec::new(), next: Vec::new(), left: Vec::new() }
    }

    /// Adds an edge; its number tells later what flows through it.
    pub fn add(&mut self, from: u32, to: u32, capacity: u64) -> usize {
        let edge = self.to.len();
        for (from, to, capacity) in [(from, to, capacity), (to, from, 0)] {
            self.next.push(self.heads[from as usize]);
            self.heads[from as usize] = self.to.len() as u32;
            self.to.push(to);
            self.left.push(capacity);
        }
        edge
    }

    /// What flows through an edge.
    pub fn through(&self, edge: usize) -> u64 {
        self.left[edge + 1]
    }

    /// Sends as much as can be from one node to another.
    pub fn send(&mut self, source: u32, sink: u32) -> u64 {
        let mut sent = 0;
        loop {
            let level = self.levels(source, sink);
            if level[sink as usize] == NONE {
                return sent;
            }
            let mut at = self.heads.clone();
            loop {
                let more = self.path(source, sink, &level, &mut at);
                if more == 0 {
                    break;
                }
                sent += more;
            }
        }
    }

    fn levels(&self, source: u32, sink: u32) -> Vec<u32> {
        let mut level = vec![NONE; self.heads.len()];
        level[source as usize] = 0;
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let mut edge = self.heads[node as usize];
            while edge != NONE {
                let to = self.to[edge as usize];
                if self.left[edge as usize] > 0 && level[to as usize] == NONE {
                    level[to as usize] = level[node as usize] + 1;
                    queue.push_back(to);
                }
                edge = self.next[edge as usize];
            }
            if level[sink as usize] != NONE {
                break;
            }
        }
        level
    }

    /// One path from level to level, and what it carries. Written as a loop: paths can be long.
    fn path(&mut self, source: u32, sink: u32, level: &[u32], at: &mut [u32]) -> u64 {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        while node != sink {
            let edge = at[node as usize];
            if edge == NONE {
                let Some(back) = path.pop() else { return 0 };
                node = self.to[back as usize ^ 1];
                at[node as usize] = self.next[back as usize];
                continue;
            }
            let to = self.to[edge as usize];
            if self.left[edge as usize] > 0 && level[to as usize] == level[node as usize] + 1 {
                path.push(edge);
                node = to;
            } else {
                at[node as usize] = self.next[edge as usize];
            }
        }
        let most = path.iter().map(|&e| self.left[e as usize]).min().unwrap_or(0);
        for edge in path {
            self.left[edge as usize] -= most;
            self.left[edge as usize ^ 1] += most;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_equals_the_smallest_cut() {
        let mut state = 4u64;
        let mut below = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let nodes = 2 + below(6) as u32;
            let mut network = Network::new(nodes as usize);
            let edges: Vec<(u32, u32, u64)> = (0..below(20))
                .map(|_| {
                    let [from, to] = [(); 2].map(|()| below(nodes.into()) as u32);
                    (from, to, below(5))
                })
                .collect();
            edges.iter().for_each(|&(from, to, capacity)| {
                network.add(from, to, capacity);
            });
            let cut = (0u32..1 << nodes)
                .filter(|side| side & 1 == 1 && side >> 1 & 1 == 0)
                .map(|side| {
                    let across =
                        |&&(from, to, _): &&(u32, u32, u64)| side >> from & 1 == 1 && side >> to & 1 == 0;
                    edges.iter().filter(across).map(|e| e.2).sum::<u64>()
                })
                .min()
                .unwrap();
            assert_eq!(network.send(0, 1), cut, "{edges:?}");
        }
    }
}
