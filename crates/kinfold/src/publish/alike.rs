//! Groups whose cells coincide are one group to every reader, so they are one here, too: the groups file and the
//! verdict then count the same.

use super::cells::{Cells, ReleasedColumn};
use super::texts::Texts;
use kinfold_model::judge::WITHHELD;
use kinfold_model::table::{Distinct, distinct_rows};

/// Gives groups of equal cells one number, and numbers them without gaps in their old order.
pub(super) fn merge_alike(columns: &mut [ReleasedColumn], group_of: &mut [u32], groups: usize) {
    let said = columns.iter().filter_map(|column| column.cells.of_groups());
    let Distinct { of_row: number_of, first: kept } =
        distinct_rows(&said.map(Texts::of_group).collect::<Vec<_>>(), groups);
    if kept.len() == groups {
        return;
    }
    for column in columns {
        match &mut column.cells {
            Cells::Untouched(_) => {}
            Cells::Grouped(texts) | Cells::Ends(texts, _) | Cells::Numbers(texts) => texts.keep(&kept),
        }
        if !column.labels.is_empty() {
            column.labels = of(&kept, &column.labels);
        }
        if !column.explained.is_empty() {
            column.explained = of(&kept, &column.explained);
        }
    }
    group_of.iter_mut().filter(|group| **group != WITHHELD).for_each(|group| {
        *group = number_of[*group as usize];
    });
}

fn of<T: Clone>(kept: &[u32], list: &[T]) -> Vec<T> {
    kept.iter().map(|&group| list[group as usize].clone()).collect()
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
