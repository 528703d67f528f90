//! What groups fulfil at most: the largest ℓ and the smallest t, β and δ. And whether requirements can be
//! fulfilled at all.

use super::{Decimal, Group, Requirement, Requirements};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// What all groups of a list fulfil on one protected column. A requirement with such a number holds for all; the
/// next stricter decimal does not.
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

/// The decimal nearest to the strictest one with which every group holds, if all do with the loosest.
/// Whoever holds with one holds with all looser ones, so most groups are asked once.
pub(super) fn tightest<G>(
    groups: &[G],
    strictest: Decimal,
    loosest: Decimal,
    holds: impl Fn(Decimal, &G) -> bool,
) -> Option<Decimal> {
    groups.iter().try_fold(strictest, |reached, group| {
        if holds(reached, group) {
            return Some(reached);
        }
        if !holds(loosest, group) {
            return None;
        }
        let (mut fails, mut good) = (reached.units(), loosest.units());
        while fails.abs_diff(good) > 1 {
            let middle = fails.midpoint(good);
            let fulfilled = Decimal::of_units(middle).is_some_and(|middle| holds(middle, group));
            *(if fulfilled { &mut good } else { &mut fails }) = middle;
        }
        Decimal::of_units(good)
    })
}

impl Requirements {
    /// Whether some grouping of all rows fulfils everything; otherwise what no grouping fulfils, and what would be
    /// possible. As requirements are closed under union, the table as one group must fulfil them. The lower end of
    /// presence is not, and is not checked.
    pub(crate) fn check_possible(&self) -> Result<(), Vec<String>> {
        let table = Group::whole(self);
        let found: Vec<String> = self.list.iter().filter_map(|r| self.impossible(r, &table)).collect();
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    fn impossible(&self, requirement: &Requirement, table: &Group) -> Option<String> {
        let nearest = |strictest: Decimal, loosest: Decimal, make: &dyn Fn(Decimal) -> Requirement| {
            let holds = |number, table: &Group| self.holds(&make(number), table);
            tightest(std::slice::from_ref(table), strictest, loosest, holds)
        };
        let column = requirement.column().map(|column| &self.columns[column]);
        let name = column.map_or("", |column| &column.name);
        let values = column.map_or(0, |column| column.totals.len() - usize::from(column.missing.is_some()));
        Some(match *requirement {
            Requirement::Presence { max, .. } => {
                let at_most = |max: Decimal| Requirement::Presence { min: Decimal::default(), max };
                let possible = nearest(max, Decimal::MAX, &at_most).unwrap_or(Decimal::MAX);
                let why = match possible {
                    possible if possible <= max => return None,
                    possible if possible <= Decimal::whole(1) => {
                        format!("{possible} of the population is in the table")
                    }
                    _ => "fewer of the population fit the table than it holds people".into(),
                };
                format!("presence cannot be at most {max}: {why}")
            }
            _ if self.holds(requirement, table) => return None,
            Requirement::People(k) => format!("no group can have size {k}: the table has {}", table.people),
            Requirement::Persons(k) => {
                format!("no group can hold {k} distinct persons: the table has {}", table.persons)
            }
            Requirement::Distinct { l, .. } => {
                format!("no group can have {l} distinct values of {name:?}: the table has {values}")
            }
            Requirement::Entropy { column, l } => {
                let entropy = |l| Requirement::Entropy { column, l };
                let most = nearest(Decimal::whole(values as u32), Decimal::whole(1), &entropy);
                let most = most.unwrap_or_default();
                format!(
                    "{name:?} cannot be entropy {l}-diverse: at most l = {most} is possible with its values"
                )
            }
            Requirement::Recursive { column, c, l } => {
                let least = nearest(c, Decimal::MAX, &|c| Requirement::Recursive { column, c, l });
                let by_c = least.map(|least| format!("with l = {l}, c must be at least {least}"));
                let fulfilled = |&l: &u32| self.holds(&Requirement::Recursive { column, c, l }, table);
                let most = Vec::from_iter(1..l.min(values as u32 + 1)).partition_point(fulfilled);
                let by_l = (most > 0).then(|| format!("with c = {c}, l can be at most {most}"));
                let ways: Vec<String> = by_c.into_iter().chain(by_l).collect();
                let ways = if ways.is_empty() { "its values are too few".into() } else { ways.join("; ") };
                format!("{name:?} cannot be recursive ({c}, {l})-diverse: {ways}")
            }
            // The table is as its own distribution is.
            Requirement::Close { .. } | Requirement::Likeness { .. } | Requirement::Disclosure { .. } => {
                return None;
            }
        })
    }
}
