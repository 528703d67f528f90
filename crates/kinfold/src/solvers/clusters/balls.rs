//! Groups around centres, and how they get better: changes that can only lower the cost, after a solver's
//! guarantee holds.

use super::space::{Space, Tree};
use crate::{Run, Stopped};
use kinfold_model::cost::MIDDLE;
use kinfold_model::{Found, Objective, Problem};

/// Rows of a group among which a better centre is looked for.
const CANDIDATES: usize = 64;
/// Changes per row, at most: nobody waits for the last ones.
const CHANGES: usize = 20;

/// Rows around a centre.
#[derive(Debug, Clone)]
pub(super) struct Ball {
    pub(super) centre: u32,
    pub(super) rows: Vec<u32>,
    pub(super) radius: u64,
}

/// A whole grouping; rows in no ball are withheld.
pub(super) struct Balls<'s, 'p> {
    pub(super) space: &'s Space<'p>,
    pub(super) balls: Vec<Ball>,
}

impl<'s, 'p> Balls<'s, 'p> {
    /// From centres and the rows of each; balls without rows vanish.
    pub(super) fn new(space: &'s Space<'p>, groups: impl IntoIterator<Item = (u32, Vec<u32>)>) -> Self {
        let mut balls: Vec<Ball> = Vec::new();
        for (centre, rows) in groups.into_iter().filter(|(_, rows)| !rows.is_empty()) {
            let radius = radius(space, centre, &rows);
            balls.push(Ball { centre, rows, radius });
        }
        Self { space, balls }
    }

    /// Everybody in one group.
    pub(super) fn one(space: &'s Space<'p>) -> Self {
        Self::new(space, [(0, (0..space.problem().rows() as u32).collect())])
    }

    fn problem(&self) -> &'p Problem {
        self.space.problem()
    }

    fn distance(&self, row: u32, ball: usize) -> u64 {
        self.space.distance(self.balls[ball].centre, self.problem().record_of(row))
    }

    pub(super) fn cost(&self) -> u64 {
        match self.problem().objective() {
            Objective::Radius => self.balls.iter().map(|b| b.radius).max().unwrap_or(0),
            _ => self.balls.iter().map(|b| self.worth(b.centre, b.rows.len(), b.radius)).sum(),
        }
    }

    /// What a ball costs under `cellular`.
    fn worth(&self, centre: u32, rows: usize, radius: u64) -> u64 {
        if rows == 0 { 0 } else { rows as u64 * radius + self.problem().setup_of(centre).0 }
    }

    pub(super) fn found(&self) -> Found {
        let groups = self.balls.iter().map(|ball| ball.rows.iter().copied());
        let found = Found::of_groups(self.problem().rows(), groups);
        let middles = self.problem().clusters().middles;
        let centre = |ball: &Ball| {
            let middle = kinfold_model::cost::radius(self.problem(), MIDDLE, &ball.rows).filter(|_| middles);
            if middle.is_some_and(|r| r.0 < ball.radius) { MIDDLE } else { ball.centre }
        };
        Found::around(found.group_of, self.balls.iter().map(centre).collect())
    }

    /// A bound that holds for centres at records, in the terms of the problem: where other centres may be, a
    /// record of the group is at most twice as far.
    pub(super) fn at_records(&self, bound: u64) -> u64 {
        if self.problem().clusters().middles { bound / 2 } else { bound }
    }

    /// How many more rows may be left out.
    fn may_withhold(&self) -> usize {
        let released: usize = self.balls.iter().map(|b| b.rows.len()).sum();
        (self.problem().may_withhold() as usize).saturating_sub(self.problem().rows() - released)
    }

    /// Tries another centre for a ball: a row's record among those nearest to the middle. Keeps it if the
    /// ball costs less.
    fn recentre(&mut self, ball: usize) -> bool {
        let old = &self.balls[ball];
        let mut candidates: Vec<(u64, u32)> = (old.rows.iter().map(|&row| self.problem().record_of(row)))
            .map(|record| (self.space.distance(old.centre, record), record))
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.truncate(CANDIDATES);
        let cost = |radius: u64, centre: u32| match self.problem().objective() {
            Objective::Radius => radius,
            _ => self.worth(centre, old.rows.len(), radius),
        };
        let before = cost(old.radius, old.centre);
        let (mut least, mut best) = (before, (old.radius, old.centre));
        for &(_, candidate) in &candidates {
            let mut furthest = 0;
            for &row in &old.rows {
                furthest = furthest.max(self.space.distance(candidate, self.problem().record_of(row)));
                if cost(furthest, candidate) >= least {
                    break;
                }
            }
            if cost(furthest, candidate) < least {
                (least, best) = (cost(furthest, candidate), (furthest, candidate));
            }
        }
        (self.balls[ball].radius, self.balls[ball].centre) = best;
        least < before
    }

    /// The place of the furthest row in a ball, and the radius without it.
    fn furthest(&self, ball: usize) -> (usize, u64) {
        let (mut at, mut most, mut second) = (0, 0, 0);
        for (i, &row) in self.balls[ball].rows.iter().enumerate() {
            let distance = self.distance(row, ball);
            if distance > most || i == 0 {
                (at, second, most) = (i, if i == 0 { 0 } else { most }, distance);
            } else {
                second = second.max(distance);
            }
        }
        (at, second)
    }

    /// Lowers the cost by small changes until there are none, or the time is over.
    pub(super) fn improve(&mut self, run: &Run) -> Result<(), Stopped> {
        match self.problem().objective() {
            Objective::Radius => self.shrink_largest(run),
            _ => self.shrink_all(run),
        }
    }

    /// Under `radius` only the largest ball matters: another centre, a row less, or no ball at all.
    fn shrink_largest(&mut self, run: &Run) -> Result<(), Stopped> {
        for _ in 0..CHANGES * self.problem().rows() {
            run.check()?;
            let largest = (0..self.balls.len()).max_by_key(|&b| (self.balls[b].radius, std::cmp::Reverse(b)));
            let Some(ball) = largest.filter(|&b| self.balls[b].radius > 0 && !run.out_of_time()) else {
                break;
            };
            if !(self.recentre(ball) || self.move_furthest(ball) || self.dissolve_into(ball)) {
                break;
            }
        }
        self.spread(run)
    }

    fn other_ball(&self, row: u32, but: usize) -> Option<(u64, usize)> {
        (0..self.balls.len()).filter(|&b| b != but).map(|b| (self.distance(row, b), b)).min()
    }

    /// A row joins a ball, at this distance from its centre.
    fn put(&mut self, row: u32, to: usize, distance: u64) {
        let ball = &mut self.balls[to];
        ball.rows.push(row);
        ball.radius = ball.radius.max(distance);
    }

    /// All rows of a ball go to others that reach them within less.
    fn dissolve_into(&mut self, ball: usize) -> bool {
        let radius = self.balls[ball].radius;
        let targets: Option<Vec<(u64, usize)>> = (self.balls[ball].rows.iter())
            .map(|&row| self.other_ball(row, ball).filter(|&(distance, _)| distance < radius))
            .collect();
        let Some(targets) = targets else { return false };
        let rows = std::mem::take(&mut self.balls[ball].rows);
        for (row, (distance, to)) in rows.into_iter().zip(targets) {
            self.put(row, to, distance);
        }
        self.balls.swap_remove(ball);
        true
    }

    /// The largest radius stays; everybody else comes as near to a centre as sizes allow, for it costs
    /// nothing.
    fn spread(&mut self, run: &Run) -> Result<(), Stopped> {
        let k = self.problem().k() as usize;
        for ball in 0..self.balls.len() {
            run.check()?;
            if self.balls.len() > 2_000 || run.out_of_time() {
                break;
            }
            let mut at = 0;
            while at < self.balls[ball].rows.len() && self.balls[ball].rows.len() > k {
                let row = self.balls[ball].rows[at];
                let here = self.distance(row, ball);
                match self.other_ball(row, ball).filter(|&(distance, _)| distance < here) {
                    Some((distance, to)) => {
                        self.balls[ball].rows.swap_remove(at);
                        self.put(row, to, distance);
                    }
                    None => at += 1,
                }
            }
            self.balls[ball].radius = radius(self.space, self.balls[ball].centre, &self.balls[ball].rows);
        }
        Ok(())
    }

    /// Under `cellular` every ball pays for itself: passes over all, as long as one lowers the cost.
    fn shrink_all(&mut self, run: &Run) -> Result<(), Stopped> {
        for _ in 0..CHANGES {
            let before = self.cost();
            let mut ball = 0;
            while ball < self.balls.len() {
                if run.is_over()? {
                    return Ok(());
                }
                self.recentre(ball);
                while self.move_furthest(ball) {}
                if self.split(ball) || !self.dissolve(ball) {
                    ball += 1;
                }
            }
            if self.cost() >= before {
                break;
            }
        }
        Ok(())
    }

    /// What a ball costs more with a row at this distance.
    fn rise(&self, ball: usize, distance: u64) -> u64 {
        let Ball { centre, rows, radius } = &self.balls[ball];
        self.worth(*centre, rows.len() + 1, distance.max(*radius)) - self.worth(*centre, rows.len(), *radius)
    }

    /// The ball that a row raises least, and by how much.
    fn cheapest(&self, row: u32, but: usize) -> Option<(u64, usize, u64)> {
        (0..self.balls.len())
            .filter(|&b| b != but)
            .map(|b| {
                let distance = self.distance(row, b);
                (self.rise(b, distance), b, distance)
            })
            .min()
    }

    /// The furthest row goes where it costs less, or is left out where that is allowed.
    fn move_furthest(&mut self, ball: usize) -> bool {
        let Ball { centre, radius, ref rows } = self.balls[ball];
        if rows.len() <= self.problem().k() as usize {
            return false;
        }
        let (at, rest) = self.furthest(ball);
        let row = rows[at];
        let (target, helps) = match self.problem().objective() {
            Objective::Radius => {
                (self.other_ball(row, ball).filter(|&(distance, _)| distance < radius), true)
            }
            _ => {
                let saved = self.worth(centre, rows.len(), radius) - self.worth(centre, rows.len() - 1, rest);
                let target = self.cheapest(row, ball).filter(|&(rise, ..)| rise < saved);
                (target.map(|(_, to, distance)| (distance, to)), saved > 0)
            }
        };
        if target.is_none() && !(helps && self.may_withhold() > 0) {
            return false;
        }
        self.balls[ball].rows.swap_remove(at);
        self.balls[ball].radius = rest;
        // Nothing is cheaper than leaving out, but who can stay for less is not left out.
        if let Some((distance, to)) = target {
            self.put(row, to, distance);
        }
        true
    }

    /// Two balls in place of one that is large enough, if that is cheaper.
    fn split(&mut self, ball: usize) -> bool {
        let k = self.problem().k() as usize;
        let old = self.balls[ball].clone();
        if old.rows.len() < 2 * k || old.radius == 0 {
            return false;
        }
        let record = |row: u32| self.problem().record_of(row);
        let far = |from: u32| {
            old.rows
                .iter()
                .map(|&r| (self.space.distance(from, record(r)), record(r)))
                .max()
                .map_or(from, |m| m.1)
        };
        let first = far(old.centre);
        let second = far(first);
        let mut order: Vec<(i64, u32)> = (old.rows.iter())
            .map(|&r| {
                let [a, b] = [first, second].map(|c| self.space.distance(c, record(r)) as i64);
                (a - b, r)
            })
            .collect();
        order.sort_unstable();
        let nearer = order.partition_point(|&(lead, _)| lead < 0);
        let cut = nearer.clamp(k, order.len() - k);
        let [a, b] =
            [&order[..cut], &order[cut..]].map(|part| part.iter().map(|&(_, r)| r).collect::<Vec<u32>>());
        let before = self.worth(old.centre, old.rows.len(), old.radius);
        let last = self.balls.len();
        self.balls[ball] = Ball { centre: first, radius: radius(self.space, first, &a), rows: a };
        self.balls.push(Ball { centre: second, radius: radius(self.space, second, &b), rows: b });
        for half in [ball, last] {
            self.recentre(half);
        }
        let halves = [ball, last].map(|half| &self.balls[half]);
        let after: u64 = halves.iter().map(|h| self.worth(h.centre, h.rows.len(), h.radius)).sum();
        if after < before {
            return true;
        }
        self.balls.pop();
        self.balls[ball] = old;
        false
    }

    /// Balls of fewer than k rows are joined with the one that makes the union cheapest, smallest first.
    pub(super) fn join_small(&mut self, run: &Run) -> Result<(), Stopped> {
        let k = self.problem().k() as usize;
        while self.balls.len() > 1 {
            run.check()?;
            let Some(small) = (0..self.balls.len())
                .filter(|&b| self.balls[b].rows.len() < k)
                .min_by_key(|&b| (self.balls[b].rows.len(), b))
            else {
                break;
            };
            let lone = self.balls.swap_remove(small);
            let union = |b: usize| {
                let ball = &self.balls[b];
                let apart = self.space.distance(ball.centre, lone.centre);
                // Around the one centre, no more than this; working it out exactly for all would take longer.
                let around = ball.radius.max(apart.saturating_add(lone.radius));
                self.worth(ball.centre, ball.rows.len() + lone.rows.len(), around)
                    - self.worth(ball.centre, ball.rows.len(), ball.radius)
            };
            let Some(best) = (0..self.balls.len()).min_by_key(|&b| (union(b), b)) else { break };
            let rows = &mut self.balls[best].rows;
            rows.extend(lone.rows);
            self.balls[best].radius = radius(self.space, self.balls[best].centre, &self.balls[best].rows);
            self.recentre(best);
        }
        Ok(())
    }

    /// All rows of a ball go where they raise the cost least, if that is cheaper than the ball. What was last
    /// takes its number.
    fn dissolve(&mut self, ball: usize) -> bool {
        let old = self.balls[ball].clone();
        let worth = self.worth(old.centre, old.rows.len(), old.radius);
        let mut done: Vec<(usize, u64)> = Vec::new();
        let mut spent = 0;
        for &row in &old.rows {
            let Some((rise, to, distance)) = self.cheapest(row, ball).filter(|c| spent + c.0 < worth) else {
                break;
            };
            spent += rise;
            done.push((to, self.balls[to].radius));
            self.put(row, to, distance);
        }
        if done.len() == old.rows.len() {
            self.balls.swap_remove(ball);
            return true;
        }
        for (to, radius) in done.into_iter().rev() {
            self.balls[to].rows.pop();
            self.balls[to].radius = radius;
        }
        false
    }
}

/// How far the furthest row is from a centre.
pub(super) fn radius(space: &Space<'_>, centre: u32, rows: &[u32]) -> u64 {
    rows.iter().map(|&row| space.distance(centre, space.problem().record_of(row))).max().unwrap_or(0)
}

/// Rows of records that are left over go to the nearest centre, which is no farther than `most`.
pub(super) fn join_nearest<'r>(
    space: &Space<'_>,
    groups: &mut [(u32, Vec<u32>)],
    left: impl Iterator<Item = (u32, &'r [u32])>,
    most: u64,
) {
    let centres = Tree::new(space, groups.iter().map(|group| group.0).collect());
    let mut number = vec![0; space.records()];
    groups.iter().enumerate().for_each(|(at, group)| number[group.0 as usize] = at);
    for (record, rows) in left {
        if let Some((distance, centre)) = centres.nearest(record) {
            debug_assert!(distance <= most);
            groups[number[centre as usize]].1.extend(rows);
        }
    }
}
