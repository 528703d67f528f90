//! The problem a solver is given: records, how many people each row stands for, and what a loss is.
//!
//! A **row** is a line of the table. A **record** is a distinct combination of quasi-identifier
//! values; rows that share one are copies of it. A problem is immutable and already possible:
//! [`Problem::new`] refuses the rest, so solvers check nothing.

use crate::classes::{Short, numbered};
use crate::cost::{Cost, Objective, Rule};
use crate::hint::Hint;
use crate::members::Members;
use crate::metric::Clusters;
use crate::recoding::{Recoding, classes};
use crate::regions::Graph;
use crate::requirement::{Guard, Requirement};
use crate::unit::Unit;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use thiserror::Error;

/// What a problem is made of.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parts {
    /// Minimum number of people in a group (equivalence class).
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
    /// What a group costs more by the record in its centre; empty if no record costs more.
    pub setups: Vec<Cost>,
    /// The column in which the regions of every group must touch.
    pub connected: Option<Connected>,
    /// What every group must fulfil besides holding k people.
    pub guard: Option<Guard>,
    /// The class of every row, where no group may cross classes; copies of a record are in one.
    pub classes: Option<Vec<u32>>,
    /// Whether every column is on one level for all rows.
    pub recoding: Recoding,
    /// For every column the coarsest level that it may be published on; empty: any. Groups keep to it by `classes`.
    pub coarsest: Vec<Option<usize>>,
}

impl Parts {
    /// Rows that stand for one person each, none of which may be withheld; the rest is set where it is
    /// needed.
    pub fn new(k: u64, objective: Objective, rules: Vec<Rule>, record_of: Vec<u32>, codes: Vec<u32>) -> Self {
        Self {
            k,
            objective,
            rules,
            record_of,
            codes,
            row_sizes: None,
            may_withhold: 0,
            clusters: Clusters::default(),
            setups: Vec::new(),
            connected: None,
            guard: None,
            classes: None,
            recoding: Recoding::Local,
            coarsest: Vec::new(),
        }
    }
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
    /// Whether these regions, and empty ones between them, are connected.
    pub fn joins(&self, regions: &[u32]) -> bool {
        self.graph.connects_through(regions, |region| self.empty[region as usize])
    }
}

/// A problem that has a solution.
#[derive(Debug, Clone)]
pub struct Problem {
    k: u64,
    terms: Arc<Terms>,
    /// Quasi-identifiers.
    columns: usize,
    record_of: Vec<u32>,
    codes: Vec<u32>,
    row_sizes: Option<Vec<u32>>,
    may_withhold: u64,
    setups: Vec<Cost>,
    guard: Option<Guard>,
    class_of: Option<Arc<[u32]>>,
    rows_of: Members,
    record_sizes: Vec<u64>,
    people: u64,
}

/// What holds for all rows alike: a problem shares it with its pieces.
#[derive(Debug, Clone)]
struct Terms {
    objective: Objective,
    rules: Vec<Rule>,
    clusters: Clusters,
    connected: Option<Connected>,
    recoding: Recoding,
    /// The coarsest level that every column may be published on, where the policy says one; empty: nowhere.
    coarsest: Vec<Option<usize>>,
    /// Under global recoding, the levels of an earlier release that this one is to have, too.
    levels: Option<Vec<u32>>,
}

/// Rows are numbered in 32 bits, and the last number stands for none.
const MOST_ROWS: usize = u32::MAX as usize - 1;

/// Why there is no such problem.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Impossible {
    /// k is 0 or 1.
    #[error("k is {0}, but it must be at least 2")]
    SmallK(u64),
    /// Fewer people than k.
    #[error("k is {k}, but the table holds only {people} {}", unit.noun(*people))]
    TooFew {
        /// The least group size.
        k: u64,
        /// How many people there are.
        people: u64,
        /// What they are called.
        unit: Unit,
    },
    /// More rows than can be numbered.
    #[error("the table has {0} rows, more than {MOST_ROWS}")]
    TooManyRows(usize),
    /// No quasi-identifier.
    #[error("no column is a quasi-identifier")]
    NoColumns,
    /// Costs would not fit 63 bits.
    #[error("the counts and weights together are too large to add up exactly")]
    Overflow,
    /// Requirements that no grouping fulfils.
    #[error("{}", .0.join("; "))]
    Requirements(Vec<String>),
    /// Classes that no group crosses, and that leave more people than may be withheld.
    #[error("{0}")]
    Classes(Box<Short>),
    /// Arrays that do not fit together: a fault of the caller.
    #[error("the parts of the problem do not fit together: {0}")]
    Malformed(&'static str),
}

impl Impossible {
    /// Refuses parts that do not fit together.
    pub(crate) fn unless(fits: bool, what: &'static str) -> Result<(), Self> {
        if fits { Ok(()) } else { Err(Self::Malformed(what)) }
    }

    /// What to try.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::SmallK(_) => "use k = 2 at least; 5 to 20 is usual".into(),
            Self::TooFew { people: 2, .. } => "use k = 2, or a larger table".into(),
            Self::TooFew { people, .. } if *people > 2 => format!("use a k from 2 to {people}").into(),
            Self::NoColumns => {
                "name the columns that could identify a person together: {quasi=age,zip,sex}".into()
            }
            Self::Overflow => {
                "divide the counts, the weights or the values by a common factor; scale by range or sd".into()
            }
            Self::Requirements(_) => "use a value within that limit".into(),
            Self::Classes(short) => short.hint(),
            _ => return None,
        })
    }
}

/// The table as one group must fulfil everything, even if rows may be withheld: which of them would have to
/// go is a decision about people, not one that a solver takes.
fn check_guard(guard: &Guard, rows: usize) -> Result<(), Impossible> {
    Impossible::unless(guard.rows() == rows, "requirements are about other rows")?;
    guard.check_possible().map_err(Impossible::Requirements)
}

/// Clusters count rows, one person each, and what they cost must fit.
fn check_clusters(
    terms: &Terms,
    row_sizes: &Option<Vec<u32>>,
    dearest: Cost,
    people: u64,
) -> Result<(), Impossible> {
    let clusters = &terms.clusters;
    Impossible::unless(!clusters.metric.axes.is_empty(), "clusters need a metric")?;
    let fits = clusters.metric.axes.iter().all(|axis| axis.fits(&terms.rules));
    Impossible::unless(fits, "the metric does not fit the columns")?;
    let one_each = row_sizes.iter().flatten().all(|&size| size == 1);
    Impossible::unless(one_each, "clustering objectives do not take counts")?;
    let Some(largest) = clusters.metric.largest() else { return Err(Impossible::Overflow) };
    let (people, largest) = (u128::from(people), u128::from(largest));
    let worst = match terms.objective {
        Objective::Radius => largest,
        Objective::Sse => people * (largest >> 16) * (largest >> 16),
        _ => people * (largest + u128::from(clusters.setup.0) + u128::from(dearest.0)),
    };
    if worst >= 1 << 63 { Err(Impossible::Overflow) } else { Ok(()) }
}

impl Terms {
    /// Whether the codes and the map are those of the rules.
    fn check(&self, codes: &[u32]) -> Result<(), Impossible> {
        let columns = self.rules.len();
        if columns == 0 {
            return Err(Impossible::NoColumns);
        }
        Impossible::unless(codes.len().is_multiple_of(columns), "codes do not fill whole records")?;
        let known = |record: &[u32]| record.iter().zip(&self.rules).all(|(&code, rule)| code < rule.values());
        Impossible::unless(codes.chunks_exact(columns).all(known), "a code is outside its column")?;
        let fits = |c: &Connected| {
            let regions = self.rules.get(c.column).map(|rule| rule.values() as usize);
            regions == Some(c.graph.regions()) && regions == Some(c.empty.len())
        };
        Impossible::unless(self.connected.as_ref().is_none_or(fits), "a map does not fit its column")
    }
}

impl Problem {
    /// Checks that the problem is possible, and prepares what every solver needs.
    pub fn new(parts: Parts) -> Result<Self, Impossible> {
        let Parts { k, objective, record_of, codes, row_sizes, may_withhold, setups, guard, .. } = parts;
        let class_of = parts.classes;
        if k < 2 {
            return Err(Impossible::SmallK(k));
        }
        let Parts { rules, clusters, connected, recoding, coarsest, .. } = parts;
        let by_cell = recoding == Recoding::Local || Objective::BY_CELL.contains(&objective);
        Impossible::unless(by_cell, "global recoding needs an objective by cell")?;
        let terms = Terms { objective, rules, clusters, connected, recoding, coarsest, levels: None };
        terms.check(&codes)?;
        let as_many = row_sizes.as_ref().is_none_or(|sizes| sizes.len() == record_of.len());
        Impossible::unless(as_many, "row sizes and rows differ in number")?;
        let problem = Self::of_rows(k, Arc::new(terms), record_of, codes, row_sizes, setups)?;
        let (terms, people) = (&problem.terms, problem.people);
        let worst = u128::from(people)
            * terms.rules.iter().map(|r| u128::from(r.full()) + u128::from(r.floor())).sum::<u128>();
        if worst >= 1 << 63 {
            return Err(Impossible::Overflow);
        }
        if objective.clusters() {
            let dearest = problem.setups.iter().copied().max().unwrap_or(Cost::ZERO);
            check_clusters(terms, &problem.row_sizes, dearest, people)?;
        }
        if let Some(guard) = &guard {
            check_guard(guard, problem.rows())?;
        }
        let problem = Self { may_withhold, guard, ..problem };
        match class_of {
            Some(class_of) => problem.within_classes(&class_of),
            None => Ok(problem),
        }
    }

    /// The same problem with requirements.
    pub fn guarded(self, guard: Guard) -> Result<Self, Impossible> {
        check_guard(&guard, self.rows())?;
        let problem = Self { guard: Some(guard), ..self };
        problem.check_classes()?;
        Ok(problem)
    }

    /// The same problem under another recoding.
    pub fn recoded(self, recoding: Recoding) -> Result<Self, Impossible> {
        let by_cell = recoding == Recoding::Local || Objective::BY_CELL.contains(&self.objective());
        Impossible::unless(by_cell, "global recoding needs an objective by cell")?;
        let terms = Terms { recoding, levels: None, ..(*self.terms).clone() };
        Ok(Self { terms: Arc::new(terms), ..self })
    }

    /// The same problem under global recoding, where the level of every column is given. Refused if more people fall
    /// short there than may be withheld.
    pub fn on_levels(self, levels: Vec<u32>) -> Result<Self, Impossible> {
        let known = |(rule, &level): (&Rule, &u32)| (level as usize) < rule.levels();
        let all_known = levels.len() == self.rules().len() && self.rules().iter().zip(&levels).all(known);
        Impossible::unless(all_known, "a column does not have its level")?;
        let mut problem = self.recoded(Recoding::Global)?;
        let classes = classes(&problem, &levels);
        let class_of = problem.record_of.iter().map(|&record| classes.of_row[record as usize]).collect();
        let own = problem.class_of.take();
        problem.class_of = Some(class_of);
        problem.check_classes()?;
        let terms = Terms { levels: Some(levels), ..(*problem.terms).clone() };
        Ok(Self { terms: Arc::new(terms), class_of: own, ..problem })
    }

    /// The same problem with k alone.
    pub fn unguarded(self) -> Self {
        Self { guard: None, ..self }
    }

    /// The same problem, where so many people may be left out.
    pub fn withholding(self, people: u64) -> Self {
        Self { may_withhold: people, ..self }
    }

    /// The same problem with these classes, numbered from 0 without gaps.
    pub(crate) fn with_classes(self, class_of: Option<Arc<[u32]>>) -> Self {
        Self { class_of, ..self }
    }

    /// The same problem for another k; `None` where more than k changes with it, because groups count distinct
    /// persons or must join regions: then encode anew.
    pub(crate) fn with_k(&self, k: u64) -> Result<Option<Self>, Impossible> {
        let persons =
            |guard: &Guard| guard.requirements().list().iter().any(|r| matches!(r, Requirement::Persons(_)));
        if self.terms.connected.is_some() || self.guard.as_ref().is_some_and(persons) {
            return Ok(None);
        }
        if k < 2 {
            return Err(Impossible::SmallK(k));
        }
        if self.people < k {
            return Err(Impossible::TooFew { k, people: self.people, unit: self.unit() });
        }
        let problem = Self { k, ..self.clone() };
        problem.check_classes()?;
        Ok(Some(problem))
    }

    /// The problem of some of its rows, in this order, none of which may be withheld. Rules and scales are
    /// the same ones, so a group costs what it costs here. Records are numbered as they first appear.
    pub fn piece(&self, rows: &[u32]) -> Result<Self, Impossible> {
        self.piece_under(rows, self.guard.as_ref())
    }

    /// The same, where groups must fulfil something else. The guard speaks of the rows of this problem.
    pub fn piece_under(&self, rows: &[u32], guard: Option<&Guard>) -> Result<Self, Impossible> {
        let mut numbers = Numbers::of(self.records(), rows.len());
        let (mut codes, mut setups, mut record_of) = (Vec::new(), Vec::new(), Vec::with_capacity(rows.len()));
        for &row in rows {
            let Some(&record) = self.record_of.get(row as usize) else {
                return Err(Impossible::Malformed("a piece names a row that does not exist"));
            };
            let (number, new) = numbers.number(record);
            if new {
                codes.extend(self.codes(record));
                setups.extend(self.setups.get(record as usize));
            }
            record_of.push(number);
        }
        let sizes = |sizes: &Vec<u32>| rows.iter().map(|&row| sizes[row as usize]).collect();
        let row_sizes = self.row_sizes.as_ref().map(sizes);
        let piece = Self::of_rows(self.k, self.terms.clone(), record_of, codes, row_sizes, setups)?;
        let guard = guard.map(|guard| guard.piece(rows));
        let own = |class_of: &Arc<[u32]>| {
            numbered(&rows.iter().map(|&row| class_of[row as usize]).collect::<Vec<u32>>())
        };
        // Within one class, nothing is left to cross.
        let classes = self.class_of.as_ref().map(own).filter(|of| of.iter().any(|&class| class > 0));
        Ok(Self { guard, ..piece.with_classes(classes.map(Arc::from)) })
    }

    /// Sorts the rows by record.
    fn of_rows(
        k: u64,
        terms: Arc<Terms>,
        record_of: Vec<u32>,
        codes: Vec<u32>,
        row_sizes: Option<Vec<u32>>,
        setups: Vec<Cost>,
    ) -> Result<Self, Impossible> {
        let (rows, columns) = (record_of.len(), terms.rules.len());
        let records = codes.len() / columns;
        if rows > MOST_ROWS {
            return Err(Impossible::TooManyRows(rows));
        }
        Impossible::unless(record_of.iter().all(|&r| (r as usize) < records), "a row names no record")?;
        let as_many = setups.is_empty() || setups.len() == records;
        Impossible::unless(as_many, "set-up costs and records differ in number")?;
        let rows_of = Members::new(records, (0u32..).zip(record_of.iter().copied()));
        Impossible::unless(rows_of.each().all(|rows| !rows.is_empty()), "a record has no rows")?;
        let size = |row: usize| row_sizes.as_ref().map_or(1, |s| u64::from(s[row]));
        let mut record_sizes = vec![0u64; records];
        for (row, &record) in record_of.iter().enumerate() {
            record_sizes[record as usize] += size(row);
        }
        let people: u64 = record_sizes.iter().sum();
        if people < k {
            let unit = Unit::counted(row_sizes.is_some());
            return Err(Impossible::TooFew { k, people, unit });
        }
        Ok(Self {
            k,
            terms,
            columns,
            record_of,
            codes,
            row_sizes,
            may_withhold: 0,
            setups,
            guard: None,
            class_of: None,
            rows_of,
            record_sizes,
            people,
        })
    }

    /// Minimum number of people in a group (equivalence class).
    pub fn k(&self) -> u64 {
        self.k
    }

    /// What a release costs.
    pub fn objective(&self) -> Objective {
        self.terms.objective
    }

    /// One rule per quasi-identifier.
    pub fn rules(&self) -> &[Rule] {
        &self.terms.rules
    }

    /// Whether every column is on one level for all rows.
    pub fn recoding(&self) -> Recoding {
        self.terms.recoding
    }

    /// The levels that a column may be published on: those of its rule up to the coarsest of the policy; one, where
    /// it is given.
    pub fn levels_of(&self, column: usize) -> RangeInclusive<usize> {
        let level = self.terms.levels.as_ref().map(|levels| levels[column] as usize);
        let coarsest = self.terms.coarsest.get(column).copied().flatten();
        let last = self.rules()[column].levels() - 1;
        level.map_or(0..=coarsest.unwrap_or(last).min(last), |level| level..=level)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.record_of.len()
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.record_sizes.len()
    }

    /// How many people the rows stand for.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// What people are called: rows, unless rows stand for several.
    pub fn unit(&self) -> Unit {
        Unit::counted(self.row_sizes.is_some())
    }

    /// How many people may be left out of the release.
    pub fn may_withhold(&self) -> u64 {
        self.may_withhold
    }

    /// What the objectives that make clusters need.
    pub fn clusters(&self) -> &Clusters {
        &self.terms.clusters
    }

    /// What a group with this record in its centre costs under `cellular`, besides its people (f_c in
    /// definition 3.1 of paper *cluster*).
    pub fn setup_of(&self, centre: u32) -> Cost {
        self.terms.clusters.setup + self.setups.get(centre as usize).copied().unwrap_or(Cost::ZERO)
    }

    /// The column in which the regions of every group must touch.
    pub fn connected(&self) -> Option<&Connected> {
        self.terms.connected.as_ref()
    }

    /// What every group must fulfil besides holding k people.
    pub fn guard(&self) -> Option<&Guard> {
        self.guard.as_ref()
    }

    /// The class of every row, numbered from 0 as they first appear, where no group may cross classes.
    pub fn class_of(&self) -> Option<&[u32]> {
        self.class_of.as_deref()
    }

    /// Whether rows of two records may share a group.
    #[inline]
    pub fn may_meet(&self, a: u32, b: u32) -> bool {
        self.class(a) == self.class(b)
    }

    /// The class of a record, where no group may cross classes.
    #[inline]
    pub(crate) fn class(&self, record: u32) -> Option<u32> {
        self.class_of.as_ref().map(|of| of[self.rows_of.of(record)[0] as usize])
    }

    /// The record of a row.
    #[inline]
    pub fn record_of(&self, row: u32) -> u32 {
        self.record_of[row as usize]
    }

    /// The codes of a record, one per quasi-identifier.
    #[inline]
    pub fn codes(&self, record: u32) -> &[u32] {
        &self.codes[record as usize * self.columns..][..self.columns]
    }

    /// How many people a row stands for.
    #[inline]
    pub fn row_size(&self, row: u32) -> u64 {
        self.row_sizes.as_ref().map_or(1, |s| u64::from(s[row as usize]))
    }

    /// How many people a record stands for.
    #[inline]
    pub fn record_size(&self, record: u32) -> u64 {
        self.record_sizes[record as usize]
    }

    /// The rows that are copies of a record, in the order of the table.
    #[inline]
    pub fn rows_of(&self, record: u32) -> &[u32] {
        self.rows_of.of(record)
    }

    /// The least that a release costs if it costs no less than this: where cells or columns are only
    /// suppressed, costs are multiples of what all weights are multiples of.
    pub fn round_up(&self, bound: Cost) -> Cost {
        if !self.objective().suppresses() {
            return bound;
        }
        let step = self.terms.rules.iter().map(Rule::full).fold(0, greatest_common_divisor).max(1);
        Cost(bound.0.div_ceil(step) * step)
    }

    /// What everybody loses because ends are rounded, whatever the groups are and whether released or not; costs
    /// are counted beyond it.
    pub fn floor(&self) -> Cost {
        match self.objective() {
            Objective::Ncp => Cost(self.people * self.terms.rules.iter().map(Rule::floor).sum::<u64>()),
            _ => Cost::ZERO,
        }
    }

    /// What withholding one person costs: every cell, fully. Under `columns` it costs nothing, and this is
    /// what all columns cost.
    pub fn withheld_cost(&self) -> u64 {
        self.terms.rules.iter().map(Rule::full).sum()
    }
}

/// Numbers records as they first appear: by a list where they are many, by a map where they are few of all.
enum Numbers {
    List(Vec<u32>, u32),
    Map(BTreeMap<u32, u32>),
}

impl Numbers {
    fn of(records: usize, rows: usize) -> Self {
        match rows * 16 > records {
            true => Self::List(vec![u32::MAX; records], 0),
            false => Self::Map(BTreeMap::new()),
        }
    }

    /// The number of a record, and whether it is new.
    fn number(&mut self, record: u32) -> (u32, bool) {
        match self {
            Self::List(numbers, next) => {
                let number = &mut numbers[record as usize];
                let new = *number == u32::MAX;
                if new {
                    (*number, *next) = (*next, *next + 1);
                }
                (*number, new)
            }
            Self::Map(numbers) => {
                let next = numbers.len() as u32;
                let number = *numbers.entry(record).or_insert(next);
                (number, number == next)
            }
        }
    }
}

/// The largest number that both are multiples of.
pub(crate) fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{ONE, group_cost};

    fn parts() -> Parts {
        let rules = vec![Rule::line(vec![0, ONE / 4, ONE], false, ONE).unwrap(), Rule::set(3, ONE)];
        let mut parts = Parts::new(2, Objective::Ncp, rules, vec![0, 1, 0, 2, 1], vec![0, 2, 1, 1, 2, 0]);
        parts.row_sizes = Some(vec![1, 2, 3, 4, 5]);
        parts
    }

    #[test]
    fn a_piece_shares_the_rules_and_costs_the_same() {
        let problem = Problem::new(parts()).unwrap();
        let rows = [3, 1, 2, 4];
        let piece = problem.piece(&rows).unwrap();
        assert!(Arc::ptr_eq(&piece.terms, &problem.terms));
        assert_eq!((piece.rows(), piece.records(), piece.people()), (4, 3, 14));
        for (own, row) in (0u32..).zip(rows) {
            assert_eq!(piece.codes(piece.record_of(own)), problem.codes(problem.record_of(row)));
            assert_eq!(piece.row_size(own), problem.row_size(row));
        }
        assert_eq!(piece.rows_of(1), [1, 3], "records are numbered as they appear");
        assert_eq!(group_cost(&piece, &[0, 1]), group_cost(&problem, &[3, 1]));
        assert_eq!(
            problem.piece(&[0]).unwrap_err(),
            Impossible::TooFew { k: 2, people: 1, unit: Unit::People }
        );
        assert!(matches!(problem.piece(&[0, 5]), Err(Impossible::Malformed(_))));
    }

    #[test]
    fn a_table_too_small_for_k_has_a_hint_that_can_be_followed() {
        let hint =
            |people| Impossible::TooFew { k: 9, people, unit: Unit::Rows }.hint().map(|h| h.to_string());
        assert_eq!(hint(1), None, "no k is small enough");
        assert_eq!(hint(2).unwrap(), "use k = 2, or a larger table");
        assert_eq!(hint(8).unwrap(), "use a k from 2 to 8");
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let refused = |change: &dyn Fn(&mut Parts)| {
            let mut parts = parts();
            change(&mut parts);
            Problem::new(parts).unwrap_err()
        };
        assert_eq!(refused(&|p| p.k = 1), Impossible::SmallK(1));
        assert_eq!(refused(&|p| p.rules.clear()), Impossible::NoColumns);
        let malformed: [&dyn Fn(&mut Parts); 6] = [
            &|p| p.codes.extend([0, 0]),
            &|p| p.codes.push(0),
            &|p| p.codes[1] = 3,
            &|p| p.record_of[0] = 3,
            &|p| p.row_sizes = Some(vec![1]),
            &|p| p.setups = vec![Cost::ZERO],
        ];
        let metric: &dyn Fn(&mut Parts) = &|p| {
            (p.objective, p.row_sizes) = (Objective::Radius, None);
            p.clusters.metric.axes = vec![crate::metric::Axis::Labels { column: 2, apart: 1 }];
        };
        for change in malformed.into_iter().chain([metric]) {
            assert!(matches!(refused(change), Impossible::Malformed(_)));
        }
    }
}
