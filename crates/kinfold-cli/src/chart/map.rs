//! A map of a release: rectangles, the darker the denser people live; or areas, regions that share one joined and in one colour.
//!
//! It is drawn from the published places, and tells no more than they do, unless the table's own points are put on top.

use super::labels::Spot;
use super::layout::{corners, layout, typical_length};
use super::{escaped, opened};
use crate::screen::{count, thousands};
use kinfold::model::regions::Regions;
use kinfold::model::verify::{Place, Shape};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const WIDTH: f64 = 1000.0;
const HIGHEST: f64 = 1200.0;
const MARGIN: f64 = 20.0;
const HEADER: f64 = 96.0;
/// What has no width is drawn so wide all the same.
const THIN: f64 = 1.2;
/// How much of the way to a neighbour a region's colour fills.
const BROAD: f64 = 0.55;
/// How far regions are drawn from each other at most where the map does not tell.
const FURTHEST: f64 = 110.0;
/// Up to so many regions have their names on the map.
const NAMED: usize = 60;
/// Where the picture would be so many times as large as the place where all but a few live on each side, only that place is drawn.
const CROWDED: f64 = 8.0;
const FEW: f64 = 0.01;
/// Colours of areas, of which neighbours have different ones, and of density.
const COLOURS: usize = 10;
const SHADES: usize = 7;

const STYLE: &str = "\
.box{stroke:#fff;stroke-width:.3}.point{fill:none;stroke:#b3261e;stroke-linecap:round;stroke-width:1.1}
.s0{fill:#eef3d2}.s1{fill:#cfe6b6}.s2{fill:#9dd3b4}.s3{fill:#5cb9b8}.s4{fill:#2f92b7}.s5{fill:#2560a4}.s6{fill:#1e2f6f}
.area{fill:none;stroke-linecap:round;stroke-linejoin:round;opacity:.9}.area:hover{opacity:.5}.box:hover{opacity:.6}
.touch{fill:none;stroke:#d9dde3;stroke-width:.6}.nobody{fill:none;stroke:#c3c9d1;stroke-linecap:round}
.c0{stroke:#4e79a7}.c1{stroke:#f28e2b}.c2{stroke:#59a14f}.c3{stroke:#e15759}.c4{stroke:#76b7b2}
.c5{stroke:#edc948}.c6{stroke:#b07aa1}.c7{stroke:#ff9da7}.c8{stroke:#9c755f}.c9{stroke:#8cd17d}
.place{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
@media (prefers-color-scheme:dark){
.box{stroke:#14181e}.touch{stroke:#2d343e}.nobody{stroke:#48515d}.place{stroke:#14181e}.point{stroke:#ff8a80}
}";

/// A map of rectangles; `points` are the table's own, up and across.
pub fn rectangles(about: &str, places: &[Place], points: &[(f64, f64)]) -> String {
    let boxes: Vec<([Spot; 2], u64)> = places
        .iter()
        .filter_map(|place| match place.shape {
            Shape::Rectangle { up, across } => Some(([(across.0, up.0), (across.1, up.1)], place.people)),
            _ => None,
        })
        .collect();
    let (window, outside) = window(&boxes);
    let sheet = Sheet::new(&window, true);
    let drawn: Vec<(Spot, Spot, u64)> = boxes
        .iter()
        .map(|&([low, high], people)| {
            let ((left, bottom), (right, top)) = (sheet.spot(low), sheet.spot(high));
            let (wide, high) = ((right - left).max(THIN), (bottom - top).max(THIN));
            let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
            ((middle.0 - wide / 2.0, middle.1 - high / 2.0), (wide, high), people)
        })
        .collect();
    let density = |&(_, (wide, high), people): &(Spot, Spot, u64)| people as f64 / (wide * high);
    let mut sorted: Vec<f64> = drawn.iter().map(density).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let shade = |density: f64| sorted.partition_point(|&d| d < density) * SHADES / sorted.len().max(1);
    let mut text = opened("Where the release puts people", sheet.size, STYLE);
    let beyond = match outside {
        0 => String::new(),
        people => format!("; {} people lie outside the picture", thousands(people)),
    };
    let _ = writeln!(text, "<text class=\"small\" x=\"{MARGIN}\" y=\"55\">{}{beyond}</text>", escaped(about));
    draw_shades(&mut text, !points.is_empty());
    let (width, height) = (WIDTH - 2.0 * MARGIN, sheet.size.1 - HEADER - MARGIN);
    let _ = writeln!(
        text,
        "<svg x=\"{MARGIN}\" y=\"{HEADER}\" width=\"{width}\" height=\"{height}\" viewBox=\"{MARGIN} {HEADER} {width} {height}\">"
    );
    for place in &drawn {
        let ((x, y), (wide, high), people) = place;
        let _ = writeln!(
            text,
            "<rect class=\"box s{}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\"><title>{}</title></rect>",
            shade(density(place)),
            count(*people as usize, "person", "people")
        );
    }
    if !points.is_empty() {
        let spots = points.iter().map(|&(up, across)| sheet.spot((across, up)));
        let _ = writeln!(text, "<path class=\"point\" d=\"{}\"/>", dots(spots));
    }
    text + "</svg>\n</svg>\n"
}

/// Corners of what is drawn: of all, or, where a few far away would make the rest tiny, of where most people are; and how many
/// people lie outside.
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
        let mut inside = places.into_iter().filter(|(_, people)| {
            before += people;
            (FEW..=1.0 - FEW).contains(&(before as f64 / total.max(1) as f64))
        });
        let first = inside.next().map_or(0.0, |(at, _)| at);
        (first, inside.last().map_or(first, |(at, _)| at))
    };
    let (across, up) = (between(|s| s.0), between(|s| s.1));
    let (low, high) = corners(&all);
    let whole = (high.0 - low.0) * (high.1 - low.1);
    if (across.1 - across.0) * (up.1 - up.0) * CROWDED > whole || boxes.len() < 2 {
        return (all, 0);
    }
    let outside = |&&([low, high], _): &&([Spot; 2], u64)| {
        high.0 < across.0 || low.0 > across.1 || high.1 < up.0 || low.1 > up.1
    };
    let people = boxes.iter().filter(outside).map(|(_, people)| people).sum();
    (vec![(across.0, up.0), (across.1, up.1)], people)
}

fn draw_shades(text: &mut String, points: bool) {
    let (mut x, y) = (MARGIN, 70.0);
    let _ = write!(text, "<text class=\"small\" x=\"{x}\" y=\"{}\">few people</text>", y + 9.0);
    x += 62.0;
    for shade in 0..SHADES {
        let _ = write!(text, "<rect class=\"s{shade}\" x=\"{x}\" y=\"{y}\" width=\"22\" height=\"11\"/>");
        x += 22.0;
    }
    let _ = write!(text, "<text class=\"small\" x=\"{}\" y=\"{}\">many for the space", x + 8.0, y + 9.0);
    text.push_str(if points { "; red: the points of the table</text>\n" } else { "</text>\n" });
}

/// A map of areas, each with all its regions.
pub fn areas(about: &str, places: &[Place], regions: &Regions) -> String {
    let graph = regions.graph();
    let mut areas: Vec<(&[u32], u64)> = places
        .iter()
        .filter_map(|place| match &place.shape {
            Shape::Area(list) => Some((list.as_slice(), place.people)),
            _ => None,
        })
        .collect();
    // Where areas overlap, the smaller ones are on top.
    areas.sort_by_key(|(list, _)| std::cmp::Reverse(list.len()));
    let told =
        regions.centroids().map(|list| list.iter().map(|at| at.map(|[x, y]| (x.to_f64(), y.to_f64()))));
    let placed: Option<Vec<Spot>> = told.and_then(Iterator::collect);
    let (spots, up) = placed.map_or_else(|| (layout(graph), false), |spots| (spots, true));
    let sheet = Sheet::new(&spots, up);
    let spots: Vec<Spot> = spots.into_iter().map(|spot| sheet.spot(spot)).collect();
    let neighbours: Vec<Vec<u32>> =
        (0..graph.regions() as u32).map(|r| graph.neighbours(r).to_vec()).collect();
    let broad = (BROAD * typical_length(&spots, &neighbours)).clamp(0.8, 26.0);
    let mut text = opened("Where the release puts people", sheet.size, STYLE);
    let _ = writeln!(text, "<text class=\"small\" x=\"{MARGIN}\" y=\"55\">{}</text>", escaped(about));
    let key =
        if up { "" } else { "; the map does not tell where regions lie: drawn from which of them touch" };
    let _ = writeln!(
        text,
        "<text class=\"small\" x=\"{MARGIN}\" y=\"76\">regions of one area are joined and of one colour{key}</text>"
    );
    let line = |a: u32, b: u32| {
        let ((x, y), (to_x, to_y)) = (spots[a as usize], spots[b as usize]);
        format!("M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}")
    };
    let pairs = (0u32..)
        .zip(&neighbours)
        .flat_map(|(a, near)| near.iter().filter(move |&&b| a < b).map(move |&b| (a, b)));
    let touch: String = pairs.map(|(a, b)| line(a, b)).collect();
    let _ = writeln!(text, "<path class=\"touch\" d=\"{touch}\"/>");
    let mut empty = vec![true; graph.regions()];
    areas.iter().flat_map(|(list, _)| *list).for_each(|&r| empty[r as usize] = false);
    let nobody = dots(empty.iter().zip(&spots).filter(|(empty, _)| **empty).map(|(_, spot)| *spot));
    let _ = writeln!(text, "<path class=\"nobody\" stroke-width=\"{:.1}\" d=\"{nobody}\"/>", broad / 2.0);
    for ((list, people), colour) in areas.iter().zip(colours(&areas, &neighbours)) {
        let inside: BTreeSet<u32> = list.iter().copied().collect();
        let joined: String = list
            .iter()
            .flat_map(|&a| neighbours[a as usize].iter().filter(move |&&b| a < b).map(move |&b| (a, b)))
            .filter(|(_, b)| inside.contains(b))
            .map(|(a, b)| line(a, b))
            .collect();
        let _ = writeln!(
            text,
            "<path class=\"area c{colour}\" stroke-width=\"{broad:.1}\" d=\"{}{joined}\"><title>{}, {} people</title></path>",
            dots(list.iter().map(|&r| spots[r as usize])),
            count(list.len(), "region", "regions"),
            thousands(*people)
        );
    }
    if graph.regions() <= NAMED {
        for (name, (x, y)) in regions.names().iter().zip(&spots) {
            let _ = writeln!(
                text,
                "<text class=\"place mid\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                y + 4.0,
                escaped(name)
            );
        }
    }
    text + "</svg>\n"
}

/// Dots as strokes of no length: short to write, and as broad as the stroke.
fn dots(spots: impl Iterator<Item = Spot>) -> String {
    spots.map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect()
}

/// A colour for every area, another than its neighbours have as long as there are any; the least used first.
fn colours(areas: &[(&[u32], u64)], neighbours: &[Vec<u32>]) -> Vec<usize> {
    let mut area_of: Vec<Vec<usize>> = vec![Vec::new(); neighbours.len()];
    for (area, (list, _)) in areas.iter().enumerate() {
        list.iter().for_each(|&region| area_of[region as usize].push(area));
    }
    let mut colour: Vec<Option<usize>> = vec![None; areas.len()];
    let mut used = [0usize; COLOURS];
    for (area, (list, _)) in areas.iter().enumerate() {
        let mut taken = [0usize; COLOURS];
        let around =
            list.iter().flat_map(|&r| neighbours[r as usize].iter().copied().chain(std::iter::once(r)));
        around.flat_map(|r| &area_of[r as usize]).filter_map(|&a| colour[a]).for_each(|c| taken[c] += 1);
        let best =
            (0..COLOURS).min_by_key(|&c| (taken[c] > 0, if taken[c] > 0 { taken[c] } else { used[c] }, c));
        let best = best.unwrap_or(0);
        colour[area] = Some(best);
        used[best] += 1;
    }
    colour.into_iter().map(|c| c.unwrap_or(0)).collect()
}

/// A sheet of paper that places are drawn on, to one scale.
struct Sheet {
    size: Spot,
    low: Spot,
    high: Spot,
    scale: Spot,
    up: bool,
}

impl Sheet {
    /// For these places, y upwards or downwards; degrees are drawn as wide as they are in the middle of the map.
    fn new(spots: &[Spot], up: bool) -> Self {
        let (low, high) = if spots.is_empty() { ((0.0, 0.0), (1.0, 1.0)) } else { corners(spots) };
        let degrees = up && low.1 >= -90.0 && high.1 <= 90.0 && low.0 >= -180.0 && high.0 <= 180.0;
        let squeeze = if degrees { ((low.1 + high.1) / 2.0).to_radians().cos().max(0.05) } else { 1.0 };
        let (wide, tall) = (((high.0 - low.0) * squeeze).max(1e-12), (high.1 - low.1).max(1e-12));
        let room = WIDTH - 2.0 * MARGIN;
        // Regions that are placed by us are one apart.
        let largest = if up { f64::MAX } else { FURTHEST };
        let scale = (room / wide).min((HIGHEST - HEADER - MARGIN) / tall).min(largest);
        let size = (WIDTH, HEADER + (tall * scale).max(2.0 * MARGIN).ceil() + MARGIN);
        Self { size, low, high, scale: (scale * squeeze, scale), up }
    }

    fn spot(&self, (x, y): Spot) -> Spot {
        // What is narrower than the sheet stands in its middle.
        let wide = (self.high.0 - self.low.0) * self.scale.0;
        let left = (WIDTH - wide) / 2.0;
        let down = if self.up { self.high.1 - y } else { y - self.low.1 };
        (left + (x - self.low.0) * self.scale.0, HEADER + down * self.scale.1)
    }
}
