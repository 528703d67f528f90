//! What all pieces of a table share: its frame, so that losses are on one scale and add up; how often sensitive
//! values occur in all of it; and the cut. A plan can be written down and sent to where the pieces are.

use super::census::Census;
use super::cut::Cut;
use super::figures::Figures;
use super::tally::Tallies;
use crate::anonymize::group;
use crate::anonymized::Contents;
use crate::report::Seconds;
use crate::stopwatch::Clock;
use crate::{Error, Options, Prepared, Strength};
use kinfold_model::encode::{CodedRows, EncodeError, code_rows, learn_values};
use kinfold_model::frame::Frame;
use kinfold_model::hint::Hint;
use kinfold_model::policy::{Form, Mistake, Mistakes, Model, Policy, Role, bound_names, point_name};
use kinfold_model::recoding::Recoding;
use kinfold_model::table::Table;
use kinfold_model::{Call, Objective, told};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The version of the format that is written.
const VERSION: u64 = 1;

/// How many pieces a table is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pieces {
    /// So many, where its rows differ enough.
    Number(usize),
    /// As many as have about so many rows each.
    OfRows(u64),
}

/// So many rows make a piece, if nothing else is said.
pub const PIECE_ROWS: u64 = 500_000;
/// Smaller pieces would lose too much.
const FEWEST_ROWS: u64 = 20_000;
/// Bytes that a row of a piece takes while it is grouped, with a dozen columns.
const ROW_BYTES: u64 = 600;

impl Pieces {
    /// Of as many rows as can be grouped within so many bytes.
    pub fn within(memory: usize) -> Self {
        Self::OfRows((memory as u64 / ROW_BYTES).clamp(FEWEST_ROWS, PIECE_ROWS))
    }
}

impl Default for Pieces {
    fn default() -> Self {
        Self::OfRows(PIECE_ROWS)
    }
}

/// How a table is anonymized piece by piece.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    kinfold_plan: u64,
    frame: Frame,
    cut: Cut,
    /// The piece of every part of the cut.
    piece_of: Vec<u32>,
    rows: u64,
    #[serde(skip)]
    notes: Vec<Hint>,
}

impl Plan {
    /// Makes a plan for a table of which a census was taken.
    pub fn new(census: &Census, policy: &Policy, pieces: Pieces, options: &Options) -> Result<Self, Error> {
        refuse_unfit(policy, options)?;
        refuse_naming(census, policy)?;
        let call = &options.call;
        let told = |e: EncodeError| Error::from(e).in_policy(policy);
        let (frame, notes) = match &options.using {
            Some(frame) => (frame.clone(), Vec::new()),
            None => learn_values(&census.values(policy)?, policy, call).map_err(told)?,
        };
        let sample = coded(&census.sample(policy)?, policy, &frame, call)?;
        let number = match pieces {
            Pieces::Number(number) => number.max(1),
            Pieces::OfRows(rows) => usize::try_from(census.rows.div_ceil(rows.max(1))).unwrap_or(usize::MAX),
        };
        let cut = Cut::learn(&sample, number);
        let frame = frame.with_distributions(census.sensitive.clone());
        let piece_of = (0..cut.parts()).collect();
        Ok(Self { kinfold_plan: VERSION, frame, cut, piece_of, rows: census.rows, notes })
    }

    /// The part of every row of a chunk of the table.
    pub fn parts_of(&self, chunk: &Table, policy: &Policy, call: &Call) -> Result<Vec<u32>, Error> {
        let rows = coded(chunk, policy, &self.frame, call)?;
        Ok((0..chunk.rows()).map(|row| self.cut.part_of(&rows, row)).collect())
    }

    /// How many parts the cut has.
    pub fn parts(&self) -> u32 {
        self.cut.parts()
    }

    /// The tallies of the parts, nobody counted yet.
    pub fn tallies(&self, policy: &Policy) -> Tallies {
        Tallies::new(self.parts() as usize, policy)
    }

    /// Joins parts that cannot fulfil the policy alone with their neighbours, now that everybody is counted.
    pub fn settle(&mut self, tallies: Tallies, policy: &Policy) -> Result<(), Error> {
        let counted = tallies.rows();
        if counted != self.rows {
            let what = format!("the table has changed: {} rows before, {counted} rows now", self.rows);
            return Err(Error::unsuitable(what, "start again, and leave the table alone meanwhile"));
        }
        self.piece_of = tallies.join(policy, self.frame.distributions(), |part| self.cut.near(part))?;
        Ok(())
    }

    /// The piece of every part.
    pub fn piece_of(&self) -> &[u32] {
        &self.piece_of
    }

    /// How many pieces there are.
    pub fn pieces(&self) -> u32 {
        self.piece_of.iter().max().map_or(0, |last| last + 1)
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Anonymizes a piece as part of the table, on the table's scale. It is not verified by itself: whether columns
    /// identify people is judged by the whole release, and so is everything else.
    pub fn anonymize(&self, piece: &Table, policy: &Policy, options: &Options) -> Result<Piece, Error> {
        let own = Options { using: Some(self.frame.clone()), bound: Strength::None, ..options.clone() };
        let prepared = Prepared::new(piece, policy, &own)?;
        // All pieces together are looked at as closely as a table would be.
        let measured = told::GROUPS.div_ceil(self.pieces().max(1) as usize);
        let made = group(Cow::Owned(prepared), &own, Clock::start())?.publish(measured)?;
        Ok(Piece { figures: made.figures, seconds: made.seconds, contents: made.contents })
    }

    /// The columns of the release of a table with these columns, in order. Those that hold values of the table
    /// come with the column that their type is taken from; the others are texts.
    pub fn published(&self, columns: &[String], policy: &Policy) -> Vec<(String, Option<String>)> {
        let mut found: Vec<(String, Option<String>)> = Vec::new();
        for name in columns {
            let own = || Some(name.clone());
            match policy.role(name) {
                Some(Role::Quasi(_)) => match (policy.form, policy.point_of(name)) {
                    (Form::Wkt, Some(pair)) => found.push((point_name(&pair), None)),
                    (Form::Bounds, _) if self.frame.ordered(name) => {
                        found.extend(bound_names(name).map(|bound| (bound, own())));
                    }
                    _ => found.push((name.clone(), None)),
                },
                Some(role) if role.published() => found.push((name.clone(), own())),
                _ => {}
            }
        }
        // Both coordinates of a point are one column, where the first of them stands.
        let mut seen = std::collections::BTreeSet::new();
        found.retain(|(name, _)| seen.insert(name.clone()));
        found
    }

    /// What is learned from the table.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// What the user should know of how columns were read.
    pub fn notes(&self) -> &[Hint] {
        &self.notes
    }

    /// Writes it down, as JSON. It is as confidential as the table.
    pub fn to_json(&self) -> String {
        // Writing to memory cannot fail, and all keys are texts.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a plan that was written down.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            kinfold_plan: u64,
            frame: serde_json::Value,
            cut: Cut,
            piece_of: Vec<u32>,
            rows: u64,
        }
        let malformed = || Error::unsuitable("this is not a plan", "make one with this version");
        let plan: Written = serde_json::from_str(text).map_err(|_| malformed())?;
        let frame = Frame::from_json(&plan.frame.to_string()).map_err(|_| malformed())?;
        if plan.kinfold_plan != VERSION || plan.piece_of.len() != plan.cut.parts() as usize {
            return Err(malformed());
        }
        let Written { kinfold_plan, cut, piece_of, rows, .. } = plan;
        Ok(Self { kinfold_plan, frame, cut, piece_of, rows, notes: Vec::new() })
    }
}

/// A piece of a release. Whether it is safe is not verified yet: the whole of it is, by
/// [`verify_runs`](kinfold_model::verify::verify_runs) or [`Overall`](kinfold_model::verify::Overall).
#[derive(Debug)]
pub struct Piece {
    /// What came of it, in numbers that add up over the pieces of a table.
    pub figures: Figures,
    pub(crate) seconds: Seconds,
    pub(crate) contents: Contents,
}

impl Piece {
    /// The group of every row of the piece.
    pub fn groups(&self) -> Vec<u32> {
        self.contents.release.groups_at(&self.contents.rows)
    }

    /// The piece as Arrow batches, which the verifier has found true of the rows of the piece.
    #[cfg(feature = "columnar")]
    pub fn batches(&self) -> Result<(arrow_schema::SchemaRef, Vec<arrow_array::RecordBatch>), Error> {
        let held = self.contents.hold()?;
        self.contents.refuse_untrue(&self.contents.read(&held, false)?)?;
        Ok(held)
    }
}

/// Rows in codes whose order means something, whatever the objective makes of them.
fn coded(table: &Table, policy: &Policy, frame: &Frame, call: &Call) -> Result<CodedRows, Error> {
    code_rows(table, policy, frame, call).map_err(|e| Error::from(e).in_policy(policy))
}

/// Refuses what pieces cannot do, each with a reason.
pub fn refuse_unfit(policy: &Policy, options: &Options) -> Result<(), Error> {
    let objective = policy.objective;
    let in_whole =
        format!("objective {} cannot be minimised: it is about the table as a whole", objective.word());
    let unnamed = matches!(policy.form, Form::Codes | Form::Centres) || policy.per_group;
    let by_distribution = |(model, _): &(Model, _)| {
        matches!(model, Model::Close(..) | Model::Likeness { .. } | Model::Disclosure(_))
    };
    let compared = policy.sensitive().any(|(_, protection)| protection.models.iter().any(by_distribution));
    let unknown = "rows cannot be withheld under closeness, likeness or disclosure: groups would be compared with a \
                   release that is not known yet";
    let overlap = "presence cannot be bounded: groups of several pieces may overlap";
    let earlier = "earlier releases cannot be compared: that needs all rows at once";
    let names = "give the column a hierarchy, or leave the lookup file out";
    let whole = "leave pieces out and use a machine with enough memory";
    let recoded = policy.columns.iter().any(|column| column.recoded.is_some());
    let open = !policy.open_levels().is_empty();
    let confined = policy.quasi().any(|(_, quasi)| quasi.range.coarsest.is_some());
    let refused = [
        (!Objective::BY_CELL.contains(&objective), in_whole.as_str(), "use objective ncp or stars"),
        (unnamed, "groups cannot be published by labels or centres", "use form ranges, bounds or midpoint"),
        (policy.presence.is_some(), overlap, whole),
        (policy.recoding == Recoding::Global || open, "every piece would have levels of its own", whole),
        (compared && policy.withhold > 0.0, unknown, "set withhold to 0"),
        (!options.after.is_empty(), earlier, whole),
        (options.keep_order, "the order of the table cannot be kept", "leave the order to the release"),
        (options.lookup, "sets cannot get short names", names),
        (recoded, "sensitive and kept columns cannot be published on a level", whole),
        (
            confined,
            "a coarsest level cannot be kept: rows that fall short are known of the whole only",
            whole,
        ),
    ];
    Error::refuse(refused.map(|(is_so, what, hint)| (is_so, format!("in pieces, {what}"), hint)))
}

/// Columns that seem to name people are judged by all of the table.
fn refuse_naming(census: &Census, policy: &Policy) -> Result<(), Error> {
    let list: Vec<Mistake> = (census.unchanged.unacknowledged(policy))
        .filter_map(|(name, why)| {
            let said = policy.columns.iter().find(|said| said.name == name)?;
            Some(crate::warning::naming(said, why))
        })
        .collect();
    if list.is_empty() { Ok(()) } else { Err(Error::from(Mistakes::from(list)).in_policy(policy)) }
}
