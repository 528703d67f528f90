//! Rows that found no group at the end: fewer people than k. Each joins the group whose cost rises
//! least, or is withheld where the policy allows it and that costs less.

use kinfold_model::cost::{Cover, Rule};
use kinfold_model::judge::WITHHELD;
use kinfold_model::problem::Problem;

/// Gives every row of `leftover` a group. `group_of` holds the groups 0..`groups` of all other rows.
pub(crate) fn distribute(problem: &Problem, group_of: &mut [u32], groups: usize, leftover: &[u32]) {
    if leftover.is_empty() {
        return;
    }
    let mut totals = totals_of(problem, group_of, groups);
    let mut may_withhold = problem.may_withhold();
    for &row in leftover {
        let (codes, size) = (problem.codes(problem.record_of(row)), problem.row_size(row));
        let rises =
            (0u32..).zip(&totals).map(|(group, total)| (total.rise(problem.rules(), codes, size), group));
        let cheapest = rises.min();
        let withheld = size * problem.withheld_cost();
        match cheapest {
            Some((rise, group)) if size == 0 || size > may_withhold || rise <= withheld => {
                group_of[row as usize] = group;
                totals[group as usize].join(problem.rules(), codes, size);
            }
            _ => {
                group_of[row as usize] = WITHHELD;
                may_withhold = may_withhold.saturating_sub(size);
            }
        }
    }
}

/// A group's people and what its cells cover.
struct Total {
    people: u64,
    covers: Vec<Cover<'static>>,
}

impl Total {
    fn cells(&self, rules: &[Rule]) -> u64 {
        rules.iter().zip(&self.covers).map(|(rule, cover)| rule.cost(cover).0).sum()
    }

    fn rise(&self, rules: &[Rule], codes: &[u32], size: u64) -> u64 {
        let after: u64 = rules
            .iter()
            .zip(&self.covers)
            .zip(codes)
            .map(|((rule, cover), &code)| rule.cost(&widened(rule, cover, code)).0)
            .sum();
        (self.people + size) * after - self.people * self.cells(rules)
    }

    fn join(&mut self, rules: &[Rule], codes: &[u32], size: u64) {
        self.people += size;
        for ((rule, cover), &code) in rules.iter().zip(&mut self.covers).zip(codes) {
            *cover = widened(rule, cover, code);
        }
    }
}

/// What a group covers once a row with this code joins it.
fn widened(rule: &Rule, cover: &Cover<'static>, code: u32) -> Cover<'static> {
    match cover {
        Cover::Star => Cover::Star,
        Cover::Span(low, high) => rule.cover([*low, *high, code].into_iter()),
        Cover::Labels(labels) if labels.binary_search(&code).is_ok() => cover.clone(),
        Cover::Labels(labels) => rule.cover(labels.iter().copied().chain([code])),
        Cover::Node(node) => match rule.kind() {
            kinfold_model::cost::RuleKind::Tree { tree, .. } => {
                let (first, last) = tree.span(*node);
                // Leaves of the node and the code: their lowest common node is the old one if it covers the
                // code.
                if (first..=last).contains(&code) {
                    cover.clone()
                } else {
                    rule.cover([first, last, code].into_iter())
                }
            }
            _ => Cover::Star,
        },
    }
}

fn totals_of(problem: &Problem, group_of: &[u32], groups: usize) -> Vec<Total> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups];
    for (row, &group) in (0u32..).zip(group_of) {
        if (group as usize) < groups {
            members[group as usize].push(row);
        }
    }
    members
        .into_iter()
        .map(|rows| Total {
            people: rows.iter().map(|&row| problem.row_size(row)).sum(),
            covers: (0..problem.rules().len())
                .map(|c| {
                    problem.rules()[c].cover(rows.iter().map(|&row| problem.codes(problem.record_of(row))[c]))
                })
                .collect(),
        })
        .collect()
}
