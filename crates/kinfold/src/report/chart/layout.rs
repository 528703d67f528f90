//! Where regions lie when nobody tells: drawn from nothing but which of them touch.
//!
//! Pivot multidimensional scaling (Brandes and Pich 2006): how many borders each region is away from a few
//! regions far from each other, and the two directions in which these distances differ most. Real maps come
//! out recognizable, though turned or mirrored.

use super::labels::Spot;
use kinfold_model::regions::Graph;
use std::collections::VecDeque;

/// Regions that distances are taken from.
const PIVOTS: usize = 48;
/// Rounds of the power method; two directions need no more precision than the eye.
const ROUNDS: usize = 60;
/// Rounds in which everybody moves a quarter of the way to the middle of the neighbours: regions at equal
/// distances fall apart.
const SMOOTHED: usize = 3;
/// The gap between parts of the map, in typical distances between neighbours.
const GAP: f64 = 2.0;

/// A place for every region, y downwards. Parts that do not touch lie in rows, the largest first.
pub fn layout(graph: &Graph) -> Vec<Spot> {
    let component = graph.components();
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); component.iter().max().map_or(0, |&c| c as usize + 1)];
    (0u32..).zip(&component).for_each(|(region, &c)| parts[c as usize].push(region));
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    let mut places = vec![(0.0, 0.0); graph.regions()];
    let (mut x, mut y, mut row_height, mut width) = (0.0, 0.0, 0.0f64, 0.0f64);
    for part in parts {
        let spots = of_part(graph, &part);
        let (low, high) = corners(&spots);
        let size = (high.0 - low.0, high.1 - low.1);
        if x > 0.0 && x + size.0 > width {
            (x, y, row_height) = (0.0, y + row_height + GAP, 0.0);
        }
        for (&region, spot) in part.iter().zip(spots) {
            places[region as usize] = (x + spot.0 - low.0, y + spot.1 - low.1);
        }
        width = width.max(x + size.0);
        row_height = row_height.max(size.1);
        x += size.0 + GAP;
    }
    places
}

/// Lowest and highest coordinates.
pub fn corners(spots: &[Spot]) -> (Spot, Spot) {
    let start = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    spots
        .iter()
        .fold(start, |(low, high), s| ((low.0.min(s.0), low.1.min(s.1)), (high.0.max(s.0), high.1.max(s.1))))
}

/// Places for the regions of one part, typical neighbours at distance 1.
fn of_part(graph: &Graph, part: &[u32]) -> Vec<Spot> {
    let mut index = vec![u32::MAX; graph.regions()];
    (0u32..).zip(part).for_each(|(i, &region)| index[region as usize] = i);
    let neighbours: Vec<Vec<u32>> = part
        .iter()
        .map(|&region| graph.neighbours(region).iter().map(|&next| index[next as usize]).collect())
        .collect();
    let columns = centred(&distances(&neighbours));
    let [first, second] = two_directions(&columns);
    let along =
        |direction: &[f64], i: usize| columns.iter().zip(direction).map(|(c, d)| c[i] * d).sum::<f64>();
    // A direction's places are as far apart as the square root of how much it explains.
    let places = |direction: &[f64]| {
        let raw: Vec<f64> = (0..part.len()).map(|i| along(direction, i)).collect();
        let length = raw.iter().map(|r| r * r).sum::<f64>().powf(0.25).max(1e-9);
        raw.into_iter().map(move |r| r / length)
    };
    let mut spots: Vec<Spot> = places(&first).zip(places(&second)).collect();
    for _ in 0..SMOOTHED {
        spots = (0..part.len())
            .map(|i| {
                let near = neighbours[i].iter().map(|&n| spots[n as usize]);
                let sum = near.fold((0.0, 0.0), |sum, s| (sum.0 + s.0, sum.1 + s.1));
                let count = neighbours[i].len().max(1) as f64;
                ((3.0 * spots[i].0 + sum.0 / count) / 4.0, (3.0 * spots[i].1 + sum.1 / count) / 4.0)
            })
            .collect();
    }
    let scale = 1.0 / typical_length(&spots, &neighbours).max(1e-9);
    spots.into_iter().map(|(x, y)| (x * scale, y * scale)).collect()
}

/// The median distance between neighbours; 1 where there are none.
pub(crate) fn typical_length(spots: &[Spot], neighbours: &[Vec<u32>]) -> f64 {
    let length = |a: Spot, b: Spot| (a.0 - b.0).hypot(a.1 - b.1);
    let mut lengths: Vec<f64> = neighbours
        .iter()
        .enumerate()
        .flat_map(|(i, near)| near.iter().map(move |&n| length(spots[i], spots[n as usize])))
        .collect();
    lengths.sort_unstable_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied().unwrap_or(1.0)
}

/// For each pivot the steps to every region; the next pivot is whoever is furthest from all before.
fn distances(neighbours: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut nearest = vec![u32::MAX; neighbours.len()];
    let mut pivot = 0;
    let mut all = Vec::new();
    for _ in 0..PIVOTS.min(neighbours.len()) {
        let mut steps = vec![u32::MAX; neighbours.len()];
        steps[pivot] = 0;
        let mut queue = VecDeque::from([pivot]);
        while let Some(i) = queue.pop_front() {
            for &next in &neighbours[i] {
                if steps[next as usize] == u32::MAX {
                    steps[next as usize] = steps[i] + 1;
                    queue.push_back(next as usize);
                }
            }
        }
        nearest.iter_mut().zip(&steps).for_each(|(n, &s)| *n = (*n).min(s));
        pivot = (0..neighbours.len()).max_by_key(|&i| (nearest[i], std::cmp::Reverse(i))).unwrap_or(0);
        all.push(steps);
    }
    all
}

/// Squared distances less the averages of their row and column: what is left says where regions lie from each
/// other.
fn centred(distances: &[Vec<u32>]) -> Vec<Vec<f64>> {
    let squares: Vec<Vec<f64>> =
        distances.iter().map(|column| column.iter().map(|&d| f64::from(d).powi(2)).collect()).collect();
    let regions = squares.first().map_or(0, Vec::len);
    let of_row: Vec<f64> =
        (0..regions).map(|i| squares.iter().map(|c| c[i]).sum::<f64>() / squares.len() as f64).collect();
    let of_all = of_row.iter().sum::<f64>() / regions.max(1) as f64;
    let centre = |column: &Vec<f64>| {
        let average = column.iter().sum::<f64>() / regions.max(1) as f64;
        column.iter().zip(&of_row).map(|(d, row)| -0.5 * (d - row - average + of_all)).collect()
    };
    squares.iter().map(centre).collect()
}

/// The two directions in the space of pivots along which regions differ most, by the power method.
fn two_directions(columns: &[Vec<f64>]) -> [Vec<f64>; 2] {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let square: Vec<Vec<f64>> =
        columns.iter().map(|a| columns.iter().map(|b| product(a, b)).collect()).collect();
    let mut found: [Vec<f64>; 2] = Default::default();
    for at in 0..2 {
        let mut direction: Vec<f64> = (0..columns.len()).map(|i| 1.0 / (1 + i + at * i * i) as f64).collect();
        for _ in 0..ROUNDS {
            let mut next: Vec<f64> = square.iter().map(|row| product(row, &direction)).collect();
            for before in &found[..at] {
                let share = product(&next, before);
                next.iter_mut().zip(before).for_each(|(n, b)| *n -= share * b);
            }
            let length = product(&next, &next).sqrt();
            if length > 0.0 {
                direction = next.iter().map(|n| n / length).collect();
            }
        }
        found[at] = direction;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of regions, and one apart.
    fn grid(wide: usize, high: usize) -> Graph {
        let at = |x: usize, y: usize| (y * wide + x) as u32;
        let mut edges = Vec::new();
        for y in 0..high {
            for x in 0..wide {
                edges.extend((x + 1 < wide).then(|| (at(x, y), at(x + 1, y))));
                edges.extend((y + 1 < high).then(|| (at(x, y), at(x, y + 1))));
            }
        }
        Graph::new(wide * high + 1, &edges)
    }

    #[test]
    fn neighbours_lie_close_and_others_apart() {
        let (wide, high) = (12, 7);
        let spots = layout(&grid(wide, high));
        let length = |a: usize, b: usize| (spots[a].0 - spots[b].0).hypot(spots[a].1 - spots[b].1);
        for y in 0..high {
            for x in 0..wide - 1 {
                let near = length(y * wide + x, y * wide + x + 1);
                assert!((0.2..2.0).contains(&near), "{near} at {x} {y}");
            }
        }
        assert!(length(0, wide * high - 1) > 8.0, "opposite corners");
        let (low, high_end) = corners(&spots[..wide * high]);
        assert!(high_end.0 - low.0 > high_end.1 - low.1, "the longer side lies across");
        let apart = spots[wide * high];
        assert!(spots[..wide * high].iter().all(|s| (s.0 - apart.0).hypot(s.1 - apart.1) > 2.0));
    }

    #[test]
    fn small_maps_have_places_too() {
        assert!(layout(&Graph::new(0, &[])).is_empty());
        assert_eq!(layout(&Graph::new(1, &[])), [(0.0, 0.0)]);
        for spots in [layout(&Graph::new(2, &[(0, 1)])), layout(&Graph::new(3, &[]))] {
            assert!(spots.iter().all(|s| s.0.is_finite() && s.1.is_finite()));
            assert!((spots[0].0 - spots[1].0).hypot(spots[0].1 - spots[1].1) > 0.5, "{spots:?}");
        }
    }
}
