//! Records as points, groups as the boxes around them, in the exact units of the judge.
//!
//! On a line and in a tree a box is a run of codes: leaves stand in depth-first order, so the lowest
//! common node of a set depends on its first and last leaf alone, and the code of missing values is the
//! last one, so that a run which mixes it with others is a star. On labels a box is a list of labels. One
//! person of a group pays the box's cost, so a group costs its people times its box.

use super::pattern_prices::{MOST_MATCHES, listed};
use super::price::Members;
use super::range_tree::RangeTree;
use crate::parts::patterns::Patterns;
use kinfold_model::{Problem, Rule, RuleKind};
use std::sync::OnceLock;

/// The records of a problem with what lies between them.
pub struct Space<'p> {
    /// The problem.
    pub problem: &'p Problem,
    /// People of each record.
    pub people: Vec<u64>,
    tree: OnceLock<RangeTree>,
    patterns: OnceLock<Option<Patterns>>,
    /// In how many ways records and patterns may match.
    room: usize,
}

impl<'p> Space<'p> {
    /// The records of a problem.
    pub fn new(problem: &'p Problem) -> Self {
        let people = (0..problem.records() as u32).map(|r| problem.record_size(r)).collect();
        Self { problem, people, tree: OnceLock::new(), patterns: OnceLock::new(), room: MOST_MATCHES }
    }

    /// The same, where so many matches of records and patterns are too many.
    pub(crate) fn with_room(problem: &'p Problem, room: usize) -> Self {
        Self { room: room.min(MOST_MATCHES), ..Self::new(problem) }
    }

    /// Where cells are only suppressed: the patterns that groups can have, unless there are too many.
    pub(crate) fn patterns(&self) -> Option<&Patterns> {
        self.patterns.get_or_init(|| listed(self.problem, self.room)).as_ref()
    }

    /// Calls `visit` with every other record closer than `radius` that may share a group, and how close it is; `visit`
    /// answers with the radius from then on, which may shrink.
    pub(crate) fn within(&self, record: u32, radius: u64, mut visit: impl FnMut(u32, u64) -> u64) {
        let mut radius_now = radius;
        let visit = |other, apart| {
            if self.problem.may_meet(record, other) {
                radius_now = visit(other, apart);
            }
            radius_now
        };
        self.tree.get_or_init(|| RangeTree::new(self)).within(self, record, radius, visit);
    }

    /// How many records there are.
    pub fn records(&self) -> u32 {
        self.people.len() as u32
    }

    /// The codes of a record.
    #[inline]
    pub fn codes(&self, record: u32) -> &[u32] {
        self.problem.codes(record)
    }

    /// The rules of the columns.
    pub fn rules(&self) -> &[Rule] {
        self.problem.rules()
    }

    /// What the box around two records costs.
    #[inline]
    pub fn apart(&self, a: u32, b: u32) -> u64 {
        let pairs = self.codes(a).iter().zip(self.codes(b));
        self.rules().iter().zip(pairs).map(|(rule, (&a, &b))| rule.between(a, b).0).sum()
    }

    /// What a group costs: its people times their box.
    pub(crate) fn group_cost(&self, members: &Members) -> u64 {
        let people: u64 = members.iter().map(|&(_, copies)| copies).sum();
        people * self.box_cost(members.iter().map(|&(record, _)| record))
    }

    /// What these groups cost together.
    pub fn cost_of(&self, groups: &[Members]) -> u64 {
        groups.iter().map(|members| self.group_cost(members)).sum()
    }

    /// What the box around these records costs.
    pub(crate) fn box_cost(&self, mut records: impl Iterator<Item = u32>) -> u64 {
        let Some(first) = records.next() else { return 0 };
        let mut around = Around::new(self, first);
        records.for_each(|record| around.stretch(self, record));
        around.cost
    }
}

/// A box that starts around one record and grows.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    sides: Vec<Side>,
    pub(crate) cost: u64,
}

/// What a box covers in one column.
#[derive(Debug, Clone)]
enum Side {
    Run(u32, u32),
    Labels(Vec<u32>),
}

/// A step that makes a box larger in one column. Whoever has a code from `needed_from` to `needed_to` there
/// is outside until it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    column: usize,
    /// The code that the box is stretched to.
    to: u32,
    needed_from: u32,
    needed_to: u32,
}

impl Step {
    /// Whether a record with these codes is outside unless the step is made.
    #[inline]
    fn needed_by(&self, codes: &[u32]) -> bool {
        (self.needed_from..=self.needed_to).contains(&codes[self.column])
    }
}

impl Around {
    pub(crate) fn new(space: &Space<'_>, record: u32) -> Self {
        let sides = space
            .rules()
            .iter()
            .zip(space.codes(record))
            .map(|(rule, &code)| match rule.kind() {
                RuleKind::Set { .. } => Side::Labels(vec![code]),
                _ => Side::Run(code, code),
            })
            .collect();
        Self { sides, cost: 0 }
    }

    /// What the box costs more if it is stretched to this code in this column.
    #[inline]
    pub(crate) fn rise(&self, space: &Space<'_>, column: usize, code: u32) -> u64 {
        let rule = &space.rules()[column];
        match &self.sides[column] {
            Side::Labels(labels) if labels.contains(&code) => 0,
            Side::Labels(_) => match rule.kind() {
                RuleKind::Set { step, .. } => *step,
                _ => 0,
            },
            &Side::Run(low, high) if (low..=high).contains(&code) => 0,
            &Side::Run(low, high) => {
                rule.between(low.min(code), high.max(code)).0 - rule.between(low, high).0
            }
        }
    }

    /// What the box costs if a record joins.
    pub(crate) fn cost_with(&self, space: &Space<'_>, record: u32) -> u64 {
        let codes = space.codes(record).iter().enumerate();
        self.cost + codes.map(|(column, &code)| self.rise(space, column, code)).sum::<u64>()
    }

    /// Makes the box large enough for a record.
    pub(crate) fn stretch(&mut self, space: &Space<'_>, record: u32) {
        for (column, &code) in space.codes(record).iter().enumerate() {
            self.stretch_side(space, column, code);
        }
    }

    fn stretch_side(&mut self, space: &Space<'_>, column: usize, code: u32) {
        self.cost += self.rise(space, column, code);
        match &mut self.sides[column] {
            Side::Labels(labels) if labels.contains(&code) => {}
            Side::Labels(labels) => labels.push(code),
            Side::Run(low, high) => (*low, *high) = ((*low).min(code), (*high).max(code)),
        }
    }

    /// The box once a step has been made, and what it costs then when it is stretched to each of these.
    fn after(&self, space: &Space<'_>, step: &Step, candidates: &[Candidate]) -> (Self, Vec<Candidate>) {
        let mut paid = self.clone();
        paid.stretch_side(space, step.column, step.to);
        let reach = |c: &Candidate| {
            let code = space.codes(c.record)[step.column];
            let before = self.cost + self.rise(space, step.column, code);
            c.reach + (paid.cost + paid.rise(space, step.column, code) - before) as i64
        };
        let stretched = candidates.iter().map(|c| Candidate { reach: reach(c), ..*c }).collect();
        (paid, stretched)
    }

    /// The step that lets a code of a column in, unless the box holds it already.
    fn step_to(&self, column: usize, code: u32) -> Option<Step> {
        let step = |needed_from, needed_to| Some(Step { column, to: code, needed_from, needed_to });
        match &self.sides[column] {
            Side::Labels(labels) if labels.contains(&code) => None,
            Side::Labels(_) => step(code, code),
            &Side::Run(low, _) if code < low => step(0, code),
            &Side::Run(_, high) if code > high => step(code, u32::MAX),
            Side::Run(..) => None,
        }
    }

    /// The step that these records want most: its cost times the copies that need it. `None` if all are
    /// inside.
    fn most_wanted(&self, space: &Space<'_>, wanted: &[(u32, u64)]) -> Option<Step> {
        let mut best: Option<(u128, Step)> = None;
        for column in 0..self.sides.len() {
            for &(record, _) in wanted {
                let code = space.codes(record)[column];
                let rise = self.rise(space, column, code);
                if rise == 0 {
                    continue;
                }
                let Some(step) = self.step_to(column, code) else { continue };
                let needing: u64 = wanted
                    .iter()
                    .filter(|(other, _)| step.needed_by(space.codes(*other)))
                    .map(|(_, copies)| copies)
                    .sum();
                let score = u128::from(rise) * u128::from(needing);
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, step));
                }
            }
        }
        best.map(|(_, step)| step)
    }
}

/// A record that may join a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) record: u32,
    pub(super) copies: u64,
    /// What a person of it is worth, where that matters.
    pub(super) price: i64,
    /// What the box costs when it is stretched to this record.
    pub(super) reach: i64,
}

/// Searches through the groups that can be made of these candidates in a box. `look` is shown the candidates of
/// every node: it strikes those that are hopeless, and chooses people who do not all fit the box, or nobody if
/// the node is done with. One side of the box that many of them need is either paid for, or everybody who needs
/// it is struck.
pub(super) fn explore(
    space: &Space<'_>,
    around: Around,
    mut candidates: Vec<Candidate>,
    look: &mut impl FnMut(&mut Vec<Candidate>) -> Option<Members>,
) {
    while let Some(chosen) = look(&mut candidates) {
        let Some(step) = around.most_wanted(space, &chosen) else { return };
        let (paid, stretched) = around.after(space, &step, &candidates);
        explore(space, paid, stretched, look);
        candidates.retain(|c| !step.needed_by(space.codes(c.record)));
    }
}
