//! What the verifier found, for machines.

use super::{ModelReport, ReachedReport};
use kinfold_model::verify::Truth;
use kinfold_model::{Unit, Verdict};
use serde::Serialize;

/// What the verifier found in a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VerifyReport {
    /// Whether the release fulfils the policy, as far as that was decided.
    pub safe: bool,
    /// Rows of the release.
    pub rows: usize,
    /// The least group size.
    pub k: u64,
    /// What sizes are numbers of.
    pub unit: Unit,
    /// Groups of rows that look alike.
    pub groups: usize,
    /// People in the smallest group.
    pub smallest_group: u64,
    /// People in the largest group.
    pub largest_group: u64,
    /// Groups that are too small, by size.
    pub groups_below_k: Vec<GroupsOfSize>,
    /// Groups that tell another size than they have.
    pub miscounted_groups: usize,
    /// Columns that should not be there.
    pub forbidden_columns: Vec<ForbiddenColumn>,
    /// Columns with cells whose ends are not rounded as the policy says.
    pub unrounded_columns: Vec<UnroundedColumn>,
    /// Columns with cells outside the levels that the policy allows.
    pub off_level_columns: Vec<UnroundedColumn>,
    /// Under global recoding, whether every quasi-identifier is published at one level.
    pub one_coding: Option<bool>,
    /// Those that are not.
    pub coded_twice: Vec<String>,
    /// What the file holds besides its rows, and no row has.
    pub hidden: Vec<HiddenReport>,
    /// Metadata of the file that could not be told from a schema.
    pub metadata_not_checked: Vec<String>,
    /// Columns that the policy says nothing of.
    pub unlisted_columns: Vec<String>,
    /// Those of them that are named like a quasi-identifier or an identifier.
    pub variant_columns: Vec<VariantColumn>,
    /// The privacy models that the policy asks for.
    pub models: Vec<ModelReport>,
    /// How many of them were not decided: `safe` says nothing of these.
    pub models_not_decided: usize,
    /// What the release reaches on every sensitive column.
    pub reached: Vec<ReachedReport>,
    /// The share of rows that no other row equals on all columns that are published unchanged.
    pub unique_on_unchanged: f64,
    /// What the comparison with the original found, if there was one.
    #[serde(flatten)]
    pub truth: Option<TruthReport>,
}

/// How many groups have a size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupsOfSize {
    /// People in each.
    pub size: u64,
    /// How many groups.
    pub groups: usize,
}

/// A column that should not be in a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForbiddenColumn {
    /// Its name.
    pub column: String,
    /// Why.
    pub why: &'static str,
}

/// A column that publishes other ends than the policy rounds to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnroundedColumn {
    /// Its name.
    pub column: String,
    /// In how many rows.
    pub rows: usize,
}

/// A column without a role that is named like another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantColumn {
    /// Its name.
    pub column: String,
    /// The quasi-identifier or identifier.
    pub of: String,
}

/// What a file holds besides its rows, and no row has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HiddenReport {
    /// The column; none for metadata of the file.
    pub column: Option<String>,
    /// Where, as a sentence.
    pub what: String,
}

/// What a comparison with the original found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TruthReport {
    /// Whether every row of the release is a row of the original, published less precisely, and no more are
    /// left out than may be.
    #[serde(rename = "true")]
    pub holds: bool,
    /// Rows of the release that are no row of the original.
    pub invented_rows: usize,
    /// People of the original that are left out.
    pub withheld_people: u64,
    /// Rows of the original that are left out.
    pub withheld_rows: usize,
    /// People that may be left out.
    pub may_withhold: u64,
    /// Columns that should be published and are not.
    pub absent_columns: Vec<String>,
    /// Columns with cells that do not cover the original, where rows are in the same order.
    pub uncovered_cells: Vec<UncoveredCells>,
    /// Whether more is left out than may be.
    #[serde(skip)]
    pub lost: bool,
}

/// Cells of a column that do not cover the original.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UncoveredCells {
    /// The column.
    pub column: String,
    /// How many cells.
    pub cells: usize,
}

impl VerifyReport {
    /// What the verifier found, and how the release compares with the original.
    pub fn new(verdict: &Verdict, truth: Option<&Truth>) -> Self {
        let below = verdict.below_k.iter();
        let forbidden = verdict.forbidden.iter();
        Self {
            safe: verdict.safe(),
            rows: verdict.rows,
            k: verdict.k,
            unit: verdict.unit,
            groups: verdict.groups,
            smallest_group: verdict.smallest,
            largest_group: verdict.largest,
            groups_below_k: below.map(|(&size, &groups)| GroupsOfSize { size, groups }).collect(),
            miscounted_groups: verdict.miscounted,
            forbidden_columns: forbidden
                .map(|(column, why)| ForbiddenColumn { column: column.clone(), why: why.sentence() })
                .collect(),
            unrounded_columns: (verdict.unrounded.iter())
                .map(|(column, rows)| UnroundedColumn { column: column.clone(), rows: *rows })
                .collect(),
            off_level_columns: (verdict.off_level.iter())
                .map(|(column, rows)| UnroundedColumn { column: column.clone(), rows: *rows })
                .collect(),
            one_coding: (!verdict.codings.is_empty()).then(|| verdict.coded_twice().is_none()),
            coded_twice: (verdict.codings.iter().filter(|coded| !coded.once()))
                .map(|coded| coded.column.clone())
                .collect(),
            hidden: (verdict.hidden.iter())
                .map(|h| HiddenReport { column: h.column.clone(), what: h.place.sentence(h.values) })
                .collect(),
            metadata_not_checked: verdict.unclear.clone(),
            unlisted_columns: verdict.unlisted.clone(),
            variant_columns: (verdict.variants.iter())
                .map(|(column, of)| VariantColumn { column: column.clone(), of: of.clone() })
                .collect(),
            models: ModelReport::list(verdict),
            models_not_decided: verdict.undecided().count(),
            reached: ReachedReport::list(verdict),
            unique_on_unchanged: verdict.unique_as_kept,
            truth: truth.map(TruthReport::new),
        }
    }

    /// Whether the release is safe and, where that was asked, true.
    pub fn good(&self) -> bool {
        self.safe && self.truth.as_ref().is_none_or(|truth| truth.holds)
    }
}

impl TruthReport {
    fn new(truth: &Truth) -> Self {
        let uncovered = truth.uncovered.iter();
        Self {
            holds: truth.holds(),
            invented_rows: truth.invented,
            withheld_people: truth.withheld,
            withheld_rows: truth.withheld_rows,
            may_withhold: truth.may_withhold,
            absent_columns: truth.absent.clone(),
            uncovered_cells: uncovered
                .map(|(column, cells)| UncoveredCells { column: column.clone(), cells: *cells })
                .collect(),
            lost: truth.lost(),
        }
    }
}
