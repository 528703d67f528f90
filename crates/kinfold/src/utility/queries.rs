//! "How many people are 30 to 40 and live here?" Random questions of two columns, answered by the original and
//! by the release.

use super::Groups;
use super::association::Pair;
use crate::parts::random::Random;
use crate::report::QueryUtility;
use kinfold_model::verify::{Spread, SpreadColumn};

/// How many are asked.
const QUERIES: usize = 1_000;
/// Errors are relative to the answer, but to no fewer people than this share of all.
const FLOOR: f64 = 0.001;

pub(super) fn ask(spread: &Spread, groups: &Groups, pairs: &[Pair], seed: u64) -> QueryUtility {
    let mut random = Random::new(seed ^ 0x7175_6572_6965_7321);
    let all = spread.original_people.iter().sum::<u64>() as f64;
    let (mut with, mut without) = (Vec::with_capacity(QUERIES), Vec::with_capacity(QUERIES));
    for _ in 0..QUERIES {
        let (truth, spread_answer, overlap) = match pairs {
            [] => one_column(spread, groups, &mut random),
            _ => two_columns(spread, &pairs[random.below(pairs.len())], &mut random),
        };
        let error = |answer: f64| (answer - truth).abs() / truth.max(FLOOR * all).max(1.0);
        with.push(error(spread_answer));
        without.push(error(overlap));
    }
    QueryUtility {
        queries: QUERIES,
        median_error: quantile(&mut with, 0.5),
        high_error: quantile(&mut with, 0.9),
        median_error_without_spreading: quantile(&mut without, 0.5),
        high_error_without_spreading: quantile(&mut without, 0.9),
    }
}

/// Which bins a question asks for: a run of a tenth to half of them where they have an order, else each with
/// chance one third.
fn wanted(column: &SpreadColumn, random: &mut Random) -> Vec<bool> {
    let bins = column.bins - 1;
    let mut wanted = vec![false; column.bins];
    if column.ordered {
        let length = (bins / 10).max(1) + random.below((bins * 2 / 5).max(1));
        let from = random.below(bins.saturating_sub(length) + 1);
        wanted[from..bins.min(from + length)].fill(true);
    } else {
        wanted[..bins].iter_mut().for_each(|bin| *bin = random.below(3) == 0);
        wanted[random.below(bins.max(1))] = true;
    }
    wanted
}

/// For every look whether it reaches into the wanted bins.
fn reaches(column: &SpreadColumn, wanted: &[bool]) -> Vec<bool> {
    column.shares.iter().map(|shares| shares.iter().any(|&(bin, _)| wanted[bin as usize])).collect()
}

/// The true answer, that by uniform spreading, and that by counting every row whose cells reach into the range.
fn two_columns(spread: &Spread, pair: &Pair, random: &mut Random) -> (f64, f64, f64) {
    let columns = pair.columns.map(|c| &spread.columns[c]);
    let wanted = columns.map(|column| wanted(column, random));
    let width = columns[1].bins;
    let counted = |joint: &[f64]| -> f64 {
        let rows = joint.chunks_exact(width).zip(&wanted[0]).filter(|(_, wanted)| **wanted);
        rows.flat_map(|(row, _)| row.iter().zip(&wanted[1]).filter(|(_, wanted)| **wanted))
            .map(|(people, _)| people)
            .sum()
    };
    let reach = [reaches(columns[0], &wanted[0]), reaches(columns[1], &wanted[1])];
    let overlap = pair.looks.iter().filter(|([a, b], _)| reach[0][*a as usize] && reach[1][*b as usize]);
    (counted(&pair.before), counted(&pair.after), overlap.map(|(_, people)| people).sum())
}

fn one_column(spread: &Spread, groups: &Groups, random: &mut Random) -> (f64, f64, f64) {
    let Some(column) = spread.columns.first() else { return (0.0, 0.0, 0.0) };
    let wanted = wanted(column, random);
    let rows = column.original.iter().zip(&spread.original_people);
    let truth = rows.filter(|(bin, _)| wanted[**bin as usize]).map(|(_, &people)| people as f64).sum();
    let inside: Vec<f64> = column
        .shares
        .iter()
        .map(|shares| shares.iter().filter(|(bin, _)| wanted[*bin as usize]).map(|(_, share)| share).sum())
        .collect();
    let looks = || groups.looks[0].iter().map(|&look| inside[look as usize]).zip(&groups.people);
    let spread_answer = looks().map(|(share, people)| share * people).sum();
    (truth, spread_answer, looks().filter(|(share, _)| *share > 0.0).map(|(_, people)| people).sum())
}

fn quantile(errors: &mut [f64], share: f64) -> f64 {
    errors.sort_by(f64::total_cmp);
    errors.get(((errors.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or(0.0)
}
