//! Levels: the best level for every column, proven.
//!
//! # The problem
//! Global recoding publishes every quasi-identifier at one of its levels: ages in decades, say, for everybody. The
//! levels decide which rows are alike; classes that fall short are withheld. Of all choices of levels, which loses
//! least?
//!
//! # The idea
//! The levels are a lattice: a step up makes classes larger and cells wider. So whoever is in too small a class on
//! some levels is in one on all levels below, and whoever is released pays for the lowest levels at least. A search
//! through boxes of the lattice (`search.rs`) needs no more to leave most levels aside. Records are counted once and
//! rolled up (`space.rs`); classes are numbered by packed nodes (`numbering.rs`).
//!
//! # Any requirement
//! Of diversity by number of values and of distinct persons, a part of a class that falls short falls short too. Of
//! the others only this is sure: if every part fulfils them, so does the whole. So they leave levels aside where
//! nobody may be withheld, and are asked of every choice elsewhere. Where groups are compared with what is released,
//! classes that fall short are withheld in turn until all others fulfil everything; withholding others might release
//! more, and the bound says so.
//!
//! # Example
//! Ten ages, two sexes: whole ages and both sexes leave classes of one, so ages are published in decades.
//!
//! # Promise
//! No other levels lose less. Lattices too large for that are searched as long as the effort allows; the bound says
//! how much less any levels could lose.
//!
//! # What it lacks
//! One coding for everybody costs more than one for every group: `compare` says how much.

mod look;
mod numbering;
mod search;
mod space;

use crate::card::{Case, Input, Setting};
use crate::run::{Effort, Run, Stopped};
use crate::solve::{Answer, Card, Promise, Solver, Unsupported};
use kinfold_model::cost::{Cost, Objective, RuleKind};
use kinfold_model::judge::Found;
use kinfold_model::problem::Problem;
use kinfold_model::recoding::Recoding;
use search::{Best, Search};
use space::{Aim, Space};

pub(crate) struct Levels;

const CARD: Card = Card {
    key: "levels",
    title: "the best level for every column, by branch and bound over all levels",
    paper: "Samarati 2001; Kohlmayer, Prasser et al. 2012 (Flash) search the same lattice",
    objectives: Objective::BY_CELL,
    recoding: Recoding::Global,
    uses_effort: true,
    promise: Promise::Optimal,
    cases: &[Case::kept(Input::COMMON, "levels_equal_brute_force")],
    runtime: "less than a second at 30,000 rows and 7 columns; with 30 columns, as long as the effort allows",
    not_for: "local recoding, which loses less",
    settings: &[Setting {
        key: "by",
        values: &Aim::WORDS,
        about: "what is least: the loss, DM, C_avg, the steps above the values, or steps by height and weight",
    }],
    ..Card::BASE
};

impl Solver for Levels {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fulfils_requirements(&self, _objective: Objective) -> bool {
        true
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let presence = problem.guard().is_some_and(|guard| guard.presence().is_some());
        Unsupported::unless(!presence, || {
            "levels does not look at a population: leave out presence".to_owned()
        })
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let by = run.settings.get("by");
        let named = |aim: &Aim| by.is_some_and(|by| by == aim.word());
        let aim = Aim::ALL.into_iter().find(named).unwrap_or(Aim::Loss);
        let most_work = match run.effort {
            Effort::Quick => 1_000_000_000,
            Effort::Normal => 20_000_000_000,
            Effort::Deep => 200_000_000_000,
        };
        let space = Space::new(problem, aim);
        let best = Search::new(problem, &space, most_work, run).run()?;
        let levels = space.levels(&best.at);
        let found = look::found(problem, levels);
        let bound = (aim == Aim::Loss).then_some(Cost(best.bound));
        Ok(Answer { found, bound, remark: Some(remark(&best, aim)) })
    }
}

/// The classes of good levels, as groups of local recoding: what loses more than they do was not worth the freedom.
pub(crate) struct Classes;

/// Choices of levels times records that may be looked at for that.
const GLANCE: u64 = 20_000_000;

impl Solver for Classes {
    fn card(&self) -> &'static Card {
        const OWN: Card = Card { recoding: Recoding::Local, promise: Promise::Heuristic, cases: &[], ..CARD };
        &OWN
    }

    fn fulfils_requirements(&self, objective: Objective) -> bool {
        Levels.fulfils_requirements(objective)
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        Levels.within_limits(problem)?;
        let levels = problem.rules().iter().any(|rule| matches!(rule.kind(), RuleKind::Tree { .. }));
        Unsupported::unless(levels, || "no column has levels".to_owned())
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let Ok(global) = problem.clone().recoded(Recoding::Global) else {
            return Ok(Found::plain(vec![0; problem.rows()]).into());
        };
        let space = Space::new(&global, Aim::Loss);
        let best = Search::new(&global, &space, GLANCE, run).run()?;
        let found = look::found(&global, space.levels(&best.at));
        Ok(Found::plain(found.group_of).into())
    }
}

/// How the answer came about.
fn remark(best: &Best, aim: Aim) -> String {
    let proven = if best.bound >= best.price { "proven best of all levels" } else { "best levels found" };
    let by = match aim {
        Aim::Loss => String::new(),
        aim => format!(" by {}", aim.word().replace('-', " ")),
    };
    format!("{proven}{by}; {} looked at", best.looked_at)
}
