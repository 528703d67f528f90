//! The view of somebody who knows a person's quasi-identifiers and has the release: which rows of it could be
//! about that person?

use super::finder::Finder;
use super::truth::{Sides, complete};
use super::{Published, VerifyError, people_of_rows};
use crate::encode::encode;
use crate::policy::{Mistake, Mistakes, Policy};
use crate::table::{Table, distinct_rows};
use serde::Serialize;

/// How many rows of a release fit the people of the original.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Linkage {
    /// People of the original who were looked up: everybody, or a sample of the rows at even steps.
    pub people: u64,
    /// Whether it was a sample.
    pub sampled: bool,
    /// The fewest people of the release that fit somebody whom anybody fits.
    pub fewest: u64,
    /// The mean number of people of the release that fit somebody.
    pub average: f64,
    /// People who fit one group only: their group is known.
    pub pinned: u64,
    /// People whom no row fits: they are withheld.
    pub unmatched: u64,
    /// How many more people the original has than the release, or fewer.
    #[serde(skip)]
    pub missing: u64,
}

/// Up to so much work everybody is looked up: values times cells of every column, and records times groups, of
/// which the tree passes over most.
const WORK: u64 = 10_000_000;
const FEW_REMAIN: u64 = 64;
/// Otherwise so many rows are.
const SAMPLE: usize = 1_000;

/// Looks the people of the original up in the release (read whole).
pub fn link(published: &Published, original: &Table, policy: &Policy) -> Result<Linkage, VerifyError> {
    if policy.per_group {
        let mistake = Mistake::new("a release of one line per group has no rows to look people up in", None);
        return Err(Mistakes::from(mistake.hint("publish one line per row, and compare that")).into());
    }
    complete(original, policy)?;
    // Nobody is looked up by what is no quasi-identifier, on whatever level that is published.
    let policy = &*policy.as_given();
    let encoded = encode(original, policy)?;
    let sides = Sides::new(published, original, policy, &encoded)?;
    let looks: Vec<&[u32]> = sides.quasi.iter().map(|q| q.looks.as_slice()).collect();
    let groups = distinct_rows(&looks, published.table.rows());
    let people = groups.sums(people_of_rows(published, policy)?);
    let missing = encoded.problem.people().abs_diff(people.iter().sum());
    let codes: Vec<&[u32]> = sides.quasi.iter().map(|q| &*q.codes).collect();
    let records = distinct_rows(&codes, original.rows());
    let cells = sides.quasi.iter().map(|q| q.distinct() as u64 * q.looks_said() as u64).sum::<u64>();
    let pairs = records.first.len() as u64 * groups.first.len() as u64;
    let sampled = cells.saturating_add(pairs / FEW_REMAIN) > WORK;
    // Who is looked up: a row and how many people it speaks for.
    let chosen: Vec<(u32, u64)> = if sampled {
        let step = original.rows().div_ceil(SAMPLE).max(1);
        (0..original.rows() as u32).step_by(step).map(|row| (row, encoded.problem.row_size(row))).collect()
    } else {
        let people = records.sums((0..).map(|row| encoded.problem.row_size(row)));
        records.first.iter().copied().zip(people).collect()
    };
    let looked_up: Vec<u32> = chosen.iter().map(|&(row, _)| row).collect();
    // How many people of the release fit each of them, in how many groups.
    let mut fits = vec![(0u64, 0u64); chosen.len()];
    let (mut finder, mut covered) = (Finder::new(&sides.quasi, &looked_up, |_| 0), Vec::new());
    for (&row, people) in groups.first.iter().zip(people) {
        sides.call.check()?;
        finder.covered(row, None, &mut covered);
        for &at in &covered {
            let (fit, groups) = &mut fits[at as usize];
            (*fit, *groups) = (*fit + people, *groups + 1);
        }
    }
    let fewest = fits.iter().filter(|(_, groups)| *groups > 0).map(|(fit, _)| *fit).min().unwrap_or(0);
    let mut found = Linkage { sampled, fewest, missing, ..Linkage::default() };
    for (&(_, count), (fit, groups)) in chosen.iter().zip(fits) {
        found.people += count;
        found.average += count as f64 * fit as f64;
        match groups {
            0 => found.unmatched += count,
            1 => found.pinned += count,
            _ => {}
        }
    }
    found.average /= found.people.max(1) as f64;
    Ok(found)
}
