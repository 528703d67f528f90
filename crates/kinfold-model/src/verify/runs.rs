//! The verdict on a release that is judged in parts, because it does not fit memory or is spread over machines.
//!
//! First what only the whole release tells is counted, then each part is judged. A part must hold groups whole. In
//! a file, rows that stand next to each other and look alike are taken for a group. The rows of a class may stand
//! in several places: k and all models but presence are closed under union, so a release is safe if each such
//! run is. It need not be unsafe if one is not: a release whose classes are scattered has to be judged as a whole.

use super::{Forbidden, Lookup, Published, Verdict, VerifyError, needed, quasi_columns, verify_part};
use crate::call::Call;
use crate::distribution::Distributions;
use crate::policy::{Mistakes, Policy};
use crate::singles::Unchanged;
use crate::table::{Column, Gathering, Source, Table, TableError};
use serde::{Deserialize, Serialize};

/// A sensitive column with more values, on which nothing is asked, is not described.
const MOST_VALUES: usize = 1 << 20;

/// What only the whole release tells: how often sensitive values occur, and whether unchanged columns identify
/// people. It is counted in parts, whatever they are, and added up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overall {
    sensitive: Distributions,
    unchanged: Unchanged,
}

impl Overall {
    /// Nothing is counted yet.
    pub fn new(policy: &Policy) -> Self {
        Self { sensitive: Distributions::sensitive(policy), unchanged: Unchanged::new(policy) }
    }

    /// Whether a column is looked at.
    pub fn needs(policy: &Policy, name: &str) -> bool {
        let untouched = policy.columns.iter().any(|said| said.name == name && said.published_untouched());
        untouched || policy.count_column() == Some(name)
    }

    /// Counts a part of the release.
    pub fn add(&mut self, part: &Table, policy: &Policy) -> Result<(), VerifyError> {
        let added = self.sensitive.add(part, policy);
        added.map_err(|mistake| Mistakes::from(mistake).found_in("the release"))?;
        self.unchanged.add(part, policy);
        self.limit(policy);
        Ok(())
    }

    /// Counts what was counted elsewhere.
    pub fn absorb(&mut self, other: Self, policy: &Policy) {
        // What was too much elsewhere is too much.
        self.sensitive.0.retain(|own| other.sensitive.of(own.column()).is_some());
        for theirs in other.sensitive.0 {
            if let Some(own) = self.sensitive.0.iter_mut().find(|own| own.column() == theirs.column()) {
                own.absorb(theirs);
            }
        }
        self.unchanged.absorb(other.unchanged);
        self.limit(policy);
    }

    fn limit(&mut self, policy: &Policy) {
        let required = Distributions::required(policy);
        self.sensitive.0.retain(|own| own.values() <= MOST_VALUES || required.of(own.column()).is_some());
    }

    /// Judges a part that holds its groups whole.
    pub fn judge(&self, part: &Published, policy: &Policy) -> Result<Verdict, VerifyError> {
        verify_part(part, policy, &self.sensitive)
    }

    /// The verdict on the whole release, once all parts are judged.
    pub fn complete(&self, mut verdict: Verdict, policy: &Policy) -> Verdict {
        verdict.shown.retain(|shown| self.sensitive.of(&shown.column).is_some());
        let naming = self.unchanged.unacknowledged(policy);
        verdict.forbidden.extend(naming.map(|(name, _)| (name.to_owned(), Forbidden::Naming)));
        verdict.unique_as_kept = self.unchanged.unique_share();
        verdict
    }
}

/// Judges a release that `open` opens anew each time, so many rows at a time.
pub fn verify_runs<E: From<VerifyError>>(
    open: impl Fn() -> Result<Source, E>,
    policy: &Policy,
    rows: usize,
) -> Result<Verdict, E> {
    let overall = match policy.columns.iter().any(|said| said.published_untouched()) {
        true => count(open()?, policy, rows)?,
        false => Overall::new(policy),
    };
    let verdict = judge_runs(open()?, policy, &overall, rows)?;
    Ok(overall.complete(verdict, policy))
}

fn count(source: Source, policy: &Policy, rows: usize) -> Result<Overall, VerifyError> {
    let mut overall = Overall::new(policy);
    let mut chunks = source.chunks(|name| Overall::needs(policy, name), rows)?;
    while let Some(chunk) = chunks.next()? {
        overall.add(&chunk, policy)?;
    }
    Ok(overall)
}

fn judge_runs(
    source: Source,
    policy: &Policy,
    overall: &Overall,
    rows: usize,
) -> Result<Verdict, VerifyError> {
    let (names, call) = (source.names().to_vec(), source.call().clone());
    let runs = Runs { policy, quasi: quasi_columns(&names, policy)?.concat(), names, call, overall };
    let wanted = needed(&runs.names, policy, false)?;
    let mut chunks = source.chunks(|name| wanted.contains(name), rows)?;
    let (mut verdict, mut rest): (Option<Verdict>, Option<Table>) = (None, None);
    while let Some(chunk) = chunks.next()? {
        let all = match rest.take() {
            Some(before) => joined(&before, &chunk),
            None => chunk,
        };
        // The last run may go on in the next chunk.
        let whole = runs.last_run(&all);
        if whole > 0 {
            runs.judge(part(&all, 0..whole), &mut verdict)?;
        }
        rest = Some(if whole > 0 { part(&all, whole..all.rows()) } else { all });
    }
    if let Some(rest) = rest {
        runs.judge(rest, &mut verdict)?;
    }
    Ok(verdict.ok_or(TableError::HeaderOnly)?)
}

struct Runs<'a> {
    policy: &'a Policy,
    names: Vec<String>,
    /// The columns that publish quasi-identifiers.
    quasi: Vec<String>,
    call: Call,
    overall: &'a Overall,
}

impl Runs<'_> {
    /// Where the last run of rows that look alike starts.
    fn last_run(&self, table: &Table) -> usize {
        let quasi = self.quasi.iter().filter_map(|name| table.column(name));
        let codes: Vec<&[u32]> = quasi.map(Column::codes).collect();
        let alike = |row: usize| codes.iter().all(|codes| codes[row] == codes[row - 1]);
        (1..table.rows()).rev().find(|&row| !alike(row)).unwrap_or(0)
    }

    fn judge(&self, table: Table, verdict: &mut Option<Verdict>) -> Result<(), VerifyError> {
        let (names, call) = (self.names.clone(), self.call.clone());
        let published = Published { table, names, lookup: Lookup::new(), persons: None, call };
        let own = self.overall.judge(&published, self.policy)?;
        match verdict {
            Some(verdict) => verdict.absorb(own),
            None => *verdict = Some(own),
        }
        Ok(())
    }
}

fn part(table: &Table, rows: std::ops::Range<usize>) -> Table {
    let mut part = Gathering::like(table);
    part.add(table, rows);
    part.finish()
}

fn joined(one: &Table, two: &Table) -> Table {
    let mut both = Gathering::like(one);
    both.add(one, 0..one.rows());
    both.add(two, 0..two.rows());
    both.finish()
}
