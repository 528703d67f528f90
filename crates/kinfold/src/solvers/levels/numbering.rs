//! Numbers what agrees in several columns, exactly and fast: numbers of nodes are packed into one number as long
//! as they fit, which is hashed; then packing goes on with the classes so far.

/// Classes, and the room to find them in.
#[derive(Default)]
pub(super) struct Numbering {
    /// The class of every part, counted from 0 as they first appear.
    pub of: Vec<u32>,
    keys: Vec<u64>,
    slots: Vec<u32>,
    firsts: Vec<u64>,
    /// Looks at a cell so far: what the work is measured by.
    pub work: u64,
}

const NONE: u32 = u32::MAX;

/// The classes of so many parts by columns: the lowest node of every part, the node above that, and how many of the
/// latter there are. Answers how many classes there are.
pub(super) fn number<'a>(
    columns: impl Iterator<Item = (&'a [u32], &'a [u32], u32)>,
    parts: usize,
    by: &mut Numbering,
) -> usize {
    by.keys.clear();
    by.keys.resize(parts, 0);
    let mut room = 1u64;
    for (own, above, nodes) in columns.filter(|&(_, _, nodes)| nodes > 1) {
        if room.checked_mul(u64::from(nodes)).is_none() {
            let found = by.settle(room);
            by.keys.iter_mut().zip(&by.of).for_each(|(key, &class)| *key = u64::from(class));
            room = found as u64;
        }
        by.keys.iter_mut().zip(own).for_each(|(key, &own)| {
            *key = *key * u64::from(nodes) + u64::from(above[own as usize]);
        });
        room *= u64::from(nodes);
        by.work += parts as u64;
    }
    by.settle(room)
}

impl Numbering {
    /// The parts of every class so far, finer by one column.
    fn settle(&mut self, room: u64) -> usize {
        self.of.clear();
        self.work += 4 * self.keys.len() as u64;
        let few = 4 * self.keys.len() as u64 + 1_024;
        let mut next = 0;
        if room <= few {
            self.slots.clear();
            self.slots.resize(room as usize, NONE);
            for &key in &self.keys {
                let slot = &mut self.slots[key as usize];
                if *slot == NONE {
                    *slot = next;
                    next += 1;
                }
                self.of.push(*slot);
            }
            return next as usize;
        }
        let size = (2 * self.keys.len()).next_power_of_two().max(16);
        let shift = 64 - size.trailing_zeros();
        self.slots.clear();
        self.slots.resize(size, NONE);
        self.firsts.clear();
        for &key in &self.keys {
            // Multiplying spreads the low digits of packed numbers over the high ones.
            let mixed = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut at = (mixed >> shift) as usize;
            let class = loop {
                match self.slots[at] {
                    NONE => {
                        self.slots[at] = next;
                        self.firsts.push(key);
                        next += 1;
                        break next - 1;
                    }
                    class if self.firsts[class as usize] == key => break class,
                    _ => at = (at + 1) & (size - 1),
                }
            };
            self.of.push(class);
        }
        next as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinfold_model::table::distinct_rows;

    #[test]
    fn classes_are_those_of_whole_rows() {
        let mut seed = 5u64;
        let mut dice = |sides: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % sides) as u32
        };
        let mut by = Numbering::default();
        // From numbers that are counted to such that are hashed, and to more than fit one number.
        for (columns, nodes) in [(1, 3), (3, 5), (4, 300), (9, 70_000), (40, 7)] {
            let own: Vec<Vec<u32>> =
                (0..columns).map(|_| (0..500).map(|_| dice(nodes) % 9).collect()).collect();
            let above: Vec<u32> = (0..9).map(|node| node / 2).collect();
            let found = number(own.iter().map(|own| (&own[..], &above[..], nodes as u32)), 500, &mut by);
            let up: Vec<Vec<u32>> =
                own.iter().map(|own| own.iter().map(|&node| above[node as usize]).collect()).collect();
            let slices: Vec<&[u32]> = up.iter().map(Vec::as_slice).collect();
            let distinct = distinct_rows(&slices, 500);
            assert_eq!((found, &by.of), (distinct.first.len(), &distinct.of_row));
        }
        assert_eq!(number(std::iter::empty(), 3, &mut by), 1);
    }
}
