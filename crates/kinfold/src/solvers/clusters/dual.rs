//! Cellular clustering by the primal-dual method (paper *cluster*, section 3): what both cellular solvers
//! stand on.
//!
//! A cluster is a centre with a radius; it costs its radius for every member and a fee to open. All rows
//! raise what they offer, α, at the same speed. Whoever offers more than a cluster's radius puts the rest
//! towards its fee. Once that is paid, all members who still raise are connected, and stop. Offers never
//! exceed what clusters cost, so their sum is a lower bound on any clustering (the dual program). Then
//! clusters are opened, largest radius first, if nobody who paid for them is taken; who is left joins the
//! cluster that took a payer of theirs, at three times its radius at most (lemma 3.3).
//!
//! Clusters are not listed: for every centre only the time of its next payment is kept, in a queue.
//! Connecting rows makes payments later, never sooner, so a time that is still right when it comes first is
//! the next event.

use super::space::{Space, Tree};
use crate::{Run, Stopped};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What opening a cluster costs: what the problem asks for its centre, and so many times its radius.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fee {
    pub(super) times: u64,
    /// Clusters with fewer rows within their radius are none.
    pub(super) least: u64,
    /// So many rows may stay without a cluster.
    pub(super) left_out: u64,
}

/// A cluster with the radius that was paid for: once it is paid those that it connected, once it is open its
/// members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cluster {
    pub(super) centre: u32,
    pub(super) radius: u64,
    pub(super) records: Vec<u32>,
}

pub(super) struct Duals {
    pub(super) open: Vec<Cluster>,
    /// The sum of all offers: no clustering costs less, if nobody may be left out.
    pub(super) offered: u128,
}

/// What is known of the next cluster around a centre that is paid.
enum Next {
    /// Its time and its radius.
    At(u64, u64),
    /// It is later than this.
    After(u64),
    /// There is none.
    Never,
}

pub(super) struct Dual<'t, 's, 'p> {
    tree: &'t Tree<'s, 'p>,
    fee: Fee,
    /// What connected records offer, per row.
    offer: Vec<Option<u64>>,
    /// How far to look around a record at first.
    hints: &'t [u64],
}

impl<'t, 's, 'p> Dual<'t, 's, 'p> {
    /// `hints`: how far to look around each record at first.
    pub(super) fn new(tree: &'t Tree<'s, 'p>, hints: &'t [u64], fee: Fee) -> Self {
        Self { tree, fee, offer: vec![None; tree.space.records()], hints }
    }

    fn space(&self) -> &'s Space<'p> {
        self.tree.space
    }

    /// Raises offers until all but those that may be left out are connected, and opens clusters.
    pub(super) fn solve(mut self, run: &Run) -> Result<Duals, Stopped> {
        let paid = self.raise(run)?;
        let offered = (0..self.offer.len() as u32)
            .map(|r| u128::from(self.offer[r as usize].unwrap_or(0)) * u128::from(self.space().size(r)))
            .sum();
        Ok(Duals { open: self.open(paid, run)?, offered })
    }

    fn raise(&mut self, run: &Run) -> Result<Vec<Cluster>, Stopped> {
        let records = self.space().records() as u32;
        let mut left: u64 = (0..records).map(|r| self.space().size(r)).sum();
        let mut queue: BinaryHeap<Reverse<(u64, u32)>> = (0..records).map(|r| Reverse((0, r))).collect();
        let mut paid: Vec<Cluster> = Vec::new();
        // Who was unconnected not long ago: no cluster is paid before its radius reaches one of them.
        let (mut waiting, mut unconnected) = (Tree::of_all(self.space()), records as usize);
        while let Some(Reverse((told, centre))) = queue.pop() {
            run.check()?;
            if left <= self.fee.left_out {
                break;
            }
            match waiting.nearest(centre) {
                Some((distance, _)) if distance > told => {
                    queue.push(Reverse((distance, centre)));
                    continue;
                }
                _ => {}
            }
            let (time, radius) = match self.next_payment(centre, told) {
                Next::Never => continue,
                Next::After(time) => {
                    queue.push(Reverse((time.saturating_add(1), centre)));
                    continue;
                }
                Next::At(time, radius) => (time, radius),
            };
            // It was thought to be sooner, and may not be the next any more.
            if queue.peek().is_some_and(|next| next.0 < (time, centre)) {
                queue.push(Reverse((time, centre)));
                continue;
            }
            let mut connected = Vec::new();
            self.tree.within(centre, radius, |r| connected.push(r));
            connected.retain(|&r| self.offer[r as usize].is_none());
            connected.sort_unstable();
            for &record in &connected {
                self.offer[record as usize] = Some(time);
                left -= self.space().size(record);
            }
            unconnected -= connected.len();
            if 2 * unconnected < waiting.records() {
                let left = (0..records).filter(|&r| self.offer[r as usize].is_none());
                waiting = Tree::new(self.space(), left.collect());
            }
            paid.push(Cluster { centre, radius, records: connected });
            queue.push(Reverse((time, centre)));
        }
        Ok(paid)
    }

    /// When the next cluster around a centre is paid that has an unconnected member, known to be no sooner
    /// than `told`.
    fn next_payment(&self, centre: u32, told: u64) -> Next {
        // A cluster is paid no sooner than its radius is offered, so those beyond the time of another do not
        // matter; and those far beyond now may never.
        let reach = told.max(self.hints[centre as usize]).max(1);
        let reach = reach.saturating_add(reach / 4);
        let mut near: Vec<(u64, u32)> = Vec::new();
        self.tree.within(centre, reach, |r| near.push((0, r)));
        let all = near.len() == self.space().records();
        if near.iter().all(|&(_, r)| self.offer[r as usize].is_some()) {
            return if all { Next::Never } else { Next::After(reach) };
        }
        near.iter_mut().for_each(|n| n.0 = self.space().distance(centre, n.1));
        near.sort_unstable();
        match self.best_radius(centre, &near) {
            Some((time, radius)) if time <= reach || all => Next::At(time, radius),
            None if all => Next::Never,
            _ => Next::After(reach),
        }
    }

    /// The cluster around a centre that is paid first, of those whose radius is one of these distances
    /// (ascending).
    fn best_radius(&self, centre: u32, near: &[(u64, u32)]) -> Option<(u64, u64)> {
        let space = self.space();
        let setup = space.problem().setup_of(centre).0;
        let mut best: Option<(u64, u64)> = None;
        let (mut waiting, mut people) = (0u64, 0u64);
        // What the connected offer beyond the radius: as it grows, ever fewer do.
        let mut offers: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
        let (mut offered, mut offering) = (0u128, 0u128);
        for members in near.chunk_by(|a, b| a.0 == b.0) {
            let radius = members[0].0;
            if best.is_some_and(|(time, _)| radius >= time) {
                break;
            }
            for &(_, record) in members {
                let size = space.size(record);
                people += size;
                match self.offer[record as usize] {
                    Some(offer) => {
                        offers.push(Reverse((offer, size)));
                        offered += u128::from(offer) * u128::from(size);
                        offering += u128::from(size);
                    }
                    None => waiting += size,
                }
            }
            while let Some(&Reverse((offer, size))) = offers.peek().filter(|top| top.0.0 <= radius) {
                offered -= u128::from(offer) * u128::from(size);
                offering -= u128::from(size);
                offers.pop();
            }
            if waiting == 0 || people < self.fee.least {
                continue;
            }
            let fee = u128::from(setup) + u128::from(self.fee.times) * u128::from(radius);
            let lacking = fee.saturating_sub(offered - offering * u128::from(radius));
            // Rounded down, so that nobody offers more than clusters cost.
            let wait = (lacking / u128::from(waiting)).min(u128::from(u64::MAX)) as u64;
            let time = radius.saturating_add(wait);
            if best.is_none_or(|b| (time, radius) < b) {
                best = Some((time, radius));
            }
        }
        best
    }

    /// The records that paid for a cluster: those that offer more than its radius, and those that it
    /// connected.
    fn payers(&self, paid: &Cluster) -> Vec<u32> {
        let mut payers = Vec::new();
        self.tree.within(paid.centre, paid.radius, |r| {
            if self.offer[r as usize].is_some_and(|offer| offer >= paid.radius) {
                payers.push(r);
            }
        });
        payers.sort_unstable();
        payers
    }

    fn open(&self, mut paid: Vec<Cluster>, run: &Run) -> Result<Vec<Cluster>, Stopped> {
        paid.sort_by_key(|p| (Reverse(p.radius), p.centre));
        let mut taken: Vec<Option<usize>> = vec![None; self.offer.len()];
        let mut open: Vec<Cluster> = Vec::new();
        let mut closed: Vec<(Cluster, usize)> = Vec::new();
        for cluster in paid {
            run.check()?;
            let payers = self.payers(&cluster);
            match payers.iter().find_map(|&r| taken[r as usize]) {
                Some(by) => closed.push((cluster, by)),
                None => {
                    payers.iter().for_each(|&r| taken[r as usize] = Some(open.len()));
                    open.push(Cluster { records: payers, ..cluster });
                }
            }
        }
        for (cluster, by) in closed {
            for record in cluster.records {
                if taken[record as usize].is_none() {
                    // Whoever took its payer will do for the factor; so will the smallest that holds it
                    // already, if it is no larger than three offers.
                    let most = self.offer[record as usize].unwrap_or(0).saturating_mul(3);
                    let within = |&o: &usize| {
                        open[o].radius <= most
                            && self.space().distance(open[o].centre, record) <= open[o].radius
                    };
                    let to = (0..open.len()).filter(within).min_by_key(|&o| open[o].radius).unwrap_or(by);
                    taken[record as usize] = Some(to);
                    open[to].records.push(record);
                }
            }
        }
        Ok(open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::random::Random;
    use kinfold_model::cost::{Cost, ONE, Objective, Rule};
    use kinfold_model::metric::{Axis, Clusters, Combine, Metric};
    use kinfold_model::problem::{Parts, Problem};

    /// Places in the plane, each a record of its own or a copy of one.
    fn plane(random: &mut Random, rows: usize) -> Problem {
        let side = 2 + random.below(8);
        let mut codes: Vec<u32> = Vec::new();
        let mut record_of = Vec::new();
        for _ in 0..rows {
            let place = [(); 2].map(|()| random.below(side) as u32);
            let known = codes.chunks(2).position(|c| c == place);
            record_of.push(known.unwrap_or(codes.len() / 2) as u32);
            if known.is_none() {
                codes.extend(place);
            }
        }
        let at: Vec<u64> = (0..side as u64).map(|x| x * x % 7 * ONE + x * ONE).collect();
        let mut sorted = at.clone();
        sorted.sort_unstable();
        let line = |column| Axis::Line {
            column,
            at: sorted.iter().map(|&x| x as i64).collect(),
            apart: ONE,
            mean: true,
            origin: (0.0, 1.0),
        };
        let combine = Combine::ALL[random.below(3)];
        let metric = Metric { axes: vec![line(0), line(1)], combine };
        let setup = Cost(random.below(12) as u64 * ONE / 2);
        let rules = (0..2).map(|_| Rule::line(vec![0; side], false, ONE).unwrap()).collect();
        let mut parts = Parts::new(2, Objective::Cellular, rules, record_of, codes);
        parts.clusters = Clusters { metric, setup, ..Clusters::default() };
        Problem::new(parts).unwrap()
    }

    /// The least cost of any clustering without a least size, by trying all.
    fn brute(space: &Space<'_>, fee: u64, row: u32, groups: &mut Vec<Vec<u32>>) -> u64 {
        if row as usize == space.problem().rows() {
            let cost = |g: &Vec<u32>| {
                let radii = (0..space.records() as u32).map(|c| super::super::balls::radius(space, c, g));
                radii.min().unwrap() * g.len() as u64 + fee
            };
            return groups.iter().map(cost).sum();
        }
        let mut best = u64::MAX;
        for i in 0..=groups.len() {
            if i == groups.len() {
                groups.push(Vec::new());
            }
            groups[i].push(row);
            best = best.min(brute(space, fee, row + 1, groups));
            groups[i].pop();
            if groups[i].is_empty() {
                groups.pop();
            }
        }
        best
    }

    #[test]
    fn theorem_3_5_clusters_cost_at_most_three_times_the_best_and_the_dual_at_most_the_best() {
        let mut random = Random::new(35);
        let mut worst: f64 = 0.0;
        for _ in 0..1_000 {
            let rows = 3 + random.below(4);
            let problem = plane(&mut random, rows);
            let fee = problem.clusters().setup.0;
            let space = Space::new(&problem);
            let tree = Tree::of_all(&space);
            let hints = vec![0; space.records()];
            let dual = Dual::new(&tree, &hints, Fee { times: 0, least: 1, left_out: 0 });
            let duals = dual.solve(&Run::default()).unwrap();
            let rows_of =
                |o: &Cluster| o.records.iter().flat_map(|&r| problem.rows_of(r)).copied().collect::<Vec<_>>();
            let clustered: usize = duals.open.iter().map(|o| rows_of(o).len()).sum();
            assert_eq!(clustered, rows);
            let cost: u64 = (duals.open.iter())
                .map(|o| {
                    super::super::balls::radius(&space, o.centre, &rows_of(o)) * rows_of(o).len() as u64 + fee
                })
                .sum();
            let best = brute(&space, fee, 0, &mut Vec::new());
            assert!(duals.offered <= u128::from(best), "{} is above the best {best}", duals.offered);
            // Offers are rounded down by less than a unit.
            assert!(cost <= 3 * best + 100, "{cost} is above three times {best}");
            worst = worst.max(cost as f64 / best.max(1) as f64);
        }
        assert!((1.0..=3.0 + 1e-6).contains(&worst), "{worst}");
        println!("the worst factor was {worst:.3}");
    }
}
