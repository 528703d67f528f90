//! How a table is cut into pieces so that neighbours stay together: a tree of questions about
//! quasi-identifiers, learned from a sample and answered by every row alone. Copies of a record answer alike, so
//! none is parted from the others.

use crate::parts::random::Random;
use crate::parts::sorting::{Side, Sorting};
use kinfold_model::encode::CodedRows;
use kinfold_model::{Rule, RuleKind};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A cut: a leaf is a part, and parts are numbered from the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cut {
    Leaf(u32),
    Node(Box<Question>),
}

/// Whether a row goes to the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Question {
    /// The number of the quasi-identifier.
    column: usize,
    left: Answer,
    children: [Cut; 2],
}

/// The values that go to the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// Those that are not missing.
    Present,
    /// Those at this place of a line or before.
    Place(u64),
    /// Leaves up to this one.
    Leaf(u32),
    /// These labels, ascending.
    Labels(Vec<u32>),
}

impl Answer {
    fn new(rule: &Rule, side: Side) -> Self {
        match (rule.kind(), side) {
            (RuleKind::Line { at, .. }, Side::UpTo(code)) => match at.get(code as usize) {
                // All present values.
                Some(_) if code as usize + 1 == at.len() => Self::Present,
                Some(&place) => Self::Place(place),
                None => Self::Present,
            },
            (_, Side::UpTo(code)) => Self::Leaf(code),
            (_, Side::Among(labels)) => Self::Labels(labels),
        }
    }

    fn holds(&self, rule: &Rule, code: u32) -> bool {
        match (self, rule.kind()) {
            (Self::Present, _) => Some(code) != rule.missing_code(),
            (Self::Place(place), RuleKind::Line { at, .. }) => {
                at.get(code as usize).is_some_and(|own| own <= place)
            }
            (Self::Place(_), _) => false,
            (Self::Leaf(leaf), _) => code <= *leaf,
            (Self::Labels(labels), _) => labels.binary_search(&code).is_ok(),
        }
    }
}

impl Cut {
    /// Cuts so that each part has about as many rows of the sample, and there are `parts` of them where rows
    /// differ enough: the largest part is halved until there are.
    pub fn learn(sample: &CodedRows, parts: usize) -> Self {
        let mut sorting = Sorting::of_rows(&sample.columns);
        let mut random = Random::new(0x7069_6563);
        let rows = sample.columns.first().map_or(0, Vec::len);
        // Leaves by the number of their rows, which are a run of the sorted sample; of equals, the first.
        let mut open = BinaryHeap::from([(rows, Reverse(0), 0)]);
        let (mut root, mut made) = (Self::Leaf(0), 1);
        while (made as usize) < parts
            && let Some((rows, Reverse(start), leaf)) = open.pop().filter(|(rows, ..)| *rows > 1)
        {
            let mut run = sorting.run(start..start + rows);
            // Where all rows are alike there is nothing to ask.
            let Some((column, side, middle)) = run.split(&sample.rules, &mut random) else { continue };
            let left = Answer::new(&sample.rules[column], side);
            root.ask(leaf, &mut Some(Question { column, left, children: [leaf, made].map(Self::Leaf) }));
            open.extend([(middle, Reverse(start), leaf), (rows - middle, Reverse(start + middle), made)]);
            made += 1;
        }
        root.number(&mut 0);
        root
    }

    /// Puts a question in the place of a leaf.
    fn ask(&mut self, leaf: u32, question: &mut Option<Question>) {
        match self {
            Self::Leaf(own) if *own == leaf => {
                *self = question.take().map_or(Self::Leaf(leaf), |question| Self::Node(Box::new(question)));
            }
            Self::Leaf(_) => {}
            Self::Node(inner) => inner.children.iter_mut().for_each(|child| child.ask(leaf, question)),
        }
    }

    /// Numbers the leaves from the left.
    fn number(&mut self, next: &mut u32) {
        match self {
            Self::Leaf(own) => {
                *own = *next;
                *next += 1;
            }
            Self::Node(question) => question.children.iter_mut().for_each(|child| child.number(next)),
        }
    }

    /// How many parts there are.
    pub fn parts(&self) -> u32 {
        match self {
            Self::Leaf(_) => 1,
            Self::Node(question) => question.children.iter().map(Self::parts).sum(),
        }
    }

    /// The part of a row.
    pub fn part_of(&self, rows: &CodedRows, row: usize) -> u32 {
        match self {
            Self::Leaf(part) => *part,
            Self::Node(question) => {
                let (column, rule) = (&rows.columns[question.column], &rows.rules[question.column]);
                let left = question.left.holds(rule, column[row]);
                question.children[usize::from(!left)].part_of(rows, row)
            }
        }
    }

    /// Parts that a part may be joined with, nearest first: those that share the most questions with it.
    pub fn near(&self, part: u32) -> Vec<u32> {
        let mut found = Vec::new();
        self.collect_near(part, &mut found);
        found
    }

    fn collect_near(&self, part: u32, found: &mut Vec<u32>) -> bool {
        match self {
            Self::Leaf(own) => *own == part,
            Self::Node(question) => {
                let [left, right] = &question.children;
                for (here, other) in [(left, right), (right, left)] {
                    if here.collect_near(part, found) {
                        other.leaves(found);
                        return true;
                    }
                }
                false
            }
        }
    }

    fn leaves(&self, found: &mut Vec<u32>) {
        match self {
            Self::Leaf(own) => found.push(*own),
            Self::Node(question) => question.children.iter().for_each(|child| child.leaves(found)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinfold_model::cost::ONE;

    /// Rows with a number of which a tenth is missing, a label and a leaf of a tree.
    fn rows(count: usize) -> CodedRows {
        let line = Rule::line((0..=50).map(|i| i * ONE / 50).collect(), true, ONE).unwrap();
        let rules = vec![line, Rule::set(7, ONE), Rule::set(500, ONE)];
        let mut random = Random::new(5);
        let mut column =
            |values: usize| (0..count).map(|_| random.below(values) as u32).collect::<Vec<u32>>();
        let mut columns = vec![column(57), column(7), column(500)];
        columns[0].iter_mut().for_each(|code| *code = (*code).min(51));
        CodedRows { rules, columns }
    }

    #[test]
    fn there_are_as_many_parts_as_asked_for_about_as_large() {
        let rows = rows(4_000);
        for parts in [1, 2, 3, 8, 50] {
            let cut = Cut::learn(&rows, parts);
            let mut sizes = vec![0; cut.parts() as usize];
            (0..4_000).for_each(|row| sizes[cut.part_of(&rows, row) as usize] += 1);
            assert_eq!(sizes.len(), parts);
            let largest = sizes.iter().max().unwrap();
            assert!(*largest <= 4 * 4_000 / parts, "{sizes:?}");
        }
    }
}
