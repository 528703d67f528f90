//! Gathering with outliers left out: (r, ε)-gather, within a factor of 4 or 3 (paper *cluster*, theorem 2.4
//! and after).
//!
//! # The idea
//! Guess the largest distance T = 2R within a group of the best grouping. Take away, again and again, whoever
//! has fewer than r rows within T among those left; if no more than ε go, T passes. Then whoever has r rows
//! within T that are in no group makes a group of them, and whoever is left over goes to the nearest centre,
//! which is within 2T = 4R.
//!
//! With `records`, where centres are records as they are here: a candidate has r rows within R, and those
//! within R of candidates must be all but ε. Groups are made of r rows and more within R, and who is left
//! over finds a centre within 3R, through the candidate. No search is needed: for every record there is a
//! least such R, and the (1 − ε) part of them decides.
//!
//! Where the middle of a group may be its centre, a record can be twice as far from the group's rows, and 3
//! becomes 6; so `records` tries the other way as well then, whose factor of 4 holds for any centres: T is
//! about distances between rows.
//!
//! # Example
//! Places 0, 1, 2, 3, 100 with r = 2 and one row to leave out: 100 goes, T = 1.

use super::balls::{Balls, join_nearest};
use super::space::{Space, Tree};
use super::threshold::{Bounded, least};
use crate::{Run, Stopped};

/// The groupings to choose from: where middles may be centres, `records` loses its factor of 3 but not that of
/// the other.
pub(super) fn leaving_out<'s, 'p>(
    tree: &Tree<'s, 'p>,
    reaches: &[u64],
    run: &Run,
) -> Result<Vec<Bounded<'s, 'p>>, Stopped> {
    let (records, middles) = (run.is_on("records"), tree.space.problem().clusters().middles);
    let mut answers = Vec::new();
    if records {
        answers.push(at_records(tree, reaches, run)?);
    }
    if !records || middles {
        answers.push(peeled(tree, reaches, run)?);
    }
    Ok(answers)
}

/// Theorem 2.4.
fn peeled<'s, 'p>(tree: &Tree<'s, 'p>, reaches: &[u64], run: &Run) -> Result<Bounded<'s, 'p>, Stopped> {
    let (space, allowed) = (tree.space, tree.space.problem().may_withhold());
    let start = all_but(space, reaches, allowed);
    let attempt = |reach: u64| Ok(peel(tree, reaches, reach, allowed));
    least(space, start, run, attempt, |stays, reach| form(tree, reaches, &stays, reach))
}

/// The least value that all but so many rows stay within.
fn all_but(space: &Space<'_>, values: &[u64], left_out: u64) -> u64 {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by_key(|&record| std::cmp::Reverse(values[record as usize]));
    let mut out = 0;
    for record in order {
        out += space.size(record);
        if out > left_out {
            return values[record as usize];
        }
    }
    0
}

/// Who stays when all go that have too few within the distance among those who stay; `None` if too many go.
fn peel(tree: &Tree<'_, '_>, reaches: &[u64], reach: u64, allowed: u64) -> Option<Vec<bool>> {
    let (space, k) = (tree.space, tree.space.problem().k());
    let mut stays = vec![true; reaches.len()];
    let mut queue: Vec<u32> = (0..reaches.len() as u32).filter(|&r| reaches[r as usize] > reach).collect();
    let mut gone: u64 = queue.iter().map(|&r| space.size(r)).sum();
    queue.iter().for_each(|&r| stays[r as usize] = false);
    // Counted when a neighbour goes for the first time: before that, nobody near has gone.
    let mut near: Vec<Option<u64>> = vec![None; reaches.len()];
    while let Some(record) = queue.pop() {
        if gone > allowed {
            return None;
        }
        let mut around = Vec::new();
        tree.within(record, reach, |other| around.push(other));
        for other in around {
            let left = &mut near[other as usize];
            let count = left.unwrap_or_else(|| tree.count(other, reach)) - space.size(record);
            *left = Some(count);
            if stays[other as usize] && count < k {
                stays[other as usize] = false;
                gone += space.size(other);
                queue.push(other);
            }
        }
    }
    (gone <= allowed).then_some(stays)
}

/// Groups of k rows and more within the distance; whoever is left over goes to the nearest centre.
fn form(tree: &Tree<'_, '_>, reaches: &[u64], stays: &[bool], reach: u64) -> Vec<(u32, Vec<u32>)> {
    let (space, problem) = (tree.space, tree.space.problem());
    let mut order: Vec<u32> = (0..reaches.len() as u32).filter(|&r| stays[r as usize]).collect();
    order.sort_unstable_by_key(|&record| (reaches[record as usize], record));
    let mut free = stays.to_vec();
    let mut groups: Vec<(u32, Vec<u32>)> = Vec::new();
    for &record in &order {
        if !free[record as usize] || reaches[record as usize] > reach {
            continue;
        }
        let (mut members, mut people) = (Vec::new(), 0);
        tree.within(record, reach, |near| {
            if free[near as usize] {
                members.push(near);
                people += space.size(near);
            }
        });
        if people < problem.k() {
            continue;
        }
        members.iter().for_each(|&near| free[near as usize] = false);
        groups.push((record, members.iter().flat_map(|&near| problem.rows_of(near)).copied().collect()));
    }
    let left = order.iter().filter(|&&r| free[r as usize]);
    join_nearest(space, &mut groups, left.map(|&r| (r, problem.rows_of(r))), u64::MAX);
    groups
}

/// The variant with centres at records: a ball of the least radius that some record needs to reach this one
/// with k rows.
fn at_records<'s, 'p>(tree: &Tree<'s, 'p>, reaches: &[u64], run: &Run) -> Result<Bounded<'s, 'p>, Stopped> {
    let space = tree.space;
    let least = tree.least_balls(reaches, run)?;
    let reach = all_but(space, &least, space.problem().may_withhold());
    let stays: Vec<bool> = least.iter().map(|&needed| needed <= reach).collect();
    Ok((Balls::new(space, form(tree, reaches, &stays, reach)), reach, 0))
}
