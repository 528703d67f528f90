//! What a column's values are, inferred with care when the policy does not say.

use crate::ladder::Ladder;
use crate::spelling::Spelling;
use crate::table::Column;
use crate::value::{DAY, Number, SECOND, date_text, has_time, looks_numeric, parse_date, parse_number};
use std::sync::Arc;

/// What the values of a quasi-identifier are, and so what a group of them looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Quantities: a group is a range.
    Numeric,
    /// ISO dates or date-times: a group is a range.
    Date,
    /// Numbers or dates in another spelling: a group is a range, in the same spelling.
    Spelled(Arc<Spelling>),
    /// Levels in a given order: a group is a range of levels.
    Ordinal(Vec<String>),
    /// Labels without order: a group is a set of labels.
    Category,
    /// Codes whose beginnings mean something: a group is the longest common one.
    Prefix(Prefixes),
    /// Numbers or dates in nested intervals: a group is the narrowest common one.
    Ladder(Arc<Ladder>),
    /// Leaves of a tree: a group is their lowest common node.
    Hierarchy(std::sync::Arc<crate::hierarchy::Hierarchy>),
    /// Places on a map: a group is a connected area.
    Region(std::sync::Arc<crate::regions::Regions>),
}

/// The beginnings of codes that mean something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefixes {
    /// How many characters, longest first.
    pub lengths: Vec<usize>,
    /// The length that all cells have, where a level is fixed: they are written without a star then.
    pub bare: Option<usize>,
}

impl Kind {
    /// The word for it in policies, flags and reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Date => "date",
            Self::Spelled(spelling) => spelling.kind_word(),
            Self::Ordinal(_) => "ordinal",
            Self::Category => "category",
            Self::Prefix(_) => "prefix",
            Self::Ladder(ladder) => ladder.base.word(),
            Self::Hierarchy(_) => "hierarchy",
            Self::Region(_) => "region",
        }
    }

    /// Whether its values lie on a line, so that a group is a range.
    pub fn ordered(&self) -> bool {
        match self {
            Self::Numeric | Self::Date | Self::Spelled(_) | Self::Ordinal(_) => true,
            Self::Category | Self::Prefix(_) | Self::Ladder(_) | Self::Hierarchy(_) | Self::Region(_) => {
                false
            }
        }
    }

    /// Whether cells have an order, be they values or names of intervals.
    pub(crate) fn cells_ordered(&self) -> bool {
        self.ordered() || matches!(self, Self::Ladder(_))
    }

    /// Whether its values can be told apart as numbers or dates, though a group need not be a range.
    pub(crate) fn on_line(&self) -> bool {
        self.ordered() || matches!(self, Self::Ladder(_))
    }

    /// Whether its values are numbers, in whatever spelling.
    pub fn numeric(&self) -> bool {
        self.word() == Self::Numeric.word()
    }

    /// How many levels it has besides the star that every column has.
    pub fn levels(&self) -> usize {
        match self {
            Self::Ladder(ladder) => ladder.steps.len() + 1,
            Self::Prefix(prefixes) => prefixes.lengths.len() + 1,
            Self::Hierarchy(hierarchy) => hierarchy.tree().levels(),
            _ => 0,
        }
    }

    /// What a level is called: the values, or a width, a word or a length; those of a hierarchy have numbers alone.
    pub fn level_name(&self, level: usize) -> Option<String> {
        let Some(at) = level.checked_sub(1) else { return Some("exact".to_owned()) };
        match self {
            Self::Ladder(ladder) => ladder.steps.get(at).map(ToString::to_string),
            Self::Prefix(prefixes) => prefixes.lengths.get(at).map(ToString::to_string),
            _ => None,
        }
    }

    /// Whether its values are dates, in whatever spelling.
    pub fn dates(&self) -> bool {
        self.word() == Self::Date.word()
    }

    /// The least difference of two dates that are written like this one, in nanoseconds; none of other kinds.
    pub fn step(&self, like: &str) -> Option<i64> {
        match self {
            Self::Spelled(spelling) => spelling.step(),
            Self::Date => Some(if has_time(like) { SECOND } else { DAY }),
            _ => None,
        }
    }

    /// Writes a value on a line as the column does; `like`: a date of the column, which tells whether the time of
    /// day is written.
    pub fn text(&self, value: Number, like: &str) -> Option<String> {
        match self {
            Self::Numeric => Some(value.to_string()),
            Self::Date => date_text(value, like),
            Self::Spelled(spelling) => spelling.text(value),
            Self::Ordinal(levels) => levels.get(value.to_f64() as usize).cloned(),
            Self::Ladder(ladder) => ladder.base.text(value, like),
            Self::Category | Self::Prefix(_) | Self::Hierarchy(_) | Self::Region(_) => None,
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
        Kind::Spelled(spelling) => spelling.value(text),
        Kind::Ordinal(levels) => {
            let rank = levels.iter().position(|l| l == text).or_else(|| {
                let trimmed = text.trim_ascii();
                levels.iter().position(|l| l == trimmed)
            })?;
            Some(Number::whole(rank as i64))
        }
        Kind::Ladder(ladder) => value_of(&ladder.base, text),
        Kind::Category | Kind::Prefix(_) | Kind::Hierarchy(_) | Kind::Region(_) => None,
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
