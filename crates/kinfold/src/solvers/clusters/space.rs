//! Records in their metric, with a tree that finds who is near: distances are worked out when asked for,
//! never all of them.
//!
//! The tree is a vantage-point tree (Yianilos 1993): a node holds a record, and how near and far those on
//! either side of it are from that record. The triangle inequality then says which side a ball can reach, and
//! whether it holds all of it.

use crate::{Run, Stopped};
use kinfold_model::Problem;
use kinfold_model::metric::Metric;
use std::collections::BinaryHeap;

/// Records as places in a metric.
pub(crate) struct Space<'p> {
    problem: &'p Problem,
    metric: &'p Metric,
    width: usize,
    places: Vec<i64>,
}

impl<'p> Space<'p> {
    pub(crate) fn new(problem: &'p Problem) -> Self {
        let metric = &problem.clusters().metric;
        let mut places = Vec::with_capacity(problem.records() * metric.width());
        for record in 0..problem.records() as u32 {
            metric.place(problem.codes(record), &mut places);
        }
        Self { problem, metric, width: metric.width(), places }
    }

    pub(crate) fn problem(&self) -> &'p Problem {
        self.problem
    }

    pub(crate) fn records(&self) -> usize {
        self.problem.records()
    }

    /// How many rows are copies of a record.
    #[inline]
    pub(crate) fn size(&self, record: u32) -> u64 {
        self.problem.record_size(record)
    }

    #[inline]
    fn place(&self, record: u32) -> &[i64] {
        &self.places[record as usize * self.width..][..self.width]
    }

    #[inline]
    pub(crate) fn distance(&self, a: u32, b: u32) -> u64 {
        self.metric.between(self.place(a), self.place(b))
    }
}

/// As many records as are looked through one by one.
const LEAF: usize = 12;

#[derive(Debug, Clone, Copy)]
struct Node {
    record: u32,
    /// Its own and all below it: a run of `order`.
    start: u32,
    end: u32,
    people: u64,
    /// The two sides: how near and far from `record`, and their nodes.
    near: [u64; 2],
    far: [u64; 2],
    below: [u32; 2],
}

const NONE: u32 = u32::MAX;

/// What is within a distance: a record, or all that is below a node.
enum Hit<'t> {
    One(u32),
    All(&'t Node),
}

/// Finds records near a record.
pub(crate) struct Tree<'s, 'p> {
    pub(crate) space: &'s Space<'p>,
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl<'s, 'p> Tree<'s, 'p> {
    /// A tree over these records.
    pub(crate) fn new(space: &'s Space<'p>, records: Vec<u32>) -> Self {
        let mut tree = Self { space, nodes: Vec::new(), order: records };
        let end = tree.order.len();
        let mut keyed = Vec::new();
        if end > 0 {
            tree.build(0, end, &mut keyed);
        }
        tree
    }

    /// How many records it holds.
    pub(crate) fn records(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn of_all(space: &'s Space<'p>) -> Self {
        Self::new(space, (0..space.records() as u32).collect())
    }

    fn build(&mut self, start: usize, end: usize, keyed: &mut Vec<(u64, u32)>) -> u32 {
        let number = self.nodes.len() as u32;
        let people = self.order[start..end].iter().map(|&r| self.space.size(r)).sum();
        let empty = Node {
            record: self.order[start],
            start: start as u32,
            end: end as u32,
            people,
            near: [0; 2],
            far: [0; 2],
            below: [NONE; 2],
        };
        self.nodes.push(empty);
        if end - start <= LEAF {
            return number;
        }
        // Someone at the rim sees the others at many distances.
        let middle = self.order[start + (end - start) / 2];
        let rim =
            (start..end).max_by_key(|&at| (self.space.distance(middle, self.order[at]), at)).unwrap_or(start);
        self.order.swap(start, rim);
        let record = self.order[start];
        keyed.clear();
        keyed.extend(self.order[start + 1..end].iter().map(|&r| (self.space.distance(record, r), r)));
        let half = keyed.len() / 2;
        keyed.select_nth_unstable(half);
        self.order[start + 1..end].iter_mut().zip(keyed.iter()).for_each(|(slot, &(_, r))| *slot = r);
        let ends = |part: &[(u64, u32)]| {
            let distances = part.iter().map(|&(d, _)| d);
            (distances.clone().min().unwrap_or(0), distances.max().unwrap_or(0))
        };
        let ((near, far), (near_out, far_out)) = (ends(&keyed[..half]), ends(&keyed[half..]));
        let cut = start + 1 + half;
        let below = [self.build(start + 1, cut, keyed), self.build(cut, end, keyed)];
        let node = &mut self.nodes[number as usize];
        (node.record, node.near, node.far, node.below) = (record, [near, near_out], [far, far_out], below);
        number
    }

    /// Calls with every record within a distance of this one (itself too, if it is in the tree).
    pub(crate) fn within(&self, centre: u32, reach: u64, mut found: impl FnMut(u32)) {
        self.visit(centre, reach, |hit| match hit {
            Hit::One(record) => found(record),
            Hit::All(node) => {
                self.order[node.start as usize..node.end as usize].iter().for_each(|&r| found(r));
            }
        });
    }

    /// How many rows are within a distance.
    pub(crate) fn count(&self, centre: u32, reach: u64) -> u64 {
        let mut people = 0;
        self.visit(centre, reach, |hit| match hit {
            Hit::One(record) => people += self.space.size(record),
            Hit::All(node) => people += node.people,
        });
        people
    }

    /// Calls with all that is within a distance of a record.
    #[inline]
    fn visit(&self, centre: u32, reach: u64, mut found: impl FnMut(Hit<'_>)) {
        let mut stack: Vec<u32> = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            if node.below[0] == NONE {
                let records = self.order[node.start as usize..node.end as usize].iter();
                let within = records.filter(|&&r| self.space.distance(centre, r) <= reach);
                within.for_each(|&r| found(Hit::One(r)));
                continue;
            }
            let distance = self.space.distance(centre, node.record);
            if distance <= reach {
                found(Hit::One(node.record));
            }
            for side in 0..2 {
                if distance.saturating_add(node.far[side]) <= reach {
                    found(Hit::All(&self.nodes[node.below[side] as usize]));
                } else if distance <= reach.saturating_add(node.far[side])
                    && node.near[side] <= reach.saturating_add(distance)
                {
                    stack.push(node.below[side]);
                }
            }
        }
    }

    /// Looks through the records, nearest parts first, as long as they are nearer than what `visit` answers.
    fn search(&self, centre: u32, mut reach: u64, mut visit: impl FnMut(u32, u64) -> u64) {
        let mut queue: BinaryHeap<(std::cmp::Reverse<u64>, u32)> = BinaryHeap::new();
        if !self.nodes.is_empty() {
            queue.push((std::cmp::Reverse(0), 0));
        }
        while let Some((std::cmp::Reverse(least), number)) = queue.pop() {
            if least >= reach {
                return;
            }
            let node = &self.nodes[number as usize];
            if node.below[0] == NONE {
                for &record in &self.order[node.start as usize..node.end as usize] {
                    let distance = self.space.distance(centre, record);
                    if distance < reach {
                        reach = visit(record, distance);
                    }
                }
                continue;
            }
            let distance = self.space.distance(centre, node.record);
            if distance < reach {
                reach = visit(node.record, distance);
            }
            for side in 0..2 {
                let beyond = distance.saturating_sub(node.far[side]);
                let before = node.near[side].saturating_sub(distance);
                let least = least.max(beyond).max(before);
                if least < reach {
                    queue.push((std::cmp::Reverse(least), node.below[side]));
                }
            }
        }
    }

    /// The distance within which there are so many rows, the record's own among them.
    pub(crate) fn reach(&self, centre: u32, people: u64) -> u64 {
        let mut held = self.space.size(centre);
        if held >= people {
            return 0;
        }
        let mut nearest: BinaryHeap<(u64, u32)> = BinaryHeap::new();
        self.search(centre, u64::MAX, |record, distance| {
            if record != centre {
                nearest.push((distance, record));
                held += self.space.size(record);
                while let Some(&(_, furthest)) = nearest.peek() {
                    if held - self.space.size(furthest) < people {
                        break;
                    }
                    held -= self.space.size(furthest);
                    nearest.pop();
                }
            }
            if held >= people { nearest.peek().map_or(0, |&(distance, _)| distance) } else { u64::MAX }
        });
        nearest.peek().map_or(0, |&(distance, _)| distance)
    }

    /// The same for every record of the space.
    pub(crate) fn reaches(&self, people: u64, run: &Run) -> Result<Vec<u64>, Stopped> {
        run.each(0..self.space.records() as u32, |record| self.reach(record, people))
    }

    /// For every record of the space the radius of the least ball around some record that holds it: see
    /// [`least_ball`](Self::least_ball).
    pub(crate) fn least_balls(&self, own: &[u64], run: &Run) -> Result<Vec<u64>, Stopped> {
        run.each(0..own.len() as u32, |record| self.least_ball(record, own, own[record as usize]))
    }

    /// The least of the larger of a record's distance and what is said of it: how small a ball around some
    /// record may be that holds this one too. `known` is such a value already.
    pub(crate) fn least_ball(&self, record: u32, own: &[u64], known: u64) -> u64 {
        let mut best = known;
        self.search(record, known, |other, distance| {
            best = best.min(distance.max(own[other as usize]));
            best
        });
        best
    }

    /// The nearest record of the tree, and its distance; of several the first in number.
    pub(crate) fn nearest(&self, record: u32) -> Option<(u64, u32)> {
        let mut best: Option<(u64, u32)> = None;
        self.search(record, u64::MAX, |other, distance| {
            if best.is_none_or(|b| (distance, other) < b) {
                best = Some((distance, other));
            }
            // One beyond, so that equals are compared by number.
            best.map_or(u64::MAX, |(distance, _)| distance + 1)
        });
        best
    }
}
