//! What people read: aligned tables, numbers with thin groups, a little colour.

pub use crate::report::{count, percent, percent_at_most, seconds, sized, span, thousands};
use anstyle::{AnsiColor, Style};

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

/// Where a column's cells stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At its left edge.
    Left,
    /// At its right edge, as numbers do.
    Right,
}

/// Rows in aligned columns, the first row in bold.
pub fn table(align: &[Align], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..align.len())
        .map(|i| rows.iter().filter_map(|r| r.get(i)).map(|c| width(c)).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (n, row) in rows.iter().enumerate() {
        let mut line = String::from(" ");
        for ((cell, &w), &side) in row.iter().zip(&widths).zip(align) {
            let gap = " ".repeat(w - width(cell));
            line.push(' ');
            match side {
                Align::Left => line.extend([cell.as_str(), &gap]),
                Align::Right => line.extend([gap.as_str(), cell]),
            }
            line.push(' ');
        }
        let line = line.trim_end();
        if n == 0 {
            text.push_str(&format!("{STRONG}{line}{STRONG:#}\n"));
        } else {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}

/// Characters that are seen: styles take no room.
fn width(text: &str) -> usize {
    super::plain(text).chars().count()
}
