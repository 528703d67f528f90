//! Perfect matchings as tables (paper *suppress*, Theorems 3.1 and 3.2): a row per vertex, a column per edge
//! of k vertices.

use super::{Instance, LABEL};
use kinfold::Unsupported;
use kinfold::model::Objective;
use kinfold::toolkit::Random;

/// A hypergraph: vertices counted from 0, and different edges of k vertices each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypergraph {
    vertices: usize,
    /// How many vertices an edge has.
    k: usize,
    /// The vertices of every edge.
    edges: Vec<Vec<usize>>,
    /// The edge of every vertex in a perfect matching, if one is known.
    matching: Vec<u32>,
}

impl Hypergraph {
    /// These edges, at least as many as a perfect matching has. There may be none; then the optimum of the
    /// tables is a little more than they say.
    pub fn new(vertices: usize, k: usize, edges: Vec<Vec<usize>>) -> Result<Self, Unsupported> {
        let sound = |edge: &Vec<usize>| {
            let mut sorted = edge.clone();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len() == k && edge.len() == k && sorted.iter().all(|&vertex| vertex < vertices)
        };
        if k == 0 || edges.is_empty() || edges.len() < vertices / k || !edges.iter().all(sound) {
            return Err(Unsupported(format!("these are not edges of {k} out of {vertices} vertices")));
        }
        Ok(Self { vertices, k, edges, matching: Vec::new() })
    }

    /// A perfect matching of so many edges, and as many other edges as are wanted and possible, all in random
    /// order.
    pub(crate) fn planted(groups: usize, k: usize, more: usize, random: &mut Random) -> Self {
        let vertices = groups * k;
        let mut order: Vec<usize> = (0..vertices).collect();
        random.shuffle(&mut order);
        let sorted = |part: &[usize]| {
            let mut edge = part.to_vec();
            edge.sort_unstable();
            edge
        };
        let planted: Vec<Vec<usize>> = order.chunks(k).map(sorted).collect();
        let mut edges = planted.clone();
        // Of few vertices there may be no other edges.
        for _ in 0..20 * more {
            random.shuffle(&mut order);
            let edge = sorted(&order[..k]);
            if edges.len() < groups + more && !edges.contains(&edge) {
                edges.push(edge);
            }
        }
        random.shuffle(&mut edges);
        let mut matching = vec![0; vertices];
        for (number, edge) in (0u32..).zip(&planted) {
            edge.iter().for_each(|&vertex| matching[vertex] = number);
        }
        Self { vertices, k, edges, matching }
    }

    /// Theorem 3.1: 0 where the vertex is on the edge, else the row's own symbol. A group of k rows has at
    /// most one column without stars: that of the edge which they are. So there are n (m − 1) stars at least,
    /// and no more with a perfect matching.
    pub fn cells(&self) -> Instance {
        let cell = |v: usize, on: bool| if on { "0".to_owned() } else { format!("x{v}") };
        let optimum = self.vertices * (self.edges.len() - 1);
        self.instance(Objective::Stars, optimum, cell)
    }

    /// Theorem 3.2: 1 where the vertex is on the edge, else 0. Columns that stay have k ones in the same rows
    /// or in none, so m − n/k must go at least, and no more with a perfect matching.
    pub fn columns(&self) -> Instance {
        let optimum = self.edges.len() - self.vertices / self.k;
        self.instance(Objective::Columns, optimum, |_, on| u8::from(on).to_string())
    }

    fn instance(
        &self,
        objective: Objective,
        optimum: usize,
        cell: impl Fn(usize, bool) -> String,
    ) -> Instance {
        let row = |v: usize| self.edges.iter().map(|edge| cell(v, edge.contains(&v))).collect();
        Instance {
            title: format!(
                "perfect matching of {} vertices by {} of {} edges of {} vertices",
                self.vertices,
                self.vertices / self.k,
                self.edges.len(),
                self.k
            ),
            k: self.k as u64,
            objective,
            columns: (0..self.edges.len()).map(|edge| (format!("e{edge}"), LABEL)).collect(),
            rows: (0..self.vertices).map(row).collect(),
            optimum: optimum as u64,
            group_of: self.matching.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hypergraph;

    #[test]
    fn edges_that_are_none_are_declined() {
        let declined = |k, edges: &[&[usize]]| {
            Hypergraph::new(6, k, edges.iter().map(|edge| edge.to_vec()).collect()).is_err()
        };
        assert!(!declined(3, &[&[0, 1, 2], &[3, 4, 5]]));
        assert!(declined(3, &[]) && declined(0, &[&[]]) && declined(3, &[&[0, 1, 2]]));
        assert!(declined(3, &[&[0, 1, 2], &[3, 4, 6]]) && declined(3, &[&[0, 1, 2], &[3, 4, 4]]));
    }
}
