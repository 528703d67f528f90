//! What other settings would cost.

use super::Voice;
use crate::args::WhatIfArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, commit_if, filled, open_chart};
use kinfold::model::{Phase, Source};
use kinfold::report::text;
use kinfold::{Options, read, whatif};

pub fn run(args: &WhatIfArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    let to_stdout = alone_on_stdout(args.chart.as_deref(), "the chart", voice.json)?;
    let reading = input::read_options(&args.read, call);
    let mut options = Options::default();
    (options.effort, options.seed) = (args.effort, args.seed);
    (options.limits, options.call) = (reading.limits, call.clone());
    options.time_limit = Some(args.time_limit);
    call.phase(Phase::Reading)?;
    let source = Source::open(&args.table, &reading)?;
    let draft = input::draft(&args.policy, args.k, &args.read)?;
    let inputs = [&args.table].into_iter().chain(&args.policy.policy).chain(draft.files());
    let chart = args.chart.as_deref().map(|path| open_chart(path, inputs, call)).transpose()?;
    let policy = draft.settle_for(source.names())?;
    let table = read(source, &policy)?;
    let report = whatif(&table, &policy, &options)?;
    let chart = chart.map(|chart| filled(chart, &report.chart())).transpose()?;
    voice.quiet_if(to_stdout).result(&report, || text::whatif(&report))?;
    commit_if(chart)
}
