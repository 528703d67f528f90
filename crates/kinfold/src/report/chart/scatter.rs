//! Loss against time: a panel per k, a dot per answer, and the frontier as a stepped line. It tells names of
//! solvers, times and losses: nothing of the table.

use super::axis::Axis;
use super::labels::{self, Area, Side, Spot};
use super::{Axes, escaped, opened, path};
use crate::report::{Compared, count, seconds};
use std::fmt::Write as _;

/// Size of a panel with its margins: alone, one of several; and the margins.
const ALONE: Spot = (720.0, 440.0);
const PANEL: Spot = (500.0, 380.0);
const LEFT: f64 = 66.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 56.0;
/// Above all panels.
const HEADER: f64 = 78.0;
/// Beyond this distance a name is tied to its dot by a thin line.
const NEAR: f64 = 16.0;

const STYLE: &str = include_str!("scatter.css").trim_ascii_end();

/// What the colours mean.
const KEY: &str = "<circle class=\"key dot\" cx=\"25\" cy=\"53\" r=\"5\"/>\
<text class=\"small\" x=\"36\" y=\"57\">frontier: whatever loses less takes longer</text>\
<circle class=\"key dot grey\" cx=\"285\" cy=\"53\" r=\"5\"/>\
<text class=\"small\" x=\"296\" y=\"57\">beaten: another is as quick and loses no more</text>";

/// The whole picture. All panels share the axis of time, so that they can be compared across.
pub fn svg(title: &str, rows: usize, panels: &[Vec<Compared>]) -> String {
    let about = count(rows, "row", "rows");
    let (columns, size) = match panels.len() {
        0 | 1 => (1, ALONE),
        2 | 4 => (2, PANEL),
        _ => (3, PANEL),
    };
    let rows = panels.len().div_ceil(columns).max(1);
    let (width, height) = (size.0 * columns as f64, HEADER + size.1 * rows as f64);
    let mut text = opened(title, (width, height), STYLE) + KEY + "\n";
    let time = Axis::of_time(panels.iter().flatten().map(Compared::took));
    for (i, panel) in panels.iter().enumerate() {
        let corner = (size.0 * (i % columns) as f64, HEADER + size.1 * (i / columns) as f64);
        let _ = writeln!(text, "<g transform=\"translate({} {})\">", corner.0, corner.1);
        let title = panel.first().map_or(String::new(), |one| format!("k = {}, {about}", one.k));
        Drawing::of(panel, size, &time).draw(&mut text, &title);
        text.push_str("</g>\n");
    }
    text + "</svg>\n"
}

/// A panel in its frame; places are from the panel's corner.
struct Drawing<'a> {
    panel: &'a [Compared],
    frame: Axes,
}

impl<'a> Drawing<'a> {
    fn of(panel: &'a [Compared], size: Spot, time: &Axis) -> Self {
        let area = Area((LEFT, TOP), (size.0 - RIGHT, size.1 - BOTTOM));
        let loss = Axis::of_loss(panel.iter().map(|one| one.average_loss));
        Self { panel, frame: Axes { area, x: time.clone(), y: loss } }
    }

    fn spot(&self, one: &Compared) -> Spot {
        self.frame.spot(one.took(), one.average_loss)
    }

    fn draw(&self, text: &mut String, title: &str) {
        let _ = writeln!(text, "<text class=\"title\" x=\"{LEFT}\" y=\"18\">{}</text>", escaped(title));
        self.frame.draw(text, "CPU time", "average loss");
        let line = self.frontier();
        if let Some(&(first, _)) = line.first() {
            let steps = path(&line);
            let _ = writeln!(
                text,
                "<path class=\"beaten\" d=\"{steps} V{TOP} H{first:.1} Z\"/>\n\
                 <path class=\"line\" d=\"{steps}\"/>",
            );
        }
        self.draw_dots(text, &line);
    }

    /// The least loss to be had within any time, from the quickest answer to the right edge.
    fn frontier(&self) -> Vec<Spot> {
        let mut spots: Vec<Spot> =
            self.panel.iter().filter(|one| one.frontier).map(|one| self.spot(one)).collect();
        spots.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut line: Vec<Spot> = Vec::new();
        for spot in spots {
            if let Some(&(_, before)) = line.last() {
                line.push((spot.0, before));
            }
            line.push(spot);
        }
        if let Some(&(_, last)) = line.last() {
            line.push((self.frame.area.1.0, last));
        }
        line
    }

    fn draw_dots(&self, text: &mut String, line: &[Spot]) {
        // Dots on the frontier choose their names' places first, from the right, and are drawn on top.
        let mut dots: Vec<&Compared> = self.panel.iter().collect();
        dots.sort_by(|a, b| b.frontier.cmp(&a.frontier).then(b.took().total_cmp(&a.took())));
        let spots: Vec<(Spot, String)> = dots.iter().map(|one| (self.spot(one), one.name())).collect();
        let names = labels::place(&spots, self.frame.area, line);
        for ((one, ((x, y), called)), name) in dots.iter().zip(&spots).zip(&names).rev() {
            let grey = if one.frontier { "" } else { " grey" };
            let (to_x, to_y) = name.at;
            let side = match name.side {
                Side::Right => "",
                Side::Left => " right",
                Side::Over => " mid",
            };
            let (loss, time) = (one.average_loss, seconds(one.took()));
            let hint = format!("{called}: average loss {loss:.5} in {time}");
            let _ = write!(text, "<g><title>{}</title>", escaped(&hint));
            if (to_y - y).abs() > NEAR {
                let _ = write!(text, "<path class=\"tie\" d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"/>");
            }
            let _ = writeln!(
                text,
                "<circle class=\"dot{grey}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>\
                 <text class=\"name{grey}{side}\" x=\"{to_x:.1}\" y=\"{:.1}\">{}</text></g>",
                to_y + 4.0,
                escaped(called)
            );
        }
    }
}
