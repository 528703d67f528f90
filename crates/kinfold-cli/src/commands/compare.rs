//! Several solvers on one table, side by side: what each loses, what it takes, and who is worth the time.

use super::Voice;
use crate::args::CompareArgs;
use crate::catalogue::solvers;
use crate::failure::Failure;
use crate::input;
use crate::output::{alone_on_stdout, commit_if, filled, open_chart};
use kinfold::model::{Objective, Phase, Source};
use kinfold::report::text;
use kinfold::{CompareOptions, SolveError, compare, keepable, read};

pub fn run(args: &CompareArgs, voice: &Voice) -> Result<(), Failure> {
    let call = &voice.call;
    let to_stdout = alone_on_stdout(args.chart.as_deref(), "the chart", voice.json)?;
    let mut options = CompareOptions::default();
    options.options = input::options(&args.solve, &args.read, call)?;
    options.catalogue = solvers();
    let named = args.solvers.iter().map(|name| options.catalogue.choice(name));
    options.solvers = named.collect::<Result<_, SolveError>>()?;
    options.efforts = args.efforts.clone();
    call.phase(Phase::Reading)?;
    let source = Source::open(&args.table, &input::read_options(&args.read, call))?;
    let draft = input::draft(&args.policy, None, &args.read)?;
    let inputs = [&args.table].into_iter().chain(&args.policy.policy).chain(draft.files());
    let chart = args.chart.as_deref().map(|path| open_chart(path, inputs, call)).transpose()?;
    // The k values that were typed; none: the policy's.
    let ks: Vec<Option<i64>> =
        if args.k.is_empty() { vec![None] } else { args.k.iter().map(|&k| Some(k)).collect() };
    let policies = ks
        .into_iter()
        .map(|k| Ok(input::draft(&args.policy, k, &args.read)?.settle_for(source.names())?))
        .collect::<Result<Vec<_>, Failure>>()?;
    let policy = &policies[0];
    let table = read(source, policy)?;
    if policy.objective == Objective::Columns {
        let ks: Vec<u64> =
            if args.k.is_empty() { Vec::new() } else { policies.iter().map(|p| p.k).collect() };
        let report = keepable(&table, policy, &ks, &options.options)?;
        voice.notes(&report.notes);
        return voice.result(&report, || text::keepable(&report));
    }
    let report = compare(&table, &policies, &options)?;
    voice.notes(&report.notes);
    let chart = chart.map(|chart| filled(chart, &report.chart())).transpose()?;
    voice.quiet_if(to_stdout).result(&report, || text::compare(&report))?;
    commit_if(chart)
}
