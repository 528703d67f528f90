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
    /// The node of every leaf on level 1, on level 2, …; the last level is the root for all.
    above: Vec<Vec<u32>>,
}

/// Trees deeper than this have two levels: their levels would say little, and take much memory.
const MOST_LEVELS: usize = 64;

impl Tree {
    /// Nodes after their children, leaves first: the node above each, and the first and last leaf under it; also
    /// the node of every leaf on every level above the values, the last of which is the root.
    fn new(parent: Vec<u32>, first: Vec<u32>, last: Vec<u32>, leaves: u32, above: Vec<Vec<u32>>) -> Self {
        // Two neighbouring leaves part at one node: a branch on it ends with the first of them, and it goes on.
        let mut joins = vec![0; leaves.saturating_sub(1) as usize];
        for (node, &above) in parent.iter().enumerate() {
            if last[node] < last[above as usize] {
                joins[last[node] as usize] = above;
            }
        }
        let joins = RangeMax::new(joins);
        Self { parent, first, last, leaves, joins, above }
    }

    /// Number of levels, the values and the root included.
    pub fn levels(&self) -> usize {
        self.above.len() + 1
    }

    /// The node of a leaf on a level: itself on level 0, the root on the last one. A missing value is itself on
    /// every level below the root.
    pub fn at_level(&self, level: usize, leaf: u32) -> u32 {
        level.checked_sub(1).map_or(leaf, |above| self.above[above][leaf as usize])
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
    /// The leaf of values that it does not name, if they have one.
    unknown: Option<u32>,
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
        // For every value its branches from the widest down; equal names in a row are one.
        let mut paths: Vec<Vec<usize>> = Vec::new();
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
            let (mut at, mut path): (usize, Vec<usize>) = (0, Vec::with_capacity(wider.len()));
            for (level, label) in wider.iter().enumerate().rev() {
                if wider.get(level + 1) != Some(label) {
                    at = *known.entry((at, label.clone())).or_insert_with(|| {
                        branches.push(Branch::new(label.clone()));
                        let new = branches.len() - 1;
                        branches[at].branches.push(new);
                        new
                    });
                }
                path.push(at);
            }
            paths.push(path);
            branches[at].leaves.push(values.len());
            values.push(value.clone());
            seen.insert(value, line);
        }
        if seen.is_empty() {
            Err(HierarchyError::Empty)
        } else {
            Ok(Self::build(values, branches, 0, Some(paths)))
        }
    }

    /// A hierarchy of codes by their beginnings of these lengths, longest first: `E11.9`, `E11*`, `E*`, `*`. Lengths
    /// count characters; a code has no beginning longer than itself, and stays as it is on such a level.
    pub(crate) fn by_prefix(codes: &[String], lengths: &[usize]) -> Result<Self, HierarchyError> {
        let path = |code: &String| {
            let letters: Vec<char> = code.chars().collect();
            let beginning = |&length: &usize| match letters.get(..length) {
                Some(start) => start.iter().chain(&['*']).collect(),
                None => code.clone(),
            };
            let wider = lengths.iter().map(beginning);
            [code.clone()].into_iter().chain(wider).chain(["*".to_owned()]).collect()
        };
        Self::from_paths(codes.iter().map(path).collect())
    }

    /// A hierarchy of these values, each on one of the branches. Every branch has a value on it or below. Level 1
    /// is the branch that a value hangs on; on shallow branches the widest below the root stands for all levels
    /// up to it.
    pub(crate) fn from_branches(values: Vec<String>, branches: Vec<Branch>, root: usize) -> Self {
        Self::build(values, branches, root, None)
    }

    /// The same, where the branches of every value on all levels are known, from the widest down.
    fn build(
        mut values: Vec<String>,
        mut branches: Vec<Branch>,
        mut root: usize,
        paths: Option<Vec<Vec<usize>>>,
    ) -> Self {
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
        // Branches above the root are no nodes: it stands for them.
        let top = leaves + nodes.len() as u32 - 1;
        let mut node_of = vec![top; branches.len()];
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
        let above = match paths {
            Some(paths) => {
                ladder(order.iter().map(|&value| paths[value].iter().rev().map(|&b| node_of[b])), top)
            }
            None => ladder_of_branches(&parent, leaves),
        };
        Self { tree: Tree::new(parent, first, last, leaves, above), labels, leaf_of, unknown: None }
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
            let Tree { mut parent, mut first, mut last, leaves, mut above, .. } = new.tree;
            let star = parent.len() as u32;
            // Where the root has two levels, the upper one is the star's.
            let below = star - 1;
            if above.len() > 1 && above[above.len() - 2].iter().all(|&node| node == below) {
                above.pop();
            }
            above.push(vec![star; leaves as usize]);
            parent[below as usize] = star;
            parent.push(star);
            first.push(0);
            last.push(leaves - 1);
            new.tree = Tree::new(parent, first, last, leaves, above);
            new.labels.push("*".to_owned());
        }
        new.with_extra_leaf()
    }

    /// The same hierarchy with a leaf for values that it does not name: called as the root, which covers them.
    pub(crate) fn with_unknown(&self) -> Self {
        let mut new = self.with_missing();
        let leaf = new.tree.leaves - 1;
        new.labels[leaf as usize] = new.label(new.tree.root()).to_owned();
        new.unknown = Some(leaf);
        new
    }

    /// The leaf of values that it does not name, if they have one.
    pub(crate) fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// Cut at a level: the nodes on it become the leaves, and values are known by the node that they are under. Also
    /// the new leaf of every old one.
    pub(crate) fn cut(&self, level: usize) -> (Self, Vec<u32>) {
        let tree = &self.tree;
        let (root, level) = (tree.root(), level.min(tree.levels() - 1));
        let (mut leaf_of_leaf, mut nodes) = (Vec::new(), Vec::new());
        for leaf in 0..tree.leaves {
            let node = tree.at_level(level, leaf);
            if nodes.last() != Some(&node) {
                nodes.push(node);
            }
            leaf_of_leaf.push(nodes.len() as u32 - 1);
        }
        // What is above the cut; the root is, in any case.
        let mut above = vec![false; tree.nodes() as usize];
        above[root as usize] = true;
        for &node in &nodes {
            let mut at = tree.parent(node);
            while !above[at as usize] {
                above[at as usize] = true;
                at = tree.parent(at);
            }
        }
        let leaves = nodes.len() as u32;
        let mut number = vec![0; tree.nodes() as usize];
        let inner = (0..tree.nodes()).filter(|&node| above[node as usize]);
        let mut kept = nodes.clone();
        for node in inner {
            number[node as usize] = kept.len() as u32;
            kept.push(node);
        }
        let parent = kept.iter().map(|&node| number[tree.parent(node) as usize]).collect();
        let span = |(at, &node): (usize, &u32)| {
            let (first, last) = tree.span(node);
            let ends = (leaf_of_leaf[first as usize], leaf_of_leaf[last as usize]);
            if at < nodes.len() { (at as u32, at as u32) } else { ends }
        };
        let (first, last): (Vec<u32>, Vec<u32>) = kept.iter().enumerate().map(span).unzip();
        let mut first_leaf = vec![0; nodes.len()];
        (0..).zip(&leaf_of_leaf).for_each(|(leaf, &own)| first_leaf[own as usize] = leaf);
        let on = |level: usize| {
            let node_of = |(own, &leaf): (usize, &u32)| {
                let node = tree.at_level(level, leaf);
                if node == nodes[own] && node != root { own as u32 } else { number[node as usize] }
            };
            first_leaf.iter().enumerate().map(node_of).collect()
        };
        let mut levels: Vec<Vec<u32>> = (level + 1..tree.levels()).map(on).collect();
        if levels.is_empty() {
            levels.push(vec![number[root as usize]; nodes.len()]);
        }
        let labels = kept.iter().map(|&node| self.labels[node as usize].clone()).collect();
        let leaf = |old: u32| leaf_of_leaf[old as usize];
        let leaf_of = self.leaf_of.iter().map(|(value, &old)| (value.clone(), leaf(old))).collect();
        let tree = Tree::new(parent, first, last, leaves, levels);
        (Self { tree, labels, leaf_of, unknown: self.unknown.map(leaf) }, leaf_of_leaf)
    }

    /// Cut at a level, where cells are the names of that level already.
    pub(crate) fn of_names(&self, level: usize) -> Self {
        let mut cut = self.cut(level).0;
        let named = |leaf: u32| (cut.labels[leaf as usize].clone(), leaf);
        cut.leaf_of = (0..cut.tree.leaves).rev().map(named).collect();
        cut
    }

    /// Calls the leaves anew; an empty name keeps the old one.
    pub(crate) fn rename_leaves(&mut self, name: impl Fn(&str) -> String) {
        for label in &mut self.labels[..self.tree.leaves as usize] {
            *label = name(label);
        }
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
        let mut above = self.tree.above.clone();
        for (level, nodes) in above.iter_mut().enumerate() {
            nodes.iter_mut().for_each(|node| *node = shift(*node));
            nodes.push(if level + 1 < self.tree.above.len() { old } else { root });
        }
        let mut new = self.clone();
        new.tree = Tree::new(parent, first, last, old + 1, above);
        new.labels.insert(old as usize, String::new());
        new
    }
}

/// The nodes of all leaves on every level above the values, given leaf by leaf from level 1 up; the root is the
/// last level.
fn ladder(leaves: impl Iterator<Item: Iterator<Item = u32>> + Clone, root: u32) -> Vec<Vec<u32>> {
    let number = leaves.clone().count();
    let levels = leaves.clone().map(Iterator::count).max().unwrap_or(0);
    let mut above = vec![vec![root; number]; levels];
    for (leaf, nodes) in leaves.enumerate() {
        above.iter_mut().zip(nodes).for_each(|(level, node)| level[leaf] = node);
    }
    if above.last().is_none_or(|last| last.iter().any(|&node| node != root)) {
        above.push(vec![root; number]);
    }
    above
}

/// The same for a tree of which only the branches are known.
fn ladder_of_branches(parent: &[u32], leaves: u32) -> Vec<Vec<u32>> {
    let root = parent.len() as u32 - 1;
    let mut depth = vec![0usize; parent.len()];
    for node in (0..root).rev() {
        depth[node as usize] = depth[parent[node as usize] as usize] + 1;
    }
    let deepest = depth[..leaves as usize].iter().copied().max().unwrap_or(0);
    if deepest > MOST_LEVELS {
        return vec![vec![root; leaves as usize]];
    }
    let climb = |leaf: u32| {
        let step = move |&node: &u32| {
            let next = parent[node as usize];
            Some(if next == root { node } else { next })
        };
        std::iter::successors(Some(leaf), step).skip(1).take(deepest.saturating_sub(1))
    };
    ladder((0..leaves).map(climb), root)
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
    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        &self.label
    }

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

    /// What the values are called on every level, in the order of the leaves.
    fn ladder_of(h: &Hierarchy) -> Vec<Vec<&str>> {
        let tree = h.tree();
        let level = |level| (0..tree.leaves()).map(|leaf| h.label(tree.at_level(level, leaf))).collect();
        (0..tree.levels()).map(level).collect()
    }

    #[test]
    fn every_leaf_is_on_every_level() {
        let h = Hierarchy::parse(EDUCATION).unwrap();
        let levels = [
            vec!["Primary", "Trade", "BSc", "MSc"],
            vec!["Basic", "Vocational", "University", "University"],
            vec!["Basic", "Higher", "Higher", "Higher"],
            vec!["*"; 4],
        ];
        let mut found = ladder_of(&h);
        found.iter_mut().for_each(|level| level.sort_unstable());
        assert_eq!(
            found,
            levels.map(|mut level| {
                level.sort_unstable();
                level
            })
        );
        let basic = |level| h.tree().at_level(level, h.leaf("Primary").unwrap());
        assert_eq!(basic(1), basic(2), "one node on both levels");
        // Missing values stay apart below the root; a root with a name gets a level above it.
        let codes = ["E11.9", "E11", "E", "F20"].map(String::from);
        let prefix = Hierarchy::by_prefix(&codes, &[3, 1]).unwrap();
        assert_eq!(
            ladder_of(&prefix)[1..],
            [vec!["E11*", "E11*", "E", "F20*"], vec!["E*", "E*", "E*", "F*"], vec!["*"; 4]]
        );
        let missing = prefix.with_missing();
        assert_eq!(
            ladder_of(&missing)[1..],
            [vec!["E11*", "E11*", "E", "F20*", ""], vec!["E*", "E*", "E*", "F*", ""], vec!["*"; 5]]
        );
        for file in
            ["Bonn;Germany;Europe\nRome;Italy;Europe\n", "Bonn;Germany;Europe;*\nRome;Italy;Europe;*\n"]
        {
            let h = Hierarchy::parse(file).unwrap();
            assert_eq!(h.tree().levels(), file.lines().next().unwrap().split(';').count());
            let missing = h.with_missing();
            let ladder = ladder_of(&missing);
            assert_eq!(
                ladder[1..],
                [vec!["Germany", "Italy", ""], vec!["Europe", "Europe", ""], vec!["*"; 3]]
            );
        }
        assert_eq!(ladder_of(&Hierarchy::parse("a\nb\n").unwrap()), [vec!["a", "b"], vec!["*"; 2]]);
        // The same name on two branches, or on two levels that are not neighbours, is two nodes.
        let h = Hierarchy::parse("a;x;y;x;*\nb;x;z;x;*\nc;x;x;x;*\n").unwrap();
        let nodes = |level| {
            (0..3).map(|leaf| h.tree().at_level(level, leaf)).collect::<std::collections::BTreeSet<u32>>()
        };
        assert_eq!([1, 2, 3, 4].map(|level| nodes(level).len()), [3, 3, 1, 1]);
    }

    #[test]
    fn branches_alone_have_levels() {
        let mut branches: Vec<Branch> = ["*", "A", "B"].map(|l| Branch::new(l.to_owned())).into();
        branches[0].branches.push(1);
        branches[0].leaves.push(2);
        branches[1].branches.push(2);
        branches[1].leaves.push(1);
        branches[2].leaves.push(0);
        let h = Hierarchy::from_branches(["b", "a", "r"].map(String::from).into(), branches, 0);
        let by_leaf = ["r", "a", "b"].map(|value| h.leaf(value).unwrap());
        let names = |level| by_leaf.map(|leaf| h.label(h.tree().at_level(level, leaf)));
        assert_eq!([1, 2, 3].map(names), [["r", "A", "B"], ["r", "A", "A"], ["*", "*", "*"]]);
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
