//! Finds the records near a record: a tree that halves the records by the codes of one column after another.
//!
//! A node knows the least and the greatest code of its records in every column. What lies between a record
//! and a run of codes is never less than what lies between it and the nearer end of the run, on lines, in
//! trees (an earlier leaf needs a node at least as wide) and among labels; so whole nodes are passed over.

use super::boxes::Space;

/// Records in a leaf.
const LEAF: usize = 12;

pub(super) struct RangeTree {
    nodes: Vec<Node>,
    /// Records in the order of the leaves.
    records: Vec<u32>,
    /// Least and greatest code per node and column.
    ranges: Vec<(u32, u32)>,
    columns: usize,
}

struct Node {
    from: u32,
    to: u32,
    /// Number of the second half; the first half follows its parent. 0 at a leaf.
    second: u32,
}

impl RangeTree {
    pub(super) fn new(space: &Space<'_>) -> Self {
        let records: Vec<u32> = (0..space.records()).filter(|&r| space.people[r as usize] > 0).collect();
        let columns = space.rules().len();
        let mut tree = Self { nodes: Vec::new(), records, ranges: Vec::new(), columns };
        tree.build(space, 0, tree.records.len());
        tree
    }

    fn build(&mut self, space: &Space<'_>, from: usize, to: usize) {
        let node = self.nodes.len();
        self.nodes.push(Node { from: from as u32, to: to as u32, second: 0 });
        let mut widest: Option<(u64, usize)> = None;
        for (column, rule) in space.rules().iter().enumerate() {
            let codes = || self.records[from..to].iter().map(|&r| space.codes(r)[column]);
            let (low, high) = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
            self.ranges.push((low, high));
            let width = rule.between(low, high).0;
            if low < high && widest.is_none_or(|(w, _)| width > w) {
                widest = Some((width, column));
            }
        }
        let Some((_, column)) = widest.filter(|_| to - from > LEAF) else { return };
        let code = |r: &u32| space.codes(*r)[column];
        self.records[from..to].sort_unstable_by_key(|r| (code(r), *r));
        // The halves share no code, or both would be as wide as the whole.
        let middle = code(&self.records[(from + to) / 2]);
        let run = &self.records[from..to];
        let mut cut = from + run.partition_point(|r| code(r) < middle);
        if cut == from {
            cut = from + run.partition_point(|r| code(r) <= middle);
        }
        self.build(space, from, cut);
        self.nodes[node].second = self.nodes.len() as u32;
        self.build(space, cut, to);
    }

    /// The least that can lie between a record and a node.
    #[inline]
    fn distance(&self, space: &Space<'_>, codes: &[u32], node: usize) -> u64 {
        let ranges = &self.ranges[node * self.columns..][..self.columns];
        let mut sum = 0;
        for ((rule, &code), &(low, high)) in space.rules().iter().zip(codes).zip(ranges) {
            sum += rule.between(code, code.clamp(low, high)).0;
        }
        sum
    }

    /// See [`Space::within`].
    pub(super) fn within(
        &self,
        space: &Space<'_>,
        record: u32,
        mut radius: u64,
        mut visit: impl FnMut(u32, u64) -> u64,
    ) {
        let codes = space.codes(record);
        let mut open = vec![(0u64, 0usize)];
        while let Some((distance, node)) = open.pop() {
            if distance >= radius {
                continue;
            }
            let Node { from, to, second } = self.nodes[node];
            if second == 0 {
                for &other in &self.records[from as usize..to as usize] {
                    if other != record {
                        let apart = space.apart(record, other);
                        if apart < radius {
                            radius = visit(other, apart);
                        }
                    }
                }
                continue;
            }
            let (first, second) = (node + 1, second as usize);
            let near = (self.distance(space, codes, first), first);
            let far = (self.distance(space, codes, second), second);
            // The nearer half comes last onto the pile, to be looked at first.
            open.extend(if near.0 <= far.0 { [far, near] } else { [near, far] });
        }
    }
}
