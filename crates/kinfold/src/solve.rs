//! The one door to all solvers: choose one, run it, have it judged.

pub use crate::card::{Card, Case, Input, Promise, Setting};
use crate::run::{Run, Stopped};
use crate::solvers::{LACKING, SOLVERS, auto};
use kinfold_model::cost::Cost;
use kinfold_model::hint::Hint;
use kinfold_model::judge::{Broken, Found, Solution, judge};
use kinfold_model::policy::nearest;
use kinfold_model::problem::Problem;
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// Why a solver declines a problem: a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// A way to group the rows of a problem.
pub trait Solver: Send + Sync {
    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Declines what it cannot do.
    fn supports(&self, problem: &Problem) -> Result<(), Unsupported> {
        let objective = problem.objective();
        if !self.card().objectives.contains(&objective) {
            return Err(Unsupported(format!("{} does not minimise {}", self.card().key, objective.word())));
        }
        self.within_limits(problem)
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

/// Which solver is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The best known for the problem.
    Auto,
    /// This one, with these settings.
    Named {
        /// Its key.
        key: &'static str,
        /// Its settings.
        settings: BTreeMap<String, String>,
    },
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
    #[error("solver {solver} gave a wrong answer, which was refused: {broken}")]
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
                "build it in: cargo build --release --features {feature}; GUIDE.md says what that needs"
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

impl Choice {
    /// Reads `auto` or `NAME[:key[=value]]…`; a bare key switches it on.
    pub fn parse(text: &str) -> Result<Self, SolveError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        if name == auto::CARD.key {
            return match parts.next() {
                None => Ok(Self::Auto),
                Some(setting) => {
                    let (solver, setting) = (auto::CARD.key, setting.to_owned());
                    Err(SolveError::Setting {
                        solver,
                        setting,
                        hint: "it has none: name a solver to set something".into(),
                    })
                }
            };
        }
        if let Some(&(name, feature)) = LACKING.iter().find(|(key, _)| *key == name) {
            return Err(SolveError::Lacking { name, feature });
        }
        let keys = || SOLVERS.iter().map(|s| s.card().key);
        let Some(solver) = SOLVERS.iter().find(|s| s.card().key == name) else {
            let hint = match nearest(name, keys()) {
                Some(close) => format!("did you mean {close:?}?"),
                None => format!("use auto or one of {}", keys().collect::<Vec<_>>().join(", ")),
            };
            return Err(SolveError::Unknown { name: name.to_owned(), hint });
        };
        let card = solver.card();
        let mut settings = BTreeMap::new();
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, "true"));
            let known = card.settings.iter().find(|s| s.key == key);
            if !known.is_some_and(|s| s.values.contains(&value)) {
                let hint = match (known, card.settings) {
                    (Some(s), _) => format!("{key} is one of {}", s.values.join(", ")),
                    (None, []) => "it has none".into(),
                    (None, all) => {
                        format!("it has {}", all.iter().map(|s| s.key).collect::<Vec<_>>().join(", "))
                    }
                };
                return Err(SolveError::Setting { solver: card.key, setting: part.to_owned(), hint });
            }
            settings.insert(key.to_owned(), value.to_owned());
        }
        Ok(Self::Named { key: card.key, settings })
    }

    /// Declines what the solver cannot do with these settings.
    pub fn supports(&self, problem: &Problem) -> Result<(), Unsupported> {
        let Self::Named { key, settings } = self else { return Ok(()) };
        let Some(solver) = SOLVERS.iter().find(|s| s.card().key == *key) else { return Ok(()) };
        solver.supports(problem)?;
        solver.within_settings(problem, settings)
    }

    /// Whether its answer depends on the run's effort.
    pub fn uses_effort(&self) -> bool {
        match self {
            Self::Auto => auto::CARD.uses_effort,
            Self::Named { key, .. } => {
                SOLVERS.iter().map(|s| s.card()).any(|card| card.key == *key && card.uses_effort)
            }
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str(auto::CARD.key),
            Self::Named { key, settings } => {
                f.write_str(key)?;
                for (setting, value) in settings {
                    match value.as_str() {
                        "true" => write!(f, ":{setting}")?,
                        value => write!(f, ":{setting}={value}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// Solves a problem. The answer is judged before anyone sees it.
pub fn solve(problem: &Problem, choice: &Choice, run: &Run) -> Result<Outcome, SolveError> {
    let (candidates, why) = match choice {
        Choice::Auto => auto::choose(problem, run.effort),
        named => (vec![named.clone()], None),
    };
    let mut best: Option<Outcome> = None;
    for candidate in candidates {
        let (solution, remark) = solve_with(problem, &candidate, run)?;
        if best.as_ref().is_none_or(|b| solution.cost() < b.solution.cost()) {
            best = Some(Outcome { solution, solver: candidate.to_string(), why: why.clone(), remark });
        }
        if run.out_of_time() {
            break;
        }
    }
    best.ok_or_else(|| Unsupported("no solver fits this problem".into()).into())
}

fn solve_with(
    problem: &Problem,
    choice: &Choice,
    run: &Run,
) -> Result<(Solution, Option<String>), SolveError> {
    let Choice::Named { key, settings } = choice else {
        return Err(Unsupported("auto cannot choose itself".into()).into());
    };
    let solver = SOLVERS.iter().find(|s| s.card().key == *key);
    let solver =
        solver.ok_or_else(|| SolveError::Unknown { name: (*key).to_owned(), hint: String::new() })?;
    choice.supports(problem)?;
    let run = Run { settings: settings.clone(), ..run.clone() };
    let Answer { found, bound, remark } = run.in_pool(|| solver.group(problem, &run))?;
    let mut solution =
        judge(problem, found).map_err(|broken| SolveError::Broken { solver: choice.to_string(), broken })?;
    if let Some(bound) = bound {
        solution.claim(problem, bound);
    }
    Ok((solution, remark))
}
