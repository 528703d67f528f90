//! Which answers are worth their time: nobody is as quick and loses no more.

/// What an answer took and what it loses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// How long it took.
    pub seconds: f64,
    /// What it loses.
    pub loss: f64,
}

impl Point {
    /// At least as quick and as good, and better in one of them.
    fn beats(self, other: Self) -> bool {
        self.seconds <= other.seconds && self.loss <= other.loss && self != other
    }
}

/// For each point, whether no other beats it.
pub fn frontier(points: &[Point]) -> Vec<bool> {
    points.iter().map(|&p| !points.iter().any(|q| q.beats(p))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(points: &[(f64, f64)]) -> Vec<bool> {
        frontier(&points.iter().map(|&(seconds, loss)| Point { seconds, loss }).collect::<Vec<_>>())
    }

    #[test]
    fn slower_is_on_the_frontier_only_if_it_loses_less() {
        let points = [(0.1, 0.30), (0.2, 0.35), (1.0, 0.20), (2.0, 0.20), (9.0, 0.10)];
        assert_eq!(of(&points), [true, false, true, false, true]);
    }

    #[test]
    fn equals_do_not_beat_each_other() {
        assert_eq!(of(&[(1.0, 0.2), (1.0, 0.2), (1.0, 0.3)]), [true, true, false]);
        assert!(of(&[]).is_empty());
    }
}
