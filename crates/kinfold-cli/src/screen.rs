//! What people read: aligned tables, numbers with thin groups, a little colour.

use anstyle::{AnsiColor, Style};

pub const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const NOTE: Style = AnsiColor::Yellow.on_default();
pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();

/// 1234567 → 1,234,567.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A loss per cell, as a share of everything.
pub fn loss(average: f64) -> String {
    format!("{average:.5}")
}

/// A share, never rounded down: it stands for "at most".
pub fn percent(share: f64) -> String {
    let digits = if share < 0.001 { 3 } else { 1 };
    let scale = 10f64.powi(digits);
    format!("{:.*} %", digits as usize, (share * 100.0 * scale).ceil() / scale)
}

pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.9995 => format!("{:.0} ms", s * 1000.0),
        s if s < 60.0 => format!("{s:.1} s"),
        s => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

/// Where a column's cells stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
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
    anstream::adapter::strip_str(text).to_string().chars().count()
}

/// "4 people", "4 to 7 people".
pub fn span(low: u64, high: u64) -> String {
    if low == high { thousands(low) } else { format!("{} to {}", thousands(low), thousands(high)) }
}

/// "1 row", "2 rows".
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number as u64), if number == 1 { one } else { many })
}
