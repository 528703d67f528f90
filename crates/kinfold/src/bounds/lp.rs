//! The bound of the linear program, by column generation.
//!
//! # The problem
//! Which groups, so that everybody is in exactly one, cost least? As a linear program it has a variable for
//! every group there could be. Its dual asks for prices; the best prices give a bound a few per cent below
//! the best grouping.
//!
//! # The idea
//! Keep a list of groups. Find the dearest prices that these groups allow ([`master`](super::master)); go
//! most of the way from the best proven prices to those; find every anchor's dearest group there and mark
//! prices down until they prove a bound ([`repair`](super::repair)); what was worth too much joins the list.
//! Each round ends with a proven bound, so the work can be stopped at any time.
//!
//! When that gains no more, the program's mixture of groups is looked at for cuts that it exceeds
//! ([`cuts`](super::cuts)), and every round adds some: another one to three per cent where k is small.
//!
//! # What did not work
//! Without the box the first rounds' prices run away; going all the way to the list's prices makes bounds
//! jump up and down, since a list is never complete; big penalties in place of the box gave hopeless bounds.

use super::boxes::Space;
use super::cuts::{self, exceeded};
use super::master::{Column, Demand, Within, solve};
use super::price::Members;
use super::repair::repair;
use super::{MOST_ROWS, cheapest_box};
use crate::{Progress, Run, Stopped};
use kinfold_model::{Cost, Cut, ONE, Prices};
use std::collections::{BTreeMap, BTreeSet};

/// How far a round goes towards the prices of the list.
const STEP: f64 = 0.7;
/// Nodes of search per anchor, in the first round and at most. Early prices are far off: a rough search finds
/// groups enough.
const FIRST_BUDGET: usize = 40;
const BUDGET: usize = 5_000;
/// How much rounds must gain together to go on, as a share of the bound.
const WORTHWHILE: f64 = 1e-4;
/// With larger groups cuts are sought for so many records only: pricing with them takes too long.
const CUT_K: u64 = 4;
const CUT_RECORDS: usize = 1_000;
/// So many rounds without that gain end the work.
const PATIENCE: usize = 4;

/// How much work the bound may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    /// Rounds at most.
    pub(crate) rounds: usize,
    /// Whether to add cuts when prices get no better without.
    pub(crate) cuts: bool,
}

/// As good a bound as it gets.
pub(crate) const THOROUGH: Work = Work { rounds: 100, cuts: true };
/// A good bound soon.
pub(crate) const PLAIN: Work = Work { rounds: 100, cuts: false };

/// Proven prices, as good as the time allows. `start`: groups of a good grouping, which costs `loss`.
pub(crate) fn generate(
    space: &Space<'_>,
    start: Vec<Members>,
    loss: Cost,
    work: Work,
    run: &Run,
) -> Result<Prices, Stopped> {
    let problem = space.problem;
    let mut best = cheapest_box::prices(space, run)?;
    let mut bound = best.bound(problem);
    // Groups without repeats.
    let (mut list, mut known): (Vec<Column>, BTreeSet<Members>) = Default::default();
    let mut add = |list: &mut Vec<Column>, mut members: Members| {
        members.sort_unstable();
        if known.insert(members.clone()) {
            list.push(Column::new(space, members));
        }
    };
    start.into_iter().for_each(|members| add(&mut list, members));
    let widest = (4.0 * loss.cells() / problem.people() as f64).max(1.0 / ONE as f64);
    let mut radius = widest;
    let (mut milestone, mut idle) = (bound, 0);
    let mut cuts: Vec<Cut> = Vec::new();
    let mut cutting = false;
    let mut step = STEP;
    for round in 0..work.rounds {
        run.check()?;
        let average = |cost: Cost| cost.0 as f64 / (problem.people() as f64 * problem.withheld_cost() as f64);
        run.tell(Progress {
            done: round as f64 / work.rounds as f64,
            loss: Some(average(loss)),
            bound: Some(average(bound)),
        });
        if run.out_of_time() || bound >= loss {
            break;
        }
        let budget = (FIRST_BUDGET << round.min(16)).min(BUDGET);
        let columns: Vec<&Column> = list.iter().collect();
        let within = Within { centre: &best, radius };
        let demand = Demand { people: &space.people, groups: problem.people() / problem.k(), cuts: &cuts };
        let Some(answer) = solve(space, &demand, &columns, Some(&within)) else { break };
        let target = toward(&best, &answer.prices, step, space);
        let Some(repaired) = repair(space, target, budget, run)? else { break };
        let proven = repaired.prices.bound(problem);
        if proven > bound {
            bound = proven;
            best = repaired.prices;
            radius = (radius * 1.5).min(widest);
        } else {
            radius /= 2.0;
        }
        let gained = (bound.0 - milestone.0) as f64 >= WORTHWHILE * bound.0 as f64;
        // Rounds of rough search prove little: they are no sign that nothing more can be had.
        let tried = usize::from(budget == BUDGET);
        (milestone, idle) = if gained { (bound, 0) } else { (milestone, idle + tried) };
        if idle == PATIENCE {
            if cutting || !work.cuts || problem.k() > CUT_K && problem.records() > CUT_RECORDS {
                break;
            }
            (cutting, idle) = (true, 0);
            radius = widest;
        }
        if cutting {
            let shares = columns.iter().copied().zip(answer.shares);
            // Cuts without a price, here and in the best prices, give way to new ones.
            cuts = answer.prices.cuts;
            cuts::add(&mut cuts, best.cuts.iter().cloned());
            cuts::add(&mut cuts, exceeded(shares, &space.people, problem.records() / 2));
        }
        // Where nothing was missing from the list, its prices can be taken as they are.
        step = if repaired.groups.is_empty() { 1.0 } else { STEP };
        repaired.groups.into_iter().for_each(|members| add(&mut list, members));
    }
    Ok(best)
}

/// Most of the way from proven prices to those of the list.
fn toward(centre: &Prices, list: &Prices, step: f64, space: &Space<'_>) -> Prices {
    let part = |from: i64, to: i64| from + ((to - from) as f64 * step) as i64;
    let limit = (MOST_ROWS * space.problem.withheld_cost()) as i64;
    let pairs = centre.of_record.iter().zip(&list.of_record);
    let mut cuts: BTreeMap<&[u32], (u64, u64)> = BTreeMap::new();
    centre.cuts.iter().for_each(|cut| cuts.entry(&cut.records).or_default().0 = cut.price);
    list.cuts.iter().for_each(|cut| cuts.entry(&cut.records).or_default().1 = cut.price);
    Prices {
        of_record: pairs.map(|(&from, &to)| part(from, to).clamp(-limit, limit)).collect(),
        per_group: part(centre.per_group as i64, list.per_group as i64).max(0) as u64,
        cuts: cuts
            .into_iter()
            .map(|(records, (from, to))| Cut {
                records: records.to_vec(),
                price: part(from as i64, to as i64).max(0) as u64,
            })
            .filter(|cut| cut.price > 0)
            .collect(),
    }
}
