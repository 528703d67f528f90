//! How a tally keeps a requirement up to date. Closeness, likeness and disclosure are sums over the cells
//! of a group that occur in it: a cell is a value, or a node of the tree. At a given group size, one more
//! or fewer in a cell changes one term of the sum.

use super::closeness::Apart;
use super::histogram::Histogram;
use super::likeness::Limit;
use super::protected::Column;
use super::{Decimal, Distance, Requirement};
use crate::members::Members;

/// What a tally needs to keep up one requirement.
#[derive(Debug, Clone)]
pub(super) enum Running {
    /// The counts that every tally has are enough.
    Counts,
    /// ln l of entropy.
    Entropy { ln_l: f64 },
    /// A sum over cells.
    Sum(Sum),
}

/// A sum over cells of one protected column.
#[derive(Debug, Clone)]
pub(super) struct Sum {
    pub column: usize,
    whole: u64,
    /// The nodes over each value; `None`: the cells are the values.
    paths: Option<Members>,
    term: Term,
}

#[derive(Debug, Clone)]
enum Term {
    /// weight·(|c·N − T·n| − T·n): what a cell adds to the distance, beyond what it adds when absent.
    Apart { cells: Vec<Cell>, absent: u128, scale: u128, t: Decimal },
    /// 1 for every value whose count is not allowed. So many values must occur.
    Limits { limits: Vec<Limit>, values: usize },
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    total: u64,
    weight: u32,
}

impl Running {
    /// For a requirement that was checked against these columns.
    pub(crate) fn new(requirement: &Requirement, columns: &[Column], whole: u64) -> Self {
        let sum = |column: usize, paths, term| Self::Sum(Sum { column, whole, paths, term });
        let limits = |column: usize, limit: &dyn Fn(u32) -> Limit, values: usize| {
            let limits = (0..columns[column].totals.len() as u32).map(limit).collect();
            sum(column, None, Term::Limits { limits, values })
        };
        match *requirement {
            Requirement::Entropy { l, .. } => Self::Entropy { ln_l: l.to_f64().ln() },
            Requirement::Close { column, t, distance: Distance::Equal } => {
                let cells = columns[column].totals.iter().map(|&total| Cell { total, weight: 1 }).collect();
                sum(column, None, Term::apart(cells, 2, t))
            }
            Requirement::Close { column, t, distance: Distance::Tree } => {
                let Some(shape) = &columns[column].shape else { return Self::Counts };
                // Moving a unit past a node costs half of the rise from it to the next: up and down again.
                let mut cells = vec![Cell::default(); shape.nodes() as usize];
                let totals = &columns[column].totals;
                let nodes = (0..totals.len() as u32).flat_map(|v| shape.path(v).map(move |node| (node, v)));
                for (node, value) in nodes.clone() {
                    cells[node as usize].total += totals[value as usize];
                    cells[node as usize].weight = shape.rise(node);
                }
                let paths = Members::new(totals.len(), nodes);
                sum(column, Some(paths), Term::apart(cells, 2 * u128::from(shape.height()), t))
            }
            Requirement::Likeness { column, beta, enhanced } => {
                let limit = |value| Limit::likeness(&columns[column], value, whole, beta, enhanced);
                limits(column, &limit, 0)
            }
            Requirement::Disclosure { column, delta } => {
                let limit = |value| Limit::disclosure(&columns[column], value, delta);
                limits(column, &limit, columns[column].totals.len())
            }
            _ => Self::Counts,
        }
    }
}

impl Term {
    fn apart(cells: Vec<Cell>, scale: u128, t: Decimal) -> Self {
        let absent = cells.iter().map(|cell| u128::from(cell.weight) * u128::from(cell.total)).sum();
        Self::Apart { cells, absent, scale, t }
    }
}

impl Sum {
    /// A histogram of its cells, if they are not the values.
    pub(crate) fn cells(&self) -> Option<Histogram> {
        let Term::Apart { cells, .. } = &self.term else { return None };
        self.paths.as_ref().map(|_| Histogram::new(cells.len()))
    }

    /// The nodes over a value; none where the cells are the values.
    pub(crate) fn path(&self, value: u32) -> &[u32] {
        self.paths.as_ref().map_or(&[], |paths| paths.of(value))
    }

    /// What a cell with this count adds in a group of so many people; nothing if the count is 0.
    pub(crate) fn term(&self, cell: u32, count: u64, people: u64) -> i128 {
        match &self.term {
            Term::Apart { cells, .. } => {
                let Cell { total, weight } = cells[cell as usize];
                let count = i128::from(count) * i128::from(self.whole);
                let expected = i128::from(total) * i128::from(people);
                i128::from(weight) * ((count - expected).abs() - expected)
            }
            Term::Limits { limits, .. } => {
                i128::from(count > 0 && !limits[cell as usize].allows(count, people, self.whole))
            }
        }
    }

    pub(crate) fn over(&self, cells: &Histogram, people: u64) -> i128 {
        let mut sum = 0;
        cells.for_each(|cell, count| sum += self.term(cell, count, people));
        sum
    }

    /// Whether a group of so many people, with so many values, fulfils the requirement if this is its sum.
    pub(crate) fn fulfilled(&self, sum: i128, people: u64, values: usize) -> bool {
        match &self.term {
            Term::Apart { t, .. } => self.apart(sum, people).is_some_and(|apart| apart.at_most(*t)),
            Term::Limits { values: all, .. } => sum == 0 && values >= *all,
        }
    }

    /// How far a group of so many people is from the table if this is its sum, where distances are summed.
    fn apart(&self, sum: i128, people: u64) -> Option<Apart> {
        let Term::Apart { absent, scale, .. } = &self.term else { return None };
        let people = u128::from(people);
        // Sizes are bounded, so the product fits; the whole is a sum of magnitudes.
        let distance = (sum + (absent * people) as i128).unsigned_abs();
        Some(Apart { distance, scale: scale * people * u128::from(self.whole) })
    }

    /// The same of a group with these counts of its values.
    pub(crate) fn apart_of(&self, counts: &[(u32, u64)], people: u64) -> Option<Apart> {
        let sum = match self.cells() {
            None => counts.iter().map(|&(value, count)| self.term(value, count, people)).sum(),
            Some(mut nodes) => {
                nodes.extend(self.nodes(counts.iter().copied()));
                self.over(&nodes, people)
            }
        };
        self.apart(sum, people)
    }

    /// The nodes over values, each with the people who have the value.
    pub(crate) fn nodes(&self, counts: impl Iterator<Item = (u32, u64)>) -> impl Iterator<Item = (u32, u64)> {
        counts.flat_map(|(value, count)| self.path(value).iter().map(move |&node| (node, count)))
    }
}
