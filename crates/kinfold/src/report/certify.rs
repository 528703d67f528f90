//! What a certificate proves.

use crate::report::K_ALONE;
use crate::stopwatch::Spent;
use kinfold_model::cost::Objective;
use kinfold_model::hint::Hint;
use kinfold_model::judge::Solution;
use kinfold_model::problem::Problem;
use kinfold_model::unit::Unit;
use serde::Serialize;

/// What was proven of a grouping.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum CertifyVerdict {
    /// A bound.
    Proven(Proven),
    /// The certificate does not prove what it says.
    Refused {
        /// Always false.
        checked: bool,
        /// What is wrong with it.
        why: String,
    },
}

/// A grouping and a bound for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Proven {
    /// Whether the judge checked the bound itself.
    pub checked: bool,
    /// Rows of the table.
    pub rows: usize,
    /// The least group size.
    pub k: u64,
    /// Groups.
    pub groups: usize,
    /// The loss of the grouping.
    pub loss: f64,
    /// The loss per cell, column or person, as the objective has it.
    pub average_loss: f64,
    /// No grouping loses less than this.
    pub bound: Option<f64>,
    /// (loss − bound) / loss.
    pub gap: Option<f64>,
    /// Whether the bound was checked by the judge, claimed by the solver, or is missing.
    pub bound_kind: &'static str,
    /// `k alone` where the policy asks for more than the bound takes into account.
    pub bound_for: Option<&'static str>,
    /// The solver that made the grouping; none where it came with the certificate.
    pub solver: Option<String>,
    /// Seconds on the wall.
    pub seconds: f64,
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// What sizes are numbers of.
    #[serde(skip)]
    pub unit: Unit,
    /// What was minimised.
    #[serde(skip)]
    pub objective: Objective,
    /// Whether the bound is the loss, exactly.
    #[serde(skip)]
    pub optimal: bool,
}

/// What a certificate, made or checked, proves.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CertifyReport {
    /// What it proves.
    #[serde(flatten)]
    pub verdict: CertifyVerdict,
    /// What else the user should know.
    #[serde(skip)]
    pub notes: Vec<Hint>,
}

impl CertifyReport {
    pub(crate) fn new(problem: &Problem, solution: &Solution, solver: Option<String>, spent: Spent) -> Self {
        let bound = solution.bound();
        let proven = Proven {
            checked: bound.word() == "checked",
            rows: problem.rows(),
            k: problem.k(),
            groups: solution.groups(),
            loss: solution.loss(problem).cells(),
            average_loss: solution.average_loss(problem),
            bound: solution.least_loss(problem).map(|bound| bound.cells()),
            gap: solution.gap(problem),
            bound_kind: bound.word(),
            bound_for: bound.cost().and(problem.guard()).map(|_| K_ALONE),
            solver,
            seconds: spent.wall,
            cpu_seconds: spent.cpu,
            unit: problem.unit(),
            objective: problem.objective(),
            optimal: bound.cost() == Some(solution.cost()),
        };
        Self { verdict: CertifyVerdict::Proven(proven), notes: Vec::new() }
    }

    pub(crate) fn refused(why: String) -> Self {
        Self { verdict: CertifyVerdict::Refused { checked: false, why }, notes: Vec::new() }
    }
}
