//! What other settings would cost.

use super::chart::bars::{self, Bar};
use super::count;
use kinfold_model::Unit;
use serde::Serialize;

/// What one column loses: 0 nothing, 1 everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnLoss {
    /// The quasi-identifier.
    pub column: String,
    /// The average loss of its cells.
    pub loss: f64,
}

/// A policy and variants of it, measured by one yardstick: that of the policy, the first of the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WhatIfReport {
    /// Rows of the table.
    pub rows: usize,
    /// What sizes are numbers of.
    pub unit: Unit,
    /// The policy as it is, then its variants.
    pub variants: Vec<Variant>,
    /// Variants that no release can fulfil, and why.
    pub left_out: Vec<String>,
    /// Variants for which there was no time left.
    pub not_tried: usize,
}

/// What one variant of a policy costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Variant {
    /// What it changes: policy (nothing), k, withhold, drop or weight.
    pub kind: &'static str,
    /// The change, for people.
    pub name: String,
    /// The loss per cell over all quasi-identifiers of the policy; one that is dropped counts as lost.
    pub average_loss: f64,
    /// The same by column.
    pub columns: Vec<ColumnLoss>,
    /// Groups.
    pub groups: usize,
    /// People in the smallest group.
    pub smallest_group: u64,
    /// Rows that are left out.
    pub withheld: usize,
    /// The share of people who are unique on the quasi-identifiers before anything is done.
    pub unique_before: f64,
}

impl WhatIfReport {
    /// The loss of every variant, as an SVG picture.
    pub fn chart(&self) -> String {
        let bar =
            |v: &Variant| Bar { name: v.name.clone(), value: v.average_loss, stands_out: v.kind == "policy" };
        let title = format!("Loss per cell, {}", count(self.rows, "row", "rows"));
        bars::svg(&title, &self.variants.iter().map(bar).collect::<Vec<_>>())
    }
}

/// What a release for some k would lose.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LossAtK {
    /// The least group size.
    pub k: u64,
    /// The loss of the whole release.
    pub loss: f64,
    /// The loss per cell, column or person, as the objective has it.
    pub average_loss: f64,
    /// People in the smallest group.
    pub smallest_group: u64,
    /// Rows that are left out.
    pub withheld: usize,
}
