//! Where a release says that people are: rectangles or areas of a map, read from the published bytes alone.

use super::cover::{Reader, Reading, Said};
use super::looks::{Looks, cell};
use super::{Published, VerifyError, people_of_rows, quasi_columns};
use crate::cost::Objective;
use crate::kind::Kind;
use crate::policy::{Form, Mistake, Mistakes, Policy};
use crate::regions::Regions;
use crate::table::{Column, distinct_rows};
use std::cell::LazyCell;
use std::sync::Arc;

/// The places of a release.
#[derive(Debug, Clone)]
pub struct Places {
    /// The map, if they are areas of one.
    pub regions: Option<Arc<Regions>>,
    /// Every place that is published, once, in the order of appearance.
    pub list: Vec<PlacedGroup>,
}

/// A place, and how many people are said to be there.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedGroup {
    /// Where.
    pub shape: Shape,
    /// How many.
    pub people: u64,
}

/// What is published of a place.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// From one to another latitude or y, and from one to another longitude or x.
    Rectangle {
        /// Up.
        up: (f64, f64),
        /// Across.
        across: (f64, f64),
    },
    /// These regions of the map, by number.
    Area(Vec<u32>),
    /// Nothing.
    Anywhere,
    /// Something that is no place of this policy.
    Unread,
}

/// The places that a release publishes: of the first column of regions, or of the first point.
pub fn places(published: &Published, policy: &Policy) -> Result<Places, VerifyError> {
    let columns = quasi_columns(&published.names, policy)?;
    let refuse = |what: &str, hint: &'static str| {
        VerifyError::from(Mistakes::from(Mistake::new(what, None).hint(hint)))
    };
    if !Form::of(Objective::Ncp).contains(&policy.form) {
        let what = format!("a release in form {} has no areas to draw", policy.form.word());
        return Err(refuse(&what, "a map shows releases in form ranges, bounds, midpoint, codes or wkt"));
    }
    let mut quasi = policy.quasi().zip(&columns);
    let place = quasi.find_map(|((column, quasi), names)| match &quasi.kind {
        Some(Kind::Region(regions)) => Some((column.name.clone(), names.clone(), Some(regions.clone()))),
        _ if quasi.point_with.is_some() => Some((column.name.clone(), names.clone(), None)),
        _ => None,
    });
    let Some((name, names, regions)) = place else {
        let hint = "name the column: {quasi=zip:region=EDGES.csv} or {quasi=lat/lon:point}";
        return Err(refuse("no column of the release is a place", hint));
    };
    let people = people_of_rows(published, policy)?;
    let list = match &regions {
        Some(regions) => areas(published, policy, &name, &names, regions, &people),
        None => rectangles(published, policy, &columns, &policy.point_of(&name).unwrap_or_default(), &people),
    };
    Ok(Places { regions, list })
}

/// Every look of some columns once, with the people who have it.
fn collect(columns: &[&Column], people: &[u64], shape: impl Fn(u32) -> Shape) -> Vec<PlacedGroup> {
    let codes: Vec<&[u32]> = columns.iter().map(|c| c.codes()).collect();
    let distinct = distinct_rows(&codes, people.len());
    let people = distinct.sums(people.iter().copied());
    distinct
        .first
        .iter()
        .zip(people)
        .map(|(&row, people)| PlacedGroup { shape: shape(row), people })
        .collect()
}

/// The rectangles of a pair of coordinates, latitude or y first, from the columns that publish each
/// quasi-identifier.
fn rectangles(
    published: &Published,
    policy: &Policy,
    columns: &[Vec<String>],
    pair: &[String; 2],
    people: &[u64],
) -> Vec<PlacedGroup> {
    let looks_of = |name: &String| {
        let names = policy.quasi().zip(columns).find(|((c, _), _)| c.name == *name).map(|(_, names)| names);
        Looks::new(name, names.map_or(&[], Vec::as_slice), published, policy)
    };
    let [up, across] = pair.each_ref().map(looks_of);
    let reader_of = |name: &String| Reader::new(&Kind::Numeric, &policy.format, policy.missing_in(name));
    let readers = pair.each_ref().map(reader_of);
    let ends = |looks: &Looks<'_>, reader: &Reader<'_>, row: u32| {
        let said = looks.said(reader, row, true);
        if said == Said::Star || said.readings().contains(&Reading::Missing) {
            return Err(Shape::Anywhere);
        }
        let range = said.ranges().next().ok_or(Shape::Unread);
        range.map(|(low, high)| (low.to_f64(), high.to_f64()))
    };
    let both: Vec<&Column> = up.parts().iter().chain(across.parts()).copied().collect();
    collect(&both, people, |row| match (ends(&up, &readers[0], row), ends(&across, &readers[1], row)) {
        (Ok(up), Ok(across)) => Shape::Rectangle { up, across },
        (Err(shape), _) | (_, Err(shape)) => shape,
    })
}

/// The areas of a column of regions: a cell is a region, a set of them, or the name of a nested area.
fn areas(
    published: &Published,
    policy: &Policy,
    name: &str,
    names: &[String],
    regions: &Arc<Regions>,
    people: &[u64],
) -> Vec<PlacedGroup> {
    let Some(column) = names.first().and_then(|n| published.table.column(n)) else { return Vec::new() };
    let labels = Kind::Region(regions.clone());
    let sets = Reader::new(&labels, &policy.format, policy.missing_in(name));
    // Nested areas are made only where a cell speaks of them.
    let areas = LazyCell::new(|| Kind::Hierarchy(regions.hierarchy().clone()));
    let nested = LazyCell::new(|| Reader::new(&areas, &policy.format, policy.missing_in(name)));
    let numbers = |names: &mut dyn Iterator<Item = &str>| names.map(|n| regions.number(n)).collect();
    let read = |readings: &[Reading]| -> Option<Vec<u32>> {
        readings.iter().find_map(|reading| match reading {
            Reading::Leaves(first, last) => {
                numbers(&mut (*first..=*last).map(|leaf| regions.hierarchy().label(leaf)))
            }
            Reading::Labels(labels) => numbers(&mut labels.iter().map(String::as_str)),
            _ => None,
        })
    };
    collect(&[column], people, |row| {
        let (text, null) = cell(column, row as usize);
        let known = published.lookup.get(&(name.to_owned(), text.to_owned()));
        let text = known.map_or(text, String::as_str);
        if let Some(region) = regions.number(text) {
            return Shape::Area(vec![region]);
        }
        let Said::Either(readings) = sets.cell(text, null) else { return Shape::Anywhere };
        match read(&readings).or_else(|| read(nested.cell(text, null).readings())) {
            Some(regions) => Shape::Area(regions),
            None if readings.contains(&Reading::Missing) => Shape::Anywhere,
            None => Shape::Unread,
        }
    })
}
