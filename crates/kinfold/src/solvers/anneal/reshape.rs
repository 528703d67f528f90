//! Changes of whole groups: dissolve one, make a new one, part two of them anew.

use super::block::{Block, OUT};
use super::blocks::rank;
use crate::parts::digest::EVERYTHING;
use crate::parts::growing::Growing;
use crate::parts::random::Random;

/// Neighbours that each row of a dissolved group asks.
const PROBES: usize = 6;

impl<const L: usize, const W: usize> Block<'_, L, W> {
    /// Gives every member of a random group to a neighbour's group, or withholds it where that is allowed and
    /// cheaper, if all that is worth it.
    pub(super) fn dissolve(&mut self, random: &mut Random, slack: i64) {
        let a = self.group_of[random.below(self.units.len())];
        let last_one = self.groups.len() - self.empty.len() == 2;
        if a == OUT || last_one || self.groups[a as usize].members.len() > 2 * self.typical as usize {
            return;
        }
        let members = self.groups[a as usize].members.clone();
        let mut change = -self.groups[a as usize].cost();
        let mut moved = 0;
        for &u in &members {
            let people = u64::from(self.units[u as usize].people);
            let withheld = people as i64 * EVERYTHING;
            let mut best = (self.may_withhold > 0 && people <= self.may_withhold).then_some((withheld, OUT));
            for _ in 0..PROBES {
                let Some(s) = self.neighbour(u, random) else { continue };
                let c = self.group_of[s as usize];
                if c == a
                    || !self.room(c, u)
                    || best.is_some_and(|(_, g)| g == c)
                    || !self.may_change(c, None, Some(u))
                {
                    continue;
                }
                let rise = self.joined(c, u);
                if best.is_none_or(|(least, _)| rise < least) {
                    best = Some((rise, c));
                }
            }
            let Some((rise, c)) = best else { break };
            change += rise;
            self.shift(u, c);
            moved += 1;
            if change > slack {
                break;
            }
        }
        if moved == members.len() && change < slack {
            self.empty.push(a);
        } else {
            members[..moved].iter().for_each(|&u| self.shift(u, a));
        }
    }

    /// Makes a new group around a random row, from groups that can spare rows, if that is worth it.
    pub(super) fn create(&mut self, random: &mut Random, slack: i64) {
        let r = random.below(self.units.len()) as u32;
        if !self.spare(r) || !self.may_leave(r) {
            return;
        }
        let new = self.new_group();
        let mut moved: Vec<(u32, u32)> = Vec::new();
        let mut before = 0i64;
        let mut touched: Vec<u32> = Vec::new();
        let mut around = r;
        for _ in 0..6 * self.typical {
            let u = if moved.is_empty() { Some(r) } else { self.neighbour(around, random) };
            if let Some(u) = u
                && self.group_of[u as usize] != new
                && self.spare(u)
                && self.may_leave(u)
            {
                let from = self.group_of[u as usize];
                if !touched.contains(&from) {
                    touched.push(from);
                    before += self.groups[from as usize].cost();
                }
                moved.push((u, from));
                self.shift(u, new);
                if self.fulfils(new) {
                    break;
                }
            }
            around = moved[random.below(moved.len())].0;
        }
        let after: i64 = touched.iter().chain([&new]).map(|&g| self.groups[g as usize].cost()).sum();
        let change = after - before;
        if self.fulfils(new) && change < slack {
            return;
        }
        for &(u, from) in moved.iter().rev() {
            self.shift(u, from);
        }
        self.empty.push(new);
    }

    /// Puts two neighbouring groups together and parts them along a random column where it costs least, if
    /// that is worth it. Where requirements make groups large, one group may be parted in two.
    pub(super) fn resplit(&mut self, random: &mut Random, slack: i64) {
        let r = random.below(self.units.len()) as u32;
        let a = self.group_of[r as usize];
        if a == OUT {
            return;
        }
        let alone = self.watch.is_some() && random.below(4) == 0;
        let b = if alone {
            if self.groups[a as usize].people < 2 * self.k {
                return;
            }
            self.new_group()
        } else {
            let Some(s) = self.neighbour(r, random) else { return };
            self.group_of[s as usize]
        };
        let (ga, gb) = (&self.groups[a as usize], &self.groups[b as usize]);
        let (before, all) = (ga.cost() + gb.cost(), ga.people + gb.people);
        if before > 0 && all <= 4 * self.typical {
            let problem = self.shared.problem;
            let column = random.below(problem.rules().len());
            let rank = rank(problem, column, random);
            let place = |u: u32| self.units[u as usize].place;
            let rank = |u: u32| rank(problem.codes(self.shared.records[place(u) as usize])[column]);
            let members = ga.members.iter().chain(&gb.members);
            let mut sorted: Vec<(u64, u32)> = members.map(|&u| (rank(u), u)).collect();
            sorted.sort_unstable();
            let sliced = self.watch.as_ref().is_some_and(|watch| watch.mirrors) && random.below(4) > 0;
            let parted = if sliced { self.sliced(&sorted, random) } else { self.cut_in_two(&sorted, all) };
            if let Some((cost, first)) = parted
                && cost - before < slack
            {
                for (&(_, u), first) in sorted.iter().zip(first) {
                    let to = if first { a } else { b };
                    if self.group_of[u as usize] != to {
                        self.shift(u, to);
                    }
                }
            }
        }
        if self.groups[b as usize].members.is_empty() {
            self.empty.push(b);
        }
    }

    /// Cuts a sorted list of units in two where it costs least: what both cost, and which units come first.
    fn cut_in_two(&self, sorted: &[(u64, u32)], all: u32) -> Option<(i64, Vec<bool>)> {
        let place = |u: u32| self.units[u as usize].place;
        let can_part = self.watch.as_ref().map(|w| w.can_part(&self.units, sorted.iter().map(|s| s.1)));
        let (digests, last) = (self.shared.digests, sorted.len() - 1);
        // What the members after each one would cost as a group, per person.
        let mut tails = vec![0; sorted.len()];
        let mut tail = Growing::new(digests, place(sorted[last].1));
        for i in (0..last).rev() {
            tails[i] = tail.cells;
            tail.join(digests, place(sorted[i].1));
        }
        let mut best: Option<(i64, usize)> = None;
        let (mut head, mut people) = (Growing::new(digests, place(sorted[0].1)), 0);
        for (i, &(_, u)) in sorted[..last].iter().enumerate() {
            head.join(digests, place(u));
            people += self.units[u as usize].people;
            if people >= self.k && all - people >= self.k && can_part.as_ref().is_none_or(|can| can[i]) {
                let (first, second) = (i64::from(people), i64::from(all - people));
                let here = (first * i64::from(head.cells) + second * i64::from(tails[i]), i);
                best = Some(best.map_or(here, |best| best.min(here)));
            }
        }
        best.map(|(cost, at)| (cost, (0..sorted.len()).map(|i| i <= at).collect()))
    }

    /// Gives each of two groups half of every class's units, those that come first in a sorted list to the
    /// first: so both mirror the table as well as they do together.
    fn sliced(&self, sorted: &[(u64, u32)], random: &mut Random) -> Option<(i64, Vec<bool>)> {
        let watch = self.watch.as_ref()?;
        let class = |&(_, u): &(u64, u32)| watch.classes[u as usize];
        // By class: units still to go to the first group.
        let mut counts: Vec<(u32, usize)> = Vec::new();
        for unit in sorted {
            match counts.iter_mut().find(|(c, _)| *c == class(unit)) {
                Some((_, count)) => *count += 1,
                None => counts.push((class(unit), 1)),
            }
        }
        for (_, count) in &mut counts {
            *count = (*count + random.below(2)) / 2;
        }
        let first: Vec<bool> = sorted
            .iter()
            .map(|unit| {
                let left = counts.iter_mut().find(|(c, left)| *c == class(unit) && *left > 0);
                left.map(|(_, left)| *left -= 1).is_some()
            })
            .collect();
        let side = |wanted: bool| {
            let units = sorted.iter().zip(&first).filter(move |(_, first)| **first == wanted);
            units.map(|(&(_, u), _)| u)
        };
        let mut cost = 0;
        for wanted in [true, false] {
            let tally = watch.of(&self.units, side(wanted));
            if tally.people() < u64::from(self.k) || !watch.would_do(&tally) {
                return None;
            }
            let places = side(wanted).map(|u| self.units[u as usize].place);
            let mut covers = Growing::new(self.shared.digests, places.clone().next()?);
            places.for_each(|place| covers.join(self.shared.digests, place));
            cost += tally.people() as i64 * i64::from(covers.cells);
        }
        Some((cost, first))
    }
}
