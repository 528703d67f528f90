//! What groups reach, by the definition alone: the parameter at which each requirement begins to hold.

use super::super::reached::tightest;
use super::super::{Decimal, Distance, Group, ReachedColumn, Requirement, Requirements};

/// What all groups of a list fulfil.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// The fewest people of a group.
    pub people: u64,
    /// The fewest distinct persons of a group.
    pub persons: u64,
    /// For every protected column.
    pub columns: Vec<ReachedColumn>,
}

impl Reached {
    /// By these groups, of which there is at least one and none is empty.
    pub fn by(requirements: &Requirements, groups: &[Group]) -> Self {
        let fewest = |count: fn(&Group) -> u64| groups.iter().map(count).min().unwrap_or(0);
        let columns = (0..requirements.columns.len()).map(|c| reached_column(requirements, groups, c));
        Self { people: fewest(|g| g.people), persons: fewest(|g| g.persons), columns: columns.collect() }
    }
}

fn reached_column(requirements: &Requirements, groups: &[Group], column: usize) -> ReachedColumn {
    let all = |requirement: Requirement| groups.iter().all(|group| requirements.holds(&requirement, group));
    let nearest = |strictest: Decimal, loosest: Decimal, make: &dyn Fn(Decimal) -> Requirement| {
        tightest(groups, strictest, loosest, |number, group| requirements.holds(&make(number), group))
    };
    let (zero, one, least) = (Decimal::default(), Decimal::whole(1), Decimal::of_units(1).unwrap());
    let close = |distance| {
        nearest(zero, one, &|t| Requirement::Close { column, t, distance }).unwrap_or(Decimal::whole(1))
    };
    let likeness =
        |enhanced| nearest(zero, Decimal::MAX, &|beta| Requirement::Likeness { column, beta, enhanced });
    let about = &requirements.columns[column];
    let values = about.totals.len() as u32;
    let distinct = (1..=values).rev().find(|&l| all(Requirement::Distinct { column, l })).unwrap_or(0);
    let entropy = nearest(Decimal::whole(values), one, &|l| Requirement::Entropy { column, l });
    ReachedColumn {
        distinct,
        entropy: entropy.unwrap_or_default(),
        recursive: nearest(least, Decimal::MAX, &|c| Requirement::Recursive { column, c, l: distinct })
            .filter(|_| distinct > 0),
        equal: close(Distance::Equal),
        ordered: about.line.as_ref().map(|_| close(Distance::Ordered)),
        tree: about.shape.as_ref().map(|_| close(Distance::Tree)),
        likeness: likeness(false),
        enhanced: likeness(true),
        disclosure: nearest(least, Requirements::MOST_DELTA, &|delta| Requirement::Disclosure {
            column,
            delta,
        }),
        disclosure_of_present: groups.iter().map(|g| of_present(requirements, g, column)).fold(0.0, f64::max),
    }
}

fn of_present(requirements: &Requirements, group: &Group, column: usize) -> f64 {
    let totals = &requirements.columns[column].totals;
    let gain = |(&value, &count): (&u32, &u64)| {
        let expected = totals[value as usize] as f64 / requirements.whole.people as f64;
        (count as f64 / group.people as f64 / expected).ln().abs()
    };
    group.histograms[column].iter().filter(|&(_, &count)| count > 0).map(gain).fold(0.0, f64::max)
}
