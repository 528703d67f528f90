//! A map of a release, drawn from the published places: it tells no more than they do, unless the table's own
//! points are put on top.

mod areas;
mod grid;
mod rectangles;

pub use areas::areas;
pub use rectangles::rectangles;

use super::labels::Spot;
use super::layout::corners;
use super::{escaped, opened};
use std::fmt::Write as _;

const WIDTH: f64 = 1000.0;
const HIGHEST: f64 = 1200.0;
const MARGIN: f64 = 20.0;
/// Room for coordinates on the left and below, where places are told.
const LEFT: f64 = 72.0;
const BELOW: f64 = 36.0;
/// Room around what is drawn, so that nothing at the edge is cut off.
const ROOM: f64 = 4.0;
const HEADER: f64 = 96.0;
/// How far regions are drawn from each other at most where the map does not tell.
const FURTHEST: f64 = 110.0;

/// Dots as strokes of no length: short to write, and as broad as the stroke.
fn dots(spots: impl Iterator<Item = Spot>) -> String {
    spots.map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect()
}

/// A sheet of paper that places are drawn on, to one scale.
struct Sheet {
    size: Spot,
    low: Spot,
    high: Spot,
    scale: Spot,
    /// Whether places are told, with y upwards.
    up: bool,
    /// Whether they are degrees.
    degrees: bool,
}

impl Sheet {
    /// The beginning of a picture on this sheet; `about` stands below its title.
    fn opened(&self, about: &str, style: &str) -> String {
        let mut text = opened("Places of the release", self.size, &format!("{}\n{style}", grid::STYLE));
        let _ = writeln!(text, "<text class=\"small\" x=\"{MARGIN}\" y=\"55\">{}</text>", escaped(about));
        text
    }

    /// For these places, y upwards or downwards; degrees are drawn as wide as they are in the middle of the
    /// map.
    fn new(spots: &[Spot], up: bool) -> Self {
        let (low, high) = if spots.is_empty() { ((0.0, 0.0), (1.0, 1.0)) } else { corners(spots) };
        let degrees = up && low.1 >= -90.0 && high.1 <= 90.0 && low.0 >= -180.0 && high.0 <= 180.0;
        let squeeze = if degrees { ((low.1 + high.1) / 2.0).to_radians().cos().max(0.05) } else { 1.0 };
        let (wide, tall) = (((high.0 - low.0) * squeeze).max(1e-12), (high.1 - low.1).max(1e-12));
        let room = WIDTH - Self::left(up) - MARGIN;
        let below = if up { BELOW } else { MARGIN };
        // Regions that are placed by us are one apart.
        let largest = if up { f64::MAX } else { FURTHEST };
        let scale = (room / wide).min((HIGHEST - HEADER - below) / tall).min(largest);
        let size = (WIDTH, HEADER + (tall * scale).max(2.0 * MARGIN).ceil() + below);
        Self { size, low, high, scale: (scale * squeeze, scale), up, degrees }
    }

    fn left(up: bool) -> f64 {
        if up { LEFT } else { MARGIN }
    }

    /// Opens a picture within the picture: what lies outside the map is cut off.
    fn open_window(&self) -> String {
        let (x, y) = (Self::left(self.up) - ROOM, HEADER - ROOM);
        let below = if self.up { BELOW } else { MARGIN };
        let (width, height) = (WIDTH - MARGIN - x + ROOM, self.size.1 - below - y + ROOM);
        format!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" viewBox=\"{x} {y} {width} {height}\">\n"
        )
    }

    fn spot(&self, (x, y): Spot) -> Spot {
        // What is narrower than the sheet stands in its middle.
        let wide = (self.high.0 - self.low.0) * self.scale.0;
        let left = (WIDTH + Self::left(self.up) - MARGIN - wide) / 2.0;
        let down = if self.up { self.high.1 - y } else { y - self.low.1 };
        (left + (x - self.low.0) * self.scale.0, HEADER + down * self.scale.1)
    }
}
