//! Pictures as SVG, and what they share: heading, frame, axes, and colours that follow the reader's light or
//! dark mode.

mod axis;
pub mod bars;
pub(crate) mod curves;
mod labels;
mod layout;
pub mod map;
pub mod paired;
pub(crate) mod scatter;

use axis::Axis;
use labels::{Area, Spot};
use std::fmt::Write as _;

const STYLE: &str = include_str!("alone.css").trim_ascii_end();

/// The style of pictures that stand in a page. Blue and orange are told apart by everybody; what was before is
/// hollow besides.
pub(crate) const PAGE_STYLE: &str = include_str!("page.css").trim_ascii_end();

/// What the colours of [`PAGE_STYLE`] are, by light or dark.
pub(crate) const PAGE_COLOURS: [&str; 2] = [
    "--ink:#20252d;--soft:#59616d;--line:#e3e6eb;--paper:#fff;--before:#b34700;--before-fill:#f6d3bd;--after:#0063a5;",
    "--ink:#e6eaf0;--soft:#a7b0bd;--line:#2c333d;--paper:#14181e;--before:#f0a35e;--before-fill:#4a3220;--after:#5fb4f2;",
];

/// A picture of a page as a file of its own.
pub fn alone(svg: &str) -> String {
    let [light, dark] = PAGE_COLOURS;
    let style = format!(
        "<style>svg{{{light}background:var(--paper)}}@media (prefers-color-scheme:dark){{svg{{{dark}}}}}{PAGE_STYLE}</style>"
    );
    let svg = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" ", 1);
    match svg.find(">\n") {
        Some(end) => format!("{}\n{style}{}", &svg[..=end], &svg[end + 1..]),
        None => svg,
    }
}

/// The beginning of a picture: its size, the shared style and its own, and its heading.
fn opened(title: &str, (width, height): Spot, own_style: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<style>\n{STYLE}\n{own_style}\n</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"head\" x=\"20\" y=\"34\">{title}</text>\n",
        title = escaped(title)
    )
}

/// Where values become places: an axis along the bottom, and one up the left side.
struct Axes {
    area: Area,
    x: Axis,
    y: Axis,
}

impl Axes {
    fn spot(&self, x: f64, y: f64) -> Spot {
        let Area((left, top), (right, bottom)) = self.area;
        (left + self.x.share(x) * (right - left), bottom - self.y.share(y) * (bottom - top))
    }

    /// Lines at the marks, their texts, and what the axes are: one below on the right, the other above on the
    /// left.
    fn draw(&self, text: &mut String, x_name: &str, y_name: &str) {
        let Area((left, top), (right, bottom)) = self.area;
        let _ = writeln!(text, "<text class=\"small\" x=\"{left}\" y=\"{}\">{y_name}</text>", top - 10.0);
        for tick in &self.y.ticks {
            let (_, y) = self.spot(0.0, tick.value);
            let _ = writeln!(text, "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>");
            if let Some(told) = &tick.text {
                let (x, y) = (left - 8.0, y + 4.0);
                let _ = writeln!(text, "<text class=\"small right\" x=\"{x}\" y=\"{y:.1}\">{told}</text>");
            }
        }
        for tick in &self.x.ticks {
            let (x, _) = self.spot(tick.value, 0.0);
            let class = if tick.text.is_some() { "grid" } else { "faint" };
            let _ = writeln!(text, "<path class=\"{class}\" d=\"M{x:.1} {top}V{bottom}\"/>");
            if let Some(told) = &tick.text {
                let y = bottom + 18.0;
                let _ = writeln!(text, "<text class=\"small mid\" x=\"{x:.1}\" y=\"{y}\">{told}</text>");
            }
        }
        let _ = writeln!(text, "<path class=\"axis\" d=\"M{left} {bottom}H{right}\"/>");
        let y = bottom + 36.0;
        let _ = writeln!(text, "<text class=\"small right\" x=\"{right}\" y=\"{y}\">{x_name}</text>");
    }
}

fn path(spots: &[Spot]) -> String {
    let mut text = String::new();
    for (i, (x, y)) in spots.iter().enumerate() {
        let _ = write!(text, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    text
}

/// Names that would run out of the picture are cut.
fn shortened(name: &str, most: usize) -> String {
    match name.chars().count() <= most {
        true => name.to_owned(),
        false => name.chars().take(most - 1).chain(['…']).collect(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
