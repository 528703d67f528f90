//! What the published cells of one quasi-identifier say, in every form that is read cell by cell.

use super::cover::{Reader, Said};
use super::{Lookup, Published, quasi_columns};
use crate::cost::Objective;
use crate::kind::Kind;
use crate::policy::{ColumnPolicy, Form, Mistakes, Policy, Quasi};
use crate::table::{Column, Distinct, distinct_rows};

/// The cells of one quasi-identifier: one or two columns of a release.
pub(super) struct Looks<'a> {
    name: String,
    parts: Vec<&'a Column>,
    policy: &'a Policy,
    lookup: &'a Lookup,
    /// Which coordinate of a point the column is, where both are published as one.
    coordinate: Option<usize>,
    /// Whether it is a column that is published for every row, whatever the form.
    kept: bool,
}

/// The columns whose cells may say less than those of the table: quasi-identifiers, and what is published on a level.
/// Centres are about all quasi-identifiers at once.
pub(super) fn coarsened<'a>(
    published: &'a Published,
    policy: &'a Policy,
) -> Result<Vec<(&'a ColumnPolicy, Looks<'a>)>, Mistakes> {
    let columns = quasi_columns(&published.names, policy)?;
    let quasi = policy.quasi().zip(columns).filter(|_| policy.form != Form::Centres);
    let quasi = quasi.map(|((said, _), names)| (said, Looks::new(&said.name, &names, published, policy)));
    let recoded = policy.columns.iter().filter(|said| said.published_untouched() && said.recoded.is_some());
    let recoded = recoded.map(|said| (said, Looks::kept(&said.name, published, policy)));
    Ok(quasi.chain(recoded).collect())
}

impl<'a> Looks<'a> {
    /// `columns`: those that publish the quasi-identifier of this name.
    pub(super) fn new(name: &str, columns: &[String], published: &'a Published, policy: &'a Policy) -> Self {
        let parts = columns.iter().filter_map(|column| published.table.column(column)).collect();
        let point = policy.point_of(name).filter(|_| policy.form == Form::Wkt);
        let coordinate = point.and_then(|pair| pair.iter().position(|n| n == name));
        Self { name: name.to_owned(), parts, policy, lookup: &published.lookup, coordinate, kept: false }
    }

    /// The cells of a column that is published for every row.
    pub(super) fn kept(name: &str, published: &'a Published, policy: &'a Policy) -> Self {
        let parts = published.table.column(name).into_iter().collect();
        let lookup = &published.lookup;
        Self { name: name.to_owned(), parts, policy, lookup, coordinate: None, kept: true }
    }

    pub(super) fn parts(&self) -> &[&'a Column] {
        &self.parts
    }

    /// The cell of a row, of two the first, and whether it is a null; under form codes what its label stands for.
    pub(super) fn text(&self, row: u32) -> (&str, bool) {
        let (text, null) = self.parts.first().map_or(("", false), |column| cell(column, row as usize));
        let known = self.lookup.get(&(self.name.clone(), text.to_owned()));
        let known = known.filter(|_| self.policy.form == Form::Codes);
        (known.map_or(text, String::as_str), null)
    }

    /// Rows that look alike, of so many.
    pub(super) fn distinct(&self, rows: usize) -> Distinct {
        let codes: Vec<&[u32]> = self.parts.iter().map(|part| part.codes()).collect();
        distinct_rows(&codes, rows)
    }

    /// Whether a star may stand among so many looks: where whole columns are dropped, a star among values is none,
    /// unless it is the level of some, or what they are published as if the hierarchy lacks them.
    pub(super) fn starred(&self, looks: usize) -> bool {
        let star = |column: &&Column| column.text(column.codes()[0]) == self.policy.format.star;
        let named = |(said, quasi): (&ColumnPolicy, &Quasi)| {
            said.name == self.name && (quasi.range.finest > 0 || quasi.unknown)
        };
        self.policy.objective != Objective::Columns
            || self.policy.quasi().any(named)
            || looks == 1 && self.parts.first().is_some_and(star)
    }

    /// What a row says. `starred`: whether a star may stand in a release of stars.
    pub(super) fn said(&self, reader: &Reader<'_>, row: u32, starred: bool) -> Said {
        let cell = |column: &'a Column| cell(column, row as usize);
        match (self.policy.form, self.parts.as_slice()) {
            (Form::Midpoint, [middle, width]) => reader.middle(cell(middle), cell(width)),
            (_, [low, high]) => reader.bounds(cell(low), cell(high)),
            (form, [only]) => {
                let (text, null) = cell(only);
                if self.kept {
                    return reader.cell(text, null);
                }
                let known = self.lookup.get(&(self.name.clone(), text.to_owned()));
                if form == Form::Codes {
                    // A label that nobody explains says nothing that could be true. A lookup has no nulls.
                    let said = known.map(|cell| reader.cell(cell, cell.is_empty()));
                    return said.unwrap_or(Said::Either(Vec::new()));
                }
                // Nodes of a hierarchy are known by their names already.
                let known = known.filter(|_| !matches!(reader.kind(), Kind::Hierarchy(_)));
                let text = known.map_or(text, String::as_str);
                match self.coordinate {
                    Some(coordinate) => reader.wkt(text, coordinate),
                    None if form == Form::Stars => reader.told(text, null, starred),
                    None => reader.cell(text, null),
                }
            }
            _ => Said::Either(Vec::new()),
        }
    }
}

/// A text of a column, and whether it is a null of a typed file.
pub(super) fn cell(column: &Column, row: usize) -> (&str, bool) {
    let code = column.codes()[row];
    (column.text(code), column.is_null(code))
}
