//! Table in, verified release out.

use super::Voice;
use crate::args::AnonymizeArgs;
use crate::catalogue::solvers;
use crate::failure::Failure;
use crate::output::{alone_on_stdout, is_stdio, open, open_if, refuse_reading, refuse_sharing};
use crate::{input, report};
use kinfold::model::call::Phase;
use kinfold::model::policy::Policy;
use kinfold::model::table::{Source, TableError};
use kinfold::report::AnonymizeReport;
use kinfold::report::text::{self, STRONG};
use kinfold::scale::{Pieces, anonymize_in_pieces};
use kinfold::{Error, FileFormat, Files, Options, RiskOptions, Stopwatch, anonymize, read_linked};
use std::path::{Path, PathBuf};

pub fn run(args: &AnonymizeArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    let output = args.output.as_deref();
    let mut to_stdout = false;
    for (path, what) in outputs(args) {
        to_stdout |= alone_on_stdout(path, what, voice.json)?;
    }
    let stopwatch = Stopwatch::start();
    let mut options = input::options(&args.solve, &args.read, call)?;
    options.solver = solvers().choice(&args.solver)?;
    options.bound = args.bound;
    (options.keep_order, options.lookup) = (args.keep_order, args.lookup.is_some());
    options.using = args.using.as_deref().map(|path| input::frame(path, &args.read)).transpose()?;
    options.keep_frame = args.frame.is_some();

    call.phase(Phase::Reading)?;
    let source = Source::open(&args.table, &input::read_options(&args.read, call))?;
    let draft = input::draft(&args.policy, args.k, &args.read)?;
    refuse_overwriting(args, draft.files())?;
    refuse_replacing(args)?;
    let inputs = inputs(args).chain(draft.files());
    let wanted = report::wanted(&args.report, inputs, call)?;
    let policy = draft.settle_for(source.names())?;
    RiskOptions::of(&policy).check()?;
    options.after = input::earlier(&args.after, &args.after_groups, &policy, &args.read, call)?;
    (options.refuse, options.new_people) = (args.refuse, args.new_people);
    // Whatever is wrong with a name is said before any work is done.
    let mut files = Files::default();
    if let Some(path) = output {
        let format = if is_stdio(path) { FileFormat::default() } else { FileFormat::of(path)? };
        files.release = Some((open(path, call)?, format));
    }
    files.groups = open_if(args.groups.as_deref(), call)?;
    files.lookup = open_if(args.lookup.as_deref(), call)?;
    files.mapping = open_if(args.mapping.as_deref(), call)?;
    files.frame = open_if(args.frame.as_deref(), call)?;
    files.record = open_if(args.record.as_deref(), call)?.map(|file| (file, report::typed()));
    files.refuse_without_lookup(&policy)?;

    if let Some(number) = args.pieces {
        let pieces = Pieces::Number(number as usize);
        return in_pieces(args, voice, &policy, &options, files, pieces, to_stdout);
    }
    let table = match read_linked(source, &policy, &options.after) {
        Err(Error::Table(too_large @ TableError::TooLarge { .. })) if !is_stdio(&args.table) => {
            let pieces = Pieces::within(args.read.max_memory);
            let done = in_pieces(args, voice, &policy, &options, files, pieces, to_stdout);
            // What pieces cannot do needs more memory.
            return done.map_err(|failure| match failure {
                Failure::Usage { .. } | Failure::Library(Error::Unsuitable { .. }) => too_large.into(),
                failure => failure,
            });
        }
        read => read?,
    };
    let read_seconds = stopwatch.spent().wall;
    if let Some(wanted) = wanted {
        files.report = Some((wanted, report::options(&args.table, &policy)));
    }
    let mut grouped = anonymize(&table, &policy, &options)?;
    grouped.seconds.read = Some(read_seconds);
    let (done, staged) = grouped.stage(files)?;
    voice.notes(&done.report.notes);
    // A summary that cannot be printed leaves no files.
    voice.quiet_if(to_stdout).result(&done.report, || in_words(&done.report, output))?;
    Ok(staged.commit()?)
}

/// A release that was written, or not, with what the command can do about it.
fn in_words(report: &AnonymizeReport, output: Option<&Path>) -> String {
    let about = match output {
        Some(path) => format!("  {STRONG}{}{STRONG:#}", path.display()),
        None => "  nothing written (use -o RELEASE to write the release)".to_owned(),
    };
    let mut text = text::anonymize(report, &about);
    if report.ranges && output.is_some() {
        text += "  to compute with ranges, publish them as numbers: --form bounds or midpoint\n";
    }
    text
}

/// A table that is larger than memory, or is to be treated so.
fn in_pieces(
    args: &AnonymizeArgs,
    voice: &Voice,
    policy: &Policy,
    options: &Options,
    files: Files,
    pieces: Pieces,
    to_stdout: bool,
) -> Result<(), Failure> {
    if is_stdio(&args.table) {
        return Err(Failure::usage(
            "a table in pieces is read twice, and standard input can be read only once",
            "write it to a file first, and name that",
        ));
    }
    if args.report.report.is_some() {
        return Err(Failure::usage(
            "a report needs the table as a whole: risk before and after is counted over all rows",
            "leave out --report, or --pieces",
        ));
    }
    let reading = input::read_options(&args.read, &voice.call);
    let open = || Ok(Source::open(&args.table, &reading)?);
    let (report, staged) = anonymize_in_pieces(&open, policy, pieces, options, files)?;
    voice.notes(&report.notes);
    voice.quiet_if(to_stdout).result(&report, || in_words(&report, args.output.as_deref()))?;
    Ok(staged.commit()?)
}

/// A release is the work of somebody: it is replaced only if that was asked for.
fn refuse_replacing(args: &AnonymizeArgs) -> Result<(), Failure> {
    let reports = report::paths(&args.report);
    let written = outputs(args).into_iter().filter_map(|(path, _)| path);
    let mut written = written.chain(reports.iter().map(PathBuf::as_path));
    match written.find(|path| !args.force && !is_stdio(path) && path.is_file()) {
        Some(path) => Err(Failure::usage(
            format!("{} exists already", path.display()),
            "choose another name, or replace it with --force",
        )),
        None => Ok(()),
    }
}

/// The files that are read, whatever the policy says.
fn inputs(args: &AnonymizeArgs) -> impl Iterator<Item = &PathBuf> + Clone {
    [&args.table].into_iter().chain(&args.policy.policy).chain(&args.after).chain(&args.after_groups)
}

/// The files that are written, but for reports.
fn outputs(args: &AnonymizeArgs) -> [(Option<&Path>, &'static str); 6] {
    [
        (args.output.as_deref(), "the release"),
        (args.groups.as_deref(), "the groups file"),
        (args.lookup.as_deref(), "the lookup file"),
        (args.mapping.as_deref(), "the mapping"),
        (args.frame.as_deref(), "the frame"),
        (args.record.as_deref(), "the run record"),
    ]
}

/// No file that is written may be one that is read, or another that is written.
fn refuse_overwriting(args: &AnonymizeArgs, hierarchies: &[PathBuf]) -> Result<(), Failure> {
    let written = outputs(args);
    for input in inputs(args).chain(&args.using).chain(hierarchies) {
        for (path, what) in written {
            refuse_reading(path, what, input)?;
        }
    }
    let reports = report::paths(&args.report);
    let written: Vec<_> =
        written.into_iter().chain(reports.iter().map(|path| (Some(path.as_path()), "the report"))).collect();
    for (i, (one, what)) in written.iter().enumerate() {
        for (other, also) in &written[i + 1..] {
            let both = format!("{what} and {also}");
            refuse_sharing(*one, *other, &both)?;
        }
    }
    Ok(())
}
