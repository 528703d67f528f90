//! The sorted order of paper *optimize*, section 2.3: rows that stand close together are likely
//! alike, and columns of small variance are compared first, for they lose most when they are mixed.

use kinfold_model::cost::ONE;
use kinfold_model::problem::Problem;

/// Columns in ascending order of variance of their codes over weight² (equation 36). Codes number
/// the values of a column in order, as section 2.5 suggests for categories, so units do not matter.
pub(crate) fn columns_by_variance(problem: &Problem) -> Vec<usize> {
    let people = problem.people() as f64;
    let mut spread: Vec<(f64, usize)> = problem
        .rules()
        .iter()
        .enumerate()
        .map(|(column, rule)| {
            let (mut sum, mut squares) = (0.0, 0.0);
            for record in 0..problem.records() as u32 {
                let code = f64::from(problem.codes(record)[column]);
                let size = problem.record_size(record) as f64;
                sum += size * code;
                squares += size * code * code;
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
    let columns = columns_by_variance(problem);
    let mut records: Vec<u32> = (0..problem.records() as u32).collect();
    records.sort_unstable_by(|&a, &b| {
        let (a, b) = (problem.codes(a), problem.codes(b));
        columns.iter().map(|&c| a[c].cmp(&b[c])).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    records
}
