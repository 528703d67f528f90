//! What a policy says of clusters: the metric, how many groups, one line per group; and what is wrong with
//! it.

use super::keys::METRIC;
use super::mistake::one_of;
use super::toml::named;
use super::{Draft, Form, GROUP_COLUMNS, MOST_SETUP, Place, Role};
use crate::cost::Objective;
use crate::metric::{Combine, Scale};
use toml::de::DeTable;

impl Draft {
    pub(super) fn said(&mut self, word: &'static str, place: Option<Place>) {
        self.cluster_words.push((word, place));
    }

    pub(super) fn read_metric(&mut self, table: &DeTable<'_>) {
        for (key, value) in self.shaped(table, METRIC, &[], "[metric]") {
            let (word, place) = (value.text(), value.place);
            let what = match key {
                "scale" => {
                    self.metric.scale = named(Scale::ALL, Scale::word, &word);
                    "a scale"
                }
                "combine" => {
                    self.metric.combine = named(Combine::ALL, Combine::word, &word);
                    "a metric"
                }
                "points" => {
                    value.texts.iter().for_each(|pair| self.point(pair, place));
                    "a point"
                }
                "centre" => {
                    self.metric.middles = word == "middle";
                    "a kind of centre"
                }
                _ => {
                    self.metric.setup = value.number().filter(|cost| (0.0..=MOST_SETUP).contains(cost));
                    if self.metric.setup.is_none() {
                        let what = format!("a set-up cost of {word} is out of range");
                        self.wrong(what, place, "write a number from 0 to 1000000000");
                    }
                    "a set-up cost"
                }
            };
            self.said(what, place);
        }
    }

    /// Two columns that are latitude and longitude: `LATITUDE/LONGITUDE`.
    fn point(&mut self, pair: &str, place: Option<Place>) {
        match pair.split_once('/') {
            Some((latitude, longitude)) => {
                self.metric.points.push([latitude.trim().to_owned(), longitude.trim().to_owned()]);
            }
            None => {
                let hint = "write LATITUDE/LONGITUDE, such as lat/lon";
                self.wrong(format!("{pair:?} is not a pair of columns"), place, hint);
            }
        }
    }

    /// The unit, or none in place of one that makes no sense.
    pub(super) fn unit(&mut self, name: &str, unit: f64, place: Option<Place>) -> Option<f64> {
        self.said("a unit", place);
        if (1e-12..=1e12).contains(&unit) {
            return Some(unit);
        }
        self.wrong_in(name, format!("unit {unit} is out of range"), place, "write a number above 0");
        None
    }

    /// What was said of clusters must go with the objective, and with itself.
    pub(super) fn check_clusters(&mut self, objective: Objective) {
        if let Some(place) = self.columns.iter().find(|c| c.role == Role::Setup).map(|c| c.place) {
            if self.metric.middles {
                let what = "set-up costs by row cannot be combined with centre middle, which is not a row";
                self.wrong(what, place, "leave the kind of centre out");
            }
            self.said("a set-up cost", place);
        }
        let clusters: Vec<&str> = Objective::ALL.iter().filter(|o| o.clusters()).map(|o| o.word()).collect();
        for (word, place) in std::mem::take(&mut self.cluster_words) {
            let wanted = match word {
                "a number of groups" => &["radius"][..],
                "a set-up cost" => &["cellular"],
                "a kind of centre" => &["radius", "cellular"],
                _ => &clusters,
            };
            if !wanted.contains(&objective.word()) {
                let what = format!("{word} does not go with objective {}", objective.word());
                self.wrong(what, place, one_of(wanted));
            } else if word == "a unit" && self.metric.scale.is_some_and(|s| s != Scale::Given) {
                self.wrong("a unit goes with scale given only", place, "use scale given, or remove the unit");
            }
        }
        if !objective.clusters() {
            return;
        }
        if let Some(count) = self.columns.iter().find(|c| c.role == Role::Count) {
            let what =
                format!("column {:?}: objective {} counts rows, not people", count.name, objective.word());
            self.wrong(what, count.place, "give the column another role, or use objective ncp");
        }
        let mut used: Vec<String> = Vec::new();
        for name in self.metric.points.clone().into_iter().flatten() {
            let quasi = self.columns.iter().any(|c| c.name == name && matches!(c.role, Role::Quasi(_)));
            if !quasi || used.contains(&name) {
                let why = if quasi { "is part of two points" } else { "is not a quasi-identifier" };
                let hint = "a point is two quasi-identifiers, such as lat/lon";
                self.wrong(format!("column {name:?} of a point {why}"), None, hint);
            }
            used.push(name);
        }
    }

    /// A release of centres has columns of its own, whose names must be free.
    pub(super) fn check_group_columns(&mut self, names: &[String]) {
        let centres = match self.form {
            Some(form) => form == Form::Centres,
            None => self.objective.is_some_and(Objective::clusters),
        };
        for name in GROUP_COLUMNS.iter().filter(|_| centres) {
            let taken = self.columns.iter().find(|c| c.name == *name && c.role.published());
            if let Some(column) = taken.filter(|_| names.iter().any(|n| n == name)) {
                let what = format!("a release of centres has a column {name:?} of its own, as the table has");
                self.wrong(what, column.place, "rename or drop the table's column");
            }
        }
    }
}
