//! Truth of releases of centres: is every row within the told radius of the told centre?

use super::Published;
use crate::cost::{ONE, Objective};
use crate::encode::Encoded;
use crate::kind::{Kind, value_of};
use crate::metric::{Axis, Metric};
use crate::policy::{GROUP_COLUMNS, Policy};
use crate::table::{Table, distinct_rows};
use crate::value::Number;
use std::collections::{BTreeMap, BTreeSet};

/// What is published of groups, as balls in the space of the records.
pub(super) struct Balls<'a> {
    metric: &'a Metric,
    /// For every look its centre and radius in units, if they can be read.
    balls: Vec<Option<(Vec<i64>, f64)>>,
    places: Vec<Vec<i64>>,
}

/// A mean is rounded: what is so near to the edge of its ball counts as within.
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
        let known: Vec<Known> = (0..encoded.codings.len())
            .map(|number| Known::new(original, encoded, number, problem.rules()[number].missing_code()))
            .collect();
        let records: BTreeSet<&[u32]> = (0..problem.records() as u32).map(|r| problem.codes(r)).collect();
        let place = |codes: &[u32]| {
            let mut place = Vec::new();
            metric.place(codes, &mut place);
            place
        };
        let ball = |&row: &u32| {
            let texts = columns.iter().map(|c| c.text(c.codes()[row as usize]));
            let codes: Option<Vec<u32>> =
                texts.clone().zip(&known).map(|(text, known)| known.words.get(text).copied()).collect();
            let record = codes.filter(|codes| records.contains(codes.as_slice())).map(|codes| place(&codes));
            let middles = policy.objective == Objective::Sse || policy.metric.middles;
            let centre = record.or_else(|| {
                let cells = texts.zip(&encoded.codings).zip(&known).zip(&metric.axes);
                let read =
                    cells.map(|(((text, coding), known), axis)| known.middle(axis, &coding.kind, text));
                if middles { read.collect() } else { None }
            });
            let column = radius?;
            let told: f64 = column.text(column.codes()[row as usize]).trim_ascii().parse().ok()?;
            // A ball without end holds everything: that says nothing.
            let told = Some(told).filter(|told| told.is_finite())?;
            Some((centre?, (told * (1.0 + NEAR) + NEAR) * ONE as f64))
        };
        let balls = looks.first.iter().map(ball).collect();
        let places = (0..problem.records() as u32).map(|record| place(problem.codes(record))).collect();
        (Self { metric, balls, places }, looks.of_row)
    }

    pub(super) fn records(&self) -> usize {
        self.places.len()
    }

    pub(super) fn looks(&self) -> usize {
        self.balls.len()
    }

    pub(super) fn holds(&self, ball: u32, record: u32) -> bool {
        self.balls[ball as usize].as_ref().is_some_and(|(centre, radius)| {
            self.metric.between(centre, &self.places[record as usize]) as f64 <= *radius
        })
    }
}

/// What the original says of one quasi-identifier.
struct Known<'a> {
    /// The code of every text that the column has: a value may have several spellings.
    words: BTreeMap<&'a str, u32>,
    /// The values of a column of numbers, by code.
    values: Vec<Number>,
}

impl<'a> Known<'a> {
    fn new(original: &'a Table, encoded: &Encoded, number: usize, missing: Option<u32>) -> Self {
        let (problem, coding) = (&encoded.problem, &encoded.codings[number]);
        let column = &original.columns()[coding.column];
        let mut code_of = vec![None; column.distinct()];
        for (row, &entry) in (0..).zip(column.codes()) {
            code_of[entry as usize] = Some(problem.codes(problem.record_of(row))[number]);
        }
        let entries = (0..).zip(code_of).filter_map(|(entry, code)| Some((entry, code?)));
        let mut values = BTreeMap::new();
        let mut words = BTreeMap::new();
        for (entry, code) in entries {
            words.insert(column.text(entry), code);
            if let Some(value) = value_of(&coding.kind, column.text(entry)).filter(|_| Some(code) != missing)
            {
                values.insert(code, value);
            }
        }
        let values = if coding.kind.numeric() { values.into_values().collect() } else { Vec::new() };
        Self { words, values }
    }

    /// Where a mean, a median or the most frequent value stands.
    fn middle(&self, axis: &Axis, kind: &Kind, text: &str) -> Option<i64> {
        match (kind, axis) {
            (kind, Axis::Line { at, origin: (_, slope), .. }) if kind.numeric() => {
                // From the value below it on: that is exact, however far from zero both are.
                let value = value_of(kind, text)?;
                let below = self.values.partition_point(|&other| other <= value).saturating_sub(1);
                let from = *self.values.get(below)?;
                let beyond = value.minus(from).map_or(value.to_f64() - from.to_f64(), Number::to_f64);
                Some(at.get(below)?.saturating_add((beyond * slope).round() as i64))
            }
            (_, Axis::Line { at, .. }) => at.get(*self.words.get(text)? as usize).copied(),
            (_, Axis::Labels { .. } | Axis::Tree { .. }) => self.words.get(text).map(|&code| i64::from(code)),
            _ => None,
        }
    }
}
