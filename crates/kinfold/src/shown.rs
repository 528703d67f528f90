//! What a document that is meant for others may show. The summary and `--json` of a command are for whoever has the
//! table; a report, its JSON and the page's report are for those who have the release. One rule holds for them, and
//! this file keeps it:
//!
//! **What is shown follows from the release, the policy, the released rows and how many others there are.**
//!
//! - Nothing is worked out from rows that are withheld. A loss that is measured on the domain of the whole table
//!   tells how wide that is, and with it the outlier that was withheld. So every figure is worked out again from the
//!   released rows ([`Released`]), and what cannot be is left out: bounds, and losses by distance from a centre.
//! - What follows from exact values of released rows is rounded: two digits of a figure, multiples of k of a
//!   number of people.
//! - There is no hash of the original: whoever knows all of it but one cell could try the values of that cell.
//! - There are no running times: they depend on the table.

use crate::anonymized::Anonymized;
use crate::error::Error;
use crate::options::Options;
use crate::prepared::Prepared;
use crate::report::{
    AnonymizeReport, CertifyVerdict, ColumnLoss, Facts, PublishedLevel, RiskReport, Seconds, UtilityReport,
};
use crate::scale::tight_loss;
use crate::solve::SolveError;
use kinfold_model::cost::Objective;
use kinfold_model::grid::Step;
use kinfold_model::judge::{Found, judge};
use kinfold_model::policy::{Policy, Role, Rounding};
use kinfold_model::recoding::Recoding;
use kinfold_model::risk::{AtRisk, Subset};
use kinfold_model::table::Table;
use std::borrow::Cow;

/// The rows of a table that are released, as a table: the others might never have been.
pub(crate) struct Released<'a> {
    done: &'a Anonymized,
    pub table: Cow<'a, Table>,
    /// With what was learned of the columns, where the whole table is not there to learn it from again.
    pub policy: Cow<'a, Policy>,
    /// The row of `table` for every row of the release; with a line per group, the rows of each line.
    pub rows: Vec<u32>,
}

impl<'a> Released<'a> {
    pub fn of(done: &'a Anonymized) -> Self {
        let contents = &done.contents;
        let rows = contents.witness();
        if contents.withheld == 0 && contents.options.using.is_none() {
            let (table, policy) = (Cow::Borrowed(&contents.table), Cow::Borrowed(&contents.policy));
            return Self { done, table, policy, rows };
        }
        let mut kept = rows.clone();
        kept.sort_unstable();
        let mut place = vec![0; contents.table.rows()];
        (0..).zip(&kept).for_each(|(at, &row)| place[row as usize] = at);
        Self {
            done,
            table: Cow::Owned(contents.table.of_rows(&kept)),
            policy: Cow::Owned(as_learned(done)),
            rows: rows.iter().map(|&row| place[row as usize]).collect(),
        }
    }

    /// What came of it, with losses that the released rows alone explain. NaN, which JSON writes as null: not shown.
    pub fn report(&self) -> Result<AnonymizeReport, Error> {
        let mut report = self.done.report.clone();
        if let Cow::Borrowed(_) = self.table {
            return Ok(report);
        }
        (report.bound, report.gap, report.bound_kind, report.bound_for) = (None, None, "none", None);
        report.optimal = false;
        // Which solver found the groups may depend on rows that are withheld.
        (report.solver, report.why) = (self.done.contents.options.solver.to_string(), None);
        match report.objective {
            // People and cells are counted, whatever is in them.
            Objective::Stars | Objective::Columns | Objective::GroupSize => {}
            Objective::Ncp | Objective::Sse => self.measure(&mut report)?,
            Objective::Radius | Objective::Cellular => {
                (report.loss, report.average_loss) = (f64::NAN, f64::NAN);
            }
        }
        Ok(report)
    }

    /// Has the judge work out what the same groups lose in a table of these rows.
    fn measure(&self, report: &mut AnonymizeReport) -> Result<(), Error> {
        let Self { done, table, policy, rows } = self;
        let alone = Policy { withhold: 0.0, presence: None, ..unguarded(policy) };
        let options = Options { call: done.contents.options.call.clone(), ..Options::default() };
        let prepared = Prepared::new(table, &alone, &options)?;
        let mut group_of = vec![0; rows.len()];
        for (&row, &given) in rows.iter().zip(&done.contents.witness()) {
            group_of[row as usize] = done.groups()[given as usize];
        }
        let mut numbers: Vec<u32> = group_of.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let number = |&row: &u32| numbers.partition_point(|&group| group < group_of[row as usize]) as u32;
        let group_of = prepared.rows.iter().map(number).collect();
        let problem = &prepared.encoded.problem;
        let finest =
            |name: &str| alone.quasi().find(|(said, _)| said.name == name).map_or(0, |(_, q)| q.range.finest);
        let level = |chosen: &PublishedLevel| chosen.level - finest(&chosen.column) as u32;
        let found = match problem.recoding() {
            Recoding::Local => Found::plain(group_of),
            Recoding::Global => Found::on_levels(group_of, report.levels.iter().map(level).collect()),
        };
        let solution = judge(problem, found)
            .map_err(|broken| SolveError::Broken { solver: report.solver.clone(), broken })?;
        (report.loss, report.average_loss) = (solution.loss(problem).cells(), solution.average_loss(problem));
        report.loss_by_level = report.loss_by_level.map(|_| report.average_loss);
        report.loss_by_tight_bounds = tight_loss(&prepared, &solution);
        report.sse_percent = report.sse_percent.map(|_| 100.0 * report.average_loss);
        if !report.columns.is_empty() {
            let names = prepared.encoded.codings.iter().map(|c| prepared.table.columns()[c.column].name());
            let losses = names.zip(solution.loss_by_column(problem));
            report.columns =
                losses.map(|(name, loss)| ColumnLoss { column: name.to_owned(), loss }).collect();
        }
        Ok(())
    }
}

/// The policy with kinds and steps as they were learned of the whole table: the cells of the release show them.
fn as_learned(done: &Anonymized) -> Policy {
    let mut policy = Policy { blunt: false, ..done.policy().clone() };
    for column in &mut policy.columns {
        let Role::Quasi(quasi) = &mut column.role else { continue };
        let kind = done.contents.kinds.iter().find(|(name, _)| *name == column.name);
        quasi.kind = quasi.kind.take().or(kind.map(|(_, kind)| kind.clone()));
        let rounded = done.report.rounded.iter().find(|rounded| rounded.column == column.name);
        quasi.round = rounded.and_then(|rounded| Step::parse(&rounded.step)).map(Rounding::To);
    }
    policy
}

/// The policy without requirements besides k, which may be about the table as a whole.
fn unguarded(policy: &Policy) -> Policy {
    let mut policy = without_persons(policy);
    for column in &mut policy.columns {
        if let Role::Sensitive(protection) = &mut column.role {
            protection.models.clear();
        }
    }
    policy
}

/// The policy without whom rows are about.
pub(crate) fn without_persons(policy: &Policy) -> Policy {
    let mut policy = policy.clone();
    policy.columns.iter_mut().filter(|c| c.role == Role::Person).for_each(|c| c.role = Role::Drop);
    policy
}

impl Facts {
    /// The facts as they are shown. Those of anonymize are about [`Released`] rows already.
    pub(crate) fn shown(mut self) -> Self {
        let k = self.policy.k.max(2);
        if let Some(input) = &mut self.input {
            input.sha256 = None;
        }
        if let Some(report) = &mut self.anonymize {
            made(report);
            let columns = report.columns.clone();
            for column in &mut self.policy.columns {
                column.loss = columns.iter().find(|c| c.column == column.column).map(|c| c.loss);
                let chosen = report.levels.iter().find(|chosen| chosen.column == column.column);
                let called = chosen.map(|c| c.name.clone().unwrap_or_else(|| c.level.to_string()));
                column.level = called.or(column.level.take());
            }
        }
        if let Some(CertifyVerdict::Proven(proven)) = self.certify.as_mut().map(|c| &mut c.verdict) {
            (proven.seconds, proven.cpu_seconds) = (f64::NAN, None);
            let lost = &mut proven.lost;
            if proven.withheld > 0 {
                (lost.loss, lost.average_loss, lost.bound, lost.gap) = (f64::NAN, f64::NAN, None, None);
                proven.solver = None;
            }
            proof(&mut lost.loss, &mut lost.average_loss, &mut lost.bound, &mut lost.gap);
        }
        if let Some(before) = &mut self.before {
            of_original(before, k);
        }
        if let Some(after) = &mut self.after {
            about_original(after, k);
        }
        if let Some(utility) = &mut self.utility {
            let people = self.before.as_ref().map_or(utility.rows as u64, |before| before.people);
            useful(utility, people, k);
        }
        for point in &mut self.curve {
            (point.loss, point.average_loss) = (rough(point.loss), rough(point.average_loss));
        }
        self
    }
}

/// Two digits that mean something.
fn rough(figure: f64) -> f64 {
    to_digits(figure, f64::round)
}

fn to_digits(figure: f64, round: impl Fn(f64) -> f64) -> f64 {
    if figure == 0.0 || !figure.is_finite() {
        return figure;
    }
    // Written and read: 0.35, not what is left of it in binary after a division.
    let places = 1 - figure.abs().log10().floor() as i32;
    let digits = round(figure * 10f64.powi(places) * (1.0 + 1e-12));
    format!("{digits}e{}", -places).parse().unwrap_or(figure)
}

fn roughly<'a>(figures: impl IntoIterator<Item = &'a mut f64>) {
    figures.into_iter().for_each(|figure| *figure = rough(*figure));
}

/// Multiples of k.
fn about(people: u64, k: u64) -> u64 {
    people.saturating_add(k / 2) / k * k
}

fn proof(loss: &mut f64, average: &mut f64, bound: &mut Option<f64>, gap: &mut Option<f64>) {
    roughly([loss, average]);
    *bound = bound.map(|bound| to_digits(bound, f64::floor));
    *gap = gap.map(|gap| (gap * 100.0 - 1e-9).ceil().max(0.0) / 100.0);
}

fn made(report: &mut AnonymizeReport) {
    // Who is new and who is gone is counted over all rows.
    let earlier = report.overlay.iter_mut().flat_map(|overlay| &mut overlay.releases);
    earlier.filter(|_| report.withheld > 0).for_each(|earlier| (earlier.new, earlier.gone) = (None, None));
    (report.seconds, report.solve_cpu_seconds, report.remark) = (Seconds::default(), None, None);
    proof(&mut report.loss, &mut report.average_loss, &mut report.bound, &mut report.gap);
    roughly(report.columns.iter_mut().map(|column| &mut column.loss));
    let shares = [&mut report.sse_percent, &mut report.values_told, &mut report.singled_out];
    let losses = [&mut report.loss_by_level, &mut report.loss_by_tight_bounds];
    roughly(shares.into_iter().chain(losses).flatten());
}

/// The risk of the original, of which the reader has no rows.
fn of_original(risk: &mut RiskReport, k: u64) {
    risk.classes = about(risk.classes, k);
    risk.class_sizes.iter_mut().for_each(|size| size.classes = about(size.classes, k));
    risk.class_sizes.retain(|size| size.classes > 0);
    risk.sample_uniques = about(risk.sample_uniques, k);
    // What the groups of the original share is asked of the release.
    risk.attributes.clear();
    let prosecutor = &mut risk.prosecutor;
    roughly([&mut risk.average_class, &mut risk.sample_uniques_share, &mut risk.marketer]);
    roughly([&mut prosecutor.highest, &mut prosecutor.average, &mut prosecutor.lowest]);
    let above = |at: &mut AtRisk| (at.people, at.share) = (about(at.people, k), rough(at.share));
    prosecutor.above.iter_mut().for_each(above);
    if let Some(journalist) = &mut risk.journalist {
        roughly([&mut journalist.highest, &mut journalist.average, &mut journalist.k_map]);
        journalist.above.iter_mut().for_each(above);
    }
    for estimate in risk.population_uniques.iter_mut().flat_map(|uniques| &mut uniques.estimates) {
        roughly([&mut estimate.uniques, &mut estimate.share].into_iter().flatten());
    }
    let set = |set: &mut Subset| {
        roughly([&mut set.distinction, &mut set.unique]);
        set.separation = (set.separation * 1000.0).round() / 1000.0;
    };
    risk.telling_sets.iter_mut().chain(&mut risk.single_columns).chain(&mut risk.all_columns).for_each(set);
}

/// What the risk of a release says of the original. Where some of it is withheld, it says nothing.
fn about_original(risk: &mut RiskReport, k: u64) {
    let Some(linkage) = &mut risk.linkage else { return };
    if linkage.missing > 0 {
        (risk.linkage, risk.values_told, risk.singled_out) = (None, None, None);
        return;
    }
    roughly([&mut linkage.average].into_iter().chain(&mut risk.values_told).chain(&mut risk.singled_out));
    linkage.pinned = about(linkage.pinned, k);
}

fn useful(utility: &mut UtilityReport, people: u64, k: u64) {
    for column in &mut utility.columns {
        roughly([&mut column.distance, &mut column.starred].into_iter().chain(&mut column.earth_mover));
        for share in &mut column.before {
            *share = about((*share * people as f64).round() as u64, k) as f64 / people.max(1) as f64;
        }
        roughly(&mut column.after);
    }
    roughly(utility.pairs.iter_mut().flat_map(|pair| [&mut pair.before, &mut pair.after]));
    let queries = &mut utility.queries;
    roughly([&mut queries.median_error, &mut queries.high_error]);
    roughly([&mut queries.median_error_without_spreading, &mut queries.high_error_without_spreading]);
    if let Some(target) = &mut utility.target {
        roughly([&mut target.accuracy_before, &mut target.accuracy_after, &mut target.base_rate]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_two_digits_and_people_come_in_multiples_of_k() {
        let shown = [0.0, 0.012863, 0.35, 1.0, 111_222.0, -0.996].map(rough);
        assert_eq!(shown, [0.0, 0.013, 0.35, 1.0, 110_000.0, -1.0]);
        assert!(rough(f64::NAN).is_nan());
        assert_eq!(to_digits(8.7443, f64::floor), 8.7);
        assert_eq!(to_digits(0.29, f64::floor), 0.29);
        assert_eq!([0, 2, 3, 262].map(|people| about(people, 5)), [0, 0, 5, 260]);
    }
}
