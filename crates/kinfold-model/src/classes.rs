//! Classes of rows that no group crosses: rows that differ in what is published of them in any case, as they do on a
//! column's fixed or coarsest level.
//!
//! Every class is grouped by itself. One that holds fewer than k people, or falls short of another requirement even
//! as one group, is withheld.

use crate::hint::Hint;
use crate::members::Members;
use crate::problem::{Impossible, Problem};
use crate::requirement::Guard;
use crate::unit::Unit;
use std::collections::BTreeMap;
use std::fmt;

/// The classes of a problem.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Classes {
    /// The rows of every class that can be released as one group at least.
    pub released: Vec<Vec<u32>>,
    /// What the groups must fulfil, compared with the rows of these classes.
    pub guard: Option<Guard>,
    /// What the others hold.
    pub short: Short,
}

/// What classes hold that cannot be released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Short {
    /// How many such classes there are.
    pub classes: usize,
    /// How many classes there are in all.
    pub of: usize,
    /// People in such classes.
    pub people: u64,
    /// What people are: rows, unless a column counts people.
    pub unit: Unit,
    /// The least that every group must hold.
    pub k: u64,
    /// Whether some hold k people, and fall short of another requirement.
    pub other_models: bool,
    /// People in the table.
    pub all: u64,
    /// People that may be withheld.
    pub may_withhold: u64,
}

impl Short {
    /// What to try.
    pub(crate) fn hint(&self) -> Hint {
        let mut hint = Hint::new();
        if self.people < self.all {
            hint = Hint::withhold(self.people, self.all).text("; or ");
        }
        hint.text("choose a coarser level in one of the columns that keep them apart")
    }
}

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (people, k) = (self.people, self.k);
        let unit = self.unit.noun(people);
        let classes = if self.classes == 1 { "class" } else { "classes" };
        let fewer = match self.other_models {
            true => format!("that hold fewer than {k} or cannot fulfil the other privacy models"),
            false => format!("of fewer than {k}"),
        };
        write!(
            f,
            "groups must not cross fixed or coarsest levels, and that leaves {people} {unit} in {} {classes} {fewer} \
             (of {} classes in all); {} may be withheld",
            self.classes, self.of, self.may_withhold
        )
    }
}

/// Numbers classes from 0 as they first appear.
pub fn numbered(class_of: &[u32]) -> Vec<u32> {
    let mut number_of = BTreeMap::new();
    let number = |class: &u32| {
        let next = number_of.len() as u32;
        *number_of.entry(*class).or_insert(next)
    };
    class_of.iter().map(number).collect()
}

impl Problem {
    /// Its classes, if groups must not cross some.
    pub fn classes(&self) -> Option<Classes> {
        let class_of = self.class_of()?;
        let classes = class_of.iter().max().map_or(0, |&last| last as usize + 1);
        let rows_of = Members::new(classes, (0u32..).zip(class_of.iter().copied()));
        let people: Vec<u64> =
            rows_of.each().map(|rows| rows.iter().map(|&row| self.row_size(row)).sum()).collect();
        let mut kept: Vec<bool> = people.iter().map(|&people| people >= self.k()).collect();
        let withheld = |kept: &[bool]| -> u64 {
            people.iter().zip(kept).filter(|(_, kept)| !**kept).map(|(people, _)| people).sum()
        };
        let mut guard = None;
        let mut other_models = false;
        while let Some(whole) = self.guard() {
            // Groups are compared with what is released, and that is less with every class that is not.
            let size = |row: u32| if kept[class_of[row as usize] as usize] { self.row_size(row) } else { 0 };
            let all = kept.iter().all(|kept| *kept);
            let of_release = if all { Some(whole.clone()) } else { whole.of_release(size).ok() };
            let Some(of_release) = of_release.filter(|_| withheld(&kept) <= self.may_withhold()) else {
                break;
            };
            let size = |row: u32| self.row_size(row);
            let before = kept.clone();
            for ((kept, rows), _) in
                kept.iter_mut().zip(rows_of.each()).zip(&people).filter(|((kept, _), _)| **kept)
            {
                *kept = of_release.fulfilled_by(&of_release.group(rows, size));
            }
            if kept == before {
                guard = Some(of_release);
                break;
            }
            other_models = true;
        }
        let released = (rows_of.each().zip(&kept)).filter(|(_, kept)| **kept).map(|(rows, _)| rows.to_vec());
        let short = Short {
            classes: kept.iter().filter(|kept| !**kept).count(),
            of: classes,
            people: withheld(&kept),
            unit: self.unit(),
            k: self.k(),
            other_models,
            all: self.people(),
            may_withhold: self.may_withhold(),
        };
        Some(Classes { released: released.collect(), guard, short })
    }

    /// The same problem, where no group may cross these classes, one of every row. Copies of a record are in one class.
    pub fn within_classes(self, class_of: &[u32]) -> Result<Self, Impossible> {
        Impossible::unless(class_of.len() == self.rows(), "classes and rows differ in number")?;
        let alike = |record: u32| {
            let rows = self.rows_of(record);
            rows.iter().all(|&row| class_of[row as usize] == class_of[rows[0] as usize])
        };
        Impossible::unless(
            (0..self.records() as u32).all(alike),
            "copies of a record are in several classes",
        )?;
        let problem = self.with_classes(Some(numbered(class_of).into()));
        problem.check_classes()?;
        Ok(problem)
    }

    /// Refuses a problem whose classes leave more people than may be withheld.
    pub(crate) fn check_classes(&self) -> Result<(), Impossible> {
        let Some(Classes { released, short, .. }) = self.classes() else { return Ok(()) };
        let someone = short.classes > 0 && self.may_withhold() == 0;
        match short.people > self.may_withhold() || someone || released.is_empty() {
            true => Err(Impossible::Classes(Box::new(short))),
            false => Ok(()),
        }
    }
}
