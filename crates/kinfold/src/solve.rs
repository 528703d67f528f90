//! The one door to all solvers: choose one, run it, have it judged.

use crate::Choice;
pub use crate::card::{Card, Promise};
use crate::parts::mend::mend;
use crate::piecewise::solve_classes;
use crate::run::{Run, Stopped};
use crate::solvers::auto;
use kinfold_model::cost::{Cost, Objective};
use kinfold_model::hint::Hint;
use kinfold_model::judge::{Broken, Found, Solution, judge};
use kinfold_model::problem::Problem;
use kinfold_model::recoding::Recoding;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a solver declines a problem: a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

impl Unsupported {
    /// Declines unless something fits.
    pub fn unless(fits: bool, why: impl FnOnce() -> String) -> Result<(), Self> {
        if fits { Ok(()) } else { Err(Self(why())) }
    }
}

/// The objectives whose groups can be merged: they have no centres, borders or columns to keep.
pub(crate) const MERGED: [Objective; 3] = [Objective::Ncp, Objective::Stars, Objective::Sse];

/// A way to group the rows of a problem.
pub trait Solver: Send + Sync {
    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Declines what it cannot do.
    fn supports(&self, problem: &Problem) -> Result<(), Unsupported> {
        let objective = problem.objective();
        let (key, word) = (self.card().key, objective.word());
        Unsupported::unless(self.card().objectives.contains(&objective), || {
            format!("{key} does not minimise {word}")
        })?;
        Unsupported::unless(self.card().recoding == problem.recoding(), || match problem.recoding() {
            Recoding::Local => format!("{key} is for global recoding: one level per column"),
            Recoding::Global => {
                format!("{key} codes values group by group, but the policy asks for global recoding")
            }
        })?;
        Unsupported::unless(
            problem.guard().is_none() || self.fulfils_requirements(objective),
            || match MERGED.contains(&objective) {
                true => format!("{key} supports k alone, but the policy has other privacy models"),
                false => {
                    format!(
                        "objective {word} supports k alone: with other privacy models, use ncp, stars or sse"
                    )
                }
            },
        )?;
        self.within_limits(problem)
    }

    /// Whether it can be asked for more than k. What a heuristic finds is merged until it fulfils everything,
    /// under objectives whose groups can be merged; whoever promises a factor or an optimum promises it for k alone.
    fn fulfils_requirements(&self, objective: Objective) -> bool {
        MERGED.contains(&objective) && self.card().promise == Promise::Heuristic
    }

    /// Declines what is too much for it, or of the wrong kind, though the objective is right.
    fn within_limits(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Declines what is too much for it with these settings.
    fn within_settings(
        &self,
        _problem: &Problem,
        _settings: &BTreeMap<String, String>,
    ) -> Result<(), Unsupported> {
        Ok(())
    }

    /// Groups the rows. At the deadline it answers with the best it has, always valid.
    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped>;
}

/// What a solver answers.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The group of every row.
    pub found: Found,
    /// What any release must cost, if the solver knows.
    pub bound: Option<Cost>,
    /// What else is worth knowing of how this answer came about.
    pub remark: Option<String>,
}

impl Answer {
    /// Groups, and what any release must cost.
    pub fn new(found: Found, bound: Option<Cost>) -> Self {
        Self { found, bound, remark: None }
    }
}

impl From<Found> for Answer {
    fn from(found: Found) -> Self {
        Self::new(found, None)
    }
}

/// What came of a solve.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The judged grouping.
    pub solution: Solution,
    /// The solver that found it, with its settings.
    pub solver: String,
    /// Why this solver, if it was chosen automatically.
    pub why: Option<String>,
    /// What the solver says of its answer besides.
    pub remark: Option<String>,
}

/// Why there is no solution.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Nobody of that name.
    #[error("unknown solver {name:?}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What to try.
        hint: String,
    },
    /// A solver that was not built in.
    #[error("this build lacks solver {name}")]
    Lacking {
        /// What was asked for.
        name: &'static str,
        /// The feature that brings it.
        feature: &'static str,
    },
    /// A setting that the solver does not have.
    #[error("solver {solver} has no setting {setting:?}")]
    Setting {
        /// The solver.
        solver: &'static str,
        /// What was set.
        setting: String,
        /// What to try.
        hint: String,
    },
    /// The solver declined.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The user stopped the work.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The judge refused the answer: a fault of the solver.
    #[error("solver {solver} gave an invalid answer, which was rejected: {broken}")]
    Broken {
        /// The solver.
        solver: String,
        /// What is wrong with it.
        broken: Broken,
    },
}

impl SolveError {
    /// What to try.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::Unknown { hint, .. } | Self::Setting { hint, .. } => Some(hint.clone().into()),
            Self::Lacking { feature, .. } => Some(Hint::from(format!(
                "build it in: cargo build --release --locked --features {feature}; docs/start.md lists the requirements"
            ))),
            Self::Unsupported(_) => {
                Some("{solvers} lists them all; {solver=auto} picks one that fits".into())
            }
            Self::Broken { .. } => {
                Some("nothing was published; try another {solver}, and please report this".into())
            }
            Self::Stopped(_) => None,
        }
    }
}

/// Solves a problem. The answer is judged before anyone sees it.
pub fn solve(problem: &Problem, choice: &Choice, run: &Run) -> Result<Outcome, SolveError> {
    if problem.class_of().is_some() && problem.recoding() == Recoding::Local {
        return solve_classes(problem, run, &|piece, run| solve(piece, choice, run));
    }
    let (candidates, why) = match choice {
        Choice::Auto => auto::choose(problem, run),
        named => (vec![named.clone()], None),
    };
    let mut best: Option<Outcome> = None;
    for candidate in candidates {
        let Choice::Named { solver, settings, .. } = &candidate else { continue };
        let own = Run { settings: settings.clone(), ..run.clone() };
        let outcome = judged(*solver, candidate.to_string(), problem, &own)?;
        if best.as_ref().is_none_or(|b| outcome.solution.cost() < b.solution.cost()) {
            best = Some(Outcome { why: why.clone(), ..outcome });
        }
        if run.out_of_time() {
            break;
        }
    }
    best.ok_or_else(|| Unsupported("no solver fits this problem".into()).into())
}

/// Solves a problem with a solver of your own. Its settings are those of the run. The answer is judged as any
/// other: a wrong one is an error, and its cost is worked out here.
///
/// ```
/// use kinfold::model::{cost::Objective, encode::encode, judge::Found, policy::Policy};
/// use kinfold::model::{problem::Problem, table::Table};
/// use kinfold::{Answer, Card, Run, Solver, Stopped, solve_by};
///
/// /// Puts everybody into one group.
/// struct Together;
///
/// impl Solver for Together {
///     fn card(&self) -> &'static Card {
///         const CARD: Card = Card {
///             key: "together",
///             title: "one group of all",
///             objectives: &[Objective::Ncp],
///             ..Card::BASE
///         };
///         &CARD
///     }
///
///     fn group(&self, problem: &Problem, _run: &Run) -> Result<Answer, Stopped> {
///         Ok(Found::plain(vec![0; problem.rows()]).into())
///     }
/// }
///
/// let table = Table::from_cells(&["age"], &[vec!["35"], vec!["36"], vec!["61"]])?;
/// let policy = Policy::parse("k = 2\ncolumns.age = { role = 'quasi', kind = 'numeric' }").for_table(&table)?;
/// let problem = encode(&table, &policy)?.problem;
/// let outcome = solve_by(&Together, &problem, &Run::default())?;
/// assert_eq!((outcome.solver.as_str(), outcome.solution.groups()), ("together", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_by(solver: &dyn Solver, problem: &Problem, run: &Run) -> Result<Outcome, SolveError> {
    if problem.class_of().is_some() && problem.recoding() == Recoding::Local {
        return solve_classes(problem, run, &|piece, run| solve_by(solver, piece, run));
    }
    judged(solver, solver.card().key.to_owned(), problem, run)
}

fn judged(solver: &dyn Solver, name: String, problem: &Problem, run: &Run) -> Result<Outcome, SolveError> {
    solver.supports(problem)?;
    solver.within_settings(problem, &run.settings)?;
    let Answer { mut found, bound, remark } = run.in_pool(|| solver.group(problem, run))?;
    run.in_pool(|| mend(problem, &mut found));
    let mut solution = match judge(problem, found) {
        Ok(solution) => solution,
        Err(broken) => return Err(SolveError::Broken { solver: name, broken }),
    };
    if let Some(bound) = bound {
        solution.claim(problem, bound);
    }
    Ok(Outcome { solution, solver: name, why: None, remark })
}
