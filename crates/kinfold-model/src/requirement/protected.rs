//! What requirements know of a protected column.

use super::RequirementError;
use super::closeness::{Line, Shape};
use crate::hierarchy::Tree;

/// A protected column of the table, as it is told. Its cells are codes; the **values** that are compared
/// are the codes, or classes of them.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    pub name: String,
    /// How many people of the table have each code.
    pub totals: Vec<u64>,
    /// The code that stands for a missing value. All of its class counts as missing.
    pub missing: Option<u32>,
    /// The class of each code, if values are grouped before they are compared; otherwise every code is its
    /// own.
    pub classes: Option<Vec<u32>>,
    /// For ordered distance: the rank of each class, all different. Only their order matters: the values
    /// that the table has are equally spaced, as in the literature. A missing value has a rank, too; the
    /// last is usual.
    pub order: Option<Vec<u32>>,
    /// For distance by a tree: where each class stands.
    pub tree: Option<Leaves>,
    /// How many spellings were joined with others that say the same.
    pub joined: usize,
}

/// A tree, and the leaf of every class. A missing value has a leaf, too; one directly under the root is
/// furthest from all others.
#[derive(Debug, Clone)]
pub struct Leaves {
    pub tree: Tree,
    /// The leaf of every class, all different.
    pub of: Vec<u32>,
}

/// A protected column that was checked. Its values are those that the table has, numbered by rank if they
/// have one.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub name: String,
    /// The value of each code; `None`: the table does not have it.
    value_of: Vec<Option<u32>>,
    /// How many people of the table have each value; never 0.
    pub totals: Vec<u64>,
    pub missing: Option<u32>,
    pub line: Option<Line>,
    pub shape: Option<Shape>,
}

impl Column {
    /// Of a table of so many people.
    pub(crate) fn new(told: Protected, people: u64) -> Result<Self, RequirementError> {
        let Protected { name, totals, missing, classes, order, tree, .. } = told;
        let malformed = |what| RequirementError::Malformed { column: name.clone(), what };
        let unless = |fits: bool, what| if fits { Ok(()) } else { Err(malformed(what)) };
        let classes = classes.unwrap_or_else(|| (0..totals.len() as u32).collect());
        unless(classes.len() == totals.len(), "every code must have one class")?;
        let count = classes.iter().map(|&class| class as usize + 1).max().unwrap_or(0);
        unless(count <= MOST_VALUES, "there are too many values")?;
        // First of all, as no sum below can then overflow.
        let sum = totals.iter().try_fold(0u64, |sum, &total| sum.checked_add(total));
        unless(sum == Some(people), "its counts do not add up to the people of the table")?;
        let mut by_class = vec![0u64; count];
        for (&class, &total) in classes.iter().zip(&totals) {
            by_class[class as usize] += total;
        }
        let ranked = order.as_ref().is_none_or(|ranks| all_different(ranks, count));
        unless(ranked, "every value must have a rank of its own")?;
        let hangs = |leaves: &Leaves| {
            all_different(&leaves.of, count) && leaves.of.iter().all(|&leaf| leaf < leaves.tree.leaves())
        };
        unless(tree.as_ref().is_none_or(hangs), "every value must have a leaf of its own")?;
        let missing = missing.map(|code| classes.get(code as usize).copied());
        unless(missing != Some(None), "the missing value has no code")?;

        let mut present: Vec<u32> = (0..count as u32).filter(|&class| by_class[class as usize] > 0).collect();
        if let Some(ranks) = &order {
            present.sort_by_key(|&class| ranks[class as usize]);
        }
        let mut value_of_class = vec![None; count];
        for (&class, value) in present.iter().zip(0..) {
            value_of_class[class as usize] = Some(value);
        }
        let totals: Vec<u64> = present.iter().map(|&class| by_class[class as usize]).collect();
        let line = order.map(|_| Line::new(&totals));
        let shape = tree.map(|leaves| {
            let leaf_of = present.iter().map(|&class| leaves.of[class as usize]).collect();
            Shape::new(leaves.tree, leaf_of)
        });
        Ok(Self {
            name,
            value_of: classes.iter().map(|&class| value_of_class[class as usize]).collect(),
            totals,
            missing: missing.flatten().and_then(|class| value_of_class[class as usize]),
            line,
            shape,
        })
    }

    /// The value of a code of the table.
    pub(crate) fn value(&self, code: u32) -> Result<u32, RequirementError> {
        let value = self.value_of.get(code as usize).copied().flatten();
        let what = "a row has a code that the table does not have";
        value.ok_or_else(|| RequirementError::Malformed { column: self.name.clone(), what })
    }
}

/// So that sums over values fit: see `Requirements::MOST_PEOPLE`.
const MOST_VALUES: usize = 1 << 24;

fn all_different(numbers: &[u32], count: usize) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    numbers.len() == count && sorted.len() == count
}
