//! Where annealing starts if groups must fulfil more than k.
//!
//! Mild requirements are fulfilled by most groups that are good for k: the others are merged. Where groups
//! must mirror the table, they are made by **slices**: all rows lie in the order of the tree, neighbours near
//! each other, and each of G groups gets the same share of every class's rows along that order. Every group
//! then mirrors the table, and is local as far as that allows. What still falls short is merged. Where rare
//! values need large groups, those come first (`hosts.rs`). Of all starts, and of several sizes of groups,
//! the one that costs least counts.

use super::hosts::{Hosting, Needs};
use super::watch::mirrors;
use crate::parts::mend::{cost_of, merge_short};
use crate::parts::near::Near;
use crate::parts::numbering::groups_of;
use crate::{Run, Stopped};
use kinfold_model::{Guard, Problem, WITHHELD};
use std::collections::BTreeMap;

/// From one size of groups to the next that is tried.
const STEP: f64 = 1.25;
/// Sizes that may cost more than the best before no larger one is tried.
const PATIENCE: usize = 3;
/// For how many rare values hosts are made; rows that need no more than so many times k need none.
const HOSTED: usize = 6;
const NEEDS_NO_HOST: u64 = 2;

/// Changes a grouping so that all requirements are fulfilled.
pub(super) fn fulfil<const L: usize, const W: usize>(
    problem: &Problem,
    guard: &Guard,
    near: &Near<L, W>,
    run: &Run,
    group_of: &mut Vec<u32>,
) -> Result<(), Stopped> {
    let kept = group_of.clone();
    merge_short(problem, guard, None, near, group_of);
    if !mirrors(guard.requirements()) {
        return Ok(());
    }
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for (place, &record) in (0u32..).zip(&near.records) {
        let here = problem.rows_of(record).iter().filter(|&&row| kept[row as usize] != WITHHELD);
        rows.extend(here.map(|&row| (place, row)));
    }
    // Makes slices of several sizes of all rows that are in no host, and keeps the best start so far.
    let mut least = cost_of(problem, near, group_of);
    let mut slices = |hosts: &[Vec<u32>]| -> Result<(), Stopped> {
        let mut hosted = vec![false; kept.len()];
        hosts.iter().flatten().for_each(|&row| hosted[row as usize] = true);
        let classes = by_class(guard, rows.iter().map(|&(_, row)| row).filter(|&row| !hosted[row as usize]));
        let free: usize = classes.iter().map(Vec::len).sum();
        let (mut size, mut least_here, mut worse) = (problem.k() as f64, i64::MAX, 0);
        while worse < PATIENCE && size * 2.0 <= free as f64 {
            run.check()?;
            let groups = (free as f64 / size) as u32;
            let mut sliced = kept.clone();
            slice(&classes, groups, &mut sliced);
            for (host, rows) in (groups..).zip(hosts) {
                rows.iter().for_each(|&row| sliced[row as usize] = host);
            }
            without_gaps(&mut sliced);
            merge_short(problem, guard, None, near, &mut sliced);
            let cost = cost_of(problem, near, &sliced);
            if cost < least {
                (*group_of, least) = (sliced, cost);
            }
            worse = if cost < least_here { 0 } else { worse + 1 };
            least_here = least_here.min(cost);
            size *= STEP;
        }
        Ok(())
    };
    slices(&[])?;
    if let Some(needs) = Needs::new(problem, guard) {
        let mut hosting = Hosting::new(guard, near, &needs, &rows);
        let least = NEEDS_NO_HOST * problem.k();
        for need in needs.above(least as f64).into_iter().take(HOSTED) {
            hosting.host(need, run)?;
            slices(&hosting.hosts)?;
        }
    }
    Ok(())
}

/// The rows of every class, in their order; large classes first.
fn by_class(guard: &Guard, rows: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
    let mut classes: BTreeMap<&[u32], Vec<u32>> = BTreeMap::new();
    for row in rows {
        classes.entry(guard.values(row)).or_default().push(row);
    }
    let mut classes: Vec<Vec<u32>> = classes.into_values().collect();
    classes.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    classes
}

/// The golden ratio: multiples of it are spread evenly between whole numbers.
const STAGGER: f64 = 0.618_033_988_749_895;

/// Gives each of so many groups its share of every class. Classes begin at different places within a group,
/// so that groups are of about the same size.
fn slice(classes: &[Vec<u32>], groups: u32, group_of: &mut [u32]) {
    for (number, rows) in classes.iter().enumerate() {
        let shift = (number as f64 * STAGGER).fract();
        for (at, &row) in rows.iter().enumerate() {
            let group = (at as f64 + shift) * f64::from(groups) / rows.len() as f64;
            group_of[row as usize] = (group as u32).min(groups - 1);
        }
    }
}

/// Groups without rows are left out of the count.
fn without_gaps(group_of: &mut [u32]) {
    let most = groups_of(group_of);
    let mut numbers = vec![0; most];
    group_of.iter().filter(|&&g| g != WITHHELD).for_each(|&g| numbers[g as usize] = 1);
    let mut next = 0;
    for number in &mut numbers {
        next += std::mem::replace(number, next);
    }
    group_of.iter_mut().filter(|g| **g != WITHHELD).for_each(|g| *g = numbers[*g as usize]);
}
