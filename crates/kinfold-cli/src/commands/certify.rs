//! How far a grouping can be from the best: proves it, writes the proof down, or checks one.

use super::Voice;
use crate::args::CertifyArgs;
use crate::catalogue::solvers;
use crate::failure::Failure;
use crate::output::{alone_on_stdout, commit_if, filled, open_if, refuse_reading};
use crate::{input, report};
use kinfold::model::{Phase, Policy, Source, Table};
use kinfold::report::{CertifyReport, CertifyVerdict, Facts, text};
use kinfold::{
    CertifyOptions, ReportFiles, Stopwatch, certifiable, certify, check_certificate, parse_groups, read,
};
use std::path::Path;

pub fn run(args: &CertifyArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    let target = args.certificate.as_deref();
    let to_stdout = alone_on_stdout(target, "the certificate", voice.json)?;
    let stopwatch = Stopwatch::start();
    let mut options = CertifyOptions::default();
    options.options = input::options(&args.solve, &args.read, call)?;
    options.options.solver = solvers().choice(&args.solver)?;
    options.improve = args.improve;
    call.phase(Phase::Reading)?;
    let source = Source::open(&args.table, &input::read_options(&args.read, call))?;
    let draft = input::draft(&args.policy, args.k, &args.read)?;
    let inputs = [&args.table].into_iter().chain(&args.policy.policy).chain(&args.groups);
    for input in inputs.chain(draft.files()) {
        refuse_reading(target, "the certificate", input)?;
    }
    let inputs =
        [&args.table].into_iter().chain(&args.policy.policy).chain(&args.groups).chain(draft.files());
    let wanted = report::wanted(&args.report, inputs.chain(&args.check), call)?;
    let policy = draft.settle_for(source.names())?;
    certifiable(&policy)?;
    let output = open_if(target, call)?;
    let table = read(source, &policy)?;
    if let Some(path) = &args.check {
        let certificate = input::text(path, "the certificate", &args.read)?;
        let mut report = check_certificate(&table, &policy, &certificate, &options.options)?;
        write_report(wanted, &report, &table, &policy, args)?;
        return say(&mut report, Some(path), &stopwatch, voice);
    }
    if let Some(path) = &args.groups {
        options.groups = Some(parse_groups(&input::text(path, "the groups file", &args.read)?)?);
    }
    let mut done = certify(&table, &policy, &options)?;
    write_report(wanted, &done.report, &table, &policy, args)?;
    let output = match (output, done.certificate()) {
        // It holds the group of every row.
        (Some(output), Some(certificate)) => Some(filled(output.private(), certificate)?),
        _ => None,
    };
    say(&mut done.report, target, &stopwatch, &voice.quiet_if(to_stdout))?;
    commit_if(output)
}

fn write_report(
    wanted: Option<ReportFiles>,
    proven: &CertifyReport,
    table: &Table,
    policy: &Policy,
    args: &CertifyArgs,
) -> Result<(), Failure> {
    if let Some(wanted) = wanted {
        let facts = Facts::of_certify(proven, table, policy, &report::options(&args.table, policy));
        wanted.save(&facts)?;
    }
    Ok(())
}

fn say(
    report: &mut CertifyReport,
    file: Option<&Path>,
    stopwatch: &Stopwatch,
    voice: &Voice,
) -> Result<(), Failure> {
    voice.notes(&report.notes);
    if let CertifyVerdict::Proven(proven) = &mut report.verdict {
        // Reading the table is part of it.
        let spent = stopwatch.spent();
        (proven.seconds, proven.cpu_seconds) = (spent.wall, spent.cpu);
    }
    voice.result(report, || text::certify(report, file))?;
    match report.verdict {
        CertifyVerdict::Refused { .. } => Err(Failure::NotSafe),
        _ => Ok(()),
    }
}
