//! Form `codes`: one label per group in the place of all quasi-identifiers, and a lookup file with a line per label.

use super::cells::{Cells, ReleasedColumn};
use super::csv::{end_line, quote};
use kinfold_model::policy::LABEL_COLUMN;
use std::collections::BTreeMap;

/// Puts one column of labels where the first column of groups stands. Returns the lookup file besides.
///
/// Labels count what is published, in the order of its texts: they tell nothing of the order of the table, and
/// groups that look alike share one.
pub(super) fn coded(columns: Vec<ReleasedColumn>, groups: usize) -> (Vec<ReleasedColumn>, String) {
    let grouped = |column: &ReleasedColumn| !matches!(column.cells, Cells::Untouched(_));
    let place = columns.iter().position(grouped).unwrap_or(0);
    let (cells, mut columns): (Vec<_>, Vec<_>) = columns.into_iter().partition(grouped);
    let texts: Vec<Vec<&str>> =
        cells.iter().map(|c| c.cells.texts().into_iter().map(Option::unwrap_or_default).collect()).collect();
    let looks: Vec<Vec<&str>> =
        (0..groups).map(|group| texts.iter().map(|column| column[group]).collect()).collect();
    let mut labels: BTreeMap<&[&str], String> =
        looks.iter().map(|look| (look.as_slice(), String::new())).collect();
    let mut lookup = Vec::new();
    let mut line = |label: &str, cells: &[&str]| {
        for cell in [label].iter().chain(cells) {
            quote(cell, b',', false, &mut lookup);
            lookup.push(b',');
        }
        end_line(&mut lookup);
    };
    line(LABEL_COLUMN, &cells.iter().map(|column| column.name.as_str()).collect::<Vec<_>>());
    for (number, (look, label)) in (1..).zip(&mut labels) {
        *label = number.to_string();
        line(label, look);
    }
    let of_groups = looks.iter().map(|look| labels.get(look.as_slice()).cloned()).collect();
    columns.insert(place, ReleasedColumn::new(LABEL_COLUMN, Cells::Ends(of_groups, None)));
    (columns, String::from_utf8_lossy(&lookup).into_owned())
}
