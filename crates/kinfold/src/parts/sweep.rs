//! Which record is cheapest to add to a growing group? Answered by looking at every record, fast.
//!
//! Records lie column by column in scan order. For each, `rise` holds by how much the group's cells would
//! cost more if it joined. When the group grows, only the columns whose cover changed are swept again, and in
//! each only the difference is applied: for a category that is "every record with the new label becomes
//! cheaper by one step". Loops are plain and branch-free, and go through all columns of a tile of records
//! before the next, so that rises stay in the nearest cache.

use kinfold_model::{Problem, Rule, RuleKind};
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// What costs are counted in: exactly, or coarsely in numbers of which eight fit a register. With dozens of
/// columns the errors of rounding cancel out, and it takes a quarter of the time.
pub(crate) trait Amount:
    Copy + Ord + Default + Add<Output = Self> + Sub<Output = Self> + AddAssign + SubAssign
{
    /// More than any rise, and stays so: rises only fall while a group grows.
    const DEAD: Self;
    /// What no rise is above.
    const MOST: Self;
    /// Codes of values, as wide as amounts or less.
    type Code: Copy + Ord;

    /// A cost of a problem in which losing all cells of a person costs `everything`.
    fn of(cost: u64, everything: u64) -> Self;
    /// A code.
    fn code(code: u32) -> Self::Code;
    /// Where the code stands in a table.
    fn index(code: Self::Code) -> usize;
}

impl Amount for i64 {
    const DEAD: Self = 1 << 62;
    const MOST: Self = 1 << 61;
    type Code = u32;

    fn of(cost: u64, _: u64) -> Self {
        cost as Self
    }

    fn code(code: u32) -> u32 {
        code
    }

    fn index(code: u32) -> usize {
        code as usize
    }
}

/// Everything costs 2¹³, give or take a half for every column.
impl Amount for i16 {
    const DEAD: Self = 22_000;
    const MOST: Self = 11_000;
    type Code = u16;

    fn of(cost: u64, everything: u64) -> Self {
        (cost as f64 / everything.max(1) as f64 * f64::from(1 << 13)).round() as Self
    }

    fn code(code: u32) -> u16 {
        code as u16
    }

    fn index(code: u16) -> usize {
        usize::from(code)
    }
}

/// Whether coarse amounts will do: many columns, but no more than errors allow, and codes that fit.
pub(crate) fn coarse_will_do(problem: &Problem) -> bool {
    let rules = problem.rules();
    (10..1000).contains(&rules.len()) && rules.iter().all(|rule| rule.values() <= u32::from(u16::MAX))
}

pub(crate) struct Sweep<'p, A: Amount = i64> {
    problem: &'p Problem,
    /// Records that have rows left, in scan order (a few dead ones in between until they are cleared away).
    records: Vec<u32>,
    columns: Vec<Column<A>>,
    rise: Vec<A>,
    /// The least rise of every tile.
    least: Vec<A>,
    /// For every record, how many of its rows are gone.
    taken: Vec<u32>,
    dead: usize,
    first_alive: usize,
}

enum Column<A: Amount> {
    /// Places on a line, and what it costs at most; the group's lowest and highest. Missing values lie two
    /// cells away, so that a group that mixes them with others costs a whole cell.
    Line { at: Vec<A>, missing: bool, most: A, low: A, high: A },
    /// Labels; those of the group.
    Set { code: Vec<A::Code>, step: A, group: Vec<u32> },
    /// Values told or starred; the group's one value, or none once it is starred.
    Flat { code: Vec<A::Code>, full: A, group: Option<u32> },
    /// Leaves of a tree, numbered as they occur: per leaf, what it would cost more, and how that has just
    /// changed; lowest and highest leaf of the group. A tree may have far more leaves than there are records.
    Table { leaves: Vec<u32>, code: Vec<A::Code>, rise: Vec<A>, change: Vec<A>, low: u32, high: u32 },
}

/// How the rises of all records change with the cover of one column.
enum Pass<A: Amount> {
    /// By how far they are from a place.
    Away(A),
    /// Down by what lies beyond a place, as far as the group has reached.
    Above(A, A),
    Below(A, A),
    /// From what it would have cost to cover all from the first to the second place to what it costs from the
    /// third to the fourth.
    Span([A; 4]),
    /// Those with this code by so much.
    With(A::Code, A),
    /// Those without it.
    Without(A::Code, A),
    /// As the column's table says.
    Table,
    /// All by so much, and those with codes from one to another by so much more: a table of few runs, without
    /// looking it up.
    Runs(A, Vec<(A::Code, A::Code, A)>),
}

/// Comparing with more runs takes longer than to look up a table.
const MOST_RUNS: usize = 4;

/// Records whose rises are changed together.
const TILE: usize = 2048;

impl<'p, A: Amount> Sweep<'p, A> {
    /// All records alive, scanned in the given order.
    pub(crate) fn new(problem: &'p Problem, order: &[u32]) -> Self {
        let everything = problem.withheld_cost();
        let amount = |cost: u64| A::of(cost, everything);
        let scale = |rule| Scale { rule, everything };
        let zero = A::default();
        let columns = problem
            .rules()
            .iter()
            .enumerate()
            .map(|(c, rule)| {
                let codes = || order.iter().map(|&record| problem.codes(record)[c]);
                match rule.kind() {
                    RuleKind::Line { missing, .. } => Column::Line {
                        at: codes().map(|code| scale(rule).place(code)).collect(),
                        missing: *missing,
                        most: amount(rule.full()),
                        low: zero,
                        high: zero,
                    },
                    RuleKind::Set { step, .. } => Column::Set {
                        code: codes().map(A::code).collect(),
                        step: amount(*step),
                        group: Vec::new(),
                    },
                    RuleKind::Flat { .. } => Column::Flat {
                        code: codes().map(A::code).collect(),
                        full: amount(rule.full()),
                        group: None,
                    },
                    _ => {
                        let mut leaves: Vec<u32> = codes().collect();
                        leaves.sort_unstable();
                        leaves.dedup();
                        let number = |leaf: u32| leaves.partition_point(|&other| other < leaf) as u32;
                        let code = codes().map(|leaf| A::code(number(leaf))).collect();
                        let [rise, change] = [vec![zero; leaves.len()], vec![zero; leaves.len()]];
                        Column::Table { leaves, code, rise, change, low: 0, high: 0 }
                    }
                }
            })
            .collect();
        Self {
            problem,
            records: order.to_vec(),
            columns,
            rise: vec![zero; order.len()],
            least: vec![A::DEAD; order.len().div_ceil(TILE)],
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
            self.rise[position] = A::DEAD;
            let tile = position / TILE;
            let end = self.rise.len().min((tile + 1) * TILE);
            self.least[tile] = least(&self.rise[tile * TILE..end]);
        }
        row
    }

    /// Starts a group with this record alone.
    pub(crate) fn begin(&mut self, record: u32) {
        self.clear_away();
        for slot in &mut self.rise {
            *slot = if *slot > A::MOST { A::DEAD } else { A::default() };
        }
        let passes = self.cover(record, Column::begin);
        self.apply(&passes);
    }

    /// Adds a record to the group.
    pub(crate) fn join(&mut self, record: u32) {
        let passes = self.cover(record, Column::join);
        self.apply(&passes);
    }

    /// Changes the cover of every column, and says what that does to rises.
    fn cover(
        &mut self,
        record: u32,
        change: impl Fn(&mut Column<A>, u32, &Scale<'_>) -> Option<Pass<A>>,
    ) -> Vec<(usize, Pass<A>)> {
        let problem = self.problem;
        let columns = self.columns.iter_mut().zip(problem.rules()).zip(problem.codes(record)).enumerate();
        let everything = problem.withheld_cost();
        let pass = |(c, ((column, rule), &code)): (usize, ((&mut Column<A>, &Rule), &u32))| {
            Some((c, change(column, code, &Scale { rule, everything })?))
        };
        columns.filter_map(pass).collect()
    }

    fn apply(&mut self, passes: &[(usize, Pass<A>)]) {
        for (tile, rise) in self.rise.chunks_mut(TILE).enumerate() {
            for (column, pass) in passes {
                self.columns[*column].apply(pass, rise, tile * TILE);
            }
            // The dead stay dead: nothing takes so much away that they would seem alive.
            self.least[tile] = least(rise);
        }
    }

    /// The first position with the least rise, and the rise.
    pub(crate) fn cheapest(&self) -> Option<(usize, A)> {
        let least = self.least.iter().copied().min().filter(|&r| r <= A::MOST)?;
        let tile = self.least.iter().position(|&l| l == least)?;
        let at = self.rise[tile * TILE..].iter().position(|&r| r == least)?;
        Some((tile * TILE + at, least))
    }

    /// What the record at a position would add now.
    pub(crate) fn rise(&self, position: usize) -> A {
        self.rise[position]
    }

    /// The first position that is furthest from a record (Byun et al. 2007, distance between two records:
    /// labels are 0 or 1 apart).
    pub(crate) fn furthest(&mut self, record: u32) -> Option<usize> {
        self.clear_away();
        let passes = self.cover(record, Column::apart);
        let mut distance = vec![A::default(); self.records.len()];
        for (tile, distance) in distance.chunks_mut(TILE).enumerate() {
            for (column, pass) in &passes {
                self.columns[*column].apply(pass, distance, tile * TILE);
            }
        }
        let alive = (0..distance.len()).filter(|&i| self.rise[i] <= A::MOST);
        alive.max_by_key(|&i| (distance[i], std::cmp::Reverse(i)))
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
        let keep: Vec<bool> = self.rise.iter().map(|&rise| rise <= A::MOST).collect();
        retain(&mut self.records, &keep);
        retain(&mut self.rise, &keep);
        for column in &mut self.columns {
            match column {
                Column::Line { at, .. } => retain(at, &keep),
                Column::Set { code, .. } | Column::Flat { code, .. } | Column::Table { code, .. } => {
                    retain(code, &keep)
                }
            }
        }
        self.least = self.rise.chunks(TILE).map(least).collect();
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

/// How a column counts its costs.
struct Scale<'a> {
    rule: &'a Rule,
    everything: u64,
}

impl Scale<'_> {
    fn amount<A: Amount>(&self, cost: u64) -> A {
        A::of(cost, self.everything)
    }

    fn place<A: Amount>(&self, code: u32) -> A {
        match self.rule.kind() {
            RuleKind::Line { at, .. } => {
                let missing = 2 * self.rule.full();
                self.amount(at.get(code as usize).copied().unwrap_or(missing))
            }
            _ => A::default(),
        }
    }

    /// By how much a group from `low` to `high` costs more once the code joins.
    fn rise<A: Amount>(&self, low: u32, high: u32, code: u32) -> A {
        let cost = |low, high| self.amount::<A>(self.rule.between(low, high).0);
        cost(low.min(code), high.max(code)) - cost(low, high)
    }
}

impl<A: Amount> Column<A> {
    /// The group is this one code: every record rises by what it is away from it.
    fn begin(&mut self, start: u32, scale: &Scale<'_>) -> Option<Pass<A>> {
        Some(match self {
            Self::Line { low, high, .. } => {
                let place = scale.place(start);
                (*low, *high) = (place, place);
                Pass::Away(place)
            }
            Self::Set { step, group, .. } => {
                *group = vec![start];
                Pass::Without(A::code(start), *step)
            }
            Self::Flat { full, group, .. } => {
                *group = Some(start);
                Pass::Without(A::code(start), *full)
            }
            Self::Table { leaves, rise, change, low, high, .. } => {
                (*low, *high) = (start, start);
                for (&leaf, slot) in leaves.iter().zip(&mut *rise) {
                    *slot = scale.rise(start, start, leaf);
                }
                change.copy_from_slice(rise);
                runs_of(change)
            }
        })
    }

    /// The group grows by a code: where its cover grows, records rise by less than before.
    fn join(&mut self, new: u32, scale: &Scale<'_>) -> Option<Pass<A>> {
        match self {
            Self::Line { missing: true, low, high, .. } => {
                let place = scale.place(new);
                let (from, to) = (*low, *high);
                (*low, *high) = (from.min(place), to.max(place));
                let grown = (from, to) != (*low, *high);
                grown.then_some(Pass::Span([from, to, *low, *high]))
            }
            Self::Line { low, high, .. } => {
                let place = scale.place(new);
                if place > *high {
                    let from = std::mem::replace(high, place);
                    Some(Pass::Above(from, place - from))
                } else if place < *low {
                    let from = std::mem::replace(low, place);
                    Some(Pass::Below(from, from - place))
                } else {
                    None
                }
            }
            Self::Set { step, group, .. } => {
                let is_new = !group.contains(&new);
                is_new.then(|| {
                    group.push(new);
                    Pass::With(A::code(new), A::default() - *step)
                })
            }
            Self::Flat { full, group, .. } => {
                let value = group.take_if(|value| *value != new)?;
                Some(Pass::Without(A::code(value), A::default() - *full))
            }
            Self::Table { leaves, rise, change, low, high, .. } => {
                let grown = ((*low).min(new), (*high).max(new));
                if grown == (*low, *high) {
                    return None;
                }
                (*low, *high) = grown;
                for (&leaf, (slot, change)) in leaves.iter().zip(rise.iter_mut().zip(&mut *change)) {
                    let now = scale.rise(grown.0, grown.1, leaf);
                    *change = now - std::mem::replace(slot, now);
                }
                Some(runs_of(change))
            }
        }
    }

    /// How far records are from this code, as single records are apart.
    fn apart(&mut self, from: u32, scale: &Scale<'_>) -> Option<Pass<A>> {
        Some(match self {
            Self::Line { .. } => Pass::Away(scale.place(from)),
            Self::Set { .. } | Self::Flat { .. } => {
                Pass::Without(A::code(from), scale.amount(scale.rule.full()))
            }
            Self::Table { leaves, change, .. } => {
                for (&leaf, slot) in leaves.iter().zip(&mut *change) {
                    *slot = scale.rise(from, from, leaf);
                }
                runs_of(change)
            }
        })
    }

    /// Changes the rises of the records from position `first` on.
    fn apply(&self, pass: &Pass<A>, rises: &mut [A], first: usize) {
        let zero = A::default();
        let tile = first..first + rises.len();
        match (self, pass) {
            (Self::Line { at, most, .. }, Pass::Away(place)) => {
                for (slot, &x) in rises.iter_mut().zip(&at[tile]) {
                    *slot += (x.max(*place) - x.min(*place)).min(*most);
                }
            }
            (Self::Line { at, most, .. }, &Pass::Span([from, to, low, high])) => {
                let (before, now) = ((to - from).min(*most), (high - low).min(*most));
                for (slot, &x) in rises.iter_mut().zip(&at[tile]) {
                    let was = (x.max(to) - x.min(from)).min(*most) - before;
                    *slot += (x.max(high) - x.min(low)).min(*most) - now - was;
                }
            }
            (Self::Line { at, .. }, Pass::Above(from, by)) => {
                for (slot, &x) in rises.iter_mut().zip(&at[tile]) {
                    *slot -= (x - *from).clamp(zero, *by);
                }
            }
            (Self::Line { at, .. }, Pass::Below(from, by)) => {
                for (slot, &x) in rises.iter_mut().zip(&at[tile]) {
                    *slot -= (*from - x).clamp(zero, *by);
                }
            }
            (Self::Set { code, .. } | Self::Flat { code, .. }, Pass::With(value, by)) => {
                for (slot, c) in rises.iter_mut().zip(&code[tile]) {
                    *slot += if c == value { *by } else { zero };
                }
            }
            (Self::Set { code, .. } | Self::Flat { code, .. }, Pass::Without(value, by)) => {
                for (slot, c) in rises.iter_mut().zip(&code[tile]) {
                    *slot += if c == value { zero } else { *by };
                }
            }
            (Self::Table { code, .. }, Pass::Runs(all, runs)) => {
                let code = &code[tile];
                rises.iter_mut().for_each(|slot| *slot += *all);
                for &(first, last, more) in runs {
                    for (slot, &c) in rises.iter_mut().zip(code) {
                        *slot += if (c >= first) & (c <= last) { more } else { zero };
                    }
                }
            }
            (Self::Table { code, change, .. }, Pass::Table) => {
                for (slot, &c) in rises.iter_mut().zip(&code[tile]) {
                    *slot += change[A::index(c)];
                }
            }
            // No other pass comes from such a column.
            _ => {}
        }
    }
}

/// What a table says, in runs of equal values if they are few.
fn runs_of<A: Amount>(table: &[A]) -> Pass<A> {
    let mut runs = Vec::new();
    let mut first = 0;
    for run in table.chunk_by(|a, b| a == b) {
        if runs.len() > MOST_RUNS {
            return Pass::Table;
        }
        let next = first + run.len() as u32;
        runs.push((first, next - 1, run[0]));
        first = next;
    }
    let longest = (0..runs.len()).max_by_key(|&i| runs[i].1 - runs[i].0);
    let all = longest.map_or(A::default(), |i| runs.swap_remove(i).2);
    let narrow = |(first, last, value): (u32, u32, A)| (A::code(first), A::code(last), value - all);
    Pass::Runs(all, runs.into_iter().map(narrow).collect())
}

fn least<A: Amount>(rises: &[A]) -> A {
    rises.iter().copied().fold(A::DEAD, A::min)
}
