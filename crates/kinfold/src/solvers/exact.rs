//! Exact: the least loss of all groupings, proven.
//!
//! # The problem
//! Paper *optimize* writes it as a mixed-integer program with big-M constraints (section 2.2); the authors'
//! commercial solver gave up at 100 rows of 8 columns.
//!
//! # The idea
//! See it as set partitioning: of all groups there could be, choose some so that everybody is in one. Column
//! generation with cuts gives prices that prove a bound a fraction of a per cent below the best
//! (`bounds/lp.rs`), and diving and polishing a grouping as close above it (`polish`). A grouping better than
//! the best known one can only hold groups that cost less beyond their worth than the best known grouping
//! costs beyond the bound: these are listed, and branch and bound finds the best grouping among them. To keep
//! lists short a narrow margin comes first; the better grouping found there shrinks what is left to look at.
//!
//! # Promise
//! No grouping is better by more than rounding (16 units of 2⁻³² of a cell per person). At the deadline the
//! answer is the best grouping so far, and its bound says how far it can be from the best.
//!
//! # Requirements beyond k
//! Prices prove nothing about them. Tables of up to 14 rows are solved by trying all groups that fulfil
//! everything (`all_groups.rs`), which is there to compare other solvers with; larger ones are declined.
//!
//! # What it lacks
//! Time grows quickly with k and where few columns make many groups cost the same.

use super::all_groups;
use super::partition::Partition;
use super::polish::better;
use super::stars::start;
use super::whole_rows::{found, grouping, supports_whole_rows};
use crate::bounds::boxes::Space;
use crate::bounds::enumerate::within_slack;
use crate::bounds::lp::{THOROUGH, generate};
use crate::bounds::price::Members;
use crate::bounds::tariff::Tariff;
use crate::{Answer, Card, Case, Promise, Run, Solver, Stopped, Unsupported};
use kinfold_model::{Cost, Objective, Problem};

pub(crate) struct Exact;

/// Rows that it takes on.
const MOST_ROWS: usize = 1_000;
/// Groups in a list.
const POOL: usize = 400_000;
/// Pairs that are tried before one is chosen to branch on.
const TRIED: usize = 6;

const CARD: Card = Card {
    key: "exact",
    title: "the least loss of all groupings, by column generation and branch and bound",
    paper: "Liang, Samavi: optimization-based k-anonymity algorithms, section 2.2; solved as set partitioning",
    objectives: Objective::BY_CELL,
    promise: Promise::Optimal,
    cases: &Case::of_whole_rows("exact_is_as_good_as_trying_all_groupings"),
    slow: true,
    runtime: "seconds at 100 rows and k = 3; grows quickly with k: set a time limit",
    not_for: "more than 1,000 rows, withholding, rows with a count above 1",
    ..Card::BASE
};

impl Solver for Exact {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fulfils_requirements(&self, objective: Objective) -> bool {
        Objective::BY_CELL.contains(&objective)
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let (rows, few) = (problem.rows(), all_groups::MOST_ROWS);
        Unsupported::unless(problem.guard().is_none() || rows <= few, || {
            format!("with a privacy model beyond k, exact takes at most {few} rows, and the table has {rows}")
        })?;
        Unsupported::unless(rows <= MOST_ROWS, || {
            format!("exact takes tables of at most {MOST_ROWS} rows, this one has {rows}")
        })?;
        supports_whole_rows(problem, CARD.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        if let Some(guard) = problem.guard() {
            let (found, cost) = all_groups::best(problem, guard, run)?;
            return Ok(Answer::new(found, Some(cost)));
        }
        let space = Space::new(problem);
        let start = grouping(problem, &start(problem, run)?);
        let (groups, bound) = solve(&space, start, run)?;
        Ok(Answer::new(found(problem, &groups), Some(Cost(bound))))
    }
}

/// Improves a grouping until it is the best, or the time is over; and what any grouping costs at least.
fn solve(space: &Space<'_>, start: Vec<Members>, run: &Run) -> Result<(Vec<Members>, u64), Stopped> {
    let known = generate(space, start.clone(), Cost(space.cost_of(&start)), THOROUGH, run)?;
    // What the prices prove.
    let (least, tariff) = (known.bound(space.problem).0, Tariff::new(known));
    let mut groups = better(space, &tariff, start, 2, run)?;
    let (mut cost, mut bound) = (space.cost_of(&groups), least);
    // The whole margin: what a better grouping's groups may cost beyond their worth, together. Ever wider ones
    // are looked at until nothing can be better.
    let whole = |cost: u64| cost.saturating_sub(least + 1);
    let mut margin = whole(cost) / 4 + 1;
    while cost > bound && !run.out_of_time() {
        margin = margin.min(whole(cost));
        let Some(pool) = within_slack(space, &tariff, margin, POOL, run)? else { break };
        let cutoff = least + margin + 1;
        let mut partition = Partition::new(space, &pool, cost, cutoff, usize::MAX, run);
        partition.tried = TRIED;
        let finished = partition.search(&tariff)?;
        let open = partition.open;
        if let Some(best) = partition.best {
            groups = best.iter().map(|&c| pool[c as usize].members.clone()).collect();
            cost = partition.best_cost;
        }
        // A grouping that costs no more than the bound and the margin has no group beyond the margin.
        bound = bound.max(cutoff.min(open).min(cost));
        if !finished || margin >= whole(cost) {
            break;
        }
        margin *= 2;
    }
    Ok((groups, bound))
}
