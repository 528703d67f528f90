//! What files hold besides the cells of their rows, and no row has.

use serde::{Deserialize, Serialize};

/// Where a file holds something besides its cells.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// The dictionary of a column.
    Dictionary,
    /// The least and the largest value of a column, or of a page of it.
    Statistics,
    /// A Bloom filter.
    Filter,
    /// Texts behind nulls.
    Nulls,
    /// Metadata under this key.
    Metadata(String),
}

/// What a file holds that no row has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hidden {
    /// The column; none for metadata of the file.
    pub column: Option<String>,
    /// Where.
    pub place: Place,
    /// How many values; 1 where that is not known.
    pub values: usize,
}

/// What was found besides the cells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    /// What no row has.
    pub hidden: Vec<Hidden>,
    /// Keys of metadata of which it is not clear whether they are about the schema.
    pub unclear: Vec<String>,
}

impl Place {
    /// As a sentence about so many values, after what holds them.
    pub fn sentence(&self, values: usize) -> String {
        let what = if values == 1 { "a value".to_owned() } else { format!("{values} values") };
        match self {
            Self::Dictionary => format!("has {what} in its dictionary that no row has"),
            Self::Statistics => format!("has {what} in its statistics that no row has"),
            Self::Filter => "has a Bloom filter of values that no row has".to_owned(),
            Self::Nulls => format!("has {what} behind nulls that no row has"),
            Self::Metadata(key) => format!("has {what} in its metadata {key:?} that no cell has"),
        }
    }
}
