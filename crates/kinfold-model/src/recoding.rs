//! How values are coded: group by group, or once for everybody (global, or full-domain, recoding).
//!
//! Under global recoding every quasi-identifier is published at one of its levels ([`Rule::levels`]). The levels
//! alone decide which rows are alike: those whose nodes agree in all columns are a class. A class is released
//! whole or withheld whole.

use crate::cost::Rule;
use crate::judge::WITHHELD;
use crate::problem::Problem;
use crate::table::{Distinct, distinct_rows};

/// Whether a value may be coded differently in different groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recoding {
    /// Every group is published as narrowly as its own rows allow.
    #[default]
    Local,
    /// One level per quasi-identifier, for all rows.
    Global,
}

impl Recoding {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::Local, Self::Global];

    /// The word for it in policies, flags and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Global => "global",
        }
    }
}

/// The class of every record where each column is on one of its levels.
pub fn classes(problem: &Problem, levels: &[u32]) -> Distinct {
    let records = 0..problem.records() as u32;
    let nodes = |(column, (rule, &level)): (usize, (&Rule, &u32))| -> Vec<u32> {
        records.clone().map(|record| rule.node(level as usize, problem.codes(record)[column])).collect()
    };
    let columns: Vec<Vec<u32>> = problem.rules().iter().zip(levels).enumerate().map(nodes).collect();
    distinct_rows(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), problem.records())
}

/// Why these groups are not the classes of the levels, if they are not.
pub(crate) fn not_the_classes(problem: &Problem, levels: &[u32], group_of: &[u32]) -> Option<&'static str> {
    let known = |(rule, &level): (&Rule, &u32)| (level as usize) < rule.levels();
    if levels.len() != problem.rules().len() || !problem.rules().iter().zip(levels).all(known) {
        return Some("not every column has a level");
    }
    let allowed = |(column, &level): (usize, &u32)| problem.levels_of(column).contains(&(level as usize));
    if !levels.iter().enumerate().all(allowed) {
        return Some("a column is on another level than it may be");
    }
    let classes = classes(problem, levels);
    let mut group_of_class: Vec<Option<u32>> = vec![None; classes.first.len()];
    for (row, &group) in (0u32..).zip(group_of) {
        let class = classes.of_row[problem.record_of(row) as usize] as usize;
        if *group_of_class[class].get_or_insert(group) != group {
            return Some("rows that agree on all levels are parted");
        }
    }
    let mut released: Vec<u32> = group_of_class.into_iter().flatten().filter(|&g| g != WITHHELD).collect();
    released.sort_unstable();
    let joined = released.windows(2).any(|pair| pair[0] == pair[1]);
    joined.then_some("rows that differ on some level are joined")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Cost, Cover, Objective};
    use crate::hierarchy::Hierarchy;
    use crate::judge::{Broken, Found, Seal, judge};
    use crate::problem::Parts;
    use std::sync::Arc;

    /// Five rows of a tree (a, b under x; c, d under y) and of labels.
    fn problem(recoding: Recoding) -> Problem {
        let tree = Hierarchy::parse("a;x;*\nb;x;*\nc;y;*\nd;y;*\n").unwrap();
        let rules = vec![Rule::tree(Arc::new(tree.tree().clone()), 300), Rule::set(2, 100)];
        let codes = vec![0, 0, 1, 0, 2, 0, 3, 0, 3, 1];
        let mut parts = Parts::new(2, Objective::Ncp, rules, (0..5).collect(), codes);
        (parts.recoding, parts.may_withhold) = (recoding, 1);
        Problem::new(parts).unwrap()
    }

    fn broken(group_of: [u32; 5], seal: Seal) -> Option<Broken> {
        let found = Found { group_of: group_of.into(), seal };
        judge(&problem(Recoding::Global), found).err()
    }

    #[test]
    fn groups_are_exactly_what_the_levels_induce() {
        const OUT: u32 = WITHHELD;
        let levels = |levels: [u32; 2]| Seal::Levels(levels.into());
        assert_eq!(broken([0, 0, 1, 1, OUT], levels([1, 0])), None);
        assert_eq!(broken([1, 1, 0, 0, 0], levels([1, 1])), None);
        let refused = [
            ([0, 0, 1, 1, 1], levels([1, 0]), "joined"),
            ([0, 0, 0, 0, OUT], levels([1, 0]), "joined"),
            ([0, 0, 1, 1, OUT], levels([1, 1]), "parted"),
            ([0, 0, 1, 1, OUT], levels([2, 0]), "parted"),
            ([0, 0, 1, 1, OUT], levels([3, 0]), "not every"),
            ([0, 0, 1, 1, OUT], Seal::Levels(vec![1]), "not every"),
        ];
        for (group_of, seal, why) in refused {
            let found = broken(group_of, seal);
            assert!(matches!(found, Some(Broken::Levels(what)) if what.contains(why)), "{found:?} {why}");
        }
        assert_eq!(broken([0, 0, 1, 1, OUT], Seal::Box), Some(Broken::Seal));
        let local = Found { group_of: vec![0, 0, 1, 1, OUT], seal: levels([1, 0]) };
        assert_eq!(judge(&problem(Recoding::Local), local).err(), Some(Broken::Seal));
    }

    #[test]
    fn each_has_its_word() {
        assert_eq!(
            Recoding::ALL.iter().map(|recoding| recoding.word()).collect::<Vec<_>>(),
            ["local", "global"]
        );
    }

    #[test]
    fn given_levels_are_kept() {
        let given = problem(Recoding::Global).on_levels(vec![1, 0]).unwrap();
        let on = |group_of: [u32; 5], levels: [u32; 2]| {
            judge(&given, Found::on_levels(group_of.into(), levels.into())).err()
        };
        assert_eq!(on([0, 0, 1, 1, WITHHELD], [1, 0]), None);
        let other = on([0, 0, 1, 1, 1], [1, 1]);
        assert!(matches!(other, Some(Broken::Levels(why)) if why.contains("may be")), "{other:?}");
        assert!(problem(Recoding::Global).on_levels(vec![3, 0]).is_err());
    }

    #[test]
    fn levels_cost_more_than_tight_cells() {
        let (local, problem) = (problem(Recoding::Local), problem(Recoding::Global));
        // The second group is y and both labels; on these levels all columns are as wide for the first.
        let found = Found { group_of: vec![0, 0, 1, 1, 1], seal: Seal::Levels(vec![1, 1]) };
        let solution = judge(&problem, found).unwrap();
        assert_eq!(solution.cost(), Cost(5 * 100 + 5 * 100));
        let tight = (5.0 * 100.0 + 3.0 * 50.0) / (5.0 * 400.0);
        assert_eq!(solution.average_loss_under(&local), tight);
        assert_eq!(solution.cover(&problem, 0, 1), Cover::Star);
        assert_eq!(solution.levels(), Some(&[1, 1][..]));
    }
}
