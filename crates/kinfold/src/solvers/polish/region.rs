//! A region: neighbouring groups that are taken apart and put together in the best way.

use crate::bounds::boxes::Space;
use crate::bounds::enumerate::within_slack;
use crate::bounds::price::Members;
use crate::bounds::tariff::Tariff;
use crate::parts::random::Random;
use crate::solvers::partition::Partition;
use crate::{Run, Stopped};
use kinfold_model::{Cut, Prices};
use std::collections::BTreeMap;

/// Groups listed per region, and nodes of branch and bound.
const POOL: usize = 3_000;
const NODES: usize = 40;

/// Groups that lie together, each in one region at most.
pub(super) fn regions(
    space: &Space<'_>,
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
        space.within(centre, u64::MAX, |record, apart| {
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
pub(super) fn regroup(
    table: &Space<'_>,
    groups: &[&Members],
    tariff: &Tariff,
    part_of_margin: u64,
    run: &Run,
) -> Result<Option<Vec<Members>>, Stopped> {
    if run.is_over()? {
        return Ok(None);
    }
    let problem = table.problem;
    let mut people: BTreeMap<u32, u64> = BTreeMap::new();
    for &(record, copies) in groups.iter().copied().flatten() {
        *people.entry(record).or_default() += copies;
    }
    let records: Vec<u32> = people.keys().copied().collect();
    // Which copies of a record are meant does not matter.
    let copies = |(&record, &copies): (&u32, &u64)| &problem.rows_of(record)[..copies as usize];
    let rows: Vec<u32> = people.iter().flat_map(copies).copied().collect();
    let Ok(part) = problem.piece(&rows) else { return Ok(None) };
    let space = Space::new(&part);
    let prices = &tariff.prices;
    let of_record = records.iter().map(|&record| prices.of(record)).collect();
    // What is left of a cut within the region holds there as well.
    let place = |record: &u32| records.binary_search(record).ok().map(|at| at as u32);
    let cut = |cut: &Cut| Cut { records: cut.records.iter().filter_map(place).collect(), price: cut.price };
    let cuts = tariff.cuts_naming(&records).into_iter().map(cut).collect();
    let prices = Prices { of_record, per_group: prices.per_group, cuts };
    let cost = groups.iter().map(|members| table.group_cost(members)).sum::<u64>();
    let tariff = Tariff::new(prices);
    let mut margin = cost.saturating_sub(tariff.prices.bound(&part).0) / part_of_margin;
    for _ in 0..8 {
        if let Some(pool) = within_slack(&space, &tariff, margin, POOL, run)? {
            let mut partition = Partition::new(&space, &pool, cost, cost, NODES, run);
            partition.search(&tariff)?;
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
