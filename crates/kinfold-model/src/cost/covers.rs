//! What the groups of a solution are published as, worked out once: costs, reports and cells all start from it.

use super::{Cost, Cover, RuleKind};
use crate::problem::Problem;
use std::borrow::Cow;

/// The cover of every group in every column.
#[derive(Debug, Clone)]
pub(crate) struct Covers {
    columns: usize,
    /// Group by group, per column: the lowest and the highest code; of labels, where they start and end.
    ends: Vec<[u32; 2]>,
    /// The labels of all groups, per column.
    labels: Vec<Vec<u32>>,
    /// The level of every column, where that decides what groups are published as; empty where their rows do.
    levels: Vec<u32>,
}

impl Covers {
    /// Of these groups of rows; none is empty.
    pub fn of<'g>(problem: &Problem, groups: impl ExactSizeIterator<Item = &'g [u32]>) -> Self {
        let columns = problem.rules().len();
        let (mut ends, mut labels) = (Vec::with_capacity(groups.len() * columns), vec![Vec::new(); columns]);
        let mut distinct: Vec<u32> = Vec::new();
        for rows in groups {
            let codes = |row: &u32| problem.codes(problem.record_of(*row));
            let start = ends.len();
            ends.extend(codes(&rows[0]).iter().map(|&code| [code, code]));
            for row in &rows[1..] {
                for (ends, &code) in ends[start..].iter_mut().zip(codes(row)) {
                    *ends = [ends[0].min(code), ends[1].max(code)];
                }
            }
            for (column, rule) in problem.rules().iter().enumerate() {
                let ([low, high], labels) = (ends[start + column], &mut labels[column]);
                if !matches!(rule.kind(), RuleKind::Set { .. }) {
                    continue;
                }
                let first = labels.len() as u32;
                if low == high {
                    labels.push(low);
                } else {
                    distinct.clear();
                    distinct.extend(rows.iter().map(|row| codes(row)[column]));
                    distinct.sort_unstable();
                    distinct.dedup();
                    labels.extend(&distinct);
                }
                ends[start + column] = [first, labels.len() as u32];
            }
        }
        Self { columns, ends, labels, levels: Vec::new() }
    }

    /// Of these groups of rows, where each column is on one level and the rows of a group agree on it.
    pub(crate) fn of_levels<'g>(
        problem: &Problem,
        groups: impl ExactSizeIterator<Item = &'g [u32]>,
        levels: &[u32],
    ) -> Self {
        let codes = |rows: &[u32]| problem.codes(problem.record_of(rows[0])).iter();
        let ends = groups.flat_map(|rows| codes(rows).map(|&code| [code, code])).collect();
        Self { columns: problem.rules().len(), ends, labels: Vec::new(), levels: levels.to_vec() }
    }

    /// What a group is published as in a column.
    pub fn get(&self, problem: &Problem, group: usize, column: usize) -> Cover<'_> {
        let [low, high] = self.ends[group * self.columns + column];
        let rule = &problem.rules()[column];
        if let Some(&level) = self.levels.get(column) {
            return rule.at_level(level as usize, low);
        }
        match rule.kind() {
            RuleKind::Set { .. } => {
                Cover::Labels(Cow::Borrowed(&self.labels[column][low as usize..high as usize]))
            }
            _ => rule.covering(low, high),
        }
    }

    /// What a group's cells cost each of its people.
    pub fn cells(&self, problem: &Problem, group: usize) -> Cost {
        let rules = problem.rules().iter().enumerate();
        rules.map(|(column, rule)| rule.cost(&self.get(problem, group, column))).sum()
    }
}
