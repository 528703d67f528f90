//! A group's counts, kept up to date while rows come and go: for solvers that ask millions of times whether
//! a group would still fulfil everything.
//!
//! The answer is that of the plain definition. Where rows of the same size change places, it takes time in
//! the number of changed values; ordered closeness and recursive diversity take time in the number of
//! distinct values of the group, and so do closeness, likeness and disclosure where the size of the group
//! changes.

use super::histogram::Histogram;
use super::logarithm::entropy_reaches;
use super::protected::Column;
use super::running::{Running, Sum};
use super::{Decimal, Distance, Requirement, Requirements, Row};

/// A group's counts. It must always be used with the requirements that it was made for, and hold rows of
/// their table, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    people: u64,
    /// How many of the population fit the group. Rows do not tell: what fits depends on how the group is published.
    pub(super) population: Option<u64>,
    /// Rows by person; nothing is counted if nobody asks for persons.
    persons: Histogram,
    distinct_persons: u64,
    columns: Vec<Values>,
    /// For every requirement.
    sums: Vec<Kept>,
}

/// What is kept of one protected column.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Values {
    counts: Histogram,
    /// How many people have a known value, how many such values there are, and Σ c ln c of them.
    known: u64,
    distinct: u64,
    logs: u64,
    /// How many have no known value.
    missing: u64,
}

/// A sum over cells, as of a group size.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Kept {
    sum: i128,
    people: u64,
    cells: Option<Histogram>,
}

impl Tally {
    pub fn new(requirements: &Requirements) -> Self {
        let values = |column: &Column| Values {
            counts: Histogram::new(column.totals.len()),
            known: 0,
            distinct: 0,
            logs: 0,
            missing: 0,
        };
        let kept = |running: &Running| match running {
            Running::Sum(sum) => Kept { cells: sum.cells(), ..Kept::default() },
            _ => Kept::default(),
        };
        Self {
            people: 0,
            population: None,
            persons: Histogram::new(usize::MAX),
            distinct_persons: 0,
            columns: requirements.columns.iter().map(values).collect(),
            sums: requirements.running.iter().map(kept).collect(),
        }
    }

    /// Of many rows, faster than one by one.
    pub fn of<'a>(
        requirements: &Requirements,
        rows: impl IntoIterator<Item = Row<'a>, IntoIter: Clone>,
    ) -> Self {
        let (mut tally, rows) = (Self::new(requirements), rows.into_iter().filter(|row| row.size > 0));
        tally.people = rows.clone().map(|row| row.size).sum();
        if requirements.count_persons() {
            tally.persons.extend(rows.clone().map(|row| (row.person, 1)));
        }
        for (at, values) in tally.columns.iter_mut().enumerate() {
            values.counts.extend(rows.clone().map(|row| (row.values[at], row.size)));
        }
        for (kept, running) in tally.sums.iter_mut().zip(&requirements.running) {
            if let (Running::Sum(sum), Some(cells)) = (running, &mut kept.cells) {
                cells.extend(sum.nodes(rows.clone().map(|row| (row.values[sum.column], row.size))));
            }
        }
        tally.recount(requirements);
        tally
    }

    pub fn people(&self) -> u64 {
        self.people
    }

    /// How many distinct persons there are; everybody, if nobody asks for persons.
    pub fn persons(&self, requirements: &Requirements) -> u64 {
        if requirements.count_persons() { self.distinct_persons } else { self.people }
    }

    pub fn add(&mut self, requirements: &Requirements, row: Row) {
        self.change(requirements, row, true);
        self.settle(requirements);
    }

    /// One row fewer; it must have been added.
    pub fn remove(&mut self, requirements: &Requirements, row: Row) {
        self.change(requirements, row, false);
        self.settle(requirements);
    }

    pub fn exchange(&mut self, requirements: &Requirements, out: Row, new: Row) {
        self.change(requirements, out, false);
        self.change(requirements, new, true);
        self.settle(requirements);
    }

    /// All rows of another tally. Populations are added up, as those of groups that share no member.
    pub fn absorb(&mut self, requirements: &Requirements, other: &Self) {
        self.people += other.people;
        self.population = self.population.zip(other.population).map(|(a, b)| a + b);
        self.persons.absorb(&other.persons);
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            mine.counts.absorb(&theirs.counts);
        }
        for (mine, theirs) in self.sums.iter_mut().zip(&other.sums) {
            if let (Some(mine), Some(theirs)) = (&mut mine.cells, &theirs.cells) {
                mine.absorb(theirs);
            }
        }
        self.recount(requirements);
    }

    /// Whether the group would fulfil everything without one row and with another. The tally is as before
    /// afterwards.
    pub fn would_fulfil(&mut self, requirements: &Requirements, out: Option<Row>, new: Option<Row>) -> bool {
        if let (Some(out), Some(new)) = (out, new)
            && (out.size, out.values) == (new.size, new.values)
            && (out.person == new.person || !requirements.count_persons())
        {
            return self.fulfils(requirements);
        }
        let change = |tally: &mut Self, row: Option<Row>, more: bool| {
            row.into_iter().for_each(|row| tally.change(requirements, row, more));
        };
        change(self, out, false);
        change(self, new, true);
        let answer = self.fulfils(requirements);
        change(self, new, false);
        change(self, out, true);
        answer
    }

    pub fn fulfils(&self, requirements: &Requirements) -> bool {
        (0..requirements.list.len()).all(|at| self.fulfils_one(requirements, at))
    }

    /// Whether the group fulfils one requirement, by its number in the list.
    pub(crate) fn fulfils_one(&self, requirements: &Requirements, at: usize) -> bool {
        if self.people == 0 {
            return false;
        }
        match (&requirements.list[at], &requirements.running[at]) {
            (_, Running::Sum(sum)) => {
                let (kept, values) = (&self.sums[at], &self.columns[sum.column]);
                let of_now = if kept.people == self.people {
                    kept.sum
                } else {
                    sum.over(kept.cells.as_ref().unwrap_or(&values.counts), self.people)
                };
                let present = values.distinct as usize + usize::from(values.missing > 0);
                sum.fulfilled(of_now, self.people, present)
            }
            (&Requirement::Entropy { column, l }, &Running::Entropy { ln_l }) => {
                self.columns[column].entropy_reaches(requirements, column, l, ln_l)
            }
            (&Requirement::People(k), _) => self.people >= k,
            (&Requirement::Persons(k), _) => self.persons(requirements) >= k,
            (&Requirement::Distinct { column, l }, _) => self.columns[column].distinct >= u64::from(l),
            (&Requirement::Recursive { column, c, l }, _) => {
                self.columns[column].recursive(requirements.columns[column].missing, c, l)
            }
            (&Requirement::Close { column, t, distance: Distance::Ordered }, _) => {
                let counts = &self.columns[column].counts;
                let line = requirements.columns[column].line.as_ref();
                line.is_some_and(|line| line.apart(|tell| counts.for_each(tell), self.people).at_most(t))
            }
            (&Requirement::Presence { min, max }, _) => self.population.is_some_and(|population| {
                let members = u128::from(self.persons(requirements)) * u128::from(Decimal::ONE);
                let share_of = |share: Decimal| u128::from(population) * u128::from(share.units());
                share_of(min) <= members && members <= share_of(max)
            }),
            // Every other kind has a sum of its own.
            _ => false,
        }
    }

    /// Counts a row in or out. Sums stay as of the size that they were settled for.
    fn change(&mut self, requirements: &Requirements, row: Row, more: bool) {
        if row.size == 0 {
            return;
        }
        let by = |amount: u64| move |count: u64| if more { count + amount } else { count - amount };
        self.people = by(row.size)(self.people);
        if requirements.count_persons() {
            let (before, after) = self.persons.change(row.person, by(1));
            self.distinct_persons = self.distinct_persons + u64::from(after > 0) - u64::from(before > 0);
        }
        for ((at, values), &value) in self.columns.iter_mut().enumerate().zip(row.values) {
            let (before, after) = values.counts.change(value, by(row.size));
            values.note(requirements, requirements.columns[at].missing, value, before, after);
            for (kept, running) in self.sums.iter_mut().zip(&requirements.running) {
                if let Running::Sum(sum) = running
                    && sum.column == at
                {
                    kept.note(sum, value, before, after, by(row.size));
                }
            }
        }
    }

    /// Makes all sums those of the present size.
    fn settle(&mut self, requirements: &Requirements) {
        for (kept, running) in self.sums.iter_mut().zip(&requirements.running) {
            if let Running::Sum(sum) = running
                && kept.people != self.people
            {
                kept.settle(sum, &self.columns[sum.column], self.people);
            }
        }
    }

    /// Everything that follows from the histograms, anew.
    fn recount(&mut self, requirements: &Requirements) {
        self.distinct_persons = self.persons.distinct() as u64;
        for (values, column) in self.columns.iter_mut().zip(&requirements.columns) {
            (values.known, values.distinct, values.logs, values.missing) = (0, 0, 0, 0);
            let counts = std::mem::replace(&mut values.counts, Histogram::new(0));
            counts.for_each(|value, count| values.note(requirements, column.missing, value, 0, count));
            values.counts = counts;
        }
        for (kept, running) in self.sums.iter_mut().zip(&requirements.running) {
            if let Running::Sum(sum) = running {
                kept.settle(sum, &self.columns[sum.column], self.people);
            }
        }
    }
}

impl Values {
    /// The count of a value has changed.
    fn note(
        &mut self,
        requirements: &Requirements,
        missing: Option<u32>,
        value: u32,
        before: u64,
        after: u64,
    ) {
        if Some(value) == missing {
            self.missing = after;
            return;
        }
        self.known = self.known + after - before;
        self.distinct = self.distinct + u64::from(after > 0) - u64::from(before > 0);
        self.logs = self.logs + requirements.logs.of(after) - requirements.logs.of(before);
    }

    fn entropy_reaches(&self, requirements: &Requirements, column: usize, l: Decimal, ln_l: f64) -> bool {
        let clear = requirements.logs.clearly(self.known, self.logs, self.distinct, ln_l);
        clear.unwrap_or_else(|| {
            let missing = requirements.columns[column].missing;
            let mut known = Vec::new();
            self.counts.for_each(|value, count| {
                if Some(value) != missing {
                    known.push(count);
                }
            });
            entropy_reaches(&known, l)
        })
    }

    /// r₁ < c · (r_l + … + r_m): from the known people, the l − 1 largest counts are taken away.
    fn recursive(&self, missing: Option<u32>, c: Decimal, l: u32) -> bool {
        let (mut commonest, mut rest) = (0, self.known);
        let (mut below, mut to_take) = (u64::MAX, u64::from(l) - 1);
        loop {
            // The largest count below the last one, and how many values have it.
            let (mut largest, mut values) = (0, 0);
            self.counts.for_each(|value, count| {
                if Some(value) == missing || count >= below || count < largest {
                } else if count > largest {
                    (largest, values) = (count, 1);
                } else {
                    values += 1;
                }
            });
            commonest = commonest.max(largest);
            let taken = values.min(to_take);
            rest -= taken * largest;
            (below, to_take) = (largest, to_take - taken);
            if to_take == 0 || largest == 0 {
                break;
            }
        }
        u128::from(commonest) * u128::from(Decimal::ONE) < u128::from(c.units()) * u128::from(rest)
    }
}

impl Kept {
    /// Makes the sum that of a group size.
    fn settle(&mut self, sum: &Sum, values: &Values, people: u64) {
        let cells = self.cells.as_ref().unwrap_or(&values.counts);
        (self.sum, self.people) = (sum.over(cells, people), people);
    }

    /// The count of a value has changed, and so have those of the nodes over it.
    fn note(&mut self, sum: &Sum, value: u32, before: u64, after: u64, by: impl Fn(u64) -> u64) {
        let people = self.people;
        let change = |cell, before, after| sum.term(cell, after, people) - sum.term(cell, before, people);
        match &mut self.cells {
            None => self.sum += change(value, before, after),
            Some(cells) => {
                for &node in sum.path(value) {
                    let (before, after) = cells.change(node, &by);
                    self.sum += change(node, before, after);
                }
            }
        }
    }
}
