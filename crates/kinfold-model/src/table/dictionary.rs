//! Distinct texts of a column in one arena, numbered in order of first appearance.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::str::Utf8Error;

/// The distinct texts of a column.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    arena: String,
    ends: Vec<usize>,
}

impl Dictionary {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text with this code.
    #[inline]
    pub fn text(&self, code: u32) -> &str {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.arena[start..self.ends[code]]
    }

    fn add(&mut self, text: &str) -> u32 {
        self.arena.push_str(text);
        self.ends.push(self.arena.len());
        (self.ends.len() - 1) as u32
    }
}

/// A dictionary under construction: finds the code of a text, or gives it the next one.
#[derive(Debug)]
pub(crate) struct Interner {
    dictionary: Dictionary,
    table: HashTable<u32>,
    // A fixed state: equal input gives equal work on every run. Codes never depend on it.
    state: FixedState,
    last: Option<u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            dictionary: Dictionary::default(),
            table: HashTable::new(),
            state: FixedState::default(),
            last: None,
        }
    }
}

impl Interner {
    #[inline]
    pub(crate) fn intern(&mut self, cell: &[u8]) -> Result<u32, Utf8Error> {
        // Sorted files repeat the cell above; looking there first is cheaper than hashing.
        if let Some(last) = self.last
            && self.dictionary.text(last).as_bytes() == cell
        {
            return Ok(last);
        }
        let hash = self.state.hash_one(cell);
        let dictionary = &self.dictionary;
        let found = self.table.find(hash, |&code| dictionary.text(code).as_bytes() == cell).copied();
        let code = match found {
            Some(code) => code,
            None => {
                let code = self.dictionary.add(std::str::from_utf8(cell)?);
                let (dictionary, state) = (&self.dictionary, &self.state);
                self.table.insert_unique(hash, code, |&c| state.hash_one(dictionary.text(c).as_bytes()));
                code
            }
        };
        self.last = Some(code);
        Ok(code)
    }

    pub(crate) fn intern_str(&mut self, cell: &str) -> u32 {
        match self.intern(cell.as_bytes()) {
            Ok(code) => code,
            Err(_) => unreachable!("a str is UTF-8"),
        }
    }

    /// A code that no text can reach: for nulls.
    #[cfg(feature = "columnar")]
    pub(crate) fn reserve(&mut self) -> u32 {
        self.dictionary.add("")
    }

    pub(crate) fn memory(&self) -> usize {
        self.dictionary.arena.capacity()
            + self.dictionary.ends.capacity() * size_of::<usize>()
            + self.table.capacity() * 5
    }

    pub(crate) fn finish(mut self) -> Dictionary {
        self.dictionary.arena.shrink_to_fit();
        self.dictionary.ends.shrink_to_fit();
        self.dictionary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_appearance_and_texts_come_back() {
        let mut interner = Interner::default();
        let codes: Vec<u32> =
            ["b", "a", "", "b", "a", "é", ""].iter().map(|t| interner.intern_str(t)).collect();
        assert_eq!(codes, [0, 1, 2, 0, 1, 3, 2]);
        let dictionary = interner.finish();
        assert_eq!((0..4).map(|c| dictionary.text(c)).collect::<Vec<_>>(), ["b", "a", "", "é"]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_each_time() {
        let mut interner = Interner::default();
        assert!(interner.intern(b"caf\xe9").is_err());
        assert!(interner.intern(b"caf\xe9").is_err());
        assert_eq!(interner.intern_str("cafe"), 0);
    }
}
