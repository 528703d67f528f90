//! How often numbers occur in a group, made for small groups that change all the time.

use std::collections::BTreeMap;

/// Below this many possible keys, a count for each is faster than a search.
const FEW: usize = 32;
/// Beyond so many keys that occur, moving those that stand behind another takes longer than a tree.
const MANY: usize = 1 << 12;

#[derive(Debug, Clone)]
pub(super) enum Histogram {
    /// One count for every key.
    Dense(Vec<u64>),
    /// Only keys that occur, in ascending order.
    Sparse(Vec<(u32, u64)>),
    /// The same, where they have become many.
    Many(BTreeMap<u32, u64>),
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

impl Eq for Histogram {}

impl Histogram {
    /// Nothing counted yet, of keys below `keys`.
    pub(crate) fn new(keys: usize) -> Self {
        if keys <= FEW { Self::Dense(vec![0; keys]) } else { Self::Sparse(Vec::new()) }
    }

    /// Replaces the count of a key by what `change` makes of it, and tells it before and after.
    pub(crate) fn change(&mut self, key: u32, change: impl Fn(u64) -> u64) -> (u64, u64) {
        match self {
            Self::Dense(counts) => {
                let count = &mut counts[key as usize];
                let before = std::mem::replace(count, change(*count));
                (before, *count)
            }
            Self::Sparse(entries) => {
                let at = entries.partition_point(|&(k, _)| k < key);
                match entries.get_mut(at).filter(|(k, _)| *k == key) {
                    Some((_, count)) => {
                        let before = std::mem::replace(count, change(*count));
                        let after = *count;
                        if after == 0 {
                            entries.remove(at);
                        }
                        (before, after)
                    }
                    None => {
                        let after = change(0);
                        if after > 0 && entries.len() < MANY {
                            entries.insert(at, (key, after));
                        } else if after > 0 {
                            let mut many: BTreeMap<u32, u64> = entries.drain(..).collect();
                            many.insert(key, after);
                            *self = Self::Many(many);
                        }
                        (0, after)
                    }
                }
            }
            Self::Many(counts) => {
                let before = counts.get(&key).copied().unwrap_or(0);
                let after = change(before);
                match after {
                    0 => counts.remove(&key),
                    _ => counts.insert(key, after),
                };
                (before, after)
            }
        }
    }

    fn entries(&self) -> Vec<(u32, u64)> {
        let mut entries = Vec::new();
        self.for_each(|key, count| entries.push((key, count)));
        entries
    }

    /// Keys that occur with their counts, in ascending order.
    pub(crate) fn for_each(&self, mut tell: impl FnMut(u32, u64)) {
        match self {
            Self::Dense(counts) => {
                counts.iter().zip(0..).filter(|&(&c, _)| c > 0).for_each(|(&c, key)| tell(key, c))
            }
            Self::Sparse(entries) => entries.iter().for_each(|&(key, c)| tell(key, c)),
            Self::Many(counts) => counts.iter().for_each(|(&key, &c)| tell(key, c)),
        }
    }

    /// How many keys occur.
    pub(crate) fn distinct(&self) -> usize {
        match self {
            Self::Dense(counts) => counts.iter().filter(|&&c| c > 0).count(),
            Self::Sparse(entries) => entries.len(),
            Self::Many(counts) => counts.len(),
        }
    }

    /// Adds many at once: in the time of sorting them, where one by one would move all that stand behind
    /// each.
    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = (u32, u64)>) {
        match self {
            Self::Dense(counts) => more.into_iter().for_each(|(key, c)| counts[key as usize] += c),
            Self::Sparse(entries) => {
                entries.extend(more);
                entries.sort_unstable_by_key(|&(key, _)| key);
                entries.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    if same {
                        kept.1 += next.1;
                    }
                    same
                });
            }
            Self::Many(counts) => {
                more.into_iter().for_each(|(key, count)| *counts.entry(key).or_default() += count);
            }
        }
    }

    pub(crate) fn absorb(&mut self, other: &Self) {
        match other {
            Self::Dense(counts) => self.extend((0..).zip(counts.iter().copied()).filter(|&(_, c)| c > 0)),
            Self::Sparse(entries) => self.extend(entries.iter().copied()),
            Self::Many(counts) => self.extend(counts.iter().map(|(&key, &count)| (key, count))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_count_like_a_map() {
        for keys in [FEW, FEW + 1, 2 * MANY] {
            let (mut histogram, mut map) = (Histogram::new(keys), BTreeMap::<u32, u64>::new());
            assert_eq!(matches!(histogram, Histogram::Dense(_)), keys == FEW);
            let mut state = 1u64;
            // Many of them occur already.
            for key in (0..keys as u32).filter(|_| keys > MANY) {
                histogram.change(key, |_| 1);
                map.insert(key, 1);
            }
            assert_eq!(matches!(histogram, Histogram::Many(_)), keys > MANY);
            for step in 0..3000u64 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let key = (state >> 33) as u32 % keys as u32;
                let old = map.get(&key).copied().unwrap_or(0);
                let new = if state >> 63 == 0 { old + step % 3 } else { old.saturating_sub(2) };
                assert_eq!(histogram.change(key, |_| new), (old, new));
                if new == 0 {
                    map.remove(&key)
                } else {
                    map.insert(key, new)
                };
                if step % 100 == 0 {
                    let other = histogram.clone();
                    histogram.absorb(&other);
                    map.values_mut().for_each(|c| *c *= 2);
                }
                if keys > MANY && step % 100 > 0 {
                    continue;
                }
                let mut told = Vec::new();
                histogram.for_each(|key, c| told.push((key, c)));
                assert_eq!((told.len(), told), (histogram.distinct(), map.clone().into_iter().collect()));
            }
        }
    }
}
