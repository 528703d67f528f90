//! The verdict on a release that is judged in parts, because it does not fit memory or is spread over machines.
//!
//! First what only the whole release tells is counted, then each part is judged. A part must hold groups whole. In
//! a file, rows that stand next to each other and look alike are taken for a group. The rows of a class may stand
//! in several places: k and all models but presence are closed under union, so a release is safe if each such
//! run is. It need not be unsafe if one is not: a release whose classes are scattered has to be judged as a whole.

use super::looks::cell;
use super::{Forbidden, Published, Verdict, VerifyError, needed, quasi_columns, verify_part};
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
        self.sensitive.0.retain(|own| other.sensitive.of(&own.column).is_some());
        for theirs in other.sensitive.0 {
            if let Some(own) = self.sensitive.0.iter_mut().find(|own| own.column == theirs.column) {
                own.absorb(theirs);
            }
        }
        self.unchanged.absorb(other.unchanged);
        self.limit(policy);
    }

    fn limit(&mut self, policy: &Policy) {
        let required = Distributions::required(policy);
        self.sensitive.0.retain(|own| own.values() <= MOST_VALUES || required.of(&own.column).is_some());
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

/// Judges a release that `open` opens anew each time, so many rows at a time. `watch` sees them all, in their order.
pub fn verify_runs<E: From<VerifyError>>(
    open: impl Fn() -> Result<Source, E>,
    policy: &Policy,
    rows: usize,
    watch: impl FnMut(&Published) -> Result<(), E>,
) -> Result<Verdict, E> {
    let overall = match policy.columns.iter().any(|said| said.published_untouched()) {
        true => count(open()?, policy, rows)?,
        false => Overall::new(policy),
    };
    let mut verdict = judge_runs(open()?, policy, &overall, rows, watch)?;
    let source = open()?;
    let wanted = needed(source.names(), policy, false).map_err(VerifyError::from)?;
    let found = source.look(|name| wanted.contains(name)).map_err(VerifyError::from)?;
    (verdict.hidden, verdict.unclear) = (found.hidden, found.unclear);
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

fn judge_runs<E: From<VerifyError>>(
    source: Source,
    policy: &Policy,
    overall: &Overall,
    rows: usize,
    mut watch: impl FnMut(&Published) -> Result<(), E>,
) -> Result<Verdict, E> {
    let (names, call) = (source.names().to_vec(), source.call().clone());
    let quasi = quasi_columns(&names, policy).map_err(VerifyError::from)?.concat();
    let runs = Runs { policy, quasi, names, call, overall };
    let wanted = needed(&runs.names, policy, false).map_err(VerifyError::from)?;
    let mut chunks = source.chunks(|name| wanted.contains(name), rows).map_err(VerifyError::from)?;
    let mut verdict: Option<Verdict> = None;
    // The last run so far, which may go on in the next chunk.
    let mut last: Option<Run> = None;
    while let Some(chunk) = chunks.next().map_err(VerifyError::from)? {
        watch(&runs.published(chunk.clone()))?;
        let start = runs.last_run(&chunk);
        if let Some(run) = last.as_mut().filter(|run| start == 0 && runs.goes_on(&run.first, &chunk)) {
            runs.extend(run, &chunk)?;
            continue;
        }
        let mut whole = match last.take() {
            Some(run) if run.held.is_none() => run.rows,
            Some(run) => {
                runs.finish(run, &mut verdict)?;
                Gathering::like(&chunk)
            }
            None => Gathering::like(&chunk),
        };
        whole.add(&chunk, 0..start);
        if whole.rows() > 0 {
            runs.judge(whole.finish(), &mut verdict)?;
        }
        let mut rows = Gathering::like(&chunk);
        rows.add(&chunk, start..chunk.rows());
        last = Some(Run { rows, held: None, first: chunk, judged: None, people: 0 });
    }
    if let Some(run) = last {
        runs.finish(run, &mut verdict)?;
    }
    Ok(verdict.ok_or(TableError::HeaderOnly).map_err(VerifyError::from)?)
}

/// Rows that stand together and look alike. Where they are very many, parts of them are judged: k and all models but
/// presence are closed under union, so what holds in all parts holds in the run.
struct Run {
    rows: Gathering,
    /// The last part, which is judged with what may be few rows at the end.
    held: Option<Table>,
    /// The chunk that it starts in.
    first: Table,
    /// The verdict on the parts before, and their people.
    judged: Option<Verdict>,
    people: u64,
}

/// So many rows make a part of a run.
const PART: usize = 1 << 20;

struct Runs<'a> {
    policy: &'a Policy,
    names: Vec<String>,
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

    /// Whether the last row of a chunk looks like the first one of another.
    fn goes_on(&self, one: &Table, other: &Table) -> bool {
        let any = one.rows() > 0 && other.rows() > 0;
        any && self.quasi.iter().all(|name| {
            let (one, other) = (one.column(name), other.column(name));
            one.map(|one| cell(one, one.codes().len() - 1)) == other.map(|other| cell(other, 0))
        })
    }

    fn extend(&self, run: &mut Run, chunk: &Table) -> Result<(), VerifyError> {
        run.rows.add(chunk, 0..chunk.rows());
        if run.rows.rows() >= PART {
            let part = std::mem::replace(&mut run.rows, Gathering::like(chunk)).finish();
            if let Some(held) = run.held.replace(part) {
                self.judge_part(run, held)?;
            }
        }
        Ok(())
    }

    fn judge_part(&self, run: &mut Run, part: Table) -> Result<(), VerifyError> {
        let own = self.overall.judge(&self.published(part), self.policy)?;
        run.people += own.largest;
        absorb(&mut run.judged, own);
        Ok(())
    }

    /// Judges a run, which is one group whatever its parts.
    fn finish(&self, mut run: Run, verdict: &mut Option<Verdict>) -> Result<(), VerifyError> {
        let rows = std::mem::replace(&mut run.rows, Gathering::like(&run.first)).finish();
        let Some(held) = run.held.take() else { return self.judge(rows, verdict) };
        let mut rest = Gathering::like(&held);
        rest.add(&held, 0..held.rows());
        rest.add(&rows, 0..rows.rows());
        drop((held, rows));
        self.judge_part(&mut run, rest.finish())?;
        let Some(mut own) = run.judged else { return Ok(()) };
        (own.groups, own.smallest, own.largest) = (1, run.people, run.people);
        own.alike = u128::from(run.people).pow(2);
        own.below_k.clear();
        if run.people < own.k {
            own.below_k.insert(run.people, 1);
        }
        absorb(verdict, own);
        Ok(())
    }

    fn published(&self, table: Table) -> Published {
        Published::of(table, self.names.clone(), self.call.clone())
    }

    fn judge(&self, table: Table, verdict: &mut Option<Verdict>) -> Result<(), VerifyError> {
        absorb(verdict, self.overall.judge(&self.published(table), self.policy)?);
        Ok(())
    }
}

fn absorb(verdict: &mut Option<Verdict>, other: Verdict) {
    match verdict {
        Some(verdict) => verdict.absorb(other),
        None => *verdict = Some(other),
    }
}
