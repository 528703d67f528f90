//! Presence (δ-presence): of all people who fit a group as it is published, only so many may be in it.
//!
//! Who fits depends on the cells of the group, not on its protected values. So presence stands beside the other
//! requirements: it knows the codes of every row, and what a group of them is published as (a [`Hull`]).
//!
//! Groups that are published alike are one group to whoever reads the release: the people of all of them are
//! compared with the population of that one look ([`Presence::alike`]).
//!
//! Presence is closed under union only where the groups share no member of the population. Boxes that overlap
//! do, so whoever merges groups asks again.

use super::points::{Runs, runs_of};
use super::population::Population;
use super::{Decimal, Requirement, RequirementError, Requirements};
use crate::cost::{Cover, Rule, RuleKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest share of a group's population that may be in it, and what is needed to count that population.
#[derive(Debug, Clone)]
pub struct Presence {
    max: Decimal,
    terms: Arc<Terms>,
    /// Codes of row 0 on every quasi-identifier, then of row 1, …
    codes: Vec<u32>,
}

/// What presence shares with its pieces.
#[derive(Debug)]
struct Terms {
    rules: Vec<Rule>,
    population: Population,
}

/// The values of a group's rows, as much of them as its cells depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hull(Vec<Extent>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Extent {
    low: u32,
    high: u32,
    /// All labels, ascending, where labels are published.
    labels: Vec<u32>,
}

impl Presence {
    /// The place of a member's value that no cell names; it fits a star only.
    pub const NOWHERE: u32 = super::population::NOWHERE;

    /// At most this share of the population, for rows with these codes. `places` are those of every member of
    /// the population, member by member: 2c + 1 for the value of code c, 2c for a value between those of the
    /// codes c − 1 and c on a line, or [`Presence::NOWHERE`]. `people`: how many each member stands for.
    pub fn new(
        max: Decimal,
        rules: Vec<Rule>,
        codes: Vec<u32>,
        places: &[u32],
        people: impl Fn(usize) -> u64,
    ) -> Result<Self, RequirementError> {
        let malformed = |what| RequirementError::Malformed { column: "population".into(), what };
        let unless = |fits: bool, what| if fits { Ok(()) } else { Err(malformed(what)) };
        Requirement::Presence { min: Decimal::default(), max }.check_parameters()?;
        let columns = rules.len();
        let whole = |list: &[u32]| columns > 0 && list.len().is_multiple_of(columns);
        unless(whole(&codes) && whole(places), "its values do not fill whole rows")?;
        let known = |row: &[u32]| row.iter().zip(&rules).all(|(&code, rule)| code < rule.values());
        unless(codes.chunks_exact(columns).all(known), "a code is outside its column")?;
        let population = Population::new(columns, places, people);
        let (people, most) = (population.people(), Requirements::MOST_PEOPLE);
        if people > most {
            return Err(RequirementError::TooMany { people, most });
        }
        Ok(Self { max, terms: Arc::new(Terms { rules, population }), codes })
    }

    pub(crate) fn requirement(&self) -> Requirement {
        Requirement::Presence { min: Decimal::default(), max: self.max }
    }

    pub(super) fn rows(&self) -> usize {
        self.codes.len() / self.terms.rules.len()
    }

    /// The same for some of the rows.
    pub(super) fn piece(&self, rows: &[u32]) -> Self {
        let codes = rows.iter().flat_map(|&row| self.codes(row)).copied().collect();
        Self { max: self.max, terms: self.terms.clone(), codes }
    }

    fn codes(&self, row: u32) -> &[u32] {
        let columns = self.terms.rules.len();
        &self.codes[row as usize * columns..][..columns]
    }

    /// What these rows cover together; there is one at least.
    pub fn hull(&self, rows: impl Iterator<Item = u32> + Clone) -> Hull {
        let extent = |(column, rule): (usize, &Rule)| {
            let codes = rows.clone().map(|row| self.codes(row)[column]);
            let (low, high) = codes.clone().fold((u32::MAX, 0), |(l, h), c| (l.min(c), h.max(c)));
            let mut labels = Vec::new();
            if matches!(rule.kind(), RuleKind::Set { .. }) {
                labels.extend(codes);
                labels.sort_unstable();
                labels.dedup();
            }
            Extent { low: low.min(high), high, labels }
        };
        Hull(self.terms.rules.iter().enumerate().map(extent).collect())
    }

    /// The cells that a group is published as.
    pub(crate) fn look(&self, hull: &Hull) -> Vec<Cover<'static>> {
        let cover = |(rule, extent): (&Rule, &Extent)| match extent.labels.as_slice() {
            [] => rule.cover([extent.low, extent.high].into_iter()),
            labels => Cover::Labels(labels.to_vec().into()),
        };
        self.terms.rules.iter().zip(&hull.0).map(cover).collect()
    }

    /// How many of the population fit a group.
    pub(crate) fn population(&self, hull: &Hull) -> u64 {
        let wanted = self.terms.rules.iter().zip(self.look(hull)).map(|(rule, cover)| runs(rule, &cover));
        self.terms.population.count(&wanted.collect::<Vec<_>>())
    }

    /// Whether a group of so many persons is a small enough share of its population.
    pub fn fulfilled(&self, persons: u64, hull: &Hull) -> bool {
        let allowed = u128::from(self.population(hull)) * u128::from(self.max.units());
        persons > 0 && u128::from(persons) * u128::from(Decimal::ONE) <= allowed
    }

    /// Groups that are published alike: lists of two or more of them, by their numbers here.
    pub fn alike<'h>(&self, groups: impl Iterator<Item = &'h Hull>) -> Vec<Vec<u32>> {
        let mut by_look: BTreeMap<Vec<Cover<'_>>, Vec<u32>> = BTreeMap::new();
        for (group, hull) in (0..).zip(groups) {
            by_look.entry(self.look(hull)).or_default().push(group);
        }
        by_look.into_values().filter(|groups| groups.len() > 1).collect()
    }
}

impl Hull {
    /// Covers what another one covers, too.
    pub fn absorb(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            (mine.low, mine.high) = (mine.low.min(theirs.low), mine.high.max(theirs.high));
            if mine.labels != theirs.labels {
                mine.labels.extend(&theirs.labels);
                mine.labels.sort_unstable();
                mine.labels.dedup();
            }
        }
    }
}

/// The places that a cell speaks of; `None`: all.
fn runs(rule: &Rule, cover: &Cover<'_>) -> Option<Runs> {
    let span = |low: u32, high: u32| vec![(2 * low + 1, 2 * high + 1)];
    match (cover, rule.kind()) {
        (Cover::Star, _) => None,
        (Cover::Span(low, high), _) => Some(span(*low, *high)),
        (Cover::Node(node), RuleKind::Tree { tree, .. }) => {
            let (first, last) = tree.span(*node);
            Some(span(first, last))
        }
        // Nothing lies between labels, so neighbours join into one run.
        (Cover::Labels(labels), _) => {
            Some(runs_of(labels.iter().map(|&label| (2 * label + 1, 2 * label + 2)).collect()))
        }
        (Cover::Node(_), _) => Some(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;

    fn half() -> Decimal {
        Decimal::parse("0.5").unwrap_or_default()
    }

    #[test]
    fn values_fit_between_the_ends_below_the_node_and_in_the_set() {
        let tree = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\n").unwrap();
        let rules = vec![
            Rule::line(vec![0, 4, 9], true, 9).unwrap(),
            Rule::tree(Arc::new(tree.tree().clone()), 9),
            Rule::set(3, 9),
            Rule::flat(2, 9),
        ];
        let nowhere = Presence::NOWHERE;
        // On the line: below all, each value, between them, above all, missing; then what is not named.
        let line = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| [at, 1, 1, 1]);
        let others = [
            [1, 3, 1, 1],
            [1, 5, 1, 1],
            [1, nowhere, 1, 1],
            [1, 1, 3, 1],
            [1, 1, nowhere, 1],
            [1, 1, 1, nowhere],
        ];
        let places: Vec<u32> = line.iter().chain(&others).flatten().copied().collect();
        let count = |rows: &[[u32; 4]]| {
            let codes = rows.iter().flatten().copied().collect();
            let presence = Presence::new(half(), rules.clone(), codes, &places, |_| 1).unwrap();
            presence.population(&presence.hull(0..rows.len() as u32))
        };
        let first = [0, 0, 0, 0];
        assert_eq!(count(&[first]), 1);
        assert_eq!(count(&[first, [1, 0, 0, 0]]), 3, "the value between them fits, too");
        assert_eq!(count(&[first, [2, 0, 0, 0]]), 5);
        assert_eq!(count(&[[3, 0, 0, 0]]), 1, "missing is missing");
        assert_eq!(count(&[first, [3, 0, 0, 0]]), 8, "a star is anything");
        assert_eq!(count(&[first, [0, 1, 0, 0]]), 2, "both leaves below the node");
        assert_eq!(
            count(&[first, [0, 2, 0, 0]]),
            3,
            "what the hierarchy does not name is not below its root"
        );
        assert_eq!(count(&[first, [0, 0, 1, 0]]), 2);
        assert_eq!(count(&[first, [0, 0, 2, 0]]), 1, "the label between them is not in the set");
        assert_eq!(count(&[first, [0, 0, 0, 1]]), 2, "a suppressed cell is a star");
    }

    #[test]
    fn overlapping_groups_may_fail_together() {
        let rules = vec![Rule::line(vec![0, 9], false, 9).unwrap()];
        let codes = vec![0, 1, 0, 1];
        let presence = Presence::new(half(), rules, codes, &[1, 1, 2, 3], |_| 1).unwrap();
        let (one, other) = (presence.hull(0..2), presence.hull(2..4));
        assert!(presence.fulfilled(2, &one) && presence.fulfilled(2, &other));
        assert!(!presence.fulfilled(4, &one), "they are the same four people");
        assert_eq!(presence.alike([&one, &other].into_iter()), [vec![0, 1]]);
        let mut union = presence.hull(0..1);
        assert!(!presence.fulfilled(2, &union));
        union.absorb(&presence.hull(1..2));
        assert_eq!(union, one);
    }
}
