//! What the cells of a release tell beyond the group: a tight range says that somebody has its lowest
//! value and somebody its highest, and a set that somebody has each label.
//!
//! Two figures follow. How many of the values that are generalized are told in this way. And how many people
//! are singled out by it: of all people of the table that fit the published cells of a group, exactly one has
//! the value at that end, or that label, so "fits these cells, and is 37" is true of one person alone.

use crate::cost::{Cover, Objective, Rule, RuleKind};
use crate::judge::Solution;
use crate::problem::Problem;
use crate::requirement::{Population, Runs};

/// At most about so many groups are looked at: more would not change a share by a hundredth.
pub const GROUPS: usize = 4_000;

/// What ends and labels tell. Of a large release, of a part of its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Told {
    /// Values that are published less exactly than they are.
    pub generalized: u64,
    /// Of these, values that an end or a label tells.
    pub told: u64,
    /// People in the groups that were looked at.
    pub people: u64,
    /// Of these, people whom such a value singles out.
    pub singled_out: u64,
}

impl Told {
    /// The share of generalized values that ends and labels tell.
    pub fn share_told(&self) -> f64 {
        self.told as f64 / self.generalized.max(1) as f64
    }

    /// The share of people who are singled out.
    pub fn share_singled_out(&self) -> f64 {
        self.singled_out as f64 / self.people.max(1) as f64
    }

    /// What a solution tells, by about `most` of its groups; `None` where groups are not published as the narrowest
    /// ranges and sets.
    pub fn of(problem: &Problem, solution: &Solution, most: usize) -> Option<Self> {
        if problem.objective() != Objective::Ncp {
            return None;
        }
        let records = 0..problem.records() as u32;
        let codes: Vec<u32> = records.flat_map(|record| problem.codes(record)).copied().collect();
        let everybody =
            Population::new(problem.rules().len(), &codes, |record| problem.record_size(record as u32));
        let mut told = Self::default();
        for group in (0..solution.groups()).step_by(solution.groups().div_ceil(most.max(1)).max(1)) {
            told.add(problem, solution, group, &everybody);
        }
        Some(told)
    }

    /// One group.
    fn add(&mut self, problem: &Problem, solution: &Solution, group: usize, everybody: &Population) {
        let rows = solution.rows(group);
        let people: u64 = rows.iter().map(|&row| problem.row_size(row)).sum();
        let code = |row: u32, column: usize| problem.codes(problem.record_of(row))[column];
        let covers: Vec<Cover<'_>> =
            (0..problem.rules().len()).map(|column| solution.cover(problem, group, column)).collect();
        let mut box_: Vec<Option<Runs>> =
            problem.rules().iter().zip(&covers).map(|(rule, cover)| runs(rule, cover)).collect();
        let mut singled_out = Vec::new();
        for (column, (rule, cover)) in problem.rules().iter().zip(&covers).enumerate() {
            let Some(values) = told_values(rule, cover) else { continue };
            self.generalized += people;
            self.told += people.min(values.len() as u64);
            for value in values {
                let mut holders =
                    rows.iter().filter(|&&row| code(row, column) == value && problem.row_size(row) > 0);
                let (Some(&row), None) = (holders.next(), holders.next()) else { continue };
                if problem.row_size(row) > 1 || singled_out.contains(&row) {
                    continue;
                }
                let whole = box_[column].replace(vec![(value, value)]);
                if everybody.count(&box_) == 1 {
                    singled_out.push(row);
                }
                box_[column] = whole;
            }
        }
        self.people += people;
        self.singled_out += singled_out.len() as u64;
    }
}

/// The values that a cell tells; `None` if it is not generalized.
fn told_values(rule: &Rule, cover: &Cover<'_>) -> Option<Vec<u32>> {
    match (rule.kind(), cover) {
        (RuleKind::Line { .. }, &Cover::Span(low, _)) if Some(low) == rule.missing_code() => None,
        (RuleKind::Line { .. }, Cover::Span(..)) if rule.is_rounded() => Some(Vec::new()),
        (_, Cover::Span(low, high)) => (low != high).then(|| vec![*low, *high]),
        (_, Cover::Labels(labels)) => (labels.len() > 1).then(|| labels.to_vec()),
        (RuleKind::Tree { tree, .. }, Cover::Node(node)) => (tree.width(*node) > 1).then(Vec::new),
        _ => Some(Vec::new()),
    }
}

/// The codes that fit a cell; `None`: all.
fn runs(rule: &Rule, cover: &Cover<'_>) -> Option<Runs> {
    match (rule.kind(), cover) {
        (_, Cover::Span(low, high)) => Some(vec![(*low, *high)]),
        (_, Cover::Labels(labels)) => Some(labels.iter().map(|&label| (label, label)).collect()),
        (RuleKind::Tree { tree, .. }, &Cover::Node(node)) => Some(vec![tree.span(node)]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::ONE;
    use crate::hierarchy::Hierarchy;
    use crate::judge::{Found, judge};
    use crate::problem::Parts;
    use std::sync::Arc;

    /// Straight from the definition, row by row.
    fn naive(problem: &Problem, group_of: &[u32]) -> Told {
        let rows = || 0..problem.rows() as u32;
        let codes = |row: u32| problem.codes(problem.record_of(row));
        let mut told = Told::default();
        for group in 0..=group_of.iter().copied().max().unwrap() {
            let members: Vec<u32> = rows().filter(|&row| group_of[row as usize] == group).collect();
            let people: u64 = members.iter().map(|&row| problem.row_size(row)).sum();
            let values = |column: usize| -> Vec<u32> {
                let mut values: Vec<u32> = members.iter().map(|&row| codes(row)[column]).collect();
                values.sort_unstable();
                values.dedup();
                values
            };
            let fits = |row: u32, column: usize| {
                let (values, code) = (values(column), codes(row)[column]);
                let between = values[0] <= code && code <= values[values.len() - 1];
                match problem.rules()[column].kind() {
                    RuleKind::Line { at, missing: true }
                        if values.len() > 1 && *values.last().unwrap() as usize == at.len() =>
                    {
                        true
                    }
                    RuleKind::Line { .. } => between,
                    RuleKind::Set { .. } => values.contains(&code),
                    RuleKind::Tree { tree, .. } => {
                        let node = tree.join(values[0], values[values.len() - 1]);
                        (tree.span(node).0..=tree.span(node).1).contains(&code)
                    }
                    RuleKind::Flat { .. } => unreachable!(),
                }
            };
            let mut alone = vec![false; problem.rows()];
            for (column, rule) in problem.rules().iter().enumerate() {
                let values = values(column);
                let missing = rule.missing_code();
                if values.len() == 1 && (!rule.is_rounded() || Some(values[0]) == missing) {
                    continue;
                }
                told.generalized += people;
                let known: Vec<u32> = match rule.kind() {
                    RuleKind::Set { .. } => values.clone(),
                    RuleKind::Line { .. } if !rule.is_rounded() && values.last().copied() != missing => {
                        vec![values[0], values[values.len() - 1]]
                    }
                    _ => Vec::new(),
                };
                told.told += people.min(known.len() as u64);
                for value in known {
                    let in_box = |&row: &u32| (0..problem.rules().len()).all(|c| fits(row, c));
                    let at_it: Vec<u32> =
                        rows().filter(in_box).filter(|&row| codes(row)[column] == value).collect();
                    if at_it.iter().map(|&row| problem.row_size(row)).sum::<u64>() == 1 {
                        at_it.iter().for_each(|&row| alone[row as usize] |= problem.row_size(row) == 1);
                    }
                }
            }
            told.people += people;
            told.singled_out += alone.iter().filter(|&&alone| alone).count() as u64;
        }
        told
    }

    #[test]
    fn what_is_told_is_what_the_definition_says() {
        let hierarchy = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\nd;y;*\n").unwrap();
        let mut seed = 7u64;
        let mut dice = |sides: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % sides) as u32
        };
        let mut singled_out = 0;
        for round in 0..200 {
            let rules = vec![
                Rule::line((0..6).map(|i| i * ONE / 5).collect(), true, ONE).unwrap(),
                Rule::grid(&[0, 1, 3, 4], 5, true, ONE).unwrap(),
                Rule::set(5, ONE),
                Rule::tree(Arc::new(hierarchy.tree().clone()), ONE),
            ];
            let rows = 4 + dice(20) as usize;
            let looks: Vec<[u32; 4]> = (0..rows).map(|_| [dice(7), dice(5), dice(5), dice(4)]).collect();
            let mut distinct = looks.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let record_of = looks.iter().map(|l| distinct.binary_search(l).unwrap() as u32).collect();
            let codes = distinct.iter().flatten().copied().collect();
            let mut parts = Parts::new(2, Objective::Ncp, rules, record_of, codes);
            parts.row_sizes = (round % 2 == 0).then(|| (0..rows).map(|_| 1 + dice(2)).collect());
            let problem = Problem::new(parts).unwrap();
            let group_of: Vec<u32> = (0..rows as u32).map(|row| (row / 2).min(rows as u32 / 2 - 1)).collect();
            let solution = judge(&problem, Found::plain(group_of.clone())).unwrap();
            let told = Told::of(&problem, &solution, GROUPS).unwrap();
            assert_eq!(told, naive(&problem, &group_of));
            singled_out += told.singled_out;
        }
        assert!(singled_out > 100, "the comparison must be about something");
    }
}
