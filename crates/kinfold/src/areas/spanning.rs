//! A spanning tree of low degree, by local improvement (Fürer, Raghavachari 1994): an edge that is not in the tree closes a circle;
//! if it passes through a region of high degree and the edge's own ends are of low degree, the edge takes the place of one at that region.

use kinfold_model::regions::Graph;
use std::collections::VecDeque;

/// A spanning tree of every component of a graph, rooted at a leaf of it.
pub(crate) struct SpanningTree {
    /// The region above; a root is its own.
    parent: Vec<u32>,
    degree: Vec<u32>,
}

impl SpanningTree {
    /// A tree whose largest degree is as low as local improvement gets it.
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut tree = Self::by_breadth(graph);
        let edges: Vec<(u32, u32)> = (0..graph.regions() as u32)
            .flat_map(|a| graph.neighbours(a).iter().filter(move |&&b| a < b).map(move |&b| (a, b)))
            .collect();
        loop {
            let highest = tree.highest_degree();
            // Below this, an improvement would have to be a path, and trees of degree 2 are rare.
            if highest <= 2 {
                break;
            }
            let mut improved = false;
            for &(a, b) in &edges {
                improved |= tree.improve(a, b, highest);
            }
            if !improved || tree.highest_degree() > highest {
                break;
            }
        }
        tree.root_at_leaves();
        tree
    }

    fn by_breadth(graph: &Graph) -> Self {
        const NONE: u32 = u32::MAX;
        let mut parent = vec![NONE; graph.regions()];
        let mut degree = vec![0; graph.regions()];
        for root in 0..graph.regions() as u32 {
            if parent[root as usize] != NONE {
                continue;
            }
            parent[root as usize] = root;
            let mut queue = VecDeque::from([root]);
            while let Some(region) = queue.pop_front() {
                for &next in graph.neighbours(region) {
                    if parent[next as usize] == NONE {
                        parent[next as usize] = region;
                        degree[region as usize] += 1;
                        degree[next as usize] += 1;
                        queue.push_back(next);
                    }
                }
            }
        }
        Self { parent, degree }
    }

    pub(crate) fn highest_degree(&self) -> u32 {
        self.degree.iter().copied().max().unwrap_or(0)
    }

    pub(crate) fn parent(&self, region: u32) -> u32 {
        self.parent[region as usize]
    }

    fn path_to_root(&self, region: u32) -> Vec<u32> {
        let mut path = vec![region];
        let mut at = region;
        while self.parent(at) != at {
            at = self.parent(at);
            path.push(at);
        }
        path
    }

    /// Puts an edge into the tree if that takes one away from a region of the highest degree, or of one less: both ends must be
    /// of a degree that is lower by two. True if a region of the highest degree lost one.
    fn improve(&mut self, a: u32, b: u32, highest: u32) -> bool {
        let ends = self.degree[a as usize].max(self.degree[b as usize]);
        if ends + 2 > highest || self.parent(a) == b || self.parent(b) == a {
            return false;
        }
        let (up_a, up_b) = (self.path_to_root(a), self.path_to_root(b));
        let shared = up_a.iter().rev().zip(up_b.iter().rev()).take_while(|(x, y)| x == y).count();
        // The circle: from a up to where the paths meet, and down to b. An edge of it is named by its lower end.
        let sides = [(a, &up_a[..up_a.len() - shared]), (b, &up_b[..up_b.len() - shared])];
        for (end, side) in sides {
            for (at, &lower) in side.iter().enumerate() {
                let upper = self.parent(lower);
                let degree = self.degree[lower as usize].max(self.degree[upper as usize]);
                if degree == highest && ends + 2 <= degree {
                    let other = if end == a { b } else { a };
                    self.degree[lower as usize] -= 1;
                    self.degree[upper as usize] -= 1;
                    self.degree[a as usize] += 1;
                    self.degree[b as usize] += 1;
                    // What hung from the edge that goes now hangs from the one that comes.
                    let turned: Vec<u32> = side[..=at].to_vec();
                    let mut above = other;
                    for region in turned {
                        self.parent[region as usize] = above;
                        above = region;
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Makes a leaf of every tree its root: then nobody has more regions below than the degree less one.
    fn root_at_leaves(&mut self) {
        let roots: Vec<u32> = (0..self.parent.len() as u32).filter(|&r| self.parent(r) == r).collect();
        // A leaf of each tree: the first region of degree one.
        let mut leaf_of = vec![None; self.parent.len()];
        for region in 0..self.parent.len() as u32 {
            if self.degree[region as usize] == 1
                && let Some(&root) = self.path_to_root(region).last()
            {
                leaf_of[root as usize].get_or_insert(region);
            }
        }
        for leaf in roots.into_iter().filter_map(|root| leaf_of[root as usize]) {
            let path = self.path_to_root(leaf);
            for pair in path.windows(2) {
                self.parent[pair[1] as usize] = pair[0];
            }
            self.parent[leaf as usize] = leaf;
        }
    }

    /// All regions, each before the one above it.
    pub(crate) fn upwards(&self) -> Vec<u32> {
        let mut below = vec![0u32; self.parent.len()];
        (0..self.parent.len() as u32)
            .filter(|&r| self.parent(r) != r)
            .for_each(|r| below[self.parent(r) as usize] += 1);
        let mut order: Vec<u32> = (0..self.parent.len() as u32).filter(|&r| below[r as usize] == 0).collect();
        let mut at = 0;
        while at < order.len() {
            let above = self.parent(order[at]);
            if above != order[at] {
                below[above as usize] -= 1;
                if below[above as usize] == 0 {
                    order.push(above);
                }
            }
            at += 1;
        }
        order
    }
}
