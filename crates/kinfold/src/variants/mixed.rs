//! Mixed recoding: some columns are on one level for all rows (`level = "auto"`), the others are coded group by group.
//! Which levels is chosen here.
//!
//! Every choice of levels is a policy of its own, and what it loses is estimated by grouping the table quickly. Few
//! choices are all tried. Of many, the search starts from the finest, the middle and the coarsest levels and goes to
//! the best change of one column as long as that helps. The best few choices are then grouped as the options say.
//! Losses of all choices are on one scale, as a cell costs the share of its column that it covers.

use super::Way;
use crate::prepared::Prepared;
use crate::{Effort, Error, Options, Outcome, Spent, Stopwatch};
use kinfold_model::{Event, Phase};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

/// So many choices are all tried.
const ALL: usize = 24;
/// How many choices are grouped as the options say.
const FINALISTS: usize = 3;

/// A table whose levels are chosen, and its groups if they were found on the way.
pub(crate) struct Settled<'p> {
    pub prepared: Cow<'p, Prepared>,
    pub outcome: Option<Outcome>,
    /// What that took.
    pub cpu_seconds: f64,
}

/// Chooses the levels that the policy leaves open, if there are any.
pub(crate) fn settle<'p>(prepared: Cow<'p, Prepared>, options: &Options) -> Result<Settled<'p>, Error> {
    let open = prepared.policy.open_levels();
    if open.is_empty() {
        return Ok(Settled { prepared, outcome: None, cpu_seconds: 0.0 });
    }
    if options.refuse {
        let what =
            "a level that is chosen automatically does not go with earlier releases that must be respected";
        return Err(Error::unsuitable(what, "name the level: level = 10"));
    }
    let (names, levels): (Vec<String>, Vec<Vec<usize>>) = open.into_iter().unzip();
    let (tried, stopwatch) = (BTreeMap::new(), Stopwatch::start());
    let mut search = Search { base: &prepared, names, levels, options, tried, refused: None, stopwatch };
    search.run()?;
    let (prepared, outcome, spent) = search.best()?;
    Ok(Settled {
        prepared: Cow::Owned(prepared),
        outcome: Some(outcome),
        cpu_seconds: spent.cpu.unwrap_or(0.0),
    })
}

/// For every open column, the place of a level among those to choose from.
type Choice = Vec<usize>;

struct Search<'a> {
    base: &'a Prepared,
    names: Vec<String>,
    levels: Vec<Vec<usize>>,
    options: &'a Options,
    /// What choices lose, in units; none: nothing can be released on these levels.
    tried: BTreeMap<Choice, Option<u64>>,
    /// Why the coarsest levels that cannot be released cannot.
    refused: Option<(Choice, Error)>,
    stopwatch: Stopwatch,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Error> {
        let choices = self.levels.iter().map(Vec::len).product::<usize>();
        let last: Choice = self.levels.iter().map(|levels| levels.len() - 1).collect();
        if choices <= ALL {
            let mut at = vec![0; last.len()];
            while !self.is_over(choices) {
                self.look(&at)?;
                let Some(column) = (0..at.len()).find(|&column| at[column] < last[column]) else { break };
                at[..column].fill(0);
                at[column] += 1;
            }
            return Ok(());
        }
        let middle = last.iter().map(|last| last / 2).collect();
        for start in [middle, vec![0; last.len()], last] {
            self.climb(start)?;
        }
        Ok(())
    }

    /// How many choices may be tried where not all are.
    fn most(&self) -> usize {
        match self.options.effort {
            Effort::Quick => 40,
            Effort::Normal => 80,
            Effort::Deep => 200,
        }
    }

    /// Whether so many choices were tried, or half of the time is over. One that can be released is always looked for.
    fn is_over(&self, most: usize) -> bool {
        self.tried.len() >= most
            || self.left(0.5).is_some_and(|left| left.is_zero()) && self.tried.values().any(Option::is_some)
    }

    /// What is left of a part of the time limit.
    fn left(&self, part: f64) -> Option<Duration> {
        let spent = Duration::from_secs_f64(self.stopwatch.spent().wall);
        self.options.time_limit.map(|limit| limit.mul_f64(part).saturating_sub(spent))
    }

    /// From some levels, always to the best with one column changed.
    fn climb(&mut self, mut at: Choice) -> Result<(), Error> {
        let mut now = self.look(&at)?;
        loop {
            let mut best: Option<(u64, Choice)> = None;
            for column in 0..at.len() {
                for level in (0..self.levels[column].len()).filter(|&level| level != at[column]) {
                    if self.is_over(self.most()) {
                        return Ok(());
                    }
                    let mut next = at.clone();
                    next[column] = level;
                    let loss = self.look(&next)?;
                    if let Some(loss) = loss
                        && best.as_ref().is_none_or(|(least, _)| loss < *least)
                    {
                        best = Some((loss, next));
                    }
                }
            }
            match best {
                Some((loss, next)) if now.is_none_or(|now| loss < now) => (now, at) = (Some(loss), next),
                _ => return Ok(()),
            }
        }
    }

    fn on(&self, choice: &Choice) -> Result<Prepared, Error> {
        let chosen = self.names.iter().zip(&self.levels).zip(choice);
        let chosen = chosen.map(|((name, levels), &at)| (name.as_str(), levels[at]));
        self.base.under(&self.base.policy.with_levels(chosen), self.options).map(Cow::into_owned)
    }

    /// What a choice loses, by a quick grouping; none if nothing can be released.
    fn look(&mut self, choice: &Choice) -> Result<Option<u64>, Error> {
        if let Some(&known) = self.tried.get(choice) {
            return Ok(known);
        }
        let quick = Options { effort: Effort::Quick, time_limit: self.left(0.5), ..self.options.clone() };
        let loss = match self.on(choice).and_then(|prepared| grouped(&prepared, &quick)) {
            Ok((loss, _)) => Some(loss),
            Err(error @ Error::Impossible(_)) => {
                if self.refused.as_ref().is_none_or(|(finer, _)| finer < choice) {
                    self.refused = Some((choice.clone(), error));
                }
                None
            }
            Err(error) => return Err(error),
        };
        self.tried.insert(choice.clone(), loss);
        Ok(loss)
    }

    /// The best choice, and its groups.
    fn best(self) -> Result<(Prepared, Outcome, Spent), Error> {
        let mut ranked: Vec<(u64, &Choice)> =
            self.tried.iter().filter_map(|(choice, loss)| Some(((*loss)?, choice))).collect();
        ranked.sort_unstable();
        let finalists = if self.options.effort == Effort::Quick { 1 } else { FINALISTS };
        let mut best: Option<(u64, Prepared, Outcome)> = None;
        for (number, (_, choice)) in ranked.into_iter().take(finalists).enumerate() {
            let prepared = self.on(choice)?;
            let time_limit = self.left(1.0).map(|left| left / (finalists - number) as u32);
            let (loss, outcome) = grouped(&prepared, &Options { time_limit, ..self.options.clone() })?;
            if best.as_ref().is_none_or(|(least, ..)| loss < *least) {
                best = Some((loss, prepared, outcome));
            }
        }
        let tried = self.tried.len();
        match (best, self.refused) {
            (Some((_, prepared, mut outcome)), _) => {
                let own = outcome.remark.map_or(String::new(), |remark| format!("; {remark}"));
                outcome.remark = Some(format!("the best of {tried} choices of levels{own}"));
                // It holds for these levels; others might lose less.
                outcome.solution.forget_bound();
                Ok((prepared, outcome, self.stopwatch.spent()))
            }
            (None, Some((_, error))) => Err(error),
            (None, None) => Err(Error::unsuitable("no column has a level to choose", "name the levels")),
        }
    }
}

fn grouped(prepared: &Prepared, options: &Options) -> Result<(u64, Outcome), Error> {
    options.call.tell(Event::Part("levels".to_owned()));
    options.call.phase(Phase::Grouping)?;
    let way = Way::of(options);
    let tried = way.group(prepared, options)?;
    Ok((tried.outcome.solution.loss(&prepared.encoded.problem).0, tried.outcome))
}
