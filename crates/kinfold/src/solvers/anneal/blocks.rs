//! Cuts the groups into blocks of neighbours, differently each time.

use crate::parts::groups::Unit;
use crate::parts::random::Random;
use kinfold_model::cost::RuleKind;
use kinfold_model::problem::Problem;

/// Rows in a block: enough groups for rows to find a better one, few enough to stay in the cache.
fn block_rows(k: u64) -> usize {
    (400 * k as usize).max(20_000)
}

/// Lists of groups, each list a block.
pub(super) fn cut(
    problem: &Problem,
    units: &[Unit],
    groups: Vec<Vec<u32>>,
    random: &mut Random,
) -> Vec<Vec<Vec<u32>>> {
    let mut items: Vec<(u32, Vec<u32>)> = groups
        .into_iter()
        .map(|members| (units[members[random.below(members.len())] as usize].record, members))
        .collect();
    let mut blocks = Vec::new();
    part(problem, &mut items, random, &mut blocks);
    blocks
}

fn part(
    problem: &Problem,
    items: &mut [(u32, Vec<u32>)],
    random: &mut Random,
    blocks: &mut Vec<Vec<Vec<u32>>>,
) {
    let rows: usize = items.iter().map(|(_, members)| members.len()).sum();
    let middle = if rows > 2 * block_rows(problem.k()) { split(problem, items, random) } else { None };
    match middle {
        Some(middle) => {
            let (left, right) = items.split_at_mut(middle);
            part(problem, left, random, blocks);
            part(problem, right, random, blocks);
        }
        None => blocks.push(items.iter_mut().map(|(_, members)| std::mem::take(members)).collect()),
    }
}

/// Sorts by a random column, labels in random order, and cuts near the middle.
fn split(problem: &Problem, items: &mut [(u32, Vec<u32>)], random: &mut Random) -> Option<usize> {
    for _ in 0..8 {
        let column = random.below(problem.rules().len());
        let code = |item: &(u32, Vec<u32>)| problem.codes(item.0)[column];
        let first = code(&items[0]);
        if items.iter().all(|i| code(i) == first) {
            continue;
        }
        let salt = random.next() | 1;
        let labels = matches!(problem.rules()[column].kind(), RuleKind::Set { .. });
        let rank = |c: u32| if labels { u64::from(c + 1).wrapping_mul(salt) >> 20 } else { u64::from(c) };
        items.sort_by_cached_key(|item| (rank(code(item)), item.0));
        return Some(items.len() * (35 + random.below(31)) / 100);
    }
    None
}
