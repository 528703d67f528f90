//! Table in, verified release out.

use super::Voice;
use crate::args::AnonymizeArgs;
use crate::failure::Failure;
use crate::input::{self, check_stop};
use crate::output::{Output, refuse_same};
use crate::progress;
use crate::screen::{FAINT, GOOD, STRONG, count, loss, seconds, span, thousands};
use kinfold::model::encode::encode;
use kinfold::model::judge::{Bound, Solution, WITHHELD};
use kinfold::model::policy::Policy;
use kinfold::model::problem::Problem;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::model::verify::{Published, Verdict, verify};
use kinfold::{Choice, Outcome, Release, Run, WriteError, publish, solve};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

pub fn run(args: &AnonymizeArgs, voice: Voice) -> Result<(), Failure> {
    let output = args.output.as_deref();
    for (path, what) in [(output, "the release"), (args.groups.as_deref(), "the groups file")] {
        refuse_same(&args.table, path, what)?;
        if let Some(policy) = &args.policy.policy {
            refuse_same(policy, path, what)?;
        }
    }
    let to_stdout = output.is_some_and(|o| o.as_os_str() == "-");
    if voice.json && to_stdout {
        return Err(Failure::usage(
            "the release and --json cannot both go to standard output",
            "write the release to a file",
        ));
    }
    let mut clock = Clock::default();
    let choice = Choice::parse(&args.solver)?;
    let options = input::read_options(&args.read);
    progress::phase("reading");
    let source = Source::open(&args.table, &options)?;
    let draft = input::draft(&args.policy, args.k)?;
    let file = draft.file();
    let policy = draft.settle_for(source.names())?;
    let mut out = Output::create(output)?;
    let mut groups = args.groups.as_deref().map(|path| Output::create(Some(path))).transpose()?;

    let table = source.read(|name| policy.role(name).is_some_and(|r| r.published()))?;
    clock.lap("read");
    progress::phase("encoding");
    let encoded = encode(&table, &policy).map_err(|e| input::with_file(e, &file))?;
    encoded.notes.iter().for_each(|n| voice.note(n));
    clock.lap("encode");
    check_stop()?;

    progress::phase("grouping");
    let mut run: Run = input::run(&args.solve);
    run.progress = Some(std::sync::Arc::new(|p: kinfold::Progress| progress::share_done(p.done)));
    let outcome = solve(&encoded.problem, &choice, &run)?;
    clock.lap("solve");
    check_stop()?;

    progress::phase("publishing");
    let mut release = publish(&table, &policy, &encoded, &outcome.solution);
    if args.shuffle {
        release.shuffle(args.solve.seed);
    }
    write_release(&mut release, output, &mut out)?;
    clock.lap("publish");

    progress::phase("verifying");
    // What was written is read again, as a stranger would: delimiter and encoding are those of the release.
    let again = ReadOptions { delimiter: None, encoding: None, ..options };
    let published = Published::read(Source::open(out.temporary_path(), &again)?, &policy, false)?;
    let verdict = verify(&published, &policy)?;
    if !verdict.safe() || verdict.rows != release.rows() {
        return Err(Failure::Refused(refusal(&verdict, release.rows())));
    }
    clock.lap("verify");

    if let Some(file) = &mut groups {
        file.write(|w| Ok(w.write_all(groups_file(&outcome.solution).as_bytes())?))?;
    }
    out.commit()?;
    groups.map_or(Ok(()), Output::commit)?;
    progress::finish();
    let summary = Summary { policy: &policy, problem: &encoded.problem, outcome: &outcome, clock: &clock };
    let voice = Voice { quiet: voice.quiet || to_stdout, ..voice };
    voice.result(|| summary.json(), || summary.text(output))
}

fn refusal(verdict: &Verdict, rows: usize) -> String {
    if verdict.rows != rows {
        return format!("{} rows were written, {} read back", rows, verdict.rows);
    }
    match verdict.forbidden.first() {
        Some((column, why)) => format!("column {column:?} {}", why.sentence()),
        None => format!("the smallest group holds {} people, k is {}", verdict.smallest, verdict.k),
    }
}

fn write_release(release: &mut Release<'_>, path: Option<&Path>, out: &mut Output) -> Result<(), Failure> {
    let name = path.map(|p| p.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    let columnar = |what: &str| {
        Failure::usage(format!("{what} is not written gzipped"), "it compresses itself: leave .gz out")
    };
    if plain.ends_with(".tsv") {
        release.set_delimiter(b'\t');
    }
    let release = &*release;
    if plain.ends_with(".parquet")
        || plain.ends_with(".arrow")
        || plain.ends_with(".feather")
        || plain.ends_with(".ipc")
    {
        if plain.len() < name.len() {
            return Err(columnar(if plain.ends_with(".parquet") { "Parquet" } else { "Arrow" }));
        }
        if plain.ends_with(".parquet") {
            return out.write(|w| release.write_parquet(w));
        }
        return out.write(|w| release.write_arrow(&mut std::io::BufWriter::new(w)));
    }
    if plain.len() < name.len() {
        return out.write(|w| {
            let mut gz = flate2::write::GzEncoder::new(w, flate2::Compression::fast());
            release.write_csv(&mut gz)?;
            gz.finish().map_err(WriteError::Io)?.flush().map_err(WriteError::Io)
        });
    }
    out.write(|w| release.write_csv(w))
}

fn groups_file(solution: &Solution) -> String {
    let mut text = String::from("group\n");
    for &group in solution.group_of() {
        match group {
            WITHHELD => text.push_str("\"\"\n"),
            group => {
                let _ = writeln!(text, "{group}");
            }
        }
    }
    text
}

/// How long each phase took.
#[derive(Debug)]
struct Clock {
    start: Instant,
    last: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Default for Clock {
    fn default() -> Self {
        let now = Instant::now();
        Self { start: now, last: now, laps: Vec::new() }
    }
}

impl Clock {
    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, (now - self.last).as_secs_f64()));
        self.last = now;
    }

    fn total(&self) -> f64 {
        (self.last - self.start).as_secs_f64()
    }
}

struct Summary<'a> {
    policy: &'a Policy,
    problem: &'a Problem,
    outcome: &'a Outcome,
    clock: &'a Clock,
}

impl Summary<'_> {
    fn json(&self) -> Value {
        let solution = &self.outcome.solution;
        let (bound, kind) = match solution.bound() {
            Bound::Checked(cost) => (Some(cost), "checked"),
            Bound::Claimed(cost) => (Some(cost), "claimed"),
            Bound::None => (None, "none"),
        };
        let gap = bound.map(|b| match solution.cost().0 {
            0 => 0.0,
            cost => (cost - b.0) as f64 / cost as f64,
        });
        let mut times: serde_json::Map<String, Value> =
            self.clock.laps.iter().map(|&(name, s)| (name.to_owned(), round(s).into())).collect();
        times.insert("total".into(), round(self.clock.total()).into());
        json!({
            "rows": self.problem.rows(),
            "released": self.problem.rows() - solution.withheld(),
            "withheld": solution.withheld(),
            "k": self.policy.k,
            "groups": solution.groups(),
            "smallest_group": solution.smallest(),
            "largest_group": solution.largest(),
            "objective": self.policy.objective.word(),
            "loss": solution.cost().cells(),
            "average_loss": solution.average_loss(self.problem),
            "bound": bound.map(|b| b.cells()),
            "gap": gap,
            "bound_kind": kind,
            "solver": self.outcome.solver,
            "seconds": times,
        })
    }

    fn text(&self, output: Option<&Path>) -> String {
        let solution = &self.outcome.solution;
        let released = self.problem.rows() - solution.withheld();
        let mut text = match output {
            Some(path) => format!("{GOOD}safe{GOOD:#}  {STRONG}{}{STRONG:#}", path.display()),
            None => {
                format!("{GOOD}safe{GOOD:#}  checked and thrown away (say where it goes with -o RELEASE)")
            }
        };
        let _ = write!(text, "\n\n  {}", count(released, "row", "rows"));
        if solution.withheld() > 0 {
            let _ = write!(text, " ({} withheld)", thousands(solution.withheld() as u64));
        }
        let _ = writeln!(
            text,
            " in {} of {} people (k = {})",
            count(solution.groups(), "group", "groups"),
            span(solution.smallest(), solution.largest()),
            self.policy.k
        );
        let _ = writeln!(
            text,
            "  average loss {STRONG}{}{STRONG:#} per cell (0 nothing, 1 everything)",
            loss(solution.average_loss(self.problem))
        );
        let _ = write!(text, "  by {}", self.outcome.solver);
        if let Some(why) = &self.outcome.why {
            let _ = write!(text, ": {why}");
        }
        let laps: Vec<String> =
            self.clock.laps.iter().map(|&(name, s)| format!("{name} {}", seconds(s))).collect();
        let _ = writeln!(text, "\n  {FAINT}{} ({}){FAINT:#}", seconds(self.clock.total()), laps.join(", "));
        text
    }
}

fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
