//! A group that only grows: what it covers, and what one person's cells in it cost.

use super::digest::{Coded, Digest, Digests};

#[derive(Debug, Clone)]
pub(crate) struct Growing<const L: usize, const W: usize> {
    pub(crate) union: Digest<L, W>,
    /// The codes that occur, for every coded column.
    pub(crate) codes: Vec<Vec<u32>>,
    /// What one person's cells cost, and what of it is for lanes.
    pub(crate) cells: i32,
    lane_cells: i32,
}

impl<const L: usize, const W: usize> Growing<L, W> {
    /// A group of one.
    pub(crate) fn new(digests: &Digests<L, W>, place: u32) -> Self {
        let codes = (0..digests.coded.len()).map(|x| vec![digests.code(place, x)]).collect();
        Self { union: *digests.of(place), codes, cells: 0, lane_cells: 0 }
    }

    /// A group of one, in the same memory.
    pub(crate) fn restart(&mut self, digests: &Digests<L, W>, place: u32) {
        self.union = *digests.of(place);
        (self.cells, self.lane_cells) = (0, 0);
        for (x, codes) in self.codes.iter_mut().enumerate() {
            codes.clear();
            codes.push(digests.code(place, x));
        }
    }

    /// By how much the group would cost more with this record; coded columns apart.
    #[inline(always)]
    pub(crate) fn rise(&self, digests: &Digests<L, W>, record: &Digest<L, W>) -> i32 {
        self.lanes_rise(digests, &record.lanes) + digests.new_bits_cost(&self.union.bits, &record.bits)
    }

    /// By how much its lanes would cost more with these.
    #[inline(always)]
    pub(crate) fn lanes_rise(&self, digests: &Digests<L, W>, lanes: &[i32; L]) -> i32 {
        digests.joined_lanes_cost(&self.union.lanes, lanes) - self.lane_cells
    }

    /// By how much coded columns would cost more with this record.
    pub(crate) fn coded_rise(&self, digests: &Digests<L, W>, place: u32) -> i32 {
        let rise = |(x, codes): (usize, &Vec<u32>)| digests.coded[x].rise(codes, digests.code(place, x));
        self.codes.iter().enumerate().map(rise).sum()
    }

    #[inline]
    pub(crate) fn join(&mut self, digests: &Digests<L, W>, place: u32) {
        let record = digests.of(place);
        self.cells += self.rise(digests, record) + self.coded_rise(digests, place);
        self.union.join(record);
        self.lane_cells = digests.lanes_cost(&self.union.lanes);
        for (x, codes) in self.codes.iter_mut().enumerate() {
            let code = digests.code(place, x);
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
    }

    /// What one person's cells would cost together with another group.
    pub(crate) fn cells_with(&self, digests: &Digests<L, W>, other: &Self) -> i32 {
        let mut bits = self.union.bits;
        for (word, more) in bits.iter_mut().zip(other.union.bits) {
            *word |= more;
        }
        let lanes = digests.joined_lanes_cost(&self.union.lanes, &other.union.lanes);
        let both = |(x, column): (usize, &Coded)| {
            let (mine, theirs) = (&self.codes[x], &other.codes[x]);
            if column.is_set {
                let new = theirs.iter().filter(|code| !mine.contains(code)).count();
                return column.step * (mine.len() + new).saturating_sub(1) as i32;
            }
            let ends = |(low, high): (u32, u32), &code: &u32| (low.min(code), high.max(code));
            let (low, high) = mine.iter().chain(theirs).fold((u32::MAX, 0), ends);
            if low > high { 0 } else { column.span(low, high) }
        };
        let coded: i32 = digests.coded.iter().enumerate().map(both).sum();
        lanes + digests.bits_cost(bits) - digests.base + coded
    }

    /// All of another group joins.
    pub(crate) fn absorb(&mut self, digests: &Digests<L, W>, other: &Self) {
        self.cells = self.cells_with(digests, other);
        self.union.join(&other.union);
        self.lane_cells = digests.lanes_cost(&self.union.lanes);
        for (mine, theirs) in self.codes.iter_mut().zip(&other.codes) {
            mine.extend(theirs);
            mine.sort_unstable();
            mine.dedup();
        }
    }
}
