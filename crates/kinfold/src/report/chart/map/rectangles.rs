//! A map of rectangles, the darker the more people for the space.

use super::{MARGIN, Sheet, dots};
use crate::report::chart::labels::Spot;
use crate::report::chart::layout::corners;
use crate::report::sized;
use kinfold_model::Unit;
use kinfold_model::verify::{PlacedGroup, Shape};
use std::fmt::Write as _;

/// What is narrow is drawn so wide all the same, and what has no width so wide that it is seen.
const THIN: f64 = 1.2;
const FLAT: f64 = 5.0;
/// Where the picture would be so many times as large as the place where all but a few live on each side, only
/// that place is drawn.
const CROWDED: f64 = 8.0;
const FEW: f64 = 0.01;
/// Colours of density.
const SHADES: usize = 7;

const STYLE: &str = include_str!("rectangles.css").trim_ascii_end();

/// A map of rectangles, and how many people lie outside of it; `points` are the table's own, up and across.
pub fn rectangles(
    about: &str,
    places: &[PlacedGroup],
    unit: Unit,
    points: &[(f64, f64)],
    outline: &[Vec<Spot>],
) -> (String, u64) {
    let boxes: Vec<([Spot; 2], u64)> = places
        .iter()
        .filter_map(|place| match place.shape {
            Shape::Rectangle { up, across } => Some(([(across.0, up.0), (across.1, up.1)], place.people)),
            _ => None,
        })
        .collect();
    let (window, outside) = window(&boxes);
    let sheet = Sheet::new(&window, true);
    let wide_enough = |from: f64, to: f64, size: f64| size.max(if from == to { FLAT } else { THIN });
    let mut drawn: Vec<(Spot, Spot, u64, f64)> = boxes
        .iter()
        .map(|&([low, high], people)| {
            let ((left, bottom), (right, top)) = (sheet.spot(low), sheet.spot(high));
            let flat = low.0 == high.0 || low.1 == high.1;
            let wide = wide_enough(low.0, high.0, right - left);
            let tall = wide_enough(low.1, high.1, bottom - top);
            // Without area any number of people is the densest.
            let density = if flat { f64::INFINITY } else { people as f64 / (wide * tall) };
            let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
            ((middle.0 - wide / 2.0, middle.1 - tall / 2.0), (wide, tall), people, density)
        })
        .collect();
    // The densest come last, and points and lines, so that no rectangle hides them.
    drawn.sort_by(|a, b| a.3.total_cmp(&b.3));
    let mut sorted: Vec<f64> = drawn.iter().map(|&(.., density)| density).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    // By how many are no denser, so that the densest are the darkest, however many they are.
    let shade = |density: f64| {
        let rank = sorted.partition_point(|&d| d <= density);
        (rank * SHADES).div_ceil(sorted.len().max(1)).saturating_sub(1)
    };
    let about = match outside {
        0 => about.to_owned(),
        people => format!("{about}; {} outside the picture", sized(people, unit)),
    };
    let mut text = sheet.opened(&about, STYLE);
    draw_shades(&mut text, unit, !points.is_empty());
    sheet.draw_scale(&mut text);
    sheet.draw_grid(&mut text);
    text.push_str(&sheet.open_window());
    sheet.draw_outline(&mut text, outline);
    for ((x, y), (wide, high), people, density) in &drawn {
        let _ = writeln!(
            text,
            "<rect class=\"box s{}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\"><title>{}</title></rect>",
            shade(*density),
            sized(*people, unit)
        );
    }
    if !points.is_empty() {
        let spots = points.iter().map(|&(up, across)| sheet.spot((across, up)));
        let _ = writeln!(text, "<path class=\"point\" d=\"{}\"/>", dots(spots));
    }
    (text + "</svg>\n</svg>\n", outside)
}

/// Corners of what is drawn: of all, or, where a few far away would make the rest tiny, of where most people
/// are; and how many people lie outside.
fn window(boxes: &[([Spot; 2], u64)]) -> (Vec<Spot>, u64) {
    let all: Vec<Spot> = boxes.iter().flat_map(|(ends, _)| *ends).collect();
    let total: u64 = boxes.iter().map(|(_, people)| people).sum();
    let middle = |[low, high]: [Spot; 2]| ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
    // From where a share of people lies before, to where as many lie after.
    let between = |along: fn(Spot) -> f64| {
        let mut places: Vec<(f64, u64)> =
            boxes.iter().map(|&(ends, people)| (along(middle(ends)), people)).collect();
        places.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut before = 0;
        let share = |people: u64| people as f64 / total.max(1) as f64;
        let mut inside = places.into_iter().filter(|(_, people)| {
            let from = share(before);
            before += people;
            from < 1.0 - FEW && share(before) > FEW
        });
        let first = inside.next().map_or(0.0, |(at, _)| at);
        (first, inside.last().map_or(first, |(at, _)| at))
    };
    let (across, up) = (between(|s| s.0), between(|s| s.1));
    let (low, high) = corners(&all);
    let whole = (high.0 - low.0) * (high.1 - low.1);
    let crowd = (across.1 - across.0) * (up.1 - up.0);
    // A crowd on one spot or line makes no picture.
    if crowd == 0.0 || crowd * CROWDED > whole {
        return (all, 0);
    }
    let outside = |&&([low, high], _): &&([Spot; 2], u64)| {
        high.0 < across.0 || low.0 > across.1 || high.1 < up.0 || low.1 > up.1
    };
    let people = boxes.iter().filter(outside).map(|(_, people)| people).sum();
    (vec![(across.0, up.0), (across.1, up.1)], people)
}

fn draw_shades(text: &mut String, unit: Unit, points: bool) {
    let (mut x, y) = (MARGIN, 70.0);
    let _ = write!(text, "<text class=\"small\" x=\"{x}\" y=\"{}\">few {}</text>", y + 9.0, unit.noun(2));
    x += 62.0;
    for shade in 0..SHADES {
        let _ = write!(text, "<rect class=\"s{shade}\" x=\"{x}\" y=\"{y}\" width=\"22\" height=\"11\"/>");
        x += 22.0;
    }
    let _ = write!(text, "<text class=\"small\" x=\"{}\" y=\"{}\">many for the area", x + 8.0, y + 9.0);
    text.push_str(if points { "; red: the points of the table</text>\n" } else { "</text>\n" });
}
