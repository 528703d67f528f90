//! The lattice of levels: what every column costs on each of its levels, and records rolled up to the lowest
//! levels that matter.

use super::numbering::{Numbering, number};
use kinfold_model::problem::Problem;

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// What the judge counts: the share of a column's leaves under the node.
    Loss,
    /// How many look like everybody, added up; withheld people look like all.
    Discernibility,
    /// People released per class.
    ClassSize,
    /// How many steps above the values columns stand, all together.
    Steps,
    /// Steps over the height of the column, by weight.
    Precision,
}

impl Aim {
    pub const ALL: [Self; 5] =
        [Self::Loss, Self::Discernibility, Self::ClassSize, Self::Steps, Self::Precision];
    pub const WORDS: [&str; 5] = ["loss", "discernibility", "class-size", "steps", "precision"];

    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

/// One quasi-identifier.
pub(super) struct Axis {
    /// For every level that is worth telling apart: its number, the node of every code, counted from 0 without
    /// gaps, how many nodes there are, and the price of every node.
    pub levels: Vec<Step>,
}

/// A level of a column.
pub(super) struct Step {
    /// Its number.
    pub level: u32,
    node_of: Vec<u32>,
    nodes: u32,
    price: Vec<u64>,
}

/// The columns, and the price of a person who is withheld.
pub(super) struct Space {
    pub axes: Vec<Axis>,
    pub withheld: u64,
    pub aim: Aim,
}

impl Space {
    pub fn new(problem: &Problem, aim: Aim) -> Self {
        let axes = (0..problem.rules().len()).map(|column| Axis::new(problem, column, aim)).collect();
        Self { axes, withheld: problem.withheld_cost(), aim }
    }

    /// The highest levels.
    pub fn top(&self) -> Vec<u8> {
        self.axes.iter().map(|axis| axis.levels.len() as u8 - 1).collect()
    }

    /// The numbers of levels, as the problem has them.
    pub fn levels(&self, at: &[u8]) -> Vec<u32> {
        self.axes.iter().zip(at).map(|(axis, &level)| axis.levels[level as usize].level).collect()
    }
}

impl Axis {
    fn new(problem: &Problem, column: usize, aim: Aim) -> Self {
        let rule = &problem.rules()[column];
        let codes = 0..rule.values();
        let mut used = vec![false; rule.values() as usize];
        (0..problem.records() as u32).for_each(|record| used[problem.codes(record)[column] as usize] = true);
        let mut levels: Vec<Step> = Vec::new();
        let height = (rule.levels() as u64 - 1).max(1);
        for level in problem.levels_of(column) {
            // Nodes that nobody is under count for nothing: levels are told apart by the values that occur.
            let mut number_of = std::collections::BTreeMap::new();
            let mut node_of = vec![0; used.len()];
            let mut price = Vec::new();
            for code in codes.clone().filter(|&code| used[code as usize]) {
                let next = number_of.len() as u32;
                node_of[code as usize] = *number_of.entry(rule.node(level, code)).or_insert(next);
                if number_of.len() as u32 > next {
                    price.push(match aim {
                        Aim::Steps => level as u64,
                        Aim::Precision => rule.full() / height * level as u64,
                        // Sizes of classes have no price by column; the loss says where to look.
                        _ => rule.cost(&rule.at_level(level, code)).0,
                    });
                }
            }
            let step = Step { level: level as u32, node_of, nodes: number_of.len() as u32, price };
            // A level that parts nothing that the one below joins, at the same price, is the same.
            let same =
                levels.last().is_some_and(|below| (below.nodes, &below.price) == (step.nodes, &step.price));
            if !same && levels.len() < u8::MAX as usize {
                levels.push(step);
            }
        }
        Self { levels }
    }
}

/// Records that agree on some levels, put together: enough for all levels from there on up.
pub(super) struct Base {
    /// How many people each stands for.
    pub people: Vec<u64>,
    /// For every column the node of each on every level, from the base's own on.
    nodes: Vec<Vec<Vec<u32>>>,
    /// For every column the node on the base's own level.
    own: Vec<Vec<u32>>,
    /// The levels it is rolled up to.
    pub at: Vec<u8>,
    /// The record of the problem that stands for each.
    first: Vec<u32>,
}

impl Base {
    /// The records of a problem as they are.
    pub fn new(problem: &Problem, space: &Space) -> Self {
        let records = 0..problem.records() as u32;
        let people = records.clone().map(|record| problem.record_size(record)).collect();
        let at = vec![0; space.axes.len()];
        Self::of(problem, space, people, records.collect(), at)
    }

    fn of(problem: &Problem, space: &Space, people: Vec<u64>, first: Vec<u32>, at: Vec<u8>) -> Self {
        let (mut own, mut nodes) = (Vec::new(), Vec::new());
        for (column, axis) in space.axes.iter().enumerate() {
            let lowest = &axis.levels[at[column] as usize];
            let code = |&record: &u32| problem.codes(record)[column];
            own.push(first.iter().map(|record| lowest.node_of[code(record) as usize]).collect::<Vec<u32>>());
            // The node above each of the lowest nodes: any of its codes tells.
            let mut above = vec![vec![0; lowest.nodes as usize]; axis.levels.len()];
            for record in &first {
                let code = code(record) as usize;
                for (level, above) in above.iter_mut().enumerate().skip(at[column] as usize) {
                    above[lowest.node_of[code] as usize] = axis.levels[level].node_of[code];
                }
            }
            nodes.push(above);
        }
        Self { people, nodes, own, at, first }
    }

    /// Rolled up to these levels, and for every part of this one the part of the other that it is in.
    pub fn rolled_up(
        &self,
        problem: &Problem,
        space: &Space,
        at: &[u8],
        by: &mut Numbering,
    ) -> (Self, Vec<u32>) {
        let classes = self.classes(space, at, by);
        let of = by.of.clone();
        let (mut people, mut first) = (vec![0; classes], vec![u32::MAX; classes]);
        for (part, &class) in of.iter().enumerate() {
            people[class as usize] += self.people[part];
            first[class as usize] = first[class as usize].min(self.first[part]);
        }
        (Self::of(problem, space, people, first, at.to_vec()), of)
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Puts the class of every part on these levels into `by`; how many there are.
    pub fn classes(&self, space: &Space, at: &[u8], by: &mut Numbering) -> usize {
        let columns = (0..at.len()).map(|column| {
            let level = at[column] as usize;
            (&self.own[column][..], &self.nodes[column][level][..], space.axes[column].levels[level].nodes)
        });
        number(columns, self.len(), by)
    }

    /// The price of a part in a column on a level.
    pub fn price(&self, space: &Space, column: usize, level: u8, part: usize) -> u64 {
        let node = self.nodes[column][level as usize][self.own[column][part] as usize];
        space.axes[column].levels[level as usize].price[node as usize]
    }

    /// What some parts would pay in every column on every level.
    pub fn prices(&self, space: &Space, parts: impl Iterator<Item = usize> + Clone) -> Vec<Vec<u64>> {
        let of_column = |column: usize| {
            let axis = &space.axes[column];
            let mut below = vec![0u64; axis.levels[self.at[column] as usize].nodes as usize];
            parts.clone().for_each(|part| below[self.own[column][part] as usize] += self.people[part]);
            let of_level = |level: usize| -> u64 {
                if level < self.at[column] as usize {
                    return 0;
                }
                let price = |&node: &u32| axis.levels[level].price[node as usize];
                below.iter().zip(&self.nodes[column][level]).map(|(people, node)| people * price(node)).sum()
            };
            (0..axis.levels.len()).map(of_level).collect()
        };
        (0..space.axes.len()).map(of_column).collect()
    }
}
