//! Nested areas: regions that touch are joined two by two, always the smallest area with the smallest that it
//! touches, until every component is one. Every area is connected, and areas on a level are of similar size:
//! people, where they are told, or regions.

use super::Graph;
use crate::hierarchy::{Branch, Hierarchy};
use std::collections::BTreeSet;

/// Areas of up to so many regions are called by their names.
const NAMED: usize = 4;

/// An area in the making.
struct Area {
    /// Its regions, as long as it is called by their names; ascending.
    named: Vec<u32>,
    regions: usize,
    size: u64,
    /// What it is called among areas of its size: the first of its parts that was the smallest.
    rank: u32,
    /// The region with the lowest number in it.
    lowest: u32,
    /// What is joined in it; nothing for a region.
    branch: Option<usize>,
}

/// The nested areas of a map as a hierarchy; components are joined by its root alone.
pub fn areas(graph: &Graph, names: &[String], people: &[u64]) -> Hierarchy {
    let regions = 0..graph.regions() as u32;
    let mut touching: Vec<BTreeSet<u32>> =
        regions.clone().map(|r| graph.neighbours(r).iter().copied().collect()).collect();
    let alone = |r: u32| Area {
        named: vec![r],
        regions: 1,
        size: people[r as usize],
        rank: r,
        lowest: r,
        branch: None,
    };
    let mut areas: Vec<Area> = regions.clone().map(alone).collect();
    let key = |area: &Area, at: u32| (area.size, area.rank, at);
    let mut waiting: BTreeSet<(u64, u32, u32)> =
        areas.iter().zip(0..).map(|(area, at)| key(area, at)).collect();
    let mut branches = vec![Branch::new("*".to_owned())];
    let mut whole: Vec<u32> = Vec::new();
    let mut large = 0;
    while let Some((_, rank, area)) = waiting.pop_first() {
        let by_size = |&other: &u32| (areas[other as usize].size, areas[other as usize].rank);
        let Some(other) = touching[area as usize].iter().copied().min_by_key(by_size) else {
            whole.push(area);
            continue;
        };
        waiting.remove(&key(&areas[other as usize], other));
        // The one with fewer neighbours goes into the other, which may have thousands.
        let by_neighbours = touching[area as usize].len() < touching[other as usize].len();
        let (from, into) = if by_neighbours { (area, other) } else { (other, area) };
        for next in std::mem::take(&mut touching[from as usize]) {
            touching[next as usize].remove(&from);
            if next != into {
                touching[next as usize].insert(into);
                touching[into as usize].insert(next);
            }
        }
        let mut parts = [from, into];
        parts.sort_by_key(|&part| (areas[part as usize].branch.is_some(), areas[part as usize].lowest));
        let [a, b] = parts.map(|part| &areas[part as usize]);
        let mut joined = Area {
            named: Vec::new(),
            regions: a.regions + b.regions,
            size: a.size + b.size,
            rank,
            lowest: a.lowest.min(b.lowest),
            branch: Some(branches.len()),
        };
        if joined.regions <= NAMED {
            joined.named = [&a.named[..], &b.named[..]].concat();
            joined.named.sort_unstable();
        }
        // No area may be called as a region is; names are sorted.
        let free = |name: &String| names.binary_search(name).is_err();
        let inside: Vec<&str> = joined.named.iter().map(|&r| names[r as usize].as_str()).collect();
        let name = Some(inside.join("+")).filter(|name| !inside.is_empty() && free(name));
        let name = name.unwrap_or_else(|| {
            loop {
                large += 1;
                let numbered = format!("area {large} ({} regions)", joined.regions);
                if free(&numbered) {
                    break numbered;
                }
            }
        });
        let mut branch = Branch::new(name);
        [a, b].into_iter().for_each(|part| hang(&mut branch, part));
        branches.push(branch);
        waiting.insert(key(&joined, into));
        areas[into as usize] = joined;
    }
    // As in a file that lists the regions by name: those alone first, then areas by their first region.
    whole.sort_unstable_by_key(|&area| areas[area as usize].lowest);
    whole.iter().for_each(|&area| hang(&mut branches[0], &areas[area as usize]));
    Hierarchy::from_branches(names.to_vec(), branches, 0)
}

/// Hangs an area, or a region that is alone, on a branch.
fn hang(branch: &mut Branch, area: &Area) {
    match area.branch {
        Some(below) => branch.branches.push(below),
        None => branch.leaves.push(area.lowest as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_with_many_spokes_takes_little() {
        let spokes = 20_000u32;
        let names: Vec<String> = (0..=spokes).map(|r| format!("{r:05}")).collect();
        let edges: Vec<(u32, u32)> = (1..=spokes).map(|spoke| (0, spoke)).collect();
        let graph = Graph::new(names.len(), &edges);
        let hierarchy = areas(&graph, &names, &vec![1; names.len()]);
        let tree = hierarchy.tree();
        assert_eq!((tree.leaves(), tree.nodes()), (spokes + 1, 2 * spokes + 1), "joined two by two");
        assert_eq!(hierarchy.label(tree.root()), format!("area {} (20001 regions)", spokes - 3));
    }
}
