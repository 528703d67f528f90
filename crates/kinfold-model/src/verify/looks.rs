//! The cells of one quasi-identifier as a stranger reads them, each distinct look once.

use super::Published;
use super::cover::{Reader, Said};
use crate::kind::Kind;
use crate::policy::{Form, Policy};
use crate::table::{Column, distinct_rows};

/// What the rows of a release say of a quasi-identifier.
pub(super) struct SaidLooks {
    /// For every published row the number of its look.
    pub(super) looks: Vec<u32>,
    /// What every look says.
    pub(super) said: Vec<Said>,
}

impl SaidLooks {
    /// Of the quasi-identifier of this name and kind, which these one or two columns publish.
    pub(super) fn read(
        name: &str,
        kind: &Kind,
        parts: &[&Column],
        published: &Published,
        policy: &Policy,
    ) -> Self {
        let reader = Reader::new(kind, &policy.format, &policy.missing);
        let point = policy.point_of(name).filter(|_| policy.form == Form::Wkt);
        let coordinate = point.and_then(|pair| pair.iter().position(|n| n == name));
        let codes: Vec<&[u32]> = parts.iter().map(|part| part.codes()).collect();
        let looks = distinct_rows(&codes, published.table.rows());
        let said = |&row: &u32| {
            let cell = |part: &Column| {
                let code = part.codes()[row as usize];
                (part.text(code).to_owned(), part.is_null(code))
            };
            match parts {
                [low, high] => {
                    let (low, high) = (cell(low), cell(high));
                    reader.bounds((&low.0, low.1), (&high.0, high.1))
                }
                [only] => {
                    let (text, null) = cell(only);
                    let nodes = matches!(kind, Kind::Hierarchy(_));
                    let known = published.lookup.get(&(name.to_owned(), text.clone())).filter(|_| !nodes);
                    let text = known.cloned().unwrap_or(text);
                    match coordinate {
                        Some(coordinate) => reader.wkt(&text, coordinate),
                        None if policy.form == Form::Stars => reader.told(&text, null, true),
                        None => reader.cell(&text, null),
                    }
                }
                _ => Said::Either(Vec::new()),
            }
        };
        Self { said: looks.first.iter().map(said).collect(), looks: looks.of_row }
    }
}
