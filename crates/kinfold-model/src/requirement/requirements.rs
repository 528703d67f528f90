//! A list of requirements and what they need to know of the table, checked once.

use super::logarithm::CountLogs;
use super::protected::Column;
use super::running::Running;
use super::{Decimal, Distance, Protected, Requirement};
use thiserror::Error;

/// What requirements need to know of the table as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Whole {
    /// How many people its rows stand for.
    pub people: u64,
    /// How many distinct persons it is about, if a column says whom a row is about; otherwise everybody in
    /// `people` is a person of their own.
    pub persons: Option<u64>,
    /// How many people the population has, if one is given.
    pub population: Option<u64>,
}

/// What every group must fulfil, and the table that groups are compared with. With rows withheld, that
/// table is what is released: build the requirements anew from its totals.
#[derive(Debug, Clone)]
pub struct Requirements {
    pub(super) list: Vec<Requirement>,
    pub(super) columns: Vec<Column>,
    pub(super) whole: Whole,
    /// For every requirement, how a tally keeps it up to date.
    pub(super) running: Vec<Running>,
    pub(super) logs: CountLogs,
    count_persons: bool,
}

/// Why these are no requirements.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequirementError {
    #[error("{parameter} is {value}, but it must be {allowed}")]
    Parameter { parameter: &'static str, value: String, allowed: &'static str },
    #[error("closeness of {0:?} by order needs a column whose values have an order")]
    NoOrder(String),
    #[error("closeness of {0:?} by hierarchy needs a hierarchy over its values")]
    NoTree(String),
    /// Persons are to be counted, but nothing says whom a row is about.
    #[error("distinct persons can only be counted with a column of role person")]
    NoPersons,
    #[error("presence needs a population table")]
    NoPopulation,
    #[error("the table is about {people} people; at most {most} can be compared exactly")]
    TooMany { people: u64, most: u64 },
    /// Arrays that do not fit together: a fault of the caller.
    #[error("protected column {column:?}: {what}")]
    Malformed { column: String, what: &'static str },
    /// A requirement on a protected column that is not there: a fault of the caller.
    #[error("there is no protected column {0}")]
    NoColumn(usize),
}

impl Requirements {
    /// Products of two numbers of people, of up to 2²⁴ values or a factor below 2⁵⁴, stay below 2¹²⁷.
    pub(crate) const MOST_PEOPLE: u64 = 1 << 36;
    /// e^δ must leave room in those products.
    pub(crate) const MOST_DELTA: Decimal = Decimal::whole(15);

    /// These requirements on a table with these protected columns.
    pub(crate) fn new(
        list: Vec<Requirement>,
        protected: Vec<Protected>,
        whole: Whole,
    ) -> Result<Self, RequirementError> {
        let most = Self::MOST_PEOPLE;
        let people = whole.people.max(whole.population.unwrap_or(0));
        if people > most {
            return Err(RequirementError::TooMany { people, most });
        }
        let columns = protected.into_iter().map(|told| Column::new(told, whole.people));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        for requirement in &list {
            check(requirement, &columns, &whole)?;
        }
        let running = list.iter().map(|r| Running::new(r, &columns, whole.people)).collect();
        let counts = |r: &Requirement| matches!(r, Requirement::Persons(_) | Requirement::Presence { .. });
        let count_persons = whole.persons.is_some() && list.iter().any(counts);
        Ok(Self { list, columns, whole, running, logs: CountLogs::new(), count_persons })
    }

    /// The requirements, in the order in which they were given.
    pub fn list(&self) -> &[Requirement] {
        &self.list
    }

    pub fn whole(&self) -> Whole {
        self.whole
    }

    /// People with the commonest value of a protected column.
    pub(crate) fn commonest(&self, column: usize) -> u64 {
        self.columns.get(column).and_then(|column| column.totals.iter().max().copied()).unwrap_or(0)
    }

    /// The value of a code in a protected column, as rows and tallies take it.
    pub(crate) fn value(&self, column: usize, code: u32) -> Result<u32, RequirementError> {
        self.columns.get(column).ok_or(RequirementError::NoColumn(column))?.value(code)
    }

    /// For every likeness requirement, its column and about what share of a group each value may have.
    pub fn largest_shares(&self) -> Vec<(usize, Vec<f64>)> {
        let shares = |requirement: &Requirement| match *requirement {
            Requirement::Likeness { column, beta, enhanced } => {
                let share = |&total: &u64| {
                    let expected = total as f64 / self.whole.people as f64;
                    let gain = if enhanced { beta.to_f64().min(-expected.ln()) } else { beta.to_f64() };
                    expected * (1.0 + gain)
                };
                Some((column, self.columns[column].totals.iter().map(share).collect()))
            }
            _ => None,
        };
        self.list.iter().filter_map(shares).collect()
    }

    /// Somebody asks for persons who is not in the list.
    pub(super) fn must_count_persons(&mut self) {
        self.count_persons = self.whole.persons.is_some();
    }

    /// Whether tallies must know whom rows are about.
    pub fn count_persons(&self) -> bool {
        self.count_persons
    }
}

fn check(requirement: &Requirement, columns: &[Column], whole: &Whole) -> Result<(), RequirementError> {
    requirement.check_parameters()?;
    if let Some(column) = requirement.column()
        && column >= columns.len()
    {
        return Err(RequirementError::NoColumn(column));
    }
    match *requirement {
        Requirement::Persons(_) if whole.persons.is_none() => Err(RequirementError::NoPersons),
        Requirement::Presence { .. } if whole.population.is_none() => Err(RequirementError::NoPopulation),
        Requirement::Close { column, distance, .. } => {
            let Column { name, line, shape, .. } = &columns[column];
            match distance {
                Distance::Ordered if line.is_none() => Err(RequirementError::NoOrder(name.clone())),
                Distance::Tree if shape.is_none() => Err(RequirementError::NoTree(name.clone())),
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

impl Requirement {
    /// Whether its numbers make sense on any table.
    pub(crate) fn check_parameters(&self) -> Result<(), RequirementError> {
        let within = |parameter, value: &dyn ToString, allowed, good: bool| {
            let error = || RequirementError::Parameter { parameter, value: value.to_string(), allowed };
            good.then_some(()).ok_or_else(error)
        };
        let at_least_one = |parameter, value: u64| within(parameter, &value, "at least 1", value > 0);
        match *self {
            Self::People(k) | Self::Persons(k) => at_least_one("k", k),
            Self::Distinct { l, .. } => at_least_one("l", u64::from(l)),
            Self::Entropy { l, .. } => within("l", &l, "at least 1", l.units() >= Decimal::ONE),
            Self::Recursive { c, l, .. } => {
                within("c", &c, "above 0", c.units() > 0)?;
                at_least_one("l", u64::from(l))
            }
            Self::Close { t, .. } => within("t", &t, "between 0 and 1", t.units() <= Decimal::ONE),
            Self::Likeness { .. } => Ok(()),
            Self::Disclosure { delta, .. } => {
                let good = delta.units() > 0 && delta <= Requirements::MOST_DELTA;
                within("delta", &delta, "above 0, and at most 15", good)
            }
            Self::Presence { min, max } => {
                within("max", &max, "between 0 and 1", max.units() <= Decimal::ONE)?;
                within("min", &min, "between 0 and max", min <= max)
            }
        }
    }
}
