//! What groups reach on a protected column, in time by the values that occur in them. Tests compare it with the plain
//! definition, which looks at every value of the table for every group.

use super::closeness::{Apart, Line};
use super::likeness::Limit;
use super::logarithm::entropy_reaches;
use super::plain::recursive;
use super::reached::tightest;
use super::running::Running;
use super::{Decimal, Distance, Group, ReachedColumn, Requirement, Requirements};
use crate::members::Members;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The rows of so many groups, where every row has a group and stands for so many people. Rows that stand for nobody
/// are left out.
pub(crate) fn members_of(groups: usize, group_of: &[u32], people: &[u64]) -> Members {
    let there = (0u32..).zip(group_of.iter().zip(people)).filter(|(_, (_, people))| **people > 0);
    Members::new(groups, there.map(|(row, (&group, _))| (row, group)))
}

/// What knowing somebody's group tells of a value; a missing one is a value here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Guessed {
    /// People in groups where all have the same value.
    pub certain: u64,
    /// People in groups where more than 80 % have the same value.
    pub likely: u64,
    /// People who have the commonest value of their group.
    pub right: u64,
}

/// The share of a group from which on its commonest value is likely.
const LIKELY: f64 = 0.8;

/// Values that occur in a group, ascending, each with its people.
type Counts = [(u32, u64)];

/// How many people of every group have each value of one protected column.
#[derive(Debug, Clone, Default)]
pub struct Occurrences {
    /// Values that occur in group 0 in ascending order, each with its people, then those of group 1, …
    counts: Vec<(u32, u64)>,
    ends: Vec<usize>,
    people: Vec<u64>,
}

impl Occurrences {
    /// Where every row has this value and stands for so many people.
    pub(crate) fn new(members: &Members, value_of: impl Fn(u32) -> u32, people: &[u64]) -> Self {
        let mut occurrences = Self::default();
        let mut values = Vec::new();
        for rows in members.each() {
            values.clear();
            values.extend(rows.iter().map(|&row| (value_of(row), people[row as usize])));
            occurrences.push(&mut values);
        }
        occurrences
    }

    /// Adds a group with these values, each with its people; a value may come several times.
    pub(crate) fn push(&mut self, values: &mut [(u32, u64)]) {
        values.sort_unstable_by_key(|&(value, _)| value);
        let same = values.chunk_by(|one, other| one.0 == other.0);
        let sum = |same: &Counts| same.iter().map(|&(_, people)| people).sum::<u64>();
        self.counts.extend(same.map(|same| (same[0].0, sum(same))));
        self.ends.push(self.counts.len());
        self.people.push(sum(values));
    }

    /// The people of every group, and how many of them have each value that occurs.
    fn groups(&self) -> impl Iterator<Item = (u64, &Counts)> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let groups = starts.zip(&self.ends).map(|(start, &end)| &self.counts[start..end]);
        self.people.iter().copied().zip(groups)
    }

    /// The groups as the plain definition takes them, where this is the only protected column and everybody
    /// is a person.
    pub(crate) fn plain_groups(&self) -> impl Iterator<Item = Group> {
        self.groups().map(|(people, counts)| {
            let histogram: BTreeMap<u32, u64> = counts.iter().copied().collect();
            Group { people, persons: people, population: None, histograms: vec![histogram] }
        })
    }

    /// What an attacker who knows somebody's group learns of the value: how many people's he knows for certain,
    /// how many with a chance above 80 %, and how many he guesses right by the commonest value of the group.
    pub(crate) fn guessed(&self) -> Guessed {
        let mut guessed = Guessed::default();
        for (people, counts) in self.groups() {
            let most = counts.iter().map(|&(_, people)| people).max().unwrap_or(0);
            guessed.certain += if counts.len() == 1 { people } else { 0 };
            guessed.likely += if most as f64 > LIKELY * people as f64 { people } else { 0 };
            guessed.right += most;
        }
        guessed
    }

    /// What all groups reach on a protected column. Groups without people do not count.
    pub(crate) fn reached(&self, requirements: &Requirements, column: usize) -> Option<ReachedColumn> {
        let about = requirements.columns.get(column)?;
        let whole = requirements.whole.people;
        let groups: Vec<(u64, &Counts)> = self.groups().filter(|(people, _)| *people > 0).collect();
        let known = |counts: &Counts| -> Vec<u64> {
            counts.iter().filter(|(value, _)| Some(*value) != about.missing).map(|&(_, c)| c).collect()
        };
        let distinct = groups.iter().map(|(_, counts)| known(counts).len()).min()?;
        let (zero, one) = (Decimal::default(), Decimal::whole(1));
        let entropy = tightest(&groups, Decimal::whole(about.totals.len() as u32), one, |l, (_, counts)| {
            entropy_reaches(&known(counts), l)
        });
        let recursive = tightest(&groups, Decimal::default(), Decimal::MAX, |c, (_, counts)| {
            recursive(known(counts), c, distinct as u32)
        });
        let close = |apart: &dyn Fn(&Counts, u64) -> Option<Apart>| {
            let holds = |t, &(people, counts): &(u64, &Counts)| {
                apart(counts, people).is_some_and(|apart| apart.at_most(t))
            };
            tightest(&groups, zero, one, holds).unwrap_or(one)
        };
        let summed = |distance| {
            let requirement = Requirement::Close { column, t: one, distance };
            let running = Running::new(&requirement, &requirements.columns, whole);
            close(&|counts, people| match &running {
                Running::Sum(sum) => sum.apart_of(counts, people),
                _ => None,
            })
        };
        let ordered = |line: &Line| {
            close(&|counts, people| {
                Some(line.apart(|tell| counts.iter().for_each(|&(value, count)| tell(value, count)), people))
            })
        };

        // How far shares in groups are from those in the table: c·N / (n·T), without N.
        let ratios = groups.iter().flat_map(|&(people, counts)| {
            let expected = move |value: u32| u128::from(people) * u128::from(about.totals[value as usize]);
            counts.iter().map(move |&(value, count)| (count, expected(value)))
        });
        let compare = |one: (u64, u128), two: (u64, u128)| {
            (u128::from(one.0) * two.1).cmp(&(u128::from(two.0) * one.1))
        };
        let furthest =
            |end| ratios.clone().reduce(|best, next| if compare(next, best) == end { next } else { best });
        let (largest, smallest) = (furthest(Ordering::Greater)?, furthest(Ordering::Less)?);
        let gain = u128::from(largest.0) * u128::from(whole) * u128::from(Decimal::ONE);
        let likeness = u64::try_from(gain.div_ceil(largest.1.max(1))).ok();
        let likeness = likeness.and_then(|share| Decimal::of_units(share.saturating_sub(Decimal::ONE)));
        let most: Vec<Limit> = (0..about.totals.len() as u32)
            .map(|value| Limit::likeness(about, value, whole, Decimal::MAX, true))
            .collect();
        let allowed = groups.iter().all(|&(people, counts)| {
            counts.iter().all(|&(value, count)| most[value as usize].allows(count, people, whole))
        });
        let lacking = groups.iter().any(|(_, counts)| counts.len() < about.totals.len());
        let least = Decimal::of_units(1).unwrap_or_default();
        let disclosure = tightest(&[largest, smallest], least, Requirements::MOST_DELTA, |delta, end| {
            Limit::ratio_within(end.0, whole, end.1, delta)
        });
        let log = |(count, under): (u64, u128)| (count as f64 * whole as f64 / under as f64).ln().abs();
        Some(ReachedColumn {
            distinct: distinct as u32,
            entropy: entropy.filter(|_| distinct > 0).unwrap_or_default(),
            recursive: recursive.filter(|_| distinct > 0),
            equal: summed(Distance::Equal),
            ordered: about.line.as_ref().map(ordered),
            tree: about.shape.as_ref().map(|_| summed(Distance::Tree)),
            likeness,
            enhanced: likeness.filter(|_| allowed),
            disclosure: disclosure.filter(|_| !lacking),
            disclosure_of_present: log(largest).max(log(smallest)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::naive::{Random, Sample};
    use super::super::tests::reached::Reached;
    use super::*;

    #[test]
    fn what_occurs_reaches_what_the_plain_definition_says() {
        let random = &mut Random(9);
        let mut told = 0;
        for round in 0..1200 {
            let many = round % 10 == 9;
            let (rows, codes) = if many { (300, 60) } else { (2 + random.below(40), 1 + random.below(6)) };
            let mut sample = Sample::random(random, rows, codes.max(2));
            let requirements = sample.require(vec![]);
            let count = 1 + random.below(if many { 4 } else { 3 }) as usize;
            let group_of: Vec<u32> = (0..rows).map(|_| random.below(count as u64) as u32).collect();
            let members = members_of(count, &group_of, &sample.sizes);
            let value_of = |row: u32| sample.row(row as usize).values[0];
            let occurrences = Occurrences::new(&members, value_of, &sample.sizes);
            let rows_of = |rows: &[u32]| rows.iter().map(|&row| row as usize).collect::<Vec<_>>();
            let plain: Vec<Group> = members
                .each()
                .filter(|rows| !rows.is_empty())
                .map(|rows| Group::of(&requirements, sample.rows(&rows_of(rows))))
                .collect();
            let slow = Reached::by(&requirements, &plain).columns.remove(0);
            let mut fast = occurrences.reached(&requirements, 0).unwrap();
            assert!((fast.disclosure_of_present - slow.disclosure_of_present).abs() < 1e-12);
            fast.disclosure_of_present = slow.disclosure_of_present;
            assert_eq!(fast, slow, "round {round}");
            told += u32::from(fast.disclosure.is_some());
            let alone = |g: &&Group| g.histograms[0].values().filter(|&&c| c > 0).count() == 1;
            let people: u64 = plain.iter().filter(alone).map(|g| g.people).sum();
            let most = |g: &Group| g.histograms[0].values().max().copied().unwrap_or(0);
            let likely = plain.iter().filter(|g| 5 * most(g) > 4 * g.people).map(|g| g.people).sum();
            let right = plain.iter().map(most).sum();
            assert_eq!(occurrences.guessed(), Guessed { certain: people, likely, right });
            for (one, other) in occurrences.plain_groups().filter(|g| g.people > 0).zip(&plain) {
                assert_eq!((one.people, one.histograms), (other.people, other.histograms.clone()));
            }
        }
        assert!(told > 50, "{told}");
    }

    #[test]
    fn rows_of_nobody_are_not_there() {
        let mut sample = Sample::random(&mut Random(1), 6, 3);
        sample.sizes = vec![1, 0, 2, 0, 0, 1];
        let members = members_of(3, &[0, 0, 1, 1, 2, 1], &sample.sizes);
        assert_eq!(members.each().collect::<Vec<_>>(), [&[0][..], &[2, 5], &[]]);
    }
}
