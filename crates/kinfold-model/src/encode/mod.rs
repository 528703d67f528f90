//! Table + policy → problem: quasi-identifiers become codes, equal rows become records.
//!
//! Encoding is learning a [`Frame`] from the table and applying it (`reading.rs`, a column at a time). A frame that was
//! saved encodes other rows on the same loss scale. `guarding.rs` reads what privacy models protect.

mod guarding;
mod ladder;
mod map;
mod populating;
mod reading;

use crate::call::{Call, Stopped};
use crate::cost::{Cost, ONE, Objective, Rule};
use crate::frame::{ColumnFrame, Frame, point_of};
use crate::grid::Grid;
use crate::hint::Hint;
use crate::kind::{Kind, is_missing, value_of};
use crate::metric::{Clusters, measure};
use crate::policy::{Form, MOST_SETUP, Mistake, Mistakes, Policy, Quasi, Role};
use crate::problem::{Impossible, Parts, Problem};
use crate::recoding::Recoding;
use crate::table::{Column, Table, distinct_rows};
use crate::value::{Number, parse_number};
use guarding::Required;
pub(crate) use guarding::{read_persons, read_protected};
use map::Map;
use reading::View;
pub(crate) use reading::{rows_with, step_mistake};
use std::collections::BTreeMap;
use thiserror::Error;

/// A problem, and what its codes stand for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Encoded {
    /// What solvers see.
    pub problem: Problem,
    /// What publishing needs besides, per quasi-identifier.
    pub codings: Vec<Coding>,
    /// What the user should know of how columns were read.
    pub notes: Vec<Hint>,
}

impl Encoded {
    /// The same for another k; `None` where more than k changes with it ([`Problem::with_k`]).
    pub fn with_k(&self, k: u64) -> Result<Option<Self>, Impossible> {
        let (codings, notes) = (&self.codings, &self.notes);
        let encoded = |problem| Self { problem, codings: codings.clone(), notes: notes.clone() };
        Ok(self.problem.with_k(k)?.map(encoded))
    }
}

/// What the codes of one quasi-identifier stand for.
#[derive(Debug, Clone)]
pub struct Coding {
    /// Position of the column in the table.
    pub column: usize,
    /// What its values are.
    pub kind: Kind,
    words: Vec<u32>,
    respelled: bool,
    rounded: Option<Rounded>,
    /// What codes are called that stand for a band at the end of a line.
    bands: BTreeMap<u32, String>,
    /// The level of its tree that groups may not be coarser than.
    coarsest: Option<usize>,
}

/// The cells of a grid that the codes of a column stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rounded {
    grid: Grid,
    /// The number of each code's cell; missing values have none.
    cells: Vec<i64>,
}

const NO_WORD: u32 = u32::MAX;

impl Coding {
    /// All its codes.
    pub fn codes(&self) -> std::ops::Range<u32> {
        0..self.words.len() as u32
    }

    /// The dictionary entry in which a code is spelled; the first, if it has several (`1`, `1.0`).
    pub fn word(&self, code: u32) -> Option<u32> {
        self.words.get(code as usize).copied().filter(|&w| w != NO_WORD)
    }

    /// The grid that ends are rounded to, if they are.
    pub fn grid(&self) -> Option<&Grid> {
        self.rounded.as_ref().map(|rounded| &rounded.grid)
    }

    /// The ends of a range of codes, where they are those of a grid; `None` for missing values.
    pub fn rounded(&self, low: u32, high: u32) -> Option<(Number, Number)> {
        let Rounded { grid, cells } = self.rounded.as_ref()?;
        grid.ends(&self.kind, *cells.get(low as usize)?, *cells.get(high as usize)?)
    }

    /// What a code is called that has no spelling: a band at the end of a line, a node that is published as a value.
    pub fn name(&self, code: u32) -> Option<&str> {
        match &self.kind {
            Kind::Hierarchy(hierarchy) => Some(hierarchy.label(code)),
            _ => self.bands.get(&code).map(String::as_str),
        }
    }

    /// Whether some code has several spellings in the table.
    pub fn respelled(&self) -> bool {
        self.respelled
    }
}

/// Why a table cannot be encoded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The policy does not fit the table.
    #[error(transparent)]
    Policy(#[from] Mistakes),
    /// The problem has no solution.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// The user stopped the work.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Encodes the quasi-identifiers of a table. All mistakes of all columns are reported together.
pub fn encode(table: &Table, policy: &Policy) -> Result<Encoded, EncodeError> {
    encode_with(table, policy, None, &Call::new())
}

/// Encodes the quasi-identifiers of a table in a call that may be stopped. With a frame, they get its domains
/// and its loss scale.
pub fn encode_with(
    table: &Table,
    policy: &Policy,
    frame: Option<&Frame>,
    call: &Call,
) -> Result<Encoded, EncodeError> {
    if let Some(frame) = frame {
        frame.must_fit(table, policy)?;
    }
    let coded = code_columns(table, policy, frame, call)?;
    call.check()?;
    let mut encoded = coded.into_encoded(table, policy)?;
    let level = |coding: &Coding| {
        let name = table.columns()[coding.column].name();
        let (_, quasi) = policy.quasi().find(|(said, _)| said.name == name)?;
        frame?.level(name)?.checked_sub(quasi.range.finest as u32)
    };
    if policy.recoding == Recoding::Global
        && let Some(levels) = encoded.codings.iter().map(level).collect()
    {
        encoded.problem = encoded.problem.on_levels(levels)?;
    }
    Ok(encoded)
}

/// Encodes the quasi-identifiers of a table, and keeps what was learned from it.
pub fn encode_and_learn(
    table: &Table,
    policy: &Policy,
    call: &Call,
) -> Result<(Encoded, Frame), EncodeError> {
    let mut coded = code_columns(table, policy, None, call)?;
    let frame = Frame::new(policy, std::mem::take(&mut coded.quasi.learned), &coded.clusters);
    call.check()?;
    Ok((coded.into_encoded(table, policy)?, frame))
}

/// The columns of a table in codes, and what was learned on the way.
pub(crate) struct Coded {
    pub quasi: QuasiColumns,
    row_sizes: Option<Vec<u32>>,
    setups: Option<Vec<Cost>>,
    pub clusters: Clusters,
    required: Required,
}

/// The quasi-identifiers of a table in codes.
#[derive(Default)]
pub(crate) struct QuasiColumns {
    pub rules: Vec<Rule>,
    pub codings: Vec<Coding>,
    /// The codes of every row, per quasi-identifier.
    pub columns: Vec<Vec<u32>>,
    map: Option<Map>,
    /// A frame per quasi-identifier, unless the frame was given.
    pub learned: Vec<ColumnFrame>,
    notes: Vec<Hint>,
    mistakes: Vec<Mistake>,
}

impl QuasiColumns {
    /// The class of every row, where some column says how coarse groups may be: groups stay within one. Two rows are
    /// of one class if they are one on the coarsest level of all these columns.
    pub(crate) fn classes(&self) -> Option<Vec<u32>> {
        let confined = |((coding, rule), codes): ((&Coding, &Rule), &Vec<u32>)| {
            let level = coding.coarsest?;
            Some(codes.iter().map(|&code| rule.node(level, code)).collect::<Vec<u32>>())
        };
        let columns: Vec<Vec<u32>> =
            self.codings.iter().zip(&self.rules).zip(&self.columns).filter_map(confined).collect();
        let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let rows = slices.first()?.len();
        Some(distinct_rows(&slices, rows).of_row)
    }

    /// Codes every quasi-identifier as the frame has it; without a frame, one is learned from the table itself.
    fn read(table: &Table, policy: &Policy, frame: Option<&Frame>, call: &Call) -> Result<Self, Stopped> {
        let mut all = Self::default();
        // Under group-size there is one column, or all have an order.
        let several_sizes = policy.objective == Objective::GroupSize && policy.quasi().count() > 1;
        for (position, column) in table.columns().iter().enumerate() {
            let Some((said, quasi)) = policy.quasi().find(|(c, _)| c.name == column.name()) else { continue };
            call.check()?;
            let whole = policy.objective == Objective::GroupSize || policy.form == Form::Wkt;
            let needed = whole && quasi.point_with.is_some();
            let (missing, objective) = (policy.missing_in(&said.name), policy.objective);
            let view = View { column, said, quasi, missing, objective, needed, blunt: policy.blunt };
            if let (Some(Kind::Region(regions)), Objective::GroupSize) = (&quasi.kind, policy.objective) {
                all.map = Some(Map { column: all.rules.len(), said: said.clone(), regions: regions.clone() });
            }
            let known = frame.and_then(|frame| frame.column(&said.name));
            let reading = view.read(known.and_then(|known| known.values.kind()), &mut all.notes);
            let encoding = match known {
                Some(known) => reading.encode(known, true, &mut all.notes),
                None => {
                    let share = point_share(table, policy, column, quasi);
                    reading.learn(share, point_of(policy, &said.name)).and_then(|own| {
                        let encoding = reading.encode(&own, false, &mut all.notes);
                        all.learned.push(own);
                        encoding
                    })
                }
            };
            match encoding {
                Ok((_, kind, _)) if several_sizes && !kind.ordered() => {
                    all.mistakes.push(said.unordered(&kind));
                }
                Ok((rule, kind, codes)) => {
                    let Codes { of, words, respelled, rounded, bands } = codes;
                    let coarsest = quasi.range.coarsest.map(|level| level.saturating_sub(quasi.range.finest));
                    all.codings.push(Coding {
                        column: position,
                        kind,
                        words,
                        respelled,
                        rounded,
                        bands,
                        coarsest,
                    });
                    all.rules.push(rule);
                    all.columns.push(column.codes().iter().map(|&c| of[c as usize]).collect());
                }
                Err(found) => all.mistakes.extend(found),
            }
        }
        Ok(all)
    }
}

/// The quasi-identifiers of some rows of a table in the codes of its frame. Codes of labels and leaves are the
/// same for all rows of the table; on a line, places are.
#[derive(Debug)]
pub struct CodedRows {
    /// One rule per quasi-identifier, in the order of the policy: parts of a table may have their columns in any.
    pub rules: Vec<Rule>,
    /// The codes of every row, per quasi-identifier.
    pub columns: Vec<Vec<u32>>,
}

/// Codes some rows of a table, whose frame is known. Nothing but the quasi-identifiers is looked at.
pub fn code_rows(
    table: &Table,
    policy: &Policy,
    frame: &Frame,
    call: &Call,
) -> Result<CodedRows, EncodeError> {
    let read = QuasiColumns::read(table, policy, Some(frame), call)?;
    if !read.mistakes.is_empty() {
        return Err(Mistakes::from(read.mistakes).into());
    }
    let names = read.codings.iter().map(|coding| table.columns()[coding.column].name());
    let place = |name: &str| policy.quasi().position(|(said, _)| said.name == name);
    let mut coded: Vec<_> = names.map(place).zip(read.rules.into_iter().zip(read.columns)).collect();
    coded.sort_by_key(|(place, _)| *place);
    let (rules, columns) = coded.into_iter().map(|(_, coded)| coded).unzip();
    Ok(CodedRows { rules, columns })
}

/// The frame of a table that is known by the values of its quasi-identifiers: each has them all in some row. Also
/// what the user should know of how they were read.
pub fn learn_values(values: &Table, policy: &Policy, call: &Call) -> Result<(Frame, Vec<Hint>), EncodeError> {
    let QuasiColumns { learned, notes, mistakes, .. } = QuasiColumns::read(values, policy, None, call)?;
    if !mistakes.is_empty() {
        return Err(Mistakes::from(mistakes).into());
    }
    Ok((Frame::new(policy, learned, &Clusters::default()), notes))
}

/// Codes every quasi-identifier as the frame has it; without a frame, one is learned from the table itself.
pub(crate) fn code_columns(
    table: &Table,
    policy: &Policy,
    frame: Option<&Frame>,
    call: &Call,
) -> Result<Coded, EncodeError> {
    let mut quasi = QuasiColumns::read(table, policy, frame, call)?;
    if policy.objective.suppresses() {
        quasi.rules.iter_mut().for_each(|rule| *rule = Rule::flat(rule.values(), rule.full()));
    }
    let mut mistakes = std::mem::take(&mut quasi.mistakes);
    let mut keep = |mistake| mistakes.push(mistake);
    let counts = policy.count_column().and_then(|name| table.column(name));
    let row_sizes = counts.and_then(|column| read_counts(column).map_err(&mut keep).ok());
    let setups = policy.setup_column().and_then(|name| table.column(name));
    let setups = setups.and_then(|column| read_setups(column).map_err(&mut keep).ok());
    let whole = frame.map(Frame::distributions);
    let mut required = Required::read(table, policy, whole).unwrap_or_else(|found| {
        mistakes.extend(found);
        Required::default()
    });
    if mistakes.is_empty() {
        let mut notes = Vec::new();
        match quasi.presence(table, policy, &mut notes) {
            Ok(presence) => required.presence = presence,
            Err(found) => mistakes.extend(found),
        }
        quasi.notes.extend(notes);
    }
    let mut clusters = Clusters::default();
    if mistakes.is_empty() && policy.objective.clusters() {
        match measure(table, policy, &quasi, frame) {
            Ok(measured) => clusters = measured,
            Err(found) => mistakes.extend(found),
        }
    }
    if !mistakes.is_empty() {
        return Err(Mistakes::from(mistakes).into());
    }
    Ok(Coded { quasi, row_sizes, setups, clusters, required })
}

impl Coded {
    /// The problem: equal rows become records.
    pub(crate) fn into_encoded(self, table: &Table, policy: &Policy) -> Result<Encoded, EncodeError> {
        let classes = self.quasi.classes();
        let QuasiColumns { rules, codings, columns, map, notes, .. } = self.quasi;
        let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let distinct = distinct_rows(&slices, table.rows());
        let codes =
            distinct.first.iter().flat_map(|&row| slices.iter().map(move |c| c[row as usize])).collect();
        let setups = self.setups.map_or(Vec::new(), |costs| {
            // Of copies the cheapest is in the centre.
            let mut least = vec![Cost(u64::MAX); distinct.first.len()];
            for (&record, cost) in distinct.of_row.iter().zip(costs) {
                least[record as usize] = cost.min(least[record as usize]);
            }
            least
        });
        let people: u64 =
            self.row_sizes.as_ref().map_or(table.rows() as u64, |s| s.iter().map(|&c| u64::from(c)).sum());
        // The small addend forgives the binary rounding of shares such as 0.29.
        let may_withhold = (policy.withhold * people as f64 + 1e-9) as u64;
        let connect = |map: Map| map.connected(&columns[map.column], &self.row_sizes, policy, may_withhold);
        let connected = map.map(connect).transpose()?;
        let guard = self.required.guard(table.rows(), self.row_sizes.as_deref());
        let guard = guard.map_err(Mistakes::from)?;
        let problem = Problem::new(Parts {
            k: policy.k,
            objective: policy.objective,
            rules,
            record_of: distinct.of_row,
            codes,
            row_sizes: self.row_sizes,
            may_withhold,
            clusters: self.clusters,
            setups,
            connected,
            guard,
            classes,
            recoding: policy.recoding,
            coarsest: codings.iter().map(|coding| coding.coarsest).collect(),
        })?;
        Ok(Encoded { problem, codings, notes })
    }
}

/// The share of a point's weight that falls to this one of its coordinates: as its domain's width to that
/// of both.
fn point_share(table: &Table, policy: &Policy, column: &Column, quasi: &Quasi) -> f64 {
    let width = |column: &Column, quasi: &Quasi| {
        let texts: Vec<&str> = match &quasi.domain {
            Some(domain) => vec![&domain.low, &domain.high],
            None => {
                let present = |&code: &u32| !is_missing(column, code, policy.missing_in(column.name()));
                (0..column.distinct() as u32).filter(present).map(|code| column.text(code)).collect()
            }
        };
        let values = texts.into_iter().filter_map(|text| value_of(&Kind::Numeric, text)).map(Number::to_f64);
        let ends = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        (ends.1 - ends.0).max(0.0)
    };
    let Some(name) = &quasi.point_with else { return 1.0 };
    let (Some(other_column), Some(Role::Quasi(other))) = (table.column(name), policy.role(name)) else {
        return 1.0;
    };
    let (own, other) = (width(column, quasi), width(other_column, other));
    if own + other > 0.0 { own / (own + other) } else { 0.5 }
}

/// How the dictionary of a column maps to codes.
struct Codes {
    of: Vec<u32>,
    words: Vec<u32>,
    respelled: bool,
    rounded: Option<Rounded>,
    bands: BTreeMap<u32, String>,
}

impl Codes {
    fn new(dictionary: usize, codes: usize) -> Self {
        Self {
            of: vec![0; dictionary],
            words: vec![NO_WORD; codes],
            respelled: false,
            rounded: None,
            bands: BTreeMap::new(),
        }
    }

    /// Entries whose keys ascend: equal keys have one code. One more is for missing values, if there are any.
    fn ascending<K: PartialEq>(
        column: &Column,
        keyed: impl ExactSizeIterator<Item = (K, u32)>,
        absent: &[u32],
        missing: bool,
    ) -> (Self, Vec<K>) {
        let mut codes = Self::new(column.distinct(), keyed.len() + usize::from(missing));
        let mut distinct: Vec<K> = Vec::new();
        for (key, entry) in keyed {
            if distinct.last() != Some(&key) {
                distinct.push(key);
            }
            codes.set(entry, distinct.len() as u32 - 1);
        }
        absent.iter().for_each(|&entry| codes.set(entry, distinct.len() as u32));
        codes.words.truncate(distinct.len() + usize::from(missing));
        (codes, distinct)
    }

    /// The first spelling of a code is kept.
    fn set(&mut self, entry: u32, code: u32) {
        self.of[entry as usize] = code;
        let word = &mut self.words[code as usize];
        if *word == NO_WORD {
            *word = entry;
        } else {
            self.respelled = true;
        }
    }
}

/// Counts are whole, and not negative; a row may stand for nobody.
pub(crate) fn read_counts(column: &Column) -> Result<Vec<u32>, Mistake> {
    let count = |entry: u32| match column.text(entry).trim_ascii().parse::<u32>() {
        Ok(count) if !column.is_null(entry) => Some(count),
        _ => None,
    };
    each_cell(column, count).map_err(|row| {
        let what = format!(
            "column {:?}: the count in row {row} is not a whole number from 0 to {}",
            column.name(),
            u32::MAX
        );
        Mistake::new(what, None).hint("counts must be whole numbers from 0, without missing values")
    })
}

/// What the cell of every row says; else the first row whose cell says nothing.
fn each_cell<T: Copy>(column: &Column, said: impl Fn(u32) -> Option<T>) -> Result<Vec<T>, usize> {
    let all: Vec<Option<T>> = (0..column.distinct() as u32).map(said).collect();
    let cells = column.codes().iter().map(|&code| all[code as usize]);
    cells.collect::<Option<_>>().ok_or_else(|| column.first_row(|code| all[code as usize].is_none()))
}

/// Set-up costs are numbers from 0 to a thousand million, none missing.
fn read_setups(column: &Column) -> Result<Vec<Cost>, Mistake> {
    let cost = |entry: u32| {
        let number = parse_number(column.text(entry).trim_ascii()).map(|n| n.to_f64());
        let number = number.filter(|n| !column.is_null(entry) && (0.0..=MOST_SETUP).contains(n));
        number.map(|cost| Cost((cost * ONE as f64).round() as u64))
    };
    each_cell(column, cost).map_err(|row| {
        let what = format!("column {:?}: the set-up cost in row {row} is out of range", column.name());
        Mistake::new(what, None).hint("write numbers from 0 to 1000000000, none missing")
    })
}
