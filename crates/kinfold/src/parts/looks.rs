//! Records by what they look like on some columns, and what one column more would do to that.

use kinfold_model::{Problem, Rule};

/// Records in the order of their looks, those of few people first: where people would stand alone is seen
/// early.
#[derive(Debug, Clone)]
pub(crate) struct Looks {
    records: Vec<u32>,
    /// Where each look's records start, and the end.
    starts: Vec<u32>,
}

/// The records of a problem column by column.
pub(crate) struct CodeTable {
    pub(crate) columns: Vec<Vec<u32>>,
    /// More than any code of any column.
    values: u32,
    pub(crate) people: Vec<u64>,
}

impl CodeTable {
    pub(crate) fn new(problem: &Problem) -> Self {
        let records = 0..problem.records() as u32;
        let column = |c: usize| records.clone().map(|r| problem.codes(r)[c]).collect();
        Self {
            columns: (0..problem.rules().len()).map(column).collect(),
            values: problem.rules().iter().map(Rule::values).max().unwrap_or(1),
            people: records.clone().map(|r| problem.record_size(r)).collect(),
        }
    }

    pub(crate) fn counter(&self) -> Counter<'_> {
        Counter::new(&self.people, self.values)
    }
}

/// Counts people by look with one column more.
pub(crate) struct Counter<'a> {
    people: &'a [u64],
    /// People and records per code of the look at hand.
    counts: Vec<(u64, u32)>,
    touched: Vec<u32>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(people: &'a [u64], most_values: u32) -> Self {
        Self { people, counts: vec![(0, 0); most_values as usize], touched: Vec::new() }
    }

    /// Calls `told` with the people of every look there is with this column, until it says no.
    pub(crate) fn with(&mut self, looks: &Looks, column: &[u32], mut told: impl FnMut(u64) -> bool) {
        for records in looks.each() {
            self.count(records, column);
            let mut go_on = true;
            for code in self.touched.drain(..) {
                let (people, _) = std::mem::take(&mut self.counts[code as usize]);
                go_on = go_on && told(people);
            }
            if !go_on {
                return;
            }
        }
    }

    /// The looks with this column.
    pub(crate) fn refine(&mut self, looks: &Looks, column: &[u32]) -> Looks {
        let mut parts: Vec<(u64, u32, u32)> = Vec::new();
        let mut records = vec![0; looks.records.len()];
        for bounds in looks.starts.windows(2) {
            let old = &looks.records[bounds[0] as usize..bounds[1] as usize];
            self.count(old, column);
            let mut at = bounds[0];
            for &code in &self.touched {
                let (people, length) = self.counts[code as usize];
                parts.push((people, at, length));
                self.counts[code as usize].1 = at;
                at += length;
            }
            for &record in old {
                let place = &mut self.counts[column[record as usize] as usize].1;
                records[*place as usize] = record;
                *place += 1;
            }
            self.touched.drain(..).for_each(|code| self.counts[code as usize] = (0, 0));
        }
        parts.sort_unstable();
        let mut sorted = Looks { records: Vec::with_capacity(records.len()), starts: vec![0] };
        for (_, at, length) in parts {
            sorted.records.extend_from_slice(&records[at as usize..][..length as usize]);
            sorted.starts.push(sorted.records.len() as u32);
        }
        sorted
    }

    fn count(&mut self, records: &[u32], column: &[u32]) {
        for &record in records {
            let code = column[record as usize];
            let count = &mut self.counts[code as usize];
            if count.1 == 0 {
                self.touched.push(code);
            }
            *count = (count.0 + self.people[record as usize], count.1 + 1);
        }
    }
}

impl Looks {
    /// So many records that all look alike.
    pub(crate) fn alike(records: usize) -> Self {
        Self::of((0..records as u32).collect())
    }

    /// These records, which all look alike.
    pub(crate) fn of(records: Vec<u32>) -> Self {
        Self { starts: vec![0, records.len() as u32], records }
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Leaves looks out.
    pub(crate) fn retain(&mut self, stays: impl Fn(&[u32]) -> bool) {
        let (mut at, mut kept) = (0, vec![0]);
        for bounds in self.starts.windows(2) {
            let range = bounds[0] as usize..bounds[1] as usize;
            if stays(&self.records[range.clone()]) {
                self.records.copy_within(range.clone(), at);
                at += range.len();
                kept.push(at as u32);
            }
        }
        self.records.truncate(at);
        self.starts = kept;
    }

    /// The records of every look.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|bounds| &self.records[bounds[0] as usize..bounds[1] as usize])
    }
}
