//! The master problem of column generation: the dearest prices that a list of groups allows.
//!
//! Maximise what everybody is worth such that no listed group is worth more than its cost and the price per
//! group, each price within a box around a centre. The box keeps prices from running away while the list is
//! short (Marsten, Hogan, Blankenship: the boxstep method, 1975). An interior point is just right here:
//! prices in the middle of the best face oscillate less than those in its corners. The solver is not trusted:
//! its prices are rounded to whole units and repaired by exact search.

use super::boxes::Space;
use super::cuts::most_pairs;
use super::price::Members;
use super::tariff::people_in;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
};
use kinfold_model::{Cut, ONE, Prices};
use std::collections::BTreeSet;

/// A cut at this price or less, in cells, might as well not be there.
const FREE: f64 = 1e-6;

/// With so many groups the program is solved roughly: search for what is missing comes next, and steps are
/// small anyway.
const MANY: usize = 20_000;
const ROUGH: f64 = 1e-6;

/// A group with what it costs.
#[derive(Debug, Clone)]
pub struct Column {
    /// Who is in it.
    pub members: Members,
    /// What it costs.
    pub cost: u64,
}

impl Column {
    pub(crate) fn new(space: &Space<'_>, members: Members) -> Self {
        let cost = space.group_cost(&members);
        Self { members, cost }
    }

    /// Whether so many people of every record have all who are in it.
    pub(crate) fn fits(&self, people: &[u64]) -> bool {
        self.members.iter().all(|&(record, copies)| people[record as usize] >= copies)
    }

    /// Takes the group off these people, if it fits.
    pub(crate) fn take(&self, people: &mut [u64]) -> bool {
        let fits = self.fits(people);
        if fits {
            self.members.iter().for_each(|&(record, copies)| people[record as usize] -= copies);
        }
        fits
    }

    /// What the group costs beyond what it is worth and the price per group; negative if it is worth too
    /// much.
    pub fn slack(&self, prices: &Prices) -> i64 {
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
    /// Prices in whole units, those of groups and pairs rounded up, the others down; cuts without a price are
    /// left out.
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
    /// What else a choice of groups must keep to.
    pub(crate) cuts: &'a [Cut],
}

/// The best prices for these groups. `None` if the solver fails: the caller has better ones already.
pub(crate) fn solve(
    space: &Space<'_>,
    demand: &Demand<'_>,
    columns: &[&Column],
    within: Option<&Within<'_>>,
) -> Option<Answer> {
    let problem = space.problem;
    // One unknown per record that has people, the price per group, and one per cut.
    let there: Vec<usize> = (0..demand.people.len()).filter(|&r| demand.people[r] > 0).collect();
    let mut place = vec![usize::MAX; demand.people.len()];
    there.iter().enumerate().for_each(|(at, &record)| place[record] = at);
    let per_group = there.len();
    let unknowns = per_group + 1 + demand.cuts.len();
    let unit = ONE as f64;
    let mut goal: Vec<f64> = there.iter().map(|&record| -(demand.people[record] as f64)).collect();
    goal.push(demand.groups as f64);
    goal.extend(demand.cuts.iter().map(|cut| most_pairs(cut, demand.people) as f64));
    let mut cuts_of: Vec<Vec<usize>> = vec![Vec::new(); demand.people.len()];
    for (number, cut) in demand.cuts.iter().enumerate() {
        cut.records.iter().for_each(|&record| cuts_of[record as usize].push(number));
    }
    let mut rows = Rows::default();
    for column in columns {
        let people = column.members.iter().map(|&(r, copies)| (place[r as usize], copies as f64));
        let cuts: BTreeSet<usize> =
            column.members.iter().flat_map(|&(r, _)| cuts_of[r as usize].iter().copied()).collect();
        let pairs = cuts.into_iter().map(|cut| (cut, people_in(&demand.cuts[cut], &column.members) / 2));
        let pairs = pairs.filter(|&(_, pairs)| pairs > 0);
        let pairs = pairs.map(|(cut, pairs)| (per_group + 1 + cut, -(pairs as f64)));
        rows.add(people.chain([(per_group, -1.0)]).chain(pairs), column.cost as f64 / unit);
    }
    (per_group..unknowns).for_each(|unknown| rows.add([(unknown, -1.0)], 0.0));
    let row = problem.withheld_cost() as f64 / unit;
    let most = super::MOST_ROWS as f64 * row;
    for (at, &record) in there.iter().enumerate() {
        let (mut low, mut high) = (-most, if problem.may_withhold() > 0 { row } else { most });
        if let Some(within) = within {
            let centre = within.centre.of_record[record] as f64 / unit;
            (low, high) = (low.max(centre - within.radius), high.min(centre + within.radius));
        }
        rows.add([(at, 1.0)], high);
        rows.add([(at, -1.0)], -low);
    }
    let matrix = CscMatrix::new_from_triplets(rows.limits.len(), unknowns, rows.at, rows.of, rows.values);
    let mut settings = DefaultSettings { verbose: false, max_threads: 1, ..DefaultSettings::default() };
    if columns.len() > MANY {
        (settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas) = (ROUGH, ROUGH, ROUGH);
    }
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
    let mut of_record = vec![0; demand.people.len()];
    for (&record, price) in there.iter().zip(x) {
        of_record[record] = (price * unit).floor().clamp(-limit, limit) as i64;
    }
    let up = |p: f64| (p * unit).ceil().clamp(0.0, limit) as u64;
    let priced = demand.cuts.iter().zip(&x[per_group + 1..]).filter(|&(_, &price)| price > FREE);
    let cuts = priced.map(|(cut, &price)| Cut { records: cut.records.clone(), price: up(price) }).collect();
    let per_group = up(x[per_group]);
    let shares = solver.solution.z[..columns.len()].to_vec();
    Some(Answer { prices: Prices { of_record, per_group, cuts }, shares })
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
