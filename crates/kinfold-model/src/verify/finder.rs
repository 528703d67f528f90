//! Which rows of the original does a published row cover? A tree over the rows of the original (Bentley 1975)
//! answers without comparing all of them.

use super::cover::{Original, Reading, Said};
use super::truth::QuasiSide;
use crate::requirement::{Points, Runs, runs_of};
use std::collections::BTreeMap;

/// One quasi-identifier: its values in order, and the runs of values that every published look covers.
struct Axis {
    rank_of: Vec<u32>,
    runs: Vec<Runs>,
}

impl Axis {
    fn new(side: &QuasiSide<'_>) -> Self {
        let values = &side.values;
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        // Those on a line come first, then the leaves of a tree; the others are found by their text.
        order.sort_by_key(|&code| {
            let v: &Original<'_> = &values[code as usize];
            (v.value.is_none(), v.value, v.leaf.is_none(), v.leaf, v.text.trim_ascii())
        });
        let mut rank_of = vec![0; values.len()];
        (0..).zip(&order).for_each(|(rank, &code)| rank_of[code as usize] = rank);
        let at = |rank: usize| &values[order[rank] as usize];
        let mut by_text: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (rank, &code) in (0u32..).zip(&order) {
            by_text.entry(values[code as usize].text).or_default().push(rank);
        }
        let missing: Vec<u32> =
            (0u32..).zip(&order).filter(|o| values[*o.1 as usize].missing).map(|o| o.0).collect();
        // Texts without the blanks around them, in order.
        let mut codes: Vec<(&str, u32)> = (0u32..)
            .zip(&order)
            .filter(|(_, code)| !values[**code as usize].missing)
            .map(|(rank, &code)| (values[code as usize].text.trim_ascii(), rank))
            .collect();
        codes.sort_unstable();
        let on_line = (0..order.len()).filter(|&rank| at(rank).value.is_some()).count();
        let leaves = on_line + (on_line..order.len()).filter(|&rank| at(rank).leaf.is_some()).count();
        // The first rank in a part of the order for which this does not hold.
        let first = |from: usize, to: usize, holds: &dyn Fn(usize) -> bool| {
            let (mut low, mut high) = (from, to);
            while low < high {
                let middle = low.midpoint(high);
                if holds(middle) { low = middle + 1 } else { high = middle }
            }
            low as u32
        };
        let single = |ranks: &[u32], runs: &mut Runs| runs.extend(ranks.iter().map(|&rank| (rank, rank)));
        let named = |text: &str| by_text.get(text).map(Vec::as_slice).unwrap_or_default();
        let runs = |said: &Said| {
            let Said::Either(readings) = said else {
                return if order.is_empty() { Vec::new() } else { vec![(0, order.len() as u32 - 1)] };
            };
            let mut runs = Runs::new();
            for reading in readings {
                match reading {
                    Reading::Text(text) => single(named(text), &mut runs),
                    Reading::Missing => single(&missing, &mut runs),
                    Reading::Range(low, high) => {
                        let from = first(0, on_line, &|rank| at(rank).value.is_some_and(|v| v < *low));
                        let to = first(0, on_line, &|rank| at(rank).value.is_some_and(|v| v <= *high));
                        runs.extend((from < to).then(|| (from, to - 1)));
                    }
                    Reading::Interval(named) => {
                        let before = |rank| at(rank).value.is_some_and(|value| named.is_before(value));
                        let upto = |rank| at(rank).value.is_some_and(|value| !named.is_after(value));
                        let (from, to) = (first(0, on_line, &before), first(0, on_line, &upto));
                        runs.extend((from < to).then(|| (from, to - 1)));
                    }
                    Reading::Labels(labels) => {
                        for label in labels {
                            if side.missing.iter().any(|text| text == label.trim_ascii()) {
                                single(&missing, &mut runs);
                            }
                            let ranks = named(label).iter().copied();
                            let present = ranks.filter(|&rank| !at(rank as usize).missing);
                            runs.extend(present.map(|rank| (rank, rank)));
                        }
                    }
                    Reading::Code(code) => {
                        let from = codes.partition_point(|(text, _)| *text < code.as_str());
                        let same = codes[from..].iter().take_while(|(text, _)| text == code);
                        runs.extend(same.map(|&(_, rank)| (rank, rank)));
                    }
                    Reading::Prefix(start) => {
                        let from = codes.partition_point(|(text, _)| *text < start.as_str());
                        let same =
                            codes[from..].iter().take_while(|(text, _)| text.starts_with(start.as_str()));
                        runs.extend(same.map(|&(_, rank)| (rank, rank)));
                    }
                    Reading::Leaves(low, high) => {
                        // Leaves stand behind values on a line, in their order.
                        let from = first(on_line, leaves, &|rank| at(rank).leaf.is_some_and(|l| l < *low));
                        let to = first(on_line, leaves, &|rank| at(rank).leaf.is_some_and(|l| l <= *high));
                        runs.extend((from < to).then(|| (from, to - 1)));
                    }
                }
            }
            runs_of(runs)
        };
        Self { runs: side.said.iter().map(runs).collect(), rank_of }
    }
}

/// Rows of the original by what they say.
pub(super) struct Finder<'a> {
    sides: &'a [QuasiSide<'a>],
    axes: Vec<Axis>,
    /// Rank by rank for every row; the last one is its class.
    ranks: Points,
    codes: Vec<u32>,
    /// Comparisons made so far.
    pub(super) work: u64,
}

impl<'a> Finder<'a> {
    /// These rows of the original, each with the number of its class.
    pub(super) fn new(sides: &'a [QuasiSide<'a>], rows: &[u32], class: impl Fn(u32) -> u32) -> Self {
        let axes: Vec<Axis> = by_cell(sides).map(Axis::new).collect();
        let width = axes.len() + 1;
        let mut ranks = Vec::with_capacity(rows.len() * width);
        for &row in rows {
            ranks.extend(
                axes.iter().zip(by_cell(sides)).map(|(a, s)| a.rank_of[s.codes[row as usize] as usize]),
            );
            ranks.push(class(row));
        }
        // Balls are about all quasi-identifiers at once: one side, whose codes are records.
        let codes = sides
            .iter()
            .find(|side| side.balls.is_some())
            .map_or(Vec::new(), |side| rows.iter().map(|&row| side.codes[row as usize]).collect());
        Self { sides, axes, ranks: Points::new(width, ranks), codes, work: 0 }
    }

    /// The rows that a published row covers, of one class or of all.
    pub(super) fn covered(&mut self, published: u32, class: Option<u32>, found: &mut Vec<u32>) {
        found.clear();
        let class = class.map(|class| [(class, class)]);
        let looks = self.axes.iter().zip(by_cell(self.sides));
        let runs = looks.map(|(axis, side)| axis.runs[side.looks[published as usize] as usize].as_slice());
        let asked = runs.enumerate().chain(class.iter().map(|class| (self.axes.len(), class.as_slice())));
        self.work += self.ranks.each(asked, |rows| found.extend(&self.ranks.order()[rows]));
        for QuasiSide { balls, looks, .. } in self.sides {
            let Some(balls) = balls else { continue };
            self.work += found.len() as u64;
            found.retain(|&point| balls.holds(looks[published as usize], self.codes[point as usize]));
        }
    }
}

/// The sides that are compared cell by cell.
fn by_cell<'a>(sides: &'a [QuasiSide<'a>]) -> impl Iterator<Item = &'a QuasiSide<'a>> {
    sides.iter().filter(|side| side.balls.is_none())
}
