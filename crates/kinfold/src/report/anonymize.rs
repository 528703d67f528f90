//! What came of an anonymization.

use crate::report::{
    ColumnLoss, Lost, ModelReport, OverlayReport, ReachedReport, rounded, rounded_if, whole,
};
use kinfold_model::cost::Objective;
use kinfold_model::hint::Hint;
use kinfold_model::unit::Unit;
use serde::{Serialize, Serializer};

/// What came of an anonymization. Losses are in the units of the objective.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AnonymizeReport {
    /// Rows of the table.
    pub rows: usize,
    /// Rows of the table that are in the release.
    pub released: usize,
    /// Rows that are left out.
    pub withheld: usize,
    /// The least group size.
    pub k: u64,
    /// What sizes are numbers of.
    pub unit: Unit,
    /// Groups of rows that look alike in the release.
    pub groups: usize,
    /// People in the smallest group.
    pub smallest_group: u64,
    /// People in the largest group.
    pub largest_group: u64,
    /// The discernibility metric (DM).
    #[serde(serialize_with = "whole")]
    pub discernibility: u128,
    /// The normalized average class size (C_avg).
    pub average_class_size: f64,
    /// What was minimised.
    #[serde(serialize_with = "word")]
    pub objective: Objective,
    /// The loss of the whole release.
    pub loss: f64,
    /// The loss per cell, column or person, as the objective has it.
    pub average_loss: f64,
    /// The levels that were chosen: of every column under global recoding, else of those whose level is `auto`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<PublishedLevel>,
    /// Under global recoding, the loss per cell as each column's level has it; that is what is minimised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_by_level: Option<f64>,
    /// Under global recoding, the loss per cell that the same groups would have if each were published as narrowly
    /// as its rows allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_by_tight_bounds: Option<f64>,
    /// 100 · SSE/SST, as microaggregation is usually judged.
    pub sse_percent: Option<f64>,
    /// No release loses less than this.
    pub bound: Option<f64>,
    /// How far the loss can be from the least possible: (loss − bound) / loss.
    pub gap: Option<f64>,
    /// Whether the bound was checked by the judge, claimed by the solver, or is missing.
    pub bound_kind: &'static str,
    /// `k alone` where the policy asks for more than the bound takes into account.
    pub bound_for: Option<&'static str>,
    /// The solver that found the groups, with its settings.
    pub solver: String,
    /// What the solver says of its answer.
    pub remark: Option<String>,
    /// How many pieces the table was cut into, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// How long each phase took, where that is told.
    #[serde(skip_serializing_if = "Seconds::none")]
    pub seconds: Seconds,
    /// CPU time of grouping, on all threads.
    #[serde(serialize_with = "rounded_if")]
    pub solve_cpu_seconds: Option<f64>,
    /// What every quasi-identifier loses, where loss is counted by cell.
    pub columns: Vec<ColumnLoss>,
    /// The share of rows that no other row equals on all columns that are published unchanged.
    pub unique_on_unchanged: f64,
    /// Columns whose ends are rounded, and to what.
    pub rounded: Vec<RoundedColumn>,
    /// The share of generalized values that the ends of ranges and the labels of sets tell exactly.
    pub values_told: Option<f64>,
    /// The share of people of whom alone it is true that they fit the cells of a group and have the value at one
    /// of its ends, or one of its labels.
    pub singled_out: Option<f64>,
    /// The privacy models that the policy asks for.
    pub models: Vec<ModelReport>,
    /// What the release reaches on every sensitive column.
    pub reached: Vec<ReachedReport>,
    /// What earlier releases leave of everybody, laid over this one, if there are any.
    pub overlay: Option<OverlayReport>,
    /// Whether the bound is the loss, exactly.
    #[serde(skip)]
    pub optimal: bool,
    /// Why this solver was chosen, if it was chosen automatically.
    #[serde(skip)]
    pub why: Option<String>,
    /// Whether numbers, dates or levels are published as texts that programs have to take apart.
    #[serde(skip)]
    pub ranges: bool,
    /// What else the user should know.
    #[serde(skip)]
    pub notes: Vec<Hint>,
}

impl AnonymizeReport {
    pub(crate) fn lost(&self) -> Lost {
        let &Self { loss, average_loss, bound, gap, bound_kind, bound_for, optimal, .. } = self;
        Lost { loss, average_loss, bound, gap, bound_kind, bound_for, optimal }
    }
}

/// The level of a column, for all rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedLevel {
    /// The column.
    pub column: String,
    /// Its level: 0 are the values, the last is a star.
    pub level: u32,
    /// The last level.
    pub last: u32,
    /// What it is called: `exact`, a width, a word or a length, a star; none on the levels of a hierarchy.
    pub name: Option<String>,
}

/// A column whose ends are rounded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundedColumn {
    /// Its name.
    pub column: String,
    /// The width of its cells: `5`, `month`.
    pub step: String,
}

/// How long each phase took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Seconds {
    /// Reading the table, where that was part of it.
    #[serde(serialize_with = "rounded_if", skip_serializing_if = "Option::is_none")]
    pub read: Option<f64>,
    /// Encoding it under the policy.
    #[serde(serialize_with = "rounded")]
    pub encode: f64,
    /// Grouping the rows.
    #[serde(serialize_with = "rounded")]
    pub solve: f64,
    /// Looking for a bound.
    #[serde(serialize_with = "rounded")]
    pub bound: f64,
    /// Making and writing the release.
    #[serde(serialize_with = "rounded")]
    pub publish: f64,
    /// Verifying what was written.
    #[serde(serialize_with = "rounded")]
    pub verify: f64,
    /// Working out what is said of the release: figures, warnings, the report for people.
    #[serde(serialize_with = "rounded")]
    pub report: f64,
    /// All together.
    #[serde(serialize_with = "rounded")]
    pub total: f64,
}

impl Seconds {
    fn none(&self) -> bool {
        *self == Self::default()
    }

    /// The phases by name, in order.
    pub(crate) fn laps(&self) -> Vec<(&'static str, f64)> {
        let read = self.read.map(|seconds| ("read", seconds));
        let rest = [
            ("encode", self.encode),
            ("solve", self.solve),
            ("bound", self.bound),
            ("publish", self.publish),
            ("verify", self.verify),
            ("report", self.report),
        ];
        read.into_iter().chain(rest).collect()
    }

    /// Adds how long the phases of a piece took.
    pub(crate) fn absorb(&mut self, piece: &Self) {
        self.encode += piece.encode;
        self.solve += piece.solve;
        self.bound += piece.bound;
        self.publish += piece.publish;
        self.report += piece.report;
    }

    /// Adds up the total.
    pub fn add_up(&mut self) {
        self.total = self.laps().iter().map(|(_, seconds)| seconds).sum();
    }
}

fn word<S: Serializer>(objective: &Objective, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(objective.word())
}
