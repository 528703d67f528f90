//! What k counts: rows, or the people that a column of counts gives them.

use serde::{Deserialize, Serialize};

/// What the sizes of groups are numbers of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Every row counts one.
    #[default]
    Rows,
    /// The same where rows are drawn on a map by their coordinates.
    Points,
    /// Every row counts as many people as its count column says.
    People,
}

impl Unit {
    /// The unit of a table with or without a column of counts. A column of persons changes nothing here: k
    /// then counts distinct persons besides, but the sizes of groups remain numbers of rows.
    pub fn counted(counts: bool) -> Self {
        if counts { Self::People } else { Self::Rows }
    }

    /// The noun after a number.
    pub fn noun(self, number: u64) -> &'static str {
        match (self, number) {
            (Self::Rows, 1) => "row",
            (Self::Rows, _) => "rows",
            (Self::Points, 1) => "point",
            (Self::Points, _) => "points",
            (Self::People, 1) => "person",
            (Self::People, _) => "people",
        }
    }
}
