//! The greatest of a run of numbers, in two looks: maxima over all runs of 1, 2, 4 … numbers are kept, and
//! any run is covered by two of them.

/// Numbers, and the maxima of their runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeMax<T> {
    /// Row after row of `width` maxima: of runs of 1, of 2, of 4 … numbers, by where they start.
    maxima: Vec<T>,
    width: usize,
}

impl<T: Copy + Ord + Default> RangeMax<T> {
    pub fn new(mut numbers: Vec<T>) -> Self {
        let (width, mut length) = (numbers.len(), 1);
        let mut maxima = Vec::new();
        while !numbers.is_empty() {
            maxima.extend_from_slice(&numbers);
            maxima.resize(maxima.len().next_multiple_of(width), T::default());
            numbers = (length..numbers.len()).map(|i| numbers[i - length].max(numbers[i])).collect();
            length *= 2;
        }
        Self { maxima, width }
    }

    /// The greatest from the first number up to, not including, the end; the default of an empty run.
    #[inline(always)]
    pub fn of(&self, first: u32, end: u32) -> T {
        let Some(level) = end.wrapping_sub(first).checked_ilog2() else { return T::default() };
        let row = level as usize * self.width;
        let at = |i: u32| self.maxima.get(row + i as usize).copied().unwrap_or_default();
        at(first).max(at(end.wrapping_sub(1 << level)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_its_maximum() {
        for length in 0..40u32 {
            let numbers: Vec<u32> = (0..length).map(|i| i * 7919 % 31 + 1).collect();
            let fast = RangeMax::new(numbers.clone());
            for (first, end) in (0..=length).flat_map(|end| (0..=end).map(move |first| (first, end))) {
                let plain = numbers[first as usize..end as usize].iter().copied().max().unwrap_or(0);
                assert_eq!(fast.of(first, end), plain);
            }
        }
    }
}
