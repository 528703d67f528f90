//! Tables whose best release is known from a theorem: reductions of hard problems, read backwards.

use super::Dice;
use kinfold::model::encode::{Encoded, encode};
use kinfold::model::table::Table;

/// A graph: vertices counted from 0, and edges.
#[derive(Debug, Clone)]
pub struct Graph {
    pub vertices: usize,
    pub edges: Vec<[usize; 2]>,
}

impl Graph {
    /// Every vertex has three neighbours; drawn anew until no edge is double.
    pub fn cubic(dice: &mut Dice, vertices: usize) -> Self {
        loop {
            let mut ends: Vec<usize> = (0..3 * vertices).map(|i| i / 3).collect();
            for i in (1..ends.len()).rev() {
                ends.swap(i, dice.below(i + 1));
            }
            let mut edges: Vec<[usize; 2]> =
                ends.chunks(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]).collect();
            edges.sort();
            edges.dedup();
            if edges.len() == 3 * vertices / 2 && edges.iter().all(|[a, b]| a != b) {
                return Self { vertices, edges };
            }
        }
    }

    /// The fewest vertices that touch every edge, by trying all sets.
    pub fn smallest_cover(&self) -> Vec<usize> {
        let covers = |set: &u32| self.edges.iter().all(|[a, b]| set >> a & 1 == 1 || set >> b & 1 == 1);
        let least = (0..1u32 << self.vertices).filter(covers).min_by_key(|set| set.count_ones()).unwrap();
        (0..self.vertices).filter(|v| least >> v & 1 == 1).collect()
    }
}

/// The table of paper *complexity*, Theorem 3.1, for a graph of three neighbours each, with k = 7: three columns. Besides, for a
/// cover, the group of every row in the grouping of Claim 1.
pub struct VertexCover {
    pub encoded: Encoded,
    pub group_of: Vec<u32>,
    /// What any grouping costs besides the smallest cover, in stars: 27 r + 2 |E| + 14.
    pub base: usize,
}

pub fn vertex_cover_table(graph: &Graph, cover: &[usize]) -> VertexCover {
    let mut special = 0;
    let mut new = || {
        special += 1;
        format!("s{special}")
    };
    let (mut rows, mut group_of): (Vec<[String; 3]>, Vec<u32>) = (Vec::new(), Vec::new());
    let zero = || "0".to_owned();
    let z = || "Z".to_owned();
    // Groups 0 and 1: the dummies of both kinds.
    let mut add = |row: [String; 3], group: u32| {
        rows.push(row);
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
    let mut used: Vec<u32> = group_of.clone();
    used.sort();
    used.dedup();
    for group in &mut group_of {
        *group = used.binary_search(group).unwrap() as u32;
    }
    let cells: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let base = 27 * graph.vertices + 2 * graph.edges.len() + 14;
    VertexCover { encoded: stars(&["a", "b", "c"], &cells, "stars", 7), group_of, base }
}

/// A hypergraph: edges of k vertices each, all different, the first of which are a perfect matching if there is one planted.
pub fn hypergraph(dice: &mut Dice, vertices: usize, k: usize, more: usize, planted: bool) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..vertices).collect();
    let mut shuffled = |order: &mut Vec<usize>| {
        for i in (1..order.len()).rev() {
            order.swap(i, dice.below(i + 1));
        }
    };
    shuffled(&mut order);
    let mut edges: Vec<Vec<usize>> = Vec::new();
    if planted {
        edges.extend(order.chunks(k).map(<[usize]>::to_vec));
    }
    let wanted = edges.len() + more;
    while edges.len() < wanted {
        shuffled(&mut order);
        let mut edge = order[..k].to_vec();
        edge.sort();
        let same = |other: &Vec<usize>| {
            let mut other = other.clone();
            other.sort();
            other == edge
        };
        if !edges.iter().any(same) {
            edges.push(edge);
        }
    }
    edges
}

/// The table of paper *suppress*, Theorem 3.1: a row per vertex, a column per edge; 0 where the vertex is on the edge, else the row's own
/// symbol. With a perfect matching the fewest stars are n (m − 1).
pub fn matching_cells(vertices: usize, edges: &[Vec<usize>], k: usize) -> Encoded {
    let own: Vec<String> = (1..=vertices).map(|i| format!("x{i}")).collect();
    let cell = |v: usize, edge: &Vec<usize>| if edge.contains(&v) { "0" } else { own[v].as_str() };
    matching(vertices, edges, k, "stars", cell)
}

/// The table of Theorem 3.2: 1 where the vertex is on the edge, else 0. With a perfect matching m − n/k columns must go.
pub fn matching_columns(vertices: usize, edges: &[Vec<usize>], k: usize) -> Encoded {
    matching(vertices, edges, k, "columns", |v, edge| if edge.contains(&v) { "1" } else { "0" })
}

fn matching<'a>(
    vertices: usize,
    edges: &[Vec<usize>],
    k: usize,
    objective: &str,
    cell: impl Fn(usize, &Vec<usize>) -> &'a str,
) -> Encoded {
    let names: Vec<String> = (0..edges.len()).map(|e| format!("e{e}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let cells: Vec<Vec<&str>> =
        (0..vertices).map(|v| edges.iter().map(|edge| cell(v, edge)).collect()).collect();
    stars(&names, &cells, objective, k)
}

/// A table of labels, encoded for an objective that suppresses.
pub fn stars(names: &[&str], cells: &[Vec<&str>], objective: &str, k: usize) -> Encoded {
    let table = Table::from_cells(names, cells);
    let columns: String =
        names.iter().map(|n| format!("{n} = {{ role = \"quasi\", kind = \"category\" }}\n")).collect();
    let policy =
        super::policy_for(&table, &format!("k = {k}\nobjective = \"{objective}\"\n[columns]\n{columns}"));
    encode(&table, &policy).unwrap()
}
