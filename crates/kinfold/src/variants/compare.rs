//! Several solvers on one table, side by side: what each loses, and what it takes.

use super::{Setting, Tried, Way, each, ks};
use crate::report::{CompareReport, Compared, Keepable, KeepableReport};
use crate::solvers::columns::curve;
use crate::{Card, Choice, Effort, Error, Options, Prepared, SolveError, Solvers, Word};
use kinfold_model::call::Phase;
use kinfold_model::cost::Cost;
use kinfold_model::hint::Hint;
use kinfold_model::policy::Policy;
use kinfold_model::recoding::Recoding;
use kinfold_model::table::Table;

/// What to compare.
#[derive(Debug, Clone, Default)]
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

/// Compares solvers under several policies, which differ in k alone.
pub fn compare(table: &Table, policies: &[Policy], options: &CompareOptions) -> Result<CompareReport, Error> {
    let Some(policy) = policies.first() else {
        return Ok(CompareReport::new(table.rows(), Vec::new(), Vec::new()));
    };
    let base = Prepared::new(table, policy, &options.options)?;
    let mut ways = options.ways();
    if options.solvers.is_empty() {
        // Who was not asked for by name is not told why it declines the objective.
        ways.retain(|way| way.choice.card().objectives.contains(&policy.objective));
        // One level for everybody is worth a line where there are levels to choose from.
        let has_levels = base.encoded.problem.rules().iter().any(|rule| rule.levels() > 2)
            || base.policy.quasi().any(|(_, quasi)| quasi.on_one_level());
        if policy.recoding == Recoding::Local && !has_levels {
            ways.retain(|way| way.choice.card().recoding == Recoding::Local);
        }
    }
    let settings: Vec<Setting> = policies.iter().map(|p| Setting::k(p, p.k)).collect();
    let mut notes: Vec<Hint> = options.solvers.iter().filter_map(Choice::note).collect();
    notes.extend(base.encoded.notes.iter().cloned());
    let mut by_k: Vec<Vec<Compared>> = vec![Vec::new(); settings.len()];
    each(&base, &settings, &ways, &options.options, |n, tried| match tried {
        Err(Error::Solve(SolveError::Unsupported(why))) => {
            notes.push(format!("{}: {why}", settings[n].name).into());
            Ok(())
        }
        tried => {
            by_k[n].push(tried?.compared());
            Ok(())
        }
    })?;
    if policy.recoding == Recoding::Local && base.policy.quasi().any(|(_, quasi)| quasi.on_one_level()) {
        // What it would lose if every column were coded group by group.
        let local = policies.iter().map(|p| Setting::k(&p.without_coarsest(), p.k)).collect::<Vec<_>>();
        let auto = Way { choice: Choice::Auto, effort: Some(options.options.effort), own_recoding: true };
        each(&base, &local, &[auto], &options.options, |n, tried| {
            by_k[n].push(tried?.compared());
            Ok(())
        })?;
    }
    by_k.retain(|rows| !rows.is_empty());
    Ok(CompareReport::new(table.rows(), by_k, notes))
}

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
    let most = ks.iter().copied().max().unwrap_or(*ks::ALL.end());
    let found = curve(&encoded.problem, *ks::ALL.start()..=most, &options.run())?;
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
    fn ways(&self) -> Vec<Way> {
        let mut wanted = self.solvers.clone();
        if wanted.is_empty() {
            let in_time = |card: &Card| !card.slow || self.options.time_limit.is_some();
            let usual = |card: &Card| card.method_of.is_none() && in_time(card);
            wanted.extend(self.catalogue.iter().filter(|s| usual(s.card())).map(Choice::of));
        }
        let mut efforts: Vec<Effort> = Vec::new();
        let own = [self.options.effort];
        for &effort in if self.efforts.is_empty() { &own[..] } else { &self.efforts } {
            if !efforts.contains(&effort) {
                efforts.push(effort);
            }
        }
        let mut ways = Vec::new();
        for choice in wanted {
            if choice.card().uses_effort {
                let way = |&e| Way { choice: choice.clone(), effort: Some(e), own_recoding: true };
                ways.extend(efforts.iter().map(way));
            } else {
                ways.push(Way { choice, effort: None, own_recoding: true });
            }
        }
        ways
    }
}

impl Tried<'_> {
    fn compared(&self) -> Compared {
        let Self { way, prepared, outcome, spent } = self;
        let (problem, solution) = (&prepared.encoded.problem, &outcome.solution);
        Compared {
            k: problem.k(),
            solver: match &way.choice {
                Choice::Auto => format!("auto ({})", outcome.solver),
                named => named.to_string(),
            },
            recoding: match solution.levels() {
                Some(_) => Recoding::Global.word(),
                None if prepared.policy.quasi().any(|(_, quasi)| quasi.on_one_level()) => "mixed",
                None => Recoding::Local.word(),
            },
            effort: way.effort.map(Effort::word),
            average_loss: solution.average_loss(problem),
            loss: solution.loss(problem).cells(),
            groups: solution.groups(),
            largest_group: solution.largest(),
            average_class_size: solution.average_class_size(problem),
            discernibility: solution.discernibility(problem),
            seconds: spent.wall,
            cpu_seconds: spent.cpu,
            frontier: false,
        }
    }
}
