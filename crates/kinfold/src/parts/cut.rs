//! A list of records, cut into runs of at least k people where it costs least.
//!
//! The best cut of the first i records ends with a run that is no longer than it takes to hold 2k people,
//! after a best cut of the records before it: dynamic programming over i. (A longer run could be cut in two
//! and cost no more, unless single records are large.) For one column on a line, sorted, this is close to the
//! best grouping.

use super::digest::Digests;
use super::growing::Growing;

/// A record of the list: its place, and how many people have it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) place: u32,
    pub(crate) people: u64,
}

/// Where the runs end, the last at the end of the list; none if all together are fewer than k people.
pub(crate) fn best_runs<const L: usize, const W: usize>(
    digests: &Digests<L, W>,
    items: &[Item],
    k: u64,
) -> Option<Vec<usize>> {
    // What the first i records cost at least, and where the last run starts then.
    let mut best: Vec<(i64, u32)> = vec![(i64::MAX, 0); items.len() + 1];
    best[0].0 = 0;
    let mut run = Growing::new(digests, items.first()?.place);
    for end in 1..=items.len() {
        run.restart(digests, items[end - 1].place);
        let mut people = 0;
        for start in (0..end).rev() {
            if start < end - 1 {
                run.join(digests, items[start].place);
            }
            people += items[start].people;
            if people >= k && best[start].0 < i64::MAX {
                let cost = best[start].0 + people as i64 * i64::from(run.cells);
                best[end] = best[end].min((cost, start as u32));
            }
            if people >= 2 * k && best[end].0 < i64::MAX {
                break;
            }
        }
    }
    if best[items.len()].0 == i64::MAX {
        return None;
    }
    let mut ends = Vec::new();
    let mut end = items.len();
    while end > 0 {
        ends.push(end);
        end = best[end].1 as usize;
    }
    ends.reverse();
    Some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::digest::Layout;
    use crate::parts::random::Random;
    use kinfold_model::cost::{ONE, Objective, Rule};
    use kinfold_model::problem::{Parts, Problem};

    /// What the cheapest way to cut costs, by trying all.
    fn least(digests: &Digests<4, 2>, items: &[Item], k: u64) -> Option<i64> {
        if items.is_empty() {
            return Some(0);
        }
        let cut = |end: usize| {
            let people: u64 = items[..end].iter().map(|i| i.people).sum();
            let mut run = Growing::new(digests, items[0].place);
            items[1..end].iter().for_each(|i| run.join(digests, i.place));
            let rest = least(digests, &items[end..], k)?;
            (people >= k).then_some(rest + people as i64 * i64::from(run.cells))
        };
        (1..=items.len()).filter_map(cut).min()
    }

    #[test]
    fn no_cut_is_better() {
        let mut random = Random::new(8);
        for _ in 0..60 {
            let rules = vec![
                Rule::line((0..=9).map(|i| i * ONE / 9).collect(), false, ONE).unwrap(),
                Rule::set(4, ONE),
            ];
            let codes: Vec<u32> =
                (0..14).flat_map(|_| [random.below(10) as u32, random.below(4) as u32]).collect();
            let parts = Parts::new(2, Objective::Ncp, rules, (0..14).collect(), codes);
            let problem = Problem::new(parts).unwrap();
            let digests = Digests::<4, 2>::new(&problem, &Layout::of(&problem));
            let items: Vec<Item> =
                (0..14).map(|place| Item { place, people: 1 + random.below(2) as u64 }).collect();
            for k in [2, 3, 5, 30] {
                let found = best_runs(&digests, &items, k).map(|ends| {
                    let starts = [0].into_iter().chain(ends.iter().copied());
                    starts
                        .zip(&ends)
                        .map(|(start, &end)| least_one(&digests, &items[start..end]))
                        .sum::<i64>()
                });
                assert_eq!(found, least(&digests, &items, k));
            }
        }
    }

    /// What these rows cost as one run.
    fn least_one(digests: &Digests<4, 2>, items: &[Item]) -> i64 {
        let mut run = Growing::new(digests, items[0].place);
        items[1..].iter().for_each(|i| run.join(digests, i.place));
        items.iter().map(|i| i.people as i64).sum::<i64>() * i64::from(run.cells)
    }
}
