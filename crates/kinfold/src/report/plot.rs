//! What a picture shows, in numbers.

use super::chart::{curves, map};
use super::{count, sized, span, thousands};
use crate::LabelSizes;
use kinfold_model::verify::{Places, Shape};
use kinfold_model::{Hint, Policy, Unit};
use serde::Serialize;

/// The largest group of labels for every k.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LabelPlot {
    /// Labels.
    pub labels: usize,
    /// People.
    pub people: u64,
    /// What they are called.
    pub unit: Unit,
    /// The seed of random orders.
    pub seed: u64,
    /// How many ks are drawn.
    pub values_of_k: usize,
    /// The lowest k.
    pub from: u64,
    /// The highest k.
    pub to: u64,
    /// The share of ks for which `labels` is within 1 % of the bound.
    pub label_best_within_one_percent: f64,
    /// The share of ks for which it meets the bound.
    pub label_best_at_bound: f64,
    /// Whether Spread is at most Fold for every k.
    pub spread_never_above_fold: bool,
    /// Where the picture was written, once it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// For every k.
    pub sizes: Vec<LabelSizes>,
    /// What else the user should know.
    #[serde(skip)]
    pub notes: Vec<Hint>,
}

impl LabelPlot {
    pub(crate) fn new(people: &[u64], unit: Unit, sizes: Vec<LabelSizes>, seed: u64) -> Self {
        let share = |holds: fn(&LabelSizes) -> bool| {
            sizes.iter().filter(|s| holds(s)).count() as f64 / sizes.len().max(1) as f64
        };
        let below = |s: &LabelSizes| {
            s.random_spread <= s.random_fold
                && s.sorted_spread <= s.sorted_fold
                && s.ascending_spread <= s.ascending_fold
        };
        Self {
            labels: people.len(),
            people: people.iter().sum(),
            unit,
            seed,
            values_of_k: sizes.len(),
            from: sizes.first().map_or(0, |s| s.k),
            to: sizes.last().map_or(0, |s| s.k),
            label_best_within_one_percent: share(|s| u128::from(s.best) * 100 <= u128::from(s.bound) * 101),
            label_best_at_bound: share(|s| s.best == s.bound),
            spread_never_above_fold: sizes.iter().all(below),
            output: None,
            sizes,
            notes: Vec::new(),
        }
    }

    /// "12 labels, 3,000 people".
    pub fn about(&self) -> String {
        format!("{}, {}", count(self.labels, "label", "labels"), sized(self.people, self.unit))
    }

    /// The picture, as SVG.
    pub fn chart(&self) -> String {
        let about = format!(
            "{}; {} from {} to {}",
            self.about(),
            count(self.values_of_k, "value of k", "values of k"),
            thousands(self.from),
            thousands(self.to)
        );
        curves::svg("Largest group of labels", &about, &self.sizes)
    }
}

/// A map of a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MapPlot {
    /// The least group size.
    pub k: u64,
    /// What k counts on the map.
    pub unit: Unit,
    /// Areas or rectangles on the map.
    pub places: usize,
    /// People in them.
    pub people: u64,
    /// People in the smallest.
    pub smallest: Option<u64>,
    /// People in the largest.
    pub largest: Option<u64>,
    /// People of whom no place is told.
    pub people_nowhere: u64,
    /// People who lie outside the picture.
    pub people_outside: u64,
    /// Where the picture was written, once it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What the picture shows, in a sentence.
    #[serde(skip)]
    pub about: String,
    /// The picture, as SVG.
    #[serde(skip)]
    pub chart: String,
    /// What else the user should know.
    #[serde(skip)]
    pub notes: Vec<Hint>,
}

impl MapPlot {
    pub(crate) fn new(
        policy: &Policy,
        places: &Places,
        points: &[(f64, f64)],
        outline: &[Vec<(f64, f64)>],
        notes: Vec<Hint>,
    ) -> Self {
        let k = policy.k;
        let unit = match policy.unit() {
            Unit::Rows if places.regions.is_none() => Unit::Points,
            unit => unit,
        };
        let on_map = || places.list.iter().filter(|p| p.shape != Shape::Anywhere).map(|p| p.people);
        let nowhere = places.list.iter().filter(|p| p.shape == Shape::Anywhere).map(|p| p.people).sum();
        let noun = match places.regions {
            Some(_) => ["area", "areas"],
            None => ["rectangle", "rectangles"],
        };
        let (smallest, largest) = (on_map().min(), on_map().max());
        let mut about = format!(
            "{} of {} {} (k = {})",
            count(on_map().count(), noun[0], noun[1]),
            span(smallest.unwrap_or(0), largest.unwrap_or(0)),
            unit.noun(largest.unwrap_or(0)),
            thousands(k)
        );
        if nowhere > 0 {
            about += &format!("; {} without a place", sized(nowhere, unit));
        }
        let (chart, people_outside) = match &places.regions {
            Some(regions) => (map::areas(&about, &places.list, unit, regions, outline), 0),
            None => map::rectangles(&about, &places.list, unit, points, outline),
        };
        Self {
            k,
            unit,
            places: on_map().count(),
            people: on_map().sum(),
            smallest,
            largest,
            people_nowhere: nowhere,
            people_outside,
            output: None,
            about,
            chart,
            notes,
        }
    }
}
