//! Which regions touch.

use crate::members::Members;
use std::collections::BTreeSet;

/// An undirected graph over regions 0, 1, …; no region touches itself, and none is listed twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    neighbours: Members,
}

impl Graph {
    /// A graph of so many regions with these edges; doubled ones, loops and those to regions that there are
    /// not are left out.
    pub fn new(regions: usize, edges: &[(u32, u32)]) -> Self {
        let fits = |&&(a, b): &&(u32, u32)| a != b && (a.max(b) as usize) < regions;
        let mut both: Vec<(u32, u32)> =
            edges.iter().filter(fits).flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        both.sort_unstable();
        both.dedup();
        Self { neighbours: Members::new(regions, both.iter().map(|&(a, b)| (b, a))) }
    }

    /// The same regions, of which those that are closed touch none.
    pub fn without(&self, closed: &[bool]) -> Self {
        let open = |&region: &u32| !closed[region as usize];
        let neighbours = |region: u32| self.neighbours(region).iter().copied().filter(open);
        let regions = (0..self.regions() as u32).filter(open);
        let left = regions.flat_map(|region| neighbours(region).map(move |other| (other, region)));
        Self { neighbours: Members::new(self.regions(), left) }
    }

    pub fn regions(&self) -> usize {
        self.neighbours.groups()
    }

    /// The regions that touch one, ascending.
    pub fn neighbours(&self, region: u32) -> &[u32] {
        self.neighbours.of(region)
    }

    /// Whether all of these regions can be reached from each other without leaving them. Nothing is connected
    /// with nothing.
    pub fn connects(&self, regions: &[u32]) -> bool {
        self.connects_through(regions, |_| false)
    }

    /// The same, where the way may also lead through other regions.
    pub(crate) fn connects_through(&self, regions: &[u32], passable: impl Fn(u32) -> bool) -> bool {
        let mut missing: BTreeSet<u32> = regions.iter().copied().collect();
        let mut open: Vec<u32> = missing.pop_first().into_iter().collect();
        let mut passed: BTreeSet<u32> = BTreeSet::new();
        while let Some(region) = open.pop().filter(|_| !missing.is_empty()) {
            let reached = |next: &u32| missing.remove(next) || passable(*next) && passed.insert(*next);
            open.extend(self.neighbours(region).iter().copied().filter(reached));
        }
        missing.is_empty()
    }

    /// For every region the number of its component; components are numbered by their first region.
    pub fn components(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let mut component = vec![NONE; self.regions()];
        let mut number = 0;
        for first in 0..self.regions() as u32 {
            if component[first as usize] != NONE {
                continue;
            }
            let mut open = vec![first];
            component[first as usize] = number;
            while let Some(region) = open.pop() {
                for &next in self.neighbours(region) {
                    if component[next as usize] == NONE {
                        component[next as usize] = number;
                        open.push(next);
                    }
                }
            }
            number += 1;
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_that_touch_are_connected() {
        let graph = Graph::new(6, &[(0, 1), (1, 0), (1, 2), (2, 2), (4, 3), (5, 6)]);
        assert_eq!(graph.neighbours(1), &[0, 2]);
        assert_eq!(graph.components(), [0, 0, 0, 1, 1, 2]);
        assert!(graph.connects(&[2, 0, 1]) && graph.connects(&[5]) && graph.connects(&[3, 4]));
        assert!(!graph.connects(&[0, 2]) && !graph.connects(&[0, 1, 3]));
        assert!(graph.connects_through(&[0, 2], |r| r == 1) && graph.connects(&[]));
        let closed = [false, true, false, false, false, false];
        assert_eq!(graph.without(&closed).components(), [0, 1, 2, 3, 3, 4]);
        assert!(!graph.connects_through(&[0, 2], |r| r != 1) && !graph.connects_through(&[0, 3], |_| true));
    }
}
