//! Polish: takes a good grouping to within a per cent or so of the best.
//!
//! # The problem
//! Annealing stays some per cent above the bound of the linear program; most of that is not the bound's
//! fault.
//!
//! # The idea
//! The linear program's mixture of groups is nearly a grouping. Diving makes one of it
//! (`solvers/partition/dive.rs`), whose faults are local. A region of some eighty rows is a problem that
//! branch and bound can handle, and the prices that prove the bound for the whole table prove one for every
//! region too, so they say at once which groups are worth listing. Passes cut the table into regions around
//! random rows; regions of a pass share no group, so they are solved in parallel and the number of threads
//! changes nothing. Passes that gain little are followed by more thorough ones.
//!
//! # What it lacks
//! It needs the prices of the linear program: a minute at 30,000 rows, hours at a million. It helps little
//! where k is large: lists grow too long.

mod region;

use super::anneal::Anneal;
use super::partition::dive;
use super::whole_rows::{found, grouping, supports_whole_rows};
use crate::bounds::boxes::Space;
use crate::bounds::enumerate::within_limit;
use crate::bounds::lp::{THOROUGH, generate};
use crate::bounds::price::Members;
use crate::bounds::tariff::Tariff;
use crate::parts::random::Random;
use crate::{Answer, Card, Progress, Run, SolveError, Solver, Stopped, Unsupported};
use kinfold_model::{Cost, Found, Objective, Prices, Problem, Solution};
use rayon::prelude::*;
use region::{regions, regroup};

/// Groups per record among which diving chooses.
const CHOICE: usize = 50;
/// Rows of a region, pass by pass: small regions are solved to the end, large ones see farther.
const REGIONS: [usize; 4] = [84, 60, 72, 48];
/// A pass should gain this share; after so many that do not, the next are more thorough.
const WORTHWHILE: f64 = 3e-4;
const PATIENCE: usize = 2;
/// How thorough a pass is: groups are listed within one in so many parts of the margin, and regions are so many
/// times as large.
const LEVELS: [(u64, usize); 4] = [(4, 1), (2, 1), (1, 1), (1, 2)];

pub(crate) struct Polish;

const CARD: Card = Card {
    key: "polish",
    title: "annealing, then neighbouring groups solved anew with the prices of the linear program",
    paper: "set partitioning by column generation, cuts and diving; large neighbourhood search",
    objectives: Objective::BY_CELL,
    uses_effort: true,
    slow: true,
    runtime: "seconds at 1,000 rows, minutes at 30,000 (k = 3); grows quickly with k",
    not_for: "k above 10, hundreds of thousands of rows, withholding, rows with a count above 1",
    ..Card::BASE
};

impl Solver for Polish {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        supports_whole_rows(problem, CARD.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let start = Anneal.group(problem, run)?.found;
        let space = Space::new(problem);
        let groups = grouping(problem, &start);
        let loss = Cost(space.cost_of(&groups));
        let known = generate(&space, groups.clone(), loss, THOROUGH, &run.one_part_of(2))?;
        let bound = known.bound(problem);
        let groups = better(&space, &Tariff::new(known), groups, LEVELS.len(), run)?;
        Ok(Answer::new(found(problem, &groups), Some(bound)))
    }
}

/// A better grouping, as far as the deadline allows; never a worse one. `prices`: those that prove the bound.
pub fn improve(
    problem: &Problem,
    solution: &Solution,
    prices: &Prices,
    run: &Run,
) -> Result<Found, SolveError> {
    supports_whole_rows(problem, "polishing")?;
    let start = grouping(problem, &Found::plain(solution.group_of().to_vec()));
    let space = Space::new(problem);
    let groups = run.in_pool(|| better(&space, &Tariff::new(prices.clone()), start, LEVELS.len(), run))?;
    Ok(found(problem, &groups))
}

/// Dives, then polishes the better of the two groupings region by region.
pub(super) fn better(
    space: &Space<'_>,
    tariff: &Tariff,
    start: Vec<Members>,
    levels: usize,
    run: &Run,
) -> Result<Vec<Members>, Stopped> {
    let problem = space.problem;
    let bound = tariff.prices.bound(problem).0;
    let margin = space.cost_of(&start).saturating_sub(bound);
    let list = within_limit(space, tariff, margin, CHOICE * problem.records(), run)?;
    let dived = dive(space, &list, tariff, run)?;
    let mut groups = if space.cost_of(&dived) < space.cost_of(&start) { dived } else { start };
    let everything = problem.people() as f64 * problem.withheld_cost() as f64;
    let mut random = Random::new(run.seed ^ 0x706f_6c69_7368);
    let mut now = space.cost_of(&groups);
    let (mut level, mut idle, mut pass) = (0, 0, 0);
    while let Some(&(part, larger)) = LEVELS[..levels].get(level) {
        if run.out_of_time() || now <= bound {
            break;
        }
        run.tell(Progress {
            done: level as f64 / levels as f64,
            loss: Some(now as f64 / everything),
            bound: Some(bound as f64 / everything),
        });
        let regions = regions(space, &groups, REGIONS[pass % REGIONS.len()] * larger, &mut random);
        let answer = |region: &Vec<u32>| {
            let members: Vec<&Members> = region.iter().map(|&g| &groups[g as usize]).collect();
            regroup(space, &members, tariff, part, run)
        };
        let answers = regions.par_iter().map(answer).collect::<Result<Vec<_>, Stopped>>()?;
        let mut moved = vec![false; groups.len()];
        let mut fresh = Vec::new();
        for (region, answer) in regions.iter().zip(answers) {
            if let Some(better) = answer {
                region.iter().for_each(|&g| moved[g as usize] = true);
                fresh.extend(better);
            }
        }
        let mut moved = moved.into_iter();
        groups.retain(|_| !moved.next().unwrap_or(false));
        groups.extend(fresh);
        let before = std::mem::replace(&mut now, space.cost_of(&groups));
        pass += 1;
        idle = if ((before - now) as f64) < WORTHWHILE * before as f64 { idle + 1 } else { 0 };
        if idle == PATIENCE {
            (level, idle) = (level + 1, 0);
        }
    }
    Ok(groups)
}
