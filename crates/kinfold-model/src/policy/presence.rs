//! What a policy asks of presence: the table of a population, and how much of it may be in a group.

use super::mistake::did_you_mean;
use super::protection::decimal;
use super::toml::Said;
use super::{Draft, Mistake, Place, Role};
use crate::cost::Objective;
use crate::requirement::{Decimal, Requirement};
use crate::table::Table;
use std::path::PathBuf;
use std::sync::Arc;

/// At most this share of the people of a population who fit a group may be in it.
#[derive(Debug, Clone)]
pub struct PresencePolicy {
    /// The largest share.
    pub at_most: Decimal,
    /// The population: every quasi-identifier under its name, a row per person. If it has the policy's column
    /// of counts, a row stands for so many.
    pub population: Arc<Table>,
    /// Where the policy names it.
    pub place: Option<Place>,
}

/// Populations are the same if they have the same cells.
impl PartialEq for PresencePolicy {
    fn eq(&self, other: &Self) -> bool {
        let cells = |table: &Table| -> Vec<(String, Vec<String>)> {
            let texts = |column: &crate::table::Column| {
                column.codes().iter().map(|&code| column.text(code).to_owned()).collect()
            };
            table.columns().iter().map(|column| (column.name().to_owned(), texts(column))).collect()
        };
        self.at_most == other.at_most
            && self.place == other.place
            && (Arc::ptr_eq(&self.population, &other.population)
                || cells(&self.population) == cells(&other.population))
    }
}

/// What was asked; the file is read when all columns are known.
#[derive(Debug)]
pub(super) struct Asked {
    file: PathBuf,
    place: Option<Place>,
    at_most: Decimal,
}

impl Draft {
    /// Asks for presence: at most this share of the people in a file who fit a group may be in it.
    pub(super) fn presence(&mut self, population: &Said, most: &Said) {
        let (file, place) = (self.beside(population), population.place);
        self.files.push(file.clone());
        let share = decimal(&most.text()).filter(|&max| {
            let requirement = Requirement::Presence { min: Decimal::default(), max };
            max > Decimal::default() && requirement.check_parameters().is_ok()
        });
        match share {
            Some(at_most) => self.presence = Some(Asked { file, place, at_most }),
            None => {
                let what = format!("at_most = {} is not a share of a population", most.text());
                self.wrong(what, most.place, "write a number above 0 and up to 1, such as 0.5");
            }
        }
    }

    /// Reads the population, and notes what is wrong with it.
    pub(super) fn read_population(&mut self, objective: Objective) -> Option<PresencePolicy> {
        let Asked { file, place, at_most } = self.presence.take()?;
        if !Objective::BY_CELL.contains(&objective) {
            let what = format!("presence does not go with objective {}", objective.word());
            self.wrong(what, place, "use objective ncp or stars");
        }
        let wanted = |name: &str| {
            let role = self.columns.iter().find(|c| c.name == name).map(|c| &c.role);
            matches!(role, Some(Role::Quasi(_) | Role::Count | Role::Person))
        };
        let name = file.display();
        let source = self.world.0.table(&file);
        let names = source.as_ref().map_or(Vec::new(), |source| source.names().to_vec());
        let table = match source.and_then(|source| source.read(wanted)) {
            Ok(table) => table,
            Err(error) => {
                let hint = "a table as any other: a header, then a row per person of the population";
                self.wrong(format!("population {name}: {error}"), place, hint);
                return None;
            }
        };
        let mut found = Vec::new();
        for column in self.columns.iter().filter(|c| matches!(c.role, Role::Quasi(_))) {
            if table.column(&column.name).is_none() {
                let what = format!("population {name}: there is no column {:?}", column.name);
                let hint =
                    did_you_mean(&column.name, names.iter().map(String::as_str)).unwrap_or_else(|| {
                        "a population has every quasi-identifier, under the same name".to_owned()
                    });
                found.push(Mistake::new(what, place).hint(hint));
            }
        }
        let person = self.columns.iter().find(|c| c.role == Role::Person);
        if let Some(column) = person.and_then(|person| table.column(&person.name))
            && column.distinct() < table.rows()
        {
            let what = format!("population {name}: column {:?} names a person more than once", column.name());
            found.push(Mistake::new(what, place).hint("keep one row per person"));
        }
        let whole = found.is_empty();
        self.mistakes.list.extend(found);
        whole.then(|| PresencePolicy { at_most, population: Arc::new(table), place })
    }
}
