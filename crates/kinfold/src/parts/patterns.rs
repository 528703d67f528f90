//! Patterns: records with some cells starred (paper *complexity*, section 4).
//!
//! A group costs its people times the stars of the narrowest pattern that all its records match. So only
//! patterns matter that at least k people match, and of patterns that the same records match only the one
//! with the fewest stars: the **closed** one, whose records differ in every starred column. Sets of told
//! columns are grown column by column; looks that fewer than k people have are left out at once, for no
//! further column makes them more. So are looks whose records agree on an earlier column that is not told:
//! they are met where it is. So a look is met once for every column at most, not for every set of columns.

use super::looks::{CodeTable, Counter, Looks};
use kinfold_model::Problem;
use kinfold_model::members::Members;

/// All closed patterns that at least k people match.
#[derive(Debug, Clone)]
pub struct Patterns {
    /// What each pattern costs a person.
    pub cost: Vec<u64>,
    starts: Vec<u32>,
    records: Vec<u32>,
    /// The patterns of every record, the cheapest first.
    own: Members,
}

struct Listing<'p> {
    problem: &'p Problem,
    table: &'p CodeTable,
    told: Vec<bool>,
    found: Patterns,
    /// Pairs of a record and a pattern that may still be taken down, and looks that may be looked at.
    room: usize,
    work: usize,
    go_on: &'p dyn Fn() -> bool,
}

impl Patterns {
    /// `None` if records and patterns match in more than `room` ways, or listing them takes far more work
    /// than that, or there is no time.
    pub fn list(problem: &Problem, room: usize, go_on: impl Fn() -> bool) -> Option<Self> {
        let table = CodeTable::new(problem);
        let own = Members::new(0, std::iter::empty());
        let found = Self { cost: Vec::new(), starts: vec![0], records: Vec::new(), own };
        let (told, work) = (vec![false; table.columns.len()], room.saturating_mul(8));
        let mut listing = Listing { problem, table: &table, told, found, room, work, go_on: &go_on };
        let all = (0..problem.records() as u32).filter(|&r| table.people[r as usize] > 0).collect();
        listing.grow(&mut table.counter(), &Looks::of(all), 0)?;
        let mut found = listing.found;
        let mut by_cost: Vec<u32> = (0..found.len() as u32).collect();
        by_cost.sort_by_key(|&pattern| found.cost[pattern as usize]);
        let of = |&pattern: &u32| found.records(pattern).iter().map(move |&record| (pattern, record));
        found.own = Members::new(problem.records(), by_cost.iter().flat_map(of));
        Some(found)
    }

    /// Number of patterns.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.cost.len()
    }

    /// The records that match a pattern.
    pub fn records(&self, pattern: u32) -> &[u32] {
        let at = pattern as usize;
        &self.records[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The patterns that a record matches, the cheapest first.
    #[inline]
    pub fn of(&self, record: u32) -> &[u32] {
        self.own.of(record)
    }
}

impl Listing<'_> {
    /// Takes down the closed patterns among these looks, and goes on with every further column.
    fn grow(&mut self, counter: &mut Counter<'_>, looks: &Looks, next: usize) -> Option<()> {
        self.work = self.work.checked_sub(looks.len()).filter(|_| (self.go_on)())?;
        looks.each().try_for_each(|records| self.take_down(records))?;
        for column in next..self.table.columns.len() {
            let mut finer = counter.refine(looks, &self.table.columns[column]);
            let people =
                |records: &[u32]| records.iter().map(|&r| self.table.people[r as usize]).sum::<u64>();
            let known = |records: &[u32]| (0..column).any(|c| !self.told[c] && self.agree(records, c));
            finer.retain(|records| people(records) >= self.problem.k() && !known(records));
            if finer.len() > 0 {
                self.told[column] = true;
                self.grow(counter, &finer, column + 1)?;
                self.told[column] = false;
            }
        }
        Some(())
    }

    fn agree(&self, records: &[u32], column: usize) -> bool {
        let code = |record: u32| self.table.columns[column][record as usize];
        records.windows(2).all(|pair| code(pair[0]) == code(pair[1]))
    }

    /// Takes down the pattern of these records, unless they agree on a column that is not told: it is met
    /// again there.
    fn take_down(&mut self, records: &[u32]) -> Option<()> {
        let mut cost = 0;
        for (column, rule) in self.problem.rules().iter().enumerate() {
            if !self.told[column] {
                if self.agree(records, column) {
                    return Some(());
                }
                cost += rule.full();
            }
        }
        self.room = self.room.checked_sub(records.len())?;
        self.found.cost.push(cost);
        self.found.records.extend_from_slice(records);
        self.found.starts.push(self.found.records.len() as u32);
        Some(())
    }
}
