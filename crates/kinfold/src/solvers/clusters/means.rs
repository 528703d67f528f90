//! Rows as points with coordinates, for squared errors: floating point is for the search only, the judge adds
//! up exactly.

use kinfold_model::metric::Axis;
use kinfold_model::{ONE, Problem};
use rayon::prelude::*;

/// The scaled coordinates of every row.
pub(super) struct Points {
    pub(super) columns: usize,
    at: Vec<f64>,
}

impl Points {
    /// Columns in which all rows are alike are left out.
    pub(super) fn new(problem: &Problem) -> Self {
        let axes: Vec<(usize, &[i64])> = (problem.clusters().metric.axes.iter())
            .filter_map(|axis| match axis {
                Axis::Line { column, at, .. } if at.first() != at.last() => Some((*column, at.as_slice())),
                _ => None,
            })
            .collect();
        let mut coordinates = Vec::with_capacity(problem.rows() * axes.len());
        for row in 0..problem.rows() as u32 {
            let codes = problem.codes(problem.record_of(row));
            let place =
                |&(column, at): &(usize, &[i64])| at.get(codes[column] as usize).copied().unwrap_or(0);
            coordinates.extend(axes.iter().map(|axis| place(axis) as f64 / ONE as f64));
        }
        let mut points = Self { columns: axes.len(), at: coordinates };
        points.centre();
        points
    }

    /// Around the mean of all, sums lose no digits.
    fn centre(&mut self) {
        let rows = self.rows();
        for column in 0..self.columns {
            let mean =
                (0..rows).map(|row| self.at[row * self.columns + column]).sum::<f64>() / rows.max(1) as f64;
            (0..rows).for_each(|row| self.at[row * self.columns + column] -= mean);
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.at.len().checked_div(self.columns).unwrap_or(0)
    }

    #[inline]
    pub(super) fn of(&self, row: u32) -> &[f64] {
        &self.at[row as usize * self.columns..][..self.columns]
    }

    /// For every row the nearest others, nearest first.
    pub(super) fn neighbours(&self, many: usize) -> Vec<Vec<u32>> {
        let rows = self.rows() as u32;
        (0..rows)
            .into_par_iter()
            .map(|row| {
                let here = self.of(row);
                let mut others: Vec<(f64, u32)> = (0..rows)
                    .filter(|&other| other != row)
                    .map(|other| (square(here, self.of(other)), other))
                    .collect();
                let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
                if others.len() > many {
                    others.select_nth_unstable_by(many - 1, order);
                    others.truncate(many);
                }
                others.sort_unstable_by(order);
                others.into_iter().map(|(_, other)| other).collect()
            })
            .collect()
    }
}

/// The squared distance.
#[inline]
pub(super) fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
