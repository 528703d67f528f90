//! The population of a policy, in the codes of a table: what presence counts.

use super::reading::{article, rows_with};
use super::{Mistake, QuasiColumns, read_counts};
use crate::hint::Hint;
use crate::kind::{Kind, infer, is_missing, value_of};
use crate::policy::{Policy, PresencePolicy};
use crate::requirement::Presence;
use crate::table::{Column, Table};
use crate::value::Number;
use std::collections::BTreeMap;

impl QuasiColumns {
    /// What the policy asks of presence, if it does. All mistakes are reported together; values that fit no
    /// cell of the table are worth a note.
    pub(crate) fn presence(
        &self,
        table: &Table,
        policy: &Policy,
        notes: &mut Vec<Hint>,
    ) -> Result<Option<Presence>, Vec<Mistake>> {
        let Some(asked) = &policy.presence else { return Ok(None) };
        let population = &asked.population;
        let (mut mistakes, mut columns) = (Vec::new(), Vec::new());
        for at in 0..self.codings.len() {
            let column = &table.columns()[self.codings[at].column];
            let name = column.name();
            let places = match population.column(name) {
                Some(members) => self.places(at, column, members, policy, notes),
                None => Err(format!("there is no column {name:?}").into()),
            };
            match places {
                Ok(places) => columns.push(places),
                Err(Unplaced { what, hint }) => {
                    let mistake = Mistake::new(format!("the population: {what}"), asked.place);
                    mistakes.push(mistake.hint(hint));
                }
            }
        }
        let counts = policy.count_column().and_then(|name| population.column(name)).map(read_counts);
        let counts = counts.transpose().unwrap_or_else(|mistake| {
            let what = format!("the population: {}", mistake.what);
            mistakes.push(Mistake { what, place: asked.place, ..mistake });
            None
        });
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let members: Vec<u32> =
            (0..population.rows()).flat_map(|row| columns.iter().map(move |places| places[row])).collect();
        let people = |row: usize| counts.as_ref().map_or(1, |counts| u64::from(counts[row]));
        let codes =
            (0..table.rows()).flat_map(|row| self.columns.iter().map(move |codes| codes[row])).collect();
        let presence = Presence::new(asked.at_most, self.rules.to_vec(), codes, &members, people);
        presence.map(Some).map_err(|error| vec![in_population(asked, &error.to_string())])
    }

    /// The place of every member of the population on one quasi-identifier.
    fn places(
        &self,
        at: usize,
        column: &Column,
        members: &Column,
        policy: &Policy,
        notes: &mut Vec<Hint>,
    ) -> Result<Vec<u32>, Unplaced> {
        let coding = &self.codings[at];
        let name = column.name();
        let said = policy.quasi().find(|(c, _)| c.name == name).and_then(|(_, quasi)| quasi.kind.as_ref());
        let own = infer(members, policy.missing_in(name)).kind;
        if said.is_none() && own != coding.kind {
            let (there, here) = (own.word(), coding.kind.word());
            let what = format!("column {name:?} is read as {there} there, and as {here} in the table");
            return Err(Unplaced { what, hint: "set its kind in the policy: kind = \"category\"" });
        }
        let place = |code: u32| 2 * code + 1;
        let missing = self.missing_place(at, column, policy);
        let on_grid = |value: Number| {
            let super::Rounded { grid, cells } = coding.rounded.as_ref()?;
            let cell = grid.cell(&coding.kind, value);
            let between = |i: usize| if cell.is_some() { 2 * i as u32 } else { Presence::NOWHERE };
            Some(cells.binary_search(&cell.unwrap_or(i64::MAX)).map_or_else(between, |i| place(i as u32)))
        };
        let line: Vec<Number> = match coding.kind.ordered() && coding.rounded.is_none() {
            // Missing values have the last code.
            true => (0..coding.words.len() as u32)
                .take_while(|&code| place(code) != missing)
                .map_while(|code| value_of(&coding.kind, column.text(coding.word(code)?)))
                .collect(),
            false => Vec::new(),
        };
        let labels: BTreeMap<&str, u32> = match coding.kind {
            Kind::Category => {
                let word = |code: u32| Some((column.text(coding.word(code)?), code));
                (0..coding.words.len() as u32).filter_map(word).collect()
            }
            _ => BTreeMap::new(),
        };
        let (mut strange, mut unknown) = (Vec::new(), Vec::new());
        let entry_place = |entry: u32| {
            let (text, absent) = (members.text(entry), is_missing(members, entry, policy.missing_in(name)));
            match &coding.kind {
                Kind::Hierarchy(hierarchy) => match hierarchy.leaf(text) {
                    Some(leaf) => place(leaf),
                    None if absent => missing,
                    None => {
                        unknown.push(entry);
                        Presence::NOWHERE
                    }
                },
                _ if absent => missing,
                kind if kind.ordered() => match value_of(kind, text) {
                    Some(value) => on_grid(value).unwrap_or_else(|| {
                        line.binary_search(&value).map_or_else(|i| 2 * i as u32, |i| place(i as u32))
                    }),
                    None => {
                        strange.push(entry);
                        Presence::NOWHERE
                    }
                },
                _ => labels.get(text).map_or(Presence::NOWHERE, |&code| place(code)),
            }
        };
        let entries: Vec<u32> = (0..members.distinct() as u32).map(entry_place).collect();
        if !strange.is_empty() {
            let rows = rows_with(members, &strange);
            let what = format!("column {name:?}: not {} in {rows}", article(&coding.kind));
            return Err(Unplaced { what, hint: "correct them, or treat them as missing with {missing}" });
        }
        if !unknown.is_empty() {
            let rows = rows_with(members, &unknown);
            let what = format!(
                "the population: column {name:?} has a value that the hierarchy does not name in {rows}; \
                 these people fit no group"
            );
            notes.push(what.into());
        }
        Ok(members.codes().iter().map(|&entry| entries[entry as usize]).collect())
    }

    /// The place of missing values: where those of the table are, or nowhere if it has none.
    fn missing_place(&self, at: usize, column: &Column, policy: &Policy) -> u32 {
        let hierarchy = match &self.codings[at].kind {
            Kind::Hierarchy(hierarchy) => Some(hierarchy),
            _ => None,
        };
        let absent = |&entry: &u32| {
            let named = hierarchy.is_some_and(|hierarchy| hierarchy.leaf(column.text(entry)).is_some());
            is_missing(column, entry, policy.missing_in(column.name())) && !named
        };
        let entry = (0..column.distinct() as u32).find(absent);
        let row = entry.and_then(|entry| column.codes().iter().position(|&code| code == entry));
        let code = row.and_then(|row| self.columns[at].get(row));
        code.map_or(Presence::NOWHERE, |&code| 2 * code + 1)
    }
}

/// What keeps a column of the population from being read.
struct Unplaced {
    what: String,
    hint: &'static str,
}

impl From<String> for Unplaced {
    fn from(what: String) -> Self {
        Self { what, hint: "a population has every quasi-identifier, under the same name" }
    }
}

fn in_population(asked: &PresencePolicy, what: &str) -> Mistake {
    Mistake::new(format!("the population: {what}"), asked.place)
}
