//! What came of a table, in figures that add up exactly over its pieces: they are on one scale. A table as a whole is
//! one piece. All reports are made here.

use crate::anonymized::refuse_unsafe;
use crate::error::Error;
use crate::prepared::Prepared;
use crate::report::{
    AnonymizeReport, ColumnLoss, Lost, ModelReport, PublishedLevel, ReachedReport, RoundedColumn, Seconds,
};
use crate::solve::Outcome;
use crate::warning::warnings_of_verdict;
use kinfold_model::call::Call;
use kinfold_model::cost::Rule;
use kinfold_model::encode::{Coding, encode_with};
use kinfold_model::judge::{Bound, Solution};
use kinfold_model::kind::Kind;
use kinfold_model::recoding::Recoding;
use kinfold_model::told::Told;
use kinfold_model::{Form, Hint, ONE, Objective, Policy, Verdict};
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
    columns: Vec<ColumnFigures>,
    rounded: Vec<(String, String)>,
    told: Option<[u64; 4]>,
    ordered: bool,
    solver: String,
    solve_cpu_seconds: Option<f64>,
    #[serde(skip)]
    alone: Option<Alone>,
}

/// What a column loses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ColumnFigures {
    name: String,
    /// What people who are released lose in it, and what a cell can lose, in units.
    #[serde(with = "kinfold_model::value::decimal_text")]
    lost: u128,
    full: u64,
}

/// What is known only of a table in one piece: bounds of pieces do not add up to one for the table.
#[derive(Debug, Clone, PartialEq)]
struct Alone {
    lost: Lost,
    remark: Option<String>,
    why: Option<String>,
    levels: Vec<PublishedLevel>,
    /// The loss per cell if groups were published by tight bounds, where they are not.
    tight: Option<f64>,
}

/// The levels that were chosen: of every column under global recoding, else of those whose level was left open.
pub(crate) fn chosen_levels(prepared: &Prepared, solution: &Solution) -> Vec<PublishedLevel> {
    let Prepared { table, encoded, policy, .. } = prepared;
    let level = |(number, (coding, rule)): (usize, (&Coding, &Rule))| {
        let column = table.columns()[coding.column].name();
        let (_, quasi) = policy.quasi().find(|(said, _)| said.name == column)?;
        // A problem knows no levels below the finest.
        let finest = quasi.range.finest;
        let level = match solution.levels() {
            Some(levels) => finest + levels[number] as usize,
            None => quasi.range.fixed().filter(|_| quasi.range.auto)?,
        };
        let last = finest + rule.levels() - 1;
        let name = quasi.kind.as_ref().unwrap_or(&Kind::Category).level_name(level);
        let name = if level == last { Some("*".to_owned()) } else { name };
        Some(PublishedLevel { column: column.to_owned(), level: level as u32, last: last as u32, name })
    };
    encoded.codings.iter().zip(encoded.problem.rules()).enumerate().filter_map(level).collect()
}

/// Under global recoding, what the same groups lose per cell by ranges and sets of their values.
pub(crate) fn tight_loss(prepared: &Prepared, solution: &Solution) -> Option<f64> {
    let Prepared { table, policy, .. } = prepared;
    solution.levels()?;
    let values = encode_with(table, &policy.by_values(), None, &Call::new()).ok()?;
    Some(solution.average_loss_under(&values.problem))
}

impl Figures {
    /// Of one piece. What its cells tell is measured by about so many groups. `k_alone`: its bound does not take into
    /// account all that groups must fulfil. `solve_cpu_seconds`: CPU time of grouping it.
    pub(crate) fn of(
        prepared: &Prepared,
        outcome: &Outcome,
        groups: usize,
        k_alone: bool,
        solve_cpu_seconds: Option<f64>,
    ) -> Self {
        let Prepared { table, encoded, policy, .. } = prepared;
        let (solution, problem) = (&outcome.solution, &encoded.problem);
        let name = |coding: &Coding| table.columns()[coding.column].name().to_owned();
        let by_cell = Objective::BY_CELL.contains(&policy.objective);
        let lost = if by_cell { solution.lost_by_column(problem) } else { Vec::new() };
        let columns = encoded.codings.iter().zip(problem.rules()).zip(lost);
        let told = Told::of(problem, solution, groups);
        let rounded = |coding: &Coding| Some((name(coding), coding.grid()?.step.to_string()));
        let lost = Lost::new(problem, solution, k_alone);
        let levels = chosen_levels(prepared, solution);
        let alone = Alone {
            lost,
            remark: outcome.remark.clone(),
            why: outcome.why.clone(),
            levels,
            tight: tight_loss(prepared, solution),
        };
        Self {
            pieces: 1,
            rows: problem.rows() as u64,
            withheld: solution.withheld() as u64,
            people: problem.people(),
            withheld_people: solution.withheld_people(problem),
            loss: u128::from(solution.loss(problem).0),
            whole: solution.whole(problem),
            columns: columns
                .map(|((coding, rule), lost)| ColumnFigures {
                    name: name(coding),
                    lost,
                    full: rule.full() + rule.floor(),
                })
                .collect(),
            rounded: encoded.codings.iter().filter_map(rounded).collect(),
            told: told.map(|t| [t.generalized, t.told, t.people, t.singled_out]),
            ordered: encoded.codings.iter().any(|coding| coding.kind.ordered()),
            solver: outcome.solver.clone(),
            solve_cpu_seconds,
            alone: Some(alone),
        }
    }

    /// Adds what came of another piece.
    pub fn absorb(&mut self, other: &Self) {
        if self.pieces == 0 {
            *self = Self { alone: None, ..other.clone() };
            return;
        }
        self.pieces += other.pieces;
        self.rows += other.rows;
        self.withheld += other.withheld;
        self.people += other.people;
        self.withheld_people += other.withheld_people;
        self.loss += other.loss;
        self.whole += other.whole;
        self.columns.iter_mut().zip(&other.columns).for_each(|(own, other)| own.lost += other.lost);
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

    /// The report on all pieces, of which the verifier has said this.
    pub fn report(&self, policy: &Policy, verdict: &Verdict) -> AnonymizeReport {
        let (people, withheld) = (self.people.max(1) as f64, self.withheld_people as f64);
        let told = self.told.map(|[generalized, told, people, singled_out]| Told {
            generalized,
            told,
            people,
            singled_out,
        });
        let column = |ColumnFigures { name, lost, full }: &ColumnFigures| ColumnLoss {
            column: name.clone(),
            loss: (*lost as f64 / (*full).max(1) as f64 + withheld) / people,
        };
        let step =
            |(column, step): &(String, String)| RoundedColumn { column: column.clone(), step: step.clone() };
        let released = (self.people - self.withheld_people) as f64;
        let alone = self.alone.as_ref();
        let lost = alone.map(|alone| &alone.lost);
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
            levels: alone.map_or_else(Vec::new, |alone| alone.levels.clone()),
            loss_by_level: (policy.recoding == Recoding::Global).then(|| self.average_loss()),
            loss_by_tight_bounds: alone.and_then(|alone| alone.tight),
            sse_percent: (policy.objective == Objective::Sse).then_some(100.0 * self.average_loss()),
            bound: lost.and_then(|lost| lost.bound),
            gap: lost.and_then(|lost| lost.gap),
            bound_kind: lost.map_or(Bound::None.word(), |lost| lost.bound_kind),
            bound_for: lost.and_then(|lost| lost.bound_for),
            solver: self.solver.clone(),
            remark: alone.and_then(|alone| alone.remark.clone()),
            overlay: None,
            pieces: alone.is_none().then_some(self.pieces),
            seconds: Seconds::default(),
            solve_cpu_seconds: self.solve_cpu_seconds,
            columns: self.columns.iter().map(column).collect(),
            unique_on_unchanged: verdict.unique_as_kept,
            rounded: self.rounded.iter().map(step).collect(),
            values_told: told.map(|told| told.share_told()),
            singled_out: told.map(|told| told.share_singled_out()),
            models: ModelReport::list(verdict),
            reached: ReachedReport::list(verdict),
            optimal: lost.map_or(self.loss == 0 && policy.objective == Objective::Ncp, |lost| lost.optimal),
            why: alone.and_then(|alone| alone.why.clone()),
            ranges: self.ordered && policy.form == Form::Ranges,
            notes: Vec::new(),
        }
    }
}
