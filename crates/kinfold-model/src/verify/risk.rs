//! What a table or a release exposes: its classes by size, and who of a population fits them.

use super::centres::Counted;
use super::{Published, VerifyError, count_groups, people_of_rows, presence, quasi_columns};
use crate::call::Call;
use crate::judge::WITHHELD;
use crate::policy::{Form, GROUP_COLUMNS, LABEL_COLUMN, Policy, midpoint_names};
use crate::risk::{Classes, LikelyIdentifier, Subsets, safe_harbor, subsets};
use crate::table::{Column, Distinct, Source, Table, distinct_rows};

/// The classes of a table or a release.
#[derive(Debug, Clone)]
pub struct Exposed {
    /// How many people look alike, by class.
    pub classes: Classes,
    /// Every set of few quasi-identifiers, as far as rows stand there.
    pub subsets: Option<Subsets>,
    /// Columns that are likely identifiers.
    pub safe_harbor: Vec<LikelyIdentifier>,
    /// For every class its people, and how many of the population fit it, if there is one.
    pub fitting: Option<Vec<(u64, u64)>>,
    /// Whether people are distinct persons: a person counts once in every class.
    pub by_person: bool,
}

impl Published {
    /// The policy as it applies: a table without centres or labels of groups is read as it is, whatever form is planned for
    /// its release; numbers with their widths beside them are middles.
    pub fn policy_as_read(&self, policy: &Policy) -> Policy {
        let mut policy = policy.clone();
        let has = |name: &str| self.names.iter().any(|n| n == name);
        let centres = policy.form == Form::Centres && !GROUP_COLUMNS.iter().all(|name| has(name));
        let codes = policy.form == Form::Codes && !has(LABEL_COLUMN);
        if centres || codes {
            (policy.form, policy.per_group) = (Form::Ranges, false);
        }
        let middle = |name: &str| {
            let [_, width] = midpoint_names(name);
            has(name) && has(&width) && policy.role(&width).is_none()
        };
        if policy.form == Form::Ranges && policy.quasi().any(|(column, _)| middle(&column.name)) {
            policy.form = Form::Midpoint;
        }
        policy
    }

    /// Reads a table or a release as it is: nothing is asked of its columns yet.
    pub fn whole(source: Source) -> Result<Self, VerifyError> {
        let (names, call) = (source.names().to_vec(), source.call().clone());
        Ok(Self::of(source.read(|_| true)?, names, call))
    }

    /// A table as if it were published as it is.
    pub fn of_table(table: &Table, call: &Call) -> Self {
        let names = table.columns().iter().map(|column| column.name().to_owned()).collect();
        Self::of(table.clone(), names, call.clone())
    }

    /// A column as it was published.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.table.column(name)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }
}

/// Counts what a table or a release (read whole) exposes; sets of columns up to `up_to` of them.
pub fn exposed(
    published: &Published,
    policy: &Policy,
    population: Option<&Table>,
    up_to: usize,
) -> Result<Exposed, VerifyError> {
    let table = &published.table;
    published.call.check()?;
    let counted = count_groups(published, policy)?;
    let safe_harbor = safe_harbor(table, |name| policy.missing_in(name));
    let Counted { sizes, group_of, first, people, .. } = counted;
    let Some(of_row) = group_of else {
        let classes = Classes::new(sizes);
        return Ok(Exposed { classes, subsets: None, safe_harbor, fitting: None, by_person: false });
    };
    let groups = Distinct { of_row, first };
    let members = groups.sums(people.iter().copied());
    let column = policy.person_column().and_then(|name| table.column(name));
    let person = published.persons.as_deref().or(column.map(Column::codes));
    let classes = match person {
        Some(_) => Alike::new(&groups.of_row, &people, person).classes(),
        // Groups that look alike and tell their size are as many classes as fit.
        None => Classes::new(sizes.iter().zip(&members).flat_map(|(&size, &members)| {
            std::iter::repeat_n(size, members.checked_div(size).unwrap_or(0) as usize)
        })),
    };
    let names = quasi_columns(&published.names, policy)?;
    let mut columns: Vec<(&str, Vec<u32>)> = Vec::new();
    for ((said, _), parts) in policy.quasi().zip(&names) {
        let codes: Vec<&[u32]> = parts.iter().filter_map(|n| table.column(n)).map(Column::codes).collect();
        // A point in one column is one quasi-identifier.
        let same =
            |(_, known): &(&str, Vec<u32>)| parts.len() == 1 && parts[0] != said.name && *known == codes[0];
        if !columns.iter().any(same) {
            let codes = match codes[..] {
                [only] => only.to_vec(),
                _ => distinct_rows(&codes, table.rows()).of_row,
            };
            columns.push((&said.name, codes));
        }
    }
    let columns: Vec<(&str, &[u32])> =
        columns.iter().map(|(name, codes)| (*name, codes.as_slice())).collect();
    // Groups are the rows that are equal on all columns, unless more is told of them.
    let codes: Vec<&[u32]> = columns.iter().map(|(_, codes)| *codes).collect();
    let records = (policy.form == Form::Centres).then(|| distinct_rows(&codes, table.rows()));
    let records = records.as_ref().unwrap_or(&groups);
    let subsets = Some(subsets(&columns, records, &people, up_to, &published.call)?);
    let fitting = match population.filter(|_| policy.form != Form::Centres) {
        Some(population) => {
            let fit = presence::fitting(published, policy, population, None, &groups.first)?;
            Some(members.iter().copied().zip(fit).collect())
        }
        None => None,
    };
    Ok(Exposed { classes, subsets, safe_harbor, fitting, by_person: person.is_some() })
}

/// Who looks like whom: the class of every row, and how many people are in it.
#[derive(Debug, Clone)]
pub struct Alike {
    class_of: Vec<u32>,
    people: Vec<u64>,
}

impl Alike {
    /// Rows that stand for so many people, or for persons, who count once in every class.
    fn new(class_of: &[u32], people: &[u64], person: Option<&[u32]>) -> Self {
        let classes = class_of.iter().filter(|&&class| class != WITHHELD).max().map_or(0, |&most| most + 1);
        let mut sizes = vec![0; classes as usize];
        let mut count = |row: usize, people: u64| {
            sizes.get_mut(class_of[row] as usize).into_iter().for_each(|size| *size += people);
        };
        match person {
            Some(person) => {
                let pairs = distinct_rows(&[class_of, person], class_of.len());
                pairs.first.iter().for_each(|&row| count(row as usize, 1));
            }
            None => people.iter().enumerate().for_each(|(row, &people)| count(row, people)),
        }
        Self { class_of: class_of.to_vec(), people: sizes }
    }

    /// How many people look like the person of a row, that person included; none if the row is withheld.
    pub fn around(&self, row: usize) -> Option<u64> {
        self.people.get(*self.class_of.get(row)? as usize).copied()
    }

    /// The classes by size.
    pub fn classes(&self) -> Classes {
        Classes::new(self.people.iter().copied())
    }
}

/// Who looks like whom in a table: on its quasi-identifiers, or in these groups of its rows.
pub fn alike(table: &Table, policy: &Policy, groups: Option<&[u32]>) -> Result<Alike, VerifyError> {
    let published = Published::of_table(table, &Call::new());
    let policy = &published.policy_as_read(policy);
    let own = groups.is_none().then(|| count_groups(&published, policy)).transpose()?;
    let class_of = groups.or(own.as_ref().and_then(|own| own.group_of.as_deref())).unwrap_or_default();
    let person = policy.person_column().and_then(|name| table.column(name)).map(Column::codes);
    Ok(Alike::new(class_of, &people_of_rows(&published, policy)?, person))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withheld_rows_belong_to_no_class() {
        let alike = Alike::new(&[0, WITHHELD, 0, 1], &[1, 2, 3, 4], None);
        assert_eq!((alike.around(0), alike.around(1), alike.around(3)), (Some(4), None, Some(4)));
        let classes = alike.classes();
        assert_eq!((classes.people(), classes.count(), classes.of_size(1)), (8, 2, 0));
        assert_eq!((classes.smallest(), classes.average_risk()), (4, 0.25));
        // The same person twice in a class is one.
        let persons = Alike::new(&[0, 1, 0, 1], &[1; 4], Some(&[7, 8, 7, 9]));
        assert_eq!((persons.around(0), persons.around(1)), (Some(1), Some(2)));
    }
}
