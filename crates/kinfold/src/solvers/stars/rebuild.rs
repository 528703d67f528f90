//! Ruin and recreate: some neighbouring patterns are closed, and their rows served anew.
//!
//! After Shaw (1998) and Schrimpf and others (2000). What is near: the patterns of records that share a
//! pattern with a row that pays.

use super::plan::Plan;
use crate::parts::random::Random;
use crate::{Effort, Run, Stopped};
use std::collections::BTreeSet;

/// How many rows are served anew at a time, in groups' worth, at most.
const GROUPS: usize = 12;
/// Records of a pattern whose own patterns are closed with it.
const NEIGHBOURS: usize = 12;

/// How often: so many times per record that pays something, and no more than so many times in all.
fn tries(effort: Effort, paying: usize) -> usize {
    match effort {
        Effort::Quick => 0,
        Effort::Normal => (10 * paying).min(25_000),
        Effort::Deep => (100 * paying).min(400_000),
    }
}

/// Serves neighbourhoods anew, again and again, and keeps what is not worse.
pub(super) fn rebuild(plan: &mut Plan<'_>, run: &Run) -> Result<(), Stopped> {
    let mut random = Random::new(run.seed);
    let pays = |plan: &Plan<'_>, record: u32| {
        plan.attached[record as usize].iter().any(|&(pattern, _)| plan.cost(pattern) > 0)
    };
    let paying: Vec<u32> = (0..plan.attached.len() as u32).filter(|&r| pays(plan, r)).collect();
    let tries = tries(run.effort, paying.len());
    let everything = plan.problem.people() as f64 * plan.problem.withheld_cost() as f64;
    for i in 0..tries {
        if i % 64 == 0 {
            run.check()?;
            run.report(i as f64 / tries as f64, Some(plan.paid as f64 / everything));
            if run.out_of_time() {
                break;
            }
        }
        let centre = paying[random.below(paying.len())];
        if !pays(plan, centre) {
            continue;
        }
        let before = plan.paid;
        plan.log.clear();
        let served = anew(plan, centre, &mut random, run)?;
        if !served || plan.paid > before {
            plan.take_back();
        }
    }
    Ok(())
}

/// Closes patterns around a record and serves their rows; false if somebody is left, who waits no more all
/// the same.
fn anew(plan: &mut Plan<'_>, centre: u32, random: &mut Random, run: &Run) -> Result<bool, Stopped> {
    let rows = (2 + random.below(GROUPS - 1)) as u64 * plan.problem.k();
    let closed = around(plan, centre, rows, random);
    let mut freed: BTreeSet<u32> = BTreeSet::new();
    for &pattern in &closed {
        for &record in plan.patterns.records(pattern) {
            let there = plan.rows_at(record, pattern);
            if there > 0 {
                plan.unserve(record, pattern, there);
                freed.insert(record);
            }
        }
    }
    // Beyond the cheapest open pattern of a record nothing is of use to it.
    let mut useful: BTreeSet<u32> = BTreeSet::new();
    for &record in &freed {
        let k = plan.problem.k();
        for &pattern in plan.patterns.of(record) {
            useful.insert(pattern);
            if plan.load[pattern as usize] >= k {
                break;
            }
        }
    }
    plan.open_greedily(useful.iter().copied(), || random.next() as u32, run)?;
    let mut served = true;
    for &record in &freed {
        let left = plan.unserved[record as usize];
        if left > 0 {
            // Whoever finds no open pattern goes back where it was, until all of it is taken back.
            let open = plan.cheapest_open(record, None);
            served &= open.is_some();
            let to = open.or(plan.patterns.of(record).last().copied());
            to.into_iter().for_each(|pattern| plan.serve(record, pattern, left));
        }
    }
    if served {
        for &pattern in closed.iter().chain(&useful) {
            if plan.load[pattern as usize] > 0 {
                plan.close(pattern);
            }
        }
        freed.iter().for_each(|&record| {
            plan.move_to_cheaper(record);
        });
    }
    Ok(served)
}

/// Open patterns near a record that cost something, until they hold so many rows.
fn around(plan: &Plan<'_>, centre: u32, rows: u64, random: &mut Random) -> Vec<u32> {
    let (mut closed, mut held): (Vec<u32>, u64) = (Vec::new(), 0);
    let mut queue = vec![centre];
    let mut seen = BTreeSet::from([centre]);
    while let Some(record) = queue.pop() {
        for &(pattern, _) in &plan.attached[record as usize] {
            let small = plan.load[pattern as usize] <= 4 * rows;
            if plan.cost(pattern) > 0 && small && !closed.contains(&pattern) {
                held += plan.load[pattern as usize];
                closed.push(pattern);
                if held >= rows {
                    return closed;
                }
            }
        }
        if queue.is_empty() {
            // Somebody who shares a pattern with the centre, more likely one of few stars.
            let own = plan.patterns.of(centre);
            let pattern = own[random.below(own.len()).min(random.below(own.len()))];
            let records = plan.patterns.records(pattern);
            for _ in 0..NEIGHBOURS {
                let other = records[random.below(records.len())];
                if seen.insert(other) {
                    queue.push(other);
                }
            }
            if seen.len() > 40 * NEIGHBOURS || seen.len() >= plan.attached.len() {
                return closed;
            }
            if queue.is_empty() {
                // All of that pattern were seen: enough is enough.
                return closed;
            }
        }
    }
    closed
}
