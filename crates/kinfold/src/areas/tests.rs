//! Areas are connected, hold k, and are no larger than the tree promises, on random maps.

use super::*;
use crate::parts::random::Random;
use kinfold_model::regions::Graph;

/// A grid with some edges left out and some diagonals.
fn map(random: &mut Random, side: usize) -> (Graph, Vec<u64>) {
    let at = |x: usize, y: usize| (y * side + x) as u32;
    let mut edges = Vec::new();
    for y in 0..side {
        for x in 0..side {
            for (dx, dy, odds) in [(1, 0, 9), (0, 1, 9), (1, 1, 3)] {
                if x + dx < side && y + dy < side && random.below(10) < odds {
                    edges.push((at(x, y), at(x + dx, y + dy)));
                }
            }
        }
    }
    let people = (0..side * side).map(|_| [0, 1, 5, 20, 60][random.below(5)]).collect();
    (Graph::new(side * side, &edges), people)
}

fn sizes(area: &[u32], people: &[u64]) -> Vec<u64> {
    let mut sizes = vec![0; area.iter().max().map_or(0, |&a| a as usize + 1)];
    area.iter().zip(people).for_each(|(&a, p)| sizes[a as usize] += p);
    sizes
}

#[test]
fn areas_are_connected_and_as_small_as_the_tree_promises() {
    let mut random = Random::new(5);
    let mut smaller = 0;
    for round in 0..300 {
        let (graph, people) = map(&mut random, 2 + round % 9);
        let k = 2 + random.below(80) as u64;
        let tree = SpanningTree::new(&graph);
        let component = graph.components();
        let in_component = sizes(&component, &people);
        let area = cut(&graph, &tree, &people, k);
        let better = improve(&graph, &people, k, area.clone(), || true);
        for list in [&area, &better] {
            for number in 0..=list.iter().copied().max().unwrap_or(0) {
                let regions: Vec<u32> =
                    (0..list.len() as u32).filter(|&r| list[r as usize] == number).collect();
                assert!(graph.connects(&regions), "area {number} falls apart");
                let size: u64 = regions.iter().map(|&r| people[r as usize]).sum();
                let whole = in_component[component[regions[0] as usize] as usize];
                assert!(size >= k || size == whole, "{size} of {whole} with k = {k}");
            }
        }
        let d = u64::from(tree.highest_degree());
        let largest = |list: &[u32]| sizes(list, &people).into_iter().max().unwrap_or(0);
        // The left-over at a root adds up to k − 1.
        let most = people.iter().map(|p| p + d.saturating_sub(1) * (k - 1)).max().unwrap_or(0) + k - 1;
        assert!(largest(&area) <= most, "{} > {most}", largest(&area));
        assert!(largest(&better) <= largest(&area));
        smaller += usize::from(largest(&better) < largest(&area));
    }
    assert!(smaller > 100, "improving hardly helps: {smaller}");
}

/// The least largest area of a small map, by trying every way to give regions to areas.
fn least_largest(graph: &Graph, people: &[u64], k: u64) -> Option<u64> {
    fn place(graph: &Graph, people: &[u64], k: u64, area: &mut Vec<u32>, best: &mut Option<u64>) {
        if area.len() == people.len() {
            let sizes = sizes(area, people);
            let connected = |a: u32| {
                let inside: Vec<u32> = (0..area.len() as u32).filter(|&r| area[r as usize] == a).collect();
                graph.connects(&inside)
            };
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let enough = sizes.iter().all(|&size| size >= k);
            if enough && best.is_none_or(|b| largest < b) && (0..sizes.len() as u32).all(connected) {
                *best = Some(largest);
            }
            return;
        }
        for a in 0..=area.iter().max().map_or(0, |&a| a + 1) {
            area.push(a);
            place(graph, people, k, area, best);
            area.pop();
        }
    }
    let mut best = None;
    place(graph, people, k, &mut Vec::new(), &mut best);
    best
}

#[test]
fn small_maps_are_mostly_parted_as_well_as_can_be() {
    let mut random = Random::new(8);
    let (mut solved, mut best) = (0, 0);
    for _ in 0..150 {
        let (graph, people) = map(&mut random, 3);
        let k = 2 + random.below(60) as u64;
        let Some(least) = least_largest(&graph, &people, k) else { continue };
        let tree = SpanningTree::new(&graph);
        let area = improve(&graph, &people, k, cut(&graph, &tree, &people, k), || true);
        let largest = sizes(&area, &people).into_iter().max().unwrap_or(0);
        assert!(largest >= least && largest <= 3 * least, "{largest} where {least} is possible");
        solved += 1;
        best += usize::from(largest == least);
    }
    assert!(solved > 60 && best * 10 >= solved * 9, "{best} of {solved} are the best");
}

#[test]
fn spanning_trees_have_low_degree() {
    // A wheel: the hub touches all, but the rim is a path through everybody.
    let rim: Vec<(u32, u32)> = (1..40).map(|i| (i, if i == 39 { 1 } else { i + 1 })).collect();
    let edges: Vec<(u32, u32)> = rim.into_iter().chain((1..40).map(|i| (0, i))).collect();
    let tree = SpanningTree::new(&Graph::new(40, &edges));
    assert!(tree.highest_degree() <= 3, "{}", tree.highest_degree());
    let order = tree.upwards();
    assert_eq!(order.len(), 40);
}
