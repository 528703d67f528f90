//! What a user makes of a release who takes every value that a cell covers for equally likely: shares of bins.
//!
//! Both the original and the release are put into the same bins, column by column: numbers, dates and levels
//! into up to 32 of equal width, labels and leaves into one each. A star covers everything.

use super::cover::{Reader, Reading, Said};
use super::looks::Looks;
use super::presence::kind_of;
use super::truth::complete;
use super::{Published, VerifyError, count_groups, people_of, people_of_rows, quasi_columns};
use crate::kind::{Kind, is_missing, value_of};
use crate::policy::Policy;
use crate::table::{Column, Table};
use std::collections::BTreeMap;

/// An original and its release in the same bins.
#[derive(Debug, Clone)]
pub struct Spread {
    /// The quasi-identifiers.
    pub columns: Vec<SpreadColumn>,
    /// People of every row of the original.
    pub original_people: Vec<u64>,
    /// People of every row of the release.
    pub released_people: Vec<u64>,
}

/// One quasi-identifier in bins.
#[derive(Debug, Clone, PartialEq)]
pub struct SpreadColumn {
    /// Its name.
    pub name: String,
    /// Whether bins have an order, lowest first.
    pub ordered: bool,
    /// How many bins there are; the last one is for missing values.
    pub bins: usize,
    /// The bin of every row of the original.
    pub original: Vec<u32>,
    /// For every row of the release the number of its look.
    pub looks: Vec<u32>,
    /// For every look the bins it covers and their shares, which add up to 1.
    pub shares: Vec<Vec<(u32, f64)>>,
    /// For every look whether it is a star.
    pub starred: Vec<bool>,
}

/// Values with an order have up to so many bins.
const BINS: usize = 32;
/// Labels beyond the commonest ones share a bin.
const LABELS: usize = 64;

/// Puts an original and its release (read whole) into bins.
pub fn spread(published: &Published, original: &Table, policy: &Policy) -> Result<Spread, VerifyError> {
    complete(original, policy)?;
    let names = quasi_columns(&published.names, policy)?;
    let mut columns = Vec::new();
    for ((said, quasi), names) in policy.quasi().zip(&names) {
        published.call.check()?;
        let Some(column) = original.column(&said.name) else { continue };
        let kind = kind_of(quasi, column, policy.missing_in(&said.name));
        let reader = Reader::new(&kind, &policy.format, policy.missing_in(&said.name));
        let cells = Looks::new(&said.name, names, published, policy);
        let looks = cells.distinct(published.table.rows());
        let said_by: Vec<Said> = looks.first.iter().map(|&row| cells.said(&reader, row, true)).collect();
        let bins = Bins::new(&kind, column, policy.missing_in(&said.name), &said_by);
        columns.push(SpreadColumn {
            name: said.name.clone(),
            ordered: kind.on_line(),
            bins: bins.count + 1,
            original: column.codes().iter().map(|&code| bins.of[code as usize]).collect(),
            shares: said_by.iter().map(|said| bins.shares(said)).collect(),
            starred: said_by.iter().map(|said| *said == Said::Star).collect(),
            looks: looks.of_row,
        });
    }
    let original_people = people_of(original, policy)?;
    let released_people = match policy.per_group {
        true => count_groups(published, policy)?.sizes,
        false => people_of_rows(published, policy)?,
    };
    Ok(Spread { columns, original_people, released_people })
}

/// The bins of one column; the bin after the last is for missing values.
struct Bins<'a> {
    /// The bin of every entry of the original's dictionary.
    of: Vec<u32>,
    count: usize,
    scale: Scale<'a>,
}

enum Scale<'a> {
    /// From the lowest value to the highest.
    Line { low: f64, high: f64 },
    /// The bin of every label.
    Labels(BTreeMap<&'a str, u32>),
    /// The bins of leaves that occur, in their order.
    Leaves(BTreeMap<u32, u32>),
}

impl<'a> Bins<'a> {
    /// Of the original's values, between the ends that cells have: where those are blunt, the exact ones are not
    /// to be seen from how much falls into a bin.
    fn new(kind: &Kind, column: &'a Column, missing: &[String], cells: &[Said]) -> Self {
        let gone: Vec<bool> =
            (0..column.distinct() as u32).map(|code| is_missing(column, code, missing)).collect();
        let present = || (0u32..).zip(&gone).filter(|(_, gone)| !**gone).map(|(code, _)| code);
        if kind.on_line() {
            let values: Vec<Option<f64>> = (0..column.distinct() as u32)
                .map(|code| value_of(kind, column.text(code)).filter(|_| !gone[code as usize]))
                .map(|value| value.map(|number| number.to_f64()))
                .collect();
            let known = || values.iter().flatten().copied();
            let ends = cells.iter().flat_map(Said::readings).filter_map(|reading| match reading {
                Reading::Range(from, to) => Some([from.to_f64(), to.to_f64()]),
                _ => None,
            });
            let all: Vec<f64> = known().chain(ends.flatten()).collect();
            let low = all.iter().copied().fold(f64::INFINITY, f64::min);
            let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut distinct: Vec<f64> = known().collect();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let count = distinct.len().clamp(1, BINS);
            let of = values.iter().map(|v| v.map_or(count as u32, |v| bin_of(v, low, high, count)));
            return Self { of: of.collect(), count, scale: Scale::Line { low, high } };
        }
        if let Kind::Hierarchy(hierarchy) = kind {
            let leaf = |code: u32| hierarchy.leaf(column.text(code));
            let mut leaves: Vec<u32> = present().filter_map(leaf).collect();
            leaves.sort_unstable();
            leaves.dedup();
            // Neighbouring leaves share a bin where there are too many.
            let count = leaves.len().clamp(1, LABELS);
            let share = |at: usize| (at * count / leaves.len()) as u32;
            let bins: BTreeMap<u32, u32> =
                leaves.iter().enumerate().map(|(at, &leaf)| (leaf, share(at))).collect();
            let of = (0..column.distinct() as u32)
                .map(|code| leaf(code).and_then(|leaf| bins.get(&leaf).copied()).unwrap_or(count as u32));
            return Self { of: of.collect(), count, scale: Scale::Leaves(bins) };
        }
        let rows = column.rows_of_codes();
        let mut codes: Vec<u32> = present().collect();
        codes.sort_by_key(|&code| (std::cmp::Reverse(rows[code as usize]), code));
        let count = codes.len().clamp(1, LABELS);
        let mut of = vec![count as u32; column.distinct()];
        let mut labels = BTreeMap::new();
        for (rank, &code) in codes.iter().enumerate() {
            of[code as usize] = rank.min(count - 1) as u32;
            labels.insert(column.text(code), of[code as usize]);
        }
        Self { of, count, scale: Scale::Labels(labels) }
    }

    /// The bins that a cell covers, each with its share.
    fn shares(&self, said: &Said) -> Vec<(u32, f64)> {
        let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
        let mut add = |bin: u32, weight: f64| *weights.entry(bin).or_default() += weight;
        for reading in said.readings() {
            match (reading, &self.scale) {
                (Reading::Missing, _) => add(self.count as u32, 1.0),
                (Reading::Range(from, to), &Scale::Line { low, high }) => {
                    let bins = overlaps(from.to_f64(), to.to_f64(), low, high, self.count);
                    bins.into_iter().for_each(|(bin, weight)| add(bin, weight));
                }
                (Reading::Interval(named), &Scale::Line { low, high }) => {
                    let (from, to) = named.ends();
                    let from = from.map_or(low, |from| from.to_f64().clamp(low, high));
                    let to = to.map_or(high, |to| to.to_f64().clamp(low, high));
                    let bins = overlaps(from, to, low, high, self.count);
                    bins.into_iter().for_each(|(bin, weight)| add(bin, weight));
                }
                (Reading::Text(text), Scale::Labels(labels)) => {
                    labels.get(text.as_str()).into_iter().for_each(|&bin| add(bin, 1.0));
                }
                (Reading::Labels(list), Scale::Labels(labels)) => {
                    let known = list.iter().filter_map(|label| labels.get(label.as_str()));
                    known.for_each(|&bin| add(bin, 1.0));
                }
                (Reading::Prefix(start), Scale::Labels(labels)) => {
                    let all = labels.iter().filter(|(label, _)| label.trim_ascii().starts_with(start));
                    all.for_each(|(_, &bin)| add(bin, 1.0));
                }
                (Reading::Leaves(first, last), Scale::Leaves(leaves)) => {
                    leaves.range(*first..=*last).for_each(|(_, &bin)| add(bin, 1.0));
                }
                _ => {}
            }
        }
        if weights.is_empty() {
            // A star, or a cell that is not understood: anything.
            weights = (0..self.count as u32).map(|bin| (bin, 1.0)).collect();
        }
        let sum: f64 = weights.values().sum();
        weights.into_iter().map(|(bin, weight)| (bin, weight / sum)).collect()
    }
}

fn bin_of(value: f64, low: f64, high: f64, count: usize) -> u32 {
    let share = if high > low { (value - low) / (high - low) } else { 0.0 };
    ((share * count as f64) as usize).min(count - 1) as u32
}

/// The bins that a range reaches into, by how much of it lies in each.
fn overlaps(from: f64, to: f64, low: f64, high: f64, count: usize) -> Vec<(u32, f64)> {
    let (first, last) = (bin_of(from, low, high, count), bin_of(to, low, high, count));
    if first >= last {
        return vec![(first, 1.0)];
    }
    let width = (high - low) / count as f64;
    let inside = |bin: u32| {
        let (left, right) = (low + width * f64::from(bin), low + width * f64::from(bin + 1));
        // A bin that a range only touches holds its end all the same.
        (right.min(to) - left.max(from)).max(width * 1e-9)
    };
    (first..=last).map(|bin| (bin, inside(bin))).collect()
}
