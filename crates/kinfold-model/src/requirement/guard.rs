//! The requirements of a problem, and what they look at in each of its rows.

use super::{
    Decimal, Group, Hull, Presence, Protected, Requirement, RequirementError, Requirements, Row, Whole,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A protected column of a table: what it is like, and the code of every row. Its totals are counted here.
#[derive(Debug, Clone, Default)]
pub struct GuardedColumn {
    /// What requirements know of it.
    pub about: Protected,
    /// The code of every row.
    pub codes: Vec<u32>,
}

/// Requirements, and what they look at in every row of a table.
#[derive(Debug, Clone)]
pub struct Guard {
    terms: Arc<Terms>,
    /// Codes of row 0 in every protected column, then of row 1, …; and the values that they are.
    codes: Vec<u32>,
    values: Vec<u32>,
    /// Whom each row is about; empty if no column says that.
    persons: Vec<u32>,
    rows: usize,
    /// What is asked of the population, and how many of it fit the table as one group.
    presence: Option<(Presence, u64)>,
}

/// What a guard shares with its pieces.
#[derive(Debug)]
struct Terms {
    requirements: Requirements,
    told: Vec<Protected>,
}

impl Guard {
    /// These requirements on a table of so many rows. `sizes` are the people that each row stands for, one
    /// each if nothing is said. If the rows are a piece of a table of `whole` people, `columns` have its totals, and
    /// groups are compared with the whole table.
    pub fn new(
        list: Vec<Requirement>,
        columns: Vec<GuardedColumn>,
        persons: Option<Vec<u32>>,
        rows: usize,
        sizes: Option<&[u32]>,
        whole: Option<u64>,
    ) -> Result<Self, RequirementError> {
        if let Some(column) = columns.iter().find(|column| column.codes.len() != rows) {
            return Err(malformed(&column.about.name));
        }
        if [persons.as_deref(), sizes].into_iter().flatten().any(|list| list.len() != rows) {
            return Err(malformed(""));
        }
        let codes = (0..rows).flat_map(|row| columns.iter().map(move |column| column.codes[row])).collect();
        let told = columns.into_iter().map(|column| column.about).collect();
        let size = |row| sizes.map_or(1, |sizes: &[u32]| u64::from(sizes[row as usize]));
        Self::counted(list, told, codes, persons.unwrap_or_default(), rows, whole, size)
    }

    /// The same, and presence besides.
    pub fn with_presence(self, presence: Presence) -> Result<Self, RequirementError> {
        if presence.rows() != self.rows {
            return Err(malformed("population"));
        }
        let rows = 0..self.rows as u32;
        Ok(self.with(presence, rows))
    }

    /// The same, and presence among these rows.
    fn with(self, presence: Presence, rows: impl Iterator<Item = u32> + Clone) -> Self {
        let mut requirements = self.terms.requirements.clone();
        requirements.must_count_persons();
        let terms = Arc::new(Terms { requirements, told: self.terms.told.clone() });
        let fitting = presence.population(&presence.hull(rows));
        Self { terms, presence: Some((presence, fitting)), ..self }
    }

    /// What is asked of the population, if anything is. It is not among the [`Guard::requirements`], for
    /// what rows are published as decides it, not their values.
    pub fn presence(&self) -> Option<&Presence> {
        self.presence.as_ref().map(|(presence, _)| presence)
    }

    /// Whether the table as one group fulfils everything.
    pub fn check_possible(&self) -> Result<(), Vec<String>> {
        let mut found = self.requirements().check_possible().err().unwrap_or_default();
        if let Some((presence, fitting)) = &self.presence {
            let whole = Whole { population: Some(*fitting), ..self.requirements().whole() };
            // Its numbers were checked when they were given.
            let alone = Requirements::new(vec![presence.requirement()], Vec::new(), whole);
            found.extend(alone.ok().and_then(|alone| alone.check_possible().err()).unwrap_or_default());
        }
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    /// The requirements that the values of rows decide, and the table that groups are compared with.
    pub fn requirements(&self) -> &Requirements {
        &self.terms.requirements
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The values of a row in every protected column.
    #[inline]
    pub fn values(&self, row: u32) -> &[u32] {
        let columns = self.terms.told.len();
        &self.values[row as usize * columns..][..columns]
    }

    /// A row as requirements see it, if it stands for so many people.
    #[inline]
    pub fn row(&self, row: u32, size: u64) -> Row<'_> {
        Row { size, person: self.persons.get(row as usize).copied().unwrap_or(0), values: self.values(row) }
    }

    /// The same requirements on some of the rows, still compared with the whole table.
    pub fn piece(&self, rows: &[u32]) -> Self {
        let columns = self.terms.told.len();
        let pick = |all: &[u32]| -> Vec<u32> {
            rows.iter().flat_map(|&row| &all[row as usize * columns..][..columns]).copied().collect()
        };
        let persons = if self.persons.is_empty() { &[][..] } else { rows };
        Self {
            terms: self.terms.clone(),
            codes: pick(&self.codes),
            values: pick(&self.values),
            persons: persons.iter().map(|&row| self.persons[row as usize]).collect(),
            rows: rows.len(),
            presence: self.presence.as_ref().map(|(presence, fitting)| (presence.piece(rows), *fitting)),
        }
    }

    /// The same requirements where only some rows are released: groups are compared with what everybody
    /// sees. Rows that are not released count for nobody.
    pub fn of_release(&self, released: impl Fn(u32) -> u64) -> Result<Self, RequirementError> {
        let Terms { requirements, told } = &*self.terms;
        let (list, codes, persons) = (requirements.list().to_vec(), self.codes.clone(), self.persons.clone());
        let guard = Self::counted(list, told.clone(), codes, persons, self.rows, None, &released)?;
        let rows = (0..self.rows as u32).filter(|&row| released(row) > 0);
        Ok(match self.presence() {
            Some(presence) => guard.with(presence.clone(), rows),
            None => guard,
        })
    }

    /// What groups must fulfil at least, whichever people are left out, as long as they are no more than these. Leaving
    /// out a share of the table moves no distribution by more than that; of likeness and disclosure nothing is
    /// left.
    pub fn whoever_is_left_out(&self, people: u64) -> Result<Self, RequirementError> {
        let whole = self.requirements().whole();
        let share = (u128::from(people) * u128::from(Decimal::ONE)).div_ceil(u128::from(whole.people.max(1)));
        let looser = |requirement: &Requirement| match *requirement {
            Requirement::Likeness { .. } | Requirement::Disclosure { .. } => None,
            Requirement::Close { column, t, distance } => {
                let t = (u128::from(t.units()) + share).min(u128::from(Decimal::ONE)) as u64;
                Some(Requirement::Close { column, t: Decimal::of_units(t)?, distance })
            }
            other => Some(other),
        };
        let list = self.requirements().list().iter().filter_map(looser).collect();
        let told = self.terms.told.clone();
        let requirements = Requirements::new(list, told.clone(), whole)?;
        Ok(Self { terms: Arc::new(Terms { requirements, told }), ..self.clone() })
    }

    /// A group of rows that stand for so many people each, and the population that fits it.
    pub fn group(&self, rows: &[u32], size: impl Fn(u32) -> u64) -> Group {
        let group = Group::of(self.requirements(), rows.iter().map(|&row| self.row(row, size(row))));
        let population =
            self.presence().map(|presence| presence.population(&presence.hull(rows.iter().copied())));
        Group { population, ..group }
    }

    pub fn fulfilled_by(&self, group: &Group) -> bool {
        self.first_unfulfilled(group).is_none()
    }

    /// The first requirement that a group does not fulfil, in words.
    pub(crate) fn first_unfulfilled(&self, group: &Group) -> Option<String> {
        let requirements = self.requirements();
        let presence = self.presence().map(Presence::requirement);
        let mut all = requirements.list().iter().chain(&presence);
        all.find(|requirement| !requirements.holds(requirement, group)).map(|r| requirements.words(r))
    }

    /// Groups that are published alike and count as one: lists of two or more of them, by their numbers. Only
    /// presence asks for that, as everything else is closed under union.
    pub fn alike<'a>(&self, groups: impl Iterator<Item = &'a [u32]>) -> Vec<Vec<u32>> {
        let Some(presence) = self.presence() else { return Vec::new() };
        let hulls: Vec<Hull> = groups.map(|rows| presence.hull(rows.iter().copied())).collect();
        presence.alike(hulls.iter())
    }

    /// Of rows that stand for so many people each. If they are a piece of a table of so many people, the totals are
    /// those of the table; otherwise they are counted.
    fn counted(
        list: Vec<Requirement>,
        mut told: Vec<Protected>,
        codes: Vec<u32>,
        persons: Vec<u32>,
        rows: usize,
        people: Option<u64>,
        size: impl Fn(u32) -> u64,
    ) -> Result<Self, RequirementError> {
        let columns = told.len();
        // A row that stands for nobody may have a value that nobody has.
        let counted = || (0..rows as u32).filter(|&row| size(row) > 0);
        let mut whole = Whole { people: people.unwrap_or(0), ..Whole::default() };
        let mut distinct: BTreeSet<u32> = BTreeSet::new();
        if people.is_some() {
            distinct.extend(&persons);
        } else {
            told.iter_mut().for_each(|column| column.totals.fill(0));
            for row in counted() {
                whole.people += size(row);
                distinct.extend(persons.get(row as usize));
                for (column, &code) in told.iter_mut().zip(&codes[row as usize * columns..]) {
                    let least = code as usize + 1;
                    let own = column.classes.as_ref().map_or(least, |classes| classes.len().max(least));
                    if column.totals.len() < own {
                        column.totals.resize(own, 0);
                    }
                    column.totals[code as usize] += size(row);
                }
            }
        }
        whole.persons = (!persons.is_empty()).then_some(distinct.len() as u64);
        let requirements = Requirements::new(list, told.clone(), whole)?;
        let mut values = vec![0; codes.len()];
        for row in counted() {
            for (at, column) in (row as usize * columns..).zip(0..columns) {
                values[at] = requirements.value(column, codes[at])?;
            }
        }
        let terms = Arc::new(Terms { requirements, told });
        Ok(Self { terms, codes, values, persons, rows, presence: None })
    }
}

fn malformed(column: &str) -> RequirementError {
    let what = "its codes and the rows differ in number";
    RequirementError::Malformed { column: column.to_owned(), what }
}
