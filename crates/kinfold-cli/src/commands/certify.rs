//! How far a grouping can be from the best: proves it, writes the proof down, or checks one.

use super::Voice;
use super::anonymize::{bound_sentence, loss_sentence};
use crate::args::CertifyArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{Output, alone_on_stdout, refuse_reading};
use crate::progress;
use crate::screen::{BAD, FAINT, GOOD, STRONG, count, seconds};
use crate::stopwatch::{Spent, Stopwatch};
use kinfold::bounds::{NoBound, Strength, find_prices, judge_prices, supports, supports_objective};
use kinfold::model::certificate::Certificate;
use kinfold::model::encode::encode;
use kinfold::model::judge::{Found, Solution, WITHHELD, judge};
use kinfold::model::problem::Problem;
use kinfold::model::table::Source;
use kinfold::solvers::polish::{Polishing, improve};
use kinfold::{Choice, Run, solve};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

/// Comparisons allowed for checking a certificate: some minutes.
const WORK: u64 = 20_000_000_000;

pub fn run(args: &CertifyArgs, voice: Voice) -> Result<(), Failure> {
    let target = args.certificate.as_deref();
    let to_stdout = alone_on_stdout(target, "the certificate", voice.json)?;
    let choice = Choice::parse(&args.solver)?;
    let stopwatch = Stopwatch::start();
    progress::phase("reading");
    let source = Source::open(&args.table, &input::read_options(&args.read))?;
    let draft = input::draft(&args.policy, args.k)?;
    let read = [&args.table].into_iter().chain(&args.policy.policy).chain(&args.groups);
    for input in read.chain(draft.files()) {
        refuse_reading(target, "the certificate", input)?;
    }
    let file = draft.file();
    let policy = draft.settle_for(source.names())?;
    supports_objective(policy.objective).map_err(|why| {
        Failure::usage(why.to_string(), "anonymize reports the bound that its solver proves, if any")
    })?;
    let output = target.map(|path| Output::create(Some(path))).transpose()?;
    let table = source.read(|name| policy.role(name).is_some_and(|r| r.needed()))?;
    let encoded = encode(&table, &policy).map_err(|e| Failure::from(e).in_file(&file))?;
    encoded.notes.iter().for_each(|n| voice.note(n));
    let problem = &encoded.problem;
    let run = input::run(&args.solve);
    if let Some(path) = &args.check {
        return check(path, problem, &run, voice, &stopwatch);
    }

    supports(problem).map_err(NoBound::from)?;
    progress::phase("grouping");
    let (mut solution, solver) = match &args.groups {
        Some(path) => (judged(problem, read_groups(path)?)?, "groups file".to_owned()),
        None => {
            let outcome = solve(problem, &choice, &run.one_part_of(3))?;
            (outcome.solution, outcome.solver)
        }
    };
    progress::phase("proving");
    // Grouping may take a third of the time, and improving half of what is left.
    let proving = if args.improve { run.one_part_of(2) } else { run.clone() };
    let prices = find_prices(problem, &solution, Strength::Lp, &proving)?;
    if let (true, Some(prices)) = (args.improve, &prices) {
        progress::phase("improving");
        match improve(problem, &solution, prices, &run) {
            Ok(found) => {
                let better = judge(problem, found).ok().filter(|after| after.cost() < solution.cost());
                if let Some(mut better) = better {
                    // A bound holds for the table, whatever the grouping.
                    solution.bound().cost().into_iter().for_each(|bound| better.claim(problem, bound));
                    solution = better;
                }
            }
            Err(Polishing::Unsupported(why)) => voice.note(&format!("not improved: {why}")),
            Err(_) => return Err(Failure::Stopped),
        }
    }
    if let Some(prices) = &prices {
        progress::phase("checking");
        judge_prices(problem, &mut solution, prices, Strength::Lp, &run)?;
    }
    if let (Some(mut output), Some(prices)) = (output, prices) {
        let text = Certificate::new(problem, &solution, prices).write();
        output.write(|out| Ok(out.write_all(text.as_bytes())?))?;
        output.commit()?;
    }
    progress::finish();
    let report = Report { problem, solution: &solution, solver: Some(&solver), spent: stopwatch.spent() };
    let voice = Voice { quiet: voice.quiet || to_stdout, ..voice };
    voice.result(|| report.json(), || report.text(target))
}

fn check(
    path: &Path,
    problem: &Problem,
    run: &Run,
    voice: Voice,
    stopwatch: &Stopwatch,
) -> Result<(), Failure> {
    progress::phase("checking");
    let text = read_text(path, "the certificate")?;
    let certificate = Certificate::read(&text).map_err(|e| {
        Failure::usage(
            format!("cannot read {}: {e}", path.display()),
            "is it what certify --certificate wrote?",
        )
    })?;
    let checked = run.in_pool(|| certificate.check(problem, WORK));
    progress::finish();
    match checked {
        Ok(solution) => {
            let report = Report { problem, solution: &solution, solver: None, spent: stopwatch.spent() };
            voice.result(|| report.json(), || report.text(Some(path)))
        }
        Err(refused) => {
            voice.result(
                || json!({ "checked": false, "why": refused.to_string() }),
                || format!("{BAD}refused{BAD:#}  {}\n  {refused}\n", path.display()),
            )?;
            Err(Failure::NotSafe)
        }
    }
}

fn judged(problem: &Problem, group_of: Vec<u32>) -> Result<Solution, Failure> {
    judge(problem, Found::plain(group_of)).map_err(|broken| {
        Failure::usage(
            format!("the groups file is no release of this table: {broken}"),
            "was it made for this table and policy?",
        )
    })
}

/// A groups file: a title, then a group number per row; an empty text is a withheld row.
fn read_groups(path: &Path) -> Result<Vec<u32>, Failure> {
    let text = read_text(path, "the groups file")?;
    let mut groups = Vec::new();
    for (at, line) in text.lines().enumerate().skip(1) {
        groups.push(match line.trim() {
            "\"\"" | "" => WITHHELD,
            number => number.parse().map_err(|_| {
                Failure::usage(
                    format!("line {} of the groups file is no group number", at + 1),
                    "use what anonymize --groups wrote",
                )
            })?,
        });
    }
    Ok(groups)
}

fn read_text(path: &Path, what: &str) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|e| Failure::usage(format!("cannot read {what} {}: {e}", path.display()), "check the path"))
}

struct Report<'a> {
    problem: &'a Problem,
    solution: &'a Solution,
    solver: Option<&'a str>,
    spent: Spent,
}

impl Report<'_> {
    fn json(&self) -> Value {
        let Self { problem, solution, solver, spent } = self;
        let checked = solution.bound().word() == "checked";
        json!({
            "checked": checked,
            "rows": problem.rows(),
            "k": problem.k(),
            "groups": solution.groups(),
            "loss": solution.cost().cells(),
            "average_loss": solution.average_loss(problem),
            "bound": solution.bound().cost().map(|bound| bound.cells()),
            "gap": solution.gap(),
            "bound_kind": solution.bound().word(),
            "solver": solver,
            "seconds": spent.wall,
            "cpu_seconds": spent.cpu,
        })
    }

    fn text(&self, file: Option<&Path>) -> String {
        let Self { problem, solution, solver, spent } = self;
        let headline = match solution.bound().word() {
            "checked" => format!("{GOOD}checked{GOOD:#}"),
            word => word.to_owned(),
        };
        let name = file.map(|f| format!("  {STRONG}{}{STRONG:#}", f.display())).unwrap_or_default();
        let by = solver.map(|s| format!(", by {s}")).unwrap_or_default();
        let sentence = bound_sentence(problem, solution).unwrap_or_default();
        format!(
            "{headline}{name}\n\n  {} in {} (k = {})\n  {}{by}\n  {sentence}\n  \
             {FAINT}{}{FAINT:#}\n",
            count(problem.rows(), "row", "rows"),
            count(solution.groups(), "group", "groups"),
            problem.k(),
            loss_sentence(problem, solution),
            seconds(spent.wall),
        )
    }
}
