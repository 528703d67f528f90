//! Groups that fall short of a requirement are merged with the cheapest partner until all fulfil everything.
//!
//! Requirements are closed under union, and a problem's table as one group fulfils them: so merging ends, at
//! one group if need be. Presence is not always closed under union, so it is asked again after every merger; and
//! groups that are published alike must fulfil it together.

use super::digest::{Digests, EVERYTHING, Layout, Work};
use super::growing::Growing;
use super::near::Near;
use super::numbering::{groups_of, number};
use kinfold_model::classes::numbered;
use kinfold_model::judge::{Found, WITHHELD};
use kinfold_model::members::Members;
use kinfold_model::problem::Problem;
use kinfold_model::recoding::Recoding;
use kinfold_model::requirement::{Guard, Hull, Presence, Tally};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Up to so many pairs of groups are compared; beyond that only groups that lie near each other in the tree.
const PAIRS: usize = 2_000_000;
/// How many groups on either side are near.
const WINDOW: usize = 24;
/// Of so many cheap partners, one that helps at once is taken before a cheaper one that does not.
const TRIED: usize = 8;

/// A group that can be merged.
struct Part<const L: usize, const W: usize> {
    people: u64,
    covers: Growing<L, W>,
    tally: Tally,
    /// What it is published as, where presence is asked for.
    hull: Option<Hull>,
    /// The parts before and after it in the order of the tree.
    before: u32,
    after: u32,
}

const NONE: u32 = u32::MAX;

impl<const L: usize, const W: usize> Part<L, W> {
    fn cost(&self) -> i64 {
        self.people as i64 * i64::from(self.covers.cells)
    }
}

/// Merges groups of rows until all fulfil everything, or only one is left. Rows that are withheld stay so.
/// Presence is left out unless it is given.
pub(crate) fn merge_short<const L: usize, const W: usize>(
    problem: &Problem,
    guard: &Guard,
    presence: Option<&Presence>,
    near: &Near<L, W>,
    group_of: &mut [u32],
) {
    let parts = parts_of(problem, guard, presence, near, group_of);
    // The part that each one went into.
    let into: Vec<u32> = (0..parts.len() as u32).collect();
    let mut merging = Merging { problem, guard, presence, digests: &near.digests, parts, into };
    let all: Vec<u32> = merging.into.clone();
    let short = all.into_par_iter().filter(|&part| !merging.fulfils(&merging.parts[part as usize]));
    let mut short: Vec<u32> = short.collect();
    if short.is_empty() && merging.alike().is_empty() {
        return;
    }
    let window = if short.len() * merging.parts.len() <= PAIRS { usize::MAX } else { WINDOW };
    let needs = needs(problem, guard, group_of, merging.parts.len());
    // Those that need the largest groups first: what they take in helps others, too.
    short.sort_by_key(|&p| (std::cmp::Reverse(needs[p as usize]), merging.parts[p as usize].people, p));
    merging.complete(&short, window);
    loop {
        let alike = merging.alike();
        if alike.is_empty() {
            break;
        }
        for group in &alike {
            group[1..].iter().for_each(|&other| merging.merge(group[0], other));
        }
        merging.complete(&alike.iter().map(|group| group[0]).collect::<Vec<u32>>(), window);
    }
    let into = merging.into;
    for group in group_of.iter_mut().filter(|group| **group != WITHHELD) {
        while into[*group as usize] != *group {
            *group = into[*group as usize];
        }
    }
    number(group_of);
}

/// Groups on their way together.
struct Merging<'a, const L: usize, const W: usize> {
    problem: &'a Problem,
    guard: &'a Guard,
    presence: Option<&'a Presence>,
    digests: &'a Digests<L, W>,
    parts: Vec<Part<L, W>>,
    into: Vec<u32>,
}

impl<const L: usize, const W: usize> Merging<'_, L, W> {
    fn fulfils(&self, part: &Part<L, W>) -> bool {
        let requirements = self.guard.requirements();
        part.people >= self.problem.k()
            && part.tally.fulfils(requirements)
            && self.is_hidden(part.tally.persons(requirements), part.hull.as_ref())
    }

    /// Whether so many persons are few enough of the population.
    fn is_hidden(&self, persons: u64, hull: Option<&Hull>) -> bool {
        match (self.presence, hull) {
            (Some(presence), Some(hull)) => presence.fulfilled(persons, hull),
            _ => true,
        }
    }

    /// Merges each of these parts with others until it fulfils everything.
    fn complete(&mut self, short: &[u32], window: usize) {
        for &part in short {
            while self.into[part as usize] == part && !self.fulfils(&self.parts[part as usize]) {
                let Some(partner) = self.partner(part, window) else { break };
                self.merge(part, partner);
            }
        }
    }

    fn merge(&mut self, part: u32, partner: u32) {
        let Part { before, after, .. } = self.parts[partner as usize];
        if before != NONE {
            self.parts[before as usize].after = after;
        }
        if after != NONE {
            self.parts[after as usize].before = before;
        }
        self.into[partner as usize] = part;
        if let Ok([mine, other]) = self.parts.get_disjoint_mut([part as usize, partner as usize]) {
            mine.people += other.people;
            mine.covers.absorb(self.digests, &other.covers);
            mine.tally.absorb(self.guard.requirements(), &other.tally);
            if let (Some(mine), Some(other)) = (&mut mine.hull, &other.hull) {
                mine.absorb(other);
            }
        }
    }

    /// The partners of a part, so many on either side, and what it costs more with each.
    fn partners(&self, part: u32, window: usize) -> impl Iterator<Item = (i64, u32)> {
        let (parts, own) = (&self.parts, &self.parts[part as usize]);
        let step = move |next: fn(&Part<L, W>) -> u32| {
            let go = move |&at: &u32| Some(next(&parts[at as usize])).filter(|&at| at != NONE);
            std::iter::successors(go(&part), go).take(window)
        };
        let rise = move |other: &Part<L, W>| {
            let cells = i64::from(own.covers.cells_with(self.digests, &other.covers));
            (own.people + other.people) as i64 * cells - own.cost() - other.cost()
        };
        step(|p| p.before).chain(step(|p| p.after)).map(move |p| (rise(&parts[p as usize]), p))
    }

    /// The cheapest partner. Where presence is asked for, one of the cheapest few with which it is fulfilled.
    fn partner(&self, part: u32, window: usize) -> Option<u32> {
        if self.presence.is_none() {
            return self.partners(part, window).min().map(|(_, partner)| partner);
        }
        let mut partners: Vec<(i64, u32)> = self.partners(part, window).collect();
        if partners.len() > TRIED {
            partners.select_nth_unstable(TRIED);
            partners.truncate(TRIED);
        }
        partners.sort_unstable();
        let own = &self.parts[part as usize];
        let hides = |&&(_, partner): &&(i64, u32)| {
            let other = &self.parts[partner as usize];
            let mut hull = own.hull.clone();
            if let (Some(hull), Some(other)) = (&mut hull, &other.hull) {
                hull.absorb(other);
            }
            // Nobody is in both: at most so many.
            let requirements = self.guard.requirements();
            self.is_hidden(own.tally.persons(requirements) + other.tally.persons(requirements), hull.as_ref())
        };
        partners.iter().find(hides).or(partners.first()).map(|&(_, partner)| partner)
    }

    /// Parts that are published alike and do not fulfil presence together.
    fn alike(&self) -> Vec<Vec<u32>> {
        let Some(presence) = self.presence else { return Vec::new() };
        let left: Vec<u32> =
            (0..self.parts.len() as u32).filter(|&part| self.into[part as usize] == part).collect();
        let hulls = left.iter().filter_map(|&part| self.parts[part as usize].hull.as_ref());
        let mut alike = presence.alike(hulls);
        alike.iter_mut().flatten().for_each(|number| *number = left[*number as usize]);
        alike.retain(|group| {
            let requirements = self.guard.requirements();
            let mut tally = self.parts[group[0] as usize].tally.clone();
            group[1..].iter().for_each(|&part| tally.absorb(requirements, &self.parts[part as usize].tally));
            !self.is_hidden(tally.persons(requirements), self.parts[group[0] as usize].hull.as_ref())
        });
        alike
    }
}

/// About how many people a group of each number must hold so that no value is too frequent in it.
fn needs(problem: &Problem, guard: &Guard, group_of: &[u32], groups: usize) -> Vec<u64> {
    let mut needs = vec![0; groups];
    for (column, shares) in guard.requirements().largest_shares() {
        let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (row, &group) in (0u32..).zip(group_of).filter(|(_, g)| **g != WITHHELD) {
            *counts.entry((group, guard.values(row)[column])).or_default() += problem.row_size(row);
        }
        for ((group, value), count) in counts {
            let need = &mut needs[group as usize];
            *need = (count as f64 / shares[value as usize]).max(*need as f64) as u64;
        }
    }
    needs
}

fn parts_of<const L: usize, const W: usize>(
    problem: &Problem,
    guard: &Guard,
    presence: Option<&Presence>,
    near: &Near<L, W>,
    group_of: &[u32],
) -> Vec<Part<L, W>> {
    let groups = groups_of(group_of);
    let mut rows: Vec<Vec<(u32, u32)>> = vec![Vec::new(); groups];
    for (place, &record) in (0u32..).zip(&near.records) {
        for &row in problem.rows_of(record) {
            if let Some(rows) = rows.get_mut(group_of[row as usize] as usize) {
                rows.push((place, row));
            }
        }
    }
    let part = |rows: Vec<(u32, u32)>| {
        let mut covers = Growing::new(&near.digests, rows.first().map_or(0, |row| row.0));
        let mut last = NONE;
        for &(place, _) in rows.iter() {
            if place != last {
                covers.join(&near.digests, place);
            }
            last = place;
        }
        let seen = rows.iter().map(|&(_, row)| guard.row(row, problem.row_size(row)));
        let tally = Tally::of(guard.requirements(), seen);
        let middle = rows.get(rows.len() / 2).map_or(0, |row| row.0);
        let hull = presence.map(|presence| presence.hull(rows.iter().map(|&(_, row)| row)));
        (middle, Part { people: tally.people(), covers, tally, hull, before: NONE, after: NONE })
    };
    let (middles, mut parts): (Vec<u32>, Vec<Part<L, W>>) = rows.into_iter().map(part).unzip();
    let mut order: Vec<u32> = (0..groups as u32).collect();
    order.sort_by_key(|&p| (middles[p as usize], p));
    for pair in order.windows(2) {
        parts[pair[0] as usize].after = pair[1];
        parts[pair[1] as usize].before = pair[0];
    }
    parts
}

/// What a grouping costs, in the unit of digests.
pub(crate) fn cost_of<const L: usize, const W: usize>(
    problem: &Problem,
    near: &Near<L, W>,
    group_of: &[u32],
) -> i64 {
    let mut groups: Vec<Option<(u64, Growing<L, W>)>> = Vec::new();
    let mut withheld = 0;
    for (place, &record) in (0u32..).zip(&near.records) {
        for &row in problem.rows_of(record) {
            if group_of[row as usize] == WITHHELD {
                withheld += problem.row_size(row);
                continue;
            }
            let group = group_of[row as usize] as usize;
            if groups.len() <= group {
                groups.resize(group + 1, None);
            }
            match &mut groups[group] {
                Some((people, covered)) => {
                    covered.join(&near.digests, place);
                    *people += problem.row_size(row);
                }
                empty => *empty = Some((problem.row_size(row), Growing::new(&near.digests, place))),
            }
        }
    }
    let grouped = groups.iter().flatten().map(|(people, covered)| *people as i64 * i64::from(covered.cells));
    grouped.sum::<i64>() + withheld as i64 * EVERYTHING
}

/// Merges groups that fall short, whoever made them. Where rows are withheld, groups are compared with what is
/// released; if that cannot fulfil everything, nobody is withheld.
pub(crate) fn mend(problem: &Problem, found: &mut Found) {
    let Some(guard) = problem.guard() else { return };
    // Classes of levels cannot be merged two by two.
    if found.group_of.len() != problem.rows() || problem.recoding() == Recoding::Global {
        return;
    }
    let group_of = &mut found.group_of;
    let of_release = group_of.contains(&WITHHELD).then(|| {
        let size = |row: u32| if group_of[row as usize] == WITHHELD { 0 } else { problem.row_size(row) };
        guard.of_release(size).ok().filter(|guard| guard.check_possible().is_ok())
    });
    let guard = match &of_release {
        None => guard,
        Some(Some(of_release)) => of_release,
        Some(None) => {
            let groups = groups_of(group_of) as u32;
            group_of.iter_mut().filter(|g| **g == WITHHELD).for_each(|g| *g = groups);
            guard
        }
    };
    if guard.presence().is_none() && all_fulfil(problem, guard, group_of) {
        return;
    }
    let Some(class_of) = problem.class_of() else {
        *group_of = Layout::of(problem).run(&Mend { problem, guard, group_of });
        return;
    };
    // Class by class, as nothing is merged across.
    let mut classes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let released = (0u32..).zip(class_of).filter(|(row, _)| group_of[*row as usize] != WITHHELD);
    released.for_each(|(row, &class)| classes.entry(class).or_default().push(row));
    let mut groups = 0;
    for rows in classes.values() {
        // It holds whole groups, of k people each.
        let Ok(piece) = problem.piece_under(rows, Some(guard)) else { continue };
        let own = numbered(&rows.iter().map(|&row| group_of[row as usize]).collect::<Vec<u32>>());
        let Some(guard) = piece.guard() else { continue };
        let own = Layout::of(&piece).run(&Mend { problem: &piece, guard, group_of: &own });
        rows.iter().zip(&own).for_each(|(&row, group)| group_of[row as usize] = groups + group);
        groups += groups_of(&own) as u32;
    }
}

/// Whether every group fulfils what the values of its rows decide.
fn all_fulfil(problem: &Problem, guard: &Guard, group_of: &[u32]) -> bool {
    let released = (0u32..).zip(group_of.iter().copied()).filter(|&(_, group)| group != WITHHELD);
    let groups = Members::new(groups_of(group_of), released);
    groups.each().filter(|group| !group.is_empty()).all(|group| {
        let seen = group.iter().map(|&row| guard.row(row, problem.row_size(row)));
        let tally = Tally::of(guard.requirements(), seen);
        tally.people() >= problem.k() && tally.fulfils(guard.requirements())
    })
}

struct Mend<'a> {
    problem: &'a Problem,
    guard: &'a Guard,
    group_of: &'a [u32],
}

impl Work for Mend<'_> {
    type Answer = Vec<u32>;

    fn run<const L: usize, const W: usize>(&self, layout: &Layout) -> Vec<u32> {
        let near = Near::new(self.problem, Digests::<L, W>::new(self.problem, layout));
        let mut group_of = self.group_of.to_vec();
        merge_short(self.problem, self.guard, self.guard.presence(), &near, &mut group_of);
        group_of
    }
}
