//! Largest groups of labels against k (paper *geo*, Figure 7): a curve per way to group, as ratios to k,
//! above the region in which no release can be. It tells sizes of groups: no label of the table.

use super::axis::Axis;
use super::labels::{Area, Spot};
use super::{Axes, escaped, opened, path};
use crate::LabelSizes;
use std::fmt::Write as _;

/// A way to group labels.
pub(crate) struct Way {
    /// Its name.
    pub name: &'static str,
    class: &'static str,
    /// The people in its largest group.
    pub largest: fn(&LabelSizes) -> u64,
}

/// Those that are drawn, one above the other: broad below narrow and Fold below Spread, so that none is
/// hidden where they meet.
pub(crate) const WAYS: [Way; 7] = [
    Way { name: "labels", class: "best", largest: |sizes| sizes.best },
    Way { name: "Ascending Fold", class: "ascending fold", largest: |sizes| sizes.ascending_fold },
    Way { name: "Random Fold", class: "random fold", largest: |sizes| sizes.random_fold },
    Way { name: "Sorted Fold", class: "sorted fold", largest: |sizes| sizes.sorted_fold },
    Way { name: "Ascending Spread", class: "ascending", largest: |sizes| sizes.ascending_spread },
    Way { name: "Random Spread", class: "random", largest: |sizes| sizes.random_spread },
    Way { name: "Sorted Spread", class: "sorted", largest: |sizes| sizes.sorted_spread },
];

const SIZE: Spot = (960.0, 600.0);
const AREA: Area = Area((66.0, 154.0), (920.0, 544.0));
/// A letter's width, generously: the font is the reader's.
const LETTER: f64 = 6.8;
/// The length of a line in the legend, and the gap after a name.
const SAMPLE: f64 = 26.0;
const GAP: f64 = 24.0;
/// Curves of more points than this per pixel are thinned out.
const FINE: f64 = 2.0;

const STYLE: &str = include_str!("curves.css").trim_ascii_end();

/// The whole picture; `about` stands below its title.
pub fn svg(title: &str, about: &str, sizes: &[LabelSizes]) -> String {
    let ratio = |largest: u64, k: u64| largest as f64 / k as f64;
    let most =
        sizes.iter().flat_map(|s| WAYS.iter().map(|way| ratio((way.largest)(s), s.k))).fold(1.0, f64::max);
    let (first, last) = (sizes.first().map_or(1, |s| s.k), sizes.last().map_or(1, |s| s.k));
    let frame = Axes { area: AREA, x: Axis::of_whole(first, last), y: Axis::of_ratio(most) };
    let line = |largest: fn(&LabelSizes) -> u64| {
        let spots = sizes.iter().map(|s| frame.spot(s.k as f64, ratio(largest(s), s.k)));
        thinned(spots.collect())
    };
    let mut text = opened(title, SIZE, STYLE);
    let _ = writeln!(text, "<text class=\"small\" x=\"20\" y=\"55\">{}</text>", escaped(about));
    draw_legend(&mut text);
    frame.draw(&mut text, "k: minimum group size", "largest group / k");
    draw_groups(&mut text, &frame, sizes);
    let bound = line(|sizes| sizes.bound);
    draw_region(&mut text, &bound);
    for way in WAYS {
        let ratios = || sizes.iter().map(|s| ratio((way.largest)(s), s.k));
        let hint = format!(
            "{}: {:.3} k on average, {:.3} k at most",
            way.name,
            ratios().sum::<f64>() / sizes.len().max(1) as f64,
            ratios().fold(1.0, f64::max)
        );
        let steps = path(&line(way.largest));
        let _ =
            writeln!(text, "<path class=\"curve {}\" d=\"{steps}\"><title>{hint}</title></path>", way.class);
        if way.class == "best" {
            let _ = writeln!(text, "<path class=\"bound\" d=\"{}\"/>", path(&bound));
        }
    }
    text + "</svg>\n"
}

/// What the colours mean, in two rows.
fn draw_legend(text: &mut String) {
    let (mut x, mut y) = (20.0, 84.0);
    let mut tell = |text: &mut String, sample: &dyn Fn(f64, f64) -> String, name: &str| {
        let width = SAMPLE + 8.0 + name.chars().count() as f64 * LETTER;
        if x + width > SIZE.0 - 20.0 {
            (x, y) = (20.0, y + 20.0);
        }
        let at = x + SAMPLE + 8.0;
        let _ = writeln!(text, "{}<text x=\"{at:.1}\" y=\"{}\">{name}</text>", sample(x, y), y + 4.0);
        x += width + GAP;
    };
    for way in WAYS {
        let stroke =
            |x: f64, y: f64| format!("<path class=\"key curve {}\" d=\"M{x:.1} {y}h{SAMPLE}\"/>", way.class);
        tell(text, &stroke, way.name);
    }
    let shade = |x: f64, y: f64| {
        format!(
            "<path class=\"key never\" d=\"M{x:.1} {y}h{SAMPLE}v9h-{SAMPLE}Z\"/>\
             <path class=\"key bound\" d=\"M{x:.1} {y}h{SAMPLE}\"/>"
        )
    };
    tell(text, &shade, "lower bound");
}

/// How many groups there can be, above each run of ks that allow the same number.
fn draw_groups(text: &mut String, frame: &Axes, sizes: &[LabelSizes]) {
    let Area((left, top), (right, _)) = frame.area;
    // Where the name of the axis ends.
    let free = left + 17.0 * LETTER;
    let runs: Vec<(u64, f64)> = sizes
        .chunk_by(|a, b| a.most_groups == b.most_groups)
        .map(|run| (run[0].most_groups, frame.spot(run[0].k as f64, 1.0).0))
        .collect();
    let ends = runs.iter().skip(1).map(|&(_, x)| x).chain([right]);
    for (&(groups, from), to) in runs.iter().zip(ends) {
        let from = from.max(free);
        let noun = if groups == 1 { "group" } else { "groups" };
        let texts = [format!("at most {groups} {noun}"), format!("{groups} {noun}"), groups.to_string()];
        let fits = |told: &&String| told.chars().count() as f64 * LETTER + 10.0 <= to - from;
        if let Some(told) = texts.iter().find(fits) {
            let (x, y) = ((from + to) / 2.0, top - 10.0);
            let _ = writeln!(text, "<text class=\"small mid\" x=\"{x:.1}\" y=\"{y}\">{told}</text>");
            if to < right {
                let _ = writeln!(text, "<path class=\"grid\" d=\"M{to:.1} {}V{top}\"/>", top - 20.0);
            }
        }
    }
}

/// The region below the bound, and what it means where there is room to say so.
fn draw_region(text: &mut String, bound: &[Spot]) {
    let (Some(first), Some(last)) = (bound.first(), bound.last()) else { return };
    let Area(_, (_, bottom)) = AREA;
    let edge = path(bound);
    let _ = writeln!(
        text,
        "<path class=\"never\" d=\"{edge}L{:.1} {bottom}L{:.1} {bottom}Z\"/>",
        last.0, first.0
    );
    let told = "no release can be here";
    let width = told.chars().count() as f64 * LETTER;
    // The lowest place of the edge above the text decides.
    let room = |from: usize| {
        let end = bound[from].0 + width;
        let above = bound[from..].iter().take_while(|spot| spot.0 <= end);
        (end <= last.0).then(|| bottom - above.map(|spot| spot.1).fold(0.0, f64::max))
    };
    let widest = (0..bound.len()).filter_map(|i| room(i).map(|r| (r, i))).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, i)) = widest.filter(|&(room, _)| room >= 26.0) {
        let (x, y) = (bound[i].0 + 6.0, bottom - 9.0);
        let _ = writeln!(text, "<text class=\"small\" x=\"{x:.1}\" y=\"{y}\">{told}</text>");
    }
}

/// The same line with two points per pixel column at most: its highest and its lowest there.
fn thinned(spots: Vec<Spot>) -> Vec<Spot> {
    let Area((left, _), (right, _)) = AREA;
    if let [alone] = spots[..] {
        // A line needs two ends.
        return vec![alone, alone];
    }
    if spots.len() as f64 <= FINE * (right - left) {
        return spots;
    }
    let mut kept = Vec::new();
    for column in spots.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let by_height = |a: &(usize, &Spot), b: &(usize, &Spot)| a.1.1.total_cmp(&b.1.1);
        let ends = [column.iter().enumerate().min_by(by_height), column.iter().enumerate().max_by(by_height)];
        let mut at: Vec<usize> = ends.into_iter().flatten().map(|(i, _)| i).collect();
        at.sort_unstable();
        at.dedup();
        kept.extend(at.into_iter().map(|i| column[i]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(k: u64) -> LabelSizes {
        let most_groups = 10_000 / k;
        let bound = 10_000u64.div_ceil(most_groups);
        let fold = bound + k / 2;
        LabelSizes {
            k,
            random_fold: fold,
            random_spread: bound + 1,
            sorted_fold: fold,
            sorted_spread: bound,
            ascending_fold: fold,
            ascending_spread: bound + 2,
            best: bound,
            bound,
            most_groups,
        }
    }

    #[test]
    fn a_picture_of_many_ks_is_no_larger_than_its_pixels_need() {
        let of = |step: usize| svg("t", "a", &(1_000..=5_000).step_by(step).map(even).collect::<Vec<_>>());
        let (few, all) = (of(10), of(1));
        assert!(few.contains("at most 2 groups") && few.contains("no release can be here"), "{few}");
        assert!(all.len() < 6 * few.len(), "{} against {}", all.len(), few.len());
        assert!(svg("t", "a", &[even(3_000)]).contains("class=\"curve best\""));
    }

    #[test]
    fn thinning_keeps_the_highest_and_the_lowest_of_a_column() {
        let spots: Vec<Spot> =
            (0..9_000).map(|i| (66.0 + f64::from(i) * 0.09, f64::from(i * 7 % 13))).collect();
        let kept = thinned(spots.clone());
        assert!(kept.len() < 2_000 && kept.iter().all(|spot| spots.contains(spot)));
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for column in kept.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
            let within = spots.iter().filter(|spot| spot.0.floor() == column[0].0.floor()).map(|spot| spot.1);
            assert_eq!(within.fold(0.0, f64::max), column.iter().map(|spot| spot.1).fold(0.0, f64::max));
        }
    }
}
