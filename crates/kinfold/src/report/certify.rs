//! What a certificate proves.

use crate::Spent;
use crate::report::Lost;
use kinfold_model::{Hint, Objective, Problem, Solution, Unit};
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
    /// What the grouping loses, and the bound.
    #[serde(flatten)]
    pub lost: Lost,
    /// The solver that made the grouping; none where it came with the certificate.
    pub solver: Option<String>,
    /// Seconds on the wall.
    pub seconds: f64,
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// Rows that the grouping leaves out.
    #[serde(skip)]
    pub withheld: usize,
    /// What sizes are numbers of.
    #[serde(skip)]
    pub unit: Unit,
    /// What was minimised.
    #[serde(skip)]
    pub objective: Objective,
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
        let lost = Lost::new(problem, solution, false);
        let proven = Proven {
            checked: lost.checked(),
            rows: problem.rows(),
            k: problem.k(),
            groups: solution.groups(),
            lost,
            solver,
            seconds: spent.wall,
            cpu_seconds: spent.cpu,
            withheld: solution.withheld(),
            unit: problem.unit(),
            objective: problem.objective(),
        };
        Self { verdict: CertifyVerdict::Proven(proven), notes: Vec::new() }
    }

    pub(crate) fn refused(why: String) -> Self {
        Self { verdict: CertifyVerdict::Refused { checked: false, why }, notes: Vec::new() }
    }
}
