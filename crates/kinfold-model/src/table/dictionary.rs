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
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(crate) fn text(&self, code: u32) -> &str {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.arena[start..self.ends[code]]
    }

    fn make_room(&mut self, bytes: usize) {
        let (used, room) = (self.arena.len(), self.arena.capacity());
        if used + bytes > room && room >= LARGE {
            self.arena.reserve_exact(bytes.max(room / 4));
        }
    }

    pub(super) fn add(&mut self, text: &str) -> u32 {
        self.make_room(text.len());
        self.arena.push_str(text);
        self.ends.push(self.arena.len());
        (self.ends.len() - 1) as u32
    }
}

/// From this size on an arena grows by a quarter, not by all of it: memory is limited.
const LARGE: usize = 1 << 24;

/// A dictionary under construction: finds the code of a text, or gives it the next one.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    dictionary: Dictionary,
    table: HashTable<u32>,
    /// Codes of values that are known by their bits.
    values: HashTable<(u64, u32)>,
    #[cfg(feature = "columnar")]
    last_value: Option<(u64, u32)>,
    // A fixed state: equal input gives equal work on every run. Codes never depend on it.
    state: FixedState,
    last: Option<u32>,
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

    /// The code of a value that is known by its bits: `write` adds its text the first time. Other bits must
    /// have another text, and none that is interned by its text; none if the value has no text.
    #[cfg(feature = "columnar")]
    #[inline]
    pub(crate) fn intern_bits(
        &mut self,
        bits: u64,
        write: impl FnOnce(&mut String) -> Option<()>,
    ) -> Option<u32> {
        if let Some((last, code)) = self.last_value
            && last == bits
        {
            return Some(code);
        }
        let hash = self.state.hash_one(bits);
        let code = match self.values.find(hash, |&(known, _)| known == bits) {
            Some(&(_, code)) => code,
            None => {
                let arena = &mut self.dictionary.arena;
                let start = arena.len();
                if write(arena).is_none() {
                    arena.truncate(start);
                    return None;
                }
                let code = self.dictionary.add("");
                self.values.insert_unique(hash, (bits, code), |&(known, _)| self.state.hash_one(known));
                code
            }
        };
        self.last_value = Some((bits, code));
        Some(code)
    }

    /// A code that no text can reach: for nulls.
    pub(crate) fn reserve(&mut self) -> u32 {
        self.dictionary.add("")
    }

    /// Bytes of all texts.
    #[cfg(feature = "columnar")]
    #[inline]
    pub(crate) fn texts(&self) -> usize {
        self.dictionary.arena.len()
    }

    pub(crate) fn memory(&self) -> usize {
        self.values.capacity() * (size_of::<(u64, u32)>() + 1)
            + self.dictionary.arena.capacity()
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

    #[cfg(feature = "columnar")]
    #[test]
    fn a_value_is_written_once() {
        let mut interner = Interner::default();
        let mut written = 0;
        let mut codes = Vec::new();
        for bits in [7, 7, 5, 7, 5, 99, 5] {
            codes.push(interner.intern_bits(bits, |text| {
                written += 1;
                text.push_str(&bits.to_string());
                (bits != 99).then_some(())
            }));
        }
        assert_eq!(codes, [Some(0), Some(0), Some(1), Some(0), Some(1), None, Some(1)]);
        assert_eq!((written, interner.reserve(), interner.intern_str("x")), (3, 2, 3));
        let dictionary = interner.finish();
        assert_eq!((0..4).map(|c| dictionary.text(c)).collect::<Vec<_>>(), ["7", "5", "", "x"]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_each_time() {
        let mut interner = Interner::default();
        assert!(interner.intern(b"caf\xe9").is_err());
        assert!(interner.intern(b"caf\xe9").is_err());
        assert_eq!(interner.intern_str("cafe"), 0);
    }
}
