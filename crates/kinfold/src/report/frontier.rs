//! Which answers are worth their time: nobody is as quick and loses no more.

/// For every time and loss, whether no other is as good in both and better in one of them.
pub(super) fn frontier(points: &[(f64, f64)]) -> Vec<bool> {
    let beats = |q: &(f64, f64), p: &(f64, f64)| q.0 <= p.0 && q.1 <= p.1 && q != p;
    points.iter().map(|p| !points.iter().any(|q| beats(q, p))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_is_on_the_frontier_only_if_it_loses_less() {
        let points = [(0.1, 0.30), (0.2, 0.35), (1.0, 0.20), (2.0, 0.20), (9.0, 0.10)];
        assert_eq!(frontier(&points), [true, false, true, false, true]);
    }

    #[test]
    fn equals_do_not_beat_each_other() {
        assert_eq!(frontier(&[(1.0, 0.2), (1.0, 0.2), (1.0, 0.3)]), [true, true, false]);
        assert!(frontier(&[]).is_empty());
    }
}
