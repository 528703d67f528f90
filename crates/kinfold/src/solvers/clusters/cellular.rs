//! Cellular clustering: everybody pays the radius of the group, and every group a set-up cost; groups hold r =
//! k rows or more. Within a factor of 36 (paper *cluster*, theorem 3.8).
//!
//! # The problem
//! A group's radius is how far its rows can be from what is published of them. `cellular` adds it up over all
//! rows, and a share ε of the rows (`withhold`) may be left out.
//!
//! # The idea
//! Three steps. Every cluster's set-up cost is raised by r times its radius, and clusters that r rows cannot
//! fill are struck out; the primal-dual method (`dual.rs`) finds clusters within 6 times the best. Each takes
//! the r rows nearest to its centre besides, even if others have them. Then, smallest first, clusters that
//! still find r rows of their own keep them; the others hang on clusters that took their rows, and are
//! bundled there into groups of r to 2r − 1.
//!
//! The fee of r times the radius is what the factor needs. A quarter of that often leads to a better start
//! and a better bound, so both are tried, and the better grouping counts.
//!
//! # Outliers
//! The paper says in a sentence (end of section 3.1) that its method goes together with that of Charikar et
//! al. 2001: offers rise until all but ε of the rows are connected, and who is not by then is left out. After
//! the three steps, rows that cost more than any other place would are left out as long as that is allowed.
//! The paper proves no factor for it, and guessing the dearest cluster first, as Charikar et al. do, is left
//! out, too.
//!
//! # Example
//! Figure 3 of the paper: five rows that differ from (1, 1, 1, 1) in at most one place, r = 5: one group
//! around it costs 5. Places 0, 1, 2, 3, 100 with k = 2 and one row to leave out: 100 is the last that would
//! be connected.
//!
//! # What it lacks
//! A good factor: in practice the changes that follow (`balls.rs`) leave little of it.

use super::balls::{Balls, radius};
use super::dual::{Cluster, Dual, Fee};
use super::space::{Space, Tree};
use crate::{Answer, Card, Case, Input, Promise, Run, Solver, Stopped, Unsupported};
use kinfold_model::{Cost, Objective, Problem};

pub(crate) struct Cellular;

const CARD: Card = Card {
    key: "cellular",
    title: "sum of radii, by the primal-dual method, sharing and bundling; with outliers withheld",
    paper: "Aggarwal, Panigrahy, Feder, Thomas, Kenthapadi, Khuller, Zhu: achieving anonymity via clustering, theorem 3.8",
    objectives: &[Objective::Cellular],
    promise: Promise::Factor("36"),
    cases: &[
        Case::kept(&[Input::Plain, Input::Missing, Input::Weights], "theorem_3_8_r_cellular_is_within_36"),
        Case::weaker(
            &[Input::Middles],
            Promise::Factor("72"),
            "factors_hold_where_centres_are_middles",
            "a record of the group is up to twice as far as its middle",
        ),
        Case::weaker(
            &[Input::Setups],
            Promise::Heuristic,
            "bounds_hold_with_setup_costs_by_centre",
            "bundling puts a second group around a centre that may have a high set-up cost",
        ),
        Case::weaker(
            &[Input::Withholding],
            Promise::Heuristic,
            "bounds_of_cellular_hold_with_outliers",
            "the paper proves no factor for it",
        ),
        Case::declined(&[Input::Counts], "under objectives that make clusters a row is one person"),
    ],
    runtime: "n² log n",
    not_for: "more than 20,000 distinct records",
    ..Card::BASE
};

/// Rows are compared with all centres.
const MOST_RECORDS: usize = 20_000;

impl Solver for Cellular {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        few_records(problem, CARD.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let space = Space::new(problem);
        let tree = Tree::of_all(&space);
        let reaches = tree.reaches(problem.k(), run)?;
        let left_out = problem.may_withhold();
        let mut bound = sum_of_balls(&tree, &reaches, left_out, run)?;
        let mut best: Option<Balls<'_, '_>> = None;
        let k = problem.k();
        for times in [k, k.div_ceil(4)] {
            if run.out_of_time() {
                break;
            }
            let fee = Fee { times, least: k, left_out };
            let duals = Dual::new(&tree, &reaches, fee).solve(run)?;
            if left_out == 0 {
                // A group of k rows or more pays times/k of its cost again: that much more the best would cost
                // with the fee.
                bound = bound.max((duals.offered * u128::from(k) / u128::from(k + times)) as u64);
            }
            let mut balls = Balls::new(&space, disjoint(&tree, &reaches, &duals.open));
            balls.improve(run)?;
            if best.as_ref().is_none_or(|b| balls.cost() < b.cost()) {
                best = Some(balls);
            }
        }
        let best = best.unwrap_or_else(|| Balls::one(&space));
        Ok(Answer::new(best.found(), Some(Cost(best.at_records(bound)))))
    }
}

/// Declines what would take hours.
pub fn few_records(problem: &Problem, own: &str) -> Result<(), Unsupported> {
    Unsupported::unless(problem.records() <= MOST_RECORDS, || {
        format!("{own} takes up to {MOST_RECORDS} distinct records: use objective radius")
    })
}

/// Theorem 3.5: the primal-dual method without regard to sizes; groups below k are then joined, cheapest first.
/// The answer, in which a remark says how many, and a bound.
pub fn joined(problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
    let space = Space::new(problem);
    let tree = Tree::of_all(&space);
    let reaches = tree.reaches(problem.k(), run)?;
    let bound = sum_of_balls(&tree, &reaches, 0, run)?;
    if run.out_of_time() {
        let balls = Balls::one(&space);
        return Ok(Answer::new(balls.found(), Some(Cost(balls.at_records(bound)))));
    }
    let fee = Fee { times: 0, least: 1, left_out: 0 };
    let duals = Dual::new(&tree, &reaches, fee).solve(run)?;
    let rows = |records: &[u32]| records.iter().flat_map(|&r| problem.rows_of(r)).copied().collect();
    let mut balls = Balls::new(&space, duals.open.iter().map(|o| (o.centre, rows(&o.records))));
    let small = balls.balls.iter().filter(|ball| (ball.rows.len() as u64) < problem.k()).count();
    balls.join_small(run)?;
    balls.improve(run)?;
    let bound = bound.max(duals.offered.min(u128::from(u64::MAX)) as u64);
    let remark = (small > 0)
        .then(|| format!("{small} groups below k were joined with others: no factor is proven for that"));
    Ok(Answer { remark, ..Answer::new(balls.found(), Some(Cost(balls.at_records(bound)))) })
}

/// Everybody pays at least the least ball around some record that holds k rows and this one; the dearest may
/// be left out.
fn sum_of_balls(tree: &Tree<'_, '_>, reaches: &[u64], left_out: u64, run: &Run) -> Result<u64, Stopped> {
    let least = tree.least_balls(reaches, run)?.into_iter().zip(0..);
    let mut least: Vec<(u64, u64)> = least.map(|(least, r)| (least, tree.space.size(r))).collect();
    least.sort_unstable_by(|a, b| b.cmp(a));
    let (mut sum, mut left) = (0, left_out);
    for (needed, size) in least {
        let out = size.min(left);
        left -= out;
        sum += needed * (size - out);
    }
    Ok(sum)
}

/// Steps 2 and 3: every cluster takes the k rows nearest to its centre, and then each row stays in one.
fn disjoint(tree: &Tree<'_, '_>, reaches: &[u64], open: &[Cluster]) -> Vec<(u32, Vec<u32>)> {
    let (space, problem) = (tree.space, tree.space.problem());
    let k = problem.k() as usize;
    let mut shared: Vec<(u64, u32, Vec<u32>)> = (open.iter())
        .map(|cluster| {
            let mut rows: Vec<u32> =
                cluster.records.iter().flat_map(|&r| problem.rows_of(r)).copied().collect();
            rows.extend(nearest_rows(tree, cluster.centre, reaches[cluster.centre as usize], k));
            rows.sort_unstable();
            rows.dedup();
            (radius(space, cluster.centre, &rows), cluster.centre, rows)
        })
        .collect();
    shared.sort_unstable();
    let mut owner: Vec<Option<usize>> = vec![None; problem.rows()];
    // Level one: clusters that keep k rows of their own. Level two: those that do not, under one that took
    // rows of theirs.
    let mut kept: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut leftover: Vec<(u32, Vec<u32>)> = Vec::new();
    for (_, centre, rows) in shared {
        let own: Vec<u32> = rows.iter().copied().filter(|&row| owner[row as usize].is_none()).collect();
        if own.len() >= k {
            own.iter().for_each(|&row| owner[row as usize] = Some(kept.len()));
            kept.push((centre, own));
        } else {
            leftover.push((centre, rows));
        }
    }
    let mut hanging: Vec<Vec<Vec<u32>>> = vec![Vec::new(); kept.len()];
    let mut placed = vec![false; problem.rows()];
    for (centre, rows) in leftover {
        let takers = rows.iter().filter_map(|&row| owner[row as usize]);
        let taker = takers.min_by_key(|&o| (space.distance(kept[o].0, centre), o));
        let free = |row: &u32| owner[*row as usize].is_none() && !placed[*row as usize];
        let own: Vec<u32> = rows.iter().copied().filter(free).collect();
        own.iter().for_each(|&row| placed[row as usize] = true);
        // There is one: it had k rows, and fewer than k of them are free.
        if let Some(taker) = taker.filter(|_| !own.is_empty()) {
            hanging[taker].push(own);
        }
    }
    kept.into_iter()
        .zip(hanging)
        .flat_map(|((centre, rows), second)| bundle(centre, rows, second, k))
        .collect()
}

/// One tree: nodes of the second level are bundled until they hold k rows; the last bundle borrows from the
/// first level.
fn bundle(centre: u32, mut first: Vec<u32>, second: Vec<Vec<u32>>, k: usize) -> Vec<(u32, Vec<u32>)> {
    let mut groups = Vec::new();
    let mut bundle: Vec<u32> = Vec::new();
    for node in second {
        bundle.extend(node);
        if bundle.len() >= k {
            groups.push((centre, std::mem::take(&mut bundle)));
        }
    }
    if !bundle.is_empty() {
        if bundle.len() + first.len() >= 2 * k {
            bundle.extend(first.split_off(first.len() - (k - bundle.len())));
            groups.push((centre, bundle));
        } else {
            first.extend(bundle);
        }
    }
    groups.push((centre, first));
    groups
}

/// The k rows nearest to a record.
fn nearest_rows(tree: &Tree<'_, '_>, centre: u32, reach: u64, k: usize) -> Vec<u32> {
    let mut near: Vec<(u64, u32)> = Vec::new();
    tree.within(centre, reach, |r| near.push((tree.space.distance(centre, r), r)));
    near.sort_unstable();
    near.iter().flat_map(|&(_, r)| tree.space.problem().rows_of(r)).copied().take(k).collect()
}
