//! Tables of labels as problems.

use kinfold::model::encode::{Encoded, encode};
use kinfold::model::table::Table;

/// A table of labels, encoded for an objective that suppresses.
pub fn stars(names: &[&str], cells: &[Vec<&str>], objective: &str, k: usize) -> Encoded {
    let table = Table::from_cells(names, cells).unwrap();
    let columns: String =
        names.iter().map(|n| format!("{n} = {{ role = \"quasi\", kind = \"category\" }}\n")).collect();
    let policy =
        super::policy_for(&table, &format!("k = {k}\nobjective = \"{objective}\"\n[columns]\n{columns}"));
    encode(&table, &policy).unwrap()
}
