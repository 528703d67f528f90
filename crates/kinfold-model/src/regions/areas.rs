//! Nested areas: regions that touch are joined two by two, always the smallest area with the smallest that it
//! touches, until every component is one. Every area is connected, and areas on a level are of similar size:
//! people, where they are told, or regions.

use super::Graph;
use crate::hierarchy::Hierarchy;
use std::collections::BTreeSet;

/// Areas of up to so many regions are called by their names.
const NAMED: usize = 4;

/// The nested areas of a map as a hierarchy; components are joined by its root alone.
pub fn areas(graph: &Graph, names: &[String], people: &[u64]) -> Hierarchy {
    let regions = graph.regions();
    let mut touching: Vec<BTreeSet<u32>> =
        (0..regions as u32).map(|r| graph.neighbours(r).iter().copied().collect()).collect();
    let mut members: Vec<Vec<u32>> = (0..regions as u32).map(|r| vec![r]).collect();
    // For every region the areas that it is in, the smallest first.
    let mut within: Vec<Vec<String>> = vec![Vec::new(); regions];
    let mut sizes: Vec<u64> = people.to_vec();
    let mut waiting: BTreeSet<(u64, u32)> = sizes.iter().copied().zip(0..).collect();
    let mut large = 0;
    while let Some((_, area)) = waiting.pop_first() {
        let size = |a: u32| sizes[a as usize];
        let Some(other) = touching[area as usize].iter().copied().min_by_key(|&a| (size(a), a)) else {
            continue;
        };
        waiting.remove(&(size(other), other));
        let mut joined = std::mem::take(&mut members[area as usize]);
        joined.append(&mut members[other as usize]);
        joined.sort_unstable();
        let inside: Vec<&str> = joined.iter().map(|&r| names[r as usize].as_str()).collect();
        // No area may be called as a region is; names are sorted.
        let free = |name: &String| names.binary_search(name).is_err();
        let name = Some(inside.join("+")).filter(|name| inside.len() <= NAMED && free(name));
        let name = name.unwrap_or_else(|| {
            loop {
                large += 1;
                let numbered = format!("area {large} ({} regions)", inside.len());
                if free(&numbered) {
                    break numbered;
                }
            }
        });
        joined.iter().for_each(|&r| within[r as usize].push(name.clone()));
        for next in std::mem::take(&mut touching[other as usize]) {
            touching[next as usize].remove(&other);
            if next != area {
                touching[next as usize].insert(area);
                touching[area as usize].insert(next);
            }
        }
        touching[area as usize].remove(&other);
        members[area as usize] = joined;
        sizes[area as usize] += sizes[other as usize];
        waiting.insert((sizes[area as usize], area));
    }
    let paths = names.iter().zip(within).map(|(name, mut path)| {
        path.insert(0, name.clone());
        path.push("*".to_owned());
        path
    });
    // Every region stands on one line, so no two can contradict each other.
    Hierarchy::from_paths(paths.collect()).unwrap_or_else(|_| unreachable!("each region has one line"))
}
