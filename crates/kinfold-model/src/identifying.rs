//! Does a column name people by itself? Judged by content first, then by its name.

use crate::kind::is_missing;
use crate::policy::{ColumnPolicy, Policy};
use crate::table::{Column, Table, distinct_rows};

/// Why a column seems to name people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identifying {
    /// Nearly every row has a value of its own.
    Unique,
    /// Its name is that of an identifier, and its values do not contradict that.
    Named,
}

impl Identifying {
    /// As a sentence about the column.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Unique => "nearly every row has a value of its own",
            Self::Named => "by its name",
        }
    }
}

/// Below this many rows, values differ by chance.
pub const FEW_ROWS: usize = 20;
/// The share of rows with a value of their own from which on a column is nearly unique.
const NEARLY: f64 = 0.95;

/// Whether a column names people. With fewer than twenty rows only its name can tell.
pub fn identifying(column: &Column, missing: &[String]) -> Option<Identifying> {
    let rows = column.codes().len();
    if rows >= FEW_ROWS && share_of_singles(column.codes(), column.distinct()) >= NEARLY {
        return Some(Identifying::Unique);
    }
    let values = (0..column.distinct() as u32).filter(|&code| !is_missing(column, code, missing)).count();
    named(column.name(), rows, values).then_some(Identifying::Named)
}

/// The columns that a policy publishes unchanged without acknowledging that they seem to name people.
pub fn unacknowledged<'p>(
    policy: &'p Policy,
    table: &Table,
) -> impl Iterator<Item = (&'p ColumnPolicy, Identifying)> {
    let unchanged = policy.columns.iter().filter(|said| said.published_untouched() && !said.acknowledged);
    unchanged.filter_map(|said| Some((said, identifying(table.column(&said.name)?, &policy.missing)?)))
}

/// The share of rows that no other row equals on these columns.
pub fn unique_share(columns: &[&[u32]], rows: usize) -> f64 {
    let looks = distinct_rows(columns, rows);
    share_of_singles(&looks.of_row, looks.first.len())
}

/// The share of rows whose number, of so many, no other row has.
pub fn share_of_singles(of_row: &[u32], numbers: usize) -> f64 {
    let mut sizes = vec![0u32; numbers];
    of_row.iter().for_each(|&number| sizes[number as usize] += 1);
    sizes.iter().filter(|&&size| size == 1).count() as f64 / of_row.len().max(1) as f64
}

/// Names of numbers that stand for somebody or something: `admission_type_id` is one, and names nobody.
const KEYS: [&str; 4] = ["id", "uuid", "guid", "key"];
/// Names of what is said of one person only.
const PERSONAL: [&str; 19] = [
    "name",
    "surname",
    "firstname",
    "lastname",
    "forename",
    "fullname",
    "ssn",
    "email",
    "mail",
    "phone",
    "telephone",
    "mobile",
    "passport",
    "iban",
    "address",
    "street",
    "mrn",
    "licence",
    "license",
];

/// A column of few values, each in many rows, names nobody, whatever it is called: a `Telephone` of yes and
/// no.
fn named(name: &str, rows: usize, values: usize) -> bool {
    let lower = name.to_lowercase();
    let whole = lower.replace(['_', ' ', '-'], "");
    let has = |list: &[&str]| {
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| list.contains(&word))
            || list.contains(&whole.as_str())
    };
    let repeats = values > 0 && rows / values >= 5;
    has(&PERSONAL) && !(repeats && values <= 20) || has(&KEYS) && !repeats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::default_missing;
    use crate::table::Table;

    fn of(name: &str, values: usize, rows: usize) -> Option<Identifying> {
        let cells: Vec<Vec<String>> = (0..rows).map(|row| vec![format!("v{}", row % values)]).collect();
        let cells: Vec<Vec<&str>> = cells.iter().map(|row| vec![row[0].as_str()]).collect();
        let table = Table::from_cells(&[name], &cells).unwrap();
        identifying(&table.columns()[0], &default_missing())
    }

    #[test]
    fn content_counts_before_the_name() {
        assert_eq!(of("code", 100, 100), Some(Identifying::Unique));
        assert_eq!(of("admission_type_id", 8, 100), None);
        assert_eq!(of("Telephone", 2, 100), None);
        assert_eq!(of("Last name", 70, 100), Some(Identifying::Named));
        assert_eq!(of("patient-id", 40, 100), Some(Identifying::Named));
        assert_eq!(of("first_name", 50, 1_000), Some(Identifying::Named), "a name names, however common");
        assert_eq!(of("valid", 3, 10), None);
    }

    #[test]
    fn few_rows_differ_by_chance() {
        assert_eq!(of("weight", FEW_ROWS - 1, FEW_ROWS - 1), None);
        assert_eq!(of("weight", FEW_ROWS, FEW_ROWS), Some(Identifying::Unique));
        // One row in twenty with another's value leaves 18 of 20 unique.
        assert_eq!(of("weight", FEW_ROWS - 1, FEW_ROWS), None);
    }
}
