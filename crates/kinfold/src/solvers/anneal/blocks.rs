//! Cuts the groups into blocks of neighbours, differently each time.

use crate::parts::groups::Unit;
use crate::parts::numbering::groups_of;
use crate::parts::random::Random;
use kinfold_model::{Problem, RuleKind, WITHHELD};

/// Rows in a block: enough groups for rows to find a better one, few enough to stay in the cache; in a hurry
/// in the nearest one.
pub(super) fn block_rows(k: u64, rough: bool) -> usize {
    (400 * k as usize).max(if rough { 5_000 } else { 20_000 })
}

/// A group, or a row that is withheld, as it is put into a block.
struct Item {
    /// A record of it.
    record: u32,
    rows: u32,
    block: u32,
}

/// Lists of units, ascending, each list a block of about `most` rows; all units of a group are in the same
/// one.
pub(super) fn cut(
    problem: &Problem,
    records: &[u32],
    units: &[Unit],
    group_of: &[u32],
    most: usize,
    random: &mut Random,
) -> Vec<Vec<u32>> {
    let groups = groups_of(group_of);
    let mut items: Vec<Item> = (0..groups).map(|_| Item { record: 0, rows: 0, block: 0 }).collect();
    for (unit, &group) in units.iter().zip(group_of) {
        let record = records[unit.place as usize];
        match items.get_mut(group as usize) {
            Some(item) => {
                item.rows += 1;
                // Each member is as likely as the others to stand for its group.
                if random.below(item.rows as usize) == 0 {
                    item.record = record;
                }
            }
            None => items.push(Item { record, rows: 1, block: 0 }),
        }
    }
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    let mut blocks = 0;
    part(problem, most, &mut items, &mut order, random, &mut blocks);
    let mut lists = vec![Vec::new(); blocks as usize];
    let mut withheld = groups;
    for (unit, &group) in (0u32..).zip(group_of) {
        let item = if group == WITHHELD {
            withheld += 1;
            withheld - 1
        } else {
            group as usize
        };
        lists[items[item].block as usize].push(unit);
    }
    lists
}

fn part(
    problem: &Problem,
    most: usize,
    items: &mut [Item],
    order: &mut [u32],
    random: &mut Random,
    blocks: &mut u32,
) {
    let rows: usize = order.iter().map(|&i| items[i as usize].rows as usize).sum();
    let large = rows > 2 * most;
    if let Some(middle) = large.then(|| split(problem, items, order, random)).flatten() {
        let (left, right) = order.split_at_mut(middle);
        part(problem, most, items, left, random, blocks);
        part(problem, most, items, right, random, blocks);
    } else {
        order.iter().for_each(|&i| items[i as usize].block = *blocks);
        *blocks += 1;
    }
}

/// Sorts by a random column, labels in random order, and cuts near the middle.
fn split(problem: &Problem, items: &[Item], order: &mut [u32], random: &mut Random) -> Option<usize> {
    for _ in 0..8 {
        let column = random.below(problem.rules().len());
        let code = |i: u32| problem.codes(items[i as usize].record)[column];
        let first = code(order[0]);
        if order.iter().all(|&i| code(i) == first) {
            continue;
        }
        let rank = rank(problem, column, random);
        order.sort_by_cached_key(|&i| (rank(code(i)), items[i as usize].record));
        return Some(order.len() * (35 + random.below(31)) / 100);
    }
    None
}

/// Where a code of a column stands in an order: on a line its own; labels, and values that are only told or
/// starred, in random order.
pub(super) fn rank(problem: &Problem, column: usize, random: &mut Random) -> impl Fn(u32) -> u64 + use<> {
    let salt = random.next() | 1;
    let labels = matches!(problem.rules()[column].kind(), RuleKind::Set { .. } | RuleKind::Flat { .. });
    move |code| if labels { u64::from(code + 1).wrapping_mul(salt) >> 20 } else { u64::from(code) }
}
