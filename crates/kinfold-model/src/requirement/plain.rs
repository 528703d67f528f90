//! The plain definition of every requirement, over a group's histograms: what judges a grouping.

use super::closeness::apart;
use super::likeness::Limit;
use super::logarithm::entropy_reaches;
use super::{Decimal, Requirement, Requirements, Row};
use std::collections::{BTreeMap, BTreeSet};

/// What requirements look at in a group. Its rows are rows of the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// How many people its rows stand for.
    pub people: u64,
    /// How many distinct persons they are about; without a column for that, everybody is one.
    pub persons: u64,
    /// How many of the population fit the group, if that was counted.
    pub population: Option<u64>,
    /// How many people have each value, for every protected column.
    pub histograms: Vec<BTreeMap<u32, u64>>,
}

impl Group {
    /// The group of these rows.
    pub(crate) fn of<'a>(requirements: &Requirements, rows: impl IntoIterator<Item = Row<'a>>) -> Self {
        let mut group =
            Self { histograms: vec![BTreeMap::new(); requirements.columns.len()], ..Self::default() };
        let mut persons = BTreeSet::new();
        for row in rows.into_iter().filter(|row| row.size > 0) {
            group.people += row.size;
            persons.insert(row.person);
            for (histogram, &value) in group.histograms.iter_mut().zip(row.values) {
                *histogram.entry(value).or_default() += row.size;
            }
        }
        let has_persons = requirements.whole.persons.is_some();
        group.persons = if has_persons { persons.len() as u64 } else { group.people };
        group
    }

    /// The table as one group.
    pub(crate) fn whole(requirements: &Requirements) -> Self {
        let whole = requirements.whole;
        let histogram = |totals: &[u64]| (0..).zip(totals.iter().copied()).collect();
        Self {
            people: whole.people,
            persons: whole.persons.unwrap_or(whole.people),
            population: whole.population,
            histograms: requirements.columns.iter().map(|column| histogram(&column.totals)).collect(),
        }
    }
}

impl Requirements {
    pub(crate) fn fulfilled_by(&self, group: &Group) -> bool {
        self.first_unfulfilled(group).is_none()
    }

    /// The first requirement that the group does not fulfil.
    pub(crate) fn first_unfulfilled(&self, group: &Group) -> Option<&Requirement> {
        self.list.iter().find(|requirement| !self.holds(requirement, group))
    }

    /// Whether the group fulfils a requirement on this table, be it one of the list or another. A group
    /// without people fulfils none; neither does one whose histograms do not add up, or have more people of
    /// some value than the table.
    pub(crate) fn holds(&self, requirement: &Requirement, group: &Group) -> bool {
        let part_of_table = group.histograms.iter().zip(&self.columns).all(|(histogram, column)| {
            let total = |value: u32| column.totals.get(value as usize).copied().unwrap_or(0);
            histogram.iter().all(|(&value, &count)| count <= total(value))
                && histogram.values().sum::<u64>() == group.people
        });
        if group.people == 0 || !part_of_table {
            return false;
        }
        // A column that is not there has no values.
        let none = BTreeMap::new();
        let at = requirement.column().unwrap_or(0);
        let histogram = group.histograms.get(at).unwrap_or(&none);
        let column = self.columns.get(at);
        let known = || -> Vec<u64> {
            let missing = column.and_then(|c| c.missing);
            let known = histogram.iter().filter(|&(&value, &count)| Some(value) != missing && count > 0);
            known.map(|(_, &count)| count).collect()
        };
        let count = |value: u32| histogram.get(&value).copied().unwrap_or(0);
        let within = |limit: &dyn Fn(u32) -> Limit, value: u32| {
            limit(value).allows(count(value), group.people, self.whole.people)
        };
        match *requirement {
            Requirement::People(k) => group.people >= k,
            Requirement::Persons(k) => group.persons >= k,
            Requirement::Distinct { l, .. } => known().len() >= l as usize,
            Requirement::Entropy { l, .. } => entropy_reaches(&known(), l),
            Requirement::Recursive { c, l, .. } => recursive(known(), c, l),
            Requirement::Close { t, distance, .. } => column
                .and_then(|column| apart(column, histogram, group.people, distance))
                .is_some_and(|apart| apart.at_most(t)),
            Requirement::Likeness { beta, enhanced, .. } => column.is_some_and(|column| {
                let limit = |value| Limit::likeness(column, value, self.whole.people, beta, enhanced);
                // A value that is absent is not more frequent than in the table.
                let mut present = histogram.iter().filter(|(_, count)| **count > 0);
                present.all(|(&value, _)| within(&limit, value))
            }),
            Requirement::Disclosure { delta, .. } => column.is_some_and(|column| {
                let limit = |value| Limit::disclosure(column, value, delta);
                (0..column.totals.len() as u32).all(|value| within(&limit, value))
            }),
            Requirement::Presence { min, max } => group.population.is_some_and(|population| {
                let (members, one) = (u128::from(group.persons), u128::from(Decimal::ONE));
                let share_of = |share: Decimal| u128::from(population) * u128::from(share.units());
                (share_of(min)..=share_of(max)).contains(&(members * one))
            }),
        }
    }
}

/// r₁ < c · (r_l + … + r_m), for counts r in descending order.
pub(super) fn recursive(mut counts: Vec<u64>, c: Decimal, l: u32) -> bool {
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let commonest = counts.first().copied().unwrap_or(0);
    let rest: u64 = counts.iter().skip((l as usize).saturating_sub(1)).sum();
    u128::from(commonest) * u128::from(Decimal::ONE) < u128::from(c.units()) * u128::from(rest)
}
