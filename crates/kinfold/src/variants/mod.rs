//! Variants of one table: what other ks, solvers, efforts and policies lose. The table is prepared once, and [`each`]
//! groups it under every variant; no release is made. `compare.rs` sets solvers side by side, `whatif.rs` settings of the
//! policy, [`loss_curve`] ks; `ks.rs` has the values of k that are tried.

mod compare;
pub mod ks;
mod mixed;
mod whatif;

pub use compare::{CompareOptions, compare, keepable};
pub(crate) use mixed::{Settled, settle};
pub use whatif::whatif;

use crate::prepared::prepare;
use crate::report::LossAtK;
use crate::solve::solve;
use crate::{Choice, Effort, Error, Options, Outcome, Prepared, Run, Spent, Stopwatch, Strength, Word};
use kinfold_model::{Event, Phase, Policy, Table};

/// A policy to try.
struct Setting {
    /// What it changes.
    kind: &'static str,
    name: String,
    policy: Policy,
}

impl Setting {
    fn k(policy: &Policy, k: u64) -> Self {
        Self { kind: "k", name: format!("k = {k}"), policy: Policy { k, ..policy.clone() } }
    }
}

/// How a table is grouped: by which solver, and at which effort if its answer depends on it.
struct Way {
    choice: Choice,
    effort: Option<Effort>,
    /// Whether a solver for another recoding than the policy's has its own.
    own_recoding: bool,
}

impl Way {
    fn of(options: &Options) -> Self {
        Self { choice: options.solver.clone(), effort: None, own_recoding: false }
    }

    fn name(&self) -> String {
        let solver = self.choice.to_string();
        self.effort.map_or(solver.clone(), |effort| format!("{solver}, {}", effort.word()))
    }

    fn group<'a>(&'a self, prepared: &'a Prepared, options: &Options) -> Result<Tried<'a>, Error> {
        let run = options.run();
        let run = Run { effort: self.effort.unwrap_or(run.effort), ..run };
        let stopwatch = Stopwatch::start();
        let problem = &prepared.encoded.problem;
        let outcome = match &self.choice {
            Choice::Named { solver, .. }
                if self.own_recoding && solver.card().recoding != problem.recoding() =>
            {
                solve(&problem.clone().recoded(solver.card().recoding)?, &self.choice, &run)?
            }
            choice => solve(problem, choice, &run)?,
        };
        Ok(Tried { way: self, prepared, outcome, spent: stopwatch.spent() })
    }
}

/// What came of a variant.
struct Tried<'a> {
    way: &'a Way,
    prepared: &'a Prepared,
    outcome: Outcome,
    spent: Spent,
}

impl Tried<'_> {
    fn loss(&self) -> LossAtK {
        let (problem, solution) = (&self.prepared.encoded.problem, &self.outcome.solution);
        LossAtK {
            k: problem.k(),
            loss: solution.loss(problem).cells(),
            average_loss: solution.average_loss(problem),
            smallest_group: solution.smallest(),
            withheld: solution.withheld(),
        }
    }
}

/// Groups a table under every setting, in every way. `told` gets the number of the setting and what came of it; what
/// it returns as an error ends the work.
fn each(
    base: &Prepared,
    settings: &[Setting],
    ways: &[Way],
    options: &Options,
    mut told: impl FnMut(usize, Result<Tried<'_>, Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    for (n, setting) in settings.iter().enumerate() {
        let settled = base.under(&setting.policy, options).and_then(|prepared| settle(prepared, options));
        let prepared = match settled {
            Ok(settled) => settled.prepared,
            Err(error) => {
                told(n, Err(error))?;
                continue;
            }
        };
        for way in ways {
            options.call.tell(Event::Part(match ways {
                [_] => setting.name.clone(),
                _ => format!("{}, {}", setting.name, way.name()),
            }));
            options.call.phase(Phase::Grouping)?;
            told(n, way.group(&prepared, options))?;
        }
    }
    Ok(())
}

impl Prepared {
    /// What a release for this k loses; no release is made.
    pub fn loss(&self, k: u64, options: &Options) -> Result<LossAtK, Error> {
        let prepared = self.under(&Policy { k, ..self.policy.clone() }, options)?;
        options.call.phase(Phase::Grouping)?;
        let prepared = settle(prepared, options)?.prepared;
        Way::of(options).group(&prepared, options).map(|tried| tried.loss())
    }
}

/// What releases lose at quick effort for the k of the policy and for some ks around it. Those that no release can
/// fulfil are left out.
pub fn loss_curve(table: &Table, policy: &Policy, options: &Options) -> Result<Vec<LossAtK>, Error> {
    let mut options = options.clone();
    (options.effort, options.bound) = (Effort::Quick, Strength::None);
    let prepared = prepare(table, policy, &options)?;
    let settings: Vec<Setting> = ks::around(policy.k).into_iter().map(|k| Setting::k(policy, k)).collect();
    let mut curve = Vec::new();
    each(&prepared, &settings, &[Way::of(&options)], &options, |_, tried| match tried {
        Err(Error::Impossible(_)) => Ok(()),
        tried => {
            curve.push(tried?.loss());
            Ok(())
        }
    })?;
    Ok(curve)
}
