//! Table + policy → metric: what makes a distance of 1 in every quasi-identifier.

use super::{Axis, Clusters, EARTH, Metric, Scale, great_circle};
use crate::cost::{Cost, ONE, Objective, Rule, RuleKind};
use crate::encode::{Coding, QuasiColumns};
use crate::frame::{AxisFrame, Frame};
use crate::kind::value_of;
use crate::policy::{Mistake, Policy, Quasi, Role};
use crate::table::{Column, Table};
use crate::value::{Number, parse_number};

/// Nanoseconds in a day, which is the unit of dates.
const DAY: f64 = 86_400e9;
/// Values that are so many times further from zero than from each other are not compared as floats.
const FAR: f64 = 1e6;

/// One quasi-identifier: how it is coded, and what is said of it.
struct View<'a> {
    number: usize,
    column: &'a Column,
    coding: &'a Coding,
    rule: &'a Rule,
    quasi: &'a Quasi,
    /// What a frame says of the scale.
    known: Option<&'a AxisFrame>,
}

impl View<'_> {
    fn mistake(&self, what: &str) -> Mistake {
        Mistake::new(format!("column {:?}: {what}", self.column.name()), None)
    }

    /// The values of the codes that are present.
    fn numbers(&self) -> impl Iterator<Item = Option<Number>> {
        let present = self.rule.missing_code().unwrap_or(self.rule.values());
        let text = |code| self.coding.word(code).map_or("", |word| self.column.text(word));
        (0..present).map(move |code| value_of(&self.coding.kind, text(code)))
    }

    /// The same in the units of the kind.
    fn values(&self) -> Vec<f64> {
        let unit = if self.coding.kind.dates() { DAY } else { 1.0 };
        self.numbers().map(|number| number.map_or(0.0, |number| number.to_f64() / unit)).collect()
    }

    /// How far numbers are beyond a start, where floats do not tell well: they are near to each other and far
    /// from zero, as moments in nanoseconds are.
    fn beyond(&self, start: f64, values: &[f64]) -> Option<Vec<f64>> {
        let (&low, &high) = values.first().zip(values.last())?;
        let far = self.coding.kind.numeric() && low.abs().max(high.abs()) > (high - low) * FAR;
        let start = parse_number(&start.to_string()).filter(|_| far)?;
        self.numbers().map(|number| Some(number?.minus(start)?.to_f64())).collect()
    }

    /// How many rows have each code.
    fn rows_of_codes(&self, codes: &[u32]) -> Vec<f64> {
        let mut rows = vec![0.0; self.rule.values() as usize];
        codes.iter().for_each(|&code| rows[code as usize] += 1.0);
        rows
    }

    fn axis(&self, scale: Scale, codes: &[u32]) -> Axis {
        let (column, full) = (self.number, self.rule.full());
        match self.rule.kind() {
            RuleKind::Line { at, .. } => self.line(at, scale, codes),
            RuleKind::Set { .. } | RuleKind::Flat { .. } => Axis::Labels { column, apart: full },
            RuleKind::Tree { tree, cost } => Axis::Tree { column, tree: tree.clone(), height: cost.clone() },
        }
    }

    fn line(&self, ranged: &[u64], scale: Scale, codes: &[u32]) -> Axis {
        let (values, full) = (self.values(), self.rule.full());
        let (origin, known) = match self.known {
            Some(AxisFrame::Line { start, slope, apart }) => ((start.0, slope.0), Some(*apart)),
            _ => (self.origin(&values, ranged, scale, codes), None),
        };
        let at: Vec<i64> = match scale {
            Scale::Range => ranged.iter().map(|&place| place as i64).collect(),
            _ => {
                let beyond = self.beyond(origin.0, &values);
                let beyond = beyond.unwrap_or_else(|| values.iter().map(|v| v - origin.0).collect());
                beyond.iter().map(|v| (v * origin.1).round() as i64).collect()
            }
        };
        let width = at.first().zip(at.last()).map_or(0, |(low, high)| high.abs_diff(*low));
        // Other rows than those of the frame may lie further apart; half of that keeps the triangle
        // inequality.
        let apart = known.map_or(width.max(full), |apart| apart.max(width.div_ceil(2)));
        let mean = self.coding.kind.numeric();
        Axis::Line { column: self.number, at, apart, mean, origin }
    }

    /// The value at place 0, and units per 1.
    fn origin(&self, values: &[f64], ranged: &[u64], scale: Scale, codes: &[u32]) -> (f64, f64) {
        let low = values.first().copied().unwrap_or(0.0);
        let beyond = self.beyond(low, values);
        let values = beyond.as_deref().unwrap_or(values);
        if scale == Scale::Range {
            let first = ranged.first().copied().unwrap_or(0);
            let wide = ranged.last().map_or(0, |high| high - first) as f64;
            let width = values.first().zip(values.last()).map_or(0.0, |(low, high)| high - low);
            let slope = wide / width.max(f64::MIN_POSITIVE);
            return (if slope > 0.0 { low - first as f64 / slope } else { low }, slope);
        }
        let unit = match scale {
            Scale::Sd => deviation(values, &self.rows_of_codes(codes)),
            _ => self.quasi.unit.unwrap_or(1.0),
        };
        // A column in which all are alike adds nothing, whatever its unit.
        (low, if unit > 0.0 { self.rule.full() as f64 / unit } else { 0.0 })
    }

    /// Degrees of a coordinate, if all are known and on the globe.
    fn degrees(&self, most: f64) -> Result<Vec<f64>, Mistake> {
        let values = self.values();
        if !self.coding.kind.numeric() || self.rule.missing_code().is_some() {
            return Err(self.mistake("a coordinate of a point is a number, and none is missing"));
        }
        if values.iter().any(|v| v.abs() > most) {
            return Err(self
                .mistake("a coordinate of a point is beyond the globe")
                .hint("name latitude first, in degrees from -90 to 90, then longitude, from -180 to 180"));
        }
        Ok(values)
    }
}

/// The standard deviation of these values, each in so many rows; missing values stand beyond the end and do
/// not count.
fn deviation(values: &[f64], rows: &[f64]) -> f64 {
    let count: f64 = rows.iter().take(values.len()).sum();
    let mean = values.iter().zip(rows).map(|(v, n)| v * (n / count.max(1.0))).sum::<f64>();
    // Of the largest difference: the squares of large numbers are beyond floats.
    let most = values.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
    if most == 0.0 {
        return 0.0;
    }
    let squares: f64 = values.iter().zip(rows).map(|(v, n)| n * ((v - mean) / most).powi(2)).sum();
    (squares / count.max(1.0)).sqrt() * most
}

/// The metric that the policy asks for.
pub(crate) fn measure(
    table: &Table,
    policy: &Policy,
    quasi: &QuasiColumns,
    frame: Option<&Frame>,
) -> Result<Clusters, Vec<Mistake>> {
    let QuasiColumns { codings, rules, columns, .. } = quasi;
    let sse = policy.objective == Objective::Sse;
    let scale = Scale::of(policy);
    let views: Vec<View<'_>> = (0..codings.len())
        .filter_map(|number| {
            let column = &table.columns()[codings[number].column];
            let Some(Role::Quasi(quasi)) = policy.role(column.name()) else { return None };
            let known = frame.and_then(|frame| frame.column(column.name())?.axis.as_ref());
            Some(View { number, column, coding: &codings[number], rule: &rules[number], quasi, known })
        })
        .collect();
    let mut mistakes = Vec::new();
    if sse {
        for view in &views {
            if !matches!(view.rule.kind(), RuleKind::Line { missing: false, .. }) {
                let what = match view.rule.kind() {
                    RuleKind::Line { .. } => "objective sse takes no missing values",
                    _ => "objective sse takes numbers, dates and ordered levels only",
                };
                mistakes
                    .push(view.mistake(what).hint("correct the column, drop it, or use objective cellular"));
            }
        }
    }
    let mut axes = Vec::new();
    for view in &views {
        let name = view.column.name();
        let pair = policy.metric.points.iter().find(|pair| pair.iter().any(|n| n == name));
        let known = match (view.known, view.rule.kind()) {
            (Some(AxisFrame::Line { .. }), RuleKind::Line { .. }) => pair.is_none(),
            (Some(AxisFrame::Point { .. }), _) => pair.is_some_and(|pair| pair[0] == name),
            (None, RuleKind::Line { .. }) => pair.is_some_and(|pair| pair[0] != name),
            (known, _) => known.is_none(),
        };
        if frame.is_some() && !known {
            mistakes.push(view.mistake("the frame has no scale for distances"));
            continue;
        }
        let Some(pair) = pair else {
            axes.push(view.axis(scale, &columns[view.number]));
            continue;
        };
        let other = views.iter().find(|v| v.column.name() == pair[1]).filter(|_| pair[0] == name);
        // The pair is met at its latitude.
        let Some(longitude) = other else { continue };
        match (view.degrees(90.0), longitude.degrees(180.0)) {
            (Ok(latitudes), Ok(longitudes)) => {
                axes.push(point(view, longitude, [latitudes, longitudes], scale, columns))
            }
            (latitude, longitude) => mistakes.extend([latitude.err(), longitude.err()].into_iter().flatten()),
        }
    }
    if sse && !policy.metric.points.is_empty() {
        let mistake = Mistake::new("objective sse does not take points", None);
        mistakes.push(mistake.hint("use objective cellular"));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    Ok(Clusters {
        metric: Metric { axes, combine: policy.metric.combine.unwrap_or_default() },
        middles: policy.metric.middles,
        setup: Cost((policy.metric.setup.unwrap_or(0.0) * ONE as f64).round() as u64),
        max_groups: policy.max_groups,
    })
}

/// A point of two columns; its unit is the way between the corners, the standard deviation from the middle,
/// or kilometres.
fn point(
    latitude: &View<'_>,
    longitude: &View<'_>,
    degrees: [Vec<f64>; 2],
    scale: Scale,
    columns: &[Vec<u32>],
) -> Axis {
    let ends = |v: &[f64]| (v.first().copied().unwrap_or(0.0), v.last().copied().unwrap_or(0.0));
    let ((south, north), (west, east)) = (ends(&degrees[0]), ends(&degrees[1]));
    let full = latitude.rule.full() as f64;
    let unit = match scale {
        Scale::Range => great_circle((south, west), (north, east)),
        Scale::Sd => {
            let middle = ((south + north) / 2.0).to_radians().cos();
            let [up, round] = [latitude, longitude]
                .map(|v| deviation(&v.values(), &v.rows_of_codes(&columns[v.number])).to_radians());
            (up * up + (round * middle).powi(2)).sqrt()
        }
        Scale::Given => latitude.quasi.unit.unwrap_or(1.0) / EARTH,
    };
    let radian = match latitude.known {
        Some(AxisFrame::Point { radian }) => radian.0,
        _ if unit > 0.0 => full / unit,
        _ => 0.0,
    };
    Axis::Point { columns: [latitude.number, longitude.number], degrees, radian }
}
