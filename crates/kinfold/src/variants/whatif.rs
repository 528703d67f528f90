//! What would other settings cost? The same table under variants of a policy, measured by one yardstick.
//!
//! The yardstick is the policy's own: loss per cell over all its quasi-identifiers, by its weights. A column
//! that a variant drops counts as lost, and a variant that weighs a column less is still measured by the full
//! weight. So all figures can be compared. Groups are found at the effort of the options.

use super::{Setting, Tried, Way, each, ks};
use crate::report::{ColumnLoss, Variant, WhatIfReport};
use crate::{Choice, Error, Options, Prepared, Stopwatch};
use kinfold_model::policy::Quasi;
use kinfold_model::recoding::Recoding;
use kinfold_model::{Objective, Policy, Problem, Role, Table};
use std::time::Duration;

/// The shares of people that may be withheld.
const SHARES: [f64; 3] = [0.0, 0.02, 0.05];

/// Tries other ks, every quasi-identifier dropped, at half its weight or a level coarser or finer, other
/// shares to withhold, and the other recoding. What the time limit leaves no time for is not tried.
pub fn whatif(table: &Table, policy: &Policy, options: &Options) -> Result<WhatIfReport, Error> {
    if !Objective::BY_CELL.contains(&policy.objective) {
        let what = format!("objective {} has no loss per cell to compare", policy.objective.word());
        return Err(Error::unsuitable(what, "use objective ncp or stars"));
    }
    let with = |kind: &'static str, name: String, change: &dyn Fn(&mut Policy)| {
        let mut variant = policy.clone();
        change(&mut variant);
        Setting { kind, name, policy: variant }
    };
    let mut settings = vec![with("policy", "as it is".to_owned(), &|_| ())];
    settings.extend(ks::FEW.into_iter().filter(|&k| k != policy.k).map(|k| Setting::k(policy, k)));
    for share in SHARES.into_iter().filter(|&share| share != policy.withhold) {
        settings.push(with("withhold", format!("withhold {} %", share * 100.0), &|p| p.withhold = share));
    }
    let quasi: Vec<String> = policy.quasi().map(|(column, _)| column.name.clone()).collect();
    // A coordinate alone is no point.
    let single = |name: &&String| policy.point_of(name).is_none();
    for name in quasi.iter().filter(single).filter(|_| quasi.len() > 1) {
        let column = |p: &mut Policy, change: &dyn Fn(&mut Role)| {
            p.columns.iter_mut().filter(|c| c.name == *name).for_each(|c| change(&mut c.role));
        };
        let dropped = |p: &mut Policy| column(p, &|role| *role = Role::Drop);
        settings.push(with("drop", format!("without {name}"), &dropped));
        let halved = |role: &mut Role| {
            if let Role::Quasi(quasi) = role {
                quasi.weight /= 2.0;
            }
        };
        settings.push(with("weight", format!("half the weight of {name}"), &|p| column(p, &halved)));
    }
    settings.extend(other_levels(policy, &options.solver));
    let (rows, unit) = (table.rows(), policy.unit());
    let mut report = WhatIfReport { rows, unit, variants: Vec::new(), left_out: Vec::new(), not_tried: 0 };
    let base = Prepared::new(table, policy, options)?;
    let stopwatch = Stopwatch::start();
    for (n, setting) in settings.iter().enumerate() {
        // What is tried last has the time that is left.
        let spent = Duration::from_secs_f64(stopwatch.spent().wall);
        let left = options.time_limit.map(|limit| limit.saturating_sub(spent));
        if n > 0 && left.is_some_and(|left| left.is_zero()) {
            report.not_tried += 1;
            continue;
        }
        let options = &Options { time_limit: left, ..options.clone() };
        let Setting { kind, name, .. } = setting;
        each(&base, std::slice::from_ref(setting), &[Way::of(options)], options, |_, tried| {
            match tried {
                // Too large a k, or a model that the variant cannot fulfil, is an answer.
                Err(Error::Impossible(why)) if n > 0 => report.left_out.push(format!("{name}: {why}")),
                tried => {
                    let figures = tried?.measured(policy);
                    report.variants.push(Variant { kind, name: name.clone(), ..figures });
                }
            }
            Ok(())
        })?;
    }
    Ok(report)
}

/// Every column with levels a level coarser and finer, and the other recoding if there is one.
fn other_levels(policy: &Policy, solver: &Choice) -> Vec<Setting> {
    let mut settings = Vec::new();
    let laddered = |quasi: &Quasi| quasi.kind.as_ref().is_some_and(|kind| kind.levels() > 0);
    for (said, _) in policy.quasi().filter(|(_, quasi)| laddered(quasi)) {
        for (coarser, word) in [(true, "coarser"), (false, "finer")] {
            let name = format!("{} one level {word}", said.name);
            let next = policy.with_next_level(&said.name, coarser);
            settings.extend(next.map(|policy| Setting { kind: "level", name, policy }));
        }
    }
    let other = Recoding::ALL.iter().copied().find(|&recoding| recoding != policy.recoding);
    // A solver that is named is for one of them.
    let fits = |recoding: &Recoding| match solver {
        Choice::Auto => true,
        Choice::Named { solver, .. } => solver.card().recoding == *recoding,
    };
    if let Some(recoding) = other.filter(fits).filter(|_| policy.quasi().any(|(_, quasi)| laddered(quasi))) {
        let policy = Policy { recoding, ..policy.clone() };
        settings.push(Setting { kind: "recoding", name: format!("{} recoding", recoding.word()), policy });
    }
    settings
}

impl Tried<'_> {
    /// The figures of one variant, by the yardstick of the policy.
    fn measured(&self, policy: &Policy) -> Variant {
        let Prepared { table, encoded, .. } = self.prepared;
        let (problem, solution) = (&encoded.problem, &self.outcome.solution);
        let own = solution.loss_by_column(problem);
        let name = |rule: usize| table.columns()[encoded.codings[rule].column].name();
        let loss_of =
            |wanted: &str| (0..own.len()).find(|&rule| name(rule) == wanted).map_or(1.0, |rule| own[rule]);
        let columns: Vec<ColumnLoss> = policy
            .quasi()
            .map(|(c, _)| ColumnLoss { column: c.name.clone(), loss: loss_of(&c.name) })
            .collect();
        let weights: Vec<f64> = policy.quasi().map(|(_, quasi)| quasi.weight).collect();
        let lost: f64 = columns.iter().zip(&weights).map(|(column, weight)| column.loss * weight).sum();
        Variant {
            kind: "",
            name: String::new(),
            average_loss: lost / weights.iter().sum::<f64>(),
            columns,
            groups: solution.groups(),
            smallest_group: solution.smallest(),
            withheld: solution.withheld(),
            unique_before: unique_share(problem),
        }
    }
}

/// The share of people who are alone with their record before anything is done.
fn unique_share(problem: &Problem) -> f64 {
    let alone = (0..problem.records() as u32).filter(|&record| problem.record_size(record) == 1).count();
    alone as f64 / problem.people() as f64
}
