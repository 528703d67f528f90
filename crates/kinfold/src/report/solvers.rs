//! What a solver says of itself, for machines.

use crate::card::Card;
use serde::Serialize;

/// A solver's card.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CardReport {
    /// Its name.
    pub key: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What it can minimise.
    pub objectives: Vec<&'static str>,
    /// Whether its answer depends on the effort.
    pub uses_effort: bool,
    /// What it promises.
    pub promise: String,
    /// What is left of the promise for special inputs.
    pub cases: Vec<CaseReport>,
    /// The paper it is from.
    pub paper: &'static str,
    /// How long it takes.
    pub runtime: &'static str,
    /// What it is not for.
    pub not_for: &'static str,
    /// Its settings.
    pub settings: Vec<SettingReport>,
}

/// What is left of a promise for some inputs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CaseReport {
    /// The inputs.
    pub inputs: Vec<&'static str>,
    /// What is left.
    pub promise: String,
    /// The test that shows it.
    pub test: &'static str,
    /// Why.
    pub why: &'static str,
}

/// A setting of a solver.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SettingReport {
    /// Its name.
    pub key: &'static str,
    /// What it can be; the first is the default.
    pub values: &'static [&'static str],
    /// What it does.
    pub about: &'static str,
}

impl From<&'static Card> for CardReport {
    fn from(card: &'static Card) -> Self {
        let case = |case: &'static crate::card::Case| CaseReport {
            inputs: case.inputs.iter().map(|input| input.word()).collect(),
            promise: case.outcome(card.promise),
            test: case.test,
            why: case.why,
        };
        let settings = card.settings.iter();
        Self {
            key: card.key,
            title: card.title,
            objectives: card.objectives.iter().map(|objective| objective.word()).collect(),
            uses_effort: card.uses_effort,
            promise: card.promise.to_string(),
            cases: card.cases.iter().map(case).collect(),
            paper: card.paper,
            runtime: card.runtime,
            not_for: card.not_for,
            settings: settings
                .map(|s| SettingReport { key: s.key, values: s.values, about: s.about })
                .collect(),
        }
    }
}
