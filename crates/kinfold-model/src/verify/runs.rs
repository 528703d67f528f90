//! The verdict on a release that does not fit memory, some rows at a time.
//!
//! Rows that stand next to each other and look alike are judged as a group. The rows of a class may stand in
//! several places: k and all models but presence are closed under union, so a release is safe if each such run
//! is. It need not be unsafe if one is not: a release whose classes are scattered has to be judged as a whole.

use super::{Forbidden, Published, Verdict, VerifyError, needed, quasi_columns, verify_part};
use crate::call::Call;
use crate::distribution::Distributions;
use crate::policy::{Mistakes, Policy};
use crate::singles::Unchanged;
use crate::table::{Column, Gathering, Source, Table, TableError};

/// A sensitive column with more values, on which nothing is asked, is not described.
const MOST_VALUES: usize = 1 << 20;

/// Judges a release that `open` opens anew each time, so many rows at a time.
pub fn verify_runs<E: From<VerifyError>>(
    open: impl Fn() -> Result<Source, E>,
    policy: &Policy,
    rows: usize,
) -> Result<Verdict, E> {
    let distributions = count_sensitive(open()?, policy, rows)?;
    Ok(judge_runs(open()?, policy, distributions, rows)?)
}

fn judge_runs(
    source: Source,
    policy: &Policy,
    distributions: Distributions,
    rows: usize,
) -> Result<Verdict, VerifyError> {
    let (names, call) = (source.names().to_vec(), source.call().clone());
    let runs = Runs { policy, quasi: quasi_columns(&names, policy)?.concat(), names, call, distributions };
    let wanted = needed(&runs.names, policy, false)?;
    let mut chunks = source.chunks(|name| wanted.contains(name), rows)?;
    let mut unchanged = Unchanged::new(policy);
    let (mut verdict, mut rest): (Option<Verdict>, Option<Table>) = (None, None);
    while let Some(chunk) = chunks.next()? {
        unchanged.add(&chunk, policy);
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
    let mut verdict = verdict.ok_or(TableError::HeaderOnly)?;
    verdict.shown.retain(|shown| runs.distributions.of(&shown.column).is_some());
    let naming = unchanged.unacknowledged(policy).map(|(name, _)| (name.to_owned(), Forbidden::Naming));
    verdict.forbidden.extend(naming);
    verdict.unique_as_kept = unchanged.unique_share();
    Ok(verdict)
}

/// How often each sensitive value occurs in the release.
fn count_sensitive(source: Source, policy: &Policy, rows: usize) -> Result<Distributions, VerifyError> {
    let mut counted = Distributions::sensitive(policy);
    if counted.is_empty() {
        return Ok(counted);
    }
    let wanted = |name: &str| counted.of(name).is_some() || policy.count_column() == Some(name);
    let mut chunks = source.chunks(wanted, rows)?;
    let required = Distributions::required(policy);
    while let Some(chunk) = chunks.next()? {
        counted.add(&chunk, policy).map_err(|mistake| {
            Mistakes { list: vec![mistake], file: None }.found_in("the release")
        })?;
        counted.0.retain(|own| own.values() <= MOST_VALUES || required.of(own.column()).is_some());
    }
    Ok(counted)
}

struct Runs<'a> {
    policy: &'a Policy,
    names: Vec<String>,
    /// The columns that publish quasi-identifiers.
    quasi: Vec<String>,
    call: Call,
    distributions: Distributions,
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
        let published = Published { table, names, lookup: Default::default(), call };
        let own = verify_part(&published, self.policy, &self.distributions)?;
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
