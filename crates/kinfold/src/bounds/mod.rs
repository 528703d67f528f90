//! Lower bounds: what any release under the policy must lose.
//!
//! # The idea
//! Give every person a price such that no group's people are worth more than the group costs. Then any
//! release costs at least what everybody is worth together ([`Prices`] says why). In the language of linear
//! programs: choosing groups so that everybody is in one is set partitioning, and prices are a solution of
//! the dual of its relaxation. Three ways to find prices, ever better and ever dearer:
//!
//! | | price of a person | |
//! |---|---|---|
//! | `nearest` | the way to the (k − 1)-th nearest other person | at once |
//! | `box` | the cheapest box that holds k people and this one | seconds |
//! | `lp` | those of the linear program with cuts, by column generation | a minute at 30,000 rows |
//!
//! # No group needs more than 2k − 1 people
//! A group of 2k people or more falls into two of at least k, each covered by the old box: it costs no more.
//! Rows that stand for several people cannot always be parted like this, but parting them anyway can only
//! make a release cheaper, so the bound holds for them too. So records are treated as so many people each,
//! and rows with count 0 are left out.
//!
//! # Whom to trust
//! Nobody: prices are whole numbers, an exact search finds the groups that are worth too much and lowers
//! prices until none is (`repair.rs`), and the judge checks the result with a search of its own.
//!
//! # Files
//! `price.rs` finds the dearest group around a person exactly; `lp.rs` finds good prices by column generation with
//! `master.rs` (Clarabel); `cuts.rs` prices pairs of people and `tariff.rs` says what a group may be worth
//! then; `enumerate.rs` lists the groups that a better grouping could hold, for `solvers/partition/`.

pub(crate) mod boxes;
mod cheapest_box;
pub(crate) mod cuts;
pub(crate) mod enumerate;
pub(crate) mod lp;
pub(crate) mod master;
pub(crate) mod nearest;
mod pattern_prices;
pub(crate) mod price;
mod prove;
mod range_tree;
pub(crate) mod repair;
pub(crate) mod tariff;

pub use prove::{NoBound, Strength, find_prices, judge_prices, prove};

use crate::{Run, Stopped, Unsupported};
use boxes::Space;
use kinfold_model::certificate::Prices;
use kinfold_model::cost::Objective;
use kinfold_model::judge::Solution;
use kinfold_model::problem::Problem;
use kinfold_model::recoding::Recoding;
use price::Members;
use std::collections::BTreeMap;
use tariff::Tariff;

/// No price is more than so many fully lost rows: enough in practice, and sums stay small.
const MOST_ROWS: u64 = 4;

/// Declines objectives under which prices prove nothing.
pub fn supports_objective(objective: Objective) -> Result<(), Unsupported> {
    let word = objective.word();
    Unsupported::unless(Objective::BY_CELL.contains(&objective), || {
        format!("there are no certificates under objective {word}: its solvers report their own bounds")
    })
}

/// Declines those, and problems whose sums would not fit.
pub fn supports(problem: &Problem) -> Result<(), Unsupported> {
    supports_objective(problem.objective())?;
    Unsupported::unless(problem.recoding() == Recoding::Local, || {
        "there are no certificates under global recoding: solver levels reports its own bound".to_owned()
    })?;
    let row = u128::from(problem.withheld_cost());
    Unsupported::unless(u128::from(problem.k()) * row * 4 * u128::from(MOST_ROWS) < 1 << 62, || {
        "k and the weights together are too large to prove a bound exactly".to_owned()
    })
}

/// Prices by nearest neighbours: a weak bound, at once.
pub fn nearest(problem: &Problem, run: &Run) -> Result<Prices, Stopped> {
    run.in_pool(|| nearest::prices(&Space::new(problem), run))
}

/// Prices by the cheapest box around everybody. At the deadline those not done have the price of their
/// nearest.
pub fn cheapest_box(problem: &Problem, run: &Run) -> Result<Prices, Stopped> {
    run.in_pool(|| cheapest_box::prices(&Space::new(problem), run))
}

/// Prices by the cheapest box, or by nearest neighbours, if they can be had before the deadline.
fn in_time(problem: &Problem, boxes: bool, run: &Run) -> Result<Option<Prices>, Stopped> {
    let space = Space::new(problem);
    let price = |record| match boxes {
        true => cheapest_box::around(&space, record),
        false => nearest::way_to_company(&space, record),
    };
    run.in_pool(|| nearest::in_time(&space, run, price))
}

/// Prices of the linear program with cuts, as good as the deadline allows. `solution`: a good grouping, from
/// which the search starts.
pub fn linear_program(problem: &Problem, solution: &Solution, run: &Run) -> Result<Prices, Stopped> {
    program(&Space::new(problem), solution, lp::THOROUGH, run)
}

fn program(space: &Space<'_>, solution: &Solution, work: lp::Work, run: &Run) -> Result<Prices, Stopped> {
    let start = groups_of(space.problem, solution);
    run.in_pool(|| lp::generate(space, start, solution.cost(), work, run))
}

/// The groups of a solution, by records; those larger than any group needs to be are left out.
pub(crate) fn groups_of(problem: &Problem, solution: &Solution) -> Vec<Members> {
    let mut groups = Vec::new();
    for group in 0..solution.groups() {
        let mut members: BTreeMap<u32, u64> = BTreeMap::new();
        for &row in solution.rows(group) {
            if problem.row_size(row) > 0 {
                *members.entry(problem.record_of(row)).or_default() += problem.row_size(row);
            }
        }
        if (problem.k()..2 * problem.k()).contains(&members.values().sum::<u64>()) {
            groups.push(members.into_iter().collect());
        }
    }
    groups
}

/// The most that a group is worth beyond its cost and the price per group, if this record is its dearest;
/// never negative. With fewer than `nodes` nodes of search it is exact, else an upper bound.
pub fn dearest_around(problem: &Problem, prices: &Prices, record: u32, nodes: usize) -> i64 {
    repair::dearest_around(&Space::new(problem), &Tariff::new(prices.clone()), nodes, record).most
}

/// Marks prices down until they prove a bound; those of nearest neighbours if the deadline comes first.
pub fn repaired(problem: &Problem, prices: Prices, run: &Run) -> Result<Prices, Stopped> {
    let space = Space::new(problem);
    let repaired = run.in_pool(|| repair::repair(&space, prices, usize::MAX, run))?;
    match repaired {
        Some(repaired) => Ok(repaired.prices),
        None => run.in_pool(|| nearest::prices(&space, run)),
    }
}
