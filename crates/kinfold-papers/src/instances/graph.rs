//! Vertex cover as a table of three columns (paper *complexity*, Theorem 3.1).

use super::{Instance, LABEL};
use kinfold::Unsupported;
use kinfold::model::Objective;
use kinfold::toolkit::Random;

/// A graph: vertices counted from 0, and edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    vertices: usize,
    edges: Vec<[usize; 2]>,
}

/// The k for which the theorem holds.
pub(super) const K: u64 = 7;
/// The most vertices whose smallest cover is searched for.
const MOST_VERTICES: usize = 40;

impl Graph {
    /// A random graph in which every vertex has three neighbours; drawn anew until no edge is double.
    pub fn cubic(vertices: usize, seed: u64) -> Result<Self, Unsupported> {
        if !vertices.is_multiple_of(2) || !(4..=MOST_VERTICES).contains(&vertices) {
            return Err(Unsupported(format!(
                "a graph of three neighbours each whose smallest cover can be found has an even number of vertices from 4 to {MOST_VERTICES}, not {vertices}"
            )));
        }
        let mut random = Random::new(seed);
        loop {
            let mut ends: Vec<usize> = (0..3 * vertices).map(|i| i / 3).collect();
            random.shuffle(&mut ends);
            let mut edges: Vec<[usize; 2]> =
                ends.chunks(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]).collect();
            edges.sort_unstable();
            edges.dedup();
            if edges.len() == 3 * vertices / 2 && edges.iter().all(|[a, b]| a != b) {
                return Ok(Self { vertices, edges });
            }
        }
    }

    /// Its edges.
    pub fn edges(&self) -> &[[usize; 2]] {
        &self.edges
    }

    /// The fewest vertices that touch every edge: a vertex is in the cover, or all its neighbours are.
    pub fn smallest_cover(&self) -> Vec<usize> {
        let mut near = vec![0u64; self.vertices];
        for &[a, b] in &self.edges {
            near[a] |= 1 << b;
            near[b] |= 1 << a;
        }
        let mut best = (1u64 << self.vertices) - 1;
        cover(&near, best, 0, &mut best);
        (0..self.vertices).filter(|v| best >> v & 1 == 1).collect()
    }
}

/// Improves on the best cover with those that hold `chosen` and cover all edges between the vertices `open`.
fn cover(near: &[u64], open: u64, chosen: u64, best: &mut u64) {
    if chosen.count_ones() >= best.count_ones() {
        return;
    }
    let degree = |v: usize| (near[v] & open).count_ones();
    let inside = |v: &usize| open >> v & 1 == 1;
    // A vertex with one neighbour: that one is as good a choice. Else the vertex that decides most.
    let single = (0..near.len()).filter(inside).find(|&v| degree(v) == 1);
    if let Some(v) = single {
        let neighbour = near[v] & open;
        return cover(near, open & !neighbour & !(1 << v), chosen | neighbour, best);
    }
    match (0..near.len()).filter(inside).max_by_key(|&v| degree(v)).filter(|&v| degree(v) > 0) {
        None => *best = chosen,
        Some(v) => {
            cover(near, open & !(1 << v), chosen | 1 << v, best);
            let neighbours = near[v] & open;
            cover(near, open & !neighbours & !(1 << v), chosen | neighbours, best);
        }
    }
}

/// The table of a graph of three neighbours each, with k = 7, and the grouping of the proof's Claim 1. Its
/// best release has 27 r + 2 |E| + 14 stars and one for every vertex of the smallest cover.
pub fn vertex_cover(graph: &Graph) -> Instance {
    let cover = graph.smallest_cover();
    let mut special = 0;
    let mut new = || {
        special += 1;
        format!("s{special}")
    };
    let (mut rows, mut group_of): (Vec<Vec<String>>, Vec<u32>) = (Vec::new(), Vec::new());
    let zero = || "0".to_owned();
    let z = || "Z".to_owned();
    // Groups 0 and 1: the dummies of both kinds.
    let mut add = |row: [String; 3], group: u32| {
        rows.push(row.into());
        group_of.push(group);
    };
    for vertex in 0..graph.vertices {
        let (u, own) = (format!("v{vertex}"), 2 + 3 * vertex as u32);
        let covered = cover.contains(&vertex);
        for i in 0..6 {
            add([zero(), u.clone(), u.clone()], own + u32::from(covered && i >= 3));
        }
        add([new(), u.clone(), u.clone()], if covered { own + 2 } else { own });
        for _ in 0..7 {
            add([new(), u.clone(), new()], own + 2);
        }
        for _ in 0..3 {
            add([zero(), u.clone(), z()], if covered { own } else { 0 });
        }
        for _ in 0..3 {
            add([zero(), z(), u.clone()], if covered { own + 1 } else { 1 });
        }
    }
    for &[x, y] in &graph.edges {
        let (to, other) = if cover.contains(&x) { (x, y) } else { (y, x) };
        let own = 2 + 3 * to as u32;
        add([zero(), format!("v{to}"), format!("v{other}")], own);
        add([zero(), format!("v{other}"), format!("v{to}")], own + 1);
    }
    for _ in 0..7 {
        add([zero(), new(), z()], 0);
    }
    for _ in 0..7 {
        add([zero(), z(), new()], 1);
    }
    // Vertices outside of the cover have no second group.
    let mut used = group_of.clone();
    used.sort_unstable();
    used.dedup();
    group_of.iter_mut().for_each(|group| *group = used.partition_point(|number| number < group) as u32);
    let base = 27 * graph.vertices + 2 * graph.edges.len() + 14;
    Instance {
        title: format!(
            "vertex cover of a 3-regular graph of {} vertices, of which {} cover all edges",
            graph.vertices,
            cover.len()
        ),
        k: K,
        objective: Objective::Stars,
        columns: ["a", "b", "c"].map(|name| (name.to_owned(), LABEL)).into(),
        rows,
        optimum: (base + cover.len()) as u64,
        group_of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_are_the_smallest() {
        for seed in 0..30 {
            let vertices = 4 + 2 * (seed as usize % 6);
            let graph = Graph::cubic(vertices, seed).unwrap();
            let cover = graph.smallest_cover();
            assert!(graph.edges.iter().all(|[a, b]| cover.contains(a) || cover.contains(b)));
            let covers = |set: &u32| graph.edges.iter().all(|[a, b]| set >> a & 1 == 1 || set >> b & 1 == 1);
            let least = (0..1u32 << vertices).filter(covers).map(u32::count_ones).min();
            assert_eq!(Some(cover.len() as u32), least, "{:?}", graph.edges);
        }
        assert!(Graph::cubic(7, 0).is_err() && Graph::cubic(2, 0).is_err() && Graph::cubic(42, 0).is_err());
        assert!(Graph::cubic(MOST_VERTICES, 1).unwrap().smallest_cover().len() >= MOST_VERTICES / 2);
    }
}
