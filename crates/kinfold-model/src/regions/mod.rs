//! Regions and which of them touch: postcodes, counties. A group of regions is published as a connected area.
//!
//! The file lists pairs of regions that touch, one per line, under a header; a region without neighbours
//! stands alone on its line. A second file may tell how many people live in each and where it lies
//! ([`Nodes`]). Under objective `group-size` areas are any connected sets. Under objectives by cell they come
//! from one nested scheme (`areas`), the same for everybody who has the file, so that a cell's loss is that
//! of a hierarchy.

mod areas;
mod graph;
mod nodes;

pub use areas::areas;
pub use graph::Graph;
pub use nodes::Nodes;

use crate::hierarchy::Hierarchy;
use crate::table::TableError;
use crate::value::Number;
use nodes::lines_of;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// Regions, which of them touch, and their nested areas.
#[derive(Debug, Clone)]
pub struct Regions {
    /// Sorted.
    names: Vec<String>,
    graph: Arc<Graph>,
    living: Option<Vec<u64>>,
    centroids: Option<Vec<Option<[Number; 2]>>>,
    /// Made when it is asked for: on a large map that takes longer than anything else here, and objective
    /// `group-size` does without.
    hierarchy: OnceLock<Arc<Hierarchy>>,
}

impl PartialEq for Regions {
    fn eq(&self, other: &Self) -> bool {
        // Nested areas follow from the rest.
        (&self.names, &self.graph, &self.living, &self.centroids)
            == (&other.names, &other.graph, &other.living, &other.centroids)
    }
}

impl Eq for Regions {}

/// What is wrong with a file of regions.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RegionsError {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("it has {0} column{s}, not two", s = if *.0 == 1 { "" } else { "s" })]
    Columns(usize),
    #[error("it is empty")]
    Blank,
    /// The first line is one of the pairs, and would be taken for a header.
    #[error("its first line is a pair of regions: write a header such as a,b first")]
    Headless,
    #[error("it names no regions")]
    Empty,
    #[error("it has neither a column `people` nor columns `x` and `y`")]
    Nothing,
    #[error("its first column must name the region, not {0}")]
    Unnamed(String),
    #[error("lines {} and {} disagree on region {region:?}: keep one of them", lines[0], lines[1])]
    Twice { lines: [u64; 2], region: String },
    #[error("line {line}: {column} is not {wanted}")]
    Node { line: u64, column: String, wanted: &'static str },
}

impl Regions {
    /// Reads the text of a file of pairs, and puts to it what is known of the regions.
    pub(crate) fn parse(text: &str, nodes: &Nodes) -> Result<Self, RegionsError> {
        let lines = lines_of(text)?;
        let Some((header, lines)) = lines.split_first() else { return Err(RegionsError::Blank) };
        let [first, second] = header.as_slice() else { return Err(RegionsError::Columns(header.len())) };
        let pairs: Vec<(&str, &str)> =
            lines.iter().map(|line| (line[0].trim_ascii(), line[1].trim_ascii())).collect();
        let listed = |title: &str| pairs.iter().any(|&(a, b)| title == a || title == b);
        if [first, second].map(|title| title.trim_ascii()).iter().all(|t| !t.is_empty() && listed(t)) {
            return Err(RegionsError::Headless);
        }
        let named = pairs.iter().flat_map(|&(a, b)| [a, b]).chain(nodes.names.iter().map(String::as_str));
        let mut names: Vec<String> = named.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return Err(RegionsError::Empty);
        }
        let edges: Vec<(u32, u32)> =
            pairs.iter().filter_map(|(a, b)| Some((number(&names, a)?, number(&names, b)?))).collect();
        let graph = Graph::new(names.len(), &edges);
        let told = |known: &BTreeMap<String, u64>| {
            names.iter().map(|n| known.get(n).copied().unwrap_or(0)).collect()
        };
        let living: Option<Vec<u64>> = nodes.people.as_ref().map(told);
        let placed =
            |known: &BTreeMap<String, [Number; 2]>| names.iter().map(|n| known.get(n).copied()).collect();
        let centroids = nodes.centroids.as_ref().map(placed);
        Ok(Self { names, graph: Arc::new(graph), living, centroids, hierarchy: OnceLock::new() })
    }

    /// What the regions are called, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        number(&self.names, name).or_else(|| number(&self.names, name.trim_ascii()))
    }

    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    pub(crate) fn hierarchy(&self) -> &Arc<Hierarchy> {
        self.hierarchy.get_or_init(|| {
            let alike = vec![1; self.names.len()];
            Arc::new(areas(&self.graph, &self.names, self.living.as_ref().unwrap_or(&alike)))
        })
    }

    /// How many people live in each region, if that is told; at least one. Where nobody lives is still a
    /// place that somebody was, so blurring it must cost something; and if nobody lives anywhere, regions
    /// count alike.
    pub(crate) fn people(&self) -> Option<Vec<u64>> {
        Some(self.living.as_ref()?.iter().map(|&living| living.max(1)).collect())
    }

    /// Where each region lies, across and up, if that is told of any.
    pub fn centroids(&self) -> Option<&[Option<[Number; 2]>]> {
        self.centroids.as_deref()
    }
}

/// The number of a region among sorted names.
fn number(names: &[String], name: &str) -> Option<u32> {
    names.binary_search_by(|known| known.as_str().cmp(name)).ok().map(|number| number as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_a_graph_and_nested_areas() {
        let regions = Regions::parse("a,b\nN,W\nW,S\nS,E\nE,N\nIsland,\n", &Nodes::default()).unwrap();
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
    fn a_file_of_regions_adds_those_that_touch_none() {
        let nodes = Nodes::parse("region,people,x,y\nA,90,0,0\nB,5,1,0\nIsland,5,9,9\n").unwrap();
        let regions = Regions::parse("a,b\nA,B\nB,C\n", &nodes).unwrap();
        assert_eq!(regions.names(), ["A", "B", "C", "Island"]);
        assert_eq!(regions.people().unwrap(), [90, 5, 1, 5], "nobody is told of C, which counts one");
        assert_eq!(regions.centroids().unwrap()[2], None, "C is not in the file");
        // The emptiest areas are joined first: B takes C before A.
        let hierarchy = regions.hierarchy();
        let tree = hierarchy.tree();
        let leaf = |name| hierarchy.leaf(name).unwrap();
        let (first, last) = (leaf("B").min(leaf("C")), leaf("B").max(leaf("C")));
        assert_eq!(hierarchy.label(tree.join(first, last)), "B+C");
    }

    #[test]
    fn faults_are_told() {
        assert!(matches!(Regions::parse("a;b;c\nx;y;z\n", &Nodes::default()), Err(RegionsError::Columns(3))));
        assert!(matches!(Regions::parse("a,b\n", &Nodes::default()), Err(RegionsError::Empty)));
        let fault = |text| Regions::parse(text, &Nodes::default()).unwrap_err().to_string();
        assert_eq!(fault(""), "it is empty");
        assert_eq!(fault("region\nN\nS\n"), "it has 1 column, not two");
        assert_eq!(fault("a;b;c\n"), "it has 3 columns, not two");
        let headless = "its first line is a pair of regions: write a header such as a,b first";
        assert_eq!(fault("N,W\nW,S\nS,N\n"), headless);
        // One name alone may be a region's, too.
        assert!(Regions::parse("N,W\nW,S\n", &Nodes::default()).is_ok());
        assert!(Regions::parse("N,\nN,S\n", &Nodes::default()).is_ok());
    }

    #[test]
    fn a_region_without_people_counts_one() {
        let nodes = Nodes::parse("region,people\nA,0\nB,\n").unwrap();
        let regions = Regions::parse("a,b\nA,B\nB,C\n", &nodes).unwrap();
        assert_eq!(regions.people().unwrap(), [1, 1, 1], "where nobody lives regions count alike");
    }
}
