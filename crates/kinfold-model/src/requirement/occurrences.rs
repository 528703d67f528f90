//! What groups reach on a protected column, in time by the values that occur in them. The plain way,
//! [`Reached::by`](super::Reached::by), looks at every value of the table for every group; both give the same.

use super::likeness::Limit;
use super::logarithm::entropy_reaches;
use super::protected::Column;
use super::reached::tightest;
use super::{Decimal, Group, ReachedColumn, Requirements};
use std::collections::{BTreeMap, BTreeSet};

/// The rows of every group. Rows that stand for nobody are left out.
#[derive(Debug, Clone)]
pub struct Members {
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Members {
    /// Of so many groups, where every row has a group and stands for so many people.
    pub(crate) fn new(groups: usize, group_of: &[u32], people: &[u64]) -> Self {
        let there = || (0u32..).zip(group_of.iter().zip(people)).filter(|(_, (_, people))| **people > 0);
        let mut starts = vec![0u32; groups + 1];
        there().for_each(|(_, (&group, _))| starts[group as usize + 1] += 1);
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[groups] as usize];
        for (row, (&group, _)) in there() {
            let at = &mut next[group as usize];
            rows[*at as usize] = row;
            *at += 1;
        }
        Self { rows, starts }
    }

    /// The rows of every group.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.rows[ends[0] as usize..ends[1] as usize])
    }
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
        for rows in members.groups() {
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
        let sum = |same: &[(u32, u64)]| same.iter().map(|&(_, people)| people).sum::<u64>();
        self.counts.extend(same.map(|same| (same[0].0, sum(same))));
        self.ends.push(self.counts.len());
        self.people.push(sum(values));
    }

    /// The people of every group, and how many of them have each value that occurs.
    fn groups(&self) -> impl Iterator<Item = (u64, &[(u32, u64)])> {
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
        let known = |counts: &[(u32, u64)]| -> Vec<u64> {
            counts.iter().filter(|(value, _)| Some(*value) != about.missing).map(|&(_, c)| c).collect()
        };
        let groups = || self.groups().filter(|(people, _)| *people > 0);
        groups().next()?;
        let distinct = groups().map(|(_, counts)| known_values(counts, about)).min().unwrap_or(0) as u32;
        let mut ratios = Ratios::default();
        let [mut recursive, mut equal, mut ordered, mut tree] = [Part::default(); 4];
        let mut allowed = true;
        let most: Vec<Limit> = (0..about.totals.len() as u32)
            .map(|value| Limit::likeness(about, value, whole, Decimal::MAX, true))
            .collect();
        let mut paths = about.shape.as_ref().map(|shape| shape.paths(&about.totals));
        for (people, counts) in groups() {
            if distinct > 0 {
                let mut known = known(counts);
                known.sort_unstable_by(|a, b| b.cmp(a));
                let rest: u64 = known[distinct as usize - 1..].iter().sum();
                recursive.raise(u128::from(known[0]), u128::from(rest));
            }
            let mut surplus = 0;
            for &(value, count) in counts {
                let (n, total) = (u128::from(people), u128::from(about.totals[value as usize]));
                surplus += (u128::from(count) * u128::from(whole)).saturating_sub(total * n);
                ratios.see(count, n * total);
                allowed &= most[value as usize].allows(count, people, whole);
            }
            ratios.lacking |= counts.len() < about.totals.len();
            equal.raise(surplus, u128::from(people) * u128::from(whole));
            if let Some(line) = &about.line {
                let apart = line.apart(|tell| counts.iter().for_each(|&(v, c)| tell(v, c)), people);
                ordered.raise(apart.distance, apart.scale);
            }
            if let (Some(shape), Some(paths)) = (&about.shape, &mut paths) {
                let apart = paths.apart(shape, counts, people, whole);
                tree.raise(apart.distance, apart.scale);
            }
        }
        let close = |part: Part| Decimal::of_units(part.up(Decimal::ONE)).unwrap_or(Decimal::whole(1));
        let likeness = ratios.largest_over(whole).up(Decimal::ONE).saturating_sub(Decimal::ONE);
        let likeness = Decimal::of_units(likeness);
        Some(ReachedColumn {
            distinct,
            entropy: self.entropy(about, distinct),
            // The next above, as the commonest must be strictly less than c times the rest.
            recursive: Some(recursive.down(Decimal::ONE) + 1)
                .filter(|_| distinct > 0)
                .and_then(Decimal::of_units),
            equal: close(equal),
            ordered: about.line.as_ref().map(|_| close(ordered)),
            tree: about.shape.as_ref().map(|_| close(tree)),
            likeness,
            enhanced: likeness.filter(|_| allowed),
            disclosure: ratios.disclosure(whole),
            disclosure_of_present: ratios.of_present(whole),
        })
    }

    /// The largest ℓ of entropy diversity. Floats find the groups that matter, the definition decides.
    fn entropy(&self, about: &Column, distinct: u32) -> Decimal {
        if distinct == 0 {
            return Decimal::default();
        }
        let known = |counts: &'_ [(u32, u64)]| -> Vec<u64> {
            counts.iter().filter(|(value, _)| Some(*value) != about.missing).map(|&(_, c)| c).collect()
        };
        let x_ln_x: Vec<f64> =
            (0..256).map(|x| if x > 1 { x as f64 * (x as f64).ln() } else { 0.0 }).collect();
        let times_ln = |x: u64| x_ln_x.get(x as usize).copied().unwrap_or_else(|| x as f64 * (x as f64).ln());
        let about_entropy = |counts: &[(u32, u64)]| {
            let known = counts.iter().filter(|(value, _)| Some(*value) != about.missing);
            let (n, sum) = known.fold((0, 0.0), |(n, sum), &(_, c)| (n + c, sum + times_ln(c)));
            (times_ln(n) - sum) / n.max(1) as f64
        };
        let there = || self.groups().filter(|(people, _)| *people > 0);
        let rough: Vec<f64> = there().map(|(_, counts)| about_entropy(counts)).collect();
        let least = rough.iter().copied().fold(f64::INFINITY, f64::min);
        let most_values = there().map(|(_, counts)| counts.len()).max().unwrap_or(0);
        let near = least + 1e-9 * (1.0 + most_values as f64 / 64.0);
        let lowest: BTreeSet<Vec<u64>> = there()
            .zip(&rough)
            .filter(|(_, rough)| **rough <= near)
            .map(|((_, counts), _)| {
                let mut known = known(counts);
                known.sort_unstable();
                known
            })
            .collect();
        let lowest: Vec<Vec<u64>> = lowest.into_iter().collect();
        let strictest = Decimal::whole(about.totals.len() as u32).units();
        let units = tightest(&lowest, strictest, Decimal::ONE, |units, counts| {
            Decimal::of_units(units).is_some_and(|l| entropy_reaches(counts, l))
        });
        units.and_then(Decimal::of_units).unwrap_or_default()
    }
}

fn known_values(counts: &[(u32, u64)], about: &Column) -> usize {
    let missing = |missing: u32| counts.binary_search_by_key(&missing, |&(value, _)| value).is_ok();
    counts.len() - usize::from(about.missing.is_some_and(missing))
}

/// The largest of several fractions.
#[derive(Debug, Clone, Copy)]
struct Part {
    over: u128,
    under: u128,
}

impl Default for Part {
    fn default() -> Self {
        Self { over: 0, under: 1 }
    }
}

impl Part {
    fn raise(&mut self, over: u128, under: u128) {
        // Floats tell most of them apart; products of both would not fit for closeness.
        let [new, old] = [(over, under), (self.over, self.under)].map(|(a, b)| a as f64 / b as f64);
        if new > old * (1.0 + 1e-12) || new >= old * (1.0 - 1e-12) && exceeds((over, under), *self) {
            *self = Self { over, under };
        }
    }

    /// In so many parts of one, rounded up.
    fn up(self, one: u64) -> u64 {
        u64::try_from((self.over * u128::from(one)).div_ceil(self.under.max(1))).unwrap_or(u64::MAX)
    }

    /// The same, rounded down.
    fn down(self, one: u64) -> u64 {
        u64::try_from(self.over * u128::from(one) / self.under.max(1)).unwrap_or(u64::MAX)
    }
}

/// Whether one fraction is larger than another, by whole parts and then what is left of them.
fn exceeds((mut over, mut under): (u128, u128), than: Part) -> bool {
    let Part { over: mut other, under: mut below } = than;
    loop {
        let [whole, another] = [over / under, other / below];
        if whole != another {
            return whole > another;
        }
        (over, other) = (over % under, other % below);
        if over == 0 || other == 0 {
            return over > 0;
        }
        // a/b > c/d exactly if d/c > b/a.
        (over, under, other, below) = (below, other, under, over);
    }
}

/// How far shares in groups are from those in the table: c·N / (n·T), without N.
#[derive(Debug, Clone, Copy, Default)]
struct Ratios {
    largest: Option<(u64, u128)>,
    smallest: Option<(u64, u128)>,
    lacking: bool,
}

impl Ratios {
    fn see(&mut self, count: u64, under: u128) {
        let product = |count: u64, under: u128| u128::from(count) * under;
        if self.largest.is_none_or(|(c, u)| product(count, u) > product(c, under)) {
            self.largest = Some((count, under));
        }
        if self.smallest.is_none_or(|(c, u)| product(count, u) < product(c, under)) {
            self.smallest = Some((count, under));
        }
    }

    fn largest_over(self, whole: u64) -> Part {
        let (count, under) = self.largest.unwrap_or((0, 1));
        Part { over: u128::from(count) * u128::from(whole), under }
    }

    /// The smallest δ that allows both ends.
    fn disclosure(self, whole: u64) -> Option<Decimal> {
        let ends: Vec<(u64, u128)> = self.largest.into_iter().chain(self.smallest).collect();
        let most = Requirements::MOST_DELTA.units();
        let units = tightest(&ends, 1, most, |units, &(count, under)| {
            Decimal::of_units(units).is_some_and(|delta| Limit::ratio_within(count, whole, under, delta))
        });
        units.filter(|_| !self.lacking).and_then(Decimal::of_units)
    }

    fn of_present(self, whole: u64) -> f64 {
        let log = |(count, under): (u64, u128)| (count as f64 * whole as f64 / under as f64).ln().abs();
        self.largest.into_iter().chain(self.smallest).map(log).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reached;
    use super::super::naive::{Random, Sample};
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
            let members = Members::new(count, &group_of, &sample.sizes);
            let value_of = |row: u32| sample.row(row as usize).values[0];
            let occurrences = Occurrences::new(&members, value_of, &sample.sizes);
            let rows_of = |rows: &[u32]| rows.iter().map(|&row| row as usize).collect::<Vec<_>>();
            let plain: Vec<Group> = members
                .groups()
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
        let members = Members::new(3, &[0, 0, 1, 1, 2, 1], &sample.sizes);
        assert_eq!(members.groups().collect::<Vec<_>>(), [&[0][..], &[2, 5], &[]]);
    }

    #[test]
    fn fractions_are_compared_exactly() {
        let big = u128::MAX / 3;
        let part = |over, under| Part { over, under };
        assert!(exceeds((big, big - 1), part(big + 1, big)));
        assert!(!exceeds((big + 1, big), part(big, big - 1)));
        assert!(!exceeds((2, 4), part(1, 2)) && exceeds((1, 2), part(0, 5)) && !exceeds((0, 5), part(1, 2)));
    }
}
