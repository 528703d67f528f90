//! Privacy models: does every group of a release fulfil them, and what does it reach, asked or not?
//!
//! Sensitive columns are read from the published texts by the rules that the policy gives for them. Groups are
//! compared with the release as a whole: that is the distribution which everybody sees. Groups whose published
//! texts coincide are one group here. That refuses nothing which was judged good apart, as all models are
//! closed under union.

use super::centres::{self, Counted};
use super::{Published, VerifyError};
use crate::distribution::Distributions;
use crate::encode::read_protected;
use crate::members::Members;
use crate::policy::{Mistake, Mistakes, Policy};
use crate::requirement::{
    GuardedColumn, Occurrences, Protected, ReachedColumn, Requirement, RequirementError, Requirements, Whole,
    members_of,
};
use crate::table::Column;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

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

/// What the models of the policy come to, and what every sensitive column shows.
pub(super) fn examine(
    published: &Published,
    policy: &Policy,
    counted: &Counted,
    whole: &Distributions,
) -> Result<(Vec<ModelVerdict>, Vec<Shown>), VerifyError> {
    let (mut models, mut shown) = (Vec::new(), Vec::new());
    let members = |group_of: &Vec<u32>| members_of(counted.sizes.len(), group_of, &counted.people);
    let members = counted.group_of.as_ref().map(members);
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
        let cells = match &members {
            Some(members) => Cells {
                column: Cow::Borrowed(column),
                row_of: None,
                members: Cow::Borrowed(members),
                people: Cow::Borrowed(&counted.people),
            },
            None => Cells::of_lines(column, policy),
        };
        let (missing, whole) =
            (policy.missing_in(&said.name), whole.of(&said.name).filter(|_| members.is_some()));
        let read = match whole {
            Some(whole) => whole.read(&cells.column, said, protection, missing),
            None => read_protected(&cells.column, said, protection, missing),
        };
        let GuardedColumn { mut about, mut codes } = read.map_err(Mistakes::from)?;
        if let Some(row_of) = &cells.row_of {
            codes = row_of.iter().map(|&row| codes[row as usize]).collect();
        }
        if whole.is_none() {
            for (&code, people) in codes.iter().zip(&*cells.people) {
                let total = &mut about.totals[code as usize];
                *total = total.saturating_add(*people);
            }
        }
        let joined = about.joined;
        let (requirements, values) = match requirements(about) {
            Ok(known) => known,
            // What nobody asked for is left out where it cannot be counted, as of billions of people.
            Err(_) if list.is_empty() => continue,
            Err(error) => {
                let mistake = Mistake::new(error.to_string(), said.place);
                return Err(Mistakes::from(mistake.hint("are the counts right?")).into());
            }
        };
        let value_of = |row: u32| values[codes[row as usize] as usize];
        let occurrences = Occurrences::new(&cells.members, value_of, &cells.people);
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

/// The cells of a sensitive column: in which group each is, and for how many people it stands.
struct Cells<'a> {
    column: Cow<'a, Column>,
    /// The row of the column that has the text of each cell; none: its own.
    row_of: Option<Vec<u32>>,
    members: Cow<'a, Members>,
    people: Cow<'a, [u64]>,
}

impl Cells<'_> {
    /// Every line lists how often each value occurs in its group. One that cannot be read is a group of
    /// nobody, which fulfils nothing.
    fn of_lines(column: &Column, policy: &Policy) -> Self {
        let line = |&code: &u32| centres::multiset(column.text(code), &policy.format).unwrap_or_default();
        let lines: Vec<Vec<(String, u64)>> = column.codes().iter().map(line).collect();
        let each = (0u32..).zip(&lines).flat_map(|(line, values)| values.iter().map(move |v| (line, v)));
        let number: BTreeSet<&str> = each.clone().map(|(_, (text, _))| text.as_str()).collect();
        let number: BTreeMap<&str, u32> = number.into_iter().zip(0..).collect();
        let mut texts: Vec<Option<&str>> = number.keys().map(|text| Some(*text)).collect();
        if texts.is_empty() {
            // Nothing could be read.
            texts.push(Some(""));
        }
        Self {
            column: Cow::Owned(Column::of_texts(column.name(), &texts)),
            row_of: Some(each.clone().map(|(_, (text, _))| number[text.as_str()]).collect()),
            members: Cow::Owned(Members::new(lines.len(), (0u32..).zip(each.clone().map(|(line, _)| line)))),
            people: each.map(|(_, (_, people))| *people).collect(),
        }
    }
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
