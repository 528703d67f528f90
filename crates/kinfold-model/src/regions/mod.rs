//! Regions and which of them touch: postcodes, counties. A group of regions is published as a connected area.
//!
//! The file lists pairs of regions that touch, one per line, under a header; a region without neighbours stands alone on
//! its line. Under objective `group-size` areas are any connected sets. Under objectives by cell they come from one nested
//! scheme ([`areas`]), the same for everybody who has the file, so that a cell's loss is that of a hierarchy.

mod areas;
mod graph;

pub use areas::areas;
pub use graph::Graph;

use crate::hierarchy::Hierarchy;
use crate::table::{TableError, read_cells};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Regions, which of them touch, and their nested areas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    names: Vec<String>,
    number_of: BTreeMap<String, u32>,
    graph: Arc<Graph>,
    hierarchy: Arc<Hierarchy>,
}

/// What is wrong with a file of regions.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegionsError {
    /// It cannot be read as a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Not two columns.
    #[error("it has {0} columns, not two")]
    Columns(usize),
    /// No pair at all.
    #[error("it names no regions")]
    Empty,
}

impl Regions {
    /// Reads a file of pairs.
    pub fn open(path: &Path) -> Result<Self, RegionsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| TableError::Io { path: path.to_owned(), source })?;
        Self::parse(&text)
    }

    /// Reads the text of such a file.
    pub fn parse(text: &str) -> Result<Self, RegionsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let header = text.lines().next().unwrap_or_default();
        let delimiter =
            [b',', b';', b'\t'].into_iter().find(|&d| header.as_bytes().contains(&d)).unwrap_or(b',');
        let lines = read_cells(text, delimiter)?;
        let columns = lines.first().map_or(0, Vec::len);
        if columns != 2 {
            return Err(RegionsError::Columns(columns));
        }
        let pairs: Vec<(&str, &str)> =
            lines[1..].iter().map(|line| (line[0].trim_ascii(), line[1].trim_ascii())).collect();
        let named = pairs.iter().flat_map(|&(a, b)| [a, b]).filter(|name| !name.is_empty());
        let mut names: Vec<String> = named.map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return Err(RegionsError::Empty);
        }
        let number_of: BTreeMap<String, u32> = names.iter().cloned().zip(0..).collect();
        let edges: Vec<(u32, u32)> =
            pairs.iter().filter_map(|(a, b)| Some((*number_of.get(*a)?, *number_of.get(*b)?))).collect();
        let graph = Graph::new(names.len(), &edges);
        let hierarchy = Arc::new(areas(&graph, &names));
        Ok(Self { names, number_of, graph: Arc::new(graph), hierarchy })
    }

    /// What the regions are called, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a region.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.number_of.get(name).or_else(|| self.number_of.get(name.trim_ascii())).copied()
    }

    /// Which regions touch.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The nested areas.
    pub fn hierarchy(&self) -> &Arc<Hierarchy> {
        &self.hierarchy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_a_graph_and_nested_areas() {
        let regions = Regions::parse("a,b\nN,W\nW,S\nS,E\nE,N\nIsland,\n").unwrap();
        assert_eq!(regions.names(), ["E", "Island", "N", "S", "W"]);
        let numbers = |names: &[&str]| names.iter().map(|n| regions.number(n).unwrap()).collect::<Vec<u32>>();
        assert!(regions.graph().connects(&numbers(&["N", "W", "S"])));
        assert!(!regions.graph().connects(&numbers(&["N", "S"])));
        // Every area but the whole is connected.
        let hierarchy = regions.hierarchy();
        let tree = hierarchy.tree();
        for node in tree.leaves()..tree.root() {
            let (first, last) = tree.span(node);
            let inside: Vec<u32> =
                (first..=last).map(|leaf| regions.number(hierarchy.label(leaf)).unwrap()).collect();
            assert!(regions.graph().connects(&inside), "{}", hierarchy.label(node));
        }
        assert_eq!(hierarchy.label(tree.root()), "*");
    }

    #[test]
    fn faults_are_told() {
        assert!(matches!(Regions::parse("a;b;c\nx;y;z\n"), Err(RegionsError::Columns(3))));
        assert!(matches!(Regions::parse("a,b\n"), Err(RegionsError::Empty)));
    }
}
