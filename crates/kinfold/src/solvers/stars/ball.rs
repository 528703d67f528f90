//! Stars by balls: paper *suppress*, Theorem 4.2.
//!
//! # The problem
//! As for [`cover`](super::cover), without looking at every set of rows.
//!
//! # The idea
//! Only balls are looked at: around every record, all that differ from it in at most so many columns. A ball's diameter is no more
//! than twice its radius. Greedy set cover takes the ball whose radius, divided by what it covers anew, is least;
//! then the sets are made disjoint (`reduce.rs`).
//!
//! # Where it leaves the paper
//! The paper's proof takes sets to be small, but a ball can hold the whole table: then one ball of a large radius covers more
//! per unit of diameter than many small ones, and parting it again loses the factor. So a ball counts for no
//! more than 2k − 1 people, and only so many of it, those not covered first, the nearest first, become a set. That is greedy set cover over
//! all sets of k to 2k − 1 people in a ball. Every group of the best grouping is such a set, in a ball around any of its members
//! with the group's diameter for a radius. So the factor is twice that of the theorem before, whatever the number of columns. Copies of a
//! record lie in balls of radius 0, which the paper, whose rows all differ, does not have.
//!
//! # Promise
//! At most 6k (1 + ln 2k) times the fewest stars, where every row stands for one person.
//!
//! # What it lacks
//! Patience for large tables: what a ball covers anew is counted by looking at all records.

use super::distance;
use super::reduce::{groups, reduce};
use crate::parts::leftovers;
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Promise, Solver, Unsupported};
use kinfold_model::cost::Objective;
use kinfold_model::judge::Found;
use kinfold_model::problem::Problem;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

pub(crate) struct Ball;

/// Records that it takes on: a minute or so.
const MOST_RECORDS: usize = 10_000;

const CARD: Card = Card {
    key: "stars-ball",
    title: "greedy cover by balls around records, made disjoint",
    paper: "Meyerson, Williams: on the complexity of optimal k-anonymity, Theorem 4.2",
    objectives: &[Objective::Stars],
    uses_effort: false,
    promise: Promise::Factor("6k (1 + ln 2k)"),
    slow: false,
    runtime: "records² × columns, a few times over: seconds at 5,000 records",
    not_for: "more than 10,000 distinct records (use anneal); a low loss (use anneal)",
    settings: &[],
};

impl Solver for Ball {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        if problem.records() > MOST_RECORDS {
            return Err(Unsupported(format!(
                "stars-ball takes at most {MOST_RECORDS} distinct records, this table has {}",
                problem.records()
            )));
        }
        Ok(())
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let mut covering = Covering::new(problem);
        let records = 0..problem.records() as u32;
        let mut open: BinaryHeap<Reverse<Offer>> = BinaryHeap::new();
        for centre in records.filter(|&r| problem.record_size(r) > 0) {
            run.check()?;
            open.extend(covering.best_ball(centre).map(Reverse));
        }
        let mut sets = Vec::new();
        // What balls cover anew only shrinks: an offer that still holds when it comes first is the best.
        while let Some(Reverse(offer)) = open.pop() {
            run.check()?;
            let Some(now) = covering.best_ball(offer.centre) else { continue };
            if now == offer || open.peek().is_none_or(|Reverse(next)| now <= *next) {
                sets.push(covering.take(&now));
                open.extend(covering.best_ball(now.centre).map(Reverse));
            } else {
                open.push(Reverse(now));
            }
        }
        let sets = reduce(problem, sets);
        let mut group_of = groups(problem, &sets);
        let nobody: Vec<u32> = (0..problem.rows() as u32).filter(|&r| problem.row_size(r) == 0).collect();
        leftovers::settle(problem, &mut group_of, sets.len(), &nobody);
        Ok(Found::plain(group_of).into())
    }
}

/// A ball, and how many people it covers anew, as far as they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Offer {
    radius: u64,
    covers: u64,
    centre: u32,
}

impl Ord for Offer {
    /// By radius per person covered; then who covers more, then the first centre.
    fn cmp(&self, other: &Self) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let ratio = product(self.radius, other.covers).cmp(&product(other.radius, self.covers));
        ratio.then(other.covers.cmp(&self.covers)).then(self.centre.cmp(&other.centre))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Covering<'p> {
    problem: &'p Problem,
    /// Rows of every record that are not covered; the first ones are.
    left: Vec<usize>,
    /// People of these rows.
    left_people: Vec<u64>,
    /// How far around each record k people are found.
    company: Vec<u64>,
}

impl<'p> Covering<'p> {
    fn new(problem: &'p Problem) -> Self {
        let records = 0..problem.records() as u32;
        let left_people: Vec<u64> = records.clone().map(|r| problem.record_size(r)).collect();
        let left = records.clone().map(|r| problem.rows_of(r).len()).collect();
        let mut covering = Self { problem, left, left_people, company: Vec::new() };
        covering.company =
            records.map(|r| covering.around(r, problem.k()).last().map_or(0, |l| l.0)).collect();
        covering
    }

    /// Records that are not covered, by distance, until there are so many people.
    fn around(&self, centre: u32, wanted: u64) -> Vec<(u64, u32)> {
        let mut near: Vec<(u64, u32)> = Vec::new();
        let (mut people, mut reach) = (0, u64::MAX);
        for record in (0..self.left.len() as u32).filter(|&r| self.left_people[r as usize] > 0) {
            let away = distance(self.problem, centre, record);
            if away >= reach {
                continue;
            }
            let at = near.partition_point(|&n| n < (away, record));
            near.insert(at, (away, record));
            people += self.left_people[record as usize];
            while let Some(&(_, last)) = near.last()
                && people - self.left_people[last as usize] >= wanted
            {
                people -= self.left_people[last as usize];
                near.pop();
            }
            if people >= wanted {
                reach = near.last().map_or(0, |last| last.0);
            }
        }
        near
    }

    /// The radius that covers most per unit, around this record.
    fn best_ball(&self, centre: u32) -> Option<Offer> {
        let most = 2 * self.problem.k() - 1;
        let mut best: Option<Offer> = None;
        let mut covers = 0;
        for (away, record) in self.around(centre, most) {
            covers = (covers + self.left_people[record as usize]).min(most);
            let offer = Offer { radius: away.max(self.company[centre as usize]), covers, centre };
            best = Some(best.map_or(offer, |b| b.min(offer)));
        }
        best
    }

    /// The rows of a ball that become a set: those not covered, the nearest first, and others if they are too few.
    fn take(&mut self, ball: &Offer) -> Vec<u32> {
        let (k, problem) = (self.problem.k(), self.problem);
        let (mut set, mut people) = (Vec::new(), 0);
        for (away, record) in self.around(ball.centre, ball.covers) {
            let rows = problem.rows_of(record);
            let left = &mut self.left[record as usize];
            while *left > 0 && people < ball.covers && away <= ball.radius {
                let row = rows[rows.len() - *left];
                *left -= 1;
                let size = problem.row_size(row);
                if size > 0 {
                    self.left_people[record as usize] -= size;
                    people += size;
                    set.push(row);
                }
            }
        }
        if people < k {
            let mut near: Vec<(u64, u32)> = (0..self.left.len() as u32)
                .filter(|&r| problem.record_size(r) > 0)
                .map(|r| (distance(problem, ball.centre, r), r))
                .collect();
            near.sort_unstable();
            let rows = near.iter().flat_map(|&(_, r)| problem.rows_of(r));
            for &row in rows {
                if people >= k {
                    break;
                }
                if problem.row_size(row) > 0 && !set.contains(&row) {
                    people += problem.row_size(row);
                    set.push(row);
                }
            }
        }
        set
    }
}
