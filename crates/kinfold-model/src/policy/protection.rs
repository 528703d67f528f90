//! What a policy asks of sensitive columns and of persons (privacy models), and what is wrong with it.

use super::toml::Said;
use super::{ColumnPolicy, Draft, Mistake, Place, Policy, Role};
use crate::hierarchy::Level;
use crate::kind::Kind;
use crate::requirement::{Decimal, Distance, Requirement};
use std::sync::Arc;

/// What is asked of a sensitive column, and how its values are compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Protection {
    /// What every group must fulfil, and where the policy says so.
    pub models: Vec<(Model, Option<Place>)>,
    /// What the values are: numbers and dates that are equal are one value, however they are spelled. Without
    /// a kind, texts are compared.
    pub kind: Option<Kind>,
    /// What cells are called before they are compared; then the kind is that of these labels.
    pub values: Option<Arc<Level>>,
}

/// A privacy model: a requirement on whatever column it is said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// So many distinct values.
    Distinct(u32),
    /// As much entropy as so many equally frequent values have.
    Entropy(Decimal),
    /// Recursive (c, ℓ)-diversity.
    Recursive(Decimal, u32),
    /// At most so far from the distribution of the table.
    Close(Decimal, Distance),
    /// β-likeness; enhanced or basic.
    Likeness {
        /// The largest relative gain.
        beta: Decimal,
        /// Whether −ln p limits the gain, too.
        enhanced: bool,
    },
    /// δ-disclosure privacy.
    Disclosure(Decimal),
}

impl Model {
    /// The model of this name, with these numbers.
    fn read(word: &str, numbers: &[String]) -> Option<Self> {
        let numbers: Vec<Decimal> = numbers.iter().map(|text| decimal(text)).collect::<Option<_>>()?;
        let whole = |number: Decimal| {
            let number = number.units().is_multiple_of(Decimal::ONE).then_some(number.units() / Decimal::ONE);
            number.and_then(|number| u32::try_from(number).ok())
        };
        Some(match (word, numbers.as_slice()) {
            ("distinct", &[l]) => Self::Distinct(whole(l)?),
            ("entropy", &[l]) => Self::Entropy(l),
            ("recursive", &[c, l]) => Self::Recursive(c, whole(l)?),
            ("basic" | "enhanced", &[beta]) => Self::Likeness { beta, enhanced: word == "enhanced" },
            ("disclosure", &[delta]) => Self::Disclosure(delta),
            (_, &[t]) => Self::Close(t, *Distance::ALL.iter().find(|distance| distance.word() == word)?),
            _ => return None,
        })
    }

    /// The requirement on this protected column.
    pub fn on(self, column: usize) -> Requirement {
        match self {
            Self::Distinct(l) => Requirement::Distinct { column, l },
            Self::Entropy(l) => Requirement::Entropy { column, l },
            Self::Recursive(c, l) => Requirement::Recursive { column, c, l },
            Self::Close(t, distance) => Requirement::Close { column, t, distance },
            Self::Likeness { beta, enhanced } => Requirement::Likeness { column, beta, enhanced },
            Self::Disclosure(delta) => Requirement::Disclosure { column, delta },
        }
    }

    /// Whether both differ in their numbers at most, so that one takes the place of the other.
    fn same_sort(self, other: Self) -> bool {
        match (self, other) {
            (Self::Close(_, one), Self::Close(_, other)) => one == other,
            (Self::Likeness { enhanced: one, .. }, Self::Likeness { enhanced: other, .. }) => one == other,
            _ => std::mem::discriminant(&self) == std::mem::discriminant(&other),
        }
    }
}

impl Policy {
    /// The sensitive columns, in the order of the policy.
    pub fn sensitive(&self) -> impl Iterator<Item = (&ColumnPolicy, &Protection)> {
        self.columns.iter().filter_map(|c| match &c.role {
            Role::Sensitive(protection) => Some((c, protection)),
            _ => None,
        })
    }

    /// The column that says whom a row is about.
    pub fn person_column(&self) -> Option<&str> {
        self.columns.iter().find(|c| c.role == Role::Person).map(|c| c.name.as_str())
    }
}

impl Draft {
    /// Asks for a privacy model on a sensitive column. A later word from elsewhere (a setting after a file) takes
    /// the place of a model of the same sort.
    fn require(&mut self, name: &str, model: Model, place: Option<Place>) {
        if let Err(error) = model.on(0).check_parameters() {
            return self.wrong_in(name, error, place, "see docs/privacy-models.md");
        }
        let at = self.columns.iter().position(|c| c.name == name);
        let Some((at, Role::Sensitive(protection))) = at.map(|at| (at, &self.columns[at].role)) else {
            return;
        };
        let known = protection.models.iter().position(|(other, _)| other.same_sort(model));
        if known.is_some_and(|i| self.same_source(protection.models[i].1, place)) {
            let what = "the same privacy model is given twice";
            return self.wrong_in(name, what, place, "keep the stricter one");
        }
        let Role::Sensitive(protection) = &mut self.columns[at].role else { return };
        match known {
            Some(i) => protection.models[i] = (model, place),
            None => protection.models.push((model, place)),
        }
    }

    /// Asks for the model of this name with these numbers, as a policy writes them.
    pub(super) fn model(&mut self, name: &str, word: &str, said: &Said) {
        match Model::read(word, &said.texts) {
            Some(model) => self.require(name, model, said.place),
            None => {
                let numbers = said.texts.join(", ");
                let what = format!("{numbers} does not go with privacy model {word}");
                let hint = match word {
                    "distinct" => "write a whole number from 1 on",
                    "recursive" => "write c and l, such as 3.0 and 3: l is a whole number from 1 on",
                    _ => "write a number from 0 to 1000000, with at most nine decimal places",
                };
                self.wrong_in(name, what, said.place, hint);
            }
        }
    }

    /// What is asked must go with the kinds of the columns, and with itself.
    pub(super) fn check_protections(&mut self) {
        let mut found = Vec::new();
        for column in &self.columns {
            let Role::Sensitive(Protection { models, kind, .. }) = &column.role else { continue };
            for (model, place) in models {
                let Model::Close(_, distance) = model else { continue };
                let place = place.or(column.place);
                let name = &column.name;
                match (distance, kind) {
                    (Distance::Tree, Some(Kind::Hierarchy(_))) => {}
                    (Distance::Tree, _) => {
                        let what = format!("column {name:?}: closeness by hierarchy needs a hierarchy");
                        found.push(Mistake::new(what, place).hint("hierarchy = \"FILE.csv\""));
                    }
                    (Distance::Ordered, Some(kind)) if !kind.cells_ordered() => {
                        let kind = kind.word();
                        let what =
                            format!("column {name:?}: closeness by order does not go with kind {kind}");
                        found.push(Mistake::new(what, place).hint(ORDERED));
                    }
                    _ => {}
                }
            }
        }
        if let Some(person) = self.columns.iter().find(|c| c.role == Role::Person)
            && self.columns.iter().any(|c| c.role == Role::Count)
        {
            let what = "a column of counts does not go with a column of persons: a row is about one person";
            found.push(Mistake::new(what, person.place).hint("give one of them another role"));
        }
        self.mistakes.list.extend(found);
    }
}

/// A number as a policy writes it: `0.2`, `1_000`, `2e-1`.
pub(super) fn decimal(text: &str) -> Option<Decimal> {
    let plain = text.trim().replace('_', "");
    Decimal::parse(&plain).or_else(|| Decimal::from_f64(plain.parse().ok()?))
}

/// How a column gets an order.
pub(crate) const ORDERED: &str =
    "set kind = \"numeric\" or \"date\", or give its levels: order = [\"low\", \"middle\", \"high\"]";
