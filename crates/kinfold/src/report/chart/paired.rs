//! Before and after side by side: shares in bands, as pairs of bars; or along bins, as bars and a line.
//!
//! These pictures stand in a page, whose style they share (`PAGE_STYLE`);
//! [`alone`](super::alone) makes a file of one.

use super::{escaped, path, shortened};
use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 628.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 206.0;
/// A letter's width, generously: the font is the reader's, and pictures that are drawn small have large letters.
const LETTER: f64 = 9.6;

/// What a picture of two series says in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    /// What the picture is, for those who do not see it.
    pub title: String,
    /// The first series.
    pub before: String,
    /// The second series.
    pub after: String,
    /// What is along the bottom.
    pub x_axis: String,
    /// What goes up.
    pub y_axis: String,
}

/// Bars in pairs, one pair per band; `before` may be missing. Values are shares of 1.
pub fn bands(words: &Words, names: &[String], before: Option<&[f64]>, after: &[f64]) -> String {
    let most = after.iter().chain(before.unwrap_or_default()).copied().fold(0.0, f64::max);
    let scale = Scale::of(most);
    let mut text = opened(words, before.is_some(), &scale, &scale.percents());
    let step = (RIGHT - LEFT) / names.len().max(1) as f64;
    let thickness = if before.is_some() { step * 0.36 } else { step * 0.6 };
    for (i, name) in names.iter().enumerate() {
        let middle = LEFT + step * (i as f64 + 0.5);
        let mut bar = |class: &str, from: f64, value: f64| {
            let y = scale.y(value);
            // What there is should be seen, however little.
            let y = if value > 0.0 { y.min(BOTTOM - 1.5) } else { BOTTOM };
            let height = BOTTOM - y;
            let _ = writeln!(
                text,
                "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{thickness:.1}\" height=\"{height:.1}\"/>"
            );
        };
        match before {
            Some(before) => {
                bar("before", middle - thickness - 1.0, before[i]);
                bar("after", middle + 1.0, after[i]);
            }
            None => bar("after", middle - thickness / 2.0, after[i]),
        }
        let _ = writeln!(
            text,
            "<text class=\"small mid\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>",
            BOTTOM + 16.0,
            escaped(name)
        );
    }
    text + "</svg>\n"
}

/// Bars for the shares before, a line in steps for those after; `ends` name the first and the last bin.
pub fn overlay(words: &Words, ends: [&str; 2], before: &[f64], after: &[f64]) -> String {
    let most = before.iter().chain(after).copied().fold(0.0, f64::max);
    let scale = Scale::of(most);
    let mut text = opened(words, true, &scale, &scale.percents());
    let step = (RIGHT - LEFT) / before.len().max(1) as f64;
    for (i, &share) in before.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let (x, y) = (LEFT + step * i as f64 + step * 0.08, scale.y(share).min(BOTTOM - 1.0));
        let (width, height) = (step * 0.84, BOTTOM - y);
        let _ = writeln!(
            text,
            "<rect class=\"before\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }
    let mut line = String::new();
    for (i, &share) in after.iter().enumerate() {
        let (from, to) = (LEFT + step * i as f64, LEFT + step * (i as f64 + 1.0));
        let _ =
            write!(line, "{}{from:.1} {y:.1}H{to:.1}", if i == 0 { 'M' } else { 'L' }, y = scale.y(share));
    }
    let _ = writeln!(text, "<path class=\"after line\" d=\"{line}\"/>");
    let y = BOTTOM + 16.0;
    let _ = writeln!(text, "<text class=\"small\" x=\"{LEFT}\" y=\"{y}\">{}</text>", escaped(ends[0]));
    let _ = writeln!(text, "<text class=\"small right\" x=\"{RIGHT}\" y=\"{y}\">{}</text>", escaped(ends[1]));
    text + "</svg>\n"
}

/// A line through points, each with its name below and its value above; a ring around what the page is about. The line
/// is `words.after`, the ring `words.before`.
pub fn line(
    words: &Words,
    points: &[(String, f64)],
    ring: Option<(usize, f64)>,
    told: &dyn Fn(f64) -> String,
) -> String {
    let most = points.iter().map(|(_, value)| *value).chain(ring.map(|(_, value)| value)).fold(0.0, f64::max);
    let scale = Scale::of(most);
    let marks: Vec<String> = scale.lines().map(told).collect();
    let mut text = opened(words, ring.is_some(), &scale, &marks);
    let step = (RIGHT - LEFT) / points.len().max(1) as f64;
    let x = |i: usize| LEFT + step * (i as f64 + 0.5);
    let spots: Vec<_> = points.iter().enumerate().map(|(i, (_, value))| (x(i), scale.y(*value))).collect();
    let _ = writeln!(text, "<path class=\"line\" d=\"{}\"/>", path(&spots));
    for ((name, value), (x, y)) in points.iter().zip(spots) {
        let _ = writeln!(
            text,
            "<circle class=\"after\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/><text class=\"small mid\" x=\"{x:.1}\" \
             y=\"{:.1}\">{}</text><text class=\"small mid\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y - 11.0,
            escaped(&told(*value)),
            BOTTOM + 16.0,
            escaped(name)
        );
    }
    if let Some((i, value)) = ring {
        let _ = writeln!(
            text,
            "<circle class=\"ring\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"7.5\"/>",
            x(i),
            scale.y(value)
        );
    }
    text + "</svg>\n"
}

/// One bar per name, its value written behind it.
pub fn lengths(title: &str, bars: &[(String, f64, String)]) -> String {
    const STEP: f64 = 26.0;
    const NAMES: f64 = 180.0;
    let height = 12.0 + STEP * bars.len() as f64;
    let mut text = svg(title, height);
    let longest = bars.iter().map(|(_, value, _)| *value).fold(f64::MIN_POSITIVE, f64::max);
    for (i, (name, value, told)) in bars.iter().enumerate() {
        let y = 6.0 + STEP * i as f64;
        let length = (RIGHT - NAMES - 60.0) * value / longest;
        let (baseline, end, behind) = (y + 14.0, NAMES - 8.0, NAMES + length + 8.0);
        let _ = writeln!(
            text,
            "<text class=\"right\" x=\"{end}\" y=\"{baseline}\">{}</text><rect class=\"after\" x=\"{NAMES}\" y=\"{y}\" \
             width=\"{length:.1}\" height=\"18\"/><text x=\"{behind:.1}\" y=\"{baseline}\">{}</text>",
            escaped(&shortened(name, 24)),
            escaped(told)
        );
    }
    text + "</svg>\n"
}

struct Scale {
    top: f64,
    step: f64,
}

impl Scale {
    /// From 0 to a round number that holds the most.
    fn of(most: f64) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let power = 10f64.powf((most / 4.0).log10().floor());
        let step = power
            * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power * 4.0 >= most * 0.999).unwrap_or(10.0);
        Self { top: step * (most / step).ceil().max(1.0), step }
    }

    /// The values at which there are lines.
    fn lines(&self) -> impl Iterator<Item = f64> {
        let step = self.step;
        (0..=(self.top / step).round() as u32).map(move |n| f64::from(n) * step)
    }

    /// The same as percentages.
    fn percents(&self) -> Vec<String> {
        let places = usize::from(self.step < 0.00999) + usize::from(self.step < 0.000999);
        self.lines().map(|value| format!("{:.places$} %", value * 100.0)).collect()
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * (value / self.top).clamp(0.0, 1.0)
    }
}

fn svg(title: &str, height: f64) -> String {
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(title).replace('"', "&quot;")
    )
}

/// The frame: lines at round shares, the names of both axes, and what colours mean.
fn opened(words: &Words, both: bool, scale: &Scale, marks: &[String]) -> String {
    let mut text = svg(&words.title, HEIGHT);
    for (value, mark) in scale.lines().zip(marks) {
        let (y, x) = (scale.y(value), LEFT - 6.0);
        let _ = writeln!(
            text,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/><text class=\"small right\" x=\"{x}\" y=\"{:.1}\">{mark}</text>",
            y + 4.0
        );
    }
    let _ = writeln!(text, "<path class=\"axis\" d=\"M{LEFT} {BOTTOM}H{RIGHT}\"/>");
    let _ = writeln!(text, "<text class=\"small\" x=\"4\" y=\"14\">{}</text>", escaped(&words.y_axis));
    let (x, y) = ((LEFT + RIGHT) / 2.0, HEIGHT - 8.0);
    let _ = writeln!(text, "<text class=\"small mid\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&words.x_axis));
    if both {
        // From the right: both names end before the edge, however long they are.
        let mut end = RIGHT;
        for (class, name) in [("after", &words.after), ("before", &words.before)] {
            let start = end - name.chars().count() as f64 * LETTER;
            let _ = writeln!(
                text,
                "<rect class=\"{class}\" x=\"{:.1}\" y=\"5\" width=\"12\" height=\"10\"/><text class=\"small\" x=\"{start:.1}\" \
                 y=\"14\">{}</text>",
                start - 17.0,
                escaped(name)
            );
            end = start - 34.0;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        let word = |text: &str| text.to_owned();
        Words {
            title: word("a \"b\" <c>"),
            before: word("b"),
            after: word("a"),
            x_axis: word("x"),
            y_axis: word("y"),
        }
    }

    #[test]
    fn axes_end_at_round_shares_above_the_most() {
        for (most, top) in [(1.0, 1.0), (0.97, 1.0), (0.41, 0.6), (0.052, 0.06), (0.0031, 0.004), (0.0, 1.0)]
        {
            assert!((Scale::of(most).top - top).abs() < 1e-9, "{most}: {}", Scale::of(most).top);
        }
    }

    #[test]
    fn a_line_names_its_points_and_rings_one() {
        let points = [("k = 2".to_owned(), 0.01), ("k = 5".to_owned(), 0.03)];
        let chart = line(&words(), &points, Some((1, 0.029)), &|value| format!("{value:.2}"));
        assert_eq!(chart.matches("<circle class=\"after\"").count(), 2);
        assert!(chart.contains(">k = 2<") && chart.contains(">0.03<") && chart.contains("class=\"ring\""));
        assert!(!line(&words(), &points, None, &|value| value.to_string()).contains("ring"));
    }

    #[test]
    fn a_little_is_still_seen_and_nothing_is_not() {
        let names = ["1".to_owned(), "2".to_owned()];
        let chart = bands(&words(), &names, Some(&[1.0, 0.00001]), &[0.0, 1.0]);
        assert!(chart.contains("aria-label=\"a &quot;b&quot; &lt;c&gt;\""));
        assert!(chart.contains("height=\"1.5\"") && chart.contains("height=\"0.0\""));
        assert!(
            overlay(&words(), ["low", "high"], &[0.5, 0.5], &[0.25, 0.75]).contains("class=\"after line\"")
        );
    }
}
