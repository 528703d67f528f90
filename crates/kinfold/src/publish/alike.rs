//! Groups whose cells coincide are one group to every reader, so they are one here, too: the groups file and the
//! verdict then count the same.

use super::cells::{Cells, ReleasedColumn};
use kinfold_model::judge::WITHHELD;
use std::collections::BTreeMap;

/// Gives groups of equal cells one number, and numbers them without gaps in their old order.
pub(super) fn merge_alike(columns: &mut [ReleasedColumn], group_of: &mut [u32], groups: usize) {
    let ranks: Vec<Vec<u32>> = columns
        .iter()
        .filter(|column| !matches!(column.cells, Cells::Untouched(_)))
        .map(|column| ranks(&column.cells))
        .collect();
    let mut number_of: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut kept = Vec::new();
    let mut renumbered = Vec::with_capacity(groups);
    for group in 0..groups {
        let next = kept.len() as u32;
        let number = *number_of.entry(ranks.iter().map(|ranks| ranks[group]).collect()).or_insert(next);
        if number == next {
            kept.push(group);
        }
        renumbered.push(number);
    }
    if kept.len() == groups {
        return;
    }
    for column in columns {
        match &mut column.cells {
            Cells::Untouched(_) => {}
            Cells::Grouped(texts) | Cells::Ends(texts, _) | Cells::Numbers(texts) => {
                *texts = of(&kept, texts);
            }
        }
        if !column.labels.is_empty() {
            column.labels = of(&kept, &column.labels);
        }
        if !column.explained.is_empty() {
            column.explained = of(&kept, &column.explained);
        }
    }
    group_of.iter_mut().filter(|group| **group != WITHHELD).for_each(|group| {
        *group = renumbered[*group as usize];
    });
}

/// The rank of each group's text among all of them.
fn ranks(cells: &Cells) -> Vec<u32> {
    let texts = cells.texts();
    let mut sorted = texts.clone();
    sorted.sort_unstable();
    sorted.dedup();
    texts.iter().map(|text| sorted.binary_search(text).unwrap_or(0) as u32).collect()
}

fn of<T: Clone>(kept: &[usize], list: &[T]) -> Vec<T> {
    kept.iter().map(|&group| list[group].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_equal_cells_are_one() {
        let column = |texts: &[&str]| {
            let texts = texts.iter().map(|&text| Some(text.to_owned())).collect();
            ReleasedColumn::new("age", Cells::Grouped(texts))
        };
        let mut columns = [column(&["[1-2]", "[3-4]", "[1-2]", "[1-2]"]), column(&["a", "a", "a", "b"])];
        columns[0].labels = vec![0, 1, 0, 2];
        let mut group_of = [0, 1, 2, 3, WITHHELD, 2];
        merge_alike(&mut columns, &mut group_of, 4);
        assert_eq!(group_of, [0, 1, 0, 2, WITHHELD, 0]);
        assert_eq!(columns[0].cells.texts(), [Some("[1-2]"), Some("[3-4]"), Some("[1-2]")]);
        assert_eq!(columns[1].cells.texts(), [Some("a"), Some("a"), Some("b")]);
        assert_eq!(columns[0].labels, [0, 1, 2]);
    }
}
