//! What several solvers did, side by side.

use super::chart::scatter;
use super::frontier::frontier;
use super::whole;
use kinfold_model::Hint;
use kinfold_model::recoding::Recoding;
use serde::{Serialize, Serializer};

/// What one solver did for one k.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Compared {
    /// The least group size.
    pub k: u64,
    /// The solver, with its settings.
    pub solver: String,
    /// How columns are coded: `local`, `global`, or `mixed` where some are on one level for all rows.
    pub recoding: &'static str,
    /// The effort, where the answer depends on it.
    pub effort: Option<&'static str>,
    /// The loss per cell, column or person, as the objective has it.
    pub average_loss: f64,
    /// The loss of the whole grouping.
    pub loss: f64,
    /// Groups.
    pub groups: usize,
    /// People in the largest group.
    pub largest_group: u64,
    /// The normalized average class size (C_avg).
    pub average_class_size: f64,
    /// The discernibility metric (DM).
    #[serde(serialize_with = "whole")]
    pub discernibility: u128,
    /// Seconds on the wall.
    pub seconds: f64,
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// Whether no other solver is as quick and loses no more.
    pub frontier: bool,
}

impl Compared {
    /// The solver, with its effort, and how columns are coded if not all group by group.
    pub fn name(&self) -> String {
        let recoding = (self.recoding != Recoding::Local.word()).then_some(self.recoding);
        let said = self.effort.into_iter().chain(recoding);
        said.fold(self.solver.clone(), |name, more| format!("{name}, {more}"))
    }

    /// What it took, in CPU seconds where the system tells them.
    pub(super) fn took(&self) -> f64 {
        self.cpu_seconds.unwrap_or(self.seconds)
    }
}

/// What all of them did, for every k. As JSON it is one list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompareReport {
    /// Rows of the table.
    pub rows: usize,
    /// The solvers' answers, a list for every k.
    pub by_k: Vec<Vec<Compared>>,
    /// What else the user should know.
    pub notes: Vec<Hint>,
}

impl Serialize for CompareReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.by_k.iter().flatten())
    }
}

impl CompareReport {
    pub(crate) fn new(rows: usize, mut by_k: Vec<Vec<Compared>>, notes: Vec<Hint>) -> Self {
        for list in &mut by_k {
            let points: Vec<_> = list.iter().map(|one| (one.took(), one.average_loss)).collect();
            for (one, on_frontier) in list.iter_mut().zip(frontier(&points)) {
                one.frontier = on_frontier;
            }
        }
        Self { rows, by_k, notes }
    }

    /// Loss against time, as an SVG picture.
    pub fn chart(&self) -> String {
        scatter::svg("Loss against time", self.rows, &self.by_k)
    }
}

/// Which columns can be kept for one k.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Keepable {
    /// The least group size.
    pub k: u64,
    /// Always `columns`.
    pub solver: &'static str,
    /// The columns that are kept.
    pub kept: Vec<String>,
    /// The loss per column.
    pub average_loss: f64,
    /// The loss of the whole release.
    pub loss: f64,
    /// Whether no other set of columns has more weight.
    pub best: bool,
}

/// Which columns can be kept, for every k. As JSON it is one list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KeepableReport {
    /// For every k.
    pub list: Vec<Keepable>,
    /// Rows of the table.
    pub rows: usize,
    /// Quasi-identifiers.
    pub columns: usize,
    /// What else the user should know.
    pub notes: Vec<Hint>,
}

impl Serialize for KeepableReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.list.serialize(to)
    }
}
