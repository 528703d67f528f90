//! Cuts a spanning tree into areas from below: as soon as what hangs together holds k, it is an area. What is
//! left at the root joins the smallest area that it touches.
//!
//! Before that, an area holds its topmost region and what hangs from it: at most d − 1 branches of at most k
//! − 1 people each, if d is the tree's highest degree, for the root is a leaf.

use super::spanning::SpanningTree;
use crate::parts::numbering::number;
use kinfold_model::regions::Graph;

/// For every region its area; components that hold less than k are areas of their own, too small.
pub(crate) fn cut(graph: &Graph, tree: &SpanningTree, people: &[u64], k: u64) -> Vec<u32> {
    let mut hanging: Vec<u64> = people.to_vec();
    // The topmost region of each area names it.
    let mut topmost = vec![false; people.len()];
    let order = tree.upwards();
    for &region in &order {
        let above = tree.parent(region);
        if hanging[region as usize] >= k || above == region {
            topmost[region as usize] = true;
        } else {
            hanging[above as usize] += hanging[region as usize];
        }
    }
    let mut area = vec![0; people.len()];
    for &region in order.iter().rev() {
        area[region as usize] =
            if topmost[region as usize] { region } else { area[tree.parent(region) as usize] };
    }
    for &root in order.iter().filter(|&&region| tree.parent(region) == region) {
        if hanging[root as usize] >= k {
            continue;
        }
        let left: Vec<u32> = (0..people.len() as u32).filter(|&r| area[r as usize] == root).collect();
        let touching = left.iter().flat_map(|&r| graph.neighbours(r)).map(|&r| area[r as usize]);
        let smallest = touching.filter(|&a| a != root).min_by_key(|&a| (hanging[a as usize], a));
        if let Some(smallest) = smallest {
            hanging[smallest as usize] += hanging[root as usize];
            left.iter().for_each(|&r| area[r as usize] = smallest);
        }
    }
    number(&mut area);
    area
}
