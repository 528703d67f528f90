//! Presence: does every group of a release hold a small enough share of the population that fits it?
//!
//! Cells are read as a stranger reads them (`cover.rs`), and the population as its own file has it: nothing is
//! known of the table that the release was made from. Every value of the population has a place per column, and
//! a cell speaks of runs of places.
//!
//! How many people a group holds is counted from its rows. If the policy says whom rows are about, a group may
//! hold fewer persons than rows: then a share of rows that is small enough shows that the release fulfils the
//! model, and one that is not shows nothing.

use super::centres::Counted;
use super::cover::{Reader, Reading, Said};
use super::looks::Looks;
use super::models::{Finding, ModelVerdict};
use super::{Published, VerifyError, people_of, quasi_columns};
use crate::kind::{Kind, infer, is_missing, value_of};
use crate::policy::{Form, Mistake, Mistakes, Place, Policy, PresencePolicy, Quasi, Rounding};
use crate::requirement::{Decimal, NOWHERE, Population, Requirement, Runs, runs_of};
use crate::table::{Column, Table};
use crate::value::Number;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Persons are counted only where the original is at hand.
pub(super) const ROWS_ARE_NOT_PERSONS: &str = "not decidable from the release alone: by its rows a group is too large, and it does not say how many \
     persons they are about";
const NO_LOOKUP: &str = "not decidable without the lookup file of the release";
const NO_ROWS: &str = "not decidable for a release of one line per group";

/// The verdict on presence, if the policy asks for it.
pub(super) fn examine(
    published: &Published,
    policy: &Policy,
    counted: &Counted,
) -> Result<Option<ModelVerdict>, VerifyError> {
    let Some(asked) = &policy.presence else { return Ok(None) };
    let requirement = Requirement::Presence { min: Decimal::default(), max: asked.at_most };
    let finding = match policy.form {
        Form::Codes if published.lookup.is_empty() => Finding::Undecided(NO_LOOKUP.into()),
        Form::Centres => Finding::Undecided(NO_ROWS.into()),
        _ => find(published, policy, asked, counted)?,
    };
    Ok(Some(ModelVerdict { model: requirement.words(""), column: None, finding }))
}

fn find(
    published: &Published,
    policy: &Policy,
    asked: &PresencePolicy,
    counted: &Counted,
) -> Result<Finding, VerifyError> {
    let (mut short, mut people_short) = (0, 0);
    let fitting = fitting(published, policy, &asked.population, asked.place, &counted.first)?;
    for (&people, fit) in counted.sizes.iter().zip(fitting).filter(|(people, _)| **people > 0) {
        let allowed = u128::from(fit) * u128::from(asked.at_most.units());
        if u128::from(people) * u128::from(Decimal::ONE) > allowed {
            (short, people_short) = (short + 1, people_short + people);
        }
    }
    Ok(match short {
        0 => Finding::Fulfilled,
        _ if policy.person_column().is_some() => Finding::Undecided(ROWS_ARE_NOT_PERSONS.into()),
        groups => Finding::Short { groups, people: people_short },
    })
}

/// How many of a population fit the cells of each of these rows of a release.
pub(super) fn fitting(
    published: &Published,
    policy: &Policy,
    population: &Table,
    place: Option<Place>,
    rows: &[u32],
) -> Result<Vec<u64>, VerifyError> {
    let (sides, population) = sides(published, policy, population, place)?;
    let count = |&row: &u32| {
        published.call.check()?;
        let wanted: Vec<Option<Runs>> = sides.iter().map(|side| side.wanted(row)).collect();
        Ok(population.count(&wanted))
    };
    rows.iter().map(count).collect()
}

/// The quasi-identifiers of a release, and everybody in a table by places in them.
pub(super) fn sides(
    published: &Published,
    policy: &Policy,
    table: &Table,
    place: Option<Place>,
) -> Result<(Vec<Side>, Population), VerifyError> {
    let names = quasi_columns(&published.names, policy)?;
    let mut sides = Vec::new();
    for ((said, quasi), names) in policy.quasi().zip(&names) {
        let Some(members) = table.column(&said.name) else {
            let what = format!("the population has no column {:?}", said.name);
            return Err(Mistakes::from(Mistake::new(what, place)).into());
        };
        sides.push(Side::new(&said.name, quasi, members, names, published, policy));
    }
    let people = people_of(table, policy)?;
    let places: Vec<u32> =
        (0..table.rows()).flat_map(|row| sides.iter().map(move |side| side.places[row])).collect();
    let population = Population::new(sides.len(), &places, |row| people[row]);
    Ok((sides, population))
}

/// One quasi-identifier: the places of the population, and the runs that published cells speak of.
pub(super) struct Side {
    pub(super) places: Vec<u32>,
    /// For every published row the number of its look.
    pub(super) looks: Vec<u32>,
    /// For every look; `None`: anything.
    pub(super) runs: Vec<Option<Runs>>,
    /// For every look the places that it tells: the ends of a range, the labels of a set; `None`: it is not
    /// generalized.
    pub(super) told: Vec<Option<Vec<u32>>>,
}

impl Side {
    /// The places that the cells of a published row speak of; `None`: all.
    pub(super) fn wanted(&self, row: u32) -> Option<Runs> {
        self.runs[self.looks[row as usize] as usize].clone()
    }

    fn new(
        name: &str,
        quasi: &Quasi,
        members: &Column,
        columns: &[String],
        published: &Published,
        policy: &Policy,
    ) -> Self {
        // Anonymizing refuses a population that reads otherwise than the table.
        let kind = kind_of(quasi, members, policy.missing_in(name));
        let places = Places::new(&kind, members, policy.missing_in(name));
        let reader = Reader::new(&kind, &policy.format, policy.missing_in(name));
        let cells = Looks::new(name, columns, published, policy);
        let looks = cells.distinct(published.table.rows());
        let said: Vec<Said> = looks.first.iter().map(|&row| cells.said(&reader, row, true)).collect();
        let runs = said.iter().map(|said| places.runs(said)).collect();
        let rounded = match quasi.round {
            Some(Rounding::To(_)) => true,
            Some(Rounding::Exact) => false,
            None => policy.blunt && (kind.numeric() || kind.dates()),
        };
        let told = said.iter().map(|said| places.told(said, rounded)).collect();
        let places = members.codes().iter().map(|&entry| places.of[entry as usize]).collect();
        Self { places, looks: looks.of_row, runs, told }
    }
}

/// What the values of a column are: as the policy says, or as they look.
pub(super) fn kind_of(quasi: &Quasi, column: &Column, missing: &[String]) -> Kind {
    match &quasi.kind {
        // Areas of a map are nodes of a tree.
        Some(Kind::Region(regions)) => Kind::Hierarchy(Arc::clone(regions.hierarchy())),
        Some(kind) => kind.clone(),
        None => infer(column, missing).kind,
    }
}

/// Where the values of one column of the population are: numbers and dates in their order, leaves in that of
/// the tree, labels by name. What is missing comes after all of them.
struct Places<'a> {
    /// For every entry of the dictionary.
    of: Vec<u32>,
    values: Vec<Number>,
    texts: BTreeMap<&'a str, u32>,
    /// Leaves of the tree, if there is one.
    leaves: Option<u32>,
    absent: u32,
    missing: &'a [String],
}

impl<'a> Places<'a> {
    fn new(kind: &Kind, members: &'a Column, missing: &'a [String]) -> Self {
        let entries = 0..members.distinct() as u32;
        let gone = |entry: u32| is_missing(members, entry, missing);
        let mut values: Vec<Number> = match kind.on_line() {
            true => {
                let present = entries.clone().filter(|&entry| !gone(entry));
                present.filter_map(|entry| value_of(kind, members.text(entry))).collect()
            }
            false => Vec::new(),
        };
        values.sort_unstable();
        values.dedup();
        let leaves = match kind {
            Kind::Hierarchy(hierarchy) => Some(hierarchy.tree().leaves()),
            _ => None,
        };
        let absent = leaves.unwrap_or(0).max(values.len() as u32).max(members.distinct() as u32);
        let place = |entry: u32| match kind {
            Kind::Hierarchy(hierarchy) => {
                let leaf = hierarchy.leaf(members.text(entry));
                leaf.unwrap_or(if gone(entry) { absent } else { NOWHERE })
            }
            _ if gone(entry) => absent,
            kind if kind.on_line() => value_of(kind, members.text(entry))
                .and_then(|value| values.binary_search(&value).ok())
                .map_or(NOWHERE, |at| at as u32),
            _ => entry,
        };
        let of: Vec<u32> = entries.map(place).collect();
        let named =
            |(entry, &at): (u32, &u32)| (at != NOWHERE && at != absent).then(|| (members.text(entry), at));
        let texts = (0..).zip(&of).filter_map(named).collect();
        Self { of, values, texts, leaves, absent, missing }
    }

    fn is_missing(&self, label: &str) -> bool {
        self.missing.iter().any(|token| token == label.trim_ascii())
    }

    /// The places that a cell speaks of; `None`: all.
    fn runs(&self, said: &Said) -> Option<Runs> {
        let Said::Either(readings) = said else { return None };
        let mut spans = Runs::new();
        for reading in readings {
            match reading {
                Reading::Text(text) | Reading::Code(text) => {
                    spans.extend(self.texts.get(text.as_str()).map(|&at| (at, at)))
                }
                Reading::Missing => spans.push((self.absent, self.absent)),
                Reading::Range(low, high) => {
                    let first = self.values.partition_point(|value| value < low) as u32;
                    let end = self.values.partition_point(|value| value <= high) as u32;
                    spans.extend((first < end).then(|| (first, end - 1)));
                }
                Reading::Interval(named) => {
                    let (first, end) = named.places(&self.values);
                    spans.extend((first < end).then(|| (first as u32, end as u32 - 1)));
                }
                Reading::Labels(labels) => {
                    for label in labels {
                        spans.extend(self.texts.get(label.as_str()).map(|&at| (at, at)));
                        if self.is_missing(label) {
                            spans.push((self.absent, self.absent));
                        }
                    }
                }
                Reading::Prefix(start) => {
                    let from = self.texts.range(start.as_str()..);
                    let fitting = from.take_while(|(text, _)| text.starts_with(start.as_str()));
                    spans.extend(fitting.map(|(_, &at)| (at, at)));
                }
                Reading::Leaves(first, last) => {
                    spans.push((*first, *last));
                    // What is missing hangs below the root.
                    if *first == 0 && Some(*last + 1) == self.leaves {
                        spans.push((self.absent, self.absent));
                    }
                }
            }
        }
        Some(runs_of(spans))
    }

    /// The places that a cell tells exactly; `None` if it is not generalized. Ends that are rounded are nobody's
    /// value.
    fn told(&self, said: &Said, rounded: bool) -> Option<Vec<u32>> {
        let Said::Either(readings) = said else { return Some(Vec::new()) };
        let mut told = None;
        for reading in readings {
            match reading {
                Reading::Range(low, high) if low < high => {
                    let ends = [low, high].into_iter().filter(|_| !rounded);
                    let places = ends.filter_map(|end| self.values.binary_search(end).ok());
                    told.get_or_insert_with(Vec::new).extend(places.map(|place| place as u32));
                }
                Reading::Labels(labels) if labels.len() > 1 => {
                    let place = |label: &String| {
                        let named = self.texts.get(label.as_str()).copied();
                        named.or(self.is_missing(label).then_some(self.absent))
                    };
                    told.get_or_insert_with(Vec::new).extend(labels.iter().filter_map(place));
                }
                Reading::Leaves(first, last) if first < last => drop(told.get_or_insert_with(Vec::new)),
                Reading::Prefix(_) | Reading::Interval(_) => drop(told.get_or_insert_with(Vec::new)),
                _ => {}
            }
        }
        told
    }
}
