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
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Unique => "nearly every row has a value of its own",
            Self::Named => "by its name",
        }
    }
}

/// Below this many rows, values differ by chance.
pub(crate) const FEW_ROWS: usize = 20;
/// The share of rows with a value of their own from which on a column is nearly unique.
const NEARLY: f64 = 0.95;

/// Whether a column names people. With fewer than twenty rows only its name can tell.
pub fn identifying(column: &Column, missing: &[String]) -> Option<Identifying> {
    let values = (0..column.distinct() as u32).filter(|&code| !is_missing(column, code, missing)).count();
    let singles = || share_of_singles(column.codes(), column.distinct());
    judged(column.name(), column.codes().len(), values, singles)
}

/// Whether a column of this name, with so many values in so many rows, names people; `singles` is the share of
/// rows with a value of their own.
pub(crate) fn judged(
    name: &str,
    rows: usize,
    values: usize,
    singles: impl FnOnce() -> f64,
) -> Option<Identifying> {
    if rows >= FEW_ROWS && singles() >= NEARLY {
        return Some(Identifying::Unique);
    }
    named(name, rows, values).then_some(Identifying::Named)
}

/// The columns that a policy publishes unchanged without acknowledging that they seem to name people.
pub fn unacknowledged<'p>(
    policy: &'p Policy,
    table: &Table,
) -> impl Iterator<Item = (&'p ColumnPolicy, Identifying)> {
    let unchanged = policy.columns.iter().filter(|said| said.published_untouched() && !said.acknowledged);
    unchanged.filter_map(|said| {
        Some((said, identifying(table.column(&said.name)?, policy.missing_in(&said.name))?))
    })
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

/// Whether an identifier has several rows for one value, as that of a person with several rows has. Names of
/// people and places repeat by chance, and say nothing of that.
pub fn repeats(column: &Column, missing: &[String]) -> bool {
    let rows = column.codes().len();
    if rows < FEW_ROWS || has(column.name(), SHARED) {
        return false;
    }
    let present =
        (0u32..).zip(column.rows_of_codes()).filter(|&(code, _)| !is_missing(column, code, missing));
    let again: usize = present.map(|(_, size)| size).filter(|&size| size > 1).sum();
    again as f64 >= REPEATING * rows as f64
}

/// From this share of rows on, values that occur again are no accident.
const REPEATING: f64 = 0.01;

/// The share of rows in which the first column's value tells the second's: it has the value that most rows with
/// the same value of the first have. Only rows whose value of the first column occurs again count; `None` if they
/// are few, or if one value of the second column is so common that it can be guessed.
pub fn determines(from: &Column, to: &Column) -> Option<f64> {
    let (from_codes, to_codes) = (from.codes(), to.codes());
    let pairs = || from_codes.iter().map(|&code| code as usize).zip(to_codes.iter().copied());
    let mut sizes = vec![0u32; from.distinct()];
    // The one value that can be that of more than half of the rows (Boyer and Moore).
    let mut leading = vec![(0u32, 0u32); from.distinct()];
    for (value, other) in pairs() {
        sizes[value] += 1;
        let (leader, votes) = &mut leading[value];
        match votes {
            0 => (*leader, *votes) = (other, 1),
            _ if *leader == other => *votes += 1,
            _ => *votes -= 1,
        }
    }
    let (mut rows, mut told) = (0usize, 0usize);
    let mut common = vec![0usize; to.distinct()];
    for (value, other) in pairs().filter(|&(value, _)| sizes[value] > 1) {
        rows += 1;
        told += usize::from(leading[value].0 == other);
        common[other as usize] += 1;
    }
    let most = common.into_iter().max().unwrap_or(0);
    let few = rows < FEW_ROWS || rows * 5 < from_codes.len();
    (!few && most * 5 <= rows * 4).then(|| told as f64 / rows as f64)
}

/// Names of columns whose values people share by chance.
const SHARED: &str = "name surname firstname lastname forename fullname address street";

/// Names of numbers that stand for somebody or something: `admission_type_id` is one, and names nobody.
const KEYS: &str = "id uuid guid key";
/// Names of what is said of one person only.
const PERSONAL: &str = "name surname firstname lastname forename fullname ssn email mail phone telephone mobile \
    passport iban address street mrn licence license";

/// A column of few values, each in many rows, names nobody, whatever it is called: a `Telephone` of yes and
/// no.
fn named(name: &str, rows: usize, values: usize) -> bool {
    let repeats = values > 0 && rows / values >= 5;
    has(name, PERSONAL) && !(repeats && values <= 20) || has(name, KEYS) && !repeats
}

/// Whether the name of a column has one of these words.
fn has(name: &str, words: &str) -> bool {
    let lower = name.to_lowercase();
    let whole = lower.replace(['_', ' ', '-'], "");
    let mut said = lower.split(|c: char| !c.is_alphanumeric()).chain([whole.as_str()]);
    said.any(|said| words.split(' ').any(|word| word == said))
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
    fn an_identifier_repeats_where_persons_have_several_rows() {
        let repeats = |name: &str, values: usize, rows: usize| {
            let cells: Vec<Vec<String>> = (0..rows).map(|row| vec![format!("v{}", row % values)]).collect();
            let cells: Vec<Vec<&str>> = cells.iter().map(|row| vec![row[0].as_str()]).collect();
            super::repeats(&Table::from_cells(&[name], &cells).unwrap().columns()[0], &default_missing())
        };
        assert!(repeats("patient_nbr", 70, 100) && repeats("ssn", 99, 100));
        assert!(!repeats("patient_nbr", 100, 100) && !repeats("last_name", 50, 100));
        assert!(!repeats("patient_nbr", 5, 10), "few rows");
    }

    #[test]
    fn a_column_determines_another_if_its_values_tell_it() {
        let columns = |pairs: &dyn Fn(usize) -> (usize, usize)| {
            let cells: Vec<[String; 2]> =
                (0..200).map(|row| [format!("a{}", pairs(row).0), format!("b{}", pairs(row).1)]).collect();
            let cells: Vec<Vec<&str>> = cells.iter().map(|[a, b]| vec![a.as_str(), b.as_str()]).collect();
            let table = Table::from_cells(&["a", "b"], &cells).unwrap();
            determines(&table.columns()[0], &table.columns()[1])
        };
        assert_eq!(columns(&|row| (row % 20, row % 20 / 4)), Some(1.0));
        assert_eq!(columns(&|row| (row % 20, if row < 20 { 9 } else { row % 20 / 4 })), Some(0.9));
        assert!(columns(&|row| (row % 4, row % 20)).is_some_and(|share| share <= 0.2));
        assert_eq!(columns(&|row| (row, row % 4)), None, "each value occurs once");
        assert_eq!(columns(&|row| (row % 20, usize::from(row % 20 == 0))), None, "easily guessed");
    }

    #[test]
    fn few_rows_differ_by_chance() {
        assert_eq!(of("weight", FEW_ROWS - 1, FEW_ROWS - 1), None);
        assert_eq!(of("weight", FEW_ROWS, FEW_ROWS), Some(Identifying::Unique));
        // One row in twenty with another's value leaves 18 of 20 unique.
        assert_eq!(of("weight", FEW_ROWS - 1, FEW_ROWS), None);
    }
}
