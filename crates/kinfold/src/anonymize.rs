//! The one door: a table and a policy in, rows in groups out; then a verified release, as what the caller chooses.
//!
//! `Table + Policy → Problem → Solver → Solution → Grouped → Release → verify → Anonymized`

use crate::anonymized::{Anonymized, Contents, Unverified};
use crate::bounds::{NoBound, Strength, prove};
use crate::destination::Destination;
use crate::earlier::{Earlier, Overlay};
use crate::error::Error;
use crate::options::Options;
use crate::prepared::{Prepared, prepare};
use crate::publish::publish;
use crate::report::{Seconds, thousands};
use crate::save::{FileFormat, Files, Staged};
use crate::scale::{Figures, chosen_levels};
use crate::solve::{Outcome, solve};
use crate::stopwatch::{Clock, Stopwatch};
use crate::variants::{Settled, settle};
use crate::warning::ORDER_KEPT;
use kinfold_model::call::Phase;
use kinfold_model::encode::Coding;
use kinfold_model::hint::Hint;
use kinfold_model::policy::{Policy, Role};
use kinfold_model::table::{Source, Table};
use kinfold_model::told;
use std::borrow::Cow;
use std::path::Path;

/// Reads the columns of a table that matter to a policy. Identifiers are among them unless a column names
/// persons: they may show that persons have several rows.
pub fn read(source: Source, policy: &Policy) -> Result<Table, Error> {
    read_linked(source, policy, &[])
}

/// The same, with the columns by which groups files of earlier releases find their rows, whatever their roles.
pub fn read_linked(source: Source, policy: &Policy, after: &[Earlier]) -> Result<Table, Error> {
    let counts_persons = policy.person_column().is_none() && policy.count_column().is_none();
    let needed = |role: &Role| role.needed() || counts_persons && *role == Role::Identifier;
    let key = |name: &str| after.iter().any(|earlier| earlier.key() == Some(name));
    Ok(source.read(|name| key(name) || policy.role(name).is_some_and(needed))?)
}

/// The rows of a table in groups, judged. There is no release yet: it is made as files or as Arrow batches, and what
/// was made is verified.
#[must_use = "it publishes nothing by itself"]
#[derive(Debug)]
pub struct Grouped<'p> {
    prepared: Cow<'p, Prepared>,
    options: Options,
    outcome: Outcome,
    overlay: Option<Overlay>,
    notes: Vec<Hint>,
    /// How long each phase took so far. Who has read the table knows how long that took.
    pub seconds: Seconds,
    solve_cpu_seconds: Option<f64>,
    clock: Clock,
}

/// Groups the rows of a table under a policy.
pub fn anonymize(table: &Table, policy: &Policy, options: &Options) -> Result<Grouped<'static>, Error> {
    let clock = Clock::start();
    group(Cow::Owned(prepare(table, policy, options)?), options, clock)
}

/// Groups the rows of a table that is ready.
pub(crate) fn group<'p>(
    prepared: Cow<'p, Prepared>,
    options: &Options,
    mut clock: Clock,
) -> Result<Grouped<'p>, Error> {
    let call = &options.call;
    let Settled { prepared, outcome: settled, cpu_seconds } = settle(prepared, options)?;
    let problem = &prepared.encoded.problem;
    let mut notes: Vec<Hint> = prepared.encoded.notes.iter().cloned().chain(options.solver.note()).collect();
    let mut seconds = Seconds::default();
    let overlay = Overlay::new(&prepared, options)?;
    seconds.encode = clock.lap();

    call.phase(Phase::Grouping)?;
    let run = options.run();
    let stopwatch = Stopwatch::start();
    let chosen = settled.is_some();
    let mut outcome = match (settled, overlay.as_ref().filter(|overlay| overlay.refuses())) {
        (Some(outcome), _) => outcome,
        (None, Some(overlay)) => overlay.solve(problem, options, &run)?,
        (None, None) => solve(problem, &options.solver, &run)?,
    };
    let solve_cpu_seconds = stopwatch.spent().cpu.map(|cpu| cpu + cpu_seconds);
    seconds.solve = clock.lap();

    call.phase(Phase::Bounding)?;
    let bound = if chosen { Strength::None } else { options.bound };
    if chosen && options.bound != Strength::None {
        notes.push("no bound: levels were chosen by search, and others might lose less".into());
    }
    match prove(problem, &mut outcome.solution, bound, &run) {
        // Nobody asked for it in particular: the release is as good without, or the solver has brought one.
        Err(NoBound::Unsupported(why)) if options.bound != Strength::Lp => {
            if outcome.solution.bound().cost().is_none() {
                notes.push(format!("no bound: {why}").into());
            }
        }
        other => {
            other?;
        }
    }
    seconds.bound = clock.lap();
    // Earlier releases are paired with the rows, and no longer needed.
    let options = Options { after: Vec::new(), ..options.clone() };
    Ok(Grouped { prepared, options, outcome, overlay, notes, seconds, solve_cpu_seconds, clock })
}

impl Grouped<'_> {
    /// The release as Arrow batches, which the verifier has read.
    #[cfg(feature = "columnar")]
    pub fn into_batches(self) -> Result<Anonymized, Error> {
        self.publish(told::GROUPS)?.into_batches()
    }

    /// Writes the release to a file, in the format that its name tells. It appears whole and verified, or not
    /// at all.
    pub fn save(self, path: impl AsRef<Path>) -> Result<Anonymized, Error> {
        let path = path.as_ref();
        let release = Some((Destination::file(path, &self.options.call)?, FileFormat::of(path)?));
        self.into_files(Files { release, ..Files::default() })
    }

    /// Writes files. They get their names only after all are written and the release is verified.
    pub fn into_files(self, files: Files) -> Result<Anonymized, Error> {
        let (done, staged) = self.stage(files)?;
        staged.commit()?;
        Ok(done)
    }

    /// Writes files and verifies the release; devices and pipes have their copies then, but no file has its name yet.
    /// Who has something to do that may fail, such as printing a summary, does it before [`Staged::commit`].
    pub fn stage(self, files: Files) -> Result<(Anonymized, Staged), Error> {
        files.refuse_without_lookup(&self.prepared.policy)?;
        self.publish(told::GROUPS)?.stage(files)
    }

    /// What is to be written, and what is known of it. What it tells is measured by about so many groups.
    pub(crate) fn publish(self, measured: usize) -> Result<Unverified, Error> {
        let Self { prepared, options, outcome, overlay, mut notes, mut seconds, mut clock, .. } = self;
        let (table, policy, encoded) = (&prepared.table, &prepared.policy, &prepared.encoded);
        options.call.phase(Phase::Publishing)?;
        let mut release = publish(table, policy, encoded, &outcome.solution);
        let lookup = release.lookup(options.lookup);
        release.refuse_outsized(table, &options.limits)?;
        if lookup.is_none()
            && let Some((column, labels)) = release.unreadable()
        {
            let labels = thousands(labels as u64);
            let about = format!("cells of column {column:?} list up to {labels} labels; ");
            notes.push(
                Hint::new().text(about).setting("lookup", "FILE").text(" publishes short names instead"),
            );
        }
        if options.keep_order {
            release.keep_order(&prepared.rows);
            notes.push(ORDER_KEPT.into());
        } else {
            release.sort();
        }
        seconds.publish = clock.lap();
        let within = overlay.as_ref().is_some_and(Overlay::refuses);
        let measure = |overlay: Overlay| overlay.measure(&encoded.problem, policy, release.group_of());
        let overlay = overlay.map(measure).transpose()?;
        let figures = Figures::of(&prepared, &outcome, measured, within, self.solve_cpu_seconds);
        let kind = |coding: &Coding| (table.columns()[coding.column].name().to_owned(), coding.kind.clone());
        let contents = Contents {
            table: prepared.given.clone(),
            policy: policy.clone(),
            release,
            withheld: outcome.solution.withheld(),
            kinds: encoded.codings.iter().map(kind).collect(),
            rows: prepared.rows.clone(),
            lookup,
            frame: prepared.frame.clone().map(|frame| {
                let levels = chosen_levels(&prepared, &outcome.solution);
                frame.with_levels(levels.into_iter().map(|chosen| (chosen.column, chosen.level)))
            }),
            options,
        };
        seconds.report = clock.lap();
        Ok(Unverified { contents, figures, notes, overlay, seconds, clock })
    }
}
