//! Bars beside their names: one value each, from 0 on.

use super::{escaped, opened, shortened};
use std::fmt::Write as _;

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is about.
    pub name: String,
    /// How long it is.
    pub value: f64,
    /// Whether the others are compared with it.
    pub stands_out: bool,
}

const WIDTH: f64 = 760.0;
const TOP: f64 = 62.0;
const STEP: f64 = 24.0;
/// Where bars begin and end; values stand behind them.
const LEFT: f64 = 250.0;
const RIGHT: f64 = 680.0;
const STYLE: &str = include_str!("bars.css").trim_ascii_end();

/// A picture of bars, in the order of the list.
pub fn svg(title: &str, bars: &[Bar]) -> String {
    let height = TOP + STEP * bars.len() as f64 + 16.0;
    let mut text = opened(title, (WIDTH, height), STYLE);
    let longest = bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    for (i, bar) in bars.iter().enumerate() {
        let y = TOP + STEP * i as f64;
        let length = (RIGHT - LEFT) * bar.value / longest;
        let (class, name) =
            (if bar.stands_out { "bar base" } else { "bar" }, escaped(&shortened(&bar.name, 34)));
        let (middle, name_end, value_start) = (y + 12.0, LEFT - 10.0, LEFT + length + 8.0);
        let _ = writeln!(text, "<text class=\"right\" x=\"{name_end}\" y=\"{middle}\">{name}</text>");
        let _ = writeln!(
            text,
            "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"16\" rx=\"2\"/>"
        );
        let _ = writeln!(text, "<text x=\"{value_start:.1}\" y=\"{middle}\">{:.4}</text>", bar.value);
    }
    text.push_str("</svg>\n");
    text
}
