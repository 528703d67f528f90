//! The way to the (k − 1)-th nearest other person: no box with k people around somebody costs less.

use super::boxes::Space;
use crate::{Run, Stopped};
use kinfold_model::Prices;
use rayon::prelude::*;

pub(super) fn prices(space: &Space<'_>, run: &Run) -> Result<Prices, Stopped> {
    for_everybody(space, run, |record| way_to_company(space, record))
}

/// Prices that are found for everybody alone.
pub(super) fn for_everybody(
    space: &Space<'_>,
    run: &Run,
    price: impl Fn(u32) -> u64 + Sync,
) -> Result<Prices, Stopped> {
    let of_record = run.each(0..space.records(), |record| price(record) as i64)?;
    Ok(Prices { of_record, per_group: 0, cuts: Vec::new() })
}

/// Prices that are found for everybody alone, or none as soon as it is clear that they would not be there in
/// time. Everybody is asked in parts that are alike, so that the first tell how long all will take.
pub(super) fn in_time(
    space: &Space<'_>,
    run: &Run,
    price: impl Fn(u32) -> u64 + Sync,
) -> Result<Option<Prices>, Stopped> {
    let mut of_record = vec![0; space.records() as usize];
    for part in 0..PARTS {
        run.check()?;
        if run.time_used() > (f64::from(part) / f64::from(PARTS)).max(LATEST_START) {
            return Ok(None);
        }
        let records: Vec<u32> = (part..space.records()).step_by(PARTS as usize).collect();
        let priced: Vec<i64> = records.par_iter().map(|&record| price(record) as i64).collect();
        records.iter().zip(priced).for_each(|(&record, price)| of_record[record as usize] = price);
    }
    let prices = Prices { of_record, per_group: 0, cuts: Vec::new() };
    Ok((!run.out_of_time()).then_some(prices))
}

/// Parts of about as much work, and the share of the time that may be gone before it is judged by them.
const PARTS: u32 = 64;
const LATEST_START: f64 = 0.25;

/// How far somebody must reach to be among k people.
pub(crate) fn way_to_company(space: &Space<'_>, record: u32) -> u64 {
    let others = space.problem.k() - space.people[record as usize].min(space.problem.k());
    if others == 0 || space.people[record as usize] == 0 {
        return 0;
    }
    // The nearest so far, ascending, no more than are needed.
    let mut near: Vec<(u64, u64)> = Vec::new();
    space.within(record, u64::MAX, |other, apart| {
        let at = near.partition_point(|&(a, _)| a <= apart);
        near.insert(at, (apart, space.people[other as usize]));
        let mut people = 0;
        let enough = near.iter().position(|&(_, p)| {
            people += p;
            people >= others
        });
        match enough {
            Some(last) => {
                near.truncate(last + 1);
                near[last].0
            }
            None => u64::MAX,
        }
    });
    near.last().map_or(0, |&(apart, _)| apart)
}
