//! Which rows to leave out, where the policy allows that: those that cost more than all they would tell.

use super::block::{Block, OUT};
use crate::parts::digest::EVERYTHING;
use crate::parts::random::Random;

impl<const L: usize, const W: usize> Block<'_, L, W> {
    /// Withholds a random row, or brings one back, if that is worth it.
    pub(super) fn withhold(&mut self, random: &mut Random, slack: i64) {
        let r = random.below(self.units.len()) as u32;
        let a = self.group_of[r as usize];
        let people = self.units[r as usize].people;
        let everything = i64::from(people) * EVERYTHING;
        if a == OUT {
            let Some(s) = self.neighbour(r, random) else { return };
            let c = self.group_of[s as usize];
            if self.room(c, r) && self.may_change(c, None, Some(r)) {
                let change = self.joined(c, r) - everything;
                if change < slack {
                    self.shift(r, c);
                }
            }
            return;
        }
        if u64::from(people) > self.may_withhold {
            return;
        }
        if self.spare(r) && self.may_leave(r) {
            let change = self.left(r) + everything;
            if change < slack {
                self.shift(r, OUT);
            }
            return;
        }
        // The group needs another member: a neighbour of one of its members whose own group can spare it.
        let members = &self.groups[a as usize].members;
        let other = members[random.below(members.len())];
        let Some(s) = self.neighbour(other, random).filter(|&s| self.spare(s)) else { return };
        if !self.may_leave(s) || !self.may_change(a, Some(r), Some(s)) {
            return;
        }
        let (group, comes) = (&self.groups[a as usize], self.units[s as usize].people);
        if group.people + comes < self.k + people {
            return;
        }
        let cells = group.cells_exchanged(self.shared.digests, &self.units, r, s);
        let exchanged = i64::from(group.people - people + comes) * i64::from(cells) - group.cost();
        let change = exchanged + self.left(s) + everything;
        if change < slack {
            self.shift(r, OUT);
            self.shift(s, a);
        }
    }
}
