//! How often every value of a sensitive column occurs in a whole table, of which only some rows are at hand.
//!
//! Closeness, likeness and disclosure compare a group with everybody. The pieces of a table, and a release
//! that is verified some rows at a time, need that without having everybody at hand.

use crate::encode::{read_counts, read_protected};
use crate::policy::{ColumnPolicy, Mistake, Policy, Protection};
use crate::requirement::{GuardedColumn, Occurrences, Requirement, RequirementError, Requirements, Whole};
use crate::table::{Column, Table};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// The values of one column, and how many people have each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    pub(crate) column: String,
    /// By text, as the table writes it; none for nulls. Written as a list: maps in JSON have no nulls as keys.
    #[serde(serialize_with = "as_list", deserialize_with = "from_list")]
    people: BTreeMap<Option<String>, u64>,
}

fn as_list<S: Serializer>(people: &BTreeMap<Option<String>, u64>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(people)
}

fn from_list<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<Option<String>, u64>, D::Error> {
    Ok(Vec::deserialize(from)?.into_iter().collect())
}

impl Distribution {
    /// Of a column of this name; nobody is counted yet.
    pub(crate) fn new(column: impl Into<String>) -> Self {
        Self { column: column.into(), people: BTreeMap::new() }
    }

    /// How many values it has.
    pub(crate) fn values(&self) -> usize {
        self.people.len()
    }

    pub(crate) fn people(&self) -> u64 {
        self.people.values().fold(0, |sum, &people| sum.saturating_add(people))
    }

    /// Counts rows of a column, which stand for so many people each.
    pub(crate) fn add(
        &mut self,
        column: &Column,
        rows: &mut dyn Iterator<Item = usize>,
        size: &dyn Fn(usize) -> u64,
    ) {
        let mut codes: Vec<(u32, u64)> = rows.map(|row| (column.codes()[row], size(row))).collect();
        codes.sort_unstable();
        // Rows that stand for nobody have values, too.
        for same in codes.chunk_by(|a, b| a.0 == b.0) {
            let (code, people) = (same[0].0, same.iter().map(|&(_, people)| people).sum::<u64>());
            let text = (!column.is_null(code)).then(|| column.text(code).to_owned());
            *self.people.entry(text).or_default() += people;
        }
    }

    /// Counts everybody of another part of the table.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (text, people) in other.people {
            *self.people.entry(text).or_default() += people;
        }
    }

    /// The codes of a column that holds some of these values, as if the whole table were at hand: its totals
    /// are those of the whole.
    pub(crate) fn read(
        &self,
        column: &Column,
        said: &ColumnPolicy,
        protection: &Protection,
        missing: &[String],
    ) -> Result<GuardedColumn, Vec<Mistake>> {
        let texts: Vec<Option<&str>> = self.people.keys().map(Option::as_deref).collect();
        let whole = Column::of_texts(&self.column, &texts);
        let GuardedColumn { mut about, codes } = read_protected(&whole, said, protection, missing)?;
        codes.iter().zip(self.people.values()).for_each(|(&code, people)| {
            let total = &mut about.totals[code as usize];
            *total = total.saturating_add(*people);
        });
        let code_of: BTreeMap<Option<&str>, u32> = texts.into_iter().zip(codes).collect();
        let code = |entry: u32| {
            let text = (!column.is_null(entry)).then(|| column.text(entry));
            // A text file has no nulls: what is a null in the table may be an empty text in a release.
            let alike = match text {
                None => Some(Some("")),
                Some("") => Some(None),
                Some(_) => None,
            };
            code_of.get(&text).or_else(|| code_of.get(&alike?)).copied()
        };
        let codes: Option<Vec<u32>> = (0..column.distinct() as u32).map(code).collect();
        let Some(codes) = codes else {
            let what = format!("column {:?} has values that the whole table does not have", column.name());
            return Err(vec![Mistake::new(what, said.place)]);
        };
        Ok(GuardedColumn {
            about,
            codes: column.codes().iter().map(|&entry| codes[entry as usize]).collect(),
        })
    }
}

/// How many people every row of a part stands for; none: one each.
pub fn row_sizes(part: &Table, policy: &Policy) -> Result<Option<Vec<u32>>, Mistake> {
    policy.count_column().and_then(|name| part.column(name)).map(read_counts).transpose()
}

/// The distributions of the sensitive columns of a table that comes in parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Distributions(pub Vec<Distribution>);

impl Distributions {
    /// Of the columns on which a policy asks for a model; nobody is counted yet.
    pub fn required(policy: &Policy) -> Self {
        let modelled = policy.sensitive().filter(|(_, protection)| !protection.models.is_empty());
        Self(modelled.map(|(said, _)| Distribution::new(&said.name)).collect())
    }

    /// Of all sensitive columns; nobody is counted yet.
    pub(crate) fn sensitive(policy: &Policy) -> Self {
        Self(policy.sensitive().map(|(said, _)| Distribution::new(&said.name)).collect())
    }

    /// Counts the rows of a part.
    pub fn add(&mut self, part: &Table, policy: &Policy) -> Result<(), Mistake> {
        let counts = row_sizes(part, policy)?;
        self.add_rows(part, || 0..part.rows(), &|row| counts.as_ref().map_or(1, |c| u64::from(c[row])));
        Ok(())
    }

    /// Counts some rows of a part, which stand for so many people each.
    pub fn add_rows<R: Iterator<Item = usize>>(
        &mut self,
        part: &Table,
        rows: impl Fn() -> R,
        size: &dyn Fn(usize) -> u64,
    ) {
        for distribution in &mut self.0 {
            if let Some(column) = part.column(&distribution.column) {
                distribution.add(column, &mut rows(), size);
            }
        }
    }

    /// Counts everybody of another part.
    pub fn absorb(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            own.absorb(other);
        }
    }

    /// Whether people with these distributions fulfil the models of the policy as one group, compared with the
    /// whole table, whose distributions these are.
    pub fn fulfilled_by(&self, part: &Self, policy: &Policy) -> Result<bool, Vec<Mistake>> {
        for (said, protection) in policy.sensitive().filter(|(_, p)| !p.models.is_empty()) {
            let (Some(whole), Some(part)) = (self.of(&said.name), part.of(&said.name)) else { continue };
            let texts: Vec<Option<&str>> = part.people.keys().map(Option::as_deref).collect();
            let column = Column::of_texts(&said.name, &texts);
            let GuardedColumn { about, codes } =
                whole.read(&column, said, protection, policy.missing_in(&said.name))?;
            let mistake = |error: RequirementError| vec![Mistake::new(error.to_string(), said.place)];
            let people = Whole { people: whole.people(), persons: None, population: None };
            let list: Vec<Requirement> = protection.models.iter().map(|(model, _)| model.on(0)).collect();
            let requirements = Requirements::new(list, vec![about], people).map_err(mistake)?;
            let mut values = Vec::new();
            for (&code, &people) in codes.iter().zip(part.people.values()).filter(|(_, people)| **people > 0)
            {
                values.push((requirements.value(0, code).map_err(mistake)?, people));
            }
            let mut occurrences = Occurrences::default();
            occurrences.push(&mut values);
            if !occurrences.plain_groups().all(|group| requirements.fulfilled_by(&group)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn of(&self, column: &str) -> Option<&Distribution> {
        self.0.iter().find(|distribution| distribution.column == column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Draft, default_missing};
    use std::path::Path;

    #[test]
    fn a_piece_has_the_codes_and_totals_of_the_whole() {
        let text = "k = 2\n[columns]\na = \"quasi\"\nx = { role = \"sensitive\", diversity = 2 }\n";
        let policy = Draft::from_toml(text, Path::new("policy.toml")).settle().unwrap();
        let (said, protection) = policy.sensitive().next().unwrap();
        let table = |cells: &[&str]| {
            let rows: Vec<Vec<&str>> = cells.iter().map(|cell| vec![*cell]).collect();
            Table::from_cells(&["x"], &rows).unwrap()
        };
        let (one, two) = (table(&["b", "c", "b", ""]), table(&["a", "c"]));
        let mut all = Distributions::required(&policy);
        all.add(&one, &policy).unwrap();
        let mut rest = Distributions::required(&policy);
        rest.add(&two, &policy).unwrap();
        all.absorb(rest);
        let written: Distributions = serde_json::from_str(&serde_json::to_string(&all).unwrap()).unwrap();
        assert_eq!(written, all);
        let whole =
            read_protected(&table(&["a", "b", "c", ""]).columns()[0], said, protection, &default_missing());
        let whole = whole.unwrap();
        let piece =
            all.of("x").unwrap().read(&one.columns()[0], said, protection, &default_missing()).unwrap();
        assert_eq!(piece.codes, [whole.codes[1], whole.codes[2], whole.codes[1], whole.codes[3]]);
        assert_eq!(piece.about.totals, [1, 2, 2, 1]);
        let strange =
            all.of("x").unwrap().read(&table(&["z"]).columns()[0], said, protection, &default_missing());
        assert!(strange.is_err(), "a value that nobody of the whole has");
    }
}
