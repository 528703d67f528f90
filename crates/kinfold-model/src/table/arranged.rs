//! A table whose order is a matter of its contents: two orders of the same rows become one table.
//!
//! Texts are numbered in their order, not as they appear. Rows are sorted by the leading columns. Rows that
//! are alike there are mixed: whoever takes some of them must not get all that say the same elsewhere. They are
//! mixed by what they say, so that this, too, is the same for every order of the rows.

use super::sorting::{Key, Packed, sort_by_words};
use super::{Column, Table};
use std::sync::Arc;

/// A table in the order of its contents, and where its rows come from.
#[derive(Debug, Clone)]
pub struct Arranged {
    /// The table.
    pub table: Table,
    /// For every row of it, the row of the table that was arranged. Its columns know it, too: messages name rows by
    /// their place in that table.
    pub rows: Arc<[u32]>,
}

impl Table {
    /// The wanted columns of a table, arranged by what they say. Rows are sorted by the `leading` ones.
    pub fn arranged(&self, wanted: impl Fn(&str) -> bool, leading: impl Fn(&str) -> bool) -> Arranged {
        let mut columns: Vec<Column> =
            self.columns.iter().filter(|c| wanted(c.name())).map(|column| column.by_text()).collect();
        let (first, further): (Vec<&Column>, Vec<&Column>) = columns.iter().partition(|c| leading(c.name()));
        let (mut words, further) = (words(&first), words(&further));
        let leading = words.len();
        words.extend(further);
        let mut rows: Vec<u32> = (0..self.rows as u32).collect();
        sort_by_words(&mut rows, &words, &mut Vec::new());
        mix(&mut rows, &words[..leading], &words[leading..]);
        let rows: Arc<[u32]> = rows.into();
        for column in &mut columns {
            column.codes = rows.iter().map(|&row| column.codes[row as usize]).collect();
            column.places = Some(rows.clone());
        }
        let columns = columns.into_iter().map(Arc::new).collect();
        Arranged { table: Self { columns, rows: self.rows, delimiter: self.delimiter }, rows }
    }

    /// The table that has these rows only, and nothing that is known of the others.
    pub fn of_rows(&self, rows: &[u32]) -> Self {
        let of = |column: &Column| {
            let codes = rows.iter().map(|&row| column.codes[row as usize]).collect();
            Arc::new(Column { codes, places: None, ..column.clone() }.by_text())
        };
        let columns = self.columns.iter().map(|column| of(column)).collect();
        Self { columns, rows: rows.len(), delimiter: self.delimiter }
    }
}

fn words<'a>(columns: &[&'a Column]) -> Vec<Packed<'a>> {
    let keys: Vec<Key> = columns.iter().map(|column| Key::new(&column.codes, column.distinct())).collect();
    Packed::words(&keys)
}

impl Column {
    /// The same cells, texts in their order; a null comes before the empty text. Texts of no row are left out.
    fn by_text(&self) -> Self {
        let mut rank = vec![u32::MAX; self.distinct()];
        self.codes.iter().for_each(|&code| rank[code as usize] = 0);
        let mut used: Vec<u32> = (0..self.distinct() as u32).filter(|&c| rank[c as usize] == 0).collect();
        used.sort_unstable_by_key(|&code| (self.text(code), !self.is_null(code)));
        let mut dictionary = super::Dictionary::default();
        for &code in &used {
            rank[code as usize] = dictionary.add(self.text(code));
        }
        Self {
            head: self.head.clone(),
            codes: self.codes.iter().map(|&code| rank[code as usize]).collect(),
            dictionary,
            null: self.null.map(|null| rank[null as usize]).filter(|&null| null != u32::MAX),
            places: None,
        }
    }
}

/// Mixes sorted rows that agree on the leading words. Equal rows are told apart by counting them, so that
/// they, too, are spread.
fn mix(rows: &mut [u32], leading: &[Packed<'_>], further: &[Packed<'_>]) {
    if further.is_empty() {
        return;
    }
    let agree = |words: &[Packed<'_>], a: u32, b: u32| words.iter().all(|word| word.of(a) == word.of(b));
    let mut keyed: Vec<(u64, u32)> = Vec::new();
    for copies in rows.chunk_by_mut(|&a, &b| agree(leading, a, b)).filter(|copies| copies.len() > 1) {
        keyed.clear();
        for equal in copies.chunk_by(|&a, &b| agree(further, a, b)) {
            let said = further.iter().fold(0, |hash, word| scrambled(hash ^ word.of(equal[0])));
            keyed.extend((0u64..).zip(equal).map(|(number, &row)| (scrambled(said ^ number), row)));
        }
        // What happens to get the same number stays in order.
        keyed.sort_by_key(|&(key, _)| key);
        copies.iter_mut().zip(&keyed).for_each(|(row, mixed)| *row = mixed.1);
    }
}

/// A number that looks random: the last steps of SplitMix64, the same everywhere.
pub(crate) fn scrambled(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(table: &Table) -> Vec<Vec<&str>> {
        let row = |row: usize| table.columns().iter().map(move |c| c.text(c.codes()[row])).collect();
        (0..table.rows()).map(row).collect()
    }

    #[test]
    fn two_orders_of_one_table_become_one() {
        let rows: Vec<Vec<String>> = (0..60u32)
            .map(|i| vec![(i % 7 % 3).to_string(), (i % 5 % 4).to_string(), format!("x{i}")])
            .collect();
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let arranged = |rows: &[Vec<&str>]| {
            let table = Table::from_cells(&["a", "b", "c"], rows).unwrap();
            table.arranged(|name| name != "c", |name| name == "a")
        };
        let (one, mut reversed) = (arranged(&rows), rows.clone());
        reversed.reverse();
        let other = arranged(&reversed);
        assert_eq!(cells(&one.table), cells(&other.table));
        assert_eq!(one.table.columns()[1].codes(), other.table.columns()[1].codes());
        let came_from: Vec<Vec<&str>> =
            one.rows.iter().map(|&row| rows[row as usize][..2].to_vec()).collect();
        assert_eq!(cells(&one.table), came_from);
        assert!(one.table.columns()[0].codes().is_sorted(), "sorted by the leading column");
        assert!(!one.table.columns()[1].codes()[..20].is_sorted(), "mixed within");
    }

    #[test]
    fn rows_are_named_by_their_places_in_the_table_that_was_given() {
        let rows: Vec<Vec<&str>> = ["c", "b", "x", "a", "b", "x"].map(|cell| vec![cell]).to_vec();
        let given = Table::from_cells(&["a"], &rows).unwrap();
        let arranged = given.arranged(|_| true, |_| true).table;
        for text in ["a", "b", "c", "x"] {
            let first = |table: &Table| {
                let column = &table.columns()[0];
                column.first_row(|code| column.text(code) == text)
            };
            assert_eq!(first(&arranged), first(&given), "{text}");
        }
    }

    #[test]
    fn equal_rows_are_spread_among_those_that_differ() {
        // A thousand copies, half of which say one thing: no long stretch of them says the same.
        let rows: Vec<Vec<&str>> = (0..1000).map(|i| vec!["a", if i < 500 { "x" } else { "y" }]).collect();
        let table =
            Table::from_cells(&["a", "b"], &rows).unwrap().arranged(|_| true, |name| name == "a").table;
        let longest = table.columns()[1].codes().chunk_by(|a, b| a == b).map(<[u32]>::len).max();
        assert!(longest < Some(20), "{longest:?}");
    }
}
