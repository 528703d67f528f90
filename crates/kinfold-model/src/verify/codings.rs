//! Is a column coded once for everybody? Read from the published cells: each says on which levels it can stand, and
//! some level must do for the whole column. Asked of every column under global recoding, else of those whose level is
//! `auto`.
//!
//! A level of a hierarchy is where the names of its nodes stand; of a prefix, how many characters are left. A missing
//! value stands on every level below the star. Columns without levels say values, or nothing but stars; where
//! ends are rounded, a value is a cell of the grid, and two cells do not overlap.

use super::Published;
use super::cover::{Reader, Reading, Said};
use super::looks::Looks;
use super::off_level::Allowed;
use crate::kind::Kind;
use crate::policy::{Form, Policy, Quasi, Rounding};
use crate::recoding::Recoding;
use crate::value::Number;
use serde::{Deserialize, Serialize};

/// On which levels a column can be, as far as its cells tell; level n is bit n.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coded {
    /// The quasi-identifier.
    pub column: String,
    levels: u64,
}

/// Everything is a star.
const STAR: u64 = 1 << 63;
/// The values themselves.
const VALUES: u64 = 1;

impl Coded {
    /// Whether some level does for the whole column.
    pub fn once(&self) -> bool {
        self.levels != 0
    }

    /// What is known from another part of the release as well.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.levels &= other.levels;
    }
}

/// The levels of every quasi-identifier, where the policy asks for one coding.
pub(super) fn codings(published: &Published, policy: &Policy, columns: &[Vec<String>]) -> Vec<Coded> {
    // What the labels of form codes stand for is in another file.
    let hidden = policy.form == Form::Codes && published.lookup.is_empty();
    if hidden {
        return Vec::new();
    }
    let mut found = Vec::new();
    let one = |quasi: &Quasi| policy.recoding == Recoding::Global || quasi.range.auto;
    for ((said, quasi), names) in policy.quasi().zip(columns).filter(|((_, quasi), _)| one(quasi)) {
        let missing = policy.missing_in(&said.name);
        let looks = Looks::new(&said.name, names, published, policy);
        let distinct = looks.distinct(published.table.rows());
        let kinds = match &quasi.kind {
            Some(kind) => vec![kind.clone()],
            None => vec![Kind::Numeric, Kind::Date, Kind::Category],
        };
        let rounded = policy.blunt || matches!(quasi.round, Some(Rounding::To(_)));
        // A column whose kind is not known is of none that would make it one of several codings.
        let levels = kinds.iter().fold(u64::MAX, |so_far, kind| {
            let reader = Reader::new(kind, &policy.format, missing);
            let text = |&row: &u32| (looks.text(row).0, looks.said(&reader, row, true));
            let texts: Vec<(&str, Said)> = distinct.first.iter().map(text).collect();
            let allowed = Allowed::by_level(kind, quasi.bands);
            let on = texts.iter().map(|(text, said)| {
                let stands = |&level: &usize| allowed[level].has(text, false, missing, policy);
                let named =
                    (0..allowed.len().min(63)).filter(stands).fold(0, |bits, level| bits | 1 << level);
                match said {
                    // It may stand for a value that the hierarchy lacks, and then says nothing of the level.
                    Said::Star if quasi.unknown => u64::MAX,
                    // Where no value is finer than the root, a missing one stands beside it.
                    said if (1..=quasi.range.finest + 1).contains(&kind.levels()) && is_missing(said) => {
                        u64::MAX
                    }
                    said => levels_of(kind, named, text, said),
                }
            });
            let levels = on.fold(u64::MAX, |so_far, levels| so_far & levels);
            let exact = quasi.kind.is_some() && !rounded;
            so_far & if apart(&texts, exact) { levels } else { 0 }
        });
        found.push(Coded { column: said.name.clone(), levels });
    }
    found
}

/// The levels that a cell can stand on; `named`: those of its column's levels on which it is a name.
fn levels_of(kind: &Kind, named: u64, text: &str, said: &Said) -> u64 {
    let missing = is_missing(said);
    match kind {
        // A missing value stands beside all levels below the star, be the star called so by the hierarchy or not.
        Kind::Hierarchy(hierarchy) if missing && hierarchy.label(hierarchy.tree().root()) == "*" => {
            !STAR & !(1 << (hierarchy.tree().levels() - 1).min(62))
        }
        Kind::Hierarchy(_) if missing => !STAR,
        Kind::Hierarchy(_) => named | if *said == Said::Star { STAR } else { 0 },
        // Two ends that are empty say as much as a star, or that the value is missing.
        _ if *said == Said::Star && text.is_empty() => u64::MAX,
        _ if *said == Said::Star => STAR,
        _ if missing => !STAR,
        Kind::Prefix(_) | Kind::Ladder(_) => named,
        _ if said.readings().iter().any(|reading| matches!(reading, Reading::Labels(l) if l.len() > 1)) => 0,
        _ => VALUES,
    }
}

fn is_missing(said: &Said) -> bool {
    said.readings().contains(&Reading::Missing)
}

/// Whether no two ranges overlap; `exact`: whether none says more than a value.
fn apart(texts: &[(&str, Said)], exact: bool) -> bool {
    let mut ranges: Vec<(Number, Number)> = Vec::new();
    for (_, said) in texts {
        let Some(narrowest) = said.ranges().min_by_key(|(low, high)| (high.minus(*low), *low)) else {
            continue;
        };
        if exact && narrowest.0 < narrowest.1 {
            return false;
        }
        ranges.push(narrowest);
    }
    ranges.sort_unstable();
    ranges.dedup();
    ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0 && pair[0].0 < pair[1].0)
}
