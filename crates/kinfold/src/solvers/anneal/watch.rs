//! What the groups of a block have of what requirements look at: a tally each, kept up to date.
//!
//! A change is made only if every group that it touches still fulfils everything. Units of the same
//! **class** have the same protected values: they may always change places.

use super::moving::Moving;
use crate::parts::groups::Unit;
use crate::parts::random::Random;
use kinfold_model::requirement::{Requirement, Requirements, Row};
use kinfold_model::{Guard, Tally};

pub(super) struct Watch<'a> {
    guard: &'a Guard,
    /// The row and the class of every unit.
    rows: Vec<u32>,
    pub(super) classes: Vec<u32>,
    /// By group; that of rows without a group stays empty.
    tallies: Vec<Tally>,
    /// Whether groups must mirror the table: then few changes but those within a class are possible.
    pub(super) mirrors: bool,
}

/// Whether a requirement is about the distribution of values, so that groups must mirror the table.
pub(super) fn mirrors(requirements: &Requirements) -> bool {
    requirements.list().iter().any(Requirement::mirrors_release)
}

impl<'a> Watch<'a> {
    /// Of so many groups, none of which has units yet.
    pub(super) fn new(guard: &'a Guard, moving: &Moving, inside: &[u32], groups: usize) -> Self {
        Self {
            guard,
            rows: inside.iter().map(|&unit| moving.rows[unit as usize]).collect(),
            classes: inside.iter().map(|&unit| moving.classes[unit as usize]).collect(),
            tallies: vec![Tally::new(guard.requirements()); groups],
            mirrors: mirrors(guard.requirements()),
        }
    }

    /// Counts the members of a group that has none yet.
    pub(super) fn count(&mut self, units: &[Unit], group: u32, members: &[u32]) {
        self.tallies[group as usize] = self.of(units, members.iter().copied());
    }

    /// The tally of these units.
    pub(super) fn of(&self, units: &[Unit], members: impl Iterator<Item = u32> + Clone) -> Tally {
        Tally::of(self.guard.requirements(), members.map(|unit| self.row(units, unit)))
    }

    fn row(&self, units: &[Unit], unit: u32) -> Row<'a> {
        self.guard.row(self.rows[unit as usize], u64::from(units[unit as usize].people))
    }

    pub(super) fn fulfils(&self, group: u32) -> bool {
        self.tallies[group as usize].fulfils(self.guard.requirements())
    }

    /// Whether these units fulfil everything as a group.
    pub(super) fn would_do(&self, tally: &Tally) -> bool {
        tally.fulfils(self.guard.requirements())
    }

    /// Whether a group fulfils everything without one unit and with another.
    pub(super) fn may_change(
        &mut self,
        units: &[Unit],
        group: u32,
        out: Option<u32>,
        new: Option<u32>,
    ) -> bool {
        if let (Some(out), Some(new)) = (out, new)
            && self.classes[out as usize] == self.classes[new as usize]
            && units[out as usize].people == units[new as usize].people
            && !self.guard.requirements().count_persons()
        {
            return true;
        }
        let (out, new) = (out.map(|u| self.row(units, u)), new.map(|u| self.row(units, u)));
        self.tallies[group as usize].would_fulfil(self.guard.requirements(), out, new)
    }

    /// Takes down that a unit has left one group or joined another.
    pub(super) fn left(&mut self, units: &[Unit], group: u32, unit: u32) {
        let row = self.row(units, unit);
        self.tallies[group as usize].remove(self.guard.requirements(), row);
    }

    pub(super) fn joined(&mut self, units: &[Unit], group: u32, unit: u32) {
        let row = self.row(units, unit);
        self.tallies[group as usize].add(self.guard.requirements(), row);
    }

    /// There is one group more.
    pub(super) fn grow(&mut self) {
        self.tallies.push(Tally::new(self.guard.requirements()));
    }

    /// Whether a list of units parted after each one gives two groups that fulfil everything.
    pub(super) fn can_part(&self, units: &[Unit], list: impl Iterator<Item = u32> + Clone) -> Vec<bool> {
        let requirements = self.guard.requirements();
        let (mut head, mut tail) = (Tally::new(requirements), self.of(units, list.clone()));
        let part = |unit| {
            let row = self.row(units, unit);
            head.add(requirements, row);
            tail.remove(requirements, row);
            head.fulfils(requirements) && tail.fulfils(requirements)
        };
        list.map(part).collect()
    }

    /// A random unit of the same class as `unit`, if one of these is.
    #[inline]
    pub(super) fn same_class(&self, members: &[u32], unit: u32, random: &mut Random) -> Option<u32> {
        let class = self.classes[unit as usize];
        let start = random.below(members.len());
        let found = members[start..].iter().chain(&members[..start]);
        found.copied().find(|&member| self.classes[member as usize] == class)
    }
}
