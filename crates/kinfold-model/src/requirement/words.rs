//! Requirements in words, for messages and reports.

use super::{Distance, Requirement, Requirements};

impl Distance {
    /// Every distance.
    pub const ALL: &'static [Self] = &[Self::Equal, Self::Ordered, Self::Tree];

    /// The word for it in a policy.
    pub fn word(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered => "ordered",
            Self::Tree => "hierarchy",
        }
    }
}

impl Requirements {
    /// A requirement in the terms of the field.
    pub fn words(&self, requirement: &Requirement) -> String {
        let name = |column: usize| self.columns.get(column).map_or("", |column| &column.name);
        match *requirement {
            Requirement::People(k) => format!("{k} people"),
            Requirement::Persons(k) => format!("{k} distinct persons"),
            Requirement::Distinct { column, l } => format!("distinct {l}-diversity of {:?}", name(column)),
            Requirement::Entropy { column, l } => format!("entropy {l}-diversity of {:?}", name(column)),
            Requirement::Recursive { column, c, l } => {
                format!("recursive ({c}, {l})-diversity of {:?}", name(column))
            }
            Requirement::Close { column, t, distance } => {
                format!("{t}-closeness of {:?} ({} distance)", name(column), distance.word())
            }
            Requirement::Likeness { column, beta, enhanced } => {
                let kind = if enhanced { "enhanced" } else { "basic" };
                format!("{kind} {beta}-likeness of {:?}", name(column))
            }
            Requirement::Disclosure { column, delta } => {
                format!("{delta}-disclosure privacy of {:?}", name(column))
            }
            Requirement::Presence { min, max } => format!("presence from {min} to {max}"),
        }
    }
}
