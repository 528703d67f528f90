//! Gathering into a limited number of groups with outliers left out: (k, r, ε)-center, within a factor of 4
//! (paper *cluster*, theorem 2.8).
//!
//! # The idea
//! Guess the largest distance T = 2R within a group. Whoever has fewer than r rows within T is left out.
//! Centres are chosen one by one, each the record with most uncovered rows within T, and cover what is within
//! 2T. If as many centres as there may be groups cover all but ε of the rows, T passes. Centres are more than
//! 2T apart, so those within T of one have no other so near, and every centre has its r rows.
//!
//! Rows within T of a centre that were left out for having too few neighbours of their own count for the
//! centre, so they are covered, too; the paper's lemma 2.5 needs them.
//!
//! # Example
//! Places 0, 1, 2, 50, 51, 99 with r = 2, two groups and one row to leave out: 99 goes, groups around 1 and
//! 50.

use super::balls::join_nearest;
use super::space::Tree;
use super::threshold::{Bounded, least};
use crate::{Run, Stopped};
use std::collections::BinaryHeap;

/// At most so many groups of rows within the least distance that passes; `start` is no larger than that.
pub(super) fn leaving_out<'s, 'p>(
    tree: &Tree<'s, 'p>,
    reaches: &[u64],
    most: u64,
    start: u64,
    run: &Run,
) -> Result<Bounded<'s, 'p>, Stopped> {
    let (space, problem) = (tree.space, tree.space.problem());
    let attempt = |reach: u64| cover(tree, reaches, reach, most, run);
    // Everybody who is covered goes to the nearest centre.
    least(space, start, run, attempt, |(centres, covered), _| {
        let mut groups: Vec<(u32, Vec<u32>)> = centres.into_iter().map(|c| (c, Vec::new())).collect();
        let covered = (0..space.records() as u32).filter(|&r| covered[r as usize]);
        join_nearest(space, &mut groups, covered.map(|r| (r, problem.rows_of(r))), u64::MAX);
        groups
    })
}

/// Centres, and who is covered.
type Chosen = (Vec<u32>, Vec<bool>);

fn cover(
    tree: &Tree<'_, '_>,
    reaches: &[u64],
    reach: u64,
    most: u64,
    run: &Run,
) -> Result<Option<Chosen>, Stopped> {
    run.check()?;
    let (space, problem) = (tree.space, tree.space.problem());
    let wanted = problem.people() - problem.may_withhold();
    let stays = |record: u32| reaches[record as usize] <= reach;
    let of = |record: u32| if stays(record) { space.size(record) } else { 0 };
    if (0..reaches.len() as u32).map(of).sum::<u64>() < wanted {
        return Ok(None);
    }
    let mut covered = vec![false; reaches.len()];
    let mut people = 0;
    let mut centres = Vec::new();
    // What a record would cover only becomes less: who leads with a count that is still right is chosen.
    let mut queue: BinaryHeap<(u64, std::cmp::Reverse<u32>)> = (0..reaches.len() as u32)
        .filter(|&r| stays(r))
        .map(|r| (tree.count(r, reach), std::cmp::Reverse(r)))
        .collect();
    while let Some((told, std::cmp::Reverse(record))) = queue.pop() {
        run.check()?;
        if covered[record as usize] {
            continue;
        }
        let mut own = 0;
        tree.within(record, reach, |near| own += if covered[near as usize] { 0 } else { of(near) });
        if own < told {
            queue.push((own, std::cmp::Reverse(record)));
            continue;
        }
        if centres.len() as u64 == most {
            break;
        }
        centres.push(record);
        let mut take = |near: u32| {
            if !std::mem::replace(&mut covered[near as usize], true) {
                people += space.size(near);
            }
        };
        tree.within(record, reach.saturating_mul(2), |near| {
            if stays(near) {
                take(near)
            }
        });
        tree.within(record, reach, take);
    }
    Ok((people >= wanted).then_some((centres, covered)))
}
