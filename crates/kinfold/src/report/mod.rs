//! What the calls of the library report: one typed report each. Text, JSON and pictures are renderings of it;
//! the JSON keys are the names of the fields, and stay.

mod anonymize;
mod certify;
#[doc(hidden)]
pub mod chart;
mod compare;
mod facts;
mod frontier;
mod html;
mod lost;
mod models;
mod overlay;
mod plot;
mod risk;
pub mod text;
mod utility;
mod verify;
mod whatif;
mod words;

pub use anonymize::{AnonymizeReport, PublishedLevel, RoundedColumn, Seconds};
pub use certify::{CertifyReport, CertifyVerdict, Proven};
pub use compare::{CompareReport, Compared, Keepable, KeepableReport};
pub use facts::{ColumnFacts, Facts, FileFacts, PolicyFacts};
pub use html::{Language, to_html};
pub use lost::Lost;
pub(crate) use models::K_ALONE;
pub use models::{ModelReport, ReachedReport};
pub use overlay::{EarlierReport, OverlayReport};
pub use plot::{LabelPlot, MapPlot};
pub use risk::{AttributeRisk, Prosecutor, RiskReport};
use serde::{Serialize, Serializer};
pub use utility::{ColumnUtility, PairUtility, QueryUtility, TargetUtility, UtilityReport};
pub use verify::{
    ForbiddenColumn, GroupsOfSize, HiddenReport, TruthReport, UncoveredCells, UnroundedColumn, VariantColumn,
    VerifyReport,
};
pub use whatif::{ColumnLoss, LossAtK, Variant, WhatIfReport};
pub(crate) use words::{at_least, at_most, significant, trimmed};
#[doc(hidden)]
pub use words::{count, percent, percent_at_most, seconds, sized, span, thousands};

/// A whole number; as a float where it is beyond 64 bits.
pub(crate) fn whole<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(*number) {
        Ok(number) => to.serialize_u64(number),
        Err(_) => to.serialize_f64(*number as f64),
    }
}

/// Seconds to the microsecond.
pub(crate) fn rounded<S: Serializer>(seconds: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((seconds * 1e6).round() / 1e6)
}

/// The same where there may be none.
pub(crate) fn rounded_if<S: Serializer>(seconds: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match seconds {
        Some(seconds) => rounded(seconds, to),
        None => to.serialize_none(),
    }
}

/// A report as JSON.
pub trait Json: Serialize {
    /// The report as a JSON value, its keys in the order of its fields.
    fn to_json(&self) -> serde_json::Value {
        // Reports are plain structs: their keys are texts, and nothing in them fails to be written.
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl<T: Serialize> Json for T {}
