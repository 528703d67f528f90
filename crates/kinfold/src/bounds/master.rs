//! The master problem of column generation: the dearest prices that a list of groups allows.
//!
//! Maximise what everybody is worth such that no listed group is worth more than its cost and the price per group,
//! each price within a box around a centre. The box keeps prices from running away while the list is short
//! (Marsten, Hogan, Blankenship: the boxstep method, 1975). An interior point is just right here: prices in the middle
//! of the best face oscillate less than those in its corners. The solver is not trusted: its prices are rounded to whole units
//! and repaired by exact search.

use super::boxes::Space;
use super::price::Members;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
};
use kinfold_model::certificate::Prices;
use kinfold_model::cost::ONE;

/// A group with what it costs.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) members: Members,
    pub(crate) cost: u64,
}

impl Column {
    pub(crate) fn new(space: &Space<'_>, members: Members) -> Self {
        let people: u64 = members.iter().map(|&(_, copies)| copies).sum();
        let cost = people * space.box_cost(members.iter().map(|&(record, _)| record));
        Self { members, cost }
    }

    /// What the group costs beyond what it is worth and the price per group; negative if it is worth too much.
    pub(crate) fn slack(&self, prices: &Prices) -> i64 {
        let worth: i64 = self.members.iter().map(|&(r, copies)| prices.of(r) * copies as i64).sum();
        self.cost as i64 + prices.per_group as i64 - worth
    }
}

/// The box in which prices are sought.
pub(crate) struct Within<'a> {
    pub(crate) centre: &'a Prices,
    pub(crate) radius: f64,
}

/// What the linear program says.
pub(crate) struct Answer {
    /// Prices, rounded down to whole units; the price per group rounded up.
    pub(crate) prices: Prices,
    /// How much of each group the best mixture of groups takes.
    pub(crate) shares: Vec<f64>,
}

/// Who must be grouped.
pub(crate) struct Demand<'a> {
    /// How many people of every record.
    pub(crate) people: &'a [u64],
    /// No more groups than this.
    pub(crate) groups: u64,
}

/// The best prices for these groups. `None` if the solver fails: the caller has better ones already.
pub(crate) fn solve(
    space: &Space<'_>,
    demand: &Demand<'_>,
    columns: &[&Column],
    within: Option<&Within<'_>>,
) -> Option<Answer> {
    let problem = space.problem;
    // One unknown per record, and the price per group.
    let records = space.records() as usize;
    let unknowns = records + 1;
    let unit = ONE as f64;
    let mut goal: Vec<f64> = demand.people.iter().map(|&people| -(people as f64)).collect();
    goal.push(demand.groups as f64);
    let mut rows = Rows::default();
    for column in columns {
        let terms = column.members.iter().map(|&(r, copies)| (r as usize, copies as f64));
        rows.add(terms.chain([(records, -1.0)]), column.cost as f64 / unit);
    }
    rows.add([(records, -1.0)], 0.0);
    let row = problem.withheld_cost() as f64 / unit;
    let most = super::MOST_ROWS as f64 * row;
    for record in 0..records {
        let (mut low, mut high) = (-most, if problem.may_withhold() > 0 { row } else { most });
        if let Some(within) = within {
            let centre = within.centre.of_record[record] as f64 / unit;
            (low, high) = (low.max(centre - within.radius), high.min(centre + within.radius));
        }
        rows.add([(record, 1.0)], high);
        rows.add([(record, -1.0)], -low);
    }
    let matrix = CscMatrix::new_from_triplets(rows.limits.len(), unknowns, rows.at, rows.of, rows.values);
    let settings = DefaultSettings { verbose: false, max_threads: 1, ..DefaultSettings::default() };
    let cones: [SupportedConeT<f64>; 1] = [NonnegativeConeT(rows.limits.len())];
    let nothing = CscMatrix::zeros((unknowns, unknowns));
    let mut solver = DefaultSolver::new(&nothing, &goal, &matrix, &rows.limits, &cones, settings).ok()?;
    solver.solve();
    let usable = [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
    let x = &solver.solution.x;
    if !usable.contains(&solver.solution.status) || x.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let limit = most * unit;
    let of_record = x[..records].iter().map(|&p| (p * unit).floor().clamp(-limit, limit) as i64).collect();
    let per_group = (x[records] * unit).ceil().clamp(0.0, limit) as u64;
    let shares = solver.solution.z[..columns.len()].to_vec();
    Some(Answer { prices: Prices { of_record, per_group }, shares })
}

/// Rows of a sparse matrix with their limits.
#[derive(Default)]
struct Rows {
    at: Vec<usize>,
    of: Vec<usize>,
    values: Vec<f64>,
    limits: Vec<f64>,
}

impl Rows {
    fn add(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, limit: f64) {
        for (unknown, value) in terms {
            self.at.push(self.limits.len());
            self.of.push(unknown);
            self.values.push(value);
        }
        self.limits.push(limit);
    }
}
