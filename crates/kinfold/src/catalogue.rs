//! Solvers to choose from, and the choice of one by its name. A catalogue is a value: who has solvers of
//! their own adds them to the standard ones.

use crate::solvers::{ELSEWHERE, RENAMED, SOLVERS, auto};
use crate::{Card, SolveError, Solver, Unsupported};
use kinfold_model::policy::nearest;
use kinfold_model::{Hint, Problem};
use std::collections::BTreeMap;
use std::fmt;

/// Solvers that can be chosen by name.
#[derive(Clone)]
pub struct Solvers(Vec<&'static dyn Solver>);

impl Default for Solvers {
    fn default() -> Self {
        Self::standard()
    }
}

impl Solvers {
    /// The solvers of this crate.
    pub fn standard() -> Self {
        Self(SOLVERS.to_vec())
    }

    /// These solvers alone.
    pub fn only(solvers: &[&'static dyn Solver]) -> Self {
        Self(solvers.to_vec())
    }

    /// More solvers, listed after these.
    pub fn with(mut self, more: &[&'static dyn Solver]) -> Self {
        self.0.extend(more);
        self
    }

    /// All of them, in the order of lists.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Solver> {
        self.0.iter().copied()
    }

    /// What they say of themselves.
    pub fn cards(&self) -> impl Iterator<Item = &'static Card> {
        self.iter().map(|solver| solver.card())
    }

    /// Reads `auto` or `NAME[:key[=value]]…`; a bare key switches it on. A name that a solver had before is
    /// read as the one that it has now.
    pub fn choice(&self, text: &str) -> Result<Choice, SolveError> {
        let (old, settings) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let renamed = RENAMED.iter().find(|(name, _)| *name == old);
        let text = match (renamed, settings) {
            (None, _) => text.to_owned(),
            (Some((_, new)), None) => (*new).to_owned(),
            (Some((_, new)), Some(settings)) => format!("{new}:{settings}"),
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        if name == auto::CARD.key {
            return match parts.next() {
                None => Ok(Choice::Auto),
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
        let Some(solver) = self.iter().find(|solver| solver.card().key == name) else {
            return Err(self.missing(name));
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
        Ok(Choice::Named { solver, settings, renamed: renamed.copied() })
    }

    fn missing(&self, name: &str) -> SolveError {
        if let Some(&(name, feature)) = ELSEWHERE.iter().find(|(key, _)| *key == name) {
            return SolveError::Lacking { name, feature };
        }
        let keys = || self.cards().map(|card| card.key);
        let hint = match nearest(name, keys()) {
            Some(close) => format!("did you mean {close:?}?"),
            None => format!("use auto or one of {}", keys().collect::<Vec<_>>().join(", ")),
        };
        SolveError::Unknown { name: name.to_owned(), hint }
    }
}

/// Which solver is wanted.
#[derive(Clone, Default)]
pub enum Choice {
    /// The best known for the problem.
    #[default]
    Auto,
    /// This one, with these settings.
    Named {
        /// The solver.
        solver: &'static dyn Solver,
        /// Its settings.
        settings: BTreeMap<String, String>,
        /// The name that it had before, by which it was asked for, and how it is said now.
        renamed: Option<(&'static str, &'static str)>,
    },
}

impl Choice {
    /// Chooses from the standard solvers: see [`Solvers::choice`].
    pub fn parse(text: &str) -> Result<Self, SolveError> {
        Solvers::standard().choice(text)
    }

    /// This solver, with its default settings.
    pub fn of(solver: &'static dyn Solver) -> Self {
        Self::Named { solver, settings: BTreeMap::new(), renamed: None }
    }

    /// What the chosen one says of itself.
    pub fn card(&self) -> &'static Card {
        match self {
            Self::Auto => &auto::CARD,
            Self::Named { solver, .. } => solver.card(),
        }
    }

    /// The settings that it was chosen with.
    pub(crate) fn settings(&self) -> BTreeMap<String, String> {
        match self {
            Self::Auto => BTreeMap::new(),
            Self::Named { settings, .. } => settings.clone(),
        }
    }

    /// What to say where the solver was asked for by a name that it had before.
    pub fn note(&self) -> Option<Hint> {
        match self {
            Self::Named { renamed: Some((old, new)), .. } => {
                Some(format!("solver {old} is now {new}").into())
            }
            _ => None,
        }
    }

    /// Declines what the solver cannot do with these settings.
    pub fn supports(&self, problem: &Problem) -> Result<(), Unsupported> {
        let Self::Named { solver, settings, .. } = self else { return Ok(()) };
        solver.supports(problem)?;
        solver.within_settings(problem, settings)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.card().key)?;
        let Self::Named { settings, .. } = self else { return Ok(()) };
        for (setting, value) in settings {
            match value.as_str() {
                "true" => write!(f, ":{setting}")?,
                value => write!(f, ":{setting}={value}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Choice({self})")
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Choice {}

impl fmt::Debug for Solvers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.cards().map(|card| card.key)).finish()
    }
}
