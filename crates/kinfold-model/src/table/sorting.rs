//! Rows sorted by their codes in several columns.

/// The codes of one column, from 0 up to a highest one.
#[derive(Debug, Clone, Copy)]
pub struct Key<'a> {
    codes: &'a [u32],
    bits: u32,
}

impl<'a> Key<'a> {
    /// Codes below `values`.
    pub fn new(codes: &'a [u32], values: usize) -> Self {
        Self { codes, bits: usize::BITS - values.saturating_sub(1).leading_zeros() }
    }
}

/// Columns whose codes fit one machine word together: comparing rows is comparing numbers.
pub(super) struct Packed<'a>(Vec<Key<'a>>);

impl<'a> Packed<'a> {
    /// Packs the columns, in their order, into as few words as that takes.
    pub(super) fn words(columns: &[Key<'a>]) -> Vec<Self> {
        let mut words: Vec<Self> = Vec::new();
        let mut free = 0;
        for key in columns.iter().filter(|key| key.bits > 0) {
            match words.last_mut().filter(|_| key.bits <= free) {
                Some(word) => word.0.push(*key),
                None => {
                    words.push(Self(vec![*key]));
                    free = u64::BITS;
                }
            }
            free -= key.bits;
        }
        words
    }

    #[inline]
    pub(super) fn of(&self, row: u32) -> u64 {
        self.0.iter().fold(0, |word, key| word << key.bits | u64::from(key.codes[row as usize]))
    }
}

/// Sorts rows by the first column, then by the second, and so on; rows that agree on all keep the order of
/// their numbers.
pub fn sort_rows(rows: &mut [u32], columns: &[Key<'_>]) {
    sort_by_words(rows, &Packed::words(columns), &mut Vec::new());
}

pub(super) fn sort_by_words(rows: &mut [u32], words: &[Packed<'_>], keyed: &mut Vec<(u64, u32)>) {
    let Some((word, further)) = words.split_first() else {
        rows.sort_unstable();
        return;
    };
    keyed.clear();
    keyed.extend(rows.iter().map(|&row| (word.of(row), row)));
    keyed.sort_unstable();
    rows.iter_mut().zip(keyed.iter()).for_each(|(row, sorted)| *row = sorted.1);
    if further.is_empty() {
        return;
    }
    let mut ties = Vec::new();
    let mut start = 0;
    for tied in keyed.chunk_by(|a, b| a.0 == b.0) {
        if tied.len() > 1 {
            ties.push(start..start + tied.len());
        }
        start += tied.len();
    }
    for tie in ties {
        sort_by_words(&mut rows[tie], further, keyed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_as_their_codes_are() {
        // Numbers of 31 bits: three words.
        let mut state = 1u64;
        let mut roll = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % bound) as u32
        };
        let columns: Vec<Vec<u32>> =
            [3, 1, 2, 3, 2].iter().map(|&bound| (0..500).map(|_| roll(bound)).collect()).collect();
        let keys: Vec<Key> = columns.iter().map(|codes| Key::new(codes, 1 << 31)).collect();
        assert_eq!(Packed::words(&keys).len(), 3);
        let look = |row: &u32| columns.iter().map(|c| c[*row as usize]).collect::<Vec<_>>();
        let mut rows: Vec<u32> = (0..500).rev().collect();
        sort_rows(&mut rows, &keys);
        assert!(rows.is_sorted_by_key(|row| (look(row), *row)));
    }

    #[test]
    fn columns_of_one_value_take_no_room() {
        assert!(Packed::words(&[Key::new(&[0, 0], 1), Key::new(&[0, 0], 0)]).is_empty());
        assert_eq!(Key::new(&[], 2).bits, 1);
        assert_eq!(Key::new(&[], 257).bits, 9);
    }
}
