//! What groups fulfil at most: the largest ℓ and the smallest t, β and δ. And whether requirements can be
//! fulfilled at all.

use super::{Decimal, Distance, Group, Requirement, Requirements};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use thiserror::Error;

/// What all groups of a list fulfil. A requirement with such a number holds for all; the next stricter
/// decimal does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// The fewest people of a group.
    pub people: u64,
    /// The fewest distinct persons of a group.
    pub persons: u64,
    /// For every protected column.
    pub columns: Vec<ReachedColumn>,
}

/// What all groups of a list fulfil on one protected column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReachedColumn {
    /// The fewest distinct known values.
    pub distinct: u32,
    /// The largest ℓ of entropy diversity; 0 if a group has no known value.
    pub entropy: Decimal,
    /// The smallest c of recursive diversity with ℓ = `distinct`.
    pub recursive: Option<Decimal>,
    /// The smallest t by equal distance.
    pub equal: Decimal,
    /// The smallest t by ordered distance, if values have an order.
    pub ordered: Option<Decimal>,
    /// The smallest t by a tree, if there is one.
    pub tree: Option<Decimal>,
    /// The smallest β of basic likeness; `None`: above a million.
    pub likeness: Option<Decimal>,
    /// The smallest β of enhanced likeness; `None`: no β is enough, a value gains more than −ln p.
    pub enhanced: Option<Decimal>,
    /// The smallest δ of disclosure; `None`: above 15, or a group lacks a value.
    pub disclosure: Option<Decimal>,
    /// The largest |ln(q / p)| of values that occur, which some tools report as δ. It is not closed under
    /// union.
    pub disclosure_of_present: f64,
}

impl Reached {
    /// By these groups, of which there is at least one and none is empty.
    pub fn by(requirements: &Requirements, groups: &[Group]) -> Self {
        let fewest = |count: fn(&Group) -> u64| groups.iter().map(count).min().unwrap_or(0);
        let columns = (0..requirements.columns.len()).map(|c| reached_column(requirements, groups, c));
        Self { people: fewest(|g| g.people), persons: fewest(|g| g.persons), columns: columns.collect() }
    }
}

impl ReachedColumn {
    /// What the groups of both lists fulfil, which were compared with the same table. Where the lists reach
    /// other numbers of distinct values, the c of recursive diversity belongs to the smaller one.
    pub(crate) fn both(&self, other: &Self) -> Self {
        // Smaller is stricter; none is beyond all.
        let looser = |one: Option<Decimal>, two: Option<Decimal>| Some(one?.max(two?));
        let recursive = match self.distinct.cmp(&other.distinct) {
            Ordering::Less => self.recursive,
            Ordering::Equal => looser(self.recursive, other.recursive),
            Ordering::Greater => other.recursive,
        };
        Self {
            distinct: self.distinct.min(other.distinct),
            entropy: self.entropy.min(other.entropy),
            recursive,
            equal: self.equal.max(other.equal),
            ordered: looser(self.ordered, other.ordered),
            tree: looser(self.tree, other.tree),
            likeness: looser(self.likeness, other.likeness),
            enhanced: looser(self.enhanced, other.enhanced),
            disclosure: looser(self.disclosure, other.disclosure),
            disclosure_of_present: self.disclosure_of_present.max(other.disclosure_of_present),
        }
    }
}

fn reached_column(requirements: &Requirements, groups: &[Group], column: usize) -> ReachedColumn {
    // The smallest units for which all groups fulfil what `make` makes of them.
    let least = |from: u64, to: Decimal, make: &dyn Fn(Decimal) -> Requirement| {
        tightest(groups, from, to.units(), |units, group| {
            Decimal::of_units(units).is_some_and(|decimal| requirements.holds(&make(decimal), group))
        })
        .and_then(Decimal::of_units)
    };
    let close = |distance| {
        least(0, Decimal::whole(1), &|t| Requirement::Close { column, t, distance })
            .unwrap_or(Decimal::whole(1))
    };
    let likeness =
        |enhanced| least(0, Decimal::MAX, &|beta| Requirement::Likeness { column, beta, enhanced });
    let about = &requirements.columns[column];
    let values = about.totals.len() as u32;
    let distinct = tightest(groups, u64::from(values), 1, |l, group| {
        requirements.holds(&Requirement::Distinct { column, l: l as u32 }, group)
    })
    .unwrap_or(0) as u32;
    let entropy = tightest(groups, Decimal::whole(values).units(), Decimal::ONE, |units, group| {
        let l = Decimal::of_units(units);
        l.is_some_and(|l| requirements.holds(&Requirement::Entropy { column, l }, group))
    });
    ReachedColumn {
        distinct,
        entropy: entropy.and_then(Decimal::of_units).unwrap_or_default(),
        recursive: least(1, Decimal::MAX, &|c| Requirement::Recursive { column, c, l: distinct })
            .filter(|_| distinct > 0),
        equal: close(Distance::Equal),
        ordered: about.line.as_ref().map(|_| close(Distance::Ordered)),
        tree: about.shape.as_ref().map(|_| close(Distance::Tree)),
        likeness: likeness(false),
        enhanced: likeness(true),
        disclosure: least(1, Requirements::MOST_DELTA, &|delta| Requirement::Disclosure { column, delta }),
        disclosure_of_present: groups.iter().map(|g| of_present(requirements, g, column)).fold(0.0, f64::max),
    }
}

/// The parameter nearest to the strictest one with which every group holds, if all do with the loosest.
/// Whoever holds with one holds with all looser ones, so most groups are asked once.
pub(super) fn tightest<G>(
    groups: &[G],
    strictest: u64,
    loosest: u64,
    holds: impl Fn(u64, &G) -> bool,
) -> Option<u64> {
    groups.iter().try_fold(strictest, |reached, group| {
        if holds(reached, group) {
            return Some(reached);
        }
        if !holds(loosest, group) {
            return None;
        }
        let (mut fails, mut good) = (reached, loosest);
        while fails.abs_diff(good) > 1 {
            let middle = fails.midpoint(good);
            *(if holds(middle, group) { &mut good } else { &mut fails }) = middle;
        }
        Some(good)
    })
}

fn of_present(requirements: &Requirements, group: &Group, column: usize) -> f64 {
    let totals = &requirements.columns[column].totals;
    let gain = |(&value, &count): (&u32, &u64)| {
        let expected = totals[value as usize] as f64 / requirements.whole.people as f64;
        (count as f64 / group.people as f64 / expected).ln().abs()
    };
    group.histograms[column].iter().filter(|&(_, &count)| count > 0).map(gain).fold(0.0, f64::max)
}

/// A requirement that no grouping of the whole table fulfils, and what would be possible.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Impossible {
    /// Too few people.
    #[error("no group can have size {k}: the table has {possible}")]
    People {
        /// What is required.
        k: u64,
        /// The largest k that is possible.
        possible: u64,
    },
    /// Too few persons.
    #[error("no group can hold {k} distinct persons: the table has {possible}")]
    Persons {
        /// What is required.
        k: u64,
        /// The largest k that is possible.
        possible: u64,
    },
    /// Too few values.
    #[error("no group can have {l} distinct values of {column:?}: the table has {possible}")]
    Distinct {
        /// The column's name.
        column: String,
        /// What is required.
        l: u32,
        /// The largest l that is possible.
        possible: u32,
    },
    /// Some values are too common.
    #[error("{column:?} cannot be entropy {l}-diverse: at most l = {possible} is possible with its values")]
    Entropy {
        /// The column's name.
        column: String,
        /// What is required.
        l: Decimal,
        /// The largest l that is possible.
        possible: Decimal,
    },
    /// The commonest value is too common.
    #[error(
        "{column:?} cannot be recursive ({c}, {l})-diverse: {}",
        recursive_hint(*c, *l, *possible_l, *possible_c)
    )]
    Recursive {
        /// The column's name.
        column: String,
        /// The factor that is required.
        c: Decimal,
        /// The l that is required.
        l: u32,
        /// The largest l that is possible with this c; 0 if none.
        possible_l: u32,
        /// The smallest c that is possible with this l, if one is.
        possible_c: Option<Decimal>,
    },
    /// Too much of the population is in the table.
    #[error("presence cannot be at most {max}: {}", presence_hint(*possible))]
    Presence {
        /// What is required.
        max: Decimal,
        /// The smallest that is possible.
        possible: Decimal,
    },
}

fn presence_hint(possible: Decimal) -> String {
    if possible > Decimal::whole(1) {
        return "fewer of the population fit the table than it holds people".into();
    }
    format!("{possible} of the population is in the table")
}

fn recursive_hint(c: Decimal, l: u32, possible_l: u32, possible_c: Option<Decimal>) -> String {
    let by_c = possible_c.map(|least| format!("with l = {l}, c must be at least {least}"));
    let by_l = (possible_l > 0).then(|| format!("with c = {c}, l can be at most {possible_l}"));
    let ways: Vec<String> = by_c.into_iter().chain(by_l).collect();
    if ways.is_empty() { "its values are too few".into() } else { ways.join("; ") }
}

impl Requirements {
    /// Whether some grouping of all rows fulfils everything. As requirements are closed under union, the
    /// table as one group must. The lower end of presence is not, and is not checked.
    pub(crate) fn check_possible(&self) -> Result<(), Vec<Impossible>> {
        let whole = [Group::whole(self)];
        let found: Vec<Impossible> = self.list.iter().filter_map(|r| self.impossible(r, &whole)).collect();
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    fn impossible(&self, requirement: &Requirement, whole: &[Group; 1]) -> Option<Impossible> {
        let [table] = whole;
        let holds = |requirement: Requirement| self.holds(&requirement, table);
        let name = |column: usize| self.columns[column].name.clone();
        match *requirement {
            Requirement::Presence { max, .. } => {
                let at_most = |max: Decimal| Requirement::Presence { min: Decimal::default(), max };
                let possible = tightest(whole, max.units(), Decimal::MAX.units(), |units, _| {
                    Decimal::of_units(units).is_some_and(|max| holds(at_most(max)))
                });
                let possible = possible.and_then(Decimal::of_units).unwrap_or(Decimal::MAX);
                (possible > max).then_some(Impossible::Presence { max, possible })
            }
            _ if self.holds(requirement, table) => None,
            Requirement::People(k) => Some(Impossible::People { k, possible: table.people }),
            Requirement::Persons(k) => Some(Impossible::Persons { k, possible: table.persons }),
            Requirement::Distinct { column, l } => {
                let possible = reached_column(self, whole, column).distinct;
                Some(Impossible::Distinct { column: name(column), l, possible })
            }
            Requirement::Entropy { column, l } => {
                let possible = reached_column(self, whole, column).entropy;
                Some(Impossible::Entropy { column: name(column), l, possible })
            }
            Requirement::Recursive { column, c, l } => {
                let with_c = |l: u64| holds(Requirement::Recursive { column, c, l: l as u32 });
                let possible_l = tightest(whole, u64::from(l), 1, |l, _| with_c(l)).unwrap_or(0) as u32;
                let with_l = |c: Decimal| holds(Requirement::Recursive { column, c, l });
                let possible_c = tightest(whole, c.units(), Decimal::MAX.units(), |units, _| {
                    Decimal::of_units(units).is_some_and(with_l)
                });
                let possible_c = possible_c.and_then(Decimal::of_units);
                Some(Impossible::Recursive { column: name(column), c, l, possible_l, possible_c })
            }
            // The table is as its own distribution is.
            Requirement::Close { .. } | Requirement::Likeness { .. } | Requirement::Disclosure { .. } => None,
        }
    }
}
