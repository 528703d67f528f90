//! Which record is cheapest to add to a growing group? Answered by looking at every record, fast.
//!
//! Records lie column by column in scan order. For each, `rise` holds by how much the group's cells
//! would cost more if it joined. When the group grows, only the columns whose cover changed are
//! swept again, and in each only the difference is applied: for a category that is "every record
//! with the new label becomes cheaper by one step". Loops are plain and branch-free, so they run
//! at the speed of memory, for any kind of column and any number of values.

use kinfold_model::cost::{Rule, RuleKind};
use kinfold_model::problem::Problem;

/// More than any rise, and stays so: rises only fall while a group grows.
const DEAD: i64 = 1 << 62;

pub(crate) struct Sweep<'p> {
    problem: &'p Problem,
    /// Records that have rows left, in scan order (a few dead ones in between until they are cleared away).
    records: Vec<u32>,
    columns: Vec<Column>,
    rise: Vec<i64>,
    distance: Vec<i64>,
    /// For every record, how many of its rows are gone.
    taken: Vec<u32>,
    dead: usize,
    first_alive: usize,
}

enum Column {
    /// Places on a line without missing values; the group's lowest and highest.
    Line { at: Vec<i64>, low: i64, high: i64 },
    /// Labels; those of the group.
    Set { code: Vec<u32>, step: i64, group: Vec<u32> },
    /// Values told or starred; the group's one value, or none once it is starred.
    Flat { code: Vec<u32>, full: i64, group: Option<u32> },
    /// Anything else: per value, what it would cost more; lowest and highest code of the group.
    Table { code: Vec<u32>, rise: Vec<i64>, low: u32, high: u32 },
}

impl<'p> Sweep<'p> {
    /// All records alive, scanned in the given order.
    pub(crate) fn new(problem: &'p Problem, order: &[u32]) -> Self {
        let columns = problem
            .rules()
            .iter()
            .enumerate()
            .map(|(c, rule)| {
                let codes = || order.iter().map(|&record| problem.codes(record)[c]);
                match rule.kind() {
                    RuleKind::Line { at, missing: false } => Column::Line {
                        at: codes().map(|code| at[code as usize] as i64).collect(),
                        low: 0,
                        high: 0,
                    },
                    RuleKind::Set { step, .. } => {
                        Column::Set { code: codes().collect(), step: *step as i64, group: Vec::new() }
                    }
                    RuleKind::Flat { .. } => {
                        Column::Flat { code: codes().collect(), full: rule.full() as i64, group: None }
                    }
                    _ => Column::Table {
                        code: codes().collect(),
                        rise: vec![0; rule.values() as usize],
                        low: 0,
                        high: 0,
                    },
                }
            })
            .collect();
        Self {
            problem,
            records: order.to_vec(),
            columns,
            rise: vec![0; order.len()],
            distance: Vec::new(),
            taken: vec![0; problem.records()],
            dead: 0,
            first_alive: 0,
        }
    }

    /// The first record with rows left, if any.
    pub(crate) fn first(&mut self) -> Option<usize> {
        while self.first_alive < self.records.len() && !self.alive(self.first_alive) {
            self.first_alive += 1;
        }
        (self.first_alive < self.records.len()).then_some(self.first_alive)
    }

    /// Whether the record at a position has rows left.
    pub(crate) fn alive(&self, position: usize) -> bool {
        let record = self.records[position];
        (self.taken[record as usize] as usize) < self.problem.rows_of(record).len()
    }

    /// The record at a position.
    pub(crate) fn record(&self, position: usize) -> u32 {
        self.records[position]
    }

    /// Takes one row of the record at a position.
    pub(crate) fn take(&mut self, position: usize) -> u32 {
        let record = self.records[position];
        let row = self.problem.rows_of(record)[self.taken[record as usize] as usize];
        self.taken[record as usize] += 1;
        if !self.alive(position) {
            self.dead += 1;
            self.rise[position] = DEAD;
        }
        row
    }

    /// Starts a group with this record alone.
    pub(crate) fn begin(&mut self, record: u32) {
        self.clear_away();
        let Self { problem, records, columns, rise, taken, .. } = self;
        for (i, slot) in rise.iter_mut().enumerate() {
            let gone = taken[records[i] as usize] as usize == problem.rows_of(records[i]).len();
            *slot = if gone { DEAD } else { 0 };
        }
        for (c, (column, &code)) in columns.iter_mut().zip(problem.codes(record)).enumerate() {
            column.begin(code, &problem.rules()[c], rise);
        }
    }

    /// Adds a record to the group.
    pub(crate) fn join(&mut self, record: u32) {
        let Self { problem, columns, rise, .. } = self;
        for (c, (column, &code)) in columns.iter_mut().zip(problem.codes(record)).enumerate() {
            column.join(code, &problem.rules()[c], rise);
        }
    }

    /// The first position with the least rise, and the rise.
    pub(crate) fn cheapest(&self) -> Option<(usize, i64)> {
        let least = self.rise.iter().copied().min().filter(|&r| r < DEAD / 2)?;
        self.rise.iter().position(|&r| r == least).map(|at| (at, least))
    }

    /// What the record at a position would add now.
    pub(crate) fn rise(&self, position: usize) -> i64 {
        self.rise[position]
    }

    /// The first position that is furthest from a record (Byun et al. 2007, distance between two records: labels are 0 or 1 apart).
    pub(crate) fn furthest(&mut self, record: u32) -> Option<usize> {
        self.clear_away();
        let mut distance = std::mem::take(&mut self.distance);
        distance.clear();
        distance.resize(self.records.len(), 0);
        for (c, &code) in self.problem.codes(record).iter().enumerate() {
            self.columns[c].add_distance(code, &self.problem.rules()[c], &mut distance);
        }
        let best = (0..distance.len())
            .filter(|&i| self.alive(i))
            .max_by_key(|&i| (distance[i], std::cmp::Reverse(i)));
        self.distance = distance;
        best
    }

    /// Rows that no group took, in scan order.
    pub(crate) fn remaining(&self) -> Vec<u32> {
        let left = |&record: &u32| &self.problem.rows_of(record)[self.taken[record as usize] as usize..];
        self.records.iter().flat_map(left).copied().collect()
    }

    /// Removes dead records once they are many enough to be worth the copying.
    fn clear_away(&mut self) {
        if self.dead * 16 < self.records.len() {
            return;
        }
        let keep: Vec<bool> = (0..self.records.len()).map(|i| self.alive(i)).collect();
        retain(&mut self.records, &keep);
        for column in &mut self.columns {
            match column {
                Column::Line { at, .. } => retain(at, &keep),
                Column::Set { code, .. } | Column::Flat { code, .. } | Column::Table { code, .. } => {
                    retain(code, &keep)
                }
            }
        }
        self.rise.truncate(self.records.len());
        self.dead = 0;
        self.first_alive = 0;
    }
}

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut i = 0;
    list.retain(|_| {
        i += 1;
        keep[i - 1]
    });
}

impl Column {
    /// The group is this one code: every record rises by what it is away from it.
    fn begin(&mut self, start: u32, rule: &Rule, rise: &mut [i64]) {
        match self {
            Self::Line { at, low, high } => {
                let place = place(rule, start);
                (*low, *high) = (place, place);
                for (slot, &x) in rise.iter_mut().zip(at.iter()) {
                    *slot += (x - place).abs();
                }
            }
            Self::Set { code, step, group } => {
                group.clear();
                group.push(start);
                for (slot, &c) in rise.iter_mut().zip(code.iter()) {
                    *slot += if c == start { 0 } else { *step };
                }
            }
            Self::Flat { code, full, group } => {
                *group = Some(start);
                for (slot, &c) in rise.iter_mut().zip(code.iter()) {
                    *slot += if c == start { 0 } else { *full };
                }
            }
            Self::Table { code, rise: table, low, high } => {
                (*low, *high) = (start, start);
                fill(table, rule, start, start);
                for (slot, &c) in rise.iter_mut().zip(code.iter()) {
                    *slot += table[c as usize];
                }
            }
        }
    }

    /// The group grows by a code: where its cover grows, records rise by less than before.
    fn join(&mut self, new: u32, rule: &Rule, rise: &mut [i64]) {
        match self {
            Self::Line { at, low, high } => {
                let place = place(rule, new);
                if place > *high {
                    for (slot, &x) in rise.iter_mut().zip(at.iter()) {
                        *slot -= (x - *high).clamp(0, place - *high);
                    }
                    *high = place;
                } else if place < *low {
                    for (slot, &x) in rise.iter_mut().zip(at.iter()) {
                        *slot -= (*low - x).clamp(0, *low - place);
                    }
                    *low = place;
                }
            }
            Self::Set { code, step, group } => {
                if group.contains(&new) {
                    return;
                }
                group.push(new);
                for (slot, &c) in rise.iter_mut().zip(code.iter()) {
                    *slot -= if c == new { *step } else { 0 };
                }
            }
            Self::Flat { code, full, group } => {
                let Some(value) = group.filter(|&value| value != new) else { return };
                *group = None;
                for (slot, &c) in rise.iter_mut().zip(code.iter()) {
                    *slot -= if c == value { 0 } else { *full };
                }
            }
            Self::Table { code, rise: table, low, high } => {
                let grown = ((*low).min(new), (*high).max(new));
                if grown == (*low, *high) {
                    return;
                }
                (*low, *high) = grown;
                let before = table.clone();
                fill(table, rule, *low, *high);
                for (slot, &c) in rise.iter_mut().zip(code.iter()) {
                    *slot += table[c as usize] - before[c as usize];
                }
            }
        }
    }

    fn add_distance(&self, from: u32, rule: &Rule, distance: &mut [i64]) {
        match self {
            Self::Line { at, .. } => {
                let place = place(rule, from);
                for (slot, &x) in distance.iter_mut().zip(at) {
                    *slot += (x - place).abs();
                }
            }
            Self::Set { code, .. } | Self::Flat { code, .. } => {
                let full = rule.full() as i64;
                for (slot, &c) in distance.iter_mut().zip(code) {
                    *slot += if c == from { 0 } else { full };
                }
            }
            Self::Table { code, rise, .. } => {
                let mut table = vec![0; rise.len()];
                fill(&mut table, rule, from, from);
                for (slot, &c) in distance.iter_mut().zip(code) {
                    *slot += table[c as usize];
                }
            }
        }
    }
}

fn place(rule: &Rule, code: u32) -> i64 {
    match rule.kind() {
        RuleKind::Line { at, .. } => at[code as usize] as i64,
        _ => 0,
    }
}

/// Per code, by how much a group from `low` to `high` costs more once the code joins.
fn fill(table: &mut [i64], rule: &Rule, low: u32, high: u32) {
    let cost = |codes: [u32; 3]| rule.cost(&rule.cover(codes.into_iter())).0 as i64;
    let now = cost([low, low, high]);
    for (code, slot) in (0u32..).zip(table) {
        *slot = cost([low, code, high]) - now;
    }
}
