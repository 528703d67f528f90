//! The sorted order of paper *optimize*, section 2.3: rows that stand close together are likely
//! alike, and columns of small variance are compared first, for they lose most when they are mixed.

use crate::{Run, Setting};
use kinfold_model::{ONE, Problem};

/// The setting of solvers that begin with sorted records.
pub const ORDER: Setting = Setting {
    key: "order",
    values: &["codes", "values"],
    about: "sort columns by the variance of their codes, or of their values as the paper does",
};

/// Columns in ascending order of variance over weight² (equation 36).
/// Of codes, which number the values of a column in order, as section 2.5 suggests for categories: units do not
/// matter. Or of values, as in the paper: labels and the leaves of a hierarchy are numbered, and so is a missing
/// value, after all others.
fn columns_by_variance(problem: &Problem, of_values: bool) -> Vec<usize> {
    let people = problem.people() as f64;
    let mut spread: Vec<(f64, usize)> = problem
        .rules()
        .iter()
        .enumerate()
        .map(|(column, rule)| {
            let (mut sum, mut squares) = (0.0, 0.0);
            for record in 0..problem.records() as u32 {
                let code = problem.codes(record)[column];
                let value = if of_values { rule.offset(code) } else { f64::from(code) };
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
    sorted_records_by(problem, false)
}

/// The same in the order that the solver's setting [`ORDER`] asks for.
pub fn sorted_records_as_set(problem: &Problem, run: &Run) -> Vec<u32> {
    let values = run.settings.get(ORDER.key).is_some_and(|order| order == "values");
    sorted_records_by(problem, values)
}

fn sorted_records_by(problem: &Problem, of_values: bool) -> Vec<u32> {
    let columns = columns_by_variance(problem, of_values);
    let mut records: Vec<u32> = (0..problem.records() as u32).collect();
    records.sort_unstable_by(|&a, &b| {
        let (a, b) = (problem.codes(a), problem.codes(b));
        columns.iter().map(|&c| a[c]).cmp(columns.iter().map(|&c| b[c]))
    });
    records
}
