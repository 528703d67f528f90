//! Several solvers on one table, side by side: what each loses, what it takes, and who is worth the time.

use super::{Voice, keepable};
use crate::args::CompareArgs;
use crate::catalogue::solvers;
use crate::chart::scatter::{self, Dot, Panel};
use crate::failure::Failure;
use crate::frontier::{Point, frontier};
use crate::input;
use crate::output::{alone_on_stdout, open_chart};
use crate::progress;
use crate::screen::{Align, FAINT, GOOD, count, loss, seconds, table};
use crate::stopwatch::{Spent, Stopwatch};
use kinfold::model::cost::Objective;
use kinfold::model::encode::encode;
use kinfold::model::problem::Problem;
use kinfold::model::table::Source;
use kinfold::{Choice, Effort, Run, SolveError, solve};
use serde_json::{Value, json};
use std::io::Write as _;

/// A solver to compare, with an effort if its answer depends on it.
struct Entry {
    choice: Choice,
    effort: Option<Effort>,
}

/// What one solver did for one k.
struct Row {
    k: u64,
    solver: String,
    effort: Option<Effort>,
    average_loss: f64,
    loss: f64,
    groups: usize,
    largest: u64,
    average_class_size: f64,
    discernibility: u128,
    spent: Spent,
    on_frontier: bool,
}

pub fn run(args: &CompareArgs, voice: Voice) -> Result<(), Failure> {
    let to_stdout = alone_on_stdout(args.chart.as_deref(), "the chart", voice.json)?;
    let entries = entries(args)?;
    progress::phase("reading");
    let source = Source::open(&args.table, &input::read_options(&args.read))?;
    let names = source.names().to_vec();
    let draft = input::draft(&args.policy, None)?;
    let inputs = [&args.table].into_iter().chain(&args.policy.policy).chain(draft.files());
    let chart = args.chart.as_deref().map(|path| open_chart(path, inputs)).transpose()?;
    let file = draft.file();
    let policies = ks(args)
        .into_iter()
        .map(|k| Ok(input::draft(&args.policy, k)?.settle_for(&names)?))
        .collect::<Result<Vec<_>, Failure>>()?;
    let read = source.read(|name| policies[0].role(name).is_some_and(|r| r.needed()))?;
    let mut by_k: Vec<Vec<Row>> = Vec::new();
    if policies[0].objective == Objective::Columns {
        let encoded = encode(&read, &policies[0]).map_err(|e| Failure::from(e).in_file(&file))?;
        encoded.notes.iter().for_each(|n| voice.note(n));
        let ks: Vec<u64> =
            if args.k.is_empty() { Vec::new() } else { policies.iter().map(|p| p.k).collect() };
        return keepable::run(&read, &encoded, &ks, &input::run(&args.solve), voice);
    }
    for policy in &policies {
        let encoded = encode(&read, policy).map_err(|e| Failure::from(e).in_file(&file))?;
        if by_k.is_empty() {
            encoded.notes.iter().for_each(|n| voice.note(n));
        }
        let mut rows = Vec::new();
        // Who was not asked for by name is not told why it declines the objective.
        let minimises = |entry: &&Entry| !args.solvers.is_empty() || entry.minimises(policy.objective);
        for entry in entries.iter().filter(minimises) {
            progress::phase(&format!("k = {}, {}", policy.k, name(&entry.choice.to_string(), entry.effort)));
            match entry.solve(&encoded.problem, input::run(&args.solve)) {
                Err(SolveError::Unsupported(why)) => voice.note(&format!("k = {}: {why}", policy.k)),
                other => rows.push(other?),
            }
        }
        mark_frontier(&mut rows);
        by_k.push(rows);
    }
    by_k.retain(|rows| !rows.is_empty());
    progress::finish();
    if let Some(mut chart) = chart {
        chart.write(|file| Ok(file.write_all(picture(&by_k, read.rows()).as_bytes())?))?;
        chart.commit()?;
    }
    let voice = Voice { quiet: voice.quiet || to_stdout, ..voice };
    voice.result(|| by_k.iter().flatten().map(Row::summary).collect(), || report(&by_k, read.rows()))
}

/// Every solver that is wanted, once per effort where that makes a difference.
fn entries(args: &CompareArgs) -> Result<Vec<Entry>, Failure> {
    let wanted: Vec<&str> = if args.solvers.is_empty() {
        let in_time = |slow: bool| !slow || args.solve.time_limit.is_some();
        solvers().cards().filter(|c| in_time(c.slow)).map(|c| c.key).collect()
    } else {
        args.solvers.iter().map(String::as_str).collect()
    };
    let mut efforts: Vec<Effort> = Vec::new();
    let typed =
        if args.efforts.is_empty() { std::slice::from_ref(&args.solve.effort) } else { &args.efforts };
    for &effort in typed {
        if !efforts.contains(&effort.into()) {
            efforts.push(effort.into());
        }
    }
    let mut entries = Vec::new();
    for wanted in wanted {
        let choice = solvers().choice(wanted)?;
        if choice.uses_effort() {
            entries.extend(efforts.iter().map(|&e| Entry { choice: choice.clone(), effort: Some(e) }));
        } else {
            entries.push(Entry { choice, effort: None });
        }
    }
    Ok(entries)
}

/// The k values that were typed; none: the policy's.
fn ks(args: &CompareArgs) -> Vec<Option<i64>> {
    if args.k.is_empty() { vec![None] } else { args.k.iter().map(|&k| Some(k)).collect() }
}

impl Entry {
    fn minimises(&self, objective: Objective) -> bool {
        self.choice.card().objectives.contains(&objective)
    }

    fn solve(&self, problem: &Problem, run: Run) -> Result<Row, SolveError> {
        let run = Run { effort: self.effort.unwrap_or(run.effort), ..run };
        let stopwatch = Stopwatch::start();
        let outcome = solve(problem, &self.choice, &run)?;
        let spent = stopwatch.spent();
        Ok(Row {
            k: problem.k(),
            solver: match &self.choice {
                Choice::Auto => format!("auto ({})", outcome.solver),
                named => named.to_string(),
            },
            effort: self.effort,
            average_loss: outcome.solution.average_loss(problem),
            loss: outcome.solution.cost().cells(),
            groups: outcome.solution.groups(),
            largest: outcome.solution.largest(),
            average_class_size: outcome.solution.average_class_size(problem),
            discernibility: outcome.solution.discernibility(problem),
            spent,
            on_frontier: false,
        })
    }
}

fn name(solver: &str, effort: Option<Effort>) -> String {
    effort.map_or(solver.to_owned(), |effort| format!("{solver}, {}", effort.word()))
}

fn mark_frontier(rows: &mut [Row]) {
    let points: Vec<Point> = rows.iter().map(Row::point).collect();
    for (row, on_frontier) in rows.iter_mut().zip(frontier(&points)) {
        row.on_frontier = on_frontier;
    }
}

impl Row {
    fn name(&self) -> String {
        name(&self.solver, self.effort)
    }

    fn point(&self) -> Point {
        Point { seconds: self.spent.cpu.unwrap_or(self.spent.wall), loss: self.average_loss }
    }

    fn summary(&self) -> Value {
        json!({
            "k": self.k, "solver": self.solver, "effort": self.effort.map(Effort::word),
            "average_loss": self.average_loss, "loss": self.loss,
            "groups": self.groups, "largest_group": self.largest,
            "average_class_size": self.average_class_size, "discernibility": super::whole(self.discernibility),
            "seconds": self.spent.wall, "cpu_seconds": self.spent.cpu, "frontier": self.on_frontier,
        })
    }

    fn dot(&self) -> Dot {
        let (name, Point { seconds: time, loss: average }) = (self.name(), self.point());
        let hint = format!("{name}: average loss {} in {}", loss(average), seconds(time));
        Dot { name, seconds: time, loss: average, on_frontier: self.on_frontier, hint }
    }
}

fn picture(by_k: &[Vec<Row>], table_rows: usize) -> String {
    let size = count(table_rows, "row", "rows");
    let panels: Vec<Panel> = by_k
        .iter()
        .map(|rows| Panel {
            title: rows.first().map_or(String::new(), |row| format!("k = {}, {size}", row.k)),
            dots: rows.iter().map(Row::dot).collect(),
        })
        .collect();
    scatter::svg("Loss against time", &panels)
}

const BAR: usize = 30;
const MARK: &str = "◆";

const ALIGN: [Align; 11] = {
    use Align::{Left, Right};
    [Left, Left, Right, Left, Right, Right, Right, Right, Right, Right, Right]
};

fn report(by_k: &[Vec<Row>], table_rows: usize) -> String {
    let mut text = format!("{}\n", count(table_rows, "row", "rows"));
    for rows in by_k {
        let worst = rows.iter().map(|r| r.average_loss).fold(f64::MIN_POSITIVE, f64::max);
        let best = rows.iter().map(|r| r.average_loss).fold(f64::INFINITY, f64::min);
        let heading = rows.first().map_or(String::new(), |row| format!("k = {}", row.k));
        let columns = ["", &heading, "loss", "", "× best", "time", "CPU", "groups", "largest", "C_avg", "DM"];
        let mut lines = vec![columns.map(str::to_owned).to_vec()];
        for row in rows {
            let length = ((row.average_loss / worst) * BAR as f64).round() as usize;
            let bar = "█".repeat(length.max(usize::from(row.average_loss > 0.0)));
            let style = if row.average_loss == best { GOOD } else { FAINT };
            lines.push(vec![
                if row.on_frontier { MARK.into() } else { String::new() },
                row.name(),
                loss(row.average_loss),
                format!("{style}{bar}{style:#}"),
                if best > 0.0 { format!("{:.3}", row.average_loss / best) } else { "–".into() },
                seconds(row.spent.wall),
                row.spent.cpu.map_or("–".into(), seconds),
                row.groups.to_string(),
                row.largest.to_string(),
                format!("{:.3}", row.average_class_size),
                row.discernibility.to_string(),
            ]);
        }
        text.push('\n');
        text.push_str(&table(&ALIGN, &lines));
    }
    text + &format!("\n  {FAINT}{MARK}  on the frontier: whatever loses less takes longer (CPU){FAINT:#}\n")
}
