//! Table in, verified release out.

use super::Voice;
use crate::args::{AnonymizeArgs, Strength};
use crate::catalogue::solvers;
use crate::failure::Failure;
use crate::input;
use crate::output::{Output, alone_on_stdout, refuse_reading, refuse_sharing};
use crate::progress;
use crate::screen::{FAINT, GOOD, STRONG, count, loss, percent, seconds, span, thousands};
use crate::stopwatch::Stopwatch;
use kinfold::bounds::{NoBound, prove};
use kinfold::model::cost::Objective;
use kinfold::model::encode::encode;
use kinfold::model::judge::{Bound, Solution, WITHHELD};
use kinfold::model::policy::Policy;
use kinfold::model::problem::Problem;
use kinfold::model::table::{ReadOptions, Source};
use kinfold::model::verify::{Published, Verdict, verify};
use kinfold::{Outcome, Release, WriteError, publish, solve};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub fn run(args: &AnonymizeArgs, voice: Voice) -> Result<(), Failure> {
    let output = args.output.as_deref();
    let to_stdout = alone_on_stdout(output, "the release", voice.json)?
        | alone_on_stdout(args.groups.as_deref(), "the groups file", voice.json)?
        | alone_on_stdout(args.lookup.as_deref(), "the lookup file", voice.json)?;
    let mut clock = Clock::default();
    let choice = solvers().choice(&args.solver)?;
    let options = input::read_options(&args.read);
    progress::phase("reading");
    let source = Source::open(&args.table, &options)?;
    let draft = input::draft(&args.policy, args.k)?;
    refuse_overwriting(args, draft.files())?;
    let file = draft.file();
    let policy = draft.settle_for(source.names())?;
    let format = FileFormat::of(output)?;
    let mut out = Output::create(output)?;
    let mut groups = args.groups.as_deref().map(|path| Output::create(Some(path))).transpose()?;
    let mut lookup = args.lookup.as_deref().map(|path| Output::create(Some(path))).transpose()?;

    let table = source.read(|name| policy.role(name).is_some_and(|r| r.needed()))?;
    clock.lap("read");
    progress::phase("encoding");
    let encoded = encode(&table, &policy).map_err(|e| Failure::from(e).in_file(&file))?;
    encoded.notes.iter().for_each(|n| voice.note(n));
    clock.lap("encode");

    progress::phase("grouping");
    let stopwatch = Stopwatch::start();
    let run = input::run(&args.solve);
    let mut outcome = solve(&encoded.problem, &choice, &run)?;
    let solve_cpu = stopwatch.spent().cpu;
    clock.lap("solve");
    progress::phase("bounding");
    match prove(&encoded.problem, &mut outcome.solution, args.bound.into(), &run) {
        // Nobody asked for it in particular: the release is as good without, or the solver has brought one.
        Err(NoBound::Unsupported(why)) if args.bound != Strength::Lp => {
            if outcome.solution.bound().cost().is_none() {
                voice.note(&format!("no bound: {why}"))
            }
        }
        other => {
            other?;
        }
    }
    clock.lap("bound");

    progress::phase("publishing");
    let mut release = publish(&table, &policy, &encoded, &outcome.solution);
    if args.shuffle {
        release.shuffle(args.solve.seed);
    }
    if let Some(file) = &mut lookup {
        let names = release.name_sets();
        file.write(|w| Ok(w.write_all(names.as_bytes())?))?;
    } else if let Some((column, labels)) = release.unreadable() {
        let labels = thousands(labels as u64);
        voice.note(&format!(
            "cells of column {column:?} list up to {labels} labels; --lookup FILE publishes names in their place"
        ));
    }
    if matches!(format, FileFormat::Text { tabs: true, .. }) {
        release.set_delimiter(b'\t');
    }
    out.write(|file| format.write(&release, file))?;
    clock.lap("publish");

    progress::phase("verifying");
    // What was written is read again: delimiter and encoding are those of the release.
    let again = ReadOptions { delimiter: Some(release.delimiter()), encoding: None, ..options };
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
    lookup.map_or(Ok(()), Output::commit)?;
    progress::finish();
    let problem = &encoded.problem;
    let summary =
        Summary { policy: &policy, problem, outcome: &outcome, verdict: &verdict, clock: &clock, solve_cpu };
    let voice = Voice { quiet: voice.quiet || to_stdout, ..voice };
    voice.result(|| summary.json(), || summary.text(output))
}

fn refusal(verdict: &Verdict, rows: usize) -> String {
    if verdict.rows != rows {
        return format!("{} rows were written, {} read back", rows, verdict.rows);
    }
    match verdict.forbidden.first() {
        Some((column, why)) => format!("column {column:?} {}", why.sentence()),
        None if verdict.miscounted > 0 => "a group tells another size than it has".to_owned(),
        None => format!("the smallest group holds {} people, k is {}", verdict.smallest, verdict.k),
    }
}

/// No file that is written may be one that is read, or another that is written.
fn refuse_overwriting(args: &AnonymizeArgs, hierarchies: &[PathBuf]) -> Result<(), Failure> {
    let written = [
        (args.output.as_deref(), "the release"),
        (args.groups.as_deref(), "the groups file"),
        (args.lookup.as_deref(), "the lookup file"),
    ];
    for input in [&args.table].into_iter().chain(&args.policy.policy).chain(hierarchies) {
        for (path, what) in written {
            refuse_reading(path, what, input)?;
        }
    }
    refuse_sharing(args.output.as_deref(), args.groups.as_deref(), "release and groups")?;
    refuse_sharing(args.output.as_deref(), args.lookup.as_deref(), "release and lookup")?;
    refuse_sharing(args.groups.as_deref(), args.lookup.as_deref(), "groups and lookup")
}

/// What a release is written as, told from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    /// With tabs, or the table's own delimiter; gzipped or not.
    Text {
        tabs: bool,
        zipped: bool,
    },
    Parquet,
    Arrow,
}

impl FileFormat {
    fn of(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::Text { tabs: false, zipped: false }) };
        let extension =
            |p: &Path| p.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let zipped = extension(path) == "gz";
        let inner =
            if zipped { extension(Path::new(path.file_stem().unwrap_or_default())) } else { extension(path) };
        match (inner.as_str(), zipped) {
            ("csv" | "txt" | "", zipped) => Ok(Self::Text { tabs: false, zipped }),
            ("tsv" | "tab", zipped) => Ok(Self::Text { tabs: true, zipped }),
            ("parquet", false) => Ok(Self::Parquet),
            ("arrow" | "feather" | "ipc", false) => Ok(Self::Arrow),
            ("parquet" | "arrow" | "feather" | "ipc", true) => Err(Failure::usage(
                format!(".{inner} is not written gzipped"),
                "it compresses itself: leave .gz out",
            )),
            _ => Err(Failure::usage(
                format!("cannot write {}: no format of that name", path.display()),
                "name it .csv, .csv.gz, .tsv, .parquet or .arrow",
            )),
        }
    }

    fn write(self, release: &Release<'_>, file: &mut File) -> Result<(), WriteError> {
        match self {
            Self::Text { zipped: false, .. } => release.write_csv(file),
            Self::Parquet => release.write_parquet(file),
            Self::Arrow => release.write_arrow(&mut BufWriter::new(file)),
            Self::Text { zipped: true, .. } => {
                let mut gz = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
                release.write_csv(&mut gz)?;
                Ok(gz.finish()?.flush()?)
            }
        }
    }
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
    /// Groups may look alike once they are published: what is told of them is what the verifier saw.
    verdict: &'a Verdict,
    clock: &'a Clock,
    solve_cpu: Option<f64>,
}

impl Summary<'_> {
    fn json(&self) -> Value {
        let solution = &self.outcome.solution;
        let mut times: serde_json::Map<String, Value> =
            self.clock.laps.iter().map(|&(name, s)| (name.to_owned(), round(s).into())).collect();
        times.insert("total".into(), round(self.clock.total()).into());
        json!({
            "rows": self.problem.rows(),
            "released": self.problem.rows() - solution.withheld(),
            "withheld": solution.withheld(),
            "k": self.policy.k,
            "groups": self.verdict.groups,
            "smallest_group": self.verdict.smallest,
            "largest_group": self.verdict.largest,
            "discernibility": super::whole(solution.discernibility(self.problem)),
            "average_class_size": solution.average_class_size(self.problem),
            "objective": self.policy.objective.word(),
            "loss": solution.cost().cells(),
            "average_loss": solution.average_loss(self.problem),
            // 100 · SSE/SST, as microaggregation is usually judged.
            "sse_percent": (self.policy.objective == Objective::Sse)
                .then(|| 100.0 * solution.average_loss(self.problem)),
            "bound": solution.bound().cost().map(|bound| bound.cells()),
            "gap": solution.gap(),
            "bound_kind": solution.bound().word(),
            "solver": self.outcome.solver,
            "remark": self.outcome.remark,
            "seconds": times,
            "solve_cpu_seconds": self.solve_cpu.map(round),
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
            count(self.verdict.groups, "group", "groups"),
            span(self.verdict.smallest, self.verdict.largest),
            self.policy.k
        );
        let _ = writeln!(text, "  {}", loss_sentence(self.problem, solution));
        let _ = writeln!(text, "  {}", class_sentence(self.problem, solution));
        if let Some(sentence) = bound_sentence(self.problem, solution) {
            let wide = solution.gap() > Some(WIDE) && Objective::BY_CELL.contains(&self.policy.objective);
            let closer = if wide { "; kinfold certify proves a closer bound" } else { "" };
            let _ = writeln!(text, "  {sentence}{closer}");
        }
        let _ = write!(text, "  by {}", self.outcome.solver);
        if let Some(why) = &self.outcome.why {
            let _ = write!(text, ": {why}");
        }
        if let Some(remark) = &self.outcome.remark {
            let _ = write!(text, "; {remark}");
        }
        let laps: Vec<String> =
            self.clock.laps.iter().map(|&(name, s)| format!("{name} {}", seconds(s))).collect();
        let _ = writeln!(text, "\n  {FAINT}{} ({}){FAINT:#}", seconds(self.clock.total()), laps.join(", "));
        text
    }
}

/// What is lost, in words that fit the objective.
pub fn loss_sentence(problem: &Problem, solution: &Solution) -> String {
    let average = loss(solution.average_loss(problem));
    match problem.objective() {
        Objective::Ncp | Objective::Stars => {
            format!("average loss {STRONG}{average}{STRONG:#} per cell (0 nothing, 1 everything)")
        }
        Objective::Columns => {
            format!("average loss {STRONG}{average}{STRONG:#} per column (0 nothing, 1 everything)")
        }
        Objective::Radius => {
            format!(
                "largest radius {STRONG}{average}{STRONG:#}: nobody is further from the centre of the group"
            )
        }
        Objective::Cellular => format!("mean radius {STRONG}{average}{STRONG:#} of a person's group"),
        Objective::Sse => {
            let share = percent(solution.average_loss(problem));
            format!("squared error {STRONG}{share}{STRONG:#} of that of the whole table (SSE/SST)")
        }
        Objective::GroupSize => {
            format!(
                "the largest holds {STRONG}{}{STRONG:#}",
                count(solution.largest() as usize, "person", "people")
            )
        }
    }
}

/// What the literature says of sizes alone.
fn class_sentence(problem: &Problem, solution: &Solution) -> String {
    let (dm, average) = (solution.discernibility(problem), solution.average_class_size(problem));
    let dm = u64::try_from(dm).map_or_else(|_| format!("{:.3e}", dm as f64), thousands);
    format!("discernibility (DM) {dm}, average class size (C_avg) {average:.3} k")
}

/// Proofs are made of rounded prices: a gap this small means that there is none.
const ROUNDING: f64 = 1e-6;

/// A gap this wide says more of the bound than of the release.
const WIDE: f64 = 0.2;

/// How far the release can be from the best, and who says so.
pub fn bound_sentence(problem: &Problem, solution: &Solution) -> Option<String> {
    let (gap, bound) = (solution.gap()?, solution.bound().cost()?);
    let proof = match solution.bound() {
        Bound::Checked(_) => "proven and checked",
        _ => "proven by the solver, not checked",
    };
    if problem.objective() == Objective::GroupSize {
        let least = thousands(bound.cells() as u64);
        return Some(if bound == solution.cost() {
            format!("in no release is it smaller ({proof})")
        } else {
            format!(
                "in any release it holds {least} at least: a gap of {STRONG}{}{STRONG:#} ({proof})",
                percent(gap)
            )
        });
    }
    let least = loss(solution.average_loss(problem) * (1.0 - gap));
    Some(if bound == solution.cost() {
        format!("no release loses less ({proof})")
    } else if gap <= ROUNDING {
        format!("no release loses less, to within a millionth ({proof})")
    } else {
        format!("no release loses less than {least}: a gap of {STRONG}{}{STRONG:#} ({proof})", percent(gap))
    })
}

fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
