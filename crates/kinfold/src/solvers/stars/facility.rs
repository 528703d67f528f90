//! Stars by facilities: paper *complexity*, section 4, "facility location with lower bounds".
//!
//! # The problem
//! Every pattern (a record with some cells starred) is a facility that may be opened. A row can be attached to any open pattern that it
//! matches, at the price of the pattern's stars, and an open pattern needs at least k rows. The paper knows no algorithm with
//! a factor for it, and leaves it open.
//!
//! # The idea
//! Greedy, then small changes. A pattern's offer is what it costs per row that has no pattern yet: its stars, if these rows are k or more;
//! if they are fewer, it borrows rows from open patterns that can spare some, and their stars count too. The cheapest offer is
//! taken, again and again. Then, as long as it helps: rows move to cheaper open patterns if their own can spare them,
//! patterns are closed whose rows are served elsewhere for less, and patterns are opened for rows that pay more.
//!
//! The bound is that of dual ascent (`bounds/pattern_prices.rs`): everybody's price starts at the cheapest pattern that k
//! people match, and is raised in turn as far as no pattern's dearest group is worth more than it costs.
//!
//! # Example
//! Ten copies of a b, one a c, k = 3: a b opens alone, free of stars. The pattern a * borrows two of its rows for a c: three stars.
//!
//! # What it lacks
//! Patterns are listed: with more than a dozen columns there are too many. Annealing finds better groupings where it has the
//! time.

use crate::bounds;
use crate::parts::patterns::Patterns;
use crate::run::{Run, Stopped};
use crate::solve::{Card, Promise, Solver, Unsupported};
use kinfold_model::cost::{Cost, Objective};
use kinfold_model::judge::Found;
use kinfold_model::problem::Problem;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

pub(crate) struct Facility;

/// Records and patterns that may match.
const MOST_MATCHES: usize = 30_000_000;
/// Quasi-identifiers.
const MOST_COLUMNS: u32 = 16;
/// Records of a pattern that are asked for rows to borrow.
const ASKED: usize = 300;
/// Rounds of small changes at most.
const ROUNDS: usize = 12;

const CARD: Card = Card {
    key: "stars-facility",
    title: "patterns as facilities, opened by what they cost per row, then closed and opened anew",
    paper: "Chakaravarthy, Pandit, Sabharwal: on the complexity of the k-anonymization problem, section 4; heuristic of our own",
    objectives: &[Objective::Stars],
    uses_effort: false,
    promise: Promise::Heuristic,
    slow: false,
    runtime: "records × 2^columns: seconds at a million rows of 6 columns",
    not_for: "more than about 12 columns, rows that stand for several people or for nobody",
    settings: &[],
};

impl Solver for Facility {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        if (0..problem.rows() as u32).any(|row| problem.row_size(row) != 1) {
            let why = "stars-facility does not take rows that stand for several people or for nobody";
            return Err(Unsupported(why.into()));
        }
        let columns = problem.rules().len() as u32;
        if columns > MOST_COLUMNS {
            return Err(Unsupported(format!(
                "stars-facility takes tables of at most {MOST_COLUMNS} quasi-identifiers, this one has {columns}"
            )));
        }
        // A record matches at most as many patterns as there are sets of columns.
        let surely = problem.records() << columns <= MOST_MATCHES;
        if !surely && Patterns::list(problem, MOST_MATCHES).is_none() {
            return Err(Unsupported(format!(
                "stars-facility takes at most {MOST_MATCHES} matches of records and patterns, here there are more"
            )));
        }
        Ok(())
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Found, Stopped> {
        let Some(patterns) = Patterns::list(problem, MOST_MATCHES) else {
            // All that is certain of so many patterns: one that everybody matches.
            return Ok(Found { group_of: vec![0; problem.rows()] });
        };
        run.check()?;
        let mut plan = Plan::new(problem, &patterns);
        plan.open_greedily(run)?;
        plan.serve_the_rest();
        for round in 0..ROUNDS {
            run.report(round as f64 / ROUNDS as f64, None);
            if run.out_of_time() || !plan.improve(run)? {
                break;
            }
        }
        Ok(plan.found())
    }

    fn group_with_bound(&self, problem: &Problem, run: &Run) -> Result<(Found, Option<Cost>), Stopped> {
        let found = self.group(problem, run)?;
        if run.out_of_time() || bounds::supports(problem).is_err() {
            return Ok((found, None));
        }
        Ok((found, Some(bounds::cheapest_box(problem, run)?.bound(problem))))
    }
}

/// Which rows are attached to which patterns.
struct Plan<'a> {
    problem: &'a Problem,
    patterns: &'a Patterns,
    /// For every record the patterns that its rows are attached to, and how many.
    attached: Vec<Vec<(u32, u64)>>,
    /// For every record how many rows have no pattern yet, and for every pattern how many of its records'.
    unserved: Vec<u64>,
    waiting: Vec<u64>,
    /// For every pattern the rows attached to it: none if it is closed, or k at least.
    load: Vec<u64>,
}

/// Rows of a record that could be attached to another pattern, and what that costs more.
struct Loan {
    extra: i64,
    record: u32,
    from: u32,
    rows: u64,
}

impl<'a> Plan<'a> {
    fn new(problem: &'a Problem, patterns: &'a Patterns) -> Self {
        let unserved: Vec<u64> = (0..problem.records() as u32).map(|r| problem.record_size(r)).collect();
        let waiting = |p| patterns.records(p).iter().map(|&r| unserved[r as usize]).sum();
        Self {
            problem,
            patterns,
            attached: vec![Vec::new(); problem.records()],
            waiting: (0..patterns.len() as u32).map(waiting).collect(),
            unserved,
            load: vec![0; patterns.len()],
        }
    }

    fn cost(&self, pattern: u32) -> i64 {
        self.patterns.cost[pattern as usize] as i64
    }

    /// Takes the cheapest offers until nobody waits, or nothing more can be opened.
    fn open_greedily(&mut self, run: &Run) -> Result<(), Stopped> {
        let offers = (0..self.patterns.len() as u32).map(|p| Reverse((self.cost(p), p)));
        let mut offers: BinaryHeap<Reverse<(i64, u32)>> = offers.collect();
        let mut taken = 0u32;
        while let Some(Reverse((hoped, pattern))) = offers.pop() {
            taken += 1;
            if taken.is_multiple_of(256) {
                run.check()?;
            }
            let Some((price, loans)) = self.offer(pattern) else { continue };
            if price > hoped {
                offers.push(Reverse((price, pattern)));
                continue;
            }
            for &record in self.patterns.records(pattern) {
                let rows = self.unserved[record as usize];
                if rows > 0 {
                    self.serve(record, pattern, rows);
                }
            }
            loans.into_iter().for_each(|loan| self.lend(&loan, pattern));
        }
        Ok(())
    }

    /// What a pattern costs per row that waits for one, and whom it must borrow for that; none if nobody waits or nobody lends.
    fn offer(&self, pattern: u32) -> Option<(i64, Vec<Loan>)> {
        let waiting = self.waiting[pattern as usize];
        if waiting == 0 {
            return None;
        }
        let missing = self.problem.k().saturating_sub(waiting + self.load[pattern as usize]);
        let loans = self.borrow(pattern, missing)?;
        let extra: i64 = loans.iter().map(|loan| loan.extra * loan.rows as i64).sum();
        let price = self.cost(pattern) + extra.max(0).div_euclid(waiting as i64);
        Some((price, loans))
    }

    /// The cheapest loans of so many rows, among those that are looked at.
    fn borrow(&self, pattern: u32, missing: u64) -> Option<Vec<Loan>> {
        if missing == 0 {
            return Some(Vec::new());
        }
        let k = self.problem.k();
        let mut loans = Vec::new();
        for &record in self.patterns.records(pattern).iter().take(ASKED) {
            for &(from, rows) in &self.attached[record as usize] {
                let spare = self.load[from as usize].saturating_sub(k).min(rows);
                if spare > 0 && from != pattern {
                    loans.push(Loan { extra: self.cost(pattern) - self.cost(from), record, from, rows: spare });
                }
            }
        }
        loans.sort_by_key(|loan| (loan.extra, loan.record, loan.from));
        let (mut still, mut taken) = (missing, Vec::new());
        let mut lent: BTreeMap<u32, u64> = BTreeMap::new();
        for loan in loans {
            let of = lent.entry(loan.from).or_default();
            let rows = loan.rows.min(still).min(self.load[loan.from as usize] - k - *of);
            if rows > 0 {
                *of += rows;
                still -= rows;
                taken.push(Loan { rows, ..loan });
            }
            if still == 0 {
                return Some(taken);
            }
        }
        None
    }

    /// Attaches rows that waited.
    fn serve(&mut self, record: u32, pattern: u32, rows: u64) {
        self.unserved[record as usize] -= rows;
        self.patterns.of(record).iter().for_each(|&p| self.waiting[p as usize] -= rows);
        self.attach(record, pattern, rows);
    }

    fn attach(&mut self, record: u32, pattern: u32, rows: u64) {
        self.load[pattern as usize] += rows;
        match self.attached[record as usize].iter_mut().find(|(p, _)| *p == pattern) {
            Some((_, there)) => *there += rows,
            None => self.attached[record as usize].push((pattern, rows)),
        }
    }

    fn detach(&mut self, record: u32, pattern: u32, rows: u64) {
        self.load[pattern as usize] -= rows;
        let of = &mut self.attached[record as usize];
        of.iter_mut().filter(|(p, _)| *p == pattern).for_each(|(_, there)| *there -= rows);
        of.retain(|&(_, there)| there > 0);
    }

    fn lend(&mut self, loan: &Loan, to: u32) {
        self.detach(loan.record, loan.from, loan.rows);
        self.attach(loan.record, to, loan.rows);
    }

    /// The cheapest open pattern of a record, this one left out.
    fn cheapest_open(&self, record: u32, without: Option<u32>) -> Option<u32> {
        let open = |p: &&u32| self.load[**p as usize] >= self.problem.k() && Some(**p) != without;
        self.patterns.of(record).iter().find(open).copied()
    }

    /// Rows that no offer reached join open patterns; if there is none for them, those of the least open pattern join them.
    fn serve_the_rest(&mut self) {
        for record in 0..self.unserved.len() as u32 {
            let rows = self.unserved[record as usize];
            if let Some(pattern) = (rows > 0).then(|| self.cheapest_open(record, None)).flatten() {
                self.serve(record, pattern, rows);
            }
        }
        // Everybody matches the pattern that has the most stars.
        let waiting: Vec<u32> = (0..self.unserved.len() as u32).filter(|&r| self.unserved[r as usize] > 0).collect();
        let Some(&all) = waiting.first().and_then(|&r| self.patterns.of(r).last()) else { return };
        for record in waiting {
            self.serve(record, all, self.unserved[record as usize]);
        }
        while self.load[all as usize] < self.problem.k() {
            let open = (0..self.load.len() as u32).filter(|&p| p != all && self.load[p as usize] > 0);
            let Some(least) = open.min_by_key(|&p| self.load[p as usize]) else { return };
            for &record in self.patterns.records(least) {
                let rows = self.rows_at(record, least);
                if rows > 0 {
                    self.detach(record, least, rows);
                    self.attach(record, all, rows);
                }
            }
        }
    }

    fn rows_at(&self, record: u32, pattern: u32) -> u64 {
        self.attached[record as usize].iter().find(|(p, _)| *p == pattern).map_or(0, |&(_, rows)| rows)
    }

    /// One round of small changes; whether any was made.
    fn improve(&mut self, run: &Run) -> Result<bool, Stopped> {
        let mut better = false;
        for pattern in 0..self.patterns.len() as u32 {
            if pattern % 1024 == 0 {
                run.check()?;
            }
            better |= if self.load[pattern as usize] > 0 { self.close(pattern) } else { self.open(pattern) };
        }
        for record in 0..self.attached.len() as u32 {
            better |= self.move_to_cheaper(record);
        }
        Ok(better)
    }

    /// Rows whose pattern can spare them go to the cheapest open one.
    fn move_to_cheaper(&mut self, record: u32) -> bool {
        let mut better = false;
        for (from, rows) in self.attached[record as usize].clone() {
            let spare = self.load[from as usize].saturating_sub(self.problem.k()).min(rows);
            let to = self.cheapest_open(record, Some(from));
            if let Some(to) = to.filter(|&to| spare > 0 && self.cost(to) < self.cost(from)) {
                self.lend(&Loan { extra: 0, record, from, rows: spare }, to);
                better = true;
            }
        }
        better
    }

    /// Closes a pattern if its rows are served elsewhere for less.
    fn close(&mut self, pattern: u32) -> bool {
        let (mut change, mut moves) = (0, Vec::new());
        for &record in self.patterns.records(pattern) {
            let rows = self.rows_at(record, pattern);
            if rows == 0 {
                continue;
            }
            let Some(to) = self.cheapest_open(record, Some(pattern)) else { return false };
            change += (self.cost(to) - self.cost(pattern)) * rows as i64;
            moves.push((Loan { extra: 0, record, from: pattern, rows }, to));
        }
        if change >= 0 {
            return false;
        }
        moves.iter().for_each(|(loan, to)| self.lend(loan, *to));
        true
    }

    /// Opens a pattern if rows that can be spared elsewhere pay less with it, together with those that must be borrowed.
    fn open(&mut self, pattern: u32) -> bool {
        let k = self.problem.k();
        let mut loans = Vec::new();
        for &record in self.patterns.records(pattern).iter().take(ASKED) {
            for &(from, rows) in &self.attached[record as usize] {
                let spare = self.load[from as usize].saturating_sub(k).min(rows);
                if spare > 0 {
                    loans.push(Loan { extra: self.cost(pattern) - self.cost(from), record, from, rows: spare });
                }
            }
        }
        loans.sort_by_key(|loan| (loan.extra, loan.record, loan.from));
        let (mut gain, mut people, mut taken) = (0, 0, Vec::new());
        let mut lent: BTreeMap<u32, u64> = BTreeMap::new();
        for loan in loans {
            if people >= k && loan.extra >= 0 || gain <= 0 && loan.extra >= 0 {
                break;
            }
            let of = lent.entry(loan.from).or_default();
            let wanted = if loan.extra < 0 { loan.rows } else { loan.rows.min(k - people) };
            let rows = wanted.min(self.load[loan.from as usize] - k - *of);
            *of += rows;
            people += rows;
            gain -= loan.extra * rows as i64;
            taken.push(Loan { rows, ..loan });
        }
        if people < k || gain <= 0 {
            return false;
        }
        taken.iter().filter(|loan| loan.rows > 0).for_each(|loan| self.lend(loan, pattern));
        true
    }

    /// A group for every open pattern.
    fn found(&self) -> Found {
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut group_of = vec![0; self.problem.rows()];
        for record in 0..self.attached.len() as u32 {
            let mut rows = self.problem.rows_of(record).iter();
            for &(pattern, count) in &self.attached[record as usize] {
                let next = numbers.len() as u32;
                let group = *numbers.entry(pattern).or_insert(next);
                rows.by_ref().take(count as usize).for_each(|&row| group_of[row as usize] = group);
            }
        }
        Found { group_of }
    }
}
