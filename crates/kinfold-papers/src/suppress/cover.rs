//! Stars by set cover: paper *suppress*, Theorem 4.1.
//!
//! # The problem
//! The fewest stars so that everybody looks like k − 1 others, with a proven factor. A group of rows needs at
//! least as many stars per row as its two most different rows differ in columns: its **diameter**.
//!
//! # The idea
//! Of all sets of k to 2k − 1 rows, take again and again the one whose diameter, divided by the rows it
//! covers that were not covered yet, is least. Then make the sets disjoint (`reduce.rs`).
//!
//! # Example
//! Figure 1 of paper *complexity*: x a b and y a b differ in one column, z c d and z c e in one. Two sets of
//! diameter 1: four stars.
//!
//! # Promise
//! At most 2k (1 + ln 2k) times the fewest stars. The paper says 3k, but Lemma 4.1 fails as printed;
//! `papers/suppress.md` has a proof.
//!
//! # What it lacks
//! There are about n to the power of 2k − 1 sets: it is for tiny tables, and for showing that the theorem
//! holds.

use super::distance;
use super::reduce::{Set, reduce};
use kinfold::model::{Found, Objective, Problem};
use kinfold::toolkit::{Initial, supports_whole_rows};
use kinfold::{Answer, Card, Case, Promise, Run, Solver, Stopped, Unsupported};

pub(crate) struct StarsCover;

/// Rows, which are bits of a word.
const MOST_ROWS: usize = 64;
/// Sets that it looks at.
const MOST_SETS: u64 = 2_000_000;

const CARD: Card = Card {
    key: "stars-cover",
    title: "greedy set cover over all groups of k to 2k − 1 rows, made disjoint",
    paper: "Meyerson, Williams: on the complexity of optimal k-anonymity, Theorem 4.1",
    objectives: &[Objective::Stars],
    promise: Promise::Factor("2k (1 + ln 2k)"),
    cases: &Case::of_whole_rows("cover_and_ball_keep_their_factors"),
    runtime: "rows to the power of 2k",
    not_for: "more than 64 rows or two million groups (40 rows at k = 3), withholding, rows with a count other than 1",
    method_of: Some("suppress"),
    ..Card::BASE
};

/// How many sets of k to 2k − 1 of so many rows there are.
fn sets(rows: u64, k: u64) -> u64 {
    let mut all = 0u64;
    for size in k..2 * k {
        // C(rows, size), as far as it matters.
        let mut ways = 1u128;
        for i in 0..size.min(rows + 1) {
            ways = ways * u128::from(rows - i.min(rows)) / u128::from(i + 1);
            if ways > u128::from(u32::MAX) {
                return u64::MAX;
            }
        }
        all += ways as u64;
    }
    all
}

impl Solver for StarsCover {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        supports_whole_rows(problem, CARD.key)?;
        let (rows, k) = (problem.rows(), problem.k());
        Unsupported::unless(rows <= MOST_ROWS, || {
            format!("stars-cover takes tables of at most {MOST_ROWS} rows, this one has {rows}")
        })?;
        let sets = sets(rows as u64, k);
        Unsupported::unless(sets <= MOST_SETS, || {
            let many = if sets == u64::MAX { "billions of".to_owned() } else { sets.to_string() };
            let most = 2 * k - 1;
            format!(
                "stars-cover looks at {MOST_SETS} groups of {k} to {most} rows at most, here there are {many}"
            )
        })
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let rows = problem.rows();
        let mut all = Listing { problem, sets: Vec::new(), rows: Vec::new() };
        all.grow(0, 0);
        let everybody = u64::MAX >> (64 - rows);
        let (mut covered, mut chosen) = (0u64, Vec::new());
        while covered != everybody {
            if run.is_over()? {
                return Initial.group(problem, run);
            }
            // Ratios of diameter and rows, compared without dividing; the first of equals counts.
            let ratio = |&(set, diameter): &(u64, u64)| (diameter, u64::from((set & !covered).count_ones()));
            let news = all.sets.iter().filter(|(set, _)| set & !covered != 0);
            let best = news.min_by(|a, b| {
                let ((d, n), (e, m)) = (ratio(a), ratio(b));
                (u128::from(d) * u128::from(m)).cmp(&(u128::from(e) * u128::from(n))).then(m.cmp(&n))
            });
            let Some(&(set, _)) = best else { break };
            covered |= set;
            let rows = (0..rows as u32).filter(|row| set >> row & 1 == 1).collect();
            chosen.push(Set { rows, host: None });
        }
        let sets = reduce(problem, chosen).into_iter().map(|set| set.rows);
        Ok(Found::of_groups(problem.rows(), sets).into())
    }
}

/// All sets of k to 2k − 1 rows, as bits, with their diameters.
struct Listing<'p> {
    problem: &'p Problem,
    sets: Vec<(u64, u64)>,
    /// The rows of the set in the making.
    rows: Vec<u32>,
}

impl Listing<'_> {
    fn grow(&mut self, next: u32, diameter: u64) {
        let k = self.problem.k() as usize;
        if self.rows.len() >= k {
            self.sets.push((self.rows.iter().fold(0, |bits, row| bits | 1 << row), diameter));
        }
        if self.rows.len() == 2 * k - 1 {
            return;
        }
        for row in next..self.problem.rows() as u32 {
            let to = |&other: &u32| {
                distance(self.problem, self.problem.record_of(row), self.problem.record_of(other))
            };
            let wider = self.rows.iter().map(to).max().unwrap_or(0).max(diameter);
            self.rows.push(row);
            self.grow(row + 1, wider);
            self.rows.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sets_are_counted() {
        assert_eq!(super::sets(4, 2), 6 + 4);
        assert_eq!(super::sets(5, 3), 10 + 5 + 1);
        assert_eq!(super::sets(60, 20), u64::MAX);
    }
}
