//! What must be known of a whole table before pieces of it can be anonymized: the values of every
//! quasi-identifier, how often sensitive values occur, and a sample to cut it by.
//!
//! A census is taken of parts of a table and added up. It comes to the same whatever the parts and their order.

use crate::Error;
use kinfold_model::distribution::Distributions;
use kinfold_model::kind::{infer, is_missing, value_of};
use kinfold_model::singles::{Unchanged, hashes, mixed};
use kinfold_model::{Column, Kind, Mistake, Mistakes, Policy, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The sample has between so many rows and twice as many, of a table that has them.
const SAMPLE: u64 = 1 << 17;
/// Beyond so many values of a number or a date, only those that say something of all are remembered.
const MOST_NUMBERS: usize = 1 << 20;

/// What is known of a table, or of a part of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Census {
    /// Rows.
    pub rows: u64,
    values: Vec<Values>,
    /// How often sensitive values occur.
    pub(super) sensitive: Distributions,
    /// What is published as it is.
    pub(super) unchanged: Unchanged,
    /// By what the row says: its hash and the numbers of its values.
    sample: Vec<(u64, Vec<u32>)>,
}

/// The values of one quasi-identifier.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    name: String,
    /// None: a null.
    texts: Vec<Option<String>>,
    /// Whether numbers that lie between others were left out.
    thinned: bool,
    #[serde(skip)]
    number_of: BTreeMap<Option<String>, u32>,
}

impl Census {
    /// Nothing is counted yet.
    pub fn new(policy: &Policy) -> Self {
        let values = policy.quasi().map(|(said, _)| Values { name: said.name.clone(), ..Values::default() });
        Self {
            rows: 0,
            values: values.collect(),
            sensitive: Distributions::required(policy),
            unchanged: Unchanged::new(policy),
            sample: Vec::new(),
        }
    }

    /// Counts a part of the table.
    pub fn add(&mut self, part: &Table, policy: &Policy) -> Result<(), Error> {
        let mistaken = |mistake: Mistake| Error::from(Mistakes::from(mistake));
        self.rows += part.rows() as u64;
        self.sensitive.add(part, policy).map_err(|m| mistaken(m).in_policy(policy))?;
        self.unchanged.add(part, policy);
        let mut columns: Vec<(&Column, Vec<u32>)> = Vec::new();
        for values in &mut self.values {
            let column = part.column(&values.name).ok_or_else(|| {
                let what = format!("a part of the table has no column {:?}", values.name);
                Error::unsuitable(what, "all parts need the same columns")
            })?;
            columns.push((column, values.numbers_of(column)));
        }
        let zeros = zeros(self.rows);
        // Whatever is said of a person counts, so that people with the same quasi-identifiers are told apart.
        let texts: Vec<Vec<u64>> = part.columns().iter().map(|column| hashes(column)).collect();
        for row in 0..part.rows() {
            let own = part.columns().iter().zip(&texts);
            let hash = mixed(own.map(|(column, texts)| texts[column.codes()[row] as usize]));
            if hash.leading_zeros() >= zeros {
                let numbers = columns.iter().map(|(column, numbers)| numbers[column.codes()[row] as usize]);
                self.sample.push((hash, numbers.collect()));
            }
        }
        self.thin(policy)
    }

    /// Leaves out of the sample what a table of so many rows, of which this is a part, does not need.
    pub fn limit_sample(&mut self, rows: u64) {
        let zeros = zeros(rows);
        self.sample.retain(|(hash, _)| hash.leading_zeros() >= zeros);
    }

    /// Counts another part of the table.
    pub fn absorb(&mut self, other: Self, policy: &Policy) -> Result<(), Error> {
        self.rows += other.rows;
        self.sensitive.absorb(other.sensitive);
        self.unchanged.absorb(other.unchanged);
        let mut numbers: Vec<Vec<u32>> = Vec::new();
        for (own, other) in self.values.iter_mut().zip(other.values) {
            own.thinned |= other.thinned;
            numbers.push(other.texts.into_iter().map(|text| own.number(text)).collect());
        }
        self.sample.extend(other.sample.into_iter().map(|(hash, row)| {
            (hash, row.iter().zip(&numbers).map(|(&number, numbers)| numbers[number as usize]).collect())
        }));
        self.thin(policy)
    }

    /// Leaves out of the sample and of numbers what is not needed.
    fn thin(&mut self, policy: &Policy) -> Result<(), Error> {
        self.limit_sample(self.rows);
        for (place, (values, (said, quasi))) in self.values.iter_mut().zip(policy.quasi()).enumerate() {
            if values.texts.len() > MOST_NUMBERS {
                let mut used = vec![false; values.texts.len()];
                self.sample.iter().for_each(|(_, row)| used[row[place] as usize] = true);
                let renumbered = values.thin(quasi.kind.as_ref(), policy.missing_in(&said.name), used);
                for (_, row) in &mut self.sample {
                    row[place] = renumbered[row[place] as usize];
                }
            }
        }
        Ok(())
    }

    /// A table in which every quasi-identifier has all its values.
    pub(super) fn values(&self, policy: &Policy) -> Result<Table, Error> {
        for values in self.values.iter().filter(|values| values.thinned) {
            if !values.as_column().is_some_and(|column| ordered(&column, policy.missing_in(&values.name))) {
                let what = format!(
                    "column {:?} has more than {MOST_NUMBERS} values, and not all are numbers or dates",
                    values.name
                );
                let hint = "give it a hierarchy or a prefix, or correct the values that are no numbers";
                return Err(Error::unsuitable(what, hint));
            }
        }
        let longest = self.values.iter().map(|values| values.texts.len()).max().unwrap_or(0);
        self.table((0..longest).map(|row| move |values: &Values, _| row.min(values.texts.len() - 1)))
    }

    /// The sample, in an order that depends on nothing but its rows. Where rows repeat so often that none of them
    /// was drawn, it is made of the values alone.
    pub(super) fn sample(&self, policy: &Policy) -> Result<Table, Error> {
        if self.sample.is_empty() {
            return self.values(policy);
        }
        let mut sample: Vec<&(u64, Vec<u32>)> = self.sample.iter().collect();
        sample.sort_by_key(|(hash, _)| *hash);
        self.table(sample.into_iter().map(|(_, row)| move |_: &Values, place: usize| row[place] as usize))
    }

    fn table<R: Fn(&Values, usize) -> usize>(&self, rows: impl Iterator<Item = R>) -> Result<Table, Error> {
        let mut columns: Vec<(String, Vec<Option<&str>>)> =
            self.values.iter().map(|values| (values.name.clone(), Vec::new())).collect();
        for row in rows {
            for (place, ((_, cells), values)) in columns.iter_mut().zip(&self.values).enumerate() {
                cells.push(values.texts[row(values, place)].as_deref());
            }
        }
        Table::from_columns(&columns).map_err(Error::Table)
    }
}

/// Hashes of the sample of a table with so many rows start with so many zeros.
fn zeros(rows: u64) -> u32 {
    (rows / SAMPLE).checked_ilog2().unwrap_or(0)
}

/// Whether all values of a column are numbers, or all are dates.
fn ordered(column: &Column, missing: &[String]) -> bool {
    matches!(infer(column, missing).kind, Kind::Numeric | Kind::Date)
}

impl Values {
    /// The number of a value, which is new or known.
    fn number(&mut self, text: Option<String>) -> u32 {
        if self.number_of.len() < self.texts.len() {
            // It was read from a file, which has the texts alone.
            self.number_of = self.texts.iter().cloned().zip(0..).collect();
        }
        let next = self.texts.len() as u32;
        match self.number_of.get(&text) {
            Some(&number) => number,
            None => {
                self.texts.push(text.clone());
                self.number_of.insert(text, next);
                next
            }
        }
    }

    /// The number of every text of a column.
    fn numbers_of(&mut self, column: &Column) -> Vec<u32> {
        let text = |code: u32| (!column.is_null(code)).then(|| column.text(code).to_owned());
        (0..column.distinct() as u32).map(|code| self.number(text(code))).collect()
    }

    fn as_column(&self) -> Option<Column> {
        let texts: Vec<Option<&str>> = self.texts.iter().map(Option::as_deref).collect();
        Table::from_columns(&[(self.name.clone(), texts)])
            .ok()
            .map(|table| Column::clone(&table.columns()[0]))
    }

    /// Leaves out numbers and dates that lie between others, unless they are used; says the new numbers of the
    /// values that stay. What a frame learns of them, their ends and how finely they are written, stays the same.
    fn thin(&mut self, kind: Option<&Kind>, missing: &[String], mut keep: Vec<bool>) -> Vec<u32> {
        let Some(column) = self.as_column() else { return (0..self.texts.len() as u32).collect() };
        let kind = kind.cloned().unwrap_or_else(|| infer(&column, missing).kind);
        if matches!(kind, Kind::Numeric | Kind::Date | Kind::Spelled(_)) {
            self.thinned = true;
            let mut ends: Option<[usize; 2]> = None;
            let value = |at: usize| value_of(&kind, self.texts[at].as_deref().unwrap_or_default());
            let mut finest = [None; 2];
            for (at, keep) in keep.iter_mut().enumerate() {
                let Some(own) = value(at).filter(|_| !is_missing(&column, at as u32, missing)) else {
                    *keep = true;
                    continue;
                };
                let [low, high] = ends.get_or_insert([at, at]);
                *low = if value(*low).is_some_and(|least| own < least) { at } else { *low };
                *high = if value(*high).is_some_and(|most| own > most) { at } else { *high };
                // The longest text has the most decimals, or a time of day; the shortest may be the least exact.
                let length = self.texts[at].as_ref().map_or(0, String::len);
                for (best, more) in finest.iter_mut().zip([true, false]) {
                    if best.is_none_or(|(l, _)| if more { length > l } else { length < l }) {
                        *best = Some((length, at));
                    }
                }
            }
            let kept = ends.into_iter().flatten().chain(finest.into_iter().flatten().map(|(_, at)| at));
            kept.for_each(|at| keep[at] = true);
        } else {
            keep.fill(true);
        }
        let mut next = 0;
        let renumbered = keep.iter().map(|&keep| {
            next += u32::from(keep);
            next.saturating_sub(1)
        });
        let renumbered = renumbered.collect();
        let mut kept = keep.into_iter();
        self.texts.retain(|_| kept.next().unwrap_or(true));
        self.number_of.clear();
        renumbered
    }
}
