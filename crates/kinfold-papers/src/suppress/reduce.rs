//! Reduce: from sets of rows that cover everybody to sets that share nobody (paper *suppress*, section
//! 4.2.2).
//!
//! A row in two sets leaves one that can spare it, the larger one first. If none can, the two become one:
//! their diameter is at most the sum of both, for they share the row. Neither step makes the sum of all
//! diameters larger.
//!
//! Where rows stand for several people, two sets that cannot spare a row of s people hold fewer than k + s
//! each, so together fewer than 2k + s.

use kinfold::model::Problem;

/// Rows that are to be in a group, or in the group of a row that is not in any set.
#[derive(Debug, Clone, Default)]
pub(super) struct Set {
    pub(super) rows: Vec<u32>,
    /// A row of k people or more that the others join: they can all be spared.
    pub(super) host: Option<u32>,
}

impl Set {
    pub(super) fn people(&self, problem: &Problem) -> u64 {
        self.rows.iter().map(|&row| problem.row_size(row)).sum()
    }

    /// Whether there are enough people without this row.
    fn spares(&self, problem: &Problem, row: u32) -> bool {
        self.host.is_some() || self.people(problem) - problem.row_size(row) >= problem.k()
    }
}

/// Every row that is in a set is in exactly one; sets without a host hold k people at least.
pub(super) fn reduce(problem: &Problem, mut sets: Vec<Set>) -> Vec<Set> {
    let mut in_sets: Vec<Vec<usize>> = vec![Vec::new(); problem.rows()];
    for (number, set) in sets.iter().enumerate() {
        set.rows.iter().for_each(|&row| in_sets[row as usize].push(number));
    }
    for row in 0..problem.rows() as u32 {
        while let [one, other, ..] = in_sets[row as usize][..] {
            // Guests of a host leave first: with fewer of them it pays less.
            let rank =
                |&set: &usize| (sets[set].host.is_none(), std::cmp::Reverse(sets[set].people(problem)));
            let (first, second) = if rank(&other) < rank(&one) { (other, one) } else { (one, other) };
            let spares = |set: &usize| sets[*set].spares(problem, row);
            if let Some(set) = [first, second].into_iter().find(spares) {
                sets[set].rows.retain(|&r| r != row);
                in_sets[row as usize].retain(|&s| s != set);
                continue;
            }
            for member in std::mem::take(&mut sets[other].rows) {
                let of = &mut in_sets[member as usize];
                of.retain(|&s| s != other);
                if !of.contains(&one) {
                    of.push(one);
                    sets[one].rows.push(member);
                }
            }
        }
    }
    sets.retain(|set| !set.rows.is_empty());
    sets
}
