//! The sorted order of paper *optimize*, section 2.3: rows that stand close together are likely
//! alike, and columns of small variance are compared first, for they lose most when they are mixed.

use crate::run::Run;
use crate::solve::Setting;
use kinfold_model::cost::ONE;
use kinfold_model::problem::Problem;

/// The setting of solvers that begin with sorted records.
pub const ORDER: Setting = Setting {
    key: "order",
    values: &["codes", "values"],
    about: "sort columns by the variance of their codes, or of their values as the paper does",
};

/// What the variance of a column is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// Codes: they number the values of a column in order, as section 2.5 suggests for categories. Units do
    /// not matter.
    Codes,
    /// Values, as in the paper. Labels and the leaves of a hierarchy are numbered; so is a missing value,
    /// after all others.
    Values,
}

/// Columns in ascending order of variance over weight² (equation 36).
fn columns_by_variance(problem: &Problem, spread: Spread) -> Vec<usize> {
    let people = problem.people() as f64;
    let mut spread: Vec<(f64, usize)> = problem
        .rules()
        .iter()
        .enumerate()
        .map(|(column, rule)| {
            let (mut sum, mut squares) = (0.0, 0.0);
            for record in 0..problem.records() as u32 {
                let code = problem.codes(record)[column];
                let value = match spread {
                    Spread::Codes => f64::from(code),
                    Spread::Values => rule.offset(code),
                };
                let size = problem.record_size(record) as f64;
                sum += size * value;
                squares += size * value * value;
            }
            let weight = rule.full() as f64 / ONE as f64;
            ((squares / people - (sum / people).powi(2)) / weight.powi(2), column)
        })
        .collect();
    spread.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    spread.into_iter().map(|(_, column)| column).collect()
}

/// All records, sorted by their codes, columns of small variance first.
pub(crate) fn sorted_records(problem: &Problem) -> Vec<u32> {
    sorted_records_by(problem, Spread::Codes)
}

/// The same in the order that the solver's setting [`ORDER`] asks for.
pub fn sorted_records_as_set(problem: &Problem, run: &Run) -> Vec<u32> {
    let values = run.settings.get(ORDER.key).is_some_and(|order| order == "values");
    sorted_records_by(problem, if values { Spread::Values } else { Spread::Codes })
}

fn sorted_records_by(problem: &Problem, spread: Spread) -> Vec<u32> {
    let columns = columns_by_variance(problem, spread);
    let mut records: Vec<u32> = (0..problem.records() as u32).collect();
    records.sort_unstable_by(|&a, &b| {
        let (a, b) = (problem.codes(a), problem.codes(b));
        columns.iter().map(|&c| a[c].cmp(&b[c])).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    records
}
