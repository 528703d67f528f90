//! How many of a population fit a box: asked for every group, so the population is counted once into a tree.
//!
//! Everybody is a point with a place per column; those with the same places are one point.

use super::points::{Points, Runs};

/// The place of a value that is in no run. It fits only where anything does.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A population whose members are counted by boxes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Population {
    points: Points,
    /// How many people the points before each place of their order are, and all of them.
    before: Vec<u64>,
}

impl Population {
    /// Of people with these places, person by person (so many per person as there are columns), each of whom
    /// counts for so many.
    pub(crate) fn new(columns: usize, places: &[u32], people: impl Fn(usize) -> u64) -> Self {
        let rows: Vec<&[u32]> = places.chunks_exact(columns.max(1)).collect();
        let mut order: Vec<u32> = (0..rows.len() as u32).filter(|&row| people(row as usize) > 0).collect();
        order.sort_unstable_by_key(|&row| (rows[row as usize], row));
        let same: Vec<&[u32]> = order.chunk_by(|&a, &b| rows[a as usize] == rows[b as usize]).collect();
        let places = same.iter().flat_map(|same| rows[same[0] as usize]).copied().collect();
        let points = Points::new(columns, places);
        let mut before = vec![0];
        for &point in points.order() {
            let own: u64 = same[point as usize].iter().map(|&row| people(row as usize)).sum();
            before.push(before[before.len() - 1] + own);
        }
        Self { points, before }
    }

    pub(crate) fn people(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// How many people have a place in a run of every column; `None`: any place will do.
    pub(crate) fn count(&self, wanted: &[Option<Runs>]) -> u64 {
        let mut people = 0;
        self.each(wanted, |_, own| people += own);
        people
    }

    /// The point whose person alone has a place in a run of every column, if there is one such person.
    pub(crate) fn only(&self, wanted: &[Option<Runs>]) -> Option<usize> {
        let (mut people, mut last) = (0, None);
        self.each(wanted, |point, own| (people, last) = (people + own, Some(point)));
        last.filter(|_| people == 1)
    }

    /// Tells of everybody with a place in a run of every column: the first of some points, and the people of all of
    /// these.
    fn each(&self, wanted: &[Option<Runs>], mut tell: impl FnMut(usize, u64)) {
        let asked = wanted.iter().enumerate().filter_map(|(column, runs)| Some((column, runs.as_deref()?)));
        self.points.each(asked, |points| {
            tell(points.start, self.before[points.end] - self.before[points.start]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::points::runs_of;
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
                    assert_eq!(population.points.at(point), &places[row * columns..][..columns]);
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
