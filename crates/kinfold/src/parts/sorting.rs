//! Sorts records so that near ones come together: parts them in two, and each part again.
//!
//! The codes are sorted with the records. Every part is a run in memory then; looking codes up by record
//! waits for memory at each look, and made half of the time that a tree over a million records takes.

use super::digest::MOST_LABELS;
use super::random::Random;
use kinfold_model::{Problem, Rule, RuleKind};

/// Pairs that tell on which column records differ most.
const SAMPLED_PAIRS: usize = 24;

/// All records, and the codes of each.
pub(crate) struct Sorting {
    pub(super) records: Vec<u32>,
    codes: Vec<u32>,
}

/// Which codes of a column are in the first part.
#[derive(Debug, Clone)]
pub(crate) enum Side {
    /// Those up to this one.
    UpTo(u32),
    /// These, ascending.
    Among(Vec<u32>),
}

/// A run of them.
pub(crate) struct Items<'a> {
    records: &'a mut [u32],
    codes: &'a mut [u32],
}

impl Sorting {
    pub(super) fn new(problem: &Problem) -> Self {
        let records: Vec<u32> = (0..problem.records() as u32).collect();
        let codes = records.iter().flat_map(|&record| problem.codes(record)).copied().collect();
        Self { records, codes }
    }

    /// Rows in the place of records: the codes of every row, per column.
    pub(crate) fn of_rows(columns: &[Vec<u32>]) -> Self {
        let rows = columns.first().map_or(0, Vec::len);
        let codes = (0..rows).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        Self { records: (0..rows as u32).collect(), codes }
    }

    /// Those that stand in this range now; it is not empty.
    pub(crate) fn run(&mut self, range: std::ops::Range<usize>) -> Items<'_> {
        let columns = self.codes.len() / self.records.len();
        let codes = &mut self.codes[range.start * columns..range.end * columns];
        Items { records: &mut self.records[range], codes }
    }

    pub(super) fn all(&mut self) -> Items<'_> {
        Items { records: &mut self.records, codes: &mut self.codes }
    }
}

impl Items<'_> {
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn split_at(&mut self, middle: usize) -> (Items<'_>, Items<'_>) {
        let columns = self.columns();
        let (left, right) = self.records.split_at_mut(middle);
        let (left_codes, right_codes) = self.codes.split_at_mut(middle * columns);
        (Items { records: left, codes: left_codes }, Items { records: right, codes: right_codes })
    }

    fn columns(&self) -> usize {
        self.codes.len() / self.records.len()
    }

    fn codes_of(&self, item: usize) -> &[u32] {
        let columns = self.columns();
        &self.codes[item * columns..][..columns]
    }

    /// Parts them on the column on which random pairs differ most; none if all are alike. Says on which column,
    /// what is in the first part, and where the second begins.
    pub(crate) fn split(&mut self, rules: &[Rule], random: &mut Random) -> Option<(usize, Side, usize)> {
        let mut spreads: Vec<(u64, usize)> = (0..rules.len()).map(|c| (0, c)).collect();
        for _ in 0..SAMPLED_PAIRS {
            let (a, b) = (random.below(self.len()), random.below(self.len()));
            let codes = self.codes_of(a).iter().zip(self.codes_of(b));
            for ((spread, rule), (&a, &b)) in spreads.iter_mut().zip(rules).zip(codes) {
                spread.0 += rule.between(a, b).0;
            }
        }
        spreads.sort_unstable_by_key(|&(spread, c)| (std::cmp::Reverse(spread), c));
        let found = spreads.into_iter().find_map(|(_, c)| Some((c, self.side(&rules[c], c)?)));
        let (column, side) = found?;
        let middle = match &side {
            Side::UpTo(last) => self.gather(column, |code| code <= *last),
            Side::Among(chosen) => self.gather(column, |code| chosen.binary_search(&code).is_ok()),
        };
        Some((column, side, middle))
    }

    /// Missing values apart from others; else lines, trees, flat columns and labels that stay codes near the
    /// median, and other labels by filling two halves, the commonest first.
    fn side(&self, rule: &Rule, column: usize) -> Option<Side> {
        let mut codes: Vec<u32> = self.codes.iter().skip(column).step_by(self.columns()).copied().collect();
        if codes.iter().all(|&c| c == codes[0]) {
            return None;
        }
        let missing = rule.missing_code().filter(|missing| codes.contains(missing));
        if let Some(missing) = missing {
            return Some(Side::UpTo(missing - 1));
        }
        if matches!(rule.kind(), RuleKind::Tree { .. }) {
            let last = boundary(rule, &runs(codes, rule.values()));
            return Some(Side::UpTo(last));
        }
        if !matches!(rule.kind(), RuleKind::Set { values, .. } if *values <= MOST_LABELS) {
            let middle = codes.len() / 2;
            let (_, &mut median, above) = codes.select_nth_unstable(middle);
            // All up to the median, or all below it if the median is the highest.
            let last = if above.iter().all(|&c| c == median) { median - 1 } else { median };
            return Some(Side::UpTo(last));
        }
        let mut runs = runs(codes, rule.values());
        runs.sort_unstable_by_key(|&(length, code)| (std::cmp::Reverse(length), code));
        let (mut sizes, mut chosen) = ([0, 0], Vec::new());
        for (length, code) in runs {
            let side = usize::from(sizes[1] < sizes[0]);
            sizes[side] += length;
            if side == 0 {
                chosen.push(code);
            }
        }
        chosen.sort_unstable();
        Some(Side::Among(chosen))
    }

    /// Brings the records whose code is `left` to the front, otherwise in their order; says how many they
    /// are.
    fn gather(&mut self, column: usize, left: impl Fn(u32) -> bool) -> usize {
        let columns = self.columns();
        let (mut first, mut rest, mut rest_codes) = (0, Vec::new(), Vec::new());
        for item in 0..self.len() {
            let codes = item * columns..(item + 1) * columns;
            if left(self.codes[item * columns + column]) {
                self.records[first] = self.records[item];
                self.codes.copy_within(codes, first * columns);
                first += 1;
            } else {
                rest.push(self.records[item]);
                rest_codes.extend_from_slice(&self.codes[codes]);
            }
        }
        self.records[first..].copy_from_slice(&rest);
        self.codes[first * columns..].copy_from_slice(&rest_codes);
        first
    }
}

/// How often each code occurs, in ascending order of codes.
fn runs(mut codes: Vec<u32>, values: u32) -> Vec<(usize, u32)> {
    if values as usize <= codes.len() {
        let mut counts = vec![0; values as usize];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        return counts.into_iter().zip(0..).filter(|&(count, _)| count > 0).collect();
    }
    codes.sort_unstable();
    codes.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0])).collect()
}

/// The leaf after which to cut: between branches that are far apart, and not far from the middle.
fn boundary(rule: &Rule, runs: &[(usize, u32)]) -> u32 {
    let all: usize = runs.iter().map(|run| run.0).sum();
    let mut before = 0;
    let worths = runs.windows(2).map(|pair| {
        let [(count, last), (_, next)] = [pair[0], pair[1]];
        before += count;
        let apart = u128::from(rule.between(last, next).0);
        (apart * before.min(all - before) as u128, std::cmp::Reverse(before), last)
    });
    worths.max().map_or(0, |(_, _, last)| last)
}
