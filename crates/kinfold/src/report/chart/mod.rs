//! Pictures as SVG, and what they share: heading, frame, axes, and colours that follow the reader's light or
//! dark mode.

mod axis;
pub mod bars;
pub mod curves;
mod labels;
mod layout;
pub mod map;
pub mod scatter;

use axis::Axis;
use labels::{Area, Spot};
use std::fmt::Write as _;

const STYLE: &str = "\
text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:#20252d}
.head{font-size:18px;font-weight:600}.title{font-size:14px;font-weight:600}
.small{font-size:11px;fill:#69717d}.right{text-anchor:end}.mid{text-anchor:middle}
.paper{fill:#fff}.grid{stroke:#e9ecf0}.faint{stroke:#f4f5f8}.axis{stroke:#aab1bb}
@media (prefers-color-scheme:dark){
text{fill:#e4e8ee}.small{fill:#99a2af}
.paper{fill:#14181e}.grid{stroke:#272d36}.faint{stroke:#1c2129}.axis{stroke:#59626f}
}";

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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
