//! Clusters (paper *cluster*): a group is published as its centre, a record of the table, with its radius:
//! how far the centre is from the group's furthest row. `radius` is the largest of all radii (r-gather,
//! definition 2.1); `cellular` counts for every person the radius of its group, and for every group what
//! setting it up costs (definition 3.1). `sse` is the squared distance of everybody from the mean of the
//! group, over all columns (microaggregation). A withheld row costs nothing.

use super::{Cost, Objective};
use crate::metric::Axis;
use crate::problem::Problem;

/// Fraction bits of a coordinate whose square has 32.
const SHIFT: u32 = 16;

/// The centre of a group that is no record: the group's middle, as `Metric::middle` says.
pub const MIDDLE: u32 = u32::MAX;

/// How far a centre, a record or [`MIDDLE`], is from the furthest of these rows; `None` if they have no
/// middle.
pub fn radius(problem: &Problem, centre: u32, rows: &[u32]) -> Option<Cost> {
    let metric = &problem.clusters().metric;
    let (mut from, mut to) = (Vec::new(), Vec::new());
    if centre == MIDDLE {
        let records: Vec<&[u32]> = rows.iter().map(|&row| problem.codes(problem.record_of(row))).collect();
        from = metric.middle(&records)?;
    } else {
        metric.place(problem.codes(centre), &mut from);
    }
    let mut furthest = 0;
    for &row in rows {
        to.clear();
        metric.place(problem.codes(problem.record_of(row)), &mut to);
        furthest = furthest.max(metric.between(&from, &to));
    }
    Some(Cost(furthest))
}

/// What groups with these centres cost under `radius` or `cellular`; or the first group that has no middle
/// and should have one.
pub(crate) fn clusters_cost<'g>(
    problem: &Problem,
    groups: impl Iterator<Item = &'g [u32]>,
    centres: &[u32],
) -> Result<Cost, usize> {
    let mut cost = Cost::ZERO;
    for (group, (rows, &centre)) in groups.zip(centres).enumerate() {
        let radius = radius(problem, centre, rows).ok_or(group)?;
        match problem.objective() {
            Objective::Radius => cost = cost.max(radius),
            _ => cost += Cost(radius.0 * people(problem, rows)) + problem.setup_of(centre),
        }
    }
    Ok(cost)
}

fn people(problem: &Problem, rows: &[u32]) -> u64 {
    rows.iter().map(|&row| problem.row_size(row)).sum()
}

/// The squared error of a group: of everybody from the mean, in scaled units, column by column; what is below
/// a unit is cut off.
///
/// With m people at places q, the squares add up to Σq² − (Σq)²/m. Places have 32 fraction bits, of which 24
/// count here, so that the sums are exact.
pub fn sse(problem: &Problem, rows: &[u32]) -> Cost {
    let people = i128::from(people(problem, rows));
    let one = |axis: &Axis| {
        let Axis::Line { column, at, .. } = axis else { return 0 };
        let (mut sum, mut squares) = (0i128, 0i128);
        for &row in rows {
            let place = at.get(problem.codes(problem.record_of(row))[*column] as usize).copied().unwrap_or(0);
            let (place, size) = (i128::from(place >> 8), i128::from(problem.row_size(row)));
            sum += size * place;
            squares += size * place * place;
        }
        // Below 2^63 by the limits of `Problem::new`.
        ((people * squares - sum * sum) / (people.max(1) << SHIFT)) as u64
    };
    Cost(problem.clusters().metric.axes.iter().map(one).sum())
}
