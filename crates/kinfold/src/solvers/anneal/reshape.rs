//! Changes of whole groups: dissolve one, make a new one, part two of them anew.

use super::block::{Block, OUT};
use super::blocks::rank;
use crate::parts::digest::EVERYTHING;
use crate::parts::groups::Group;
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
        if a == OUT || last_one || self.groups[a as usize].members.len() > 2 * self.k as usize {
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
                if c == a || !self.room(c, u) || best.is_some_and(|(_, g)| g == c) {
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
        if !self.spare(r) {
            return;
        }
        let new = self.empty.pop().unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() as u32 - 1
        });
        let mut moved: Vec<(u32, u32)> = Vec::new();
        let mut before = 0i64;
        let mut touched: Vec<u32> = Vec::new();
        let mut around = r;
        for _ in 0..6 * self.k {
            let u = if moved.is_empty() { Some(r) } else { self.neighbour(around, random) };
            if let Some(u) = u
                && self.group_of[u as usize] != new
                && self.spare(u)
            {
                let from = self.group_of[u as usize];
                if !touched.contains(&from) {
                    touched.push(from);
                    before += self.groups[from as usize].cost();
                }
                moved.push((u, from));
                self.shift(u, new);
                if self.groups[new as usize].people >= self.k {
                    break;
                }
            }
            around = moved[random.below(moved.len())].0;
        }
        let after: i64 = touched.iter().chain([&new]).map(|&g| self.groups[g as usize].cost()).sum();
        let change = after - before;
        if self.groups[new as usize].people >= self.k && change < slack {
            return;
        }
        for &(u, from) in moved.iter().rev() {
            self.shift(u, from);
        }
        self.empty.push(new);
    }

    /// Puts two neighbouring groups together and parts them along a random column where it costs least, if
    /// that is worth it.
    pub(super) fn resplit(&mut self, random: &mut Random, slack: i64) {
        let r = random.below(self.units.len()) as u32;
        let a = self.group_of[r as usize];
        let Some(s) = self.neighbour(r, random).filter(|_| a != OUT) else { return };
        let b = self.group_of[s as usize];
        let (ga, gb) = (&self.groups[a as usize], &self.groups[b as usize]);
        let (before, all) = (ga.cost() + gb.cost(), ga.people + gb.people);
        if before == 0 || all > 4 * self.k {
            return;
        }
        let problem = self.shared.problem;
        let column = random.below(problem.rules().len());
        let rank = rank(problem, column, random);
        let place = |u: u32| self.units[u as usize].place;
        let rank = |u: u32| rank(problem.codes(self.shared.records[place(u) as usize])[column]);
        let members = ga.members.iter().chain(&gb.members);
        let mut sorted: Vec<(u64, u32)> = members.map(|&u| (rank(u), u)).collect();
        sorted.sort_unstable();
        let (digests, last) = (self.shared.digests, sorted.len() - 1);
        // What the members after each one would cost as a group, per person.
        let mut tails = vec![0; sorted.len()];
        let mut tail = Growing::new(digests, place(sorted[last].1));
        for i in (0..last).rev() {
            tails[i] = tail.cells;
            tail.join(digests, place(sorted[i].1));
        }
        let mut best = (i64::MAX, 0);
        let (mut head, mut people) = (Growing::new(digests, place(sorted[0].1)), 0);
        for (i, &(_, u)) in sorted[..last].iter().enumerate() {
            head.join(digests, place(u));
            people += self.units[u as usize].people;
            if people >= self.k && all - people >= self.k {
                let (first, second) = (i64::from(people), i64::from(all - people));
                best = best.min((first * i64::from(head.cells) + second * i64::from(tails[i]), i));
            }
        }
        let change = best.0.saturating_sub(before);
        if change < slack {
            for (i, &(_, u)) in sorted.iter().enumerate() {
                let to = if i <= best.1 { a } else { b };
                if self.group_of[u as usize] != to {
                    self.shift(u, to);
                }
            }
        }
    }
}
