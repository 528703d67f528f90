//! Utility as a call: what a release is still good for, against the table it was made from.
//!
//! The user of a release is taken to hold every value that a cell covers for equally likely (uniform
//! spreading). Original and release are put into the same bins and compared there.

mod association;
mod queries;
mod target;

use crate::Error;
use crate::report::{ColumnUtility, UtilityReport};
use association::Pair;
use kinfold_model::table::distinct_rows;
use kinfold_model::verify::{Spread, SpreadColumn, in_order, spread};
use kinfold_model::{Lookup, Phase, Policy, Published, Table};

/// What utility is measured by.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UtilityOptions<'a> {
    /// Where random queries start from.
    pub seed: u64,
    /// The column that a model is to predict from the quasi-identifiers.
    pub target: Option<String>,
    /// The row of the original for every row of the release, if known: a model is then tested on rows that it
    /// was not trained on.
    pub rows: Option<&'a [u32]>,
    /// What names in the release stand for.
    pub lookup: Lookup,
}

/// Pairs of columns that are compared at most.
const MOST_PAIRS: usize = 120;

/// Compares a release, which must have been read whole, with its original.
pub fn utility(
    published: Published,
    original: &Table,
    policy: &Policy,
    options: &UtilityOptions<'_>,
) -> Result<UtilityReport, Error> {
    let in_policy = |e: Error| e.in_policy(policy);
    let published = published.with_lookup(options.lookup.clone());
    let policy = &published.policy_as_read(policy);
    published.call().phase(Phase::Verifying)?;
    let spread = spread(&published, original, policy).map_err(|e| in_policy(e.into()))?;
    let groups = Groups::new(&spread);
    let columns =
        spread.columns.iter().enumerate().map(|(c, _)| column_utility(&spread, &groups, c)).collect();
    let mut pairs = Vec::new();
    for a in 0..spread.columns.len() {
        for b in a + 1..spread.columns.len() {
            published.call().check()?;
            if pairs.len() < MOST_PAIRS {
                pairs.push(Pair::new(&spread, &groups, a, b));
            }
        }
    }
    let queries = queries::ask(&spread, &groups, &pairs, options.seed);
    let target = match &options.target {
        Some(_) if policy.per_group => {
            return Err(Error::unsuitable(
                "a release of one line per group has no rows to learn from",
                "publish one line per row, and compare that",
            ));
        }
        Some(name) => {
            let identity: Vec<u32>;
            let rows = match options.rows {
                Some(rows) => Some(rows),
                None if in_order(&published, original, policy).map_err(|e| in_policy(e.into()))? => {
                    identity = (0..original.rows() as u32).collect();
                    Some(identity.as_slice())
                }
                None => None,
            };
            Some(target::predict(&published, original, &spread, name, rows, options.seed)?)
        }
        None => None,
    };
    Ok(UtilityReport {
        rows: original.rows(),
        released: published.rows(),
        columns,
        pairs: pairs.iter().map(|pair| pair.report(&spread)).collect(),
        queries,
        target,
    })
}

/// Half the sum of the differences.
fn total_variation(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

/// Rows of the release that look alike, and how many people they are.
struct Groups {
    /// For every column the look of each group.
    looks: Vec<Vec<u32>>,
    people: Vec<f64>,
}

impl Groups {
    fn new(spread: &Spread) -> Self {
        let looks: Vec<&[u32]> = spread.columns.iter().map(|column| column.looks.as_slice()).collect();
        let groups = distinct_rows(&looks, spread.released_people.len());
        let mut people = vec![0.0; groups.first.len()];
        let rows = groups.of_row.iter().zip(&spread.released_people);
        rows.for_each(|(&group, &count)| people[group as usize] += count as f64);
        let first = |looks: &&[u32]| groups.first.iter().map(|&row| looks[row as usize]).collect();
        Self { looks: looks.iter().map(first).collect(), people }
    }
}

/// The shares of the original's people in each bin.
fn shares(bins: usize, counted: impl Iterator<Item = (u32, f64)>) -> Vec<f64> {
    let mut shares = vec![0.0; bins];
    counted.for_each(|(bin, people)| shares[bin as usize] += people);
    let all: f64 = shares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    shares.into_iter().map(|share| share / all).collect()
}

fn column_utility(spread: &Spread, groups: &Groups, c: usize) -> ColumnUtility {
    let column: &SpreadColumn = &spread.columns[c];
    let before = column.original.iter().copied().zip(spread.original_people.iter().map(|&p| p as f64));
    let before = shares(column.bins, before);
    let looks = groups.looks[c].iter().zip(&groups.people);
    let after = looks.flat_map(|(&look, &people)| {
        column.shares[look as usize].iter().map(move |&(bin, share)| (bin, share * people))
    });
    let after = shares(column.bins, after);
    let differences = || before.iter().zip(&after).map(|(b, a)| b - a);
    let stars = groups.looks[c].iter().zip(&groups.people);
    let stars: f64 =
        stars.filter(|(look, _)| column.starred[**look as usize]).map(|(_, people)| people).sum();
    let earth_mover = column.ordered.then(|| {
        let mut moved = 0.0;
        let steps = differences().map(|difference| {
            moved += difference;
            f64::abs(moved)
        });
        steps.sum::<f64>() / (column.bins as f64 - 2.0).max(1.0)
    });
    ColumnUtility {
        column: column.name.clone(),
        ordered: column.ordered,
        distance: total_variation(&before, &after),
        earth_mover,
        starred: stars / groups.people.iter().sum::<f64>().max(1.0),
        before,
        after,
    }
}
