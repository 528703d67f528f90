//! Tables whose best release is known, for people who test solvers: hard problems whose answer is known, read
//! as tables (the reductions of the papers), and tables around a grouping that nothing can beat.
//!
//! | family | objective | from | the best release |
//! |---|---|---|---|
//! | [`vertex_cover`] | stars, k = 7 | *complexity*, Theorem 3.1 | 27r + 2\|E\| + 14 and the smallest cover of a 3-regular graph of r vertices |
//! | [`Hypergraph`], cells | stars | *suppress*, Theorem 3.1 | n(m − 1) for n vertices and m edges of k vertices with a perfect matching |
//! | [`Hypergraph`], columns | columns | *suppress*, Theorem 3.2 | m − n/k |
//! | labels | group-size | planted | k: labels were made by cutting groups of k into pieces |
//! | points | group-size | planted | k: rectangles of k people that lines part |

mod graph;
mod matching;
mod planted;

pub use graph::{Graph, vertex_cover};
use kinfold::model::{Objective, Table, TableError};
use kinfold::toolkit::Random;
use kinfold::{Unsupported, Word};
pub use matching::Hypergraph;
use planted::{labels, points};
use std::fmt::Write as _;

/// A table with its policy, and what the best release costs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instance {
    /// What the table shows and why its optimum is known, in a line.
    pub title: String,
    /// Minimum number of people in a group (equivalence class).
    pub k: u64,
    /// What is minimised.
    pub objective: Objective,
    /// The columns' names, and what the policy says of them.
    pub columns: Vec<(String, &'static str)>,
    /// The cells of every row.
    pub rows: Vec<Vec<String>>,
    /// What the best release costs: stars, columns, or people in the largest group.
    pub optimum: u64,
    /// The group of every row in a best release; empty where none is known.
    pub group_of: Vec<u32>,
}

const LABEL: &str = "{ role = \"quasi\", kind = \"category\" }";

impl Instance {
    /// The table.
    pub fn table(&self) -> Result<Table, TableError> {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let rows: Vec<Vec<&str>> =
            self.rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        Table::from_cells(&names, &rows)
    }

    /// The table as CSV; no cell needs quotes.
    pub fn csv(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
            let _ = writeln!(text, "{}", row.join(","));
        }
        text
    }

    /// The policy as TOML, with the optimum in a comment.
    pub fn policy(&self) -> String {
        let mut text = format!(
            "# {}\n# optimum = {}\nk = {}\nobjective = \"{}\"\n\n[columns]\n",
            self.title,
            self.optimum,
            self.k,
            self.objective.word()
        );
        for (name, role) in self.columns.iter().filter(|(_, role)| !role.is_empty()) {
            let _ = writeln!(text, "{name} = {role}");
        }
        if self.columns.iter().any(|(_, role)| role.is_empty()) {
            text += "\"x/y\" = { role = \"quasi\", kind = \"point\" }\n";
        }
        text
    }
}

/// The kinds of tables that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The smallest vertex cover of a graph of `size` vertices.
    VertexCover,
    /// A perfect matching of `size` edges, for stars.
    Matching,
    /// The same, for whole columns.
    Columns,
    /// Labels for `size` groups.
    Labels,
    /// Points for `size` rectangles.
    Points,
}

impl Word for Family {
    const WHAT: &'static str = "family";
    const WORDS: &'static [(&'static str, Self, &'static str)] = &[
        (
            "vertex-cover",
            Self::VertexCover,
            "Objective stars, k = 7: the smallest vertex cover of a graph of three neighbours each",
        ),
        ("matching", Self::Matching, "Objective stars: a perfect matching of a hypergraph"),
        ("columns", Self::Columns, "Objective columns: a perfect matching of a hypergraph"),
        ("labels", Self::Labels, "Objective group-size: groups of exactly size k, cut into labels"),
        ("points", Self::Points, "Objective group-size: points in rectangles of exactly k"),
    ];
}

/// The largest table that is written: cells.
const MOST_CELLS: usize = 50_000_000;

impl Family {
    /// A table of this family, the same for the same seed.
    pub fn instance(self, size: usize, k: u64, seed: u64) -> Result<Instance, Unsupported> {
        let declined = |why: String| Err(Unsupported(why));
        if k < 2 {
            return declined(format!("k is {k}, but it must be at least 2"));
        }
        if self == Self::VertexCover && k != graph::K {
            return declined(format!("tables of vertex covers are for k = {}, not for k = {k}", graph::K));
        }
        if size == 0 {
            return declined("a table of size 0 has no rows".into());
        }
        let mut random = Random::new(seed);
        let people = size.checked_mul(usize::try_from(k).unwrap_or(usize::MAX));
        let cells = people.and_then(|people| match self {
            Self::Matching | Self::Columns => people.checked_mul(2 * size),
            Self::Points => people.checked_mul(2),
            _ => Some(size.saturating_mul(planted::PIECES)),
        });
        if cells.is_none_or(|cells| cells > MOST_CELLS) {
            return declined(format!("a table of size {size} with k = {k} is too large"));
        }
        match self {
            Self::VertexCover => Ok(vertex_cover(&Graph::cubic(size, seed)?)),
            Self::Matching => Ok(Hypergraph::planted(size, k as usize, size, &mut random).cells()),
            Self::Columns => Ok(Hypergraph::planted(size, k as usize, size, &mut random).columns()),
            Self::Labels => Ok(labels(size, k, &mut random)),
            Self::Points => Ok(points(size, k, &mut random)),
        }
    }
}
