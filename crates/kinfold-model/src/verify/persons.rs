//! Distinct persons per group of a release. The release does not say whom its rows are about, the original
//! does; so rows of both must be paired first.
//!
//! If the release keeps the order of the table and its rows can be paired in that order in one way only (always
//! so if none is withheld), persons are counted. Otherwise only the fewest persons that any pairing leaves in a
//! group are known, or fewer. That can show that a release fulfils k, but not that it does not.

use super::finder::Finder;
use super::models::Finding;
use super::truth::Sides;
use crate::call::Stopped;
use crate::table::distinct_rows;
use std::collections::BTreeMap;

const SEVERAL_WAYS: &str = "its rows can be paired with those of the original in several ways";
const TOO_MANY_WAYS: &str = "its rows can be paired with those of the original in too many ways";
/// Rows of the original that groups may be compared with.
const MOST_PAIRS: usize = 20_000_000;

/// The groups of the rows of a release, and whom every row of the original is about.
pub(super) struct Persons<'a> {
    pub group_of: &'a [u32],
    pub groups: usize,
    pub person_of: &'a [u32],
    pub k: u64,
}

impl Persons<'_> {
    /// Whether every group holds k persons, in a release that is true of the original.
    pub(super) fn decide(&self, sides: &mut Sides<'_>, in_order: bool) -> Result<Finding, Stopped> {
        let pairing = if in_order { sides.only_pairing_in_order(self.group_of.len())? } else { None };
        match pairing {
            Some(pairing) => Ok(self.count(&pairing)),
            None => self.bound(sides),
        }
    }

    /// With the original row of every row.
    fn count(&self, pairing: &[u32]) -> Finding {
        let person = |row: &u32| self.person_of[*row as usize];
        let mut pairs: Vec<(u32, u32)> =
            self.group_of.iter().copied().zip(pairing.iter().map(person)).collect();
        pairs.sort_unstable();
        let (mut groups, mut people) = (0, 0);
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            if (group.chunk_by(|a, b| a == b).count() as u64) < self.k {
                groups += 1;
                people += group.len() as u64;
            }
        }
        if groups == 0 { Finding::Fulfilled } else { Finding::Short { groups, people } }
    }

    /// A group of n rows takes n rows of the original that fit. It has the fewest persons if it takes those
    /// with the most such rows.
    fn bound(&self, sides: &mut Sides<'_>) -> Result<Finding, Stopped> {
        let groups = distinct_rows(&[self.group_of], self.group_of.len());
        // What the untouched cells of a row say, in numbers that both sides share.
        let both: Vec<Vec<u32>> =
            sides.untouched.iter().map(|(_, from, to)| [from.as_slice(), &**to].concat()).collect();
        let both: Vec<&[u32]> = both.iter().map(Vec::as_slice).collect();
        let cells = distinct_rows(&both, self.group_of.len() + self.person_of.len()).of_row;
        let (published, original) = cells.split_at(self.group_of.len());
        let mut wanted: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        let mut sizes = vec![0u64; self.groups];
        for (&group, &cells) in self.group_of.iter().zip(published) {
            *wanted.entry((group, cells)).or_default() += 1;
            sizes[group as usize] += 1;
        }
        let mut fits: Vec<(u32, u32, u32)> = Vec::new();
        let mut pairs = 0;
        let rows: Vec<u32> = (0..self.person_of.len() as u32).collect();
        let mut finder = Finder::new(&sides.quasi, &rows, |_| 0);
        let mut covered = Vec::new();
        for &first in &groups.first {
            sides.call.check()?;
            finder.covered(first, None, &mut covered);
            let group = self.group_of[first as usize];
            let wanted = covered.iter().filter(|&&row| wanted.contains_key(&(group, original[row as usize])));
            fits.extend(wanted.map(|&row| (group, self.person_of[row as usize], original[row as usize])));
            pairs += covered.len();
            if pairs > MOST_PAIRS {
                return Ok(Finding::Undecided(TOO_MANY_WAYS.into()));
            }
        }
        fits.sort_unstable();
        let enough = fits.chunk_by(|a, b| a.0 == b.0).all(|of_group| {
            let group = of_group[0].0;
            let mut most: Vec<u64> = of_group
                .chunk_by(|a, b| a.1 == b.1)
                .map(|of_person| {
                    let same = of_person.chunk_by(|a, b| a.2 == b.2);
                    let taken = |same: &[(u32, u32, u32)]| {
                        wanted.get(&(group, same[0].2)).map_or(0, |&n| n.min(same.len() as u64))
                    };
                    same.map(taken).sum()
                })
                .collect();
            most.sort_unstable_by(|a, b| b.cmp(a));
            let (mut left, mut persons) = (sizes[group as usize], 0);
            for rows in most {
                if left == 0 {
                    break;
                }
                left = left.saturating_sub(rows);
                persons += 1;
            }
            persons >= self.k
        });
        let all = fits.chunk_by(|a, b| a.0 == b.0).count() == sizes.iter().filter(|&&n| n > 0).count();
        Ok(if enough && all { Finding::Fulfilled } else { Finding::Undecided(SEVERAL_WAYS.into()) })
    }
}
