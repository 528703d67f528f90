//! From the linear program's mixture of groups to a grouping: take what it takes whole, decide the rest a
//! little at a time.
//!
//! With cuts, the mixture takes most groups wholly. These are fixed, with some of those that it takes mostly;
//! the program is solved anew for the people who are left, whose shares get clearer as their neighbours
//! settle. The grouping is within a fraction of a per cent of the bound where k is small. Nothing is proven
//! here.

use crate::bounds::boxes::Space;
use crate::bounds::cuts::{self, exceeded};
use crate::bounds::master::{Column, Demand, solve};
use crate::bounds::price::Members;
use crate::bounds::tariff::Tariff;
use crate::{Run, Stopped};
use kinfold_model::Cut;

/// Groups taken to this share are taken; those beyond half only until a round has settled its quota.
const WHOLE: f64 = 0.99;
const MOSTLY: f64 = 0.55;
/// The part of the groups to come that a round settles at least.
const QUOTA: usize = 16;
/// Groups in the linear program for every person who is left.
const WORKING: usize = 8;

/// A grouping of some of the people, and how many of every record are left.
struct Dive<'a> {
    columns: &'a [Column],
    /// Groups that still fit.
    open: Vec<u32>,
    people: Vec<u64>,
    taken: Vec<u32>,
}

/// A grouping made of these groups, the best that diving finds; who fits none of them joins where it costs
/// least.
pub(crate) fn dive(
    space: &Space<'_>,
    columns: &[Column],
    tariff: &Tariff,
    run: &Run,
) -> Result<Vec<Members>, Stopped> {
    let mut dive = Dive {
        columns,
        open: (0..columns.len() as u32).collect(),
        people: space.people.clone(),
        taken: Vec::new(),
    };
    let mut left = vec![0; space.people.len()];
    let mut tariff = tariff.clone();
    let mut cuts = tariff.prices.cuts.clone();
    while dive.drop_stranded(&mut left) {
        run.check()?;
        let working = dive.working(&tariff);
        let groups: Vec<&Column> = working.iter().map(|&c| &columns[c as usize]).collect();
        let total: u64 = dive.people.iter().sum();
        let demand = Demand { people: &dive.people, groups: total / space.problem.k(), cuts: &cuts };
        let answer = if run.out_of_time() { None } else { solve(space, &demand, &groups, None) };
        let Some(answer) = answer else {
            // Without a program the groups that cost least beyond their worth must do.
            working.iter().for_each(|&c| dive.take(c, u64::MAX));
            continue;
        };
        let shares: Vec<(u32, f64)> = working.iter().copied().zip(answer.shares).collect();
        let mixture = shares.iter().map(|&(c, share)| (&columns[c as usize], share));
        // Half of an even number loses nothing by rounding down, and one person makes no pair.
        let matters = |cut: &Cut| {
            let people: u64 = cut.records.iter().map(|&r| dive.people[r as usize]).sum();
            people % 2 == 1 && people > 1
        };
        cuts = answer.prices.cuts.iter().filter(|cut| matters(cut)).cloned().collect();
        cuts::add(&mut cuts, exceeded(mixture, &dive.people, dive.people.len()));
        dive.take_clear(shares, (total / space.problem.k()) as usize / QUOTA);
        tariff = Tariff::new(answer.prices);
    }
    let mut groups: Vec<Members> = dive.taken.iter().map(|&c| columns[c as usize].members.clone()).collect();
    for record in 0..space.records() {
        for _ in 0..left[record as usize] {
            join(space, &mut groups, record);
        }
    }
    Ok(groups)
}

impl Dive<'_> {
    /// Takes a group so many times, or as often as it fits.
    fn take(&mut self, column: u32, times: u64) {
        for _ in 0..times {
            if !self.columns[column as usize].take(&mut self.people) {
                break;
            }
            self.taken.push(column);
        }
    }

    /// Strikes groups that do not fit, and sets people aside who are in none that does; false if nobody
    /// remains.
    fn drop_stranded(&mut self, left: &mut [u64]) -> bool {
        loop {
            let open = std::mem::take(&mut self.open);
            self.open = open.into_iter().filter(|&c| self.columns[c as usize].fits(&self.people)).collect();
            let mut covered = vec![false; self.people.len()];
            for &c in &self.open {
                self.columns[c as usize].members.iter().for_each(|&(r, _)| covered[r as usize] = true);
            }
            let mut stranded = false;
            for (record, covered) in covered.into_iter().enumerate() {
                if self.people[record] > 0 && !covered {
                    left[record] += std::mem::take(&mut self.people[record]);
                    stranded = true;
                }
            }
            if !stranded {
                return self.people.iter().any(|&people| people > 0);
            }
        }
    }

    /// The groups that cost least beyond their worth, and for everybody some.
    fn working(&self, tariff: &Tariff) -> Vec<u32> {
        let slack = |c: u32| (tariff.slack(&self.columns[c as usize]), c);
        let mut by_slack: Vec<(i64, u32)> = self.open.iter().map(|&c| slack(c)).collect();
        by_slack.sort_unstable();
        let records = self.people.iter().filter(|&&people| people > 0).count();
        let mut uses = vec![0; self.people.len()];
        let mut working = Vec::new();
        for (at, &(_, c)) in by_slack.iter().enumerate() {
            let members = &self.columns[c as usize].members;
            if at < WORKING * records || members.iter().any(|&(r, _)| uses[r as usize] < 2) {
                members.iter().for_each(|&(r, _)| uses[r as usize] += 1);
                working.push(c);
            }
        }
        working
    }

    fn take_clear(&mut self, mut shares: Vec<(u32, f64)>, quota: usize) {
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let before = self.taken.len();
        for (column, share) in shares {
            let settled = self.taken.len() - before;
            if share >= WHOLE || settled <= quota / 4 || share >= MOSTLY && settled < quota {
                self.take(column, (share + 1.0 - WHOLE).floor().max(1.0) as u64);
            }
        }
    }
}

/// One more person joins the group where it costs least; groups that are full come last.
fn join(space: &Space<'_>, groups: &mut Vec<Members>, record: u32) {
    let most = 2 * space.problem.k() - 1;
    let rise = |members: &Members| {
        let people: u64 = members.iter().map(|&(_, copies)| copies).sum();
        let records = || members.iter().map(|&(r, _)| r);
        let after = space.box_cost(records().chain([record])) * (people + 1);
        (people == most, after - space.box_cost(records()) * people)
    };
    match groups.iter_mut().min_by_key(|members| rise(members)) {
        Some(members) => match members.iter_mut().find(|(r, _)| *r == record) {
            Some((_, copies)) => *copies += 1,
            None => members.push((record, 1)),
        },
        None => groups.push(vec![(record, 1)]),
    }
}
