//! How large the largest group of labels is for every k.

use super::Voice;
use crate::args::PlotLabelsArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, commit_if, filled, open_chart};
use kinfold::model::{Phase, Source};
use kinfold::report::text;
use kinfold::{LabelPlotOptions, Options, plot_labels, read};

pub fn run(args: &PlotLabelsArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    let to_stdout = alone_on_stdout(Some(&args.output), "the chart", voice.json)?;
    call.phase(Phase::Reading)?;
    let source = Source::open(&args.table, &input::read_options(&args.read, call))?;
    // Every k is drawn, so that of a policy does not matter.
    let draft = input::draft(&args.policy, Some(2), &args.read)?;
    let inputs = [&args.table].into_iter().chain(&args.policy.policy).chain(draft.files());
    let chart = open_chart(&args.output, inputs, call)?;
    let policy = draft.settle_for(source.names())?;
    let table = read(source, &policy)?;
    let mut plot = LabelPlotOptions::default();
    (plot.from, plot.to, plot.steps) = (args.from, args.to, args.steps);
    let mut options = Options::default();
    (options.seed, options.threads, options.call) = (args.seed, args.threads.map(usize::from), call.clone());
    let mut report = plot_labels(&table, &policy, plot, &options)?;
    report.output = Some(args.output.display().to_string());
    voice.notes(&report.notes);
    let chart = filled(chart, &report.chart())?;
    voice.quiet_if(to_stdout).result(&report, || text::plot_labels(&report))?;
    commit_if(Some(chart))
}
