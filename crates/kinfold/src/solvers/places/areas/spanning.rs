//! A spanning tree whose highest degree is at most one above the least possible (Fürer, Raghavachari 1994,
//! whom paper *geo* rests on for Theorem 1).
//!
//! Let d be the highest degree. Regions of degree d − 1 and more are *blocked*: without them the tree falls
//! into pieces. An edge between two pieces closes a circle in the tree. If a region of degree d is on it, the
//! edge takes the place of one there. If not, the edge could relieve every blocked region on the circle, so
//! these are blocked no longer, and the pieces along the circle become one. Where the end of an edge has
//! degree d − 1, it is relieved first, by the edge that was found for it; that stays within its own piece.
//! When no edge joins two pieces, every spanning tree must spend about d − 1 edges on each region still
//! blocked: none has a degree below d − 1.

use kinfold_model::regions::Graph;
use std::collections::VecDeque;

/// A spanning tree of every component of a graph, rooted at a leaf of it.
pub(crate) struct SpanningTree {
    /// The region above; a root is its own.
    parent: Vec<u32>,
    degree: Vec<u32>,
}

/// Every tree of three regions and more has a region of degree 2, so a degree of 3 is within one of the best.
const LOW_ENOUGH: u32 = 3;

impl SpanningTree {
    /// A tree whose highest degree is at most one above that of the best tree.
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut tree = Self::by_breadth(graph);
        while tree.highest_degree() > LOW_ENOUGH && Pass::new(graph, &mut tree).run() {}
        tree.root_at_leaves(graph);
        tree
    }

    /// The tree that breadth-first search finds; its degrees can be high.
    pub(super) fn by_breadth(graph: &Graph) -> Self {
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

    fn degree(&self, region: u32) -> u32 {
        self.degree[region as usize]
    }

    fn has(&self, a: u32, b: u32) -> bool {
        self.parent(a) == b || self.parent(b) == a
    }

    /// Puts the edge a–b in the place of the one above `lower`, which is on the way from a up.
    fn exchange(&mut self, [a, b]: [u32; 2], lower: u32) {
        let upper = self.parent(lower);
        self.degree[lower as usize] -= 1;
        self.degree[upper as usize] -= 1;
        self.degree[a as usize] += 1;
        self.degree[b as usize] += 1;
        // What hung from the edge that goes now hangs from the one that comes.
        let (mut region, mut above) = (a, b);
        loop {
            let next = std::mem::replace(&mut self.parent[region as usize], above);
            if region == lower {
                break;
            }
            (above, region) = (region, next);
        }
    }

    /// Makes a leaf of every tree its root: then nobody has more regions below than the degree less one.
    fn root_at_leaves(&mut self, graph: &Graph) {
        let component = graph.components();
        let mut rooted = vec![false; self.parent.len()];
        for leaf in 0..self.parent.len() as u32 {
            let own = component[leaf as usize] as usize;
            if self.degree(leaf) != 1 || std::mem::replace(&mut rooted[own], true) {
                continue;
            }
            let (mut region, mut above) = (leaf, leaf);
            loop {
                let next = std::mem::replace(&mut self.parent[region as usize], above);
                if next == region {
                    break;
                }
                (above, region) = (region, next);
            }
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

/// One pass over all edges. Until it changes the tree for the first time it follows the paper; after that it
/// goes on with what it knows as long as that turns out to be true, because starting anew after every change
/// would take too long. Degrees never rise to the highest, so every pass that changes something leaves fewer
/// regions of the highest degree; and a pass that changes nothing is the paper's proof.
struct Pass<'a> {
    graph: &'a Graph,
    tree: &'a mut SpanningTree,
    highest: u32,
    blocked: Vec<bool>,
    /// The edge that can relieve a region which was blocked.
    relief: Vec<Option<[u32; 2]>>,
    /// Pieces as trees that point to their first region.
    piece: Vec<u32>,
    edges: VecDeque<[u32; 2]>,
    /// The last walk that came by each region, and the number of that walk.
    seen: Vec<u32>,
    walk: u32,
}

impl<'a> Pass<'a> {
    fn new(graph: &'a Graph, tree: &'a mut SpanningTree) -> Self {
        let regions = graph.regions();
        let highest = tree.highest_degree();
        let edges = (0..regions as u32)
            .flat_map(|a| graph.neighbours(a).iter().filter(move |&&b| a < b).map(move |&b| [a, b]));
        Self {
            graph,
            highest,
            blocked: tree.degree.iter().map(|&degree| degree + 1 >= highest).collect(),
            relief: vec![None; regions],
            piece: (0..regions as u32).collect(),
            edges: edges.collect(),
            seen: vec![0; regions],
            walk: 0,
            tree,
        }
    }

    /// Whether some region of the highest degree lost an edge.
    fn run(mut self) -> bool {
        let mut changed = false;
        while let Some([a, b]) = self.edges.pop_front() {
            let open = !self.blocked[a as usize] && !self.blocked[b as usize];
            if !open || self.piece_of(a) == self.piece_of(b) {
                continue;
            }
            if self.tree.has(a, b) {
                self.join(a, b);
                continue;
            }
            let circle = self.circle(a, b);
            if circle.iter().any(|&region| self.tree.degree(region) == self.highest) {
                let highest = self.highest;
                changed |= self.relieve(a)
                    && self.relieve(b)
                    && self.lower([a, b], |tree, region| tree.degree(region) == highest);
                continue;
            }
            for &region in &circle {
                if std::mem::replace(&mut self.blocked[region as usize], false) {
                    self.relief[region as usize] = Some([a, b]);
                    let graph = self.graph;
                    self.edges.extend(graph.neighbours(region).iter().map(|&next| [region, next]));
                }
                self.join(a, region);
            }
        }
        changed
    }

    fn piece_of(&mut self, region: u32) -> u32 {
        let mut at = region;
        while self.piece[at as usize] != at {
            self.piece[at as usize] = self.piece[self.piece[at as usize] as usize];
            at = self.piece[at as usize];
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.piece_of(a), self.piece_of(b));
        self.piece[a.max(b) as usize] = a.min(b);
    }

    /// The regions on the way through the tree from one to the other, both included.
    fn circle(&mut self, a: u32, b: u32) -> Vec<u32> {
        let (left, right) = self.sides(a, b);
        left.into_iter().chain(right.into_iter().rev()).collect()
    }

    /// The ways up from two regions of a tree: from the one to where they meet, and from the other to just
    /// before.
    fn sides(&mut self, a: u32, b: u32) -> (Vec<u32>, Vec<u32>) {
        self.walk += 1;
        let (walk, tree) = (self.walk, &*self.tree);
        let mut ways = [vec![a], vec![b]];
        (self.seen[a as usize], self.seen[b as usize]) = (walk, walk);
        // Both go up in turn, until one comes to where the other was.
        for turn in (0..2).cycle() {
            let at = ways[turn][ways[turn].len() - 1];
            let above = tree.parent(at);
            if above == at {
                continue;
            }
            if self.seen[above as usize] == walk {
                // The other came by, and may have gone further.
                let [mut left, mut right] = ways;
                let (went, other) = if turn == 0 { (&mut left, &mut right) } else { (&mut right, &mut left) };
                let meeting = other.iter().position(|&region| region == above).unwrap_or(0);
                other.truncate(meeting);
                went.push(above);
                if turn == 1 {
                    left.extend(right.pop());
                }
                return (left, right);
            }
            self.seen[above as usize] = walk;
            ways[turn].push(above);
        }
        (Vec::new(), Vec::new())
    }

    fn is_low(&self, region: u32) -> bool {
        self.tree.degree(region) + 2 <= self.highest
    }

    /// Puts an edge in the place of one on its circle, at a region that `wanted` names. False if there is
    /// none, or an end of the edge has too high a degree.
    fn lower(&mut self, [a, b]: [u32; 2], wanted: impl Fn(&SpanningTree, u32) -> bool) -> bool {
        if self.tree.has(a, b) || !self.is_low(a) || !self.is_low(b) {
            return false;
        }
        let (left, right) = self.sides(a, b);
        let left_edges = left.len().saturating_sub(1);
        let sides = [([a, b], &left[..left_edges]), ([b, a], &right[..])];
        let mut best: Option<(u32, [u32; 2], u32)> = None;
        for (edge, side) in sides {
            for &lower in side {
                let ends = [lower, self.tree.parent(lower)];
                if ends.iter().any(|&end| wanted(self.tree, end)) {
                    // The other end is relieved, too: the higher, the better.
                    let gain = self.tree.degree(ends[0]) + self.tree.degree(ends[1]);
                    if best.is_none_or(|(most, ..)| gain > most) {
                        best = Some((gain, edge, lower));
                    }
                }
            }
        }
        best.map(|(_, edge, lower)| self.tree.exchange(edge, lower)).is_some()
    }

    /// Brings the degree of a region that is not blocked down to d − 2, if it is higher; false if what was
    /// known is true no longer.
    fn relieve(&mut self, region: u32) -> bool {
        // Ends of an edge are relieved before it is used; they were relieved by earlier edges, so this ends.
        let mut waiting = vec![(region, 0)];
        while let Some((region, stage)) = waiting.pop() {
            if self.is_low(region) {
                continue;
            }
            let Some([a, b]) = self.relief[region as usize] else { return false };
            if stage < 2 {
                waiting.extend([(region, stage + 1), ([a, b][stage], 0)]);
            } else if !self.lower([a, b], |_, end| end == region) {
                return false;
            }
        }
        true
    }
}
