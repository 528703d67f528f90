//! Points with a place per column, found by boxes without a look at all of them (Bentley 1975).
//!
//! A box wants, per column, a place in one of some runs, or anything. The tree halves the points at the median of
//! the column that they are spread over most; a node knows the bounds of its points. So a box skips nodes that lie
//! outside it, and takes nodes that lie inside it as a whole.

use std::ops::Range;

/// Runs of places, ascending and apart: from the first to the second of each pair.
pub(crate) type Runs = Vec<(u32, u32)>;

/// A column that is asked for, by number, and the runs that are wanted there.
pub(crate) type Asked<'a> = (usize, &'a [(u32, u32)]);

/// So many points are looked at one by one.
const LEAF: usize = 8;

/// Points in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Points {
    columns: usize,
    /// Point by point, in the order of the tree.
    places: Vec<u32>,
    /// The numbers of the points, as the tree has them.
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// The lowest and the highest place under every node, column by column.
    bounds: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    from: u32,
    to: u32,
    /// The second half; the first follows its parent. 0 for a leaf.
    second: u32,
}

impl Points {
    /// With these places, point by point, so many per point as there are columns.
    pub(crate) fn new(columns: usize, places: Vec<u32>) -> Self {
        let order: Vec<u32> = (0..(places.len() / columns.max(1)) as u32).collect();
        let count = order.len();
        let mut points = Self { columns, places, order, ..Self::default() };
        if count > 0 {
            points.grow(0, count);
        }
        // Points that are looked at together lie together.
        let place = |&point: &u32| &points.places[point as usize * columns..][..columns];
        points.places = points.order.iter().flat_map(place).copied().collect();
        points
    }

    /// The numbers of the points, as the tree has them.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The places of the point that is there in the order.
    pub(super) fn at(&self, at: usize) -> &[u32] {
        &self.places[at * self.columns..][..self.columns]
    }

    /// Makes the node of a part of the order, and those below it.
    fn grow(&mut self, from: usize, to: usize) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { from: from as u32, to: to as u32, second: 0 });
        let mut widest = (0, 0.0);
        for column in 0..self.columns {
            let place = |&point: &u32| self.places[point as usize * self.columns + column];
            let all = self.order[from..to].iter().map(place);
            let (low, high) = all.fold((u32::MAX, 0), |(l, h), place| (l.min(place), h.max(place)));
            self.bounds.push((low, high));
            let (first, last) = self.bounds[column];
            let share = f64::from(high - low) / f64::from(last - first).max(1.0);
            if share > widest.1 {
                widest = (column, share);
            }
        }
        if to - from > LEAF && widest.1 > 0.0 {
            let middle = (to - from) / 2;
            let (places, columns) = (&self.places, self.columns);
            let key = |point: &u32| (places[*point as usize * columns + widest.0], *point);
            self.order[from..to].select_nth_unstable_by_key(middle, key);
            self.grow(from, from + middle);
            let second = self.grow(from + middle, to);
            self.nodes[number as usize].second = second;
        }
        number
    }

    /// Tells of every point with a place in a run of every column that is asked for: parts of the order. Returns how
    /// many nodes and points were looked at.
    pub(crate) fn each<'a>(
        &self,
        asked: impl Iterator<Item = Asked<'a>>,
        mut tell: impl FnMut(Range<usize>),
    ) -> u64 {
        let mut asked: Vec<Asked<'a>> = asked.collect();
        let all = asked.len();
        self.each_in(0, &mut asked, 0..all, &mut tell)
    }

    /// Of one node. Only the columns in this part of the list are still open.
    fn each_in(
        &self,
        node: usize,
        asked: &mut Vec<Asked<'_>>,
        open: Range<usize>,
        tell: &mut impl FnMut(Range<usize>),
    ) -> u64 {
        let Some(about) = self.nodes.get(node) else { return 0 };
        let bounds = &self.bounds[node * self.columns..][..self.columns];
        let (start, mut work) = (asked.len(), 1);
        for at in open {
            let (column, runs) = asked[at];
            match inside(runs, bounds[column]) {
                Inside::Wholly => {}
                Inside::Partly => asked.push((column, runs)),
                Inside::Not => {
                    asked.truncate(start);
                    return work;
                }
            }
        }
        let (end, points) = (asked.len(), about.from as usize..about.to as usize);
        if start < end && about.second > 0 {
            work += self.each_in(node + 1, asked, start..end, tell);
            work += self.each_in(about.second as usize, asked, start..end, tell);
        } else {
            work += points.len() as u64;
            if start == end {
                tell(points);
            } else {
                let holds = |place, runs| matches!(inside(runs, (place, place)), Inside::Wholly);
                let fits = |at: &usize| {
                    let places = self.at(*at);
                    asked[start..].iter().all(|&(column, runs)| holds(places[column], runs))
                };
                points.filter(fits).for_each(|at| tell(at..at + 1));
            }
        }
        asked.truncate(start);
        work
    }
}

enum Inside {
    Wholly,
    Partly,
    Not,
}

/// Where bounds lie: within one run, across some, or between them.
#[inline]
fn inside(runs: &[(u32, u32)], (low, high): (u32, u32)) -> Inside {
    // The first run that does not end before the bounds begin.
    let at = runs.partition_point(|run| run.1 < low);
    match runs.get(at) {
        Some(&(first, last)) if first <= low && high <= last => Inside::Wholly,
        Some(&(first, _)) if first <= high => Inside::Partly,
        _ => Inside::Not,
    }
}

/// Spans in any order as runs.
pub(crate) fn runs_of(mut spans: Runs) -> Runs {
    spans.sort_unstable();
    let mut runs: Runs = Vec::with_capacity(spans.len());
    for (first, last) in spans {
        match runs.last_mut() {
            Some(run) if first <= run.1.saturating_add(1) => run.1 = run.1.max(last),
            _ => runs.push((first, last)),
        }
    }
    runs
}
