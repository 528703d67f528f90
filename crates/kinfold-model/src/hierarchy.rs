//! Generalization hierarchies in ARX's format: one line per value, the value first, then what it
//! generalizes to, ever wider; `;` or another delimiter; no header.
//!
//! Leaves are numbered in depth-first order, so every node covers an unbroken run of leaves and the
//! lowest common node of a set depends on its first and last leaf alone.

use crate::range_max::RangeMax;
use crate::table::{TableError, read_cells};
use std::collections::BTreeMap;
use thiserror::Error;

/// The shape of a hierarchy: nodes over runs of leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    parent: Vec<u32>,
    first: Vec<u32>,
    last: Vec<u32>,
    leaves: u32,
    /// The lowest node over every leaf and the next.
    joins: RangeMax<u32>,
}

impl Tree {
    /// Nodes after their children, leaves first: the node above each, and the first and last leaf under it.
    fn new(parent: Vec<u32>, first: Vec<u32>, last: Vec<u32>, leaves: u32) -> Self {
        // Two neighbouring leaves part at one node: a branch on it ends with the first of them, and it goes on.
        let mut joins = vec![0; leaves.saturating_sub(1) as usize];
        for (node, &above) in parent.iter().enumerate() {
            if last[node] < last[above as usize] {
                joins[last[node] as usize] = above;
            }
        }
        let joins = RangeMax::new(joins);
        Self { parent, first, last, leaves, joins }
    }

    /// Number of leaves. Leaf `i` is node `i`; inner nodes follow, the root last.
    pub fn leaves(&self) -> u32 {
        self.leaves
    }

    /// Number of nodes, leaves included.
    pub fn nodes(&self) -> u32 {
        self.parent.len() as u32
    }

    /// The node that covers everything.
    pub fn root(&self) -> u32 {
        self.nodes() - 1
    }

    /// The node above; the root is its own.
    pub fn parent(&self, node: u32) -> u32 {
        self.parent[node as usize]
    }

    /// How many leaves the node covers.
    pub fn width(&self, node: u32) -> u32 {
        self.last[node as usize] - self.first[node as usize] + 1
    }

    /// The first and the last leaf under the node.
    pub fn span(&self, node: u32) -> (u32, u32) {
        (self.first[node as usize], self.last[node as usize])
    }

    /// Whether the leaf lies under the node.
    pub fn covers(&self, node: u32, leaf: u32) -> bool {
        let (first, last) = self.span(node);
        (first..=last).contains(&leaf)
    }

    /// The lowest node over both leaves, and so over all leaves between them. Of the nodes over neighbouring
    /// leaves on the way it is the one over all others, and so the one with the highest number.
    pub fn join(&self, low: u32, high: u32) -> u32 {
        if low >= high { low } else { self.joins.of(low, high) }
    }
}

/// A hierarchy: its shape, and what its nodes are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    tree: Tree,
    labels: Vec<String>,
    leaf_of: BTreeMap<String, u32>,
}

/// What is wrong with a hierarchy file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// It cannot be read as a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No line at all.
    #[error("it names no values")]
    Empty,
    /// A line, counted from 1, without a value.
    #[error("line {0} names no value")]
    NoValue(usize),
    /// The same value on two lines that disagree.
    #[error("value {0:?} is on two lines that generalize it differently")]
    Contradiction(String),
    /// A level that it does not have.
    #[error("it has no level {level}: its highest is {highest}")]
    NoLevel {
        /// What is asked for.
        level: usize,
        /// What there is.
        highest: usize,
    },
}

impl Hierarchy {
    /// Reads the bytes of a hierarchy file.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, HierarchyError> {
        Self::parse(&text_of(bytes)?)
    }

    /// Reads the text of a hierarchy file.
    pub fn parse(text: &str) -> Result<Self, HierarchyError> {
        Self::from_paths(lines_of(text)?)
    }

    /// A hierarchy from lines `value, wider, wider still, …`.
    pub(crate) fn from_paths(lines: Vec<Vec<String>>) -> Result<Self, HierarchyError> {
        let mut branches = vec![Branch::new("*".to_owned())];
        // Branches by what they hang on and what they are called.
        let mut known: BTreeMap<(usize, String), usize> = BTreeMap::new();
        let mut values: Vec<String> = Vec::new();
        let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (number, line) in lines.into_iter().enumerate() {
            let Some((value, wider)) = line.split_first() else {
                return Err(HierarchyError::NoValue(number + 1));
            };
            let value = value.clone();
            match seen.get(&value) {
                Some(other) if *other == line => continue,
                Some(_) => return Err(HierarchyError::Contradiction(value)),
                None => {}
            }
            // From the widest level down; a level that only repeats the one above adds no node.
            let mut path: Vec<&str> = wider.iter().rev().map(String::as_str).collect();
            path.dedup();
            let mut at = 0;
            for label in path {
                at = *known.entry((at, label.to_owned())).or_insert_with(|| {
                    branches.push(Branch::new(label.to_owned()));
                    let new = branches.len() - 1;
                    branches[at].branches.push(new);
                    new
                });
            }
            branches[at].leaves.push(values.len());
            values.push(value.clone());
            seen.insert(value, line);
        }
        if seen.is_empty() {
            Err(HierarchyError::Empty)
        } else {
            Ok(Self::from_branches(values, branches, 0))
        }
    }

    /// A hierarchy of codes by their beginnings of these lengths, longest first: `E11.9`, `E11*`, `E*`, `*`. Lengths
    /// count characters; a code has no beginning longer than itself.
    pub(crate) fn by_prefix(codes: &[String], lengths: &[usize]) -> Result<Self, HierarchyError> {
        let path = |code: &String| {
            let letters: Vec<char> = code.chars().collect();
            let beginning = |&length: &usize| {
                let start = letters.get(..length)?;
                Some(start.iter().chain(&['*']).collect::<String>())
            };
            let wider = lengths.iter().filter_map(beginning);
            [code.clone()].into_iter().chain(wider).chain(["*".to_owned()]).collect()
        };
        Self::from_paths(codes.iter().map(path).collect())
    }

    /// A hierarchy of these values, each on one of the branches. Every branch has a value on it or below.
    pub(crate) fn from_branches(mut values: Vec<String>, mut branches: Vec<Branch>, mut root: usize) -> Self {
        // A single widest node is the root itself.
        while let ([], [only]) = (branches[root].leaves.as_slice(), branches[root].branches.as_slice()) {
            root = *only;
        }
        // A branch is met before what hangs on it, and after: trees may be too deep to recurse.
        let (mut order, mut nodes): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut spans = vec![(0, 0); branches.len()];
        let mut open = vec![(root, false)];
        while let Some((branch, done)) = open.pop() {
            if done {
                spans[branch].1 = order.len() as u32 - 1;
                nodes.push(branch);
            } else {
                spans[branch].0 = order.len() as u32;
                order.extend_from_slice(&branches[branch].leaves);
                open.push((branch, true));
                open.extend(branches[branch].branches.iter().rev().map(|&below| (below, false)));
            }
        }
        let leaves = order.len() as u32;
        let mut labels: Vec<String> = order.iter().map(|&value| std::mem::take(&mut values[value])).collect();
        let leaf_of = labels.iter().cloned().zip(0..).collect();
        let (mut first, mut last): (Vec<u32>, Vec<u32>) = (0..leaves).map(|leaf| (leaf, leaf)).unzip();
        let mut parent: Vec<u32> = (0..leaves + nodes.len() as u32).collect();
        let mut node_of = vec![0; branches.len()];
        // Nodes after what hangs on them, the root last.
        for (node, branch) in (leaves..).zip(nodes) {
            let (from, to) = spans[branch];
            first.push(from);
            last.push(to);
            node_of[branch] = node;
            let Branch { label, leaves: own, branches: below } = std::mem::take(&mut branches[branch]);
            labels.push(label);
            parent[from as usize..][..own.len()].fill(node);
            below.into_iter().for_each(|branch| parent[node_of[branch] as usize] = node);
        }
        Self { tree: Tree::new(parent, first, last, leaves), labels, leaf_of }
    }

    /// Its shape.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What a node is called.
    pub fn label(&self, node: u32) -> &str {
        &self.labels[node as usize]
    }

    /// The leaf of a value.
    pub(crate) fn leaf(&self, value: &str) -> Option<u32> {
        self.leaf_of.get(value).or_else(|| self.leaf_of.get(value.trim_ascii())).copied()
    }

    /// The same hierarchy with a leaf for missing values. The name of the root may speak of values alone
    /// (`1*`, `Europe`): then a star above it covers both.
    pub fn with_missing(&self) -> Self {
        let mut new = self.clone();
        if self.label(self.tree.root()) != "*" {
            let Tree { mut parent, mut first, mut last, leaves, .. } = new.tree;
            let star = parent.len() as u32;
            parent[star as usize - 1] = star;
            parent.push(star);
            first.push(0);
            last.push(leaves - 1);
            new.tree = Tree::new(parent, first, last, leaves);
            new.labels.push("*".to_owned());
        }
        new.with_extra_leaf()
    }

    /// The same hierarchy with one more leaf directly under the root, after all others.
    pub fn with_extra_leaf(&self) -> Self {
        let old = self.tree.leaves;
        let shift = |node: u32| if node < old { node } else { node + 1 };
        let root = shift(self.tree.root());
        let mut parent: Vec<u32> = self.tree.parent.iter().map(|&p| shift(p)).collect();
        let (mut first, mut last) = (self.tree.first.clone(), self.tree.last.clone());
        parent.insert(old as usize, root);
        first.insert(old as usize, old);
        last.insert(old as usize, old);
        last[root as usize] = old;
        let mut new = self.clone();
        new.tree = Tree::new(parent, first, last, old + 1);
        new.labels.insert(old as usize, String::new());
        new
    }
}

fn text_of(bytes: Vec<u8>) -> Result<String, TableError> {
    String::from_utf8(bytes).map_err(|e| TableError::NotUtf8 {
        line: 1 + e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|&&b| b == b'\n').count() as u64,
        column: "(hierarchy)".into(),
        byte: e.utf8_error().valid_up_to() + 1,
    })
}

fn lines_of(text: &str) -> Result<Vec<Vec<String>>, TableError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().find(|l| !l.trim().is_empty()).ok_or(TableError::Empty)?;
    // `;` is the format's own delimiter: it wins wherever it appears.
    let delimiter =
        [b';', b'\t', b'|', b','].into_iter().find(|&d| first.as_bytes().contains(&d)).unwrap_or(b';');
    read_cells(text, delimiter)
}

/// One level of a hierarchy file: what every value is called there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    label_of: BTreeMap<String, String>,
}

impl Level {
    /// Reads this level of a hierarchy file. Level 0 are the values themselves.
    pub(crate) fn from_bytes(bytes: Vec<u8>, level: usize) -> Result<Self, HierarchyError> {
        let mut label_of: BTreeMap<String, String> = BTreeMap::new();
        for (number, line) in lines_of(&text_of(bytes)?)?.into_iter().enumerate() {
            let Some(value) = line.first() else { return Err(HierarchyError::NoValue(number + 1)) };
            let Some(label) = line.get(level) else {
                return Err(HierarchyError::NoLevel { level, highest: line.len() - 1 });
            };
            if label_of.insert(value.clone(), label.clone()).is_some_and(|other| other != *label) {
                return Err(HierarchyError::Contradiction(value.clone()));
            }
        }
        if label_of.is_empty() { Err(HierarchyError::Empty) } else { Ok(Self { label_of }) }
    }

    /// What a value is called on this level.
    pub(crate) fn label(&self, value: &str) -> Option<&str> {
        self.label_of.get(value).or_else(|| self.label_of.get(value.trim_ascii())).map(String::as_str)
    }
}

/// A node in the making.
#[derive(Debug, Default)]
pub(crate) struct Branch {
    label: String,
    /// The values that hang directly on it.
    pub(crate) leaves: Vec<usize>,
    /// The branches that do, by number.
    pub(crate) branches: Vec<usize>,
}

impl Branch {
    /// A branch that is called this, with nothing on it.
    pub(crate) fn new(label: String) -> Self {
        Self { label, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDUCATION: &str = "BSc;University;Higher;*\nMSc;University;Higher;*\nTrade;Vocational;Higher;*\nPrimary;Basic;Basic;*\n";

    #[test]
    fn lowest_common_nodes() {
        let h = Hierarchy::parse(EDUCATION).unwrap();
        let leaf = |v: &str| h.leaf(v).unwrap();
        let join = |a: &str, b: &str| h.label(h.tree().join(leaf(a).min(leaf(b)), leaf(a).max(leaf(b))));
        assert_eq!(join("BSc", "BSc"), "BSc");
        assert_eq!(join("BSc", "MSc"), "University");
        assert_eq!(join("MSc", "Trade"), "Higher");
        assert_eq!(join("BSc", "Primary"), "*");
        assert_eq!((h.tree().leaves(), h.tree().width(h.tree().root())), (4, 4));
    }

    #[test]
    fn joins_are_what_climbing_finds() {
        // Branches of one, two, three … leaves, two levels deep, and leaves that hang high.
        let branch = |i: u32| (1..).find(|b| b * (b + 1) / 2 > i).unwrap_or(0);
        let line = |i: u32| match i % 13 {
            0 => format!("{i};top;top;*\n"),
            _ => format!("{i};{};{};*\n", branch(i), branch(i) / 3),
        };
        let hierarchy = Hierarchy::parse(&(0..77).map(line).collect::<String>()).unwrap();
        for hierarchy in [hierarchy.with_extra_leaf(), hierarchy] {
            let tree = hierarchy.tree();
            for (low, high) in (0..tree.leaves()).flat_map(|h| (0..=h).map(move |l| (l, h))) {
                let mut node = low;
                while !tree.covers(node, high) {
                    node = tree.parent(node);
                }
                assert_eq!(tree.join(low, high), node);
            }
        }
    }

    #[test]
    fn other_delimiters_quotes_and_single_levels() {
        let h = Hierarchy::parse("\"a,b\",x\nc,x\n").unwrap();
        assert_eq!(h.label(h.tree().join(0, 1)), "x");
        assert!(h.leaf("a,b").is_some());
        let flat = Hierarchy::parse("a\nb\n").unwrap();
        assert_eq!(flat.label(flat.tree().root()), "*");
    }

    #[test]
    fn faults_are_told() {
        assert!(matches!(Hierarchy::parse("a;x\na;y\n"), Err(HierarchyError::Contradiction(_))));
        assert!(matches!(
            Hierarchy::parse("a;x;*\nb;*\n"),
            Err(HierarchyError::Table(TableError::Ragged { line: 2, expected: 3, found: 2 }))
        ));
        assert!(matches!(Hierarchy::parse("\n"), Err(HierarchyError::Table(TableError::Empty))));
        assert!(matches!(Hierarchy::from_paths(Vec::new()), Err(HierarchyError::Empty)));
        let lines = vec![vec!["a".into(), "*".into()], Vec::new()];
        assert!(matches!(Hierarchy::from_paths(lines), Err(HierarchyError::NoValue(2))));
    }

    #[test]
    fn a_level_is_what_its_column_says() {
        let level = |number| Level::from_bytes(EDUCATION.into(), number);
        let label = |number, value| level(number).unwrap().label(value).map(str::to_owned);
        assert_eq!(label(1, "BSc"), label(1, " MSc "));
        assert_eq!(label(2, "Trade").as_deref(), Some("Higher"));
        assert_eq!(label(2, "Primary").as_deref(), Some("Basic"), "as the file repeats it");
        assert_eq!(label(1, "PhD"), None);
        assert!(matches!(level(4), Err(HierarchyError::NoLevel { level: 4, highest: 3 })));
        let twice = |text: &str| Level::from_bytes(text.into(), 1);
        assert!(matches!(twice("a;x\na;y\n"), Err(HierarchyError::Contradiction(_))));
        assert!(twice("a;x\na;x\n").is_ok());
    }

    #[test]
    fn a_missing_value_hangs_under_the_root() {
        let h = Hierarchy::parse(EDUCATION).unwrap().with_extra_leaf();
        assert_eq!(h.label(h.tree().join(0, 4)), "*");
        assert_eq!(h.label(h.tree().join(0, 1)), "University");
        assert_eq!(h.tree().width(h.tree().root()), 5);
        // A root that speaks of values alone does not cover it.
        let codes = ["101", "102", "110"].map(String::from);
        let europe = Hierarchy::parse("Bonn;Germany;Europe\nBern;Switzerland;Europe\nKoeln;Germany;Europe\n");
        for (h, root) in [(Hierarchy::by_prefix(&codes, &[2, 1]).unwrap(), "1*"), (europe.unwrap(), "Europe")]
        {
            let with = h.with_missing();
            assert_eq!([with.label(with.tree().join(0, 2)), with.label(with.tree().join(0, 3))], [root, "*"]);
            assert_eq!(with.with_missing().label(with.tree().root() + 1), "*");
            assert_eq!((with.tree().leaves(), with.tree().root()), (4, h.tree().root() + 2));
        }
    }
}
