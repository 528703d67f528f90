//! Several solvers on one table, side by side.

use super::Voice;
use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::input;
use crate::progress;
use crate::screen::{Align, FAINT, GOOD, count, loss, seconds, table};
use crate::stopwatch::{Spent, Stopwatch};
use kinfold::model::encode::encode;
use kinfold::model::table::Source;
use kinfold::solvers::SOLVERS;
use kinfold::{Choice, SolveError, solve};
use serde_json::{Value, json};

/// What one solver did for one k.
struct Row {
    k: u64,
    solver: String,
    average_loss: f64,
    loss: f64,
    groups: usize,
    largest: u64,
    spent: Spent,
}

pub fn run(args: &CompareArgs, voice: Voice) -> Result<(), Failure> {
    let choices: Vec<Choice> = if args.solvers.is_empty() {
        SOLVERS.iter().map(|s| Choice::parse(s.card().key)).collect::<Result<_, _>>()?
    } else {
        args.solvers.iter().map(|s| Choice::parse(s)).collect::<Result<_, _>>()?
    };
    progress::phase("reading");
    let source = Source::open(&args.table, &input::read_options(&args.read))?;
    let names = source.names().to_vec();
    let file = input::draft(&args.policy, None)?.file();
    let policies = ks(args)
        .into_iter()
        .map(|k| Ok(input::draft(&args.policy, k)?.settle_for(&names)?))
        .collect::<Result<Vec<_>, Failure>>()?;
    let read = source.read(|name| policies[0].role(name).is_some_and(|r| r.published()))?;
    let mut rows = Vec::new();
    for policy in &policies {
        let encoded = encode(&read, policy).map_err(|e| Failure::from(e).in_file(&file))?;
        if rows.is_empty() {
            encoded.notes.iter().for_each(|n| voice.note(n));
        }
        for choice in &choices {
            progress::phase(&format!("k = {}, {choice}", policy.k));
            let stopwatch = Stopwatch::start();
            let outcome = match solve(&encoded.problem, choice, &input::run(&args.solve)) {
                Err(SolveError::Unsupported(why)) => {
                    voice.note(&format!("k = {}: {why}", policy.k));
                    continue;
                }
                other => other?,
            };
            let spent = stopwatch.spent();
            rows.push(Row {
                k: policy.k,
                solver: match choice {
                    Choice::Auto => format!("auto ({})", outcome.solver),
                    named => named.to_string(),
                },
                average_loss: outcome.solution.average_loss(&encoded.problem),
                loss: outcome.solution.cost().cells(),
                groups: outcome.solution.groups(),
                largest: outcome.solution.largest(),
                spent,
            });
        }
    }
    progress::finish();
    voice.result(|| summary(&rows), || report(&rows, read.rows()))
}

/// The k values that were typed; none: the policy's.
fn ks(args: &CompareArgs) -> Vec<Option<i64>> {
    if args.k.is_empty() { vec![None] } else { args.k.iter().map(|&k| Some(k)).collect() }
}

fn summary(rows: &[Row]) -> Value {
    rows.iter()
        .map(|r| {
            json!({
                "k": r.k, "solver": r.solver, "average_loss": r.average_loss, "loss": r.loss,
                "groups": r.groups, "largest_group": r.largest, "seconds": r.spent.wall,
                "cpu_seconds": r.spent.cpu,
            })
        })
        .collect()
}

const BAR: usize = 30;

fn report(rows: &[Row], table_rows: usize) -> String {
    use Align::{Left, Right};
    let mut text = format!("{}\n", count(table_rows, "row", "rows"));
    let mut ks: Vec<u64> = rows.iter().map(|r| r.k).collect();
    ks.dedup();
    for k in ks {
        let these: Vec<&Row> = rows.iter().filter(|r| r.k == k).collect();
        let worst = these.iter().map(|r| r.average_loss).fold(f64::MIN_POSITIVE, f64::max);
        let best = these.iter().map(|r| r.average_loss).fold(f64::INFINITY, f64::min);
        let mut lines = vec![
            [
                format!("k = {k}"),
                "loss".into(),
                String::new(),
                "× best".into(),
                "time".into(),
                "CPU".into(),
                "groups".into(),
                "largest".into(),
            ]
            .to_vec(),
        ];
        for row in these {
            let length = ((row.average_loss / worst) * BAR as f64).round() as usize;
            let bar = "█".repeat(length.max(usize::from(row.average_loss > 0.0)));
            let style = if row.average_loss == best { GOOD } else { FAINT };
            lines.push(vec![
                row.solver.clone(),
                loss(row.average_loss),
                format!("{style}{bar}{style:#}"),
                if best > 0.0 { format!("{:.3}", row.average_loss / best) } else { "–".into() },
                seconds(row.spent.wall),
                row.spent.cpu.map_or("–".into(), seconds),
                row.groups.to_string(),
                row.largest.to_string(),
            ]);
        }
        text.push('\n');
        text.push_str(&table(&[Left, Right, Left, Right, Right, Right, Right, Right], &lines));
    }
    text
}
