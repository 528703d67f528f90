//! How many of a population fit a box: asked for every group, so the population is counted once into a tree.
//!
//! Everybody is a point with a place per column. A box wants, per column, a place in one of some runs, or
//! anything. The tree halves the points at the median of the column that they are spread over most; a node
//! knows the bounds of its points and how many people they are. So counting a box skips nodes that lie outside
//! it, and takes nodes that lie inside it as a whole.

use std::ops::Range;

/// Runs of places, ascending and apart: from the first to the second of each pair.
pub(crate) type Runs = Vec<(u32, u32)>;

/// The place of a value that is in no run. It fits only where anything does.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// So many points are counted one by one.
const LEAF: usize = 12;

/// A population whose members are counted by boxes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Population {
    columns: usize,
    /// The places of every distinct point, point by point, and how many people it is.
    places: Vec<u32>,
    people: Vec<u64>,
    /// The first node is the root; the children of a node are in other places of the list.
    nodes: Vec<Node>,
    /// The lowest and the highest place of every node, column by column.
    bounds: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// Its points.
    first: u32,
    end: u32,
    people: u64,
    /// The node of its first half; the next one is that of the second. None if it is a leaf.
    halves: Option<u32>,
}

impl Population {
    /// Of people with these places, person by person (so many per person as there are columns), each of whom
    /// counts for so many.
    pub(crate) fn new(columns: usize, places: &[u32], people: impl Fn(usize) -> u64) -> Self {
        let rows: Vec<&[u32]> = places.chunks_exact(columns.max(1)).collect();
        let mut order: Vec<u32> = (0..rows.len() as u32).filter(|&row| people(row as usize) > 0).collect();
        order.sort_unstable_by_key(|&row| (rows[row as usize], row));
        // The same place on all columns is one point.
        let points = order.chunk_by(|&a, &b| rows[a as usize] == rows[b as usize]);
        let mut points: Vec<(&[u32], u64)> = points
            .map(|same| (rows[same[0] as usize], same.iter().map(|&row| people(row as usize)).sum()))
            .collect();
        let mut population = Self { columns, ..Self::default() };
        let widest = bounds_of(&points, columns);
        let mut open = vec![(0, 0, points.len())];
        population.push(&points, 0);
        while let Some((node, first, end)) = open.pop() {
            if end - first <= LEAF {
                continue;
            }
            let column = population.spread(node, &widest);
            let half = (end - first) / 2;
            // Points differ, so their order does not depend on how they are sorted.
            points[first..end].select_nth_unstable_by_key(half, |&(place, _)| (place[column], place));
            let next = population.nodes.len();
            population.nodes[node].halves = Some(next as u32);
            population.push(&points[first..first + half], first);
            population.push(&points[first + half..end], first + half);
            open.extend([(next, first, first + half), (next + 1, first + half, end)]);
        }
        population.places = points.iter().flat_map(|&(place, _)| place).copied().collect();
        population.people = points.iter().map(|&(_, people)| people).collect();
        population
    }

    fn push(&mut self, points: &[(&[u32], u64)], first: usize) {
        self.bounds.extend(bounds_of(points, self.columns));
        let people = points.iter().map(|&(_, people)| people).sum();
        let end = (first + points.len()) as u32;
        self.nodes.push(Node { first: first as u32, end, people, halves: None });
    }

    /// The column of which a node covers the largest share; of several the first.
    fn spread(&self, node: usize, widest: &[(u32, u32)]) -> usize {
        let bounds = &self.bounds[node * self.columns..][..self.columns];
        let share = |column: usize| {
            let width = |(low, high): (u32, u32)| f64::from(high - low);
            width(bounds[column]) / width(widest[column]).max(1.0)
        };
        (1..self.columns).fold(0, |best, column| if share(column) > share(best) { column } else { best })
    }

    /// How many people there are.
    pub(crate) fn people(&self) -> u64 {
        self.nodes.first().map_or(0, |root| root.people)
    }

    /// How many people have a place in a run of every column; `None`: any place will do.
    pub(crate) fn count(&self, wanted: &[Option<Runs>]) -> u64 {
        let mut people = 0;
        self.each(wanted, |_, own| people += own);
        people
    }

    /// The number of the point whose person alone has a place in a run of every column, if there is one such
    /// person.
    pub(crate) fn only(&self, wanted: &[Option<Runs>]) -> Option<usize> {
        let (mut people, mut last) = (0, None);
        self.each(wanted, |point, own| (people, last) = (people + own, Some(point)));
        last.filter(|_| people == 1)
    }

    /// Tells of everybody with a place in a run of every column: a point and its people, or the first point of a
    /// node and all people of it.
    fn each(&self, wanted: &[Option<Runs>], mut tell: impl FnMut(usize, u64)) {
        let asked = wanted.iter().enumerate().filter_map(|(column, runs)| Some((column, runs.as_ref()?)));
        let mut asked: Vec<(usize, &Runs)> = asked.collect();
        let all = asked.len();
        self.each_in(0, &mut asked, 0..all, &mut tell);
    }

    /// Of one node. Only the columns in this part of the list are still open.
    fn each_in(
        &self,
        node: usize,
        asked: &mut Vec<(usize, &Runs)>,
        open: Range<usize>,
        tell: &mut impl FnMut(usize, u64),
    ) {
        let Some(about) = self.nodes.get(node) else { return };
        let bounds = &self.bounds[node * self.columns..][..self.columns];
        let start = asked.len();
        for at in open {
            let (column, runs) = asked[at];
            match inside(runs, bounds[column]) {
                Inside::Wholly => {}
                Inside::Partly => asked.push((column, runs)),
                Inside::Not => return asked.truncate(start),
            }
        }
        let end = asked.len();
        if start == end {
            tell(about.first as usize, about.people);
        } else if let Some(half) = about.halves {
            self.each_in(half as usize, asked, start..end, tell);
            self.each_in(half as usize + 1, asked, start..end, tell);
        } else {
            let fits = |point: &usize| {
                let places = &self.places[point * self.columns..][..self.columns];
                asked[start..].iter().all(|&(column, runs)| holds(runs, places[column]))
            };
            let points = about.first as usize..about.end as usize;
            points.filter(fits).for_each(|point| tell(point, self.people[point]));
        }
        asked.truncate(start);
    }
}

fn bounds_of(points: &[(&[u32], u64)], columns: usize) -> Vec<(u32, u32)> {
    let mut bounds = vec![(u32::MAX, 0); columns];
    for (place, _) in points {
        for ((low, high), &at) in bounds.iter_mut().zip(*place) {
            (*low, *high) = ((*low).min(at), (*high).max(at));
        }
    }
    // Of nobody.
    bounds.iter_mut().filter(|(low, high)| low > high).for_each(|bound| *bound = (0, 0));
    bounds
}

enum Inside {
    Wholly,
    Partly,
    Not,
}

/// Where bounds lie: within one run, across some, or between them.
#[inline]
fn inside(runs: &Runs, (low, high): (u32, u32)) -> Inside {
    // The first run that does not end before the bounds begin.
    let at = runs.partition_point(|run| run.1 < low);
    match runs.get(at) {
        Some(&(first, last)) if first <= low && high <= last => Inside::Wholly,
        Some(&(first, _)) if first <= high => Inside::Partly,
        _ => Inside::Not,
    }
}

#[inline]
fn holds(runs: &Runs, place: u32) -> bool {
    runs.get(runs.partition_point(|run| run.1 < place)).is_some_and(|run| run.0 <= place)
}

/// Spans in any order as runs.
pub(crate) fn runs_of(mut spans: Runs) -> Runs {
    spans.sort_unstable();
    let mut runs: Runs = Vec::with_capacity(spans.len());
    for (first, last) in spans {
        match runs.last_mut() {
            Some(run) if first <= run.1.saturating_add(1) => run.1 = run.1.max(last),
            _ => runs.push((first, last)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % u64::from(n)) as u32
        }
    }

    #[test]
    fn the_tree_counts_what_going_through_everybody_counts() {
        let mut dice = Dice(5);
        let mut found_alone = 0;
        for round in 0..120 {
            let columns = 1 + dice.below(4) as usize;
            let rows = dice.below(400) as usize;
            let widths: Vec<u32> =
                (0..columns).map(|_| 1 + dice.below(if round % 2 == 0 { 6 } else { 200 })).collect();
            let mut places = Vec::new();
            for _ in 0..rows {
                places.extend(widths.iter().map(|&width| {
                    let nowhere = dice.below(20) == 0;
                    if nowhere { NOWHERE } else { dice.below(width) }
                }));
            }
            let sizes: Vec<u64> = (0..rows).map(|_| u64::from(dice.below(3))).collect();
            let population = Population::new(columns, &places, |row| sizes[row]);
            assert_eq!(population.people(), sizes.iter().sum::<u64>());
            for _ in 0..40 {
                let wanted: Vec<Option<Runs>> = widths
                    .iter()
                    .map(|&width| {
                        let pick = |dice: &mut Dice| {
                            let (a, b) = (dice.below(width), dice.below(width));
                            (a.min(b), a.max(b))
                        };
                        (dice.below(4) > 0)
                            .then(|| runs_of((0..1 + dice.below(3)).map(|_| pick(&mut dice)).collect()))
                    })
                    .collect();
                let fits = |row: &usize| {
                    let place = &places[row * columns..][..columns];
                    wanted.iter().zip(place).all(|(runs, &at)| {
                        runs.as_ref().is_none_or(|runs| runs.iter().any(|&(a, b)| a <= at && at <= b))
                    })
                };
                let people: u64 = (0..rows).filter(fits).map(|row| sizes[row]).sum();
                assert_eq!(population.count(&wanted), people);
                let alone = population.only(&wanted);
                assert_eq!(alone.is_some(), people == 1);
                if let Some(point) = alone {
                    let row = (0..rows).filter(fits).find(|&row| sizes[row] == 1).unwrap();
                    assert_eq!(
                        population.places[point * columns..][..columns],
                        places[row * columns..][..columns]
                    );
                    found_alone += 1;
                }
            }
        }
        assert!(found_alone > 20, "some boxes must hold one person");
    }

    #[test]
    fn runs_are_joined_where_they_touch() {
        assert_eq!(runs_of(vec![(5, 6), (1, 2), (3, 3), (6, 9), (11, 11)]), [(1, 3), (5, 9), (11, 11)]);
        assert_eq!(Population::new(2, &[], |_| 1).count(&[None, None]), 0);
        assert_eq!(Population::new(1, &[NOWHERE, 4], |_| 2).count(&[Some(vec![(0, 9)])]), 2);
        assert_eq!(Population::new(1, &[NOWHERE, 4], |_| 2).count(&[None]), 4);
    }
}
