//! How a table is cut into pieces so that neighbours stay together: a tree of questions about
//! quasi-identifiers, learned from a sample and answered by every row alone. Copies of a record answer alike, so
//! none is parted from the others.

use crate::parts::random::Random;
use crate::parts::sorting::{Items, Side, Sorting};
use kinfold_model::cost::{Rule, RuleKind};
use kinfold_model::encode::CodedRows;
use serde::{Deserialize, Serialize};

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
        let mut root = Growing::new(0..sample.columns.first().map_or(0, Vec::len));
        for _ in 1..parts {
            if !root.halve_largest(&mut sorting, &sample.rules, &mut random) {
                break;
            }
        }
        let mut next = 0;
        root.finish(&mut next)
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

/// A cut in the making: which run of the sorted sample each part has.
enum Growing {
    Leaf { rows: std::ops::Range<usize>, whole: bool },
    Node { column: usize, left: Answer, children: Box<[Growing; 2]> },
}

impl Growing {
    fn new(rows: std::ops::Range<usize>) -> Self {
        Self::Leaf { whole: rows.len() < 2, rows }
    }

    /// The rows of the largest part that can be halved.
    fn largest(&self) -> usize {
        match self {
            Self::Leaf { whole: true, .. } => 0,
            Self::Leaf { rows, .. } => rows.len(),
            Self::Node { children, .. } => children.iter().map(Self::largest).max().unwrap_or(0),
        }
    }

    /// False if no part can be halved any more.
    fn halve_largest(&mut self, sorting: &mut Sorting, rules: &[Rule], random: &mut Random) -> bool {
        loop {
            let largest = self.largest();
            if largest == 0 {
                return false;
            }
            if self.halve(largest, sorting, rules, random) {
                return true;
            }
        }
    }

    /// Halves the first part of so many rows; false if all of them are alike, and it is whole from now on.
    fn halve(&mut self, rows: usize, sorting: &mut Sorting, rules: &[Rule], random: &mut Random) -> bool {
        match self {
            Self::Node { children, .. } => {
                let child = usize::from(children[0].largest() != rows);
                children[child].halve(rows, sorting, rules, random)
            }
            Self::Leaf { rows: range, whole } => {
                let mut items: Items<'_> = sorting.run(range.clone());
                let Some((column, side, middle)) = items.split(rules, random) else {
                    *whole = true;
                    return false;
                };
                let (start, end) = (range.start, range.end);
                let children = [Self::new(start..start + middle), Self::new(start + middle..end)];
                let left = Answer::new(&rules[column], side);
                *self = Self::Node { column, left, children: Box::new(children) };
                true
            }
        }
    }

    fn finish(self, next: &mut u32) -> Cut {
        match self {
            Self::Leaf { .. } => {
                *next += 1;
                Cut::Leaf(*next - 1)
            }
            Self::Node { column, left, children } => {
                let [one, two] = *children;
                let children = [one.finish(next), two.finish(next)];
                Cut::Node(Box::new(Question { column, left, children }))
            }
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
