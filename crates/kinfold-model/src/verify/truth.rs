//! Truth: every published row is an original row, said less precisely; none is lost or invented.
//!
//! In a release that keeps the order of the table, the rows are a subsequence of the original, and
//! taking the earliest row that fits finds it if there is one. In any other release, published and
//! original rows are paired by a largest matching over what they look like: a tree finds the rows that each
//! published look covers, and untouched cells leave few of them.

use super::balls::Balls;
use super::cover::{Original, Reader, Said};
use super::finder::Finder;
use super::looks::{Looks, coarsened};
use super::matching::{Edges, keep_together, largest_pairing};
use super::models::Finding;
use super::persons::Persons;
use super::{Published, VerifyError, count_groups, lines, people_of_rows};
use crate::call::{Call, Stopped};
use crate::encode::{Coding, EncodeError, Encoded, encode, read_persons};
use crate::kind::{Kind, is_missing, value_of};
use crate::policy::{Form, Mistake, Mistakes, Policy, Quasi, Role, nearest};
use crate::table::{Column, Distinct, Table, distinct_rows};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// What a comparison with the original found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// Published rows that are no row of the original.
    pub invented: usize,
    /// People of the original that the release leaves out.
    pub withheld: u64,
    /// Rows of the original that the release leaves out.
    pub withheld_rows: usize,
    /// People that it may leave out.
    pub may_withhold: u64,
    /// Columns that should be published and are not.
    pub absent: Vec<String>,
    /// Where the rows stand in the same order: columns with cells that do not cover the original, and how
    /// many.
    pub uncovered: Vec<(String, usize)>,
    /// Whether every group holds k distinct persons, if the policy names whom a row is about.
    pub persons: Option<Finding>,
}

impl Truth {
    /// Whether more is left out than may be.
    pub fn lost(&self) -> bool {
        self.withheld > self.may_withhold || self.withheld_rows > 0 && self.may_withhold == 0
    }

    /// Whether the release tells the truth.
    pub fn holds(&self) -> bool {
        self.invented == 0 && !self.lost() && self.absent.is_empty() && self.uncovered.is_empty()
    }
}

const ONE_LINE_PER_GROUP: &str = "a line per group does not tell which rows it holds";
const NOT_TRUE: &str = "the release is not true of the original";

/// Compares a release (read whole) with the table it was made from.
pub fn check_truth(published: &Published, original: &Table, policy: &Policy) -> Result<Truth, VerifyError> {
    if policy.form == Form::Codes && published.lookup.is_empty() {
        let mistake =
            Mistake::new("without its lookup file, a release in form codes says nothing of groups", None);
        let list = vec![mistake.hint("name the lookup file: {lookup=FILE}")];
        return Err(Mistakes::from(list).into());
    }
    complete(original, policy)?;
    let encoded = encode(original, &policy.as_given()).map_err(|e| match e {
        EncodeError::Policy(mistakes) => EncodeError::Policy(mistakes.found_in("the original")),
        e => e,
    })?;
    let people = encoded.problem.people();
    let absent: Vec<String> = policy
        .columns
        .iter()
        .filter(|c| c.told_by_row())
        .filter(|c| published.table.column(&c.name).is_none())
        .map(|c| c.name.clone())
        .collect();
    let mut truth = Truth {
        invented: 0,
        withheld: 0,
        withheld_rows: original.rows().saturating_sub(published.table.rows()),
        may_withhold: encoded.problem.may_withhold(),
        absent,
        uncovered: Vec::new(),
        persons: policy.person_column().map(|_| Finding::Undecided(NOT_TRUE.into())),
    };
    if !truth.absent.is_empty() {
        return Ok(truth);
    }
    if policy.per_group {
        let told = lines::compare(published, original, policy, &encoded)?;
        truth.invented = told.rows.saturating_sub(told.found) as usize;
        truth.withheld = people.saturating_sub(told.rows);
        truth.withheld_rows = truth.withheld as usize;
        truth.persons = truth.persons.map(|_| Finding::Undecided(ONE_LINE_PER_GROUP.into()));
        return Ok(truth);
    }
    let mut sides = Sides::new(published, original, policy, &encoded)?;
    let rows = published.table.rows();
    let in_order = sides.in_order(rows, |place| place)?.is_some();
    if !in_order {
        let pairs = sides.largest_pairing(rows, None)?.ok_or(VerifyError::Undecided)?;
        truth.invented = pairs.iter().filter(|pair| pair.is_none()).count();
        if truth.invented > 0 && rows == original.rows() && sides.mostly_in_order(rows) {
            truth.uncovered = sides.uncovered(rows);
        }
    }
    truth.withheld = people.saturating_sub(people_of_rows(published, policy)?.iter().sum());
    if truth.persons.is_some() && truth.holds() {
        let said = policy.columns.iter().find(|c| c.role == Role::Person);
        let column = said.and_then(|said| Some((said, original.column(&said.name)?)));
        if let Some((said, column)) = column {
            let person_of = read_persons(column, said, policy.missing_in(&said.name))
                .map_err(|mistake| Mistakes::from(mistake).found_in("the original"))?;
            let counted = count_groups(published, policy)?;
            let group_of = counted.group_of.unwrap_or_default();
            let persons = Persons {
                group_of: &group_of,
                groups: counted.sizes.len(),
                person_of: &person_of,
                k: policy.k,
            };
            truth.persons = Some(persons.decide(&mut sides, in_order)?);
        }
    }
    Ok(truth)
}

/// Whether a release (read whole) has the rows of the original in their order, each as one that fits.
pub fn in_order(published: &Published, original: &Table, policy: &Policy) -> Result<bool, VerifyError> {
    if policy.per_group || published.table.rows() != original.rows() {
        return Ok(false);
    }
    complete(original, policy)?;
    let encoded = encode(original, &policy.as_given())?;
    let mut sides = Sides::new(published, original, policy, &encoded)?;
    Ok((0..original.rows()).all(|row| sides.fits(row, row)))
}

/// What the release speaks of must be in the original, or nothing can be compared.
pub(super) fn complete(original: &Table, policy: &Policy) -> Result<(), Mistakes> {
    let names = || original.columns().iter().map(|c| c.name());
    let list: Vec<Mistake> = policy
        .columns
        .iter()
        .filter(|c| c.role.published() && original.column(&c.name).is_none())
        .map(|c| {
            let mistake = Mistake::new(format!("the original has no column {:?}", c.name), c.place);
            match nearest(&c.name, names()) {
                Some(close) => mistake.hint(format!("did you mean {close:?}?")),
                None => mistake.hint("is this the table that the release was made from?"),
            }
        })
        .collect();
    if list.is_empty() { Ok(()) } else { Err(Mistakes::from(list)) }
}

/// Published and original columns side by side, in codes that can be compared.
pub(super) struct Sides<'a> {
    pub(super) quasi: Vec<QuasiSide<'a>>,
    /// Untouched columns: both sides in the original's dictionary codes (published texts it lacks: no code).
    pub(super) untouched: Vec<(String, Vec<u32>, Cow<'a, [u32]>)>,
    pub(super) call: &'a Call,
    originals: usize,
}

const NO_CODE: u32 = u32::MAX;
/// Pairs of published and original rows, copies counted once, that are looked at: some 300 MB.
pub(super) const MOST_PAIRS: usize = 16_000_000;
/// Comparisons that finding them may take: some ten seconds.
pub(super) const MOST_WORK: u64 = 2_000_000_000;

/// One quasi-identifier: what is published, and which published looks cover which original values.
pub(super) struct QuasiSide<'a> {
    name: String,
    /// For every published row, the number of its look (a cell, or a pair of bounds).
    pub(super) looks: Vec<u32>,
    pub(super) said: Vec<Said>,
    pub(super) values: Vec<Original<'a>>,
    /// For every original row the number of its value.
    pub(super) codes: Cow<'a, [u32]>,
    /// Where groups are balls around a centre: all quasi-identifiers at once, whose values are records.
    pub(super) balls: Option<Balls<'a>>,
    pub(super) missing: &'a [String],
    known: HashMap<(u32, u32), bool>,
}

impl QuasiSide<'_> {
    pub(super) fn looks_said(&self) -> usize {
        self.balls.as_ref().map_or(self.said.len(), Balls::looks)
    }

    pub(super) fn distinct(&self) -> usize {
        self.balls.as_ref().map_or(self.values.len(), Balls::records)
    }

    fn covers(&mut self, look: u32, code: u32) -> bool {
        if let Some(balls) = &self.balls {
            return balls.holds(look, code);
        }
        let (said, values, missing) = (&self.said, &self.values, self.missing);
        *self
            .known
            .entry((look, code))
            .or_insert_with(|| said[look as usize].covers(&values[code as usize], missing))
    }
}

impl<'a> Sides<'a> {
    pub(super) fn new(
        published: &'a Published,
        original: &'a Table,
        policy: &'a Policy,
        encoded: &'a Encoded,
    ) -> Result<Self, VerifyError> {
        let mut quasi = Vec::new();
        if policy.form == Form::Centres {
            let (balls, looks) = Balls::read(published, original, policy, encoded);
            let codes = (0..original.rows() as u32).map(|row| encoded.problem.record_of(row)).collect();
            quasi.push(QuasiSide {
                name: "the centre".into(),
                looks,
                said: Vec::new(),
                values: Vec::new(),
                codes,
                balls: Some(balls),
                missing: &policy.missing,
                known: HashMap::new(),
            });
        }
        for (said, cells) in coarsened(published, policy)? {
            let Some(column) = original.column(&said.name) else { continue };
            let coded = |coding: &&Coding| original.columns()[coding.column].name() == said.name;
            let read = |coding: &'a Coding| kind_as_read(policy, &said.name, &coding.kind);
            let kind = match &said.recoded {
                Some(recoded) => Some(&recoded.kind),
                None => encoded.codings.iter().find(coded).map(read),
            };
            quasi.extend(
                kind.map(|kind| side_of(&said.name, &cells, published.table.rows(), column, kind, policy)),
            );
        }
        let untouched = policy
            .columns
            .iter()
            .filter(|c| c.told_by_row() && c.recoded.is_none())
            .filter_map(|c| {
                let (from, to) = (published.table.column(&c.name)?, original.column(&c.name)?);
                let (from, to) = in_codes_of_original(from, to);
                Some((c.name.clone(), from, to))
            })
            .collect();
        Ok(Self { quasi, untouched, call: &published.call, originals: original.rows() })
    }

    fn fits(&mut self, published: usize, original: usize) -> bool {
        self.untouched.iter().all(|(_, from, to)| from[published] == to[original])
            && self.quasi.iter_mut().all(|q| q.covers(q.looks[published], q.codes[original]))
    }

    /// The original row of every published one, if both can be paired in their order: the earliest that fits.
    /// `at_place` says which row of the original stands in a place.
    pub(super) fn in_order(
        &mut self,
        published: usize,
        at_place: impl Fn(usize) -> usize,
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let (mut earliest, mut at) = (Vec::with_capacity(published), 0);
        for row in 0..published {
            self.call.check()?;
            while at < self.originals && !self.fits(row, at_place(at)) {
                at += 1;
            }
            if at == self.originals {
                return Ok(None);
            }
            earliest.push(at_place(at) as u32);
            at += 1;
        }
        Ok(Some(earliest))
    }

    /// The original row of every published one, if both can be paired in their order and that in one way only:
    /// taking the earliest row that fits, or the latest, comes to the same.
    pub(super) fn only_pairing_in_order(&mut self, published: usize) -> Result<Option<Vec<u32>>, Stopped> {
        let Some(earliest) = self.in_order(published, |place| place)? else { return Ok(None) };
        let mut end = self.originals;
        for row in (0..published).rev() {
            self.call.check()?;
            while end > 0 && !self.fits(row, end - 1) {
                end -= 1;
            }
            if end == 0 || earliest[row] as usize != end - 1 {
                return Ok(None);
            }
            end -= 1;
        }
        Ok(Some(earliest))
    }

    /// Whether rows seem to stand in the order of the table: most fit the row in their place.
    fn mostly_in_order(&mut self, rows: usize) -> bool {
        2 * (0..rows).filter(|&row| self.fits(row, row)).count() > rows
    }

    /// Row against row: which columns do not fit, and how often.
    fn uncovered(&mut self, rows: usize) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        for q in &mut self.quasi {
            let bad = (0..rows).filter(|&row| !q.covers(q.looks[row], q.codes[row])).count();
            found.push((q.name.clone(), bad));
        }
        for (name, from, to) in &self.untouched {
            found.push((name.clone(), (0..rows).filter(|&row| from[row] != to[row]).count()));
        }
        found.retain(|(_, bad)| *bad > 0);
        found
    }

    /// What the untouched cells of a row say, in numbers that both sides share: published rows first.
    pub(super) fn classes(&self, published: usize) -> Vec<u32> {
        let both: Vec<Vec<u32>> =
            self.untouched.iter().map(|(_, from, to)| [from.as_slice(), &**to].concat()).collect();
        let both: Vec<&[u32]> = both.iter().map(Vec::as_slice).collect();
        distinct_rows(&both, published + self.originals).of_row
    }

    /// An original row of its own for as many published rows as possible; none if there are too many ways to
    /// try. Original rows of one class in `together` are given to alike published rows where that is possible.
    pub(super) fn largest_pairing(
        &mut self,
        published: usize,
        together: Option<&[u32]>,
    ) -> Result<Option<Vec<Option<u32>>>, Stopped> {
        let (original, class) = (self.originals, self.classes(published));
        // Rows that say the same are one, as often as they occur.
        let looks = self.quasi.iter().map(|q| q.looks.as_slice()).chain([&class[..published]]);
        let left = distinct_rows(&looks.collect::<Vec<_>>(), published);
        let codes = self.quasi.iter().map(|q| &*q.codes).chain([&class[published..]]).chain(together);
        let right = distinct_rows(&codes.collect::<Vec<_>>(), original);
        let mut finder = Finder::new(&self.quasi, &right.first, |row| class[published + row as usize]);
        let mut edges = Edges { starts: vec![0], to: Vec::new() };
        let mut found = Vec::new();
        for &row in &left.first {
            self.call.check()?;
            finder.covered(row, Some(class[row as usize]), &mut found);
            edges.to.extend(&found);
            edges.starts.push(edges.to.len());
            if edges.to.len() > MOST_PAIRS || finder.work > MOST_WORK {
                return Ok(None);
            }
        }
        drop(finder);
        let start = match together {
            None => vec![0; edges.to.len()],
            Some(together) => {
                let looks: Vec<&[u32]> = self.quasi.iter().map(|q| q.looks.as_slice()).collect();
                let alike = distinct_rows(&looks, published).of_row;
                let group_of: Vec<u32> = left.first.iter().map(|&row| alike[row as usize]).collect();
                let class_of: Vec<u32> = right.first.iter().map(|&row| together[row as usize]).collect();
                keep_together(&sizes(&left), &sizes(&right), &edges, &group_of, &class_of, self.call)?
            }
        };
        let pairs = largest_pairing(&sizes(&left), &sizes(&right), &edges, start, self.call)?;
        let (left, right) = (rows_of(&left), rows_of(&right));
        // Which of the rows that say the same makes no difference: the first that are left.
        let mut free: Vec<_> = right.iter().map(|rows| rows.iter().copied()).collect();
        let mut partner = vec![None; published];
        for (rows, ends) in left.iter().zip(edges.starts.windows(2)) {
            let mut rows = rows.iter();
            for edge in ends[0]..ends[1] {
                let own = rows.by_ref().take(pairs[edge] as usize);
                own.zip(&mut free[edges.to[edge] as usize]).for_each(|(&row, other)| {
                    partner[row as usize] = Some(other);
                });
            }
        }
        Ok(Some(partner))
    }
}

/// How many rows every look has.
fn sizes(distinct: &Distinct) -> Vec<u64> {
    let mut sizes = vec![0; distinct.first.len()];
    distinct.of_row.iter().for_each(|&look| sizes[look as usize] += 1);
    sizes
}

/// The rows of every look.
fn rows_of(distinct: &Distinct) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); distinct.first.len()];
    (0u32..).zip(&distinct.of_row).for_each(|(row, &look)| rows[look as usize].push(row));
    rows
}

/// An untouched column on both sides. A null and an empty text differ where both sides can tell them apart:
/// a text file has no nulls.
fn in_codes_of_original<'a>(from: &Column, to: &'a Column) -> (Vec<u32>, Cow<'a, [u32]>) {
    let apart = from.origin().is_some() && to.origin().is_some();
    let look = |column: &'_ Column, entry: u32| apart && column.is_null(entry);
    let known: BTreeMap<(&str, bool), u32> =
        (0..to.distinct() as u32).rev().map(|e| ((to.text(e), look(to, e)), e)).collect();
    let codes_of = |column: &Column| -> Vec<u32> {
        let known = |e| known.get(&(column.text(e), look(column, e))).copied().unwrap_or(NO_CODE);
        (0..column.distinct() as u32).map(known).collect()
    };
    let translate = |column: &Column, codes: Vec<u32>| -> Vec<u32> {
        column.codes().iter().map(|&e| codes[e as usize]).collect()
    };
    let own = codes_of(to);
    let original = if own.iter().zip(0..).all(|(&code, e)| code == e) {
        Cow::Borrowed(to.codes())
    } else {
        Cow::Owned(translate(to, own))
    };
    (translate(from, codes_of(from)), original)
}

/// What is published of a column, and what it may cover.
fn side_of<'a>(
    name: &str,
    cells: &Looks<'_>,
    rows: usize,
    column: &'a Column,
    kind: &'a Kind,
    policy: &'a Policy,
) -> QuasiSide<'a> {
    let missing_texts = policy.missing_in(name);
    let entries = 0..column.distinct() as u32;
    let values = entries.map(|entry| original_value(column, entry, kind, missing_texts)).collect();
    let reader = Reader::new(kind, &policy.format, missing_texts);
    let looks = cells.distinct(rows);
    let starred = cells.starred(looks.first.len());
    let said = looks.first.iter().map(|&row| cells.said(&reader, row, starred)).collect();
    QuasiSide {
        name: name.to_owned(),
        looks: looks.of_row,
        said,
        values,
        codes: Cow::Borrowed(column.codes()),
        balls: None,
        missing: missing_texts,
        known: HashMap::new(),
    }
}

/// The kind by which published cells are read. Codes are compared as they stand, not by the tree that encoding makes
/// of them.
pub(super) fn kind_as_read<'a>(policy: &'a Policy, name: &str, kind: &'a Kind) -> &'a Kind {
    match policy.role(name) {
        Some(Role::Quasi(Quasi { kind: Some(kind @ (Kind::Prefix(_) | Kind::Ladder(_))), .. })) => kind,
        _ => kind,
    }
}

/// What covering depends on of the value of a dictionary entry.
pub(super) fn original_value<'a>(
    column: &'a Column,
    entry: u32,
    kind: &Kind,
    missing_texts: &[String],
) -> Original<'a> {
    let (text, missing) = (column.text(entry), is_missing(column, entry, missing_texts));
    let (value, leaf) = match kind {
        // A missing value that the hierarchy does not name hangs last, see `encode`.
        Kind::Hierarchy(h) => (None, h.leaf(text).or(missing.then(|| h.tree().leaves() - 1)).or(h.unknown())),
        _ if missing => (None, None),
        kind => (value_of(kind, text), None),
    };
    Original { text, missing, value, leaf }
}
