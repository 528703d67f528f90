//! What a column's values are, inferred with care when the policy does not say.

use crate::table::Column;
use crate::value::{Number, looks_numeric, parse_date, parse_number};

/// What the values of a quasi-identifier are, and so what a group of them looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Quantities: a group is a range.
    Numeric,
    /// ISO dates or date-times: a group is a range.
    Date,
    /// Levels in a given order: a group is a range of levels.
    Ordinal(Vec<String>),
    /// Labels without order: a group is a set of labels.
    Category,
    /// Leaves of a tree: a group is their lowest common node.
    Hierarchy(std::sync::Arc<crate::hierarchy::Hierarchy>),
    /// Places on a map: a group is a connected area.
    Region(std::sync::Arc<crate::regions::Regions>),
}

impl Kind {
    /// The word for it in policies, flags and reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Date => "date",
            Self::Ordinal(_) => "ordinal",
            Self::Category => "category",
            Self::Hierarchy(_) => "hierarchy",
            Self::Region(_) => "region",
        }
    }

    /// Whether its values lie on a line, so that a group is a range.
    pub fn ordered(&self) -> bool {
        match self {
            Self::Numeric | Self::Date | Self::Ordinal(_) => true,
            Self::Category | Self::Hierarchy(_) | Self::Region(_) => false,
        }
    }
}

/// An inferred kind, and how sure one can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inferred {
    /// Numeric, date or category.
    pub kind: Kind,
    /// Distinct values that kept an otherwise numeric column from being numeric.
    pub spoilers: usize,
    /// Whether every value is digits but some are padded with zeros: codes, not quantities.
    pub padded: bool,
}

/// Whether the text of this code stands for a missing value.
pub fn is_missing(column: &Column, code: u32, tokens: &[String]) -> bool {
    column.is_null(code) || tokens.iter().any(|t| t == column.text(code).trim_ascii())
}

/// Infers the kind of a column from its distinct values.
pub fn infer(column: &Column, missing: &[String]) -> Inferred {
    let (mut present, mut numbers, mut dates, mut parsed) = (0usize, 0usize, 0usize, 0usize);
    for code in (0..column.distinct() as u32).filter(|&c| !is_missing(column, c, missing)) {
        let text = column.text(code);
        present += 1;
        numbers += usize::from(looks_numeric(text));
        parsed += usize::from(parse_number(text).is_some());
        dates += usize::from(parse_date(text).is_some());
    }
    let kind = if present > 0 && numbers == present {
        Kind::Numeric
    } else if present > 0 && dates == present {
        Kind::Date
    } else {
        Kind::Category
    };
    let mostly = numbers * 10 >= present * 8 && numbers < present && numbers > 1;
    Inferred {
        kind,
        spoilers: if mostly { present - parsed } else { 0 },
        padded: present > 0 && parsed == present && numbers < present,
    }
}

/// The exact value of a text under an ordered kind.
pub fn value_of(kind: &Kind, text: &str) -> Option<Number> {
    match kind {
        Kind::Numeric => parse_number(text),
        Kind::Date => parse_date(text),
        Kind::Ordinal(levels) => {
            let rank = levels.iter().position(|l| l == text).or_else(|| {
                let trimmed = text.trim_ascii();
                levels.iter().position(|l| l == trimmed)
            })?;
            Some(Number::whole(rank as i64))
        }
        Kind::Category | Kind::Hierarchy(_) | Kind::Region(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    fn infer_cells(cells: &[&str]) -> Inferred {
        let rows: Vec<Vec<&str>> = cells.iter().map(|c| vec![*c]).collect();
        let table = Table::from_cells(&["x"], &rows).unwrap();
        infer(&table.columns()[0], &crate::policy::default_missing())
    }

    #[test]
    fn kinds_are_inferred_with_care() {
        assert_eq!(infer_cells(&["1", "2", "", "NA", "-0.5", "1e3"]).kind, Kind::Numeric);
        assert_eq!(infer_cells(&["00501", "10001"]).kind, Kind::Category);
        assert!(infer_cells(&["00501", "10001"]).padded);
        assert_eq!(infer_cells(&["2020-01-31", "?"]).kind, Kind::Date);
        assert_eq!(infer_cells(&["2020-01-32", "2020-01-30"]).kind, Kind::Category);
        assert_eq!(infer_cells(&["NA", ""]).kind, Kind::Category);
        let spoiled = infer_cells(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "inf"]);
        assert_eq!((spoiled.kind, spoiled.spoilers), (Kind::Category, 1));
    }
}
