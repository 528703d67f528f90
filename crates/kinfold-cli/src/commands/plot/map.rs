//! A map of a release, drawn from its bytes.

use super::Voice;
use crate::args::PlotMapArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, commit_if, filled, open_chart};
use kinfold::model::{Phase, Source};
use kinfold::report::text;
use kinfold::{MapPlotOptions, Outline, plot_map, point_columns, read_release};
use std::path::Path;

pub fn run(args: &PlotMapArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    let to_stdout = alone_on_stdout(Some(&args.output), "the map", voice.json)?;
    let draft = input::draft(&args.policy, args.k, &args.read)?;
    let inputs = [&args.release].into_iter().chain(&args.policy.policy).chain(draft.files());
    let chart = open_chart(
        &args.output,
        inputs.chain(&args.lookup).chain(&args.original).chain(&args.outline),
        call,
    )?;
    let policy = draft.settle()?;
    call.phase(Phase::Reading)?;
    let reading = input::read_options(&args.read, call);
    let mut published = read_release(Source::open(&args.release, &reading)?, &policy, false)?;
    if let Some(path) = &args.lookup {
        published = published.with_lookup(input::lookup(path, &args.read)?);
    }
    let original = args.original.as_ref().map(|path| {
        let pair = point_columns(&policy).unwrap_or_default();
        Source::open(path, &reading)?.read(|name| pair.iter().any(|n| n == name))
    });
    let original = original.transpose()?;
    let mut options = MapPlotOptions::default();
    options.original = original.as_ref();
    options.outline = args.outline.as_deref().map(outline).transpose()?;
    let mut report = plot_map(&published, &policy, options)?;
    report.output = Some(args.output.display().to_string());
    voice.notes(&report.notes);
    let chart = filled(chart, &report.chart)?;
    voice.quiet_if(to_stdout).result(&report, || text::plot_map(&report))?;
    commit_if(Some(chart))
}

fn outline(path: &Path) -> Result<Outline, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        Failure::usage(format!("cannot read {}: {e}", path.display()), "check the path of the outline")
    })?;
    Ok(Outline::parse(&text)?)
}
