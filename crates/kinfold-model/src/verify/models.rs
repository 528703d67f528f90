//! Privacy models: does every group of a release fulfil them, and what does it reach, asked or not?
//!
//! Sensitive columns are read from the published texts by the rules that the policy gives for them. Groups are
//! compared with the release as a whole: that is the distribution which everybody sees. Groups whose published
//! texts coincide are one group here. That refuses nothing which was judged good apart, as all models are
//! closed under union.

use super::{Published, VerifyError, centres};
use crate::distribution::{Distribution, Distributions};
use crate::encode::read_protected;
use crate::members::Members;
use crate::policy::{ColumnPolicy, Mistake, Mistakes, Policy, Protection};
use crate::requirement::{
    GuardedColumn, Occurrences, Protected, ReachedColumn, Requirement, RequirementError, Requirements, Whole,
    members_of,
};
use crate::table::{Column, Table};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What was found of a privacy model that the policy asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelVerdict {
    /// The model in the terms of the field, with its numbers and its column.
    pub model: String,
    /// The sensitive column that it is about, if it is about one.
    pub column: Option<String>,
    /// Whether the release fulfils it.
    pub finding: Finding,
}

/// Whether a release fulfils a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finding {
    /// Every group does.
    Fulfilled,
    /// Some groups do not.
    Short {
        /// How many.
        groups: usize,
        /// How many people they hold.
        people: u64,
    },
    /// What was looked at does not tell, and why.
    Undecided(Cow<'static, str>),
}

/// Persons are counted only where the original is at hand.
pub(super) const NO_PERSONS: &str =
    "not decidable from the release alone, which does not identify the persons of its rows";
const NO_COLUMN: &str = "the column is not in the release";

/// What a release shows of a sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The column.
    pub column: String,
    /// Whether the policy asks for a model on it.
    pub required: bool,
    /// What every group reaches.
    pub reached: ReachedColumn,
    /// People in groups where it has a single value, which then is known for certain.
    pub one_value_people: u64,
    /// People in groups where more than 80 % have the same value.
    pub likely_people: u64,
    /// People who have the commonest value of their group: those whose value a guess by groups gets right.
    pub guessed_people: u64,
    /// People who have the commonest value of the release: those whom a guess without groups gets right.
    pub commonest_people: u64,
    /// People of the release.
    pub people: u64,
    /// How many spellings were joined with others that say the same.
    pub joined: usize,
}

impl ModelVerdict {
    /// What holds for both parts of a release, group by group.
    pub(super) fn absorb(&mut self, other: Self) {
        self.finding = match (self.finding.clone(), other.finding) {
            (Finding::Short { groups, people }, Finding::Short { groups: more, people: others }) => {
                Finding::Short { groups: groups + more, people: people + others }
            }
            (short @ Finding::Short { .. }, _) | (_, short @ Finding::Short { .. }) => short,
            (open @ Finding::Undecided(_), _) | (_, open @ Finding::Undecided(_)) => open,
            (Finding::Fulfilled, Finding::Fulfilled) => Finding::Fulfilled,
        };
    }
}

impl Shown {
    /// What both parts of a release show, which were compared with all of it.
    pub(super) fn absorb(&mut self, other: Self) {
        self.reached = self.reached.both(&other.reached);
        self.one_value_people += other.one_value_people;
        self.likely_people += other.likely_people;
        self.guessed_people += other.guessed_people;
        self.joined = self.joined.max(other.joined);
    }
}

/// Who is in which group of a release.
pub(super) enum Grouped {
    /// The group of every row, and how many people each row stands for.
    Rows { group_of: Vec<u32>, groups: usize, people: Vec<u64> },
    /// Every line is a group of many people, whose values it lists.
    Lines,
}

/// What the models of the policy come to, and what every sensitive column shows.
pub(super) fn examine(
    published: &Published,
    policy: &Policy,
    grouped: &Grouped,
    whole: &Distributions,
) -> Result<(Vec<ModelVerdict>, Vec<Shown>), VerifyError> {
    let (mut models, mut shown) = (Vec::new(), Vec::new());
    let members = match grouped {
        Grouped::Rows { group_of, groups, people } => Some((members_of(*groups, group_of, people), people)),
        Grouped::Lines => None,
    };
    for (said, protection) in policy.sensitive() {
        published.call.check()?;
        let list: Vec<Requirement> = protection.models.iter().map(|(model, _)| model.on(0)).collect();
        let finding = |requirement: &Requirement, finding| ModelVerdict {
            model: requirement.words(&said.name),
            column: Some(said.name.clone()),
            finding,
        };
        let Some(column) = published.table.column(&said.name) else {
            models.extend(list.iter().map(|model| finding(model, Finding::Undecided(NO_COLUMN.into()))));
            continue;
        };
        let counts = match &members {
            Some((members, people)) => {
                let whole = whole.of(&said.name);
                Counts::of_rows(column, said, protection, policy, members, people, whole)?
            }
            None => Counts::of_lines(column, said, protection, policy)?,
        };
        let Counts { requirements, occurrences, joined } = match counts {
            Ok(counts) => counts,
            // What nobody asked for is left out where it cannot be counted, as of billions of people.
            Err(_) if list.is_empty() => continue,
            Err(error) => {
                let mistake = Mistake::new(error.to_string(), said.place);
                let list = vec![mistake.hint("are the counts right?")];
                return Err(Mistakes::from(list).into());
            }
        };
        let mut short = vec![(0, 0); list.len()];
        if !list.is_empty() {
            for group in occurrences.plain_groups() {
                for (requirement, (groups, people)) in list.iter().zip(&mut short) {
                    if !requirements.holds(requirement, &group) {
                        *groups += 1;
                        *people += group.people;
                    }
                }
            }
        }
        models.extend(list.iter().zip(short).map(|(requirement, (groups, people))| {
            let short = Finding::Short { groups, people };
            finding(requirement, if groups == 0 { Finding::Fulfilled } else { short })
        }));
        let guessed = occurrences.guessed();
        shown.extend(occurrences.reached(&requirements, 0).map(|reached| Shown {
            column: said.name.clone(),
            required: !list.is_empty(),
            reached,
            one_value_people: guessed.certain,
            likely_people: guessed.likely,
            guessed_people: guessed.right,
            commonest_people: requirements.commonest(0),
            people: requirements.whole().people,
            joined,
        }));
    }
    if policy.person_column().is_some() {
        let model = Requirement::Persons(policy.k).words("");
        models.push(ModelVerdict { model, column: None, finding: Finding::Undecided(NO_PERSONS.into()) });
    }
    Ok((models, shown))
}

/// A sensitive column of a release, counted by group.
struct Counts {
    requirements: Requirements,
    occurrences: Occurrences,
    joined: usize,
}

impl Counts {
    fn of_rows(
        column: &Column,
        said: &ColumnPolicy,
        protection: &Protection,
        policy: &Policy,
        members: &Members,
        people: &[u64],
        whole: Option<&Distribution>,
    ) -> Result<Result<Self, RequirementError>, VerifyError> {
        let GuardedColumn { about, codes } = match whole {
            Some(whole) => {
                let read = whole.read(column, said, protection, policy.missing_in(&said.name));
                read.map_err(Mistakes::from)?
            }
            None => {
                let mut own = read(column, said, protection, policy)?;
                own.codes.iter().zip(people).for_each(|(&code, people)| {
                    own.about.totals[code as usize] += people;
                });
                own
            }
        };
        let joined = about.joined;
        Ok(requirements(about).map(|(requirements, values)| {
            let value_of = |row: u32| values[codes[row as usize] as usize];
            Self { requirements, occurrences: Occurrences::new(members, value_of, people), joined }
        }))
    }

    /// Every line lists how often each value occurs in its group. One that cannot be read is a group of
    /// nobody, which fulfils nothing.
    fn of_lines(
        column: &Column,
        said: &ColumnPolicy,
        protection: &Protection,
        policy: &Policy,
    ) -> Result<Result<Self, RequirementError>, VerifyError> {
        let line = |&code: &u32| centres::multiset(column.text(code), &policy.format).unwrap_or_default();
        let lines: Vec<Vec<(String, u64)>> = column.codes().iter().map(line).collect();
        let mut texts: Vec<&str> = lines.iter().flatten().map(|(text, _)| text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        let rows: Vec<Vec<&str>> = texts.iter().map(|&text| vec![text]).collect();
        let listed = match rows.is_empty() {
            // Nothing could be read.
            true => Table::from_cells(&[&said.name], &[vec![""]])?,
            false => Table::from_cells(&[&said.name], &rows)?,
        };
        let GuardedColumn { mut about, codes } = read(&listed.columns()[0], said, protection, policy)?;
        let code_of: BTreeMap<&str, u32> = texts.into_iter().zip(codes).collect();
        let code = |text: &str| code_of.get(text).copied().unwrap_or(0);
        for (text, people) in lines.iter().flatten() {
            let total = &mut about.totals[code(text) as usize];
            *total = total.saturating_add(*people);
        }
        let joined = about.joined;
        Ok(requirements(about).map(|(requirements, values)| {
            let mut occurrences = Occurrences::default();
            for line in &lines {
                let value = |(text, people): &(String, u64)| (values[code(text) as usize], *people);
                occurrences.push(&mut line.iter().map(value).collect::<Vec<_>>());
            }
            Self { requirements, occurrences, joined }
        }))
    }
}

fn read(
    column: &Column,
    said: &ColumnPolicy,
    protection: &Protection,
    policy: &Policy,
) -> Result<GuardedColumn, Mistakes> {
    read_protected(column, said, protection, policy.missing_in(&said.name)).map_err(Mistakes::from)
}

/// What groups are compared with, and the value of every code that occurs.
fn requirements(about: Protected) -> Result<(Requirements, Vec<u32>), RequirementError> {
    let people = about.totals.iter().fold(0u64, |sum, &total| sum.saturating_add(total));
    let whole = Whole { people, persons: None, population: None };
    let occurs: Vec<bool> = about.totals.iter().map(|&total| total > 0).collect();
    let requirements = Requirements::new(Vec::new(), vec![about], whole)?;
    let value = |(code, &occurs): (u32, &bool)| match occurs {
        true => requirements.value(0, code),
        false => Ok(0),
    };
    let values = (0..).zip(&occurs).map(value).collect::<Result<Vec<u32>, RequirementError>>()?;
    Ok((requirements, values))
}
