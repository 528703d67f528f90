//! Truth of releases of centres: is every row within the told radius of the told centre?

use super::Published;
use crate::cost::{ONE, Objective};
use crate::encode::Encoded;
use crate::kind::{Kind, value_of};
use crate::metric::{Axis, Metric};
use crate::policy::{GROUP_COLUMNS, Policy};
use crate::table::{Table, distinct_rows};
use std::collections::{BTreeMap, BTreeSet};

/// What is published of groups, as balls in the space of the records.
pub(super) struct Balls<'a> {
    metric: &'a Metric,
    /// For every look its centre and radius in units, if they can be read.
    balls: Vec<Option<(Vec<i64>, f64)>>,
    places: Vec<Vec<i64>>,
}

/// A mean is published with twelve digits: what is so near to the edge of its ball counts as within.
const NEAR: f64 = 1e-6;

impl<'a> Balls<'a> {
    /// The balls that the rows of a release tell of, and for every row the number of its ball.
    pub(super) fn read(
        published: &Published,
        original: &Table,
        policy: &Policy,
        encoded: &'a Encoded,
    ) -> (Self, Vec<u32>) {
        let (problem, table) = (&encoded.problem, &published.table);
        let metric = &problem.clusters().metric;
        let names: Vec<&str> = encoded.codings.iter().map(|c| original.columns()[c.column].name()).collect();
        let columns: Vec<_> = names.iter().filter_map(|name| table.column(name)).collect();
        let radius = table.column(GROUP_COLUMNS[1]);
        let codes: Vec<&[u32]> = columns.iter().copied().chain(radius).map(|c| c.codes()).collect();
        let looks = distinct_rows(&codes, table.rows());
        let words: Vec<BTreeMap<&str, u32>> = (encoded.codings.iter().zip(problem.rules()))
            .map(|(coding, rule)| {
                let text = |code| Some((original.columns()[coding.column].text(coding.word(code)?), code));
                (0..rule.values()).rev().filter_map(text).collect()
            })
            .collect();
        let records: BTreeSet<&[u32]> = (0..problem.records() as u32).map(|r| problem.codes(r)).collect();
        let ball = |&row: &u32| {
            let texts = columns.iter().map(|c| c.text(c.codes()[row as usize]));
            let codes: Option<Vec<u32>> =
                texts.clone().zip(&words).map(|(text, words)| words.get(text).copied()).collect();
            let record = codes.filter(|codes| records.contains(codes.as_slice())).map(|codes| {
                let mut place = Vec::new();
                metric.place(&codes, &mut place);
                place
            });
            let middles = policy.objective == Objective::Sse || policy.metric.middles;
            let centre = record.or_else(|| {
                let cells = texts.zip(&encoded.codings).zip(&words).zip(&metric.axes);
                let read =
                    cells.map(|(((text, coding), words), axis)| middle(axis, &coding.kind, text, words));
                if middles { read.collect() } else { None }
            });
            let column = radius?;
            let told: f64 = column.text(column.codes()[row as usize]).trim_ascii().parse().ok()?;
            // A ball without end holds everything: that says nothing.
            let told = Some(told).filter(|told| told.is_finite())?;
            Some((centre?, (told * (1.0 + NEAR) + NEAR) * ONE as f64))
        };
        let balls = looks.first.iter().map(ball).collect();
        let places = (0..problem.records() as u32)
            .map(|record| {
                let mut place = Vec::new();
                metric.place(problem.codes(record), &mut place);
                place
            })
            .collect();
        (Self { metric, balls, places }, looks.of_row)
    }

    /// How many records there are.
    pub(super) fn records(&self) -> usize {
        self.places.len()
    }

    /// How many balls there are.
    pub(super) fn looks(&self) -> usize {
        self.balls.len()
    }

    /// Whether a record is within a ball.
    pub(super) fn holds(&self, ball: u32, record: u32) -> bool {
        self.balls[ball as usize].as_ref().is_some_and(|(centre, radius)| {
            self.metric.between(centre, &self.places[record as usize]) as f64 <= *radius
        })
    }
}

/// Where a mean, a median or the most frequent value stands.
fn middle(axis: &Axis, kind: &Kind, text: &str, words: &BTreeMap<&str, u32>) -> Option<i64> {
    match (kind, axis) {
        (kind, _) if kind.numeric() => axis.place_of(value_of(kind, text)?.to_f64()),
        (_, Axis::Line { at, .. }) => at.get(*words.get(text)? as usize).copied(),
        (_, Axis::Labels { .. } | Axis::Tree { .. }) => words.get(text).map(|&code| i64::from(code)),
        _ => None,
    }
}
