//! Reduce: from sets of rows that cover everybody to sets that share nobody (paper *suppress*, section 4.2.2).
//!
//! A row in two sets leaves the larger one, if that one can spare it. If none can, the two become one: their diameter is at
//! most the sum of both, for they share the row. Neither step makes the sum of all diameters larger.

use kinfold_model::problem::Problem;

/// Sets of at least k people each, every row in exactly one. Every row that is in a set stays in one.
pub(super) fn reduce(problem: &Problem, mut sets: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut in_sets: Vec<Vec<usize>> = vec![Vec::new(); problem.rows()];
    for (number, set) in sets.iter().enumerate() {
        set.iter().for_each(|&row| in_sets[row as usize].push(number));
    }
    let people = |set: &[u32]| set.iter().map(|&row| problem.row_size(row)).sum::<u64>();
    for row in 0..problem.rows() as u32 {
        while let [one, other, ..] = in_sets[row as usize][..] {
            let (larger, smaller) =
                if people(&sets[other]) > people(&sets[one]) { (other, one) } else { (one, other) };
            let spares = |set: &usize| people(&sets[*set]) - problem.row_size(row) >= problem.k();
            if let Some(set) = [larger, smaller].into_iter().find(spares) {
                sets[set].retain(|&r| r != row);
                in_sets[row as usize].retain(|&s| s != set);
                continue;
            }
            for member in std::mem::take(&mut sets[other]) {
                let of = &mut in_sets[member as usize];
                of.retain(|&s| s != other);
                if !of.contains(&one) {
                    of.push(one);
                    sets[one].push(member);
                }
            }
        }
    }
    sets.retain(|set| !set.is_empty());
    sets
}

/// The group of every row, by sets that share none; rows in no set have [`u32::MAX`].
pub(super) fn groups(problem: &Problem, sets: &[Vec<u32>]) -> Vec<u32> {
    let mut group_of = vec![u32::MAX; problem.rows()];
    for (group, set) in (0u32..).zip(sets) {
        set.iter().for_each(|&row| group_of[row as usize] = group);
    }
    group_of
}
