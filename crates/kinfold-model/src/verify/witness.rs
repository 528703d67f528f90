//! Truth by a witness: whoever made a release says which row of the table each of its rows stands for, and that is
//! checked row by row. Nothing is taken on trust: a pairing that passes proves that the release is true, whoever
//! found it. [`check_truth`](super::check_truth) finds a pairing, for those who have the files only.
//!
//! The check takes linear time. Every published look is read once. The values that it covers are a run of ranks
//! in most cases, so a cell costs two comparisons; what lies outside of the run is decided by the definition in
//! `cover.rs`, once per look and value.

use super::balls::Balls;
use super::centres::{multiset, told_size};
use super::cover::{Reader, Reading, Said};
use super::looks::{Looks, coarsened};
use super::truth::{kind_as_read, original_value};
use super::{Published, VerifyError};
use crate::encode::{Encoded, encode_with, read_counts};
use crate::frame::Frame;
use crate::kind::Kind;
use crate::policy::{ColumnPolicy, Form, Mistakes, Policy};
use crate::table::{Column, Table};
use crate::value::Number;
use foldhash::fast::FixedState;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use thiserror::Error;

/// Why a release is not true of its table. No cell is told.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Untrue {
    /// The witness is about another number of rows.
    #[error("the release has other rows than it was made from")]
    Rows,
    /// A row of the table stands in two places, or is none of the table.
    #[error("a row of the table is not published exactly once")]
    Twice,
    /// More or fewer rows are missing than was said.
    #[error("{found} rows are withheld, {stated} were said to be")]
    Withheld {
        /// Rows that are missing.
        found: usize,
        /// Rows that were said to be missing.
        stated: usize,
    },
    /// More people are left out than the policy allows.
    #[error("more people are withheld than the policy allows")]
    TooMany,
    /// A column is not published.
    #[error("column {0:?} is not published")]
    Absent(String),
    /// A cell does not cover, or does not equal, the value of its row.
    #[error("a cell of column {0:?} is not true of its row")]
    Cell(String),
}

/// A table, and which of its rows a release was shown to hold so far.
#[derive(Debug)]
pub struct Witnessed<'p> {
    original: Table,
    policy: &'p Policy,
    axes: Vec<Axis>,
    /// The scale of centres, if it is not that of the table.
    frame: Option<&'p Frame>,
    used: Vec<bool>,
}

/// A quasi-identifier of the table: the order of its values.
#[derive(Debug)]
struct Axis {
    name: String,
    kind: Kind,
    /// The values on a line, in order.
    sorted: Vec<Number>,
    /// For every dictionary entry its rank among them, or its leaf.
    rank_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// Ranks, both ends included. `NONE` is in no run but that of a star.
type Run = (u32, u32);
const EVERYTHING: Run = (0, u32::MAX);
const NOTHING: Run = (1, 0);

impl<'p> Witnessed<'p> {
    /// `kinds`: what the values of each quasi-identifier are, as [`encode`](crate::encode) reads them. `frame`: the
    /// frame that the table was encoded with, if it was not its own.
    pub fn new(
        original: &Table,
        policy: &'p Policy,
        kinds: &[(String, Kind)],
        frame: Option<&'p Frame>,
    ) -> Self {
        let known = |(name, kind): &(String, Kind)| {
            let column = original.column(name)?;
            Some(Axis::new(column, kind_as_read(policy, name, kind), policy))
        };
        // Centres are about all quasi-identifiers at once.
        let kinds = kinds.iter().filter(|_| policy.form != Form::Centres);
        let recoded = |said: &ColumnPolicy| {
            Some(Axis::new(original.column(&said.name)?, &said.recoded.as_ref()?.kind, policy))
        };
        let recoded = policy.columns.iter().filter_map(recoded);
        let axes = kinds.filter_map(known).chain(recoded).collect();
        let used = vec![false; original.rows()];
        Self { original: original.clone(), policy, axes, frame, used }
    }

    /// Checks these rows of a release against the rows of the table that they are said to stand for. With a line per
    /// group, a line stands for as many rows as it says.
    pub fn check(
        &mut self,
        published: &Published,
        part: Range<usize>,
        rows: &[u32],
    ) -> Result<(), VerifyError> {
        let policy = self.policy;
        let unchanged = || policy.columns.iter().filter(|said| said.told_by_row());
        let absent = |said: &&ColumnPolicy| published.table.column(&said.name).is_none();
        if let Some(said) = unchanged().find(absent) {
            return Err(Untrue::Absent(said.name.clone()).into());
        }
        for &row in rows {
            match self.used.get_mut(row as usize) {
                Some(used) if !*used => *used = true,
                _ => return Err(Untrue::Twice.into()),
            }
        }
        if policy.form == Form::Centres {
            let encoded = encode_with(&self.original, &policy.as_given(), self.frame, &published.call)?;
            let (balls, looks) = Balls::read(published, &self.original, policy, &encoded);
            let centres = Centres { balls, looks, encoded: &encoded };
            if policy.per_group {
                let names = unchanged().map(|said| said.name.as_str());
                return Ok(self.lines(published, part, rows, &centres, names)?);
            }
            if part.len() != rows.len() {
                return Err(Untrue::Rows.into());
            }
            if !part.clone().zip(rows).all(|(line, &row)| centres.hold(line, row)) {
                return Err(Untrue::Cell("the centre".into()).into());
            }
        }
        if part.len() != rows.len() {
            return Err(Untrue::Rows.into());
        }
        for (said, cells) in coarsened(published, policy)? {
            published.call.check()?;
            let axis = self.axes.iter().find(|axis| axis.name == said.name);
            let covered = axis
                .zip(self.original.column(&said.name))
                .is_some_and(|(axis, column)| axis.covered(&cells, part.clone(), column, rows, policy));
            if !covered {
                return Err(Untrue::Cell(said.name.clone()).into());
            }
        }
        for name in unchanged().filter(|said| said.recoded.is_none()).map(|said| said.name.as_str()) {
            let both = published.table.column(name).zip(self.original.column(name));
            if !both.is_some_and(|(from, to)| equal(from, part.clone(), to, rows)) {
                return Err(Untrue::Cell(name.to_owned()).into());
            }
        }
        Ok(())
    }

    /// A line per group: the next rows, as many as it says, are within its ball and have the values that it lists.
    fn lines<'n>(
        &self,
        published: &Published,
        part: Range<usize>,
        mut rows: &[u32],
        centres: &Centres<'_>,
        unchanged: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<(), Untrue> {
        for line in part {
            let size = told_size(published, line as u32).and_then(|size| usize::try_from(size).ok());
            let (own, rest) = size.and_then(|size| rows.split_at_checked(size)).ok_or(Untrue::Rows)?;
            rows = rest;
            if !own.iter().all(|&row| centres.hold(line, row)) {
                return Err(Untrue::Cell("the centre".into()));
            }
            for name in unchanged.clone() {
                let both = published.table.column(name).zip(self.original.column(name));
                let (from, to) = both.ok_or_else(|| Untrue::Absent(name.to_owned()))?;
                let mut values: BTreeMap<&str, u64> = BTreeMap::new();
                own.iter()
                    .for_each(|&row| *values.entry(to.text(to.codes()[row as usize])).or_default() += 1);
                let told = multiset(from.text(from.codes()[line]), &self.policy.format).unwrap_or_default();
                if !told.iter().map(|(value, count)| (value.as_str(), *count)).eq(values) {
                    return Err(Untrue::Cell(name.to_owned()));
                }
            }
        }
        if rows.is_empty() { Ok(()) } else { Err(Untrue::Rows) }
    }

    /// Once all rows of the release are checked: the others are as many as are said to be withheld, and no more
    /// than may be.
    pub fn finish(self, stated: usize) -> Result<(), VerifyError> {
        let found = self.used.iter().filter(|used| !**used).count();
        if found != stated {
            return Err(Untrue::Withheld { found, stated }.into());
        }
        let counted = self.policy.count_column().and_then(|name| self.original.column(name));
        let (all, left) = match counted {
            None => (self.used.len() as u64, found as u64),
            Some(column) => {
                let counts = read_counts(column);
                let counts = counts.map_err(|mistake| Mistakes::from(mistake).found_in("the original"))?;
                let left =
                    counts.iter().zip(&self.used).filter(|(_, used)| !**used).map(|(&n, _)| u64::from(n));
                (counts.iter().map(|&n| u64::from(n)).sum(), left.sum())
            }
        };
        let most = (self.policy.withhold * all as f64 + 1e-9) as u64;
        if left > most || found > 0 && self.policy.withhold == 0.0 {
            return Err(Untrue::TooMany.into());
        }
        Ok(())
    }
}

/// Groups that are balls around a centre.
struct Centres<'a> {
    balls: Balls<'a>,
    looks: Vec<u32>,
    encoded: &'a Encoded,
}

impl Centres<'_> {
    fn hold(&self, line: usize, row: u32) -> bool {
        self.balls.holds(self.looks[line], self.encoded.problem.record_of(row))
    }
}

impl Axis {
    fn new(column: &Column, kind: &Kind, policy: &Policy) -> Self {
        let missing = policy.missing_in(column.name());
        let values: Vec<_> = (0..column.distinct() as u32)
            .map(|entry| original_value(column, entry, kind, missing))
            .map(|value| (value.value, value.leaf))
            .collect();
        let mut sorted: Vec<Number> = values.iter().filter_map(|(value, _)| *value).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let rank = |value: &Number| sorted.binary_search(value).map_or(NONE, |rank| rank as u32);
        let rank_of = values.iter().map(|(value, leaf)| value.as_ref().map_or(leaf.unwrap_or(NONE), rank));
        Self { name: column.name().to_owned(), kind: kind.clone(), rank_of: rank_of.collect(), sorted }
    }

    /// The widest run of values that a look surely covers.
    fn run(&self, said: &Said) -> Run {
        let Said::Either(readings) = said else { return EVERYTHING };
        let runs = readings.iter().filter_map(|reading| match reading {
            Reading::Range(low, high) => {
                let from = self.sorted.partition_point(|value| value < low);
                let to = self.sorted.partition_point(|value| value <= high);
                (from < to).then(|| (from as u32, to as u32 - 1))
            }
            Reading::Interval(named) => {
                let (from, to) = named.places(&self.sorted);
                (from < to).then(|| (from as u32, to as u32 - 1))
            }
            Reading::Leaves(first, last) => Some((*first, *last)),
            _ => None,
        });
        runs.max_by_key(|(low, high)| high - low).unwrap_or(NOTHING)
    }

    /// Whether the cells of a part of a release cover the values of these rows, one by one.
    fn covered(
        &self,
        cells: &Looks<'_>,
        part: Range<usize>,
        column: &Column,
        rows: &[u32],
        policy: &Policy,
    ) -> bool {
        let missing = policy.missing_in(&self.name);
        let reader = Reader::new(&self.kind, &policy.format, missing);
        let (look_of, first) = numbered(cells, part.clone());
        let starred = cells.starred(first.iter().filter(|row| **row != NONE).count());
        // Entries that no row of the part has say nothing.
        let said: Vec<Option<Said>> =
            first.iter().map(|&row| (row != NONE).then(|| cells.said(&reader, row, starred))).collect();
        let runs: Vec<Run> = said.iter().map(|said| said.as_ref().map_or(NOTHING, |s| self.run(s))).collect();
        let mut seen = Seen::new(said.len(), column.distinct());
        let codes = column.codes();
        look_of[part].iter().zip(rows).all(|(&look, &row)| {
            let entry = codes[row as usize];
            let (low, high) = runs[look as usize];
            let rank = self.rank_of[entry as usize];
            low <= rank && rank <= high
                || seen.has(look, entry)
                || said[look as usize].as_ref().is_some_and(|said| {
                    let covers = said.covers(&original_value(column, entry, &self.kind, missing), missing);
                    covers && seen.add(look, entry)
                })
        })
    }
}

/// A number for the look of every row of a release, and for every look its first row in this part.
fn numbered<'a>(cells: &Looks<'a>, part: Range<usize>) -> (Cow<'a, [u32]>, Vec<u32>) {
    if let [only] = cells.parts() {
        let mut first = vec![NONE; only.distinct()];
        part.rev().for_each(|row| first[only.codes()[row] as usize] = row as u32);
        return (Cow::Borrowed(only.codes()), first);
    }
    let looks = cells.distinct(part.end);
    let mut first = vec![NONE; looks.first.len()];
    part.rev().for_each(|row| first[looks.of_row[row] as usize] = row as u32);
    (Cow::Owned(looks.of_row), first)
}

/// Pairs of a look and a value that are known to fit.
struct Seen {
    width: usize,
    bits: Vec<u64>,
    /// Where there would be too many bits.
    pairs: HashSet<(u32, u32), FixedState>,
}

impl Seen {
    /// 16 MiB.
    const MOST_BITS: usize = 1 << 27;

    fn new(looks: usize, width: usize) -> Self {
        let bits = looks.checked_mul(width).filter(|&bits| bits <= Self::MOST_BITS).unwrap_or(0);
        Self { width, bits: vec![0; bits.div_ceil(64)], pairs: HashSet::default() }
    }

    fn has(&self, look: u32, entry: u32) -> bool {
        let at = look as usize * self.width + entry as usize;
        if self.bits.is_empty() {
            return self.pairs.contains(&(look, entry));
        }
        self.bits[at / 64] >> (at % 64) & 1 == 1
    }

    /// Takes a pair down. It is known then.
    fn add(&mut self, look: u32, entry: u32) -> bool {
        let at = look as usize * self.width + entry as usize;
        match self.bits.get_mut(at / 64) {
            Some(bits) => *bits |= 1 << (at % 64),
            None => {
                self.pairs.insert((look, entry));
            }
        }
        true
    }
}

/// Whether the cells of a column that is published unchanged equal those of these rows. A null and an empty text
/// differ where both sides can tell them apart: a text file has no nulls.
fn equal(from: &Column, part: Range<usize>, to: &Column, rows: &[u32]) -> bool {
    let apart = from.origin().is_some() && to.origin().is_some();
    let same = |published: u32, original: u32| {
        from.text(published) == to.text(original)
            && (!apart || from.is_null(published) == to.is_null(original))
    };
    // The entry that each published entry was compared with last.
    let mut known = vec![NONE; from.distinct()];
    from.codes()[part].iter().zip(rows).all(|(&published, &row)| {
        let original = to.codes()[row as usize];
        let known = &mut known[published as usize];
        let fits = *known == original || same(published, original);
        *known = original;
        fits
    })
}
