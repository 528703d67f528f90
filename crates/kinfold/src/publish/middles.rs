//! Form `midpoint`: the middle of a group's range, and its width beside it, as exact decimals.
//!
//! Numbers: the range is `middle ± width / 2`. Dates and levels have no halves, so their middle is rounded down: the
//! low end is half the width, rounded down, before it. Dates are counted in days, or in seconds where the column
//! has times of day (in minutes, where its format has no seconds); levels in levels.

use super::cells::{Cells, ReleasedColumn};
use super::texts::Texts;
use kinfold_model::kind::{Kind, value_of};
use kinfold_model::policy::midpoint_names;
use kinfold_model::table::Column;
use kinfold_model::value::{SECOND, has_time};
use std::sync::Arc;

/// The lowest and the highest value of a group, as they are spelled.
type Ends = (Option<String>, Option<String>);

/// The two columns that publish an ordered one: every group has some of these ends, by number.
pub(super) fn columns(
    column: &Arc<Column>,
    kind: &Kind,
    ends: Vec<Ends>,
    of_group: &[u32],
) -> Vec<ReleasedColumn> {
    // One date with a time of day makes all middles tell theirs.
    let timed = (0..column.distinct() as u32).map(|code| column.text(code)).find(|text| has_time(text));
    let like = timed.filter(|text| *kind == Kind::Date && value_of(kind, text).is_some()).unwrap_or_default();
    let (middles, widths): (Vec<_>, Vec<_>) =
        ends.into_iter().map(|ends| middle(kind, ends, like).unzip()).unzip();
    let [middles, widths] = [middles, widths].map(|texts| Texts::new(texts, of_group.to_vec()));
    let (middles, widths) = match kind {
        Kind::Numeric => (Cells::Numbers(middles), Cells::Numbers(widths)),
        // Numbers with decimal commas are texts.
        _ => (Cells::Ends(middles, Some(column.clone())), Cells::Ends(widths, None)),
    };
    let [middle, width] = midpoint_names(column.name());
    vec![ReleasedColumn::new(middle, middles), ReleasedColumn::new(width, widths)]
}

/// Middle and width; none where values are missing, or too far apart for exact decimals.
fn middle(kind: &Kind, ends: Ends, like: &str) -> Option<(String, String)> {
    let (low, high) = (value_of(kind, &ends.0?)?, value_of(kind, &ends.1?)?);
    let width = high.minus(low)?;
    if kind.numeric() {
        return Some((kind.text(low.plus(width.half()?)?, like)?, kind.text(width, like)?));
    }
    let unit = kind.step(like).unwrap_or(1);
    let width = if unit == SECOND { width.billionth() } else { width.whole_part_of(unit)? };
    let middle = low.plus(width.half_down()?.times(unit)?)?;
    Some((kind.text(middle, like)?, width.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: &Kind, low: &str, high: &str, like: &str) -> (String, String) {
        middle(kind, (Some(low.into()), Some(high.into())), like).unwrap_or_default()
    }

    #[test]
    fn middles_are_exact_or_rounded_down() {
        let owned = |middle: &str, width: &str| (middle.to_owned(), width.to_owned());
        assert_eq!(said(&Kind::Numeric, "35", "36", ""), owned("35.5", "1"));
        assert_eq!(said(&Kind::Numeric, "-0.2", "1e-1", ""), owned("-0.05", "0.3"));
        assert_eq!(said(&Kind::Numeric, "1.50", "1.50", ""), owned("1.5", "0"));
        assert_eq!(said(&Kind::Numeric, "1e-200", "1e200", ""), owned("", ""));
        assert_eq!(said(&Kind::Date, "2024-02-28", "2024-03-02", ""), owned("2024-02-29", "3"));
        let clock = "2024-01-01 00:00";
        assert_eq!(
            said(&Kind::Date, "2024-01-01", "2024-01-02", clock),
            owned("2024-01-01 12:00:00", "86400")
        );
        assert_eq!(
            said(&Kind::Date, "2024-01-01", "2024-01-01T00:00:01.5", "2024-01-01T00:00"),
            owned("2024-01-01T00:00:00.7", "1.5")
        );
        let levels = Kind::Ordinal(["low", "middle", "high", "top"].map(String::from).to_vec());
        assert_eq!(said(&levels, "low", "top", ""), owned("middle", "3"));
        assert_eq!(middle(&Kind::Numeric, (None, None), ""), None);
    }
}
