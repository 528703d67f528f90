//! Requirements in words, for messages and reports.

use super::{Decimal, Distance, Requirement, Requirements};

impl Distance {
    pub(crate) const ALL: &'static [Self] = &[Self::Equal, Self::Ordered, Self::Tree];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered => "ordered",
            Self::Tree => "hierarchy",
        }
    }
}

impl Requirement {
    /// It in the terms of the field, on a column of this name.
    pub fn words(&self, column: &str) -> String {
        match *self {
            Self::People(k) => format!("size {k}"),
            Self::Persons(k) => format!("{k} distinct persons"),
            Self::Distinct { l, .. } => format!("distinct {l}-diversity of {column:?}"),
            Self::Entropy { l, .. } => format!("entropy {l}-diversity of {column:?}"),
            Self::Recursive { c, l, .. } => format!("recursive ({c}, {l})-diversity of {column:?}"),
            Self::Close { t, distance, .. } => {
                format!("{t}-closeness of {column:?} ({} distance)", distance.word())
            }
            Self::Likeness { beta, enhanced, .. } => {
                let kind = if enhanced { "enhanced" } else { "basic" };
                format!("{kind} {beta}-likeness of {column:?}")
            }
            Self::Disclosure { delta, .. } => format!("{delta}-disclosure privacy of {column:?}"),
            Self::Presence { min, max } if min == Decimal::default() => format!("presence of at most {max}"),
            Self::Presence { min, max } => format!("presence from {min} to {max}"),
        }
    }
}

impl Requirements {
    /// A requirement in the terms of the field.
    pub(crate) fn words(&self, requirement: &Requirement) -> String {
        let column = requirement.column().and_then(|column| self.columns.get(column));
        requirement.words(column.map_or("", |column| &column.name))
    }
}
