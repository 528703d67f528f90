//! What people read: aligned tables, numbers with thin groups, a little colour.

pub use crate::report::{count, percent, percent_at_most, seconds, sized, span, thousands};
use anstyle::{AnsiColor, Style};
use kinfold_model::Unit;
use std::ops::RangeBounds;

/// What is well.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What is not.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What should be read.
pub const NOTE: Style = AnsiColor::Yellow.on_default();
/// What counts.
pub const STRONG: Style = Style::new().bold();
/// What is said beside it.
pub const FAINT: Style = Style::new().dimmed();

/// A loss per cell, as a share of everything.
pub fn loss(average: f64) -> String {
    format!("{average:.5}")
}

/// "3 groups of 4 to 7 rows (k = 4)".
pub fn groups(number: usize, smallest: u64, largest: u64, unit: Unit, k: u64) -> String {
    let (number, sizes) = (count(number, "group", "groups"), span(smallest, largest));
    format!("{number} of {sizes} {} (k = {k})", unit.noun(largest))
}

/// Rows in aligned columns below a bold heading; columns of numbers stand at the right.
pub fn table(heading: &[&str], numbers: impl RangeBounds<usize>, rows: &[Vec<String>]) -> String {
    let heading: Vec<String> = heading.iter().map(|&name| name.to_owned()).collect();
    let widest = |i: usize| rows.iter().chain([&heading]).filter_map(|r| r.get(i)).map(|c| width(c)).max();
    let widths: Vec<usize> = (0..heading.len()).map(|i| widest(i).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::from(" ");
        for (i, (cell, &w)) in row.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(w - width(cell));
            match numbers.contains(&i) {
                true => line.extend([" ", &gap, cell, " "]),
                false => line.extend([" ", cell, &gap, " "]),
            }
        }
        line.trim_end().to_owned()
    };
    let mut text = format!("{STRONG}{}{STRONG:#}\n", line(&heading));
    rows.iter().for_each(|row| text.extend([line(row).as_str(), "\n"]));
    text
}

/// Characters that are seen: styles take no room.
fn width(text: &str) -> usize {
    super::plain(text).chars().count()
}
