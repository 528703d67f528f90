//! Several solvers on one table, side by side: what each loses, and what it takes.

use crate::card::Card;
use crate::catalogue::{Choice, Solvers};
use crate::columns::curve;
use crate::error::Error;
use crate::options::Options;
use crate::prepared::Prepared;
use crate::report::{CompareReport, Compared, Keepable, KeepableReport};
use crate::run::{Effort, Run};
use crate::solve::{SolveError, solve};
use crate::stopwatch::Stopwatch;
use kinfold_model::call::{Event, Phase};
use kinfold_model::cost::{Cost, Objective};
use kinfold_model::hint::Hint;
use kinfold_model::policy::Policy;
use kinfold_model::problem::Problem;
use kinfold_model::table::Table;

/// What to compare.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompareOptions {
    /// How each solver runs; its solver is not used.
    pub options: Options,
    /// The solvers to choose from.
    pub catalogue: Solvers,
    /// The solvers; none: every one that minimises the objective and is no method of a paper, slow ones only
    /// within a time limit.
    pub solvers: Vec<Choice>,
    /// The efforts of solvers whose answer depends on it; none: that of the options.
    pub efforts: Vec<Effort>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            options: Options::default(),
            catalogue: Solvers::standard(),
            solvers: Vec::new(),
            efforts: Vec::new(),
        }
    }
}

/// A solver to compare, with an effort if its answer depends on it.
struct Entry {
    choice: Choice,
    effort: Option<Effort>,
}

/// Compares solvers under several policies, which differ in k alone.
pub fn compare(table: &Table, policies: &[Policy], options: &CompareOptions) -> Result<CompareReport, Error> {
    let call = &options.options.call;
    let entries = options.entries();
    let mut notes: Vec<Hint> = options.solvers.iter().filter_map(Choice::note).collect();
    let mut by_k: Vec<Vec<Compared>> = Vec::new();
    for policy in policies {
        let encoded = Prepared::new(table, policy, &options.options)?.encoded;
        if by_k.is_empty() {
            notes.extend(encoded.notes.iter().cloned());
        }
        let mut rows = Vec::new();
        // Who was not asked for by name is not told why it declines the objective.
        let minimises = |entry: &&Entry| !options.solvers.is_empty() || entry.minimises(policy.objective);
        for entry in entries.iter().filter(minimises) {
            call.tell(Event::Part(format!("k = {}, {}", policy.k, entry.name())));
            match entry.solve(&encoded.problem, options.options.run()) {
                Err(SolveError::Unsupported(why)) => notes.push(format!("k = {}: {why}", policy.k).into()),
                other => rows.push(other?),
            }
        }
        by_k.push(rows);
    }
    by_k.retain(|rows| !rows.is_empty());
    Ok(CompareReport::new(table.rows(), by_k, notes))
}

/// The ks that are answered for unless some are named.
const KS: std::ops::RangeInclusive<u64> = 2..=100;

/// Where whole columns count: which of them can be kept for these ks, or for all up to a hundred if none are
/// named.
pub fn keepable(
    table: &Table,
    policy: &Policy,
    ks: &[u64],
    options: &Options,
) -> Result<KeepableReport, Error> {
    let Prepared { table, encoded, .. } = Prepared::new(table, policy, options)?;
    options.call.phase(Phase::Grouping)?;
    let most = ks.iter().copied().max().unwrap_or(*KS.end());
    let found = curve(&encoded.problem, *KS.start()..=most, &options.run())?;
    let name = |&column: &usize| table.columns()[encoded.codings[column].column].name().to_owned();
    let everything = encoded.problem.withheld_cost();
    let keepable = found.into_iter().filter(|(k, _)| ks.is_empty() || ks.contains(k)).map(|(k, kept)| {
        let lost = everything - kept.worth;
        Keepable {
            k,
            solver: "columns",
            kept: kept.columns.iter().map(name).collect(),
            average_loss: lost as f64 / everything as f64,
            loss: Cost(lost).cells(),
            best: kept.best,
        }
    });
    Ok(KeepableReport {
        list: keepable.collect(),
        rows: table.rows(),
        columns: encoded.codings.len(),
        notes: encoded.notes.clone(),
    })
}

impl CompareOptions {
    /// Every solver that is wanted, once per effort where that makes a difference.
    fn entries(&self) -> Vec<Entry> {
        let mut wanted = self.solvers.clone();
        if wanted.is_empty() {
            let in_time = |card: &Card| !card.slow || self.options.time_limit.is_some();
            let usual = |card: &Card| card.method_of.is_none() && in_time(card);
            wanted.extend(self.catalogue.iter().filter(|s| usual(s.card())).map(Choice::of));
        }
        let mut efforts = self.efforts.clone();
        if efforts.is_empty() {
            efforts.push(self.options.effort);
        }
        let mut seen = Vec::new();
        efforts.retain(|effort| {
            !seen.contains(effort) && {
                seen.push(*effort);
                true
            }
        });
        let mut entries = Vec::new();
        for choice in wanted {
            if choice.uses_effort() {
                entries.extend(efforts.iter().map(|&e| Entry { choice: choice.clone(), effort: Some(e) }));
            } else {
                entries.push(Entry { choice, effort: None });
            }
        }
        entries
    }
}

impl Entry {
    fn name(&self) -> String {
        let solver = self.choice.to_string();
        self.effort.map_or(solver.clone(), |effort| format!("{solver}, {}", effort.word()))
    }

    fn minimises(&self, objective: Objective) -> bool {
        self.choice.card().objectives.contains(&objective)
    }

    fn solve(&self, problem: &Problem, run: Run) -> Result<Compared, SolveError> {
        let run = Run { effort: self.effort.unwrap_or(run.effort), ..run };
        let stopwatch = Stopwatch::start();
        let outcome = solve(problem, &self.choice, &run)?;
        let spent = stopwatch.spent();
        let solution = &outcome.solution;
        Ok(Compared {
            k: problem.k(),
            solver: match &self.choice {
                Choice::Auto => format!("auto ({})", outcome.solver),
                named => named.to_string(),
            },
            effort: self.effort.map(Effort::word),
            average_loss: solution.average_loss(problem),
            loss: solution.loss(problem).cells(),
            groups: solution.groups(),
            largest_group: solution.largest(),
            average_class_size: solution.average_class_size(problem),
            discernibility: solution.discernibility(problem),
            seconds: spent.wall,
            cpu_seconds: spent.cpu,
            frontier: false,
        })
    }
}
