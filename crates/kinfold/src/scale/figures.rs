//! What came of the pieces of a table, added up exactly: they are on one scale.

use crate::anonymize::refuse_unsafe;
use crate::error::Error;
use crate::report::{AnonymizeReport, ColumnLoss, ModelReport, ReachedReport, RoundedColumn, Seconds};
use crate::solve::Outcome;
use crate::warning::warnings_of_verdict;
use kinfold_model::cost::{ONE, Objective};
use kinfold_model::hint::Hint;
use kinfold_model::policy::{Form, Policy};
use kinfold_model::problem::Problem;
use kinfold_model::told::Told;
use kinfold_model::verify::Verdict;
use serde::{Deserialize, Serialize};

/// Sums over pieces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Pieces.
    pub pieces: u32,
    /// Rows of the table.
    pub rows: u64,
    /// Rows that are left out.
    pub withheld: u64,
    people: u64,
    withheld_people: u64,
    /// What is lost, and what losing everything would cost, in units.
    #[serde(with = "kinfold_model::value::decimal_text")]
    loss: u128,
    #[serde(with = "kinfold_model::value::decimal_text")]
    whole: u128,
    /// Losses per column, each times people.
    columns: Vec<(String, f64)>,
    rounded: Vec<(String, String)>,
    told: Option<[u64; 4]>,
    ranges: bool,
    solver: String,
    solve_cpu_seconds: Option<f64>,
}

impl Figures {
    /// Of one piece.
    pub(crate) fn of(problem: &Problem, outcome: &Outcome, report: &AnonymizeReport) -> Self {
        let (solution, people) = (&outcome.solution, problem.people());
        let told = Told::of(problem, solution);
        let weighted = |column: &ColumnLoss| (column.column.clone(), column.loss * people as f64);
        let everything = u128::from(people) * u128::from(problem.withheld_cost());
        Self {
            pieces: 1,
            rows: problem.rows() as u64,
            withheld: solution.withheld() as u64,
            people,
            withheld_people: solution.withheld_people(problem),
            loss: u128::from(solution.loss(problem).0),
            whole: everything + u128::from(problem.floor().0),
            columns: report.columns.iter().map(weighted).collect(),
            rounded: report.rounded.iter().map(|r| (r.column.clone(), r.step.clone())).collect(),
            told: told.map(|t| [t.generalized, t.told, t.people, t.singled_out]),
            ranges: report.ranges,
            solver: outcome.solver.clone(),
            solve_cpu_seconds: None,
        }
    }

    /// CPU time of grouping a piece.
    pub(crate) fn spent(mut self, seconds: Option<f64>) -> Self {
        self.solve_cpu_seconds = seconds;
        self
    }

    /// Adds what came of another piece.
    pub fn absorb(&mut self, other: &Self) {
        if self.pieces == 0 {
            *self = other.clone();
            return;
        }
        self.pieces += other.pieces;
        self.rows += other.rows;
        self.withheld += other.withheld;
        self.people += other.people;
        self.withheld_people += other.withheld_people;
        self.loss += other.loss;
        self.whole += other.whole;
        self.columns.iter_mut().zip(&other.columns).for_each(|(own, other)| own.1 += other.1);
        self.told = self.told.zip(other.told).map(|(own, other)| std::array::from_fn(|i| own[i] + other[i]));
        self.solve_cpu_seconds = self.solve_cpu_seconds.zip(other.solve_cpu_seconds).map(|(a, b)| a + b);
        if self.solver != other.solver && !self.solver.split(", ").any(|own| own == other.solver) {
            self.solver = format!("{}, {}", self.solver, other.solver);
        }
    }

    /// What is lost, in units of which a cell of weight 1 has 2³².
    pub fn loss(&self) -> u128 {
        self.loss
    }

    /// The loss per cell, 0 to 1.
    pub fn average_loss(&self) -> f64 {
        self.loss as f64 / self.whole.max(1) as f64
    }

    /// Refuses a release unless the verifier says that it is safe and has all rows of the pieces.
    pub fn refuse_unsafe(&self, verdict: &Verdict) -> Result<(), Error> {
        refuse_unsafe(verdict, (self.rows - self.withheld) as usize)
    }

    /// What the user of the release should be warned of.
    pub fn notes(&self, policy: &Policy, verdict: &Verdict) -> Vec<Hint> {
        warnings_of_verdict(policy, verdict)
    }

    /// The report on all pieces, of which the verifier has said this. There is no bound: the bounds of pieces do not
    /// add up to one for the table.
    pub fn report(&self, policy: &Policy, verdict: &Verdict) -> AnonymizeReport {
        let people = self.people.max(1) as f64;
        let told = self.told.map(|[generalized, told, people, singled_out]| Told {
            generalized,
            told,
            people,
            singled_out,
        });
        let column =
            |(column, loss): &(String, f64)| ColumnLoss { column: column.clone(), loss: loss / people };
        let step =
            |(column, step): &(String, String)| RoundedColumn { column: column.clone(), step: step.clone() };
        let released = (self.people - self.withheld_people) as f64;
        AnonymizeReport {
            rows: self.rows as usize,
            released: (self.rows - self.withheld) as usize,
            withheld: self.withheld as usize,
            k: policy.k,
            unit: policy.unit(),
            groups: verdict.groups,
            smallest_group: verdict.smallest,
            largest_group: verdict.largest,
            discernibility: verdict.alike + u128::from(self.withheld_people) * u128::from(self.people),
            average_class_size: released / verdict.groups.max(1) as f64 / policy.k as f64,
            objective: policy.objective,
            loss: self.loss as f64 / ONE as f64,
            average_loss: self.average_loss(),
            sse_percent: None,
            bound: None,
            gap: None,
            bound_kind: "none",
            bound_for: None,
            solver: self.solver.clone(),
            remark: None,
            overlay: None,
            pieces: Some(self.pieces),
            seconds: Seconds::default(),
            solve_cpu_seconds: self.solve_cpu_seconds,
            columns: self.columns.iter().map(column).collect(),
            unique_on_unchanged: verdict.unique_as_kept,
            rounded: self.rounded.iter().map(step).collect(),
            values_told: told.map(|told| told.share_told()),
            singled_out: told.map(|told| told.share_singled_out()),
            models: ModelReport::list(verdict),
            reached: ReachedReport::list(verdict),
            optimal: self.loss == 0 && policy.objective == Objective::Ncp,
            checked: false,
            why: None,
            ranges: self.ranges && policy.form == Form::Ranges,
            notes: Vec::new(),
        }
    }
}
