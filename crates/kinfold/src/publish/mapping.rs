//! What every value is published as, for columns that are coded once for the whole table: a file to join other tables
//! with. It has the values of released rows alone, so that it tells nothing of rows that are withheld.

use super::cells::{Release, ReleasedColumn};
use super::csv::{end_line, quote};
use crate::error::Error;
use kinfold_model::policy::{Policy, Role};
use kinfold_model::recoding::Recoding;
use kinfold_model::table::Table;
use std::collections::BTreeMap;

impl Release {
    /// Column, value, published, as CSV. `places`: where rows of the release stand in the table that was given.
    pub(crate) fn mapping(&self, policy: &Policy, given: &Table, places: &[u32]) -> Result<String, Error> {
        let mut bytes = b"column,value,published\n".to_vec();
        let mut columns = 0;
        for column in self.columns.iter().filter(|column| coded_once(policy, column)) {
            let Some(before) = given.column(&column.name) else { continue };
            columns += 1;
            let texts = column.cells.texts();
            let mut published = vec![None; before.distinct()];
            for &row in &self.rows {
                let value = before.codes()[places[row as usize] as usize] as usize;
                published[value] = published[value].or_else(|| Some(self.index(column, row)));
            }
            let known =
                (0u32..).zip(published).filter_map(|(value, at)| Some((before.text(value), texts[at?])));
            for (value, text) in known.collect::<BTreeMap<_, _>>() {
                for cell in [&column.name, value, text.unwrap_or_default()] {
                    quote(cell, b',', false, &mut bytes);
                    bytes.push(b',');
                }
                end_line(&mut bytes);
            }
        }
        if columns == 0 {
            let hint = "use recoding = \"global\", or give a column a level";
            return Err(Error::unsuitable("no column is coded once for all rows: there is no mapping", hint));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn coded_once(policy: &Policy, column: &ReleasedColumn) -> bool {
    let said = policy.columns.iter().find(|said| said.name == column.name);
    said.is_some_and(|said| match &said.role {
        Role::Quasi(quasi) => policy.recoding == Recoding::Global || quasi.range.fixed().is_some(),
        _ => said.recoded.is_some(),
    })
}
