//! Records in a form that makes groups cheap to grow, shrink and compare.
//!
//! A digest is what a record adds to a group, column by column, packed:
//! - **lanes**: a value on a line is the pair (v, −v). A group's lanes are the maxima of its records',
//!   and the sum of all lanes is the extent of all lines together.
//! - **bits**: a label is one bit. A group's bits are the union, and each bit beyond the first of
//!   its column costs one step.
//! - **codes**: columns that fit neither (labels by the thousand, trees, lines with missing values)
//!   stay codes; a group looks at the codes of its members.
//!
//! Costs here are 32-bit: one unit is Σ weights / 2³⁰. The judge works out the exact cost.
// Loops over a fixed number of lanes and words read best with the index, and unroll.
#![allow(clippy::needless_range_loop)]

use kinfold_model::cost::{Rule, RuleKind};
use kinfold_model::problem::Problem;

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
    /// What each bit costs.
    steps: Vec<i32>,
    /// Where the bits of each column lie: word, mask, step.
    pub(crate) fields: Vec<Field>,
    /// Columns that stay codes, and the codes of every record.
    pub(crate) coded: Vec<Coded>,
    codes: Vec<u32>,
    /// What the first label of every bit column would cost, which is free.
    pub(crate) base: i32,
}

/// The bits of one column; a column never straddles words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) word: usize,
    pub(crate) mask: u64,
    pub(crate) step: i32,
}

/// A column that stays a code.
pub(crate) struct Coded {
    rule: Rule,
    unit: f64,
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
    Code,
}

impl Layout {
    /// At most this many lanes and words; columns that find no place stay codes.
    pub(crate) const MOST: (usize, usize) = (64, 32);

    pub(crate) fn of(problem: &Problem) -> Self {
        let (mut lanes, mut words, mut next_bit) = (0, 0, 0);
        let places = problem.rules().iter().map(|rule| match rule.kind() {
            RuleKind::Line { missing: false, .. } if lanes + 2 <= Self::MOST.0 => {
                lanes += 2;
                Place::Lanes(lanes - 2)
            }
            RuleKind::Set { values, .. } if *values <= MOST_LABELS => {
                let wide = *values as usize;
                // A column of up to 64 labels lies in one word, so that one look tells whether labels are shared.
                let first = if next_bit + wide <= words * 64 && next_bit / 64 == (next_bit + wide - 1) / 64 {
                    next_bit
                } else {
                    words * 64
                };
                if (first + wide).div_ceil(64) > Self::MOST.1 {
                    return Place::Code;
                }
                words = words.max((first + wide).div_ceil(64));
                next_bit = first + wide;
                Place::Bits(first)
            }
            _ => Place::Code,
        });
        let places = places.collect();
        Self { places, shape: (lanes, words) }
    }

    /// Does the work with digests of the smallest size that fits.
    pub(crate) fn run<T: Work>(&self, work: &T) -> T::Answer {
        match self.shape {
            (0..=4, 0..=2) => work.run::<4, 2>(self),
            (0..=8, 0..=4) => work.run::<8, 4>(self),
            (0..=16, 0..=8) => work.run::<16, 8>(self),
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
    /// Digests of all records; the layout's shape must fit.
    pub(crate) fn new(problem: &Problem, layout: &Layout) -> Self {
        let everything: f64 = problem.rules().iter().map(|r| r.full() as f64).sum();
        let unit = everything / f64::from(1 << 30);
        let scaled = |cost: u64| (cost as f64 / unit).round() as i32;
        let empty = Digest { lanes: [0; L], bits: [0; W] };
        let mut digests = Self {
            records: vec![empty; problem.records()],
            steps: vec![0; W * 64],
            fields: Vec::new(),
            coded: Vec::new(),
            codes: Vec::new(),
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
                (&Place::Bits(first), RuleKind::Set { values, step }) => {
                    digests.add_bits(problem, c, first, *values as usize, scaled(*step));
                }
                (_, kind) => {
                    let step = if let RuleKind::Set { step, .. } = kind { scaled(*step) } else { 0 };
                    digests.coded.push(Coded { rule: rule.clone(), unit, step });
                    coded.push(c);
                }
            }
        }
        digests.codes = (0..problem.records() as u32)
            .flat_map(|record| coded.iter().map(move |&c| problem.codes(record)[c]))
            .collect();
        digests
    }

    fn add_bits(&mut self, problem: &Problem, column: usize, first: usize, wide: usize, step: i32) {
        self.steps[first..first + wide].fill(step);
        self.base += step;
        for (record, digest) in (0u32..).zip(&mut self.records) {
            let bit = first + problem.codes(record)[column] as usize;
            digest.bits[bit / 64] |= 1 << (bit % 64);
        }
        // A column that straddles words tells nothing at one look: it has no field.
        if first / 64 == (first + wide - 1) / 64 {
            let mask = (u64::MAX >> (64 - wide)) << (first % 64);
            self.fields.push(Field { word: first / 64, mask, step });
        }
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
    #[inline]
    pub(crate) fn bits_cost(&self, bits: [u64; W]) -> i32 {
        let mut cost = 0;
        for (w, mut word) in bits.into_iter().enumerate() {
            while word != 0 {
                cost += self.steps[w * 64 + word.trailing_zeros() as usize];
                word &= word - 1;
            }
        }
        cost
    }

    /// By how much a group with this union grows when a record joins; coded columns apart.
    #[inline]
    pub(crate) fn rise(&self, group: &Digest<L, W>, record: &Digest<L, W>) -> i32 {
        let mut rise = 0;
        for l in 0..L {
            rise += (record.lanes[l] - group.lanes[l]).max(0);
        }
        let mut new = [0; W];
        for w in 0..W {
            new[w] = record.bits[w] & !group.bits[w];
        }
        rise + self.bits_cost(new)
    }
}

impl Coded {
    /// What a group with these codes costs on this column.
    pub(crate) fn cost(&self, codes: impl Iterator<Item = u32> + Clone) -> i32 {
        (self.rule.cost(&self.rule.cover(codes)).0 as f64 / self.unit).round() as i32
    }

    /// The step of one more label, where the column is one of labels.
    pub(crate) fn step(&self) -> i32 {
        self.step
    }

    /// Whether the column is one of labels.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self.rule.kind(), RuleKind::Set { .. })
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
