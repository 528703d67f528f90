//! Rows that found no group at the end: fewer people than k. Each joins the group whose cost rises
//! least, or is withheld where the policy allows it and that costs less.

use crate::bounds::boxes::{Around, Space};
use kinfold_model::{Problem, WITHHELD};

/// Gives every row of `leftover` a group. `group_of` holds the groups 0..`groups` of all other rows.
pub(crate) fn distribute(problem: &Problem, group_of: &mut [u32], groups: usize, leftover: &[u32]) {
    if leftover.is_empty() {
        return;
    }
    let space = Space::new(problem);
    // The people of every group, and the box around them.
    let mut totals: Vec<Option<(u64, Around)>> = vec![None; groups];
    let join = |total: &mut Option<(u64, Around)>, row: u32| {
        let (people, around) = total.get_or_insert_with(|| (0, Around::new(&space, problem.record_of(row))));
        *people += problem.row_size(row);
        around.stretch(&space, problem.record_of(row));
    };
    for (row, &group) in (0u32..).zip(&*group_of) {
        totals.get_mut(group as usize).into_iter().for_each(|total| join(total, row));
    }
    let mut may_withhold = problem.may_withhold();
    for &row in leftover {
        let (record, size) = (problem.record_of(row), problem.row_size(row));
        let rise = |(people, around): &(u64, Around)| {
            (people + size) * around.cost_with(&space, record) - people * around.cost
        };
        let rises = (0u32..).zip(&totals).filter_map(|(group, total)| Some((rise(total.as_ref()?), group)));
        match rises.min() {
            Some((least, group))
                if size == 0 || size > may_withhold || least <= size * problem.withheld_cost() =>
            {
                group_of[row as usize] = group;
                join(&mut totals[group as usize], row);
            }
            _ => {
                group_of[row as usize] = WITHHELD;
                may_withhold = may_withhold.saturating_sub(size);
            }
        }
    }
}
