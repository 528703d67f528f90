//! What a solver says of itself. Help, documentation and the table of promises in `papers/README.md` read it.

use kinfold_model::cost::Objective;
use kinfold_model::recoding::Recoding;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;

/// What a solver guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// No release is better.
    Optimal,
    /// At most so many times the best.
    Factor(&'static str),
    /// Valid, and good in practice; no factor is proven.
    Heuristic,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Optimal => f.write_str("optimal"),
            Self::Factor(factor) => write!(f, "at most {factor} × optimum"),
            Self::Heuristic => f.write_str("heuristic"),
        }
    }
}

/// What an input may have that a theorem does not speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// None of the others: every row is one person, all are released, columns weigh the same.
    Plain,
    /// Rows that stand for several people.
    Counts,
    /// People may be left out.
    Withholding,
    /// The middle of a group may be its centre.
    Middles,
    /// Missing values.
    Missing,
    /// Columns of different weights.
    Weights,
    /// Centres of different set-up costs.
    Setups,
    /// A limit on the number of groups.
    Limit,
    /// Such a limit, and people may be left out.
    LimitWithholding,
}

impl Input {
    /// Every input that a promise must speak of.
    pub const ALL: &'static [Self] = &[
        Self::Plain,
        Self::Counts,
        Self::Withholding,
        Self::Middles,
        Self::Missing,
        Self::Weights,
        Self::Setups,
        Self::Limit,
        Self::LimitWithholding,
    ];

    /// Those that can occur with every objective.
    pub const COMMON: &'static [Self] =
        &[Self::Plain, Self::Counts, Self::Withholding, Self::Missing, Self::Weights];

    /// The word for it in lists.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Counts => "counts",
            Self::Withholding => "withholding",
            Self::Middles => "centre = middle",
            Self::Missing => "missing values",
            Self::Weights => "weights",
            Self::Setups => "set-up costs by centre",
            Self::Limit => "limit on groups",
            Self::LimitWithholding => "limit on groups with withholding",
        }
    }
}

/// What is left of a card's promise on an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All of it.
    Fully,
    /// Only this.
    Weaker(Promise),
    /// The input is declined, by the solver or by the policy.
    Declined,
}

/// What a card promises on some inputs, and the test that shows it.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The inputs.
    pub inputs: &'static [Input],
    /// What is left of the promise.
    pub kept: Kept,
    /// The name of the test function.
    pub test: &'static str,
    /// Why it is not all of it.
    pub why: &'static str,
}

impl Case {
    /// The promise holds.
    pub const fn kept(inputs: &'static [Input], test: &'static str) -> Self {
        Self { inputs, kept: Kept::Fully, test, why: "" }
    }

    /// Less is promised.
    pub const fn weaker(
        inputs: &'static [Input],
        promise: Promise,
        test: &'static str,
        why: &'static str,
    ) -> Self {
        Self { inputs, kept: Kept::Weaker(promise), test, why }
    }

    /// What solvers have that take rows of one person each, all of them released.
    pub const fn of_whole_rows(test: &'static str) -> [Self; 2] {
        let plain = Self::kept(&[Input::Plain, Input::Missing, Input::Weights], test);
        let others = &[Input::Counts, Input::Withholding];
        [plain, Self::declined(others, "it takes rows of one person each, all of them released")]
    }

    /// The input is declined.
    pub const fn declined(inputs: &'static [Input], why: &'static str) -> Self {
        Self { inputs, kept: Kept::Declined, test: "every_solver_declines_what_its_card_says", why }
    }

    /// Its inputs, in words.
    pub fn inputs(&self) -> String {
        self.inputs.iter().map(|input| input.word()).collect::<Vec<_>>().join(", ")
    }

    /// What holds, for a card of this promise.
    pub fn outcome(&self, promise: Promise) -> String {
        match self.kept {
            Kept::Fully => promise.to_string(),
            Kept::Weaker(promise) => promise.to_string(),
            Kept::Declined => "declined".to_owned(),
        }
    }
}

/// What a solver says of itself: help, documentation and lists read it.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Its name on the command line.
    pub key: &'static str,
    /// What it does, in a line.
    pub title: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it minimises.
    pub objectives: &'static [Objective],
    /// Whether it groups rows freely, or by one level per column.
    pub recoding: Recoding,
    /// Whether its answer depends on [`Effort`](crate::Effort).
    pub uses_effort: bool,
    /// What it guarantees on plain inputs.
    pub promise: Promise,
    /// What it guarantees on every input there can be, each in one case; a heuristic has nothing to say.
    pub cases: &'static [Case],
    /// Whether it may take minutes where others take seconds: `compare` runs it only by name or with a time
    /// limit.
    pub slow: bool,
    /// How long it takes.
    pub runtime: &'static str,
    /// When to use another.
    pub not_for: &'static str,
    /// What can be set: `--solver NAME:key=value`.
    pub settings: &'static [Setting],
    /// The short name of the paper that it is here to be faithful to; none: it is here to be chosen. Lists and
    /// `compare` show the former after the others, or by name.
    pub method_of: Option<&'static str>,
}

impl Card {
    /// A quick heuristic without settings, to be filled in: `Card { key: "mine", ..Card::BASE }`.
    pub const BASE: Self = Self {
        key: "",
        title: "",
        paper: "",
        objectives: &[],
        recoding: Recoding::Local,
        uses_effort: false,
        promise: Promise::Heuristic,
        cases: &[],
        slow: false,
        runtime: "",
        not_for: "",
        settings: &[],
        method_of: None,
    };
}

/// As a report: the words of objectives and inputs, and what holds in every case.
impl Serialize for Card {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let case = |case: &Case| -> Value {
            let inputs: Vec<&str> = case.inputs.iter().map(|input| input.word()).collect();
            let promise = case.outcome(self.promise);
            json!({"inputs": inputs, "promise": promise, "test": case.test, "why": case.why})
        };
        let card = json!({
            "key": self.key,
            "title": self.title,
            "objectives": self.objectives.iter().map(|objective| objective.word()).collect::<Vec<_>>(),
            "recoding": self.recoding.word(),
            "uses_effort": self.uses_effort,
            "promise": self.promise.to_string(),
            "cases": self.cases.iter().map(case).collect::<Vec<_>>(),
            "paper": self.paper,
            "method_of": self.method_of,
            "runtime": self.runtime,
            "not_for": self.not_for,
            "settings": self.settings,
        });
        card.serialize(to)
    }
}

/// Something that can be set on a solver.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Setting {
    /// Its name.
    pub key: &'static str,
    /// Values it may have; the first is the default.
    pub values: &'static [&'static str],
    /// What it does.
    pub about: &'static str,
}

/// The promises of some cards as a table in Markdown, a line per case, sorted by the solvers' names.
pub fn promise_table<'c>(cards: impl IntoIterator<Item = &'c Card>) -> String {
    let mut cards: Vec<&Card> = cards.into_iter().collect();
    cards.sort_by_key(|card| card.key);
    let mut text = String::from("| solver | input | promise | test | why |\n|---|---|---|---|---|\n");
    for card in cards {
        for case in card.cases {
            let (inputs, outcome) = (case.inputs(), case.outcome(card.promise));
            text += &format!("| `{}` | {inputs} | {outcome} | `{}` | {} |\n", card.key, case.test, case.why);
        }
    }
    text
}
