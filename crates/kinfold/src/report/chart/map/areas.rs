//! A map of areas: regions that are published together are joined, and of one colour.

use super::{MARGIN, Sheet, dots};
use crate::report::chart::escaped;
use crate::report::chart::labels::Spot;
use crate::report::chart::layout::{layout, typical_length};
use crate::report::{count, sized};
use kinfold_model::Unit;
use kinfold_model::regions::Regions;
use kinfold_model::verify::{PlacedGroup, Shape};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// How much of the way to a neighbour a region's colour fills, and how broad that may be.
const BROAD: f64 = 0.55;
const BROADNESS: (f64, f64) = (0.8, 26.0);
/// Up to so many regions have their names on the map.
const NAMED: usize = 60;
/// Colours of areas, of which neighbours have different ones.
const COLOURS: usize = 10;

const STYLE: &str = include_str!("areas.css").trim_ascii_end();

/// A map of areas, each with all its regions.
pub fn areas(
    about: &str,
    places: &[PlacedGroup],
    unit: Unit,
    regions: &Regions,
    outline: &[Vec<Spot>],
) -> String {
    let area = |place: &PlacedGroup| match &place.shape {
        Shape::Area(regions) => Some((regions.clone(), place.people)),
        _ => None,
    };
    let mut areas: Vec<Area> = places.iter().filter_map(area).collect();
    // Where areas overlap, the smaller ones are on top.
    areas.sort_by_key(|(regions, _)| std::cmp::Reverse(regions.len()));
    let graph = regions.graph();
    let told =
        regions.centroids().map(|list| list.iter().map(|at| at.map(|[x, y]| (x.to_f64(), y.to_f64()))));
    let placed: Option<Vec<Spot>> = told.and_then(Iterator::collect);
    let (spots, up) = placed.map_or_else(|| (layout(graph), false), |spots| (spots, true));
    let sheet = Sheet::new(&spots, up);
    let spots: Vec<Spot> = spots.into_iter().map(|spot| sheet.spot(spot)).collect();
    let neighbours: Vec<Vec<u32>> =
        (0..graph.regions() as u32).map(|r| graph.neighbours(r).to_vec()).collect();
    let broad = (BROAD * typical_length(&spots, &neighbours)).clamp(BROADNESS.0, BROADNESS.1);

    let mut text = sheet.opened(about, STYLE);
    let key = if up { "" } else { "; the map has no positions: regions are placed by adjacency" };
    let _ = writeln!(
        text,
        "<text class=\"small\" x=\"{MARGIN}\" y=\"76\">regions of one area are joined and of one colour{key}</text>"
    );
    if up {
        sheet.draw_scale(&mut text);
        sheet.draw_grid(&mut text);
        text.push_str(&sheet.open_window());
        sheet.draw_outline(&mut text, outline);
        text.push_str("</svg>\n");
    }
    let everybody: Vec<u32> = (0..graph.regions() as u32).collect();
    let _ = writeln!(text, "<path class=\"touch\" d=\"{}\"/>", borders(&everybody, &neighbours, &spots));
    let mut empty = vec![true; graph.regions()];
    areas.iter().flat_map(|(regions, _)| regions).for_each(|&r| empty[r as usize] = false);
    let nobody = dots(empty.iter().zip(&spots).filter(|(empty, _)| **empty).map(|(_, spot)| *spot));
    let _ = writeln!(text, "<path class=\"nobody\" stroke-width=\"{:.1}\" d=\"{nobody}\"/>", broad / 2.0);
    for ((area, people), colour) in areas.iter().zip(colours(&areas, &neighbours)) {
        let _ = writeln!(
            text,
            "<path class=\"area c{colour}\" stroke-width=\"{broad:.1}\" d=\"{}{}\"><title>{}, {}</title></path>",
            dots(area.iter().map(|&r| spots[r as usize])),
            borders(area, &neighbours, &spots),
            count(area.len(), "region", "regions"),
            sized(*people, unit)
        );
    }
    for (name, (x, y)) in regions.names().iter().zip(&spots).filter(|_| graph.regions() <= NAMED) {
        let (name, y) = (escaped(name), y + 4.0);
        let _ = writeln!(text, "<text class=\"place mid\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>");
    }
    text + "</svg>\n"
}

/// Regions that are published together, and their people.
type Area = (Vec<u32>, u64);

/// Lines between those of some regions that touch.
fn borders(regions: &[u32], neighbours: &[Vec<u32>], spots: &[Spot]) -> String {
    let inside: BTreeSet<u32> = regions.iter().copied().collect();
    let pairs = regions.iter().flat_map(|&a| neighbours[a as usize].iter().map(move |&b| (a, b)));
    let touching = pairs.filter(|&(a, b)| a < b && inside.contains(&b));
    let ends = touching.map(|(a, b)| (spots[a as usize], spots[b as usize]));
    ends.map(|((x, y), (to_x, to_y))| format!("M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}")).collect()
}

/// A colour for every area, another than its neighbours have as long as there are any; the least used first.
fn colours(areas: &[Area], neighbours: &[Vec<u32>]) -> Vec<usize> {
    let mut area_of: Vec<Vec<usize>> = vec![Vec::new(); neighbours.len()];
    for (area, (regions, _)) in areas.iter().enumerate() {
        regions.iter().for_each(|&region| area_of[region as usize].push(area));
    }
    let mut colour: Vec<Option<usize>> = vec![None; areas.len()];
    let mut used = [0usize; COLOURS];
    for (area, (regions, _)) in areas.iter().enumerate() {
        let mut taken = [0usize; COLOURS];
        let around =
            regions.iter().flat_map(|&r| neighbours[r as usize].iter().copied().chain(std::iter::once(r)));
        around.flat_map(|r| &area_of[r as usize]).filter_map(|&a| colour[a]).for_each(|c| taken[c] += 1);
        let best =
            (0..COLOURS).min_by_key(|&c| (taken[c] > 0, if taken[c] > 0 { taken[c] } else { used[c] }, c));
        let best = best.unwrap_or(0);
        colour[area] = Some(best);
        used[best] += 1;
    }
    colour.into_iter().map(|c| c.unwrap_or(0)).collect()
}
