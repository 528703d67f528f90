//! Who is in each part of a cut, counted so that it adds up whatever the order, and which parts must be joined
//! so that every piece can fulfil the policy by itself.

use crate::Error;
use crate::parts::numbering::number;
use kinfold_model::distribution::{Distributions, row_sizes};
use kinfold_model::singles::hashes;
use kinfold_model::{Mistake, Mistakes, Policy, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Everybody, by part.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tallies {
    parts: Vec<Tally>,
}

/// The people of one part.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tally {
    rows: u64,
    people: u64,
    /// Hashes of persons, not more than k of them.
    persons: BTreeSet<u64>,
    sensitive: Distributions,
}

impl Tally {
    fn absorb(&mut self, other: &Self, k: u64) {
        self.rows += other.rows;
        self.people += other.people;
        self.sensitive.absorb(other.sensitive.clone());
        self.persons.extend(&other.persons);
        self.limit(k);
    }

    /// More persons than k need not be told apart.
    fn limit(&mut self, k: u64) {
        while self.persons.len() as u64 > k {
            self.persons.pop_last();
        }
    }

    fn fulfils(&self, policy: &Policy, whole: &Distributions) -> Result<bool, Vec<Mistake>> {
        let persons = policy.person_column().is_none() || self.persons.len() as u64 >= policy.k;
        Ok(self.people >= policy.k && persons && whole.fulfilled_by(&self.sensitive, policy)?)
    }
}

impl Tallies {
    pub(super) fn new(parts: usize, policy: &Policy) -> Self {
        let empty = Tally { sensitive: Distributions::required(policy), ..Tally::default() };
        Self { parts: vec![empty; parts] }
    }

    /// Counts the rows of a chunk, each in its part.
    pub fn add(&mut self, chunk: &Table, part_of: &[u32], policy: &Policy) -> Result<(), Error> {
        let mut rows: Vec<(u32, u32)> = part_of.iter().copied().zip(0..).collect();
        rows.sort_unstable();
        let mistaken = |m: Mistake| Error::from(Mistakes::from(m)).in_policy(policy);
        let persons = policy.person_column().and_then(|name| chunk.column(name));
        let persons = persons.map(|column| (column, hashes(column)));
        let sizes = row_sizes(chunk, policy).map_err(mistaken)?;
        let size = |row: usize| sizes.as_ref().map_or(1, |sizes| u64::from(sizes[row]));
        for same in rows.chunk_by(|a, b| a.0 == b.0) {
            let tally = &mut self.parts[same[0].0 as usize];
            let rows = || same.iter().map(|&(_, row)| row as usize);
            tally.rows += same.len() as u64;
            tally.people += rows().map(size).sum::<u64>();
            tally.sensitive.add_rows(chunk, rows, &size);
            if let Some((column, hashes)) = &persons {
                let codes = same.iter().map(|&(_, row)| column.codes()[row as usize]);
                tally.persons.extend(codes.map(|code| hashes[code as usize]));
                tally.limit(policy.k);
            }
        }
        Ok(())
    }

    /// Counts what was counted elsewhere.
    pub fn absorb(&mut self, other: &Self, policy: &Policy) {
        self.parts.iter_mut().zip(&other.parts).for_each(|(own, other)| own.absorb(other, policy.k));
    }

    pub(super) fn rows(&self) -> u64 {
        self.parts.iter().map(|tally| tally.rows).sum()
    }

    /// The piece of every part: one that does not fulfil the policy is joined with the nearest that makes it fulfil
    /// it, or else with the nearest. All requirements are closed under union, so this ends.
    pub(super) fn join(
        self,
        policy: &Policy,
        whole: &Distributions,
        near: impl Fn(u32) -> Vec<u32>,
    ) -> Result<Vec<u32>, Error> {
        let mistaken = |list| Error::from(Mistakes::from(list)).in_policy(policy);
        let mut tallies: Vec<Option<Tally>> = self.parts.into_iter().map(Some).collect();
        // Every part is its own piece, named by its first part.
        let mut first_of: Vec<u32> = (0..tallies.len() as u32).collect();
        let mut open = first_of.clone();
        while let Some(part) = open.pop() {
            let own = first_of[part as usize];
            let Some(tally) = tallies[own as usize].clone() else { continue };
            if tally.fulfils(policy, whole).map_err(mistaken)? {
                continue;
            }
            let mut others: Vec<u32> = Vec::new();
            for near in near(part) {
                let piece = first_of[near as usize];
                if piece != own && !others.contains(&piece) {
                    others.push(piece);
                }
            }
            let mut partner = others.first().copied();
            for &other in &others {
                let mut both = tally.clone();
                tallies[other as usize].iter().for_each(|there| both.absorb(there, policy.k));
                if both.fulfils(policy, whole).map_err(mistaken)? {
                    partner = Some(other);
                    break;
                }
            }
            // Nobody is left to join: the table as a whole does not fulfil the policy, which is said elsewhere.
            let Some(other) = partner else { continue };
            let (keep, gone) = (own.min(other), own.max(other));
            if let (Some(gone_tally), Some(kept)) =
                (tallies[gone as usize].take(), &mut tallies[keep as usize])
            {
                kept.absorb(&gone_tally, policy.k);
            }
            first_of.iter_mut().filter(|first| **first == gone).for_each(|first| *first = keep);
            open.push(keep);
        }
        // Parts without rows have gone into others.
        number(&mut first_of);
        Ok(first_of)
    }
}
