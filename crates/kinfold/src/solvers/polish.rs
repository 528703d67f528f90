//! Polish: takes neighbouring groups apart and puts them together in the best way, region by region.
//!
//! # The problem
//! Annealing stays some per cent above the bound of the linear program; most of that is not the bound's fault.
//!
//! # The idea
//! A region of some eighty rows is a problem that `exact` can handle. The prices that prove the bound for the whole
//! table prove one for every region too, so they say at once which groups are worth listing. Passes cut the table into
//! regions around random rows; regions of a pass share no group, so they are solved in parallel and the
//! number of threads changes nothing.
//!
//! # What it lacks
//! It needs the prices of the linear program, and helps little where k is large: lists grow too long.

use super::exact::{found, grouping, supports_whole_rows};
use crate::bounds::boxes::Space;
use crate::bounds::enumerate::within_slack;
use crate::bounds::master::Column;
use crate::bounds::partition::Partition;
use crate::bounds::price::Members;
use crate::bounds::range_tree::RangeTree;
use crate::parts::random::Random;
use crate::run::{Progress, Run, Stopped};
use crate::solve::Unsupported;
use kinfold_model::certificate::Prices;
use kinfold_model::judge::{Found, Solution};
use kinfold_model::problem::{Parts, Problem};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Rows of a region, pass by pass: small regions are solved to the end, large ones see farther.
const REGIONS: [usize; 4] = [84, 60, 72, 48];
/// Groups listed per region, and nodes of branch and bound.
const POOL: usize = 3_000;
const NODES: usize = 40;
/// Passes at most, and passes in a row that gain less than this share before the work ends.
const PASSES: usize = 60;
const WORTHWHILE: f64 = 2e-4;
const PATIENCE: usize = 4;

/// A better grouping, as far as the deadline allows; never a worse one. `prices`: those that prove the bound.
pub fn improve(
    problem: &Problem,
    solution: &Solution,
    prices: &Prices,
    run: &Run,
) -> Result<Found, Polishing> {
    supports_whole_rows(problem, "polishing")?;
    let start = Found { group_of: solution.group_of().to_vec() };
    let mut groups = grouping(problem, &start);
    let space = Space::new(problem);
    let tree = RangeTree::new(&space);
    let mut random = Random::new(run.seed ^ 0x706f_6c69_7368);
    let bound = prices.bound(problem).0 as f64;
    let cost = |groups: &[Members]| {
        groups.iter().map(|members| Column::new(&space, members.clone()).cost).sum::<u64>() as f64
    };
    let everything = problem.people() as f64 * problem.withheld_cost() as f64;
    let (mut now, mut idle) = (cost(&groups), 0);
    for pass in 0..PASSES {
        if run.out_of_time() || idle == PATIENCE || now <= bound {
            break;
        }
        run.tell(Progress {
            done: pass as f64 / PASSES as f64,
            loss: Some(now / everything),
            bound: Some(bound / everything),
        });
        let regions = regions(&space, &tree, &groups, REGIONS[pass % REGIONS.len()], &mut random);
        let answers = run.in_pool(|| {
            let answer = |region: &Vec<u32>| {
                let members: Vec<&Members> = region.iter().map(|&g| &groups[g as usize]).collect();
                regroup(problem, &members, prices, run)
            };
            regions.par_iter().map(answer).collect::<Result<Vec<_>, Stopped>>()
        })?;
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
        let before = now;
        now = cost(&groups);
        idle = if before - now < WORTHWHILE * before { idle + 1 } else { 0 };
    }
    Ok(found(problem, &groups))
}

/// Why nothing was polished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Polishing {
    /// It does not fit the problem.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The user stopped the work.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Groups that lie together, each in one region at most.
fn regions(
    space: &Space<'_>,
    tree: &RangeTree,
    groups: &[Members],
    size: usize,
    random: &mut Random,
) -> Vec<Vec<u32>> {
    // Groups of each record, and whether they are in a region already.
    let mut groups_of: Vec<Vec<u32>> = vec![Vec::new(); space.records() as usize];
    for (group, members) in (0u32..).zip(groups) {
        members.iter().for_each(|&(record, _)| groups_of[record as usize].push(group));
    }
    let mut used = vec![false; groups.len()];
    let mut seeds: Vec<u32> = (0..groups.len() as u32).collect();
    random.shuffle(&mut seeds);
    let mut regions = Vec::new();
    for seed in seeds {
        if used[seed as usize] {
            continue;
        }
        let centre = groups[seed as usize][0].0;
        let mut near: Vec<(u64, u32)> = vec![(0, centre)];
        tree.within(space, centre, u64::MAX, |record, apart| {
            let place = near.partition_point(|&n| n <= (apart, record));
            // Records that are done for in this pass would only take up room.
            if groups_of[record as usize].iter().any(|&g| !used[g as usize]) {
                near.insert(place, (apart, record));
                near.truncate(size);
            }
            if near.len() == size { near[size - 1].0 } else { u64::MAX }
        });
        let (mut region, mut rows) = (Vec::new(), 0);
        for group in near.iter().flat_map(|&(_, record)| groups_of[record as usize].iter().copied()) {
            if rows < size && !used[group as usize] {
                used[group as usize] = true;
                rows += groups[group as usize].iter().map(|&(_, copies)| copies as usize).sum::<usize>();
                region.push(group);
            }
        }
        if region.len() > 1 {
            regions.push(region);
        }
    }
    regions
}

/// The best way found to group a region's people anew; `None` if it is no better than before.
fn regroup(
    problem: &Problem,
    groups: &[&Members],
    prices: &Prices,
    run: &Run,
) -> Result<Option<Vec<Members>>, Stopped> {
    run.check()?;
    if run.out_of_time() {
        return Ok(None);
    }
    let mut people: BTreeMap<u32, u64> = BTreeMap::new();
    for &(record, copies) in groups.iter().copied().flatten() {
        *people.entry(record).or_default() += copies;
    }
    let records: Vec<u32> = people.keys().copied().collect();
    let part = Problem::new(Parts {
        k: problem.k(),
        objective: problem.objective(),
        rules: problem.rules().to_vec(),
        record_of: (0u32..).zip(people.values()).flat_map(|(r, &n)| (0..n).map(move |_| r)).collect(),
        codes: records.iter().flat_map(|&record| problem.codes(record)).copied().collect(),
        row_sizes: None,
        may_withhold: 0,
    });
    let Ok(part) = part else { return Ok(None) };
    let space = Space::new(&part);
    let tree = RangeTree::new(&space);
    let of_record = records.iter().map(|&record| prices.of(record)).collect();
    let prices = Prices { of_record, per_group: prices.per_group };
    let local = |record: u32| records.binary_search(&record).unwrap_or(0) as u32;
    let cost: u64 = groups
        .iter()
        .map(|members| {
            let members = members.iter().map(|&(record, copies)| (local(record), copies)).collect();
            Column::new(&space, members).cost
        })
        .sum();
    let mut margin = cost.saturating_sub(prices.bound(&part).0) / 3;
    for _ in 0..6 {
        if let Some(pool) = within_slack(&space, &tree, &prices, margin, POOL, run)? {
            let mut partition = Partition::new(&space, &pool, cost, cost, NODES, run);
            partition.search(&prices)?;
            let global = |c: u32| {
                let members = pool[c as usize].members.iter();
                members.map(|&(record, copies)| (records[record as usize], copies)).collect()
            };
            return Ok(partition.best.map(|best| best.into_iter().map(global).collect()));
        }
        margin /= 2;
    }
    Ok(None)
}
