//! Coordinates along the sides of a map, a bar that shows how long a stretch is, and the lines of an outline.

use super::{MARGIN, Sheet, WIDTH};
use crate::report::chart::axis::round_step;
use crate::report::chart::labels::Spot;
use crate::report::chart::layout::corners;
use crate::report::chart::path;
use crate::report::thousands;
use std::fmt::Write as _;

/// A degree of latitude, in metres.
const DEGREE: f64 = 111_320.0;
/// About so many marks along a side, and the longest bar.
const MARKS: f64 = 6.0;
const BAR: f64 = 160.0;
/// What is less far apart than this is one place.
const NOTHING: f64 = 1e-9;
/// Beyond so many degrees of latitude a bar holds in the middle of the map only.
const TALL: f64 = 3.0;

pub(super) const STYLE: &str = include_str!("grid.css").trim_ascii_end();

impl Sheet {
    /// Marks with their coordinates, and lines through the map.
    pub(super) fn draw_grid(&self, text: &mut String) {
        let ((left, bottom), (right, top)) = (self.spot(self.low), self.spot(self.high));
        for (value, told) in marks(self.low.0, self.high.0, self.degrees.then_some(["W", "E"])) {
            let (x, _) = self.spot((value, self.low.1));
            let _ = writeln!(text, "<path class=\"grid\" d=\"M{x:.1} {top:.1}V{:.1}\"/>", bottom + 8.0);
            let y = bottom + 22.0;
            let _ = writeln!(text, "<text class=\"small mid\" x=\"{x:.1}\" y=\"{y:.1}\">{told}</text>");
        }
        for (value, told) in marks(self.low.1, self.high.1, self.degrees.then_some(["S", "N"])) {
            let (_, y) = self.spot((self.low.0, value));
            let _ = writeln!(text, "<path class=\"grid\" d=\"M{:.1} {y:.1}H{right:.1}\"/>", left - 8.0);
            let (x, y) = (left - 11.0, y + 4.0);
            let _ = writeln!(text, "<text class=\"small right\" x=\"{x:.1}\" y=\"{y:.1}\">{told}</text>");
        }
    }

    /// A bar in the heading, as long as a round number of metres, or of units where those are unknown.
    pub(super) fn draw_scale(&self, text: &mut String) {
        if self.high.0 - self.low.0 < NOTHING && self.high.1 - self.low.1 < NOTHING {
            return;
        }
        let per_unit = self.scale.1 / if self.degrees { DEGREE } else { 1.0 };
        // A round number that is not longer than the bar may be.
        let most = BAR / per_unit;
        let power = 10f64.powf(most.log10().floor());
        let length = [5.0, 2.0, 1.0].into_iter().map(|m| m * power).find(|&l| l <= most).unwrap_or(power);
        let mut told = match length {
            _ if !self.degrees => format!("{} units", plain(length)),
            metres if metres >= 1000.0 => format!("{} km", plain(metres / 1000.0)),
            metres => format!("{} m", plain(metres)),
        };
        if self.degrees && self.high.1 - self.low.1 > TALL {
            let middle = (self.low.1 + self.high.1) / 2.0;
            told += &format!(" at {:.0}° {}", middle.abs(), if middle < 0.0 { "S" } else { "N" });
        }
        let (to, y) = (WIDTH - MARGIN, 76.0);
        let from = to - length * per_unit;
        let _ = writeln!(text, "<path class=\"bar\" d=\"M{from:.1} {}V{y}H{to:.1}V{}\"/>", y - 6.0, y - 6.0);
        let (x, y) = (from - 8.0, y + 1.0);
        let _ = writeln!(text, "<text class=\"small right\" x=\"{x:.1}\" y=\"{y}\">{told}</text>");
    }

    /// Those lines of an outline that come near the map.
    pub(super) fn draw_outline(&self, text: &mut String, outline: &[Vec<Spot>]) {
        let near = |line: &&Vec<Spot>| {
            let (low, high) = corners(line);
            low.0 <= self.high.0 && high.0 >= self.low.0 && low.1 <= self.high.1 && high.1 >= self.low.1
        };
        for line in outline.iter().filter(near) {
            let spots: Vec<Spot> = line.iter().map(|&spot| self.spot(spot)).collect();
            let _ = writeln!(text, "<path class=\"outline\" d=\"{}\"/>", path(&spots));
        }
    }
}

/// Round numbers between two ends, and how they are written; of one place, the place.
fn marks(low: f64, high: f64, sides: Option<[&str; 2]>) -> Vec<(f64, String)> {
    let named = |value: f64, decimals: usize| match sides {
        Some(_) if value == 0.0 => "0°".to_owned(),
        Some([below, above]) => {
            format!("{:.decimals$}° {}", value.abs(), if value < 0.0 { below } else { above })
        }
        None => format!("{value:.decimals$}"),
    };
    if high - low < NOTHING {
        return vec![(low, named(low, 4))];
    }
    let step = round_step((high - low) / MARKS);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|n| n as f64 * step).map(|value| (value, named(value, decimals))).collect()
}

/// 5000 as 5,000, and 0.2 as it is.
fn plain(number: f64) -> String {
    if number >= 1.0 { thousands(number.round() as u64) } else { format!("{number}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_round_and_have_their_side() {
        let told = |low, high, sides| marks(low, high, sides).into_iter().map(|(_, t)| t).collect::<Vec<_>>();
        assert_eq!(
            told(-2.1, 1.2, Some(["W", "E"])),
            ["2.0° W", "1.5° W", "1.0° W", "0.5° W", "0°", "0.5° E", "1.0° E"]
        );
        assert_eq!(told(40.0, 40.0, Some(["S", "N"])), ["40.0000° N"]);
        assert_eq!(told(1000.0, 3900.0, None), ["1000", "1500", "2000", "2500", "3000", "3500"]);
    }
}
