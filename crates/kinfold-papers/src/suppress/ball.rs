//! Stars by balls: paper *suppress*, Theorem 4.2.
//!
//! # The problem
//! As for [`cover`](super::cover), without looking at every set of rows.
//!
//! # The idea
//! Only balls are looked at: around every record, all that differ from it in at most so many columns. A
//! ball's diameter is no more than twice its radius. Greedy set cover takes the ball whose radius, divided by
//! what it covers anew, is least; then the sets are made disjoint (`reduce.rs`).
//!
//! # Where it leaves the paper
//! The paper's proof takes sets to be small, but a ball can hold the whole table: then one ball of a large
//! radius covers more per unit of diameter than many small ones, and parting it again loses the factor. So a
//! ball counts for no more than 2k − 1 people, and only so many of it, those not covered first, the nearest
//! first, become a set. That is greedy set cover over all sets of k to 2k − 1 people in a ball. Every group
//! of the best grouping is such a set, in a ball around any of its members with the group's diameter for a
//! radius. Copies of a record lie in balls of radius 0, which the paper, whose rows all differ, does not
//! have.
//!
//! # Rows of several people
//! A row of k people or more is a **host**: alone it costs nothing. The others are **guests**; they make sets
//! of their own, or join a host, and then the host pays, too. So a ball costs its radius times k, or times
//! the people of its host. Guests of one host who are k people together need no host any more
//! (`groups_of_hosts`), and sets that can be parted are (`part`).
//!
//! # Promise
//! At most 4k (1 + ln 2k) times the fewest stars, with counts or without; `papers/suppress.md` has the proof.
//!
//! # What it lacks
//! Patience for large tables: what a ball covers anew is counted by looking at all records.

use super::distance;
use super::reduce::{Set, reduce};
use kinfold::model::{Found, Objective, Problem};
use kinfold::toolkit::{Initial, releases_everybody};
use kinfold::{Answer, Card, Case, Input, Promise, Run, Solver, Stopped, Unsupported};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

pub(crate) struct Ball;

/// Records that it takes on: a minute or so.
const MOST_RECORDS: usize = 10_000;

const CARD: Card = Card {
    key: "stars-ball",
    title: "greedy cover by balls around records, made disjoint",
    paper: "Meyerson, Williams: on the complexity of optimal k-anonymity, Theorem 4.2",
    objectives: &[Objective::Stars],
    promise: Promise::Factor("4k (1 + ln 2k)"),
    cases: &[
        Case::kept(&[Input::Plain, Input::Missing, Input::Weights], "cover_and_ball_keep_their_factors"),
        Case::kept(&[Input::Counts], "ball_keeps_its_factor_with_counts"),
        Case::declined(&[Input::Withholding], "it does not choose rows to withhold"),
    ],
    runtime: "records² × columns, a few times over: seconds at 5,000 records",
    not_for: "more than 10,000 distinct records (use anneal); a low loss (use anneal); withholding, rows with count 0",
    method_of: Some("suppress"),
    ..Card::BASE
};

impl Solver for Ball {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let records = problem.records();
        Unsupported::unless(records <= MOST_RECORDS, || {
            format!("stars-ball takes at most {MOST_RECORDS} distinct records, this table has {records}")
        })?;
        // Any number of rows of nobody would fit a group of 2k − 1 people.
        Unsupported::unless((0..problem.rows() as u32).all(|row| problem.row_size(row) > 0), || {
            "stars-ball does not take rows with count 0".to_owned()
        })?;
        releases_everybody(problem, CARD.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let Some(sets) = cover(problem, run)? else { return Initial.group(problem, run) };
        let (hosted, free): (Vec<Set>, Vec<Set>) =
            reduce(problem, sets).into_iter().partition(|set| set.host.is_some());
        let free = free.into_iter().flat_map(|set| part(problem, set.rows));
        let sets = free.chain(groups_of_hosts(problem, hosted));
        Ok(Found::of_groups(problem.rows(), sets).into())
    }
}

/// Sets of guests that cover all of them; `None` at the deadline.
fn cover(problem: &Problem, run: &Run) -> Result<Option<Vec<Set>>, Stopped> {
    let mut covering = Covering::new(problem, run)?;
    let mut open: BinaryHeap<Reverse<Offer>> = BinaryHeap::new();
    for centre in covering.centres() {
        if run.is_over()? {
            return Ok(None);
        }
        open.extend(covering.best_ball(centre).map(Reverse));
    }
    let mut sets = Vec::new();
    // What balls cover anew only shrinks: an offer that still holds when it comes first is the best.
    while let Some(Reverse(offer)) = open.pop() {
        if run.is_over()? {
            return Ok(None);
        }
        let Some(now) = covering.best_ball(offer.centre) else { continue };
        if now == offer || open.peek().is_none_or(|Reverse(next)| now <= *next) {
            sets.push(covering.take(&now));
            open.extend(covering.best_ball(now.centre).map(Reverse));
        } else {
            open.push(Reverse(now));
        }
    }
    Ok(Some(sets))
}

/// Two groups in place of one where both hold k people: rows of many people first, for they are the hardest
/// to place.
fn part(problem: &Problem, mut rows: Vec<u32>) -> Vec<Vec<u32>> {
    let people = |rows: &[u32]| rows.iter().map(|&row| problem.row_size(row)).sum::<u64>();
    if people(&rows) < 2 * problem.k() {
        return vec![rows];
    }
    rows.sort_unstable_by_key(|&row| (Reverse(problem.row_size(row)), problem.record_of(row), row));
    let cut = (1..rows.len()).find(|&cut| people(&rows[..cut]) >= problem.k()).unwrap_or(rows.len());
    if people(&rows[cut..]) < problem.k() {
        return vec![rows];
    }
    let rest = rows.split_off(cut);
    let mut parts = vec![rows];
    parts.extend(part(problem, rest));
    parts
}

/// Guests of one host who are k people together make a group; who is left over stays with the host. All other
/// hosts are alone.
fn groups_of_hosts(problem: &Problem, sets: Vec<Set>) -> Vec<Vec<u32>> {
    let mut guests: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut groups = Vec::new();
    for set in sets {
        let together = guests.entry(set.host.unwrap_or_default()).or_default();
        let own = set.people(problem) >= problem.k();
        let group = if own {
            set.rows
        } else {
            together.extend(set.rows);
            std::mem::take(together)
        };
        if own || group.iter().map(|&row| problem.row_size(row)).sum::<u64>() >= problem.k() {
            groups.extend(part(problem, group));
        } else {
            *together = group;
        }
    }
    let hosts = (0..problem.rows() as u32).filter(|&row| problem.row_size(row) >= problem.k());
    groups.extend(hosts.map(|host| [vec![host], guests.remove(&host).unwrap_or_default()].concat()));
    groups
}

/// What a ball is drawn around: a guest's record, or a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Centre {
    record: u32,
    host: Option<u32>,
}

/// A ball, and how many guests it covers anew, as far as they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Offer {
    /// Its radius times k, or times the people of its host.
    cost: u64,
    covers: u64,
    centre: Centre,
}

impl Ord for Offer {
    /// By cost per person covered; then who covers more, then the first centre.
    fn cmp(&self, other: &Self) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let ratio = product(self.cost, other.covers).cmp(&product(other.cost, self.covers));
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
    /// The guests of every record: rows of fewer than k people.
    guests: Vec<Vec<u32>>,
    /// How many of them are not covered; the first ones are.
    left: Vec<usize>,
    /// People of those not covered.
    left_people: Vec<u64>,
    /// How far around each record k people are found among guests; `None` if they are fewer.
    company: Vec<Option<u64>>,
}

impl<'p> Covering<'p> {
    fn new(problem: &'p Problem, run: &Run) -> Result<Self, Stopped> {
        let records = 0..problem.records() as u32;
        let is_guest = |row: &u32| problem.row_size(*row) < problem.k();
        let guests: Vec<Vec<u32>> =
            records.clone().map(|r| problem.rows_of(r).iter().copied().filter(is_guest).collect()).collect();
        let people = |rows: &Vec<u32>| rows.iter().map(|&row| problem.row_size(row)).sum();
        let (left, left_people) =
            (guests.iter().map(Vec::len).collect(), guests.iter().map(people).collect());
        let mut covering = Self { problem, guests, left, left_people, company: Vec::new() };
        let all: u64 = covering.left_people.iter().sum();
        for record in records {
            run.check()?;
            let near = if run.out_of_time() { Vec::new() } else { covering.around(record, problem.k()) };
            let furthest = near.last().filter(|_| all >= problem.k()).map(|last| last.0);
            covering.company.push(furthest);
        }
        Ok(covering)
    }

    /// Every record with guests, and for every record that has hosts the smallest of them.
    fn centres(&self) -> Vec<Centre> {
        let (problem, k) = (self.problem, self.problem.k());
        let mut centres = Vec::new();
        for record in 0..problem.records() as u32 {
            if !self.guests[record as usize].is_empty() && self.company[record as usize].is_some() {
                centres.push(Centre { record, host: None });
            }
            let hosts = problem.rows_of(record).iter().copied().filter(|&row| problem.row_size(row) >= k);
            if let Some(host) = hosts.min_by_key(|&row| (problem.row_size(row), row)) {
                centres.push(Centre { record, host: Some(host) });
            }
        }
        centres
    }

    /// Records with guests that are not covered, by distance, until there are so many people.
    fn around(&self, centre: u32, wanted: u64) -> Vec<(u64, u32)> {
        let mut near: Vec<(u64, u32)> = Vec::new();
        let (mut people, mut reach) = (0, u64::MAX);
        for record in (0..self.left.len() as u32).filter(|&r| self.left[r as usize] > 0) {
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

    /// The radius that covers most per cost, around this centre.
    fn best_ball(&self, centre: Centre) -> Option<Offer> {
        let most = 2 * self.problem.k() - 1;
        let (times, least) = match centre.host {
            Some(host) => (self.problem.row_size(host), 0),
            None => (self.problem.k(), self.company[centre.record as usize]?),
        };
        let mut best: Option<Offer> = None;
        let mut covers = 0;
        for (away, record) in self.around(centre.record, most) {
            covers = (covers + self.left_people[record as usize]).min(most);
            let offer = Offer { cost: away.max(least) * times, covers, centre };
            best = Some(best.map_or(offer, |b| b.min(offer)));
        }
        best
    }

    /// The guests of a ball that become a set: those not covered, the nearest first, and others if they are
    /// too few.
    fn take(&mut self, ball: &Offer) -> Set {
        let (k, problem, centre) = (self.problem.k(), self.problem, ball.centre);
        let mut set = Set { rows: Vec::new(), host: centre.host };
        let mut people = 0;
        // So many are within the radius, for they were counted there.
        for (_, record) in self.around(centre.record, ball.covers) {
            let guests = &self.guests[record as usize];
            let left = &mut self.left[record as usize];
            while *left > 0 && people < ball.covers {
                let row = guests[guests.len() - *left];
                *left -= 1;
                self.left_people[record as usize] -= problem.row_size(row);
                people += problem.row_size(row);
                set.rows.push(row);
            }
        }
        if people < k && set.host.is_none() {
            let mut near: Vec<(u64, u32)> =
                (0..self.left.len() as u32).map(|r| (distance(problem, centre.record, r), r)).collect();
            near.sort_unstable();
            for &row in near.iter().flat_map(|&(_, r)| &self.guests[r as usize]) {
                if people >= k {
                    break;
                }
                if !set.rows.contains(&row) {
                    people += problem.row_size(row);
                    set.rows.push(row);
                }
            }
        }
        set
    }
}
