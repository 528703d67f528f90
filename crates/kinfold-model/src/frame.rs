//! What is learned from a table: the domains, labels and scales of its quasi-identifiers, apart from its
//! rows.
//!
//! A frame can be saved and applied to other rows. Their problem then has the same domains and the same
//! loss scale, so that costs can be compared and added up across tables: the parts of one large table, or
//! this month's and the next one's. A frame holds no rows, but every label of the category columns and the ends
//! of domains: it is as confidential as the table.

use crate::call::Call;
use crate::certificate::Fnv;
use crate::cost::Objective;
use crate::distribution::Distributions;
use crate::encode::{EncodeError, Encoded, code_columns, encode_with};
use crate::grid::Grid;
use crate::kind::{Kind, Prefixes, value_of};
use crate::metric::{Axis, Clusters, Combine, Scale};
use crate::policy::{Mistake, Mistakes, Policy, Quasi, Range, Rounding};
use crate::spelling::{DateFormat, Decimal, Spelling};
use crate::table::Table;
use crate::value::Number;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// The version of the format that is written.
const VERSION: u64 = 1;

/// What is learned from a table under a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    kinfold_frame: u64,
    objective: String,
    /// Texts that mean a missing value.
    missing: Vec<String>,
    /// The same in columns that have their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    missing_in: BTreeMap<String, Vec<String>>,
    /// How distances are made, under the objectives that make clusters.
    metric: Option<MetricFrame>,
    columns: Vec<ColumnFrame>,
    /// The levels that were chosen: of every column under global recoding, else of those whose level is `auto`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    levels: BTreeMap<String, u32>,
    /// How often sensitive values occur in the table: only where it is anonymized in pieces, which then are
    /// compared with all of it.
    #[serde(default, skip_serializing_if = "Distributions::is_empty")]
    sensitive: Distributions,
}

/// What means a missing value in quasi-identifiers that have texts of their own.
fn missing_in(policy: &Policy) -> BTreeMap<String, Vec<String>> {
    policy.quasi().filter_map(|(said, _)| Some((said.name.clone(), said.missing.clone()?))).collect()
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricFrame {
    scale: String,
    combine: String,
}

/// What is learned from one quasi-identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnFrame {
    pub name: String,
    pub weight: Exact,
    /// The share of the weight that falls to the column: less than all if it is a coordinate of a point.
    pub share: Exact,
    pub unit: Option<Exact>,
    /// The columns of the point that it is a coordinate of.
    pub point: Option<[String; 2]>,
    /// Whether values are missing: then a missing value is a value like any other.
    pub missing: bool,
    pub values: Values,
    /// Which levels may be published, and where the line is cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<String>,
    /// The grid that ends are rounded to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
    /// What distances were scaled by.
    pub axis: Option<AxisFrame>,
}

/// The values that a column may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Values {
    Numeric(Ends),
    Date(Ends),
    Ordinal {
        levels: Vec<String>,
    },
    Category {
        labels: Vec<String>,
    },
    Prefix {
        lengths: Vec<usize>,
        labels: Vec<String>,
    },
    /// Cells of the finest level, by the least value of each; whether intervals end with the last whole number.
    Ladder {
        ends: Ends,
        whole: bool,
        cells: Vec<String>,
    },
    Hierarchy {
        fingerprint: Hex,
    },
    Region {
        fingerprint: Hex,
    },
}

/// A domain, as the table or the policy writes its ends; a column without values has none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ends {
    pub low: Option<String>,
    pub high: Option<String>,
    /// Whether places in it are worked out without floating point.
    pub exact: bool,
    /// The format of dates, or the decimal sign, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spelling: Option<String>,
}

/// What the distances of a column, or of a point at its latitude, are scaled by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "axis", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum AxisFrame {
    /// The value at place 0, units per 1, and how far missing values are from all others.
    Line { start: Exact, slope: Exact, apart: u64 },
    /// Units per radian.
    Point { radian: Exact },
}

/// Why a text is no frame. No message repeats what the text says.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// Not JSON, or JSON of another form.
    #[error("this is not a frame: line {line}, column {column} is malformed")]
    Json {
        /// The line, counted from 1.
        line: usize,
        /// The byte in the line, counted from 1.
        column: usize,
    },
    /// Of a version that is not known.
    #[error("the frame has version {0}, but only version {VERSION} is known")]
    Version(u64),
    /// Contents that contradict themselves.
    #[error("the frame is damaged: {0}")]
    Damaged(&'static str),
}

impl From<serde_json::Error> for FrameError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json { line: error.line(), column: error.column() }
    }
}

impl Frame {
    /// Learns the frame of a table. All mistakes of all columns are reported together.
    pub fn learn(table: &Table, policy: &Policy) -> Result<Self, EncodeError> {
        let coded = code_columns(table, policy, None, &Call::new())?;
        Ok(Self::new(policy, coded.quasi.learned, &coded.clusters))
    }

    /// What the columns taught, and what distances were scaled by.
    pub(crate) fn new(policy: &Policy, mut columns: Vec<ColumnFrame>, clusters: &Clusters) -> Self {
        for axis in &clusters.metric.axes {
            let (number, learned) = match axis {
                Axis::Line { column, origin: (start, slope), apart, .. } => {
                    let (start, slope) = ((*start).into(), (*slope).into());
                    (column, AxisFrame::Line { start, slope, apart: *apart })
                }
                Axis::Point { columns: [latitude, _], radian, .. } => {
                    (latitude, AxisFrame::Point { radian: (*radian).into() })
                }
                Axis::Labels { .. } | Axis::Tree { .. } => continue,
            };
            columns[*number].axis = Some(learned);
        }
        Self {
            kinfold_frame: VERSION,
            objective: policy.objective.word().to_owned(),
            missing: policy.missing.clone(),
            missing_in: missing_in(policy),
            metric: MetricFrame::of(policy),
            columns,
            levels: BTreeMap::new(),
            sensitive: Distributions::default(),
        }
    }

    /// The frame of a table of which pieces are anonymized one by one: groups are compared with these
    /// distributions of its sensitive columns.
    pub fn with_distributions(self, sensitive: Distributions) -> Self {
        Self { sensitive, ..self }
    }

    /// How often sensitive values occur in the table, where pieces of it are compared with that.
    pub fn distributions(&self) -> &Distributions {
        &self.sensitive
    }

    /// The frame with the levels that were chosen, so that other rows are coded as these were.
    #[must_use]
    pub fn with_levels(self, levels: impl IntoIterator<Item = (String, u32)>) -> Self {
        Self { levels: levels.into_iter().collect(), ..self }
    }

    /// The level that was chosen for a column.
    pub fn level(&self, name: &str) -> Option<u32> {
        self.levels.get(name).copied()
    }

    /// The policy with the levels that were chosen for columns whose level is `auto`.
    pub fn settle(&self, policy: &Policy) -> Result<Policy, Mistakes> {
        let mut mistakes = Vec::new();
        let mut chosen = Vec::new();
        for (name, levels) in policy.open_levels() {
            match self.level(&name).map(|level| level as usize) {
                Some(level) if levels.contains(&level) => chosen.push((name, level)),
                Some(_) => {
                    let what =
                        format!("the frame has column {name:?} on a level that the policy does not allow");
                    mistakes.push(Mistake::new(what, None).hint("make a frame with this policy"));
                }
                None => {}
            }
        }
        match mistakes.is_empty() {
            true => Ok(policy.with_levels(chosen.iter().map(|(name, level)| (name.as_str(), *level)))),
            false => Err(Mistakes::from(mistakes)),
        }
    }

    /// Whether the values of a quasi-identifier have an order: numbers, dates and levels.
    pub fn ordered(&self, name: &str) -> bool {
        self.column(name).and_then(|column| column.values.kind()).is_some_and(|kind| kind.ordered())
    }

    /// Encodes other rows with what this frame knows. Values that it does not know are mistakes, told by
    /// column and number of rows.
    pub fn apply(&self, table: &Table, policy: &Policy) -> Result<Encoded, EncodeError> {
        encode_with(table, policy, Some(self), &Call::new())
    }

    /// Refuses a policy or a table that this frame was not made for.
    pub(crate) fn must_fit(&self, table: &Table, policy: &Policy) -> Result<(), Mistakes> {
        let mut list = self.differences(policy);
        for column in self.columns.iter().filter(|c| table.column(&c.name).is_none()) {
            let what = format!("column {:?} of the frame is not in the table", column.name);
            list.push(Mistake::new(what, None));
        }
        if list.is_empty() { Ok(()) } else { Err(Mistakes::from(list)) }
    }

    /// Writes it down, as JSON.
    pub fn to_json(&self) -> String {
        // Writing to memory cannot fail, and all keys are texts.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads a frame that was written down.
    pub fn from_json(text: &str) -> Result<Self, FrameError> {
        #[derive(Deserialize)]
        struct Version {
            kinfold_frame: u64,
        }
        let Version { kinfold_frame: version } = serde_json::from_str(text)?;
        if version != VERSION {
            return Err(FrameError::Version(version));
        }
        let frame: Self = serde_json::from_str(text)?;
        frame.check().map_err(FrameError::Damaged)?;
        Ok(frame)
    }

    pub(crate) fn column(&self, name: &str) -> Option<&ColumnFrame> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Whether it could have been learned from some table.
    fn check(&self) -> Result<(), &'static str> {
        let Some(objective) = Objective::ALL.iter().find(|o| o.word() == self.objective) else {
            return Err("its objective is unknown");
        };
        if objective.clusters() != self.metric.is_some() {
            return Err("a metric goes with the objectives that make clusters");
        }
        if self.columns.is_empty() {
            return Err("it has no columns");
        }
        let mut names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("a column is named twice");
        }
        self.columns.iter().try_for_each(ColumnFrame::check)
    }

    /// How the frame differs from what a policy says, each a mistake.
    fn differences(&self, policy: &Policy) -> Vec<Mistake> {
        let mut found = Vec::new();
        let mut differ = |what: String, place| {
            let mistake = Mistake::new(format!("the frame does not fit the policy: {what}"), place);
            found.push(
                mistake.hint("make a frame with this policy, or use the policy that the frame was made with"),
            );
        };
        if self.objective != policy.objective.word() {
            let what = format!("its objective is {}, not {}", self.objective, policy.objective.word());
            differ(what, None);
        }
        if self.missing != policy.missing || self.missing_in != missing_in(policy) {
            differ("other texts mean missing values".into(), None);
        }
        if self.metric != MetricFrame::of(policy) && self.objective == policy.objective.word() {
            differ("its scale or metric is another".into(), None);
        }
        for (said, quasi) in policy.quasi() {
            match self.column(&said.name) {
                None => differ(format!("it has no column {:?}", said.name), said.place),
                Some(column) => {
                    for what in column.differences(quasi, point_of(policy, &said.name), policy.blunt) {
                        differ(format!("column {:?} has {what}", said.name), said.place);
                    }
                }
            }
        }
        for column in &self.columns {
            if !policy.quasi().any(|(said, _)| said.name == column.name) {
                differ(format!("column {:?} is not a quasi-identifier of the policy", column.name), None);
            }
        }
        found
    }
}

impl MetricFrame {
    fn of(policy: &Policy) -> Option<Self> {
        policy.objective.clusters().then(|| Self {
            scale: Scale::of(policy).word().to_owned(),
            combine: policy.metric.combine.map_or(Combine::default(), |c| c).word().to_owned(),
        })
    }
}

/// The two columns of the point that a column is a coordinate of.
pub(crate) fn point_of(policy: &Policy, name: &str) -> Option<[String; 2]> {
    policy.metric.points.iter().find(|pair| pair.iter().any(|n| n == name)).cloned()
}

impl ColumnFrame {
    /// What it has that the policy says otherwise.
    fn differences(&self, quasi: &Quasi, point: Option<[String; 2]>, blunt: bool) -> Vec<&'static str> {
        let mut found = Vec::new();
        match (&self.values, &quasi.kind) {
            (_, None) => {}
            (Values::Ordinal { levels }, Some(Kind::Ordinal(said))) if levels != said => {
                found.push("other levels");
            }
            (Values::Hierarchy { fingerprint }, Some(kind @ Kind::Hierarchy(_)))
                if *fingerprint != fingerprint_of(kind) =>
            {
                found.push("another hierarchy");
            }
            (Values::Region { fingerprint }, Some(kind @ Kind::Region(_)))
                if *fingerprint != fingerprint_of(kind) =>
            {
                found.push("another map");
            }
            (Values::Ladder { .. }, Some(Kind::Ladder(_))) => {}
            (Values::Prefix { lengths, .. }, Some(Kind::Prefix(said))) if *lengths != said.lengths => {
                found.push("other lengths of prefixes");
            }
            (values, Some(kind)) if values.word() != kind.word() => found.push("another kind"),
            (values @ (Values::Numeric(_) | Values::Date(_)), kind) if values.kind() != *kind => {
                found.push("another format");
            }
            _ => {}
        }
        // A kind that needs a file cannot be had from the frame alone.
        if quasi.kind.is_none()
            && matches!(self.values, Values::Hierarchy { .. } | Values::Region { .. } | Values::Ladder { .. })
        {
            found.push("another kind");
        }
        if self.weight != quasi.weight.into() {
            found.push("another weight");
        }
        if self.unit != quasi.unit.map(Into::into) {
            found.push("another unit");
        }
        let step = self.grid.map(|grid| grid.step);
        let rounded_so = match &quasi.round {
            Some(Rounding::To(said)) => step == Some(*said),
            Some(Rounding::Exact) => step.is_none(),
            None => blunt || step.is_none(),
        };
        if !rounded_so {
            found.push("other ends");
        }
        if self.levels != levels_of(quasi) {
            found.push("other levels");
        }
        if self.point != point {
            found.push("another point");
        }
        if let (Some(domain), Values::Numeric(ends) | Values::Date(ends)) = (&quasi.domain, &self.values) {
            let kind = self.values.kind().unwrap_or(Kind::Category);
            let said = value_of(&kind, &domain.low).zip(value_of(&kind, &domain.high));
            if ends.numbers(&kind) != said {
                found.push("another domain");
            }
        }
        found
    }

    fn check(&self) -> Result<(), &'static str> {
        if !(0.0..=1e6).contains(&self.weight.0) || !(0.0..=1.0).contains(&self.share.0) {
            return Err("a weight is out of range");
        }
        match &self.values {
            Values::Ordinal { levels } if levels.is_empty() => return Err("an order has no levels"),
            Values::Category { labels } | Values::Prefix { labels, .. }
                if !labels.is_sorted_by(|a, b| a < b) =>
            {
                return Err("labels are out of order");
            }
            Values::Numeric(_) | Values::Date(_) => match self.values.domain() {
                Some((low, high, _)) if low <= high => {}
                _ => return Err("a domain is malformed"),
            },
            _ => {}
        }
        let cuts = |grid: &Grid| {
            let kind = self.values.kind().filter(|kind| grid.step.fits(kind));
            let ends = self.values.domain().map(|(low, high, _)| [low, high]);
            kind.zip(ends).is_some_and(|(kind, ends)| ends.iter().all(|&end| grid.cell(&kind, end).is_some()))
        };
        if self.grid.as_ref().is_some_and(|grid| !cuts(grid)) {
            return Err("a grid does not fit its column");
        }
        match &self.axis {
            Some(AxisFrame::Line { start, slope, .. }) if !start.0.is_finite() || slope.0 < 0.0 => {
                Err("a scale is out of range")
            }
            Some(AxisFrame::Point { radian }) if radian.0 < 0.0 => Err("a scale is out of range"),
            _ => Ok(()),
        }
    }
}

impl Values {
    fn word(&self) -> &'static str {
        match self {
            Self::Numeric(_) => "numeric",
            Self::Date(_) => "date",
            Self::Ordinal { .. } => "ordinal",
            Self::Category { .. } => "category",
            Self::Prefix { .. } => "prefix",
            Self::Ladder { .. } => "levels",
            Self::Hierarchy { .. } => "hierarchy",
            Self::Region { .. } => "region",
        }
    }

    /// The kind, unless it is in a file that only the policy knows.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Numeric(ends) => ends.kind(Kind::Numeric),
            Self::Date(ends) => ends.kind(Kind::Date),
            Self::Ordinal { levels } => Some(Kind::Ordinal(levels.clone())),
            Self::Category { .. } => Some(Kind::Category),
            Self::Prefix { lengths, .. } => {
                Some(Kind::Prefix(Prefixes { lengths: lengths.clone(), bare: None }))
            }
            Self::Ladder { .. } | Self::Hierarchy { .. } | Self::Region { .. } => None,
        }
    }

    /// The ends of a line, and whether places on it are exact.
    pub(crate) fn domain(&self) -> Option<(Number, Number, bool)> {
        let ends = match self {
            Self::Numeric(ends) | Self::Date(ends) => ends,
            Self::Ordinal { levels } => {
                return Some((Number::whole(0), Number::whole(levels.len() as i64 - 1), true));
            }
            Self::Category { .. }
            | Self::Prefix { .. }
            | Self::Ladder { .. }
            | Self::Hierarchy { .. }
            | Self::Region { .. } => {
                return None;
            }
        };
        ends.numbers(&self.kind()?).map(|(low, high)| (low, high, ends.exact))
    }
}

impl Ends {
    /// The kind of its values, of which this is the usual one; `None` if the spelling is none of that kind.
    fn kind(&self, usual: Kind) -> Option<Kind> {
        let Some(pattern) = &self.spelling else { return Some(usual) };
        let spelling = match usual {
            Kind::Date => Spelling::Date(DateFormat::new(pattern).ok()?),
            _ => Spelling::Number(Decimal::of_sign(pattern)?),
        };
        Some(Kind::Spelled(Arc::new(spelling)))
    }

    /// Both ends; `None` if they cannot be read under this kind.
    pub(crate) fn numbers(&self, kind: &Kind) -> Option<(Number, Number)> {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => value_of(kind, low).zip(value_of(kind, high)),
            (None, None) => Some((Number::whole(0), Number::whole(0))),
            _ => None,
        }
    }
}

/// What a policy says of the levels of a column, as far as codes depend on it; none if it says nothing.
pub(crate) fn levels_of(quasi: &Quasi) -> Option<String> {
    let mut said = Vec::new();
    if let Some(Kind::Ladder(ladder)) = &quasi.kind {
        said.extend(ladder.steps.iter().map(ToString::to_string));
        said.push(format!("from {}", ladder.origin));
    }
    let bands = match &quasi.kind {
        Some(Kind::Ladder(ladder)) => ladder.bands,
        _ => quasi.bands,
    };
    said.extend(bands.bottom.map(|bottom| format!("bottom {bottom}")));
    said.extend(bands.top.map(|top| format!("top {top}")));
    let Range { finest, coarsest, auto } = quasi.range;
    // The level that was chosen is with the frame.
    said.extend((finest > 0 && !auto).then(|| format!("finest {finest}")));
    said.extend(coarsest.filter(|_| !auto).map(|level| format!("coarsest {level}")));
    said.extend(auto.then(|| "one level".to_owned()));
    said.extend(quasi.unknown.then(|| "unknown top".to_owned()));
    (!said.is_empty()).then(|| said.join(", "))
}

/// A number that tells hierarchies and maps apart.
pub(crate) fn fingerprint_of(kind: &Kind) -> Hex {
    let mut hash = Fnv::default();
    let mut text = |text: &str| {
        hash.add(text.len() as u64);
        text.bytes().for_each(|byte| hash.add_byte(byte));
    };
    match kind {
        Kind::Hierarchy(hierarchy) => {
            let nodes = 0..hierarchy.tree().nodes();
            nodes.clone().for_each(|node| text(hierarchy.label(node)));
            nodes.for_each(|node| hash.add(hierarchy.tree().parent(node).into()));
        }
        Kind::Region(regions) => {
            regions.names().iter().for_each(|name| text(name));
            for region in 0..regions.names().len() as u32 {
                let touched = regions.graph().neighbours(region);
                hash.add(touched.len() as u64);
                touched.iter().for_each(|&other| hash.add(other.into()));
            }
            regions.people().into_iter().flatten().for_each(|people| hash.add(people));
        }
        _ => {}
    }
    Hex(hash.get())
}

/// A number that is written in hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hex(u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        u64::from_str_radix(&text, 16).map(Self).map_err(|_| D::Error::custom("not hexadecimal"))
    }
}

/// A float that is written as the shortest text that reads as the same float.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Exact(pub f64);

impl From<f64> for Exact {
    fn from(number: f64) -> Self {
        Self(number)
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number: Option<f64> = String::deserialize(from)?.parse().ok();
        number.filter(|n| !n.is_nan()).map(Self).ok_or_else(|| D::Error::custom("not a number"))
    }
}

#[cfg(test)]
mod tests;
