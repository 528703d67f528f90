//! What a release is still good for, for machines. Shares of bins are statistics of the original: they say how
//! many people have which values, though not which.

use serde::Serialize;

/// What a release is still good for, against its original.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UtilityReport {
    /// Rows of the original.
    pub rows: usize,
    /// Rows of the release.
    pub released: usize,
    /// Every quasi-identifier alone.
    pub columns: Vec<ColumnUtility>,
    /// Every pair of quasi-identifiers.
    pub pairs: Vec<PairUtility>,
    /// Random range queries.
    pub queries: QueryUtility,
    /// A model that predicts a column, if one was named.
    pub target: Option<TargetUtility>,
}

/// The distribution of a quasi-identifier before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnUtility {
    /// The column.
    pub column: String,
    /// Whether bins have an order.
    pub ordered: bool,
    /// Total variation distance, 0 to 1: the share of people who would have to change bins.
    pub distance: f64,
    /// Earth mover's distance over the range, 0 to 1, where bins have an order.
    pub earth_mover: Option<f64>,
    /// The share of people whose cell is a star.
    pub starred: f64,
    /// The share of people in every bin of the original; the last bin is for missing values.
    pub before: Vec<f64>,
    /// The same of the release, by uniform spreading.
    pub after: Vec<f64>,
}

/// How two columns go together before and after: mutual information in bits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairUtility {
    /// The columns.
    pub columns: [String; 2],
    /// In the original.
    pub before: f64,
    /// In the release.
    pub after: f64,
}

/// The relative error of random range queries on two columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueryUtility {
    /// How many were asked.
    pub queries: usize,
    /// Half of the errors are smaller.
    pub median_error: f64,
    /// Nine tenths of the errors are smaller.
    pub high_error: f64,
    /// The same if every row counts whose cells overlap the range.
    pub median_error_without_spreading: f64,
    /// The same for nine tenths.
    pub high_error_without_spreading: f64,
}

/// The accuracy of a model that predicts a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TargetUtility {
    /// The column.
    pub column: String,
    /// The model.
    pub model: &'static str,
    /// Values that it tells apart.
    pub classes: usize,
    /// Rows of the original that it was tested on.
    pub tested_rows: usize,
    /// Whether it was not trained on them; rows of a release in another order are not recognised.
    pub held_out: bool,
    /// Trained on the original.
    pub accuracy_before: f64,
    /// Trained on the release.
    pub accuracy_after: f64,
    /// What guessing the commonest value gets right.
    pub base_rate: f64,
}
