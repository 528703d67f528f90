//! The problem a solver is given: records, how many people each row stands for, and what a loss is.
//!
//! A **row** is a line of the table. A **record** is a distinct combination of quasi-identifier
//! values; rows that share one are copies of it. A problem is immutable and already possible:
//! [`Problem::new`] refuses the rest, so solvers check nothing.

use crate::hint::Hint;
use crate::cost::{Cost, Objective, Rule};
use crate::metric::Clusters;
use crate::regions::Graph;
use std::sync::Arc;
use thiserror::Error;

/// What a problem is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The least number of people in a group.
    pub k: u64,
    /// What a release costs.
    pub objective: Objective,
    /// One rule per quasi-identifier.
    pub rules: Vec<Rule>,
    /// For every row the number of its record, records counted from 0 without gaps.
    pub record_of: Vec<u32>,
    /// Codes of record 0 on every quasi-identifier, then of record 1, …
    pub codes: Vec<u32>,
    /// How many people each row stands for; `None`: one each.
    pub row_sizes: Option<Vec<u32>>,
    /// How many people may be left out of the release.
    pub may_withhold: u64,
    /// What the objectives that make clusters need; nothing under the others.
    pub clusters: Clusters,
    /// The column in which the regions of every group must touch.
    pub connected: Option<Connected>,
}

/// A column of regions that touch each other or not.
#[derive(Debug, Clone)]
pub struct Connected {
    /// The number of the quasi-identifier; its codes are the graph's regions.
    pub column: usize,
    /// Which regions touch.
    pub graph: Arc<Graph>,
    /// Regions in which nobody lives: groups may reach through them.
    pub empty: Vec<bool>,
}

impl Connected {
    /// Whether these regions, and empty ones between them, hang together.
    pub fn joins(&self, regions: &[u32]) -> bool {
        self.graph.connects_through(regions, |region| self.empty[region as usize])
    }
}

/// A problem that has a solution.
#[derive(Debug, Clone)]
pub struct Problem {
    parts: Parts,
    /// Rows sorted by record, and where each record's rows start.
    rows_by_record: Vec<u32>,
    record_starts: Vec<u32>,
    record_sizes: Vec<u64>,
    people: u64,
}

/// Why there is no such problem.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Impossible {
    /// k is 0 or 1.
    #[error("k is {0}, but a group must hold at least 2 people to hide anybody")]
    SmallK(u64),
    /// Fewer people than k.
    #[error("k is {k}, but the table holds only {people} people")]
    TooFew {
        /// The least group size.
        k: u64,
        /// How many people there are.
        people: u64,
    },
    /// No quasi-identifier.
    #[error("nothing to quasi-identify: no column is a quasi-identifier")]
    NoColumns,
    /// Costs would not fit 63 bits.
    #[error("the counts and weights together are too large to add up exactly")]
    Overflow,
    /// Arrays that do not fit together: a fault of the caller.
    #[error("the parts of the problem do not fit together: {0}")]
    Malformed(&'static str),
}

impl Impossible {
    /// What to try.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::SmallK(_) => "use k = 2 at least; 5 to 20 is usual".into(),
            Self::TooFew { people, .. } if *people >= 2 => format!("use a k between 2 and {people}").into(),
            Self::NoColumns => {
                "name the columns that could identify a person together: {quasi=age,zip,sex}".into()
            }
            Self::Overflow => {
                "divide the counts, the weights or the values by a common factor; scale by range or sd".into()
            }
            _ => return None,
        })
    }
}

/// Clusters count rows, one person each, and what they cost must fit.
fn check_clusters(parts: &Parts, people: u64) -> Result<(), Impossible> {
    if parts.clusters.metric.axes.is_empty() {
        return Err(Impossible::Malformed("clusters need a metric"));
    }
    if parts.row_sizes.iter().flatten().any(|&size| size != 1) {
        return Err(Impossible::Malformed("in clusters a row stands for one person"));
    }
    let Some(largest) = parts.clusters.metric.largest() else { return Err(Impossible::Overflow) };
    let (people, largest) = (u128::from(people), u128::from(largest));
    let worst = match parts.objective {
        Objective::Radius => largest,
        Objective::Sse => people * (largest >> 16) * (largest >> 16),
        _ => {
            let dearest = parts.clusters.setups.iter().max().map_or(0, |cost| u128::from(cost.0));
            people * (largest + u128::from(parts.clusters.setup.0) + dearest)
        }
    };
    if worst >= 1 << 63 { Err(Impossible::Overflow) } else { Ok(()) }
}

impl Problem {
    /// Checks that the problem is possible, and prepares what every solver needs.
    pub fn new(parts: Parts) -> Result<Self, Impossible> {
        if parts.k < 2 {
            return Err(Impossible::SmallK(parts.k));
        }
        let columns = parts.rules.len();
        if columns == 0 {
            return Err(Impossible::NoColumns);
        }
        if !parts.codes.len().is_multiple_of(columns) {
            return Err(Impossible::Malformed("codes do not fill whole records"));
        }
        let records = parts.codes.len() / columns;
        for record in parts.codes.chunks_exact(columns) {
            if record.iter().zip(&parts.rules).any(|(&code, rule)| code >= rule.values()) {
                return Err(Impossible::Malformed("a code is outside its column"));
            }
        }
        let rows = parts.record_of.len();
        if parts.row_sizes.as_ref().is_some_and(|s| s.len() != rows) {
            return Err(Impossible::Malformed("row sizes and rows differ in number"));
        }
        if parts.record_of.iter().any(|&r| r as usize >= records) {
            return Err(Impossible::Malformed("a row names no record"));
        }
        let fits = |c: &Connected| {
            let regions = parts.rules.get(c.column).map(|rule| rule.values() as usize);
            regions == Some(c.graph.regions()) && regions == Some(c.empty.len())
        };
        if parts.connected.as_ref().is_some_and(|c| !fits(c)) {
            return Err(Impossible::Malformed("a map does not fit its column"));
        }
        let size = |row: usize| parts.row_sizes.as_ref().map_or(1, |s| u64::from(s[row]));
        let mut record_sizes = vec![0u64; records];
        let mut record_starts = vec![0u32; records + 1];
        for (row, &record) in parts.record_of.iter().enumerate() {
            record_sizes[record as usize] += size(row);
            record_starts[record as usize + 1] += 1;
        }
        for i in 0..records {
            record_starts[i + 1] += record_starts[i];
        }
        let mut next = record_starts.clone();
        let mut rows_by_record = vec![0u32; rows];
        for (row, &record) in parts.record_of.iter().enumerate() {
            rows_by_record[next[record as usize] as usize] = row as u32;
            next[record as usize] += 1;
        }
        let people: u64 = record_sizes.iter().sum();
        if people < parts.k {
            return Err(Impossible::TooFew { k: parts.k, people });
        }
        let worst = u128::from(people) * parts.rules.iter().map(|r| u128::from(r.full())).sum::<u128>();
        if worst >= 1 << 63 {
            return Err(Impossible::Overflow);
        }
        if parts.objective.clusters() {
            check_clusters(&parts, people)?;
        }
        Ok(Self { parts, rows_by_record, record_starts, record_sizes, people })
    }

    /// The least number of people in a group.
    pub fn k(&self) -> u64 {
        self.parts.k
    }

    /// What a release costs.
    pub fn objective(&self) -> Objective {
        self.parts.objective
    }

    /// One rule per quasi-identifier.
    pub fn rules(&self) -> &[Rule] {
        &self.parts.rules
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.parts.record_of.len()
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.record_sizes.len()
    }

    /// How many people the rows stand for.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// How many people may be left out of the release.
    pub fn may_withhold(&self) -> u64 {
        self.parts.may_withhold
    }

    /// What the objectives that make clusters need.
    pub fn clusters(&self) -> &Clusters {
        &self.parts.clusters
    }

    /// The column in which the regions of every group must touch.
    pub fn connected(&self) -> Option<&Connected> {
        self.parts.connected.as_ref()
    }

    /// The record of a row.
    #[inline]
    pub fn record_of(&self, row: u32) -> u32 {
        self.parts.record_of[row as usize]
    }

    /// The codes of a record, one per quasi-identifier.
    #[inline]
    pub fn codes(&self, record: u32) -> &[u32] {
        let columns = self.parts.rules.len();
        &self.parts.codes[record as usize * columns..][..columns]
    }

    /// How many people a row stands for.
    #[inline]
    pub fn row_size(&self, row: u32) -> u64 {
        self.parts.row_sizes.as_ref().map_or(1, |s| u64::from(s[row as usize]))
    }

    /// How many people a record stands for.
    #[inline]
    pub fn record_size(&self, record: u32) -> u64 {
        self.record_sizes[record as usize]
    }

    /// The rows that are copies of a record, in the order of the table.
    #[inline]
    pub fn rows_of(&self, record: u32) -> &[u32] {
        let record = record as usize;
        &self.rows_by_record[self.record_starts[record] as usize..self.record_starts[record + 1] as usize]
    }

    /// The least that a release costs if it costs no less than this: where cells or columns are only suppressed, costs are
    /// multiples of what all weights are multiples of.
    pub fn round_up(&self, bound: Cost) -> Cost {
        if !self.objective().suppresses() {
            return bound;
        }
        let step = self.parts.rules.iter().map(Rule::full).fold(0, greatest_common_divisor).max(1);
        Cost(bound.0.div_ceil(step) * step)
    }

    /// What withholding one person costs: every cell, fully. Under `columns` it costs nothing, and this is what all columns cost.
    pub fn withheld_cost(&self) -> u64 {
        self.parts.rules.iter().map(Rule::full).sum()
    }
}

/// The largest number that both are multiples of.
pub(crate) fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
