//! A group that only grows: what it covers, and what one person's cells in it cost.

use super::digest::{Digest, Digests};

#[derive(Debug, Clone)]
pub(crate) struct Growing<const L: usize, const W: usize> {
    pub(crate) union: Digest<L, W>,
    /// The codes that occur, for every coded column.
    pub(crate) codes: Vec<Vec<u32>>,
    pub(crate) cells: i32,
}

impl<const L: usize, const W: usize> Growing<L, W> {
    /// A group of one.
    pub(crate) fn new(digests: &Digests<L, W>, place: u32) -> Self {
        let codes = (0..digests.coded.len()).map(|x| vec![digests.code(place, x)]).collect();
        Self { union: *digests.of(place), codes, cells: 0 }
    }

    /// A group of one, in the same memory.
    pub(crate) fn restart(&mut self, digests: &Digests<L, W>, place: u32) {
        self.union = *digests.of(place);
        self.cells = 0;
        for (x, codes) in self.codes.iter_mut().enumerate() {
            codes.clear();
            codes.push(digests.code(place, x));
        }
    }

    #[inline]
    pub(crate) fn join(&mut self, digests: &Digests<L, W>, place: u32) {
        self.cells += digests.rise(&self.union, digests.of(place));
        self.union.join(digests.of(place));
        for (x, codes) in self.codes.iter_mut().enumerate() {
            let code = digests.code(place, x);
            self.cells += digests.coded[x].rise(codes, code);
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
    }
}
