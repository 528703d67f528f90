//! Records in a form that makes groups cheap to grow, shrink and compare.
//!
//! A digest is what a record adds to a group, column by column, packed:
//! - **lanes**: a value of an ordered column is the pair (v, −v): v in the first half of the lanes, −v in the
//!   second. A group's lanes are the maxima of its records', that is its highest and its lowest value. What
//!   they cost:
//!   - on a *line*, highest − lowest, but no more than a whole cell. Missing values lie two cells away, so
//!     that a
//!     group that mixes them with others costs a whole cell, and one of missing values alone costs nothing;
//!   - where values have nothing in common (cells are only suppressed, or all leaves of a tree hang on one
//!     node), a
//!     whole cell if the two differ;
//!   - in any other *tree*, leaves count in depth-first order: the lowest common node depends on the first
//!     and the last
//!     leaf alone, and its cost is looked up.
//! - **bits**: a label is one bit. A group's bits are the union, and each bit beyond the first of
//!   its column costs one step.
//! - **codes**: columns that find no place in lanes or bits stay codes, and a group looks at the codes of its
//!   members: labels by the thousand, mostly.
//!
//! All costs only rise when lanes or bits are added, so what a set of records has at least in common bounds
//! the cost of each (see `near.rs`). Costs here are 32-bit: one unit is Σ weights / 2²⁹. The judge works out
//! the exact cost.
// Loops over a fixed number of lanes and words read best with the index, and unroll.
#![allow(clippy::needless_range_loop)]

use kinfold_model::range_max::RangeMax;
use kinfold_model::{Problem, Rule, RuleKind};

/// What losing all cells of a person costs: small enough for lanes of two cells.
pub(crate) const EVERYTHING: i64 = 1 << 29;

/// A column with more labels than this stays a code.
pub(super) const MOST_LABELS: u32 = 256;

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
    /// By lane of the first half, what the column costs at most; 0 for trees, which are looked up.
    most: [i32; L],
    /// By lane of the first half, all bits if any difference costs as much as can be, else none.
    flat: [i32; L],
    /// Lanes of trees, with what each step between neighbouring leaves costs: the dearest on the way from the
    /// first leaf to the last is what their lowest common node costs.
    trees: Vec<(usize, RangeMax<i32>)>,
    /// What the first label of every bit column would cost, which is free.
    pub(crate) base: i32,
}

/// Columns that share a word: one for each lane of a vector register.
const FIELDS: usize = 4;

/// A column that stays a code.
pub(crate) struct Coded {
    rule: Rule,
    unit: f64,
    /// Whether it is one of labels, and what one more costs then; otherwise only the lowest and the highest code
    /// matter.
    pub(crate) is_set: bool,
    pub(crate) step: i32,
}

/// Where each column of a problem goes.
pub(crate) struct Layout {
    places: Vec<ColumnStore>,
    /// Lanes and words that are used.
    shape: (usize, usize),
}

#[derive(Debug, Clone, Copy)]
enum ColumnStore {
    /// This lane, and its fellow in the second half.
    Lanes(usize),
    /// As many bits as there are labels, from this one on.
    Bits(usize),
    Code,
}

impl Layout {
    /// At most this many lanes and words; columns that find no place stay codes.
    pub(crate) const MOST: (usize, usize) = (128, 32);

    pub(crate) fn of(problem: &Problem) -> Self {
        let mut lanes = 0;
        // Bits and columns in every word so far.
        let mut words: Vec<(usize, usize)> = Vec::new();
        let places = problem.rules().iter().map(|rule| match rule.kind() {
            RuleKind::Set { .. } if rule.values() > MOST_LABELS => ColumnStore::Code,
            RuleKind::Set { values, .. } => {
                let wide = *values as usize;
                // A column of up to 64 labels lies in one word, so that one look tells whether labels are
                // shared.
                let fits = |&(bits, columns): &(usize, usize)| bits + wide <= 64 && columns < FIELDS;
                if let Some(word) = words.iter().position(fits) {
                    let first = word * 64 + words[word].0;
                    words[word] = (words[word].0 + wide, words[word].1 + 1);
                    return ColumnStore::Bits(first);
                }
                if words.len() + wide.div_ceil(64) > Self::MOST.1 {
                    return ColumnStore::Code;
                }
                let first = words.len() * 64;
                words.extend((0..wide.div_ceil(64)).map(|part| ((wide - part * 64).min(64), 1)));
                ColumnStore::Bits(first)
            }
            _ if 2 * lanes == Self::MOST.0 => ColumnStore::Code,
            _ => {
                lanes += 1;
                ColumnStore::Lanes(lanes - 1)
            }
        });
        let places = places.collect();
        Self { places, shape: (2 * lanes, words.len()) }
    }

    /// Does the work with digests of the smallest size that fits.
    pub(crate) fn run<T: Work>(&self, work: &T) -> T::Answer {
        match self.shape {
            (0..=4, 0..=2) => work.run::<4, 2>(self),
            (0..=8, 0..=1) => work.run::<8, 1>(self),
            (0..=8, 0..=4) => work.run::<8, 4>(self),
            (0..=16, 0..=1) => work.run::<16, 1>(self),
            (0..=16, 0..=4) => work.run::<16, 4>(self),
            (0..=32, 0..=8) => work.run::<32, 8>(self),
            (0..=64, 0..=8) => work.run::<64, 8>(self),
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
    /// Where the second half of the lanes starts.
    const HALF: usize = L / 2;

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
            most: [0; L],
            flat: [0; L],
            trees: Vec::new(),
            base: 0,
        };
        let mut coded = Vec::new();
        for (c, (rule, place)) in problem.rules().iter().zip(&layout.places).enumerate() {
            match (place, rule.kind()) {
                (&ColumnStore::Lanes(lane), kind) => {
                    let full = scaled(rule.full());
                    let places: Vec<i32> = match kind {
                        RuleKind::Line { at, .. } => {
                            at.iter().map(|&at| scaled(at)).chain([2 * full]).collect()
                        }
                        _ => (0..rule.values() as i32).collect(),
                    };
                    for (record, digest) in (0u32..).zip(&mut digests.records) {
                        let place = places[problem.codes(record)[c] as usize];
                        digest.lanes[lane] = place;
                        digest.lanes[lane + Self::HALF] = -place;
                    }
                    match kind {
                        RuleKind::Tree { tree, .. } if tree.nodes() > tree.leaves() + 1 => {
                            let step = |leaf| scaled(rule.between(leaf - 1, leaf).0);
                            digests.trees.push((lane, RangeMax::new((1..rule.values()).map(step).collect())));
                        }
                        RuleKind::Line { .. } => digests.most[lane] = full,
                        _ => (digests.most[lane], digests.flat[lane]) = (full, i32::MAX),
                    }
                }
                (&ColumnStore::Bits(first), RuleKind::Set { values, step }) => {
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

    /// A step for every column that has none of these bits: what two groups that share only these cost at
    /// least more together than one of them.
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

    /// What all lanes cost together.
    #[inline(always)]
    pub(crate) fn lanes_cost(&self, lanes: &[i32; L]) -> i32 {
        let mut cost = 0;
        for l in 0..Self::HALF {
            let extent = lanes[l] + lanes[l + Self::HALF];
            // The sign of −extent: all bits unless the extent is 0.
            let differ = -extent >> 31;
            cost += (extent | differ & self.flat[l]).min(self.most[l]);
        }
        for (lane, steps) in &self.trees {
            cost += steps.of(-lanes[lane + Self::HALF] as u32, lanes[*lane] as u32);
        }
        cost
    }

    /// What the lanes of both cost together.
    #[inline(always)]
    pub(crate) fn joined_lanes_cost(&self, one: &[i32; L], other: &[i32; L]) -> i32 {
        let mut lanes = *one;
        for l in 0..L {
            lanes[l] = lanes[l].max(other[l]);
        }
        self.lanes_cost(&lanes)
    }

    /// What the new bits of a record cost beside those of a group.
    #[inline(always)]
    pub(crate) fn new_bits_cost(&self, group: &[u64; W], record: &[u64; W]) -> i32 {
        let mut new = [0; W];
        for w in 0..W {
            new[w] = record[w] & !group[w];
        }
        self.single_bits_cost(new)
    }
}

impl Coded {
    /// What codes from the lowest to the highest cost, where the column is none of labels.
    pub(crate) fn span(&self, low: u32, high: u32) -> i32 {
        (self.rule.between(low, high).0 as f64 / self.unit).round() as i32
    }

    /// By how much a group with these codes costs more with another one.
    pub(crate) fn rise(&self, codes: &[u32], code: u32) -> i32 {
        self.least_rise(codes, code, code)
    }

    /// By how much a group with these codes costs more at least with another one between two.
    pub(crate) fn least_rise(&self, codes: &[u32], low: u32, high: u32) -> i32 {
        if self.is_set {
            return if codes.iter().any(|c| (low..=high).contains(c)) { 0 } else { self.step };
        }
        let ends = |(first, last): (u32, u32), &c: &u32| (first.min(c), last.max(c));
        let (first, last) = codes.iter().fold((u32::MAX, 0), ends);
        self.span(first.min(high), last.max(low)) - self.span(first, last)
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
