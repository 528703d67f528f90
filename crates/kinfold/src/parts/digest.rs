//! Records in a form that makes groups cheap to grow, shrink and compare.
//!
//! A digest is what a record adds to a group, column by column, packed:
//! - **lanes**: a value on a line is the pair (v, −v). A group's lanes are the maxima of its records',
//!   and the sum of all lanes is the extent of all lines together.
//! - **bits**: a label is one bit. A group's bits are the union, and each bit beyond the first of
//!   its column costs one step.
//! - **flat lanes**: where cells are only suppressed there are no bits, and the lanes are codes: those of all columns in the
//!   first half, their negatives in the second. A group's lanes are the highest and the lowest code of every
//!   column, and a column costs a whole cell if the two differ.
//! - **codes**: columns that fit neither stay codes, and a group looks at the codes of its members: labels
//!   by the thousand, and trees and lines with missing values, where the lowest and highest code decide.
//!
//! Costs here are 32-bit: one unit is Σ weights / 2³⁰. The judge works out the exact cost.
// Loops over a fixed number of lanes and words read best with the index, and unroll.
#![allow(clippy::needless_range_loop)]

use kinfold_model::cost::{Rule, RuleKind};
use kinfold_model::problem::Problem;

/// What losing all cells of a person costs.
pub(crate) const EVERYTHING: i64 = 1 << 30;

/// A column with more labels than this stays a code.
const MOST_LABELS: u32 = 256;

/// What one record, or a whole group, looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest<const L: usize, const W: usize> {
    pub(crate) lanes: [i32; L],
    pub(crate) bits: [u64; W],
}

/// All records of a problem.
pub(crate) struct Digests<const L: usize, const W: usize> {
    records: Vec<Digest<L, W>>,
    /// Which bits of every word belong to one column, and what each of them costs.
    masks: [[u64; FIELDS]; W],
    steps: [[i64; FIELDS]; W],
    /// The same steps, but 0 for columns that do not lie in one word.
    whole_steps: [[i64; FIELDS]; W],
    /// Columns that stay codes, and the codes of every record.
    pub(crate) coded: Vec<Coded>,
    codes: Vec<u32>,
    /// What a star costs, by the lane of the column's codes, where lanes are flat.
    star: [i32; L],
    /// What the first label of every bit column would cost, which is free.
    pub(crate) base: i32,
}

/// Columns that share a word: one for each lane of a vector register.
const FIELDS: usize = 4;

/// A column that stays a code.
pub(crate) struct Coded {
    rule: Rule,
    unit: f64,
    is_set: bool,
    step: i32,
}

/// Where each column of a problem goes.
pub(crate) struct Layout {
    places: Vec<Place>,
    /// Lanes and words that are used.
    shape: (usize, usize),
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// This lane and the next.
    Lanes(usize),
    /// As many bits as there are labels, from this one on.
    Bits(usize),
    /// This lane, and its fellow in the second half.
    Flat(usize),
    Code,
}

impl Layout {
    /// At most this many lanes and words; columns that find no place stay codes.
    pub(crate) const MOST: (usize, usize) = (64, 32);

    pub(crate) fn of(problem: &Problem) -> Self {
        if problem.rules().iter().all(|rule| matches!(rule.kind(), RuleKind::Flat { .. })) {
            let most = Self::MOST.0 / 2;
            let place = |column| if column < most { Place::Flat(column) } else { Place::Code };
            let columns = problem.rules().len();
            return Self { places: (0..columns).map(place).collect(), shape: (2 * columns.min(most), 0) };
        }
        let mut lanes = 0;
        // Bits and columns in every word so far.
        let mut words: Vec<(usize, usize)> = Vec::new();
        let places = problem.rules().iter().map(|rule| match rule.kind() {
            RuleKind::Line { missing: false, .. } if lanes + 2 <= Self::MOST.0 => {
                lanes += 2;
                Place::Lanes(lanes - 2)
            }
            RuleKind::Set { values, .. } if *values <= MOST_LABELS => {
                let wide = *values as usize;
                // A column of up to 64 labels lies in one word, so that one look tells whether labels are shared.
                let fits = |&(bits, columns): &(usize, usize)| bits + wide <= 64 && columns < FIELDS;
                if let Some(word) = words.iter().position(fits) {
                    let first = word * 64 + words[word].0;
                    words[word] = (words[word].0 + wide, words[word].1 + 1);
                    return Place::Bits(first);
                }
                if words.len() + wide.div_ceil(64) > Self::MOST.1 {
                    return Place::Code;
                }
                let first = words.len() * 64;
                words.extend((0..wide.div_ceil(64)).map(|part| ((wide - part * 64).min(64), 1)));
                Place::Bits(first)
            }
            _ => Place::Code,
        });
        let places = places.collect();
        Self { places, shape: (lanes, words.len()) }
    }

    fn is_flat(&self) -> bool {
        matches!(self.places.first(), Some(Place::Flat(_)))
    }

    /// Does the work with digests of the smallest size that fits.
    pub(crate) fn run<T: Work>(&self, work: &T) -> T::Answer {
        match self.shape {
            (0..=8, 0) if self.is_flat() => work.run::<8, 0>(self),
            (0..=16, 0) if self.is_flat() => work.run::<16, 0>(self),
            (_, 0) if self.is_flat() => work.run::<{ Self::MOST.0 }, 0>(self),
            (0..=4, 0..=2) => work.run::<4, 2>(self),
            (0..=8, 0..=4) => work.run::<8, 4>(self),
            (0..=16, 0..=8) => work.run::<16, 8>(self),
            (0..=32, 0..=8) => work.run::<32, 8>(self),
            _ => work.run::<{ Self::MOST.0 }, { Self::MOST.1 }>(self),
        }
    }
}

/// Work on digests, whatever their size.
pub(crate) trait Work {
    /// What comes of it.
    type Answer;
    /// Does it with digests of `L` lanes and `W` words.
    fn run<const L: usize, const W: usize>(&self, layout: &Layout) -> Self::Answer;
}

impl<const L: usize, const W: usize> Digests<L, W> {
    /// Digests without bits have flat lanes.
    pub(crate) const FLAT: bool = W == 0;
    /// Where the second half of the lanes starts.
    pub(crate) const HALF: usize = L / 2;

    /// Digests of all records; the layout's shape must fit.
    pub(crate) fn new(problem: &Problem, layout: &Layout) -> Self {
        let everything: f64 = problem.rules().iter().map(|r| r.full() as f64).sum();
        let unit = everything / EVERYTHING as f64;
        let scaled = |cost: u64| (cost as f64 / unit).round() as i32;
        let empty = Digest { lanes: [0; L], bits: [0; W] };
        let mut digests = Self {
            records: vec![empty; problem.records()],
            masks: [[0; FIELDS]; W],
            steps: [[0; FIELDS]; W],
            whole_steps: [[0; FIELDS]; W],
            coded: Vec::new(),
            codes: Vec::new(),
            star: [0; L],
            base: 0,
        };
        let mut coded = Vec::new();
        for (c, (rule, place)) in problem.rules().iter().zip(&layout.places).enumerate() {
            match (place, rule.kind()) {
                (&Place::Lanes(lane), RuleKind::Line { at, .. }) => {
                    for (record, digest) in (0u32..).zip(&mut digests.records) {
                        let place = scaled(at[problem.codes(record)[c] as usize]);
                        digest.lanes[lane] = place;
                        digest.lanes[lane + 1] = -place;
                    }
                }
                (&Place::Flat(lane), _) => {
                    digests.star[lane] = scaled(rule.full());
                    for (record, digest) in (0u32..).zip(&mut digests.records) {
                        let code = problem.codes(record)[c] as i32;
                        digest.lanes[lane] = code;
                        digest.lanes[lane + Self::HALF] = -code;
                    }
                }
                (&Place::Bits(first), RuleKind::Set { values, step }) => {
                    digests.add_bits(problem, c, first, *values as usize, scaled(*step));
                }
                (_, kind) => {
                    let (is_set, step) = if let RuleKind::Set { step, .. } = kind {
                        (true, scaled(*step))
                    } else {
                        (false, 0)
                    };
                    digests.coded.push(Coded { rule: rule.clone(), unit, is_set, step });
                    coded.push(c);
                }
            }
        }
        digests.codes = (0..problem.records() as u32)
            .flat_map(|record| coded.iter().map(move |&c| problem.codes(record)[c]))
            .collect();
        digests
    }

    /// Numbers the digests anew: first comes that of `order[0]`.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        let columns = self.coded.len();
        self.records = order.iter().map(|&r| self.records[r as usize]).collect();
        let codes = |&r: &u32| self.codes[r as usize * columns..][..columns].iter().copied();
        self.codes = order.iter().flat_map(codes).collect();
    }

    fn add_bits(&mut self, problem: &Problem, column: usize, first: usize, wide: usize, step: i32) {
        self.base += step;
        for (record, digest) in (0u32..).zip(&mut self.records) {
            let bit = first + problem.codes(record)[column] as usize;
            digest.bits[bit / 64] |= 1 << (bit % 64);
        }
        let mut rest = wide;
        for word in first / 64.. {
            if rest == 0 {
                break;
            }
            let (start, part) = (first % 64, rest.min(64));
            let mask = (u64::MAX >> (64 - part)) << start;
            // Layout puts no more columns into a word than there are fields.
            if let Some(free) = self.masks[word].iter().position(|&m| m == 0) {
                self.masks[word][free] = mask;
                self.steps[word][free] = i64::from(step);
                self.whole_steps[word][free] = if part == wide { i64::from(step) } else { 0 };
            }
            rest -= part;
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    pub(crate) fn of(&self, record: u32) -> &Digest<L, W> {
        &self.records[record as usize]
    }

    /// The code of a record on a coded column.
    #[inline]
    pub(crate) fn code(&self, record: u32, coded: usize) -> u32 {
        self.codes[record as usize * self.coded.len() + coded]
    }

    /// What these bits cost together.
    pub(crate) fn bits_cost(&self, bits: [u64; W]) -> i32 {
        let mut cost = 0;
        for w in 0..W {
            for f in 0..FIELDS {
                cost += i64::from((bits[w] & self.masks[w][f]).count_ones()) * self.steps[w][f];
            }
        }
        cost as i32
    }

    /// What these bits cost together, of which no column has more than one in a word.
    #[inline]
    pub(crate) fn single_bits_cost(&self, bits: [u64; W]) -> i32 {
        let mut costs = [0; FIELDS];
        for w in 0..W {
            for f in 0..FIELDS {
                costs[f] += if bits[w] & self.masks[w][f] != 0 { self.steps[w][f] } else { 0 };
            }
        }
        costs.iter().sum::<i64>() as i32
    }

    /// A step for every column that has none of these bits: what two groups that share only these cost at least
    /// more together than one of them.
    #[inline]
    pub(crate) fn unshared_cost(&self, shared: [u64; W]) -> i32 {
        let mut costs = [0; FIELDS];
        for w in 0..W {
            for f in 0..FIELDS {
                costs[f] += if shared[w] & self.masks[w][f] == 0 { self.whole_steps[w][f] } else { 0 };
            }
        }
        costs.iter().sum::<i64>() as i32
    }

    /// What stars cost in the flat columns for which `starred` says so.
    #[inline(always)]
    pub(crate) fn stars(&self, starred: impl Fn(usize) -> bool) -> i32 {
        let mut cost = 0;
        for l in 0..Self::HALF {
            cost += if starred(l) { self.star[l] } else { 0 };
        }
        cost
    }

    /// By how much a group with this union grows when a record joins; coded columns apart.
    #[inline]
    pub(crate) fn rise(&self, group: &Digest<L, W>, record: &Digest<L, W>) -> i32 {
        if Self::FLAT {
            let (lanes, half) = (&group.lanes, Self::HALF);
            return self.stars(|l| (lanes[l] == -lanes[l + half]) & (lanes[l] != record.lanes[l]));
        }
        let mut rise = 0;
        for l in 0..L {
            rise += (record.lanes[l] - group.lanes[l]).max(0);
        }
        let mut new = [0; W];
        for w in 0..W {
            new[w] = record.bits[w] & !group.bits[w];
        }
        rise + self.single_bits_cost(new)
    }
}

impl Coded {
    /// Whether the column is one of labels; otherwise only the lowest and the highest code matter.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.is_set
    }

    /// What one more label costs, where the column is one of labels.
    #[inline]
    pub(crate) fn step(&self) -> i32 {
        self.step
    }

    /// What codes from the lowest to the highest cost, where the column is none of labels.
    pub(crate) fn span(&self, low: u32, high: u32) -> i32 {
        (self.rule.between(low, high).0 as f64 / self.unit).round() as i32
    }

    /// By how much a group with these codes costs more with another one.
    pub(crate) fn rise(&self, codes: &[u32], code: u32) -> i32 {
        if self.is_set {
            return if codes.contains(&code) { 0 } else { self.step };
        }
        let (low, high) = codes.iter().fold((code, code), |(low, high), &c| (low.min(c), high.max(c)));
        let (mut first, mut last) = (u32::MAX, 0);
        codes.iter().for_each(|&c| (first, last) = (first.min(c), last.max(c)));
        self.span(low, high) - self.span(first, last)
    }
}

impl<const L: usize, const W: usize> Digest<L, W> {
    /// Grows to cover another.
    #[inline]
    pub(crate) fn join(&mut self, other: &Self) {
        for l in 0..L {
            self.lanes[l] = self.lanes[l].max(other.lanes[l]);
        }
        for w in 0..W {
            self.bits[w] |= other.bits[w];
        }
    }
}
