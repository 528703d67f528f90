//! Which rows are attached to which patterns, and the small changes that make a plan cheaper.

use crate::parts::patterns::Patterns;
use crate::{Run, Stopped};
use kinfold_model::{Found, Problem};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Records of a pattern that are asked for rows to borrow.
const ASKED: usize = 300;

/// Which rows are attached to which patterns.
pub(super) struct Plan<'a> {
    pub(super) problem: &'a Problem,
    pub(super) patterns: &'a Patterns,
    /// For every record the patterns that its rows are attached to, and how many.
    pub(super) attached: Vec<Vec<(u32, u64)>>,
    /// For every record how many rows have no pattern yet, and for every pattern how many of its records'.
    pub(super) unserved: Vec<u64>,
    waiting: Vec<u64>,
    /// For every pattern the rows attached to it: none if it is closed, or k at least.
    pub(super) load: Vec<u64>,
    /// What all rows pay together.
    pub(super) paid: i64,
    /// What was changed, to be taken back: record, pattern, rows that came or went.
    pub(super) log: Vec<(u32, u32, i64)>,
}

/// Rows of a record that could be attached to another pattern, and what that costs more each.
struct Loan {
    extra: i64,
    record: u32,
    from: u32,
    rows: u64,
}

impl<'a> Plan<'a> {
    pub(super) fn new(problem: &'a Problem, patterns: &'a Patterns) -> Self {
        let unserved: Vec<u64> = (0..problem.records() as u32).map(|r| problem.record_size(r)).collect();
        let waiting = |p| patterns.records(p).iter().map(|&r| unserved[r as usize]).sum();
        Self {
            problem,
            patterns,
            attached: vec![Vec::new(); problem.records()],
            waiting: (0..patterns.len() as u32).map(waiting).collect(),
            unserved,
            load: vec![0; patterns.len()],
            paid: 0,
            log: Vec::new(),
        }
    }

    pub(super) fn cost(&self, pattern: u32) -> i64 {
        self.patterns.cost[pattern as usize] as i64
    }

    /// Takes the cheapest offers of these patterns until nobody waits for them, nothing more can be opened,
    /// or the time is over. Of equal offers the one with the smaller rank comes first.
    pub(super) fn open_greedily(
        &mut self,
        patterns: impl Iterator<Item = u32>,
        mut rank: impl FnMut() -> u32,
        run: &Run,
    ) -> Result<(), Stopped> {
        let offers = patterns.map(|p| Reverse((self.cost(p), rank(), p)));
        let mut offers: BinaryHeap<Reverse<(i64, u32, u32)>> = offers.collect();
        let mut taken = 0u32;
        while let Some(Reverse((hoped, rank, pattern))) = offers.pop() {
            taken += 1;
            if taken.is_multiple_of(256) && run.is_over()? {
                break;
            }
            let Some((price, loans)) = self.offer(pattern) else { continue };
            if price > hoped {
                offers.push(Reverse((price, rank, pattern)));
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

    /// What a pattern costs per row that waits for one, and whom it must borrow for that; none if nobody
    /// waits or nobody lends.
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

    /// Rows that open patterns can spare and that match this one, among the records that are asked.
    fn loans(&self, pattern: u32) -> impl Iterator<Item = Loan> {
        let k = self.problem.k();
        let asked = self.patterns.records(pattern).iter().take(ASKED);
        asked.flat_map(move |&record| {
            self.attached[record as usize].iter().filter_map(move |&(from, rows)| {
                let rows = self.load[from as usize].saturating_sub(k).min(rows);
                let extra = self.cost(pattern) - self.cost(from);
                (rows > 0 && from != pattern).then_some(Loan { extra, record, from, rows })
            })
        })
    }

    /// The cheapest loans of so many rows, among those that are looked at.
    fn borrow(&self, pattern: u32, missing: u64) -> Option<Vec<Loan>> {
        if missing == 0 {
            return Some(Vec::new());
        }
        // So many loans are enough, however few rows each has; a few more, for some may be of the same
        // pattern.
        let most = 2 * missing as usize;
        let mut loans: Vec<Loan> = Vec::with_capacity(most + 1);
        for loan in self.loans(pattern) {
            if loans.len() < most || loans.last().is_some_and(|last| loan.extra < last.extra) {
                let at = loans.partition_point(|other| other.extra <= loan.extra);
                loans.insert(at, loan);
                loans.truncate(most);
            }
        }
        let (taken, still) = self.taken(loans, missing);
        (still == 0).then_some(taken)
    }

    /// Takes loans in their order until there are so many rows, no more of a pattern than it can spare; and
    /// how many rows lack.
    fn taken(&self, loans: Vec<Loan>, wanted: u64) -> (Vec<Loan>, u64) {
        let k = self.problem.k();
        let (mut still, mut taken): (u64, Vec<Loan>) = (wanted, Vec::new());
        for loan in loans {
            let lent: u64 =
                taken.iter().filter(|other| other.from == loan.from).map(|other| other.rows).sum();
            let rows = loan.rows.min(still).min(self.load[loan.from as usize] - k - lent);
            if rows > 0 {
                still -= rows;
                taken.push(Loan { rows, ..loan });
            }
            if still == 0 {
                break;
            }
        }
        (taken, still)
    }

    /// Attaches rows that waited.
    pub(super) fn serve(&mut self, record: u32, pattern: u32, rows: u64) {
        self.unserved[record as usize] -= rows;
        self.patterns.of(record).iter().for_each(|&p| self.waiting[p as usize] -= rows);
        self.change(record, pattern, rows as i64);
    }

    /// Lets rows wait again.
    pub(super) fn unserve(&mut self, record: u32, pattern: u32, rows: u64) {
        self.change(record, pattern, -(rows as i64));
        self.unserved[record as usize] += rows;
        self.patterns.of(record).iter().for_each(|&p| self.waiting[p as usize] += rows);
    }

    /// Attaches rows to a pattern, or takes them off.
    fn change(&mut self, record: u32, pattern: u32, rows: i64) {
        self.paid += rows * self.cost(pattern);
        self.log.push((record, pattern, rows));
        let load = &mut self.load[pattern as usize];
        *load = load.wrapping_add_signed(rows);
        let of = &mut self.attached[record as usize];
        match of.iter_mut().find(|(p, _)| *p == pattern) {
            Some((_, there)) => *there = there.wrapping_add_signed(rows),
            None => of.push((pattern, rows as u64)),
        }
        of.retain(|&(_, there)| there > 0);
    }

    /// Takes all changes of the log back; everybody was served before.
    pub(super) fn take_back(&mut self) {
        for (record, pattern, rows) in std::mem::take(&mut self.log).into_iter().rev() {
            self.change(record, pattern, -rows);
        }
        self.log.clear();
    }

    fn lend(&mut self, loan: &Loan, to: u32) {
        self.change(loan.record, loan.from, -(loan.rows as i64));
        self.change(loan.record, to, loan.rows as i64);
    }

    /// The cheapest open pattern of a record, this one left out.
    pub(super) fn cheapest_open(&self, record: u32, without: Option<u32>) -> Option<u32> {
        let open = |p: &&u32| self.load[**p as usize] >= self.problem.k() && Some(**p) != without;
        self.patterns.of(record).iter().find(open).copied()
    }

    /// Rows that no offer reached join open patterns; if there is none for them, those of the least open
    /// pattern join them.
    pub(super) fn serve_the_rest(&mut self) {
        for record in 0..self.unserved.len() as u32 {
            let rows = self.unserved[record as usize];
            if let Some(pattern) = (rows > 0).then(|| self.cheapest_open(record, None)).flatten() {
                self.serve(record, pattern, rows);
            }
        }
        // Everybody matches the pattern that has the most stars.
        let waiting: Vec<u32> =
            (0..self.unserved.len() as u32).filter(|&r| self.unserved[r as usize] > 0).collect();
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
                    self.lend(&Loan { extra: 0, record, from: least, rows }, all);
                }
            }
        }
    }

    pub(super) fn rows_at(&self, record: u32, pattern: u32) -> u64 {
        self.attached[record as usize].iter().find(|(p, _)| *p == pattern).map_or(0, |&(_, rows)| rows)
    }

    /// One round of small changes; whether any was made.
    pub(super) fn improve(&mut self, run: &Run) -> Result<bool, Stopped> {
        let mut better = false;
        for pattern in 0..self.patterns.len() as u32 {
            if pattern % 1024 == 0 && run.is_over()? {
                return Ok(false);
            }
            better |= if self.load[pattern as usize] > 0 { self.close(pattern) } else { self.open(pattern) };
        }
        for record in 0..self.attached.len() as u32 {
            better |= self.move_to_cheaper(record);
        }
        Ok(better)
    }

    /// Rows whose pattern can spare them go to the cheapest open one.
    pub(super) fn move_to_cheaper(&mut self, record: u32) -> bool {
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
    pub(super) fn close(&mut self, pattern: u32) -> bool {
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

    /// Opens a pattern if rows that can be spared elsewhere pay less with it, together with those that must
    /// be borrowed.
    pub(super) fn open(&mut self, pattern: u32) -> bool {
        let mut gaining: Vec<Loan> = self.loans(pattern).filter(|loan| loan.extra < 0).collect();
        if gaining.is_empty() {
            return false;
        }
        gaining.sort_by_key(|loan| (loan.extra, loan.record, loan.from));
        let (mut taken, still) = self.taken(gaining, u64::MAX);
        let missing = self.problem.k().saturating_sub(u64::MAX - still);
        if missing > 0 {
            let others: Vec<Loan> = self.loans(pattern).filter(|loan| loan.extra >= 0).collect();
            let mut all = taken;
            let gained = all.len();
            all.extend(others);
            all[gained..].sort_by_key(|loan| (loan.extra, loan.record, loan.from));
            let lack;
            (taken, lack) = self.taken(all, self.problem.k());
            if lack > 0 {
                return false;
            }
        }
        if taken.iter().map(|loan| loan.extra * loan.rows as i64).sum::<i64>() >= 0 {
            return false;
        }
        taken.iter().for_each(|loan| self.lend(loan, pattern));
        true
    }

    /// A group for every open pattern.
    pub(super) fn found(&self) -> Found {
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
        Found::plain(group_of)
    }
}
