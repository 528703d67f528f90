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

/// A random triangulation of the plane: corners put into faces, then edges turned within their two triangles.
/// Every simple one of four regions and more is 3-connected, so it has a spanning tree of degree 3 (Barnette
/// 1966).
fn triangulation(random: &mut Random, regions: u32, turns: usize) -> Graph {
    let mut faces = vec![[0, 1, 2], [0, 1, 2]];
    for region in 3..regions {
        let at = random.below(faces.len());
        let [a, b, c] = faces[at];
        faces[at] = [a, b, region];
        faces.extend([[b, c, region], [a, c, region]]);
    }
    let touch = |faces: &[[u32; 3]], a: u32, b: u32| faces.iter().any(|f| f.contains(&a) && f.contains(&b));
    for _ in 0..turns {
        let at = random.below(faces.len());
        let turned = random.below(3);
        let (apex, [a, b]) = (faces[at][turned], [faces[at][(turned + 1) % 3], faces[at][(turned + 2) % 3]]);
        let across = (0..faces.len()).find(|&i| i != at && faces[i].contains(&a) && faces[i].contains(&b));
        let Some(across) = across else { continue };
        let Some(&other) = faces[across].iter().find(|&&r| r != a && r != b) else { continue };
        if other != apex && !touch(&faces, apex, other) {
            (faces[at], faces[across]) = ([apex, other, a], [apex, other, b]);
        }
    }
    let edges: Vec<(u32, u32)> = faces.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (a, c)]).collect();
    Graph::new(regions as usize, &edges)
}

/// The highest degree of the tree; panics where it is no spanning tree of a connected graph.
fn degree_of(graph: &Graph, tree: &SpanningTree) -> u32 {
    let regions = graph.regions() as u32;
    let mut degree = vec![0; graph.regions()];
    for region in (0..regions).filter(|&r| tree.parent(r) != r) {
        let above = tree.parent(region);
        assert!(graph.neighbours(region).contains(&above), "an edge that is not there");
        degree[region as usize] += 1;
        degree[above as usize] += 1;
    }
    assert_eq!(degree.iter().sum::<u32>(), 2 * (regions - 1), "one tree");
    assert_eq!(tree.upwards().len() as u32, regions, "no circle");
    let highest = degree.into_iter().max().unwrap_or(0);
    assert_eq!(tree.highest_degree(), highest);
    highest
}

#[test]
fn triangulations_get_trees_of_degree_four_at_most() {
    let mut random = Random::new(12);
    let (mut four, mut by_breadth) = (0, 0);
    for round in 0..120 {
        let regions = 4 + random.below(if round % 10 == 0 { 400 } else { 80 }) as u32;
        let graph = triangulation(&mut random, regions, [0, 0, 50, 300][round % 4]);
        let degree = degree_of(&graph, &SpanningTree::new(&graph));
        assert!(degree <= 4, "degree {degree} where 3 is possible");
        four += usize::from(degree == 4);
        by_breadth += usize::from(degree_of(&graph, &SpanningTree::by_breadth(&graph)) > 4);
    }
    // The assertion can fail: a tree by breadth is refused by it nearly always.
    assert!(by_breadth > 100, "{by_breadth}");
    assert!(four < 60, "degree 3 is rarely met: {four} of 120 are 4");
}

/// The least highest degree of any spanning tree, by trying all sets of edges.
fn least_degree(regions: usize, edges: &[(u32, u32)]) -> Option<u32> {
    let tree = |set: &u32| {
        let chosen: Vec<(u32, u32)> =
            (0..edges.len()).filter(|i| set >> i & 1 == 1).map(|i| edges[i]).collect();
        let all: Vec<u32> = (0..regions as u32).collect();
        Graph::new(regions, &chosen).connects(&all).then(|| {
            let degree = |r: u32| chosen.iter().filter(|&&(a, b)| a == r || b == r).count() as u32;
            all.iter().map(|&r| degree(r)).max().unwrap_or(0)
        })
    };
    let sets = (0..1u32 << edges.len()).filter(|set| set.count_ones() as usize == regions - 1);
    sets.filter_map(|set| tree(&set)).min()
}

#[test]
fn small_graphs_get_trees_within_one_of_the_best() {
    let mut random = Random::new(13);
    let (mut tried, mut above, mut by_breadth) = (0, 0, 0);
    while tried < 250 {
        let regions = 4 + random.below(5);
        // Hubs that many touch make high degrees.
        let end = |random: &mut Random| {
            let hubs = 1 + random.below(regions);
            random.below(hubs) as u32
        };
        let mut edges: Vec<(u32, u32)> = (0..regions + random.below(4))
            .map(|_| (end(&mut random), random.below(regions) as u32))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .filter(|(a, b)| a != b)
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let Some(least) = least_degree(regions, &edges) else { continue };
        tried += 1;
        let graph = Graph::new(regions, &edges);
        let degree = degree_of(&graph, &SpanningTree::new(&graph));
        assert!(degree <= least + 1, "{degree} where {least} is possible: {edges:?}");
        above += usize::from(degree > least && least > 2);
        by_breadth += usize::from(degree_of(&graph, &SpanningTree::by_breadth(&graph)) > least + 1);
    }
    assert!(by_breadth > 5, "the graphs are too easy: {by_breadth}, {above}");
}

/// A tower of wheels on one hub: relieving the hub needs regions relieved that need others relieved.
#[test]
fn relief_is_passed_on() {
    let mut random = Random::new(14);
    for petals in 2..40u32 {
        // A hub with petals; every petal is a path whose ends touch the hub, and neighbours touch at a random
        // place.
        let length = 2 + random.below(4) as u32;
        let at = |petal: u32, i: u32| 1 + petal * length + i;
        let mut edges = Vec::new();
        for petal in 0..petals {
            edges.extend((0..length).map(|i| (0, at(petal, i))));
            edges.extend((1..length).map(|i| (at(petal, i - 1), at(petal, i))));
            let place = random.below(length as usize) as u32;
            edges.push((at(petal, place), at((petal + 1) % petals, random.below(length as usize) as u32)));
        }
        let graph = Graph::new((1 + petals * length) as usize, &edges);
        // Each petal hangs on the next by one edge: walking round uses those and the paths, no region more
        // than four times.
        let degree = degree_of(&graph, &SpanningTree::new(&graph));
        assert!(degree <= 5, "{degree} with {petals} petals of {length}");
    }
}

#[test]
fn spanning_trees_have_low_degree() {
    // A wheel: the hub touches all, but the rim is a path through everybody.
    let rim: Vec<(u32, u32)> = (1..40).map(|i| (i, if i == 39 { 1 } else { i + 1 })).collect();
    let edges: Vec<(u32, u32)> = rim.into_iter().chain((1..40).map(|i| (0, i))).collect();
    let graph = Graph::new(40, &edges);
    assert!(degree_of(&graph, &SpanningTree::new(&graph)) <= 3);
}

#[test]
fn large_maps_are_quick() {
    let mut random = Random::new(15);
    let (graph, _) = map(&mut random, 60);
    assert!(SpanningTree::new(&graph).highest_degree() <= 4);
}
