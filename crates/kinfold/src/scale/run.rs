//! A table larger than memory on one machine: its rows wait in a temporary file, sorted into pieces.

use super::census::Census;
use super::figures::Figures;
use super::pairing::{Pairing, spooled};
use super::plan::{Piece, Pieces, Plan, refuse_unfit};
use crate::faults::Handle;
use crate::publish::Appender;
use crate::record::record;
use crate::report::{AnonymizeReport, Seconds};
use crate::stopwatch::Clock;
use crate::{Destination, Error, FileFormat, Files, Options, Staged, WriteError};
use kinfold_model::encode::learn_values;
use kinfold_model::table::{Chunks, Spool};
use kinfold_model::verify::verify_runs;
use kinfold_model::{Event, Finding, Form, Limits, Phase, Policy, ReadOptions, Role, Source, TableError};

/// So many rows are looked at together in a table of which so many bytes may be in memory, apart from the piece
/// that is worked on.
pub(crate) fn chunk_rows(limits: &Limits) -> usize {
    (limits.memory / 256).clamp(1 << 12, 1 << 18)
}

/// Anonymizes a table that `open` opens anew for every pass over it, piece by piece. Written are the release and
/// the frame, if `files` ask for them; they only lack their names. Nothing is written unless the verifier
/// passed the whole release.
pub fn anonymize_in_pieces(
    open: &dyn Fn() -> Result<Source, Error>,
    policy: &Policy,
    pieces: Pieces,
    options: &Options,
    files: Files,
) -> Result<(AnonymizeReport, Staged), Error> {
    in_pieces(open, policy, pieces, options, files, |_| {})
}

/// The same, with a look at each piece before it is written: tests plant faults in it.
fn in_pieces(
    open: &dyn Fn() -> Result<Source, Error>,
    policy: &Policy,
    pieces: Pieces,
    options: &Options,
    mut files: Files,
    seen: impl Fn(&mut Piece),
) -> Result<(AnonymizeReport, Staged), Error> {
    let call = &options.call;
    refuse_unfit(policy, options)?;
    refuse_files(&files)?;
    let (release, format) = match files.release {
        Some(release) => release,
        None => (Destination::nowhere(call)?, FileFormat::default()),
    };
    let mut clock = Clock::start();

    call.phase(Phase::Reading)?;
    let mut census = Census::new(policy);
    let rows = chunk_rows(&options.limits);
    let mut chunks = chunks(open, policy, rows)?;
    let mut first = None;
    while let Some(chunk) = chunks.next()? {
        call.check()?;
        census.add(&chunk, policy)?;
        first.get_or_insert(chunk);
    }
    let Some(like) = first else { return Err(Error::Table(TableError::HeaderOnly)) };
    let typed = like.columns().iter().any(|column| column.origin().is_some());
    refuse_types(policy, format, typed)?;
    let mut seconds = Seconds { read: Some(clock.lap()), ..Seconds::default() };
    call.phase(Phase::Encoding)?;
    let planned = Plan::new(&census, policy, pieces, options);
    let mut plan = planned.map_err(|error| in_the_file(error, open, policy, rows))?;
    drop(census);
    let mut spool = Spool::new(release.scratch()?, &like);
    let mut tallies = plan.tallies(policy);
    let mut chunks = self::chunks(open, policy, rows)?;
    while let Some(chunk) = chunks.next()? {
        call.check()?;
        let part_of = plan.parts_of(&chunk, policy, call)?;
        tallies.add(&chunk, &part_of, policy)?;
        spool.add(&chunk, &part_of).map_err(spooled)?;
    }
    plan.settle(tallies, policy)?;

    let number = plan.pieces();
    let time_limit = options.time_limit.map(|limit| limit / number.max(1));
    let own = Options { time_limit, ..options.clone() };
    let delimiter = format.delimiter(like.delimiter());
    let failed = |e: WriteError| Error::write(release.name(), e);
    let mut out = Appender::new(Handle(release.reopened()?), format, delimiter).map_err(failed)?;
    let mut figures = Figures::default();
    let piece_of = plan.piece_of().to_vec();
    let mut table_of = move |piece: u32| spool.read(|part| piece_of[part as usize] == piece);
    let mut pairing = Pairing::new(release.scratch()?);
    for piece in 0..number {
        call.tell(Event::Part(format!("piece {} of {number}", piece + 1)));
        let table = table_of(piece).map_err(spooled)?;
        seconds.encode += clock.lap();
        let mut done = plan.anonymize(&table, policy, &own)?;
        seen(&mut done);
        drop(table);
        figures.absorb(&done.figures);
        seconds.absorb(&done.seconds);
        clock.lap();
        out.append(&done.contents.release).map_err(failed)?;
        pairing.add(&done.contents).map_err(spooled)?;
        seconds.publish += clock.lap();
    }
    out.finish().map_err(failed)?;
    seconds.publish += clock.lap();

    call.phase(Phase::Verifying)?;
    let reading = ReadOptions { delimiter: Some(delimiter), ..options.reading() };
    let reopened = || Source::from_file(release.reopened()?, release.name(), &reading).map_err(Error::from);
    let mut truth = pairing.check(policy, &mut table_of).map_err(spooled)?;
    let mut verdict = verify_runs(reopened, policy, rows, |chunk| truth.check(chunk))?;
    figures.refuse_unsafe(&verdict)?;
    truth.finish()?;
    seconds.verify = clock.lap();
    // The judge has counted the persons of every group.
    verdict.decide_persons(Finding::Fulfilled);
    let mut report = figures.report(policy, &verdict);
    report.notes = plan.notes().iter().cloned().chain(options.solver.note()).collect();
    report.notes.extend(figures.notes(policy, &verdict));
    if let Some(file) = &mut files.frame {
        let bare = plan.frame().clone().with_distributions(Default::default());
        file.write(bare.to_json().as_bytes())?;
    }
    if let Some((file, command)) = &mut files.record {
        file.write(record(options, &report.solver, policy, Some(command)).as_bytes())?;
    }
    let staged = Files { release: Some((release, format)), ..files }.stage()?;
    seconds.report += clock.lap();
    seconds.add_up();
    report.seconds = seconds;
    Ok((report, staged))
}

fn chunks(open: &dyn Fn() -> Result<Source, Error>, policy: &Policy, rows: usize) -> Result<Chunks, Error> {
    let needed = |name: &str| policy.role(name).is_some_and(Role::needed);
    Ok(open()?.chunks(needed, rows)?)
}

/// Files that need all rows at once.
fn refuse_files(files: &Files) -> Result<(), Error> {
    let refused = [
        (files.groups.is_some(), "the groups file", "the groups are known to their pieces alone"),
        (
            files.mapping.is_some(),
            "a mapping",
            "which columns are coded once is known of the whole table only",
        ),
        (files.lookup.is_some(), "a lookup file", "pieces would give different names to one set"),
        (files.report.is_some(), "the report", "risk before and after needs the table as a whole"),
    ];
    let told = |file, why| format!("{file} cannot be written for a table in pieces: {why}");
    Error::refuse(refused.map(|(asked, file, why)| (asked, told(file, why), "leave it out")))
}

/// A column of Parquet or Arrow has one type: where it is worked out from what is published, all pieces would
/// have to be known before the first is written.
fn refuse_types(policy: &Policy, format: FileFormat, typed: bool) -> Result<(), Error> {
    let worked_out = policy.form == Form::Midpoint || policy.form == Form::Bounds && !typed;
    if worked_out && !matches!(format, FileFormat::Csv { .. }) {
        let what = format!(
            "in pieces, form {} can only be written as text: the type of its numbers is not known before the end",
            policy.form.word()
        );
        return Err(Error::unsuitable(what, "write .csv or .csv.gz, or use form ranges"));
    }
    Ok(())
}

/// The same mistake told by the rows of the file, where some rows alone show it.
fn in_the_file(
    error: Error,
    open: &dyn Fn() -> Result<Source, Error>,
    policy: &Policy,
    rows: usize,
) -> Error {
    if !matches!(error, Error::Policy(_)) {
        return error;
    }
    let told = || -> Result<Option<Error>, Error> {
        let mut chunks = chunks(open, policy, rows)?;
        while let Some(chunk) = chunks.next()? {
            if let Err(own) = learn_values(&chunk, policy, &Default::default()) {
                return Ok(Some(Error::from(own).in_policy(policy)));
            }
        }
        Ok(None)
    };
    told().ok().flatten().unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anonymizes 40 rows in 4 pieces, with a fault in each piece; nothing but the release may be in the folder.
    fn released(fault: impl Fn(&mut Piece)) -> Result<AnonymizeReport, Error> {
        let rows = (0..40).map(|row| format!("{},{}\n", row * 3, ["flu", "cold"][row % 2]));
        let bytes = format!("age,ill\n{}", rows.collect::<String>()).into_bytes();
        let open = || Ok(Source::from_bytes(bytes.clone(), &ReadOptions::default())?);
        let toml = "k = 2\n[columns]\nage = { role = 'quasi', kind = 'numeric' }\nill = 'sensitive'\n";
        let policy = Policy::parse(toml).for_table(&open()?.read(|_| true)?)?;
        let (folder, options) = (tempfile::tempdir().unwrap(), Options::default());
        let path = folder.path().join("release.csv");
        let release = Some((Destination::file(&path, &options.call)?, FileFormat::of(&path)?));
        let files = Files { release, ..Files::default() };
        let done = in_pieces(&open, &policy, Pieces::Number(4), &options, files, fault)
            .and_then(|(report, staged)| staged.commit().map(|()| report));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), usize::from(done.is_ok()));
        done
    }

    #[test]
    fn nothing_untrue_gets_its_name_in_pieces() {
        assert_eq!(released(|_| {}).unwrap().pieces, Some(4));
        let told = |fault: fn(&mut Piece)| match released(fault) {
            Err(Error::Refused(why)) => why,
            other => panic!("{other:?}"),
        };
        let cell = "a cell of column \"age\" is not true of its row";
        assert_eq!(told(|piece| piece.contents.release.falsify("age", "[200-210]")), cell);
        let mispaired = |piece: &mut Piece| {
            let mut rows = piece.contents.rows.to_vec();
            rows.reverse();
            piece.contents.rows = rows.into();
        };
        assert_eq!(told(mispaired), cell);
        assert_eq!(told(|piece| piece.contents.withheld = 1), "0 rows are withheld, 1 were said to be");
    }
}
