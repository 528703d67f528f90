//! The one door: a table and a policy in, a verified release out.
//!
//! `Table + Policy → Problem → Solver → Solution → Release → verify → Anonymized`

use crate::bounds::{NoBound, Strength, prove};
use crate::destination::Destination;
use crate::earlier::Overlay;
use crate::error::Error;
use crate::groups_file::groups_file;
use crate::options::Options;
use crate::prepared::{Prepared, prepare};
use crate::publish::{Release, publish};
use crate::report::{AnonymizeReport, K_ALONE, thousands};
use crate::save::{FileFormat, Files, Staged};
use crate::scale::Figures;
use crate::solve::solve;
use crate::stopwatch::{Clock, Stopwatch};
use crate::warning::{ORDER_KEPT, warnings};
use kinfold_model::call::Phase;
use kinfold_model::frame::Frame;
use kinfold_model::hint::Hint;
use kinfold_model::judge::WITHHELD;
use kinfold_model::policy::{Form, Policy, Role};
use kinfold_model::table::{ReadOptions, Source, Table};
use kinfold_model::verify::{Finding, Lookup, Published, Verdict, read_lookup, verify, verify_part};
use std::io::Write;
use std::path::Path;

/// Reads the columns of a table that matter to a policy. Identifiers are among them unless a column names
/// persons: they may show that persons have several rows.
pub fn read(source: Source, policy: &Policy) -> Result<Table, Error> {
    let counts_persons = policy.person_column().is_none() && policy.count_column().is_none();
    let needed = |role: &Role| role.needed() || counts_persons && *role == Role::Identifier;
    Ok(source.read(|name| policy.role(name).is_some_and(needed))?)
}

/// Whoever uses the frame of an earlier table has most likely released that table.
const OVERLAID: &str = "if an earlier release is about the same people, a reader can combine the two: the rows that \
                        fit a person in both may be fewer than k";

/// A release that the verifier has passed, and what is to be said of it.
#[derive(Debug, Clone)]
pub struct Anonymized {
    /// What came of it.
    pub report: AnonymizeReport,
    release: Release,
    groups: Vec<u32>,
    /// The row of the table for every row of the release.
    released: Vec<u32>,
    #[cfg(feature = "columnar")]
    batches: (arrow_schema::SchemaRef, Vec<arrow_array::RecordBatch>),
    policy: Policy,
    lookup: Option<String>,
    frame: Option<Frame>,
    figures: Figures,
    options: Options,
}

/// Anonymizes a table. The answer exists only after the verifier passed it.
pub fn anonymize(given: &Table, policy: &Policy, options: &Options) -> Result<Anonymized, Error> {
    let clock = Clock::start();
    release(given, &prepare(given, policy, options)?, policy, options, clock)
}

/// Groups a table that is ready, and makes the release.
pub(crate) fn release(
    given: &Table,
    prepared: &Prepared,
    policy: &Policy,
    options: &Options,
    mut clock: Clock,
) -> Result<Anonymized, Error> {
    let call = &options.call;
    let (table, encoded) = (&prepared.table, &prepared.encoded);
    let mut notes: Vec<Hint> = encoded.notes.clone();
    let overlay = Overlay::new(prepared, policy, options)?;
    let encode_seconds = clock.lap();

    call.phase(Phase::Grouping)?;
    let run = options.run();
    let stopwatch = Stopwatch::start();
    let kept = overlay.as_ref().filter(|overlay| overlay.refuses());
    let mut outcome = match kept {
        Some(overlay) => overlay.solve(&encoded.problem, options, &run)?,
        None => solve(&encoded.problem, &options.solver, &run)?,
    };
    let solve_cpu_seconds = stopwatch.spent().cpu;
    let solve_seconds = clock.lap();

    call.phase(Phase::Bounding)?;
    match prove(&encoded.problem, &mut outcome.solution, options.bound, &run) {
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
    let bound_seconds = clock.lap();

    call.phase(Phase::Publishing)?;
    let mut release = publish(table, policy, encoded, &outcome.solution);
    let lookup = release.lookup(options.lookup);
    release.refuse_outsized(table, &options.limits)?;
    if lookup.is_none()
        && let Some((column, labels)) = release.unreadable()
    {
        let labels = thousands(labels as u64);
        let about = format!("cells of column {column:?} list up to {labels} labels; ");
        notes.push(Hint::new().text(about).setting("lookup", "FILE").text(" publishes short names instead"));
    }
    if options.keep_order {
        release.keep_order(&prepared.rows);
        notes.push(ORDER_KEPT.into());
    } else {
        release.sort();
    }
    #[cfg(feature = "columnar")]
    let batches = release.batches().map_err(|e| Error::write(Path::new("the release"), e))?;
    let publish_seconds = clock.lap();

    call.phase(Phase::Verifying)?;
    #[cfg(feature = "columnar")]
    let published = Published::from_batches(&batches.0, &batches.1, policy, false, &options.reading())?;
    #[cfg(not(feature = "columnar"))]
    let published = read_back(&release, policy, false, &options.reading())?;
    let published = looked_up(published, lookup.as_deref())?;
    let mut verdict = verified(&published, policy, &release, options)?;
    // The judge has counted the persons of every group. Groups that are published alike only merge, which
    // leaves no fewer.
    verdict.decide_persons(Finding::Fulfilled);
    verdict.decide_presence(Finding::Fulfilled);
    let groups = prepared.as_given(release.group_of());
    let released = release.table_rows().iter().map(|&row| prepared.rows[row as usize]).collect();
    // What unchanged columns say of people is judged by the whole table.
    if !options.piece {
        notes.extend(warnings(given, policy, &verdict, &groups));
    }
    let laid =
        overlay.as_ref().map(|o| o.measure(&encoded.problem, policy, release.group_of())).transpose()?;
    match &laid {
        Some(laid) => notes.extend(laid.warning(policy.k)),
        None => notes.extend(options.using.as_ref().map(|_| OVERLAID.into())),
    }
    let mut report = AnonymizeReport::new(policy, table, encoded, &outcome, &verdict);
    if kept.is_some() {
        report.bound_for = report.bound.map(|_| K_ALONE);
    }
    (report.overlay, report.notes) = (laid, notes);
    report.solve_cpu_seconds = solve_cpu_seconds;
    let figures = Figures::of(&encoded.problem, &outcome, &report).spent(solve_cpu_seconds);
    let seconds = &mut report.seconds;
    (seconds.encode, seconds.solve, seconds.bound) = (encode_seconds, solve_seconds, bound_seconds);
    (seconds.publish, seconds.verify) = (publish_seconds, clock.lap());
    seconds.add_up();
    Ok(Anonymized {
        report,
        groups,
        release,
        #[cfg(feature = "columnar")]
        batches,
        policy: policy.clone(),
        lookup,
        released,
        frame: prepared.frame.clone(),
        figures,
        // Earlier releases are no longer needed.
        options: Options { after: Vec::new(), ..options.clone() },
    })
}

/// A release as text, read by a stranger.
#[cfg(not(feature = "columnar"))]
fn read_back(
    release: &Release,
    policy: &Policy,
    whole: bool,
    reading: &ReadOptions,
) -> Result<Published, Error> {
    let mut bytes = Vec::new();
    release.write_csv(&mut bytes).map_err(|e| Error::write(Path::new("the release"), e))?;
    let reading = ReadOptions { delimiter: Some(release.delimiter()), ..reading.clone() };
    Ok(Published::read(Source::from_bytes(bytes, &reading)?, policy, whole)?)
}

/// A release of labels alone says nothing: it is not written without its lookup file.
pub fn refuse_without_lookup(policy: &Policy) -> Result<(), Error> {
    if policy.form != Form::Codes {
        return Ok(());
    }
    let hint = Hint::from("name it: ").setting("lookup", "FILE");
    Err(Error::unsuitable("form codes publishes a lookup file beside the release", hint))
}

/// Reads names in the place of sets as the lookup file has them.
fn looked_up(published: Published, lookup: Option<&str>) -> Result<Published, Error> {
    let lookup = lookup.map(read_lookup).transpose()?.flatten();
    Ok(published.with_lookup(lookup.unwrap_or_default()))
}

/// What the verifier says of a release that was written, if it is safe and whole.
fn verified(
    published: &Published,
    policy: &Policy,
    release: &Release,
    options: &Options,
) -> Result<Verdict, Error> {
    let verdict = match &options.using {
        Some(whole) if options.piece => verify_part(published, policy, whole.distributions())?,
        _ => verify(published, policy)?,
    };
    refuse_unsafe(&verdict, release.rows())?;
    Ok(verdict)
}

/// Refuses a release of so many rows unless the verifier says that it is safe and whole.
pub(crate) fn refuse_unsafe(verdict: &Verdict, rows: usize) -> Result<(), Error> {
    if verdict.safe() && verdict.rows == rows {
        return Ok(());
    }
    let short = verdict.models.iter().find(|model| matches!(model.finding, Finding::Short { .. }));
    Err(Error::Refused(match verdict.forbidden.first() {
        _ if verdict.rows != rows => format!("{rows} rows were written, {} read back", verdict.rows),
        Some((column, why)) => format!("column {column:?} {}", why.sentence()),
        None if !verdict.unrounded.is_empty() => {
            format!("column {:?} has ends that are not rounded", verdict.unrounded[0].0)
        }
        None if !verdict.hidden.is_empty() => {
            let hidden = &verdict.hidden[0];
            format!("the file {}", hidden.place.sentence(hidden.values))
        }
        None if verdict.miscounted > 0 => "a group states a wrong size".to_owned(),
        None => match short {
            Some(short) => format!("a group lacks {}", short.model),
            None => format!("the smallest group has size {}, k is {}", verdict.smallest, verdict.k),
        },
    }))
}

impl Anonymized {
    /// The policy that the release fulfils.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Where its random choices started from.
    pub fn seed(&self) -> u64 {
        self.options.seed
    }

    /// What came of it, in numbers that add up over the pieces of a table.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    pub(crate) fn release(&self) -> &Release {
        &self.release
    }

    /// The row of the table for every row of the release.
    pub(crate) fn released_rows(&self) -> &[u32] {
        &self.released
    }

    /// The release as a stranger reads it, whole, and what names in it stand for.
    pub(crate) fn read_whole(&self) -> Result<(Published, Lookup), Error> {
        let lookup = self.lookup.as_deref().map(read_lookup).transpose()?.flatten().unwrap_or_default();
        #[cfg(feature = "columnar")]
        let published = {
            let (schema, batches) = &self.batches;
            Published::from_batches(schema, batches, &self.policy, true, &self.options.reading())?
        };
        #[cfg(not(feature = "columnar"))]
        let published = read_back(&self.release, &self.policy, true, &self.options.reading())?;
        Ok((published.with_lookup(lookup.clone()), lookup))
    }

    /// The release as Arrow batches: those that the verifier passed.
    #[cfg(feature = "columnar")]
    pub fn batches(&self) -> (&arrow_schema::SchemaRef, &[arrow_array::RecordBatch]) {
        (&self.batches.0, &self.batches.1)
    }

    /// The group of every row of the table, as the release shows them; [`WITHHELD`](kinfold_model::judge::WITHHELD) for rows that are left out.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// The names of the columns of the release.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.release.names()
    }

    /// What is published of a row of the table that was anonymized, a cell for every column (none: a null); none
    /// if the row is withheld.
    pub fn published<'a>(&'a self, table: &'a Table, row: usize) -> Option<Vec<Option<&'a str>>> {
        let group = self.groups.get(row).copied().filter(|&group| group != WITHHELD)?;
        let own = |name: &str| {
            let column = table.column(name)?;
            let code = column.codes()[row];
            (!column.is_null(code)).then(|| column.text(code))
        };
        Some(self.release.row(group, own))
    }

    /// What names in the release stand for, as CSV: column, name, set. None unless [`Options::lookup`] asked
    /// for names. In form `codes` there always is one: the label of every group and its cells.
    pub fn lookup(&self) -> Option<&str> {
        self.lookup.as_deref()
    }

    /// What was learned from the table, if [`Options::keep_frame`] asked for it.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// Writes the release to a file, in the format that its name tells. It appears whole and verified, or not
    /// at all.
    pub fn save(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let format = FileFormat::of(path)?;
        let release = Some((Destination::file(path, &self.options.call)?, format));
        self.save_all(Files { release, ..Files::default() })
    }

    /// Writes several files. They get their names only after all are written and the release is verified.
    pub fn save_all(&mut self, files: Files) -> Result<(), Error> {
        self.stage(files)?.commit()
    }

    /// Writes several files and verifies the release; devices and pipes have their copies then, but no file has
    /// its name yet. Who has something to do that may fail, such as printing a summary, does it before
    /// [`Staged::commit`].
    pub fn stage(&mut self, mut files: Files) -> Result<Staged, Error> {
        if files.release.is_some() && files.lookup.is_none() {
            refuse_without_lookup(&self.policy)?;
        }
        if let Some((file, format)) = &mut files.release {
            self.write_verified(file, *format)?;
        }
        if let Some(file) = &mut files.groups {
            file.write(groups_file(self.groups()).as_bytes())?;
        }
        if let (Some(file), Some(lookup)) = (&mut files.lookup, &self.lookup) {
            file.write(lookup.as_bytes())?;
        }
        if let (Some(file), Some(frame)) = (&mut files.frame, &self.frame) {
            file.write(frame.to_json().as_bytes())?;
        }
        if let Some(report) = &mut files.report {
            report.write(files.release.as_ref().map(|(file, _)| file), self.release.rows())?;
        }
        let release = files.release.map(|(file, _)| file);
        let [page, figures] = files.report.map_or([None, None], |report| [Some(report.page), report.figures]);
        let [groups, frame] = [files.groups, files.frame].map(|file| file.map(Destination::private));
        let mut staged: Vec<_> =
            [release, groups, files.lookup, frame, page, figures].into_iter().flatten().collect();
        Destination::send_all(&mut staged)?;
        Ok(Staged(staged))
    }

    /// Writes the release in a format. Nothing is written unless the verifier passed those bytes.
    pub fn write(&mut self, out: &mut dyn Write, format: FileFormat) -> Result<(), Error> {
        let mut file = Destination::nowhere(&self.options.call)?;
        self.write_verified(&mut file, format)?;
        file.copy_to(out)
    }

    /// Writes the release, reads it back and has it verified: delimiter and encoding are those of the
    /// release.
    fn write_verified(&mut self, file: &mut Destination, format: FileFormat) -> Result<(), Error> {
        let call = &self.options.call;
        let mut clock = Clock::start();
        call.phase(Phase::Publishing)?;
        file.write_with(|out| format.write(&self.release, out))?;
        self.report.seconds.publish += clock.lap();
        call.phase(Phase::Verifying)?;
        let delimiter = format.delimiter(&self.release);
        let reading = ReadOptions { delimiter: Some(delimiter), ..self.options.reading() };
        let source = Source::from_file(file.reopened()?, file.name(), &reading)?;
        let published = looked_up(Published::read(source, &self.policy, false)?, self.lookup.as_deref())?;
        verified(&published, &self.policy, &self.release, &self.options)?;
        self.report.seconds.verify += clock.lap();
        self.report.seconds.add_up();
        Ok(())
    }
}
