//! The best grouping that a list of groups allows: branch and bound over set partitioning.
//!
//! # The idea
//! In every node the linear program over the groups that are left gives prices; rounded to whole units and
//! marked down over the list they prove what the node costs at least. Groups that cost too much beyond their
//! worth are struck for good, so lists shrink quickly. Where the program takes parts of groups, two people
//! are together in some of it and apart in the rest: one branch keeps them together, the other apart (Ryan,
//! Foster 1981). Copies of a record are alike, so for them the question is whether a group is taken or not.
//!
//! # Exactness
//! Every bound is of whole numbers. Nodes that could be better by no more than rounding (a few units of 2⁻³²
//! of a cell per person) are left, and count as open: the bound that is answered is honest about them.

use crate::bounds::boxes::Space;
use crate::bounds::cuts::{self, NOISE, exceeded, most_pairs};
use crate::bounds::master::{Column, Demand, solve};
use crate::bounds::tariff::Tariff;
use crate::{Run, Stopped};
use kinfold_model::Cut;
use std::collections::{BTreeMap, BTreeSet};

/// Units per person that a node may be better by and still be left.
const ROUNDING: u64 = 16;
/// Groups in the linear program of a node at first, and groups that join it at a time.
const WORKING: usize = 500;
/// Rounds of cuts in the first node and in others.
const CUT_ROUNDS: (usize, usize) = (40, 4);
/// A round of cuts must lift the bound by this share of what is missing.
const LIFT: f64 = 0.02;
/// Cuts that are added at a time.
const CUTS: usize = 60;
/// Groups in a node for which no pairs are tried before one is chosen.
const SMALL: usize = 150;

/// Branch and bound over a list of groups.
pub(crate) struct Partition<'a> {
    space: &'a Space<'a>,
    columns: &'a [Column],
    run: &'a Run,
    /// The cost of the best grouping, and its groups once there is a better one than was known.
    pub(crate) best_cost: u64,
    pub(crate) best: Option<Vec<u32>>,
    /// Groupings that cost this much or more are not looked for; one may turn up all the same.
    cutoff: u64,
    /// The least bound of nodes that were left open.
    pub(crate) open: u64,
    nodes: usize,
    /// Pairs that are tried before one is chosen to branch on.
    pub(crate) tried: usize,
}

#[derive(Clone)]
struct Node {
    /// People still without a group.
    people: Vec<u64>,
    columns: Vec<u32>,
    taken: Vec<u32>,
    cost: u64,
    tariff: Tariff,
}

enum Branch {
    Pair(u32, u32),
    Take(u32),
}

impl<'a> Partition<'a> {
    pub(crate) fn new(
        space: &'a Space<'a>,
        columns: &'a [Column],
        best_cost: u64,
        cutoff: u64,
        nodes: usize,
        run: &'a Run,
    ) -> Self {
        let cutoff = cutoff.min(best_cost);
        Self { space, columns, run, best_cost, best: None, cutoff, open: u64::MAX, nodes, tried: 1 }
    }

    /// Searches; false if the deadline or the limit of nodes came first.
    pub(crate) fn search(&mut self, tariff: &Tariff) -> Result<bool, Stopped> {
        let root = Node {
            people: self.space.people.clone(),
            columns: (0..self.columns.len() as u32).collect(),
            taken: Vec::new(),
            cost: 0,
            tariff: tariff.clone(),
        };
        self.explore(root, CUT_ROUNDS.0)
    }

    fn explore(&mut self, mut node: Node, mut rounds: usize) -> Result<bool, Stopped> {
        loop {
            self.run.check()?;
            let left: u64 = node.people.iter().sum();
            if left == 0 {
                self.keep_if_better(node.cost, node.taken);
                return Ok(true);
            }
            if !self.covered(&node) {
                return Ok(true);
            }
            let relaxed = self.tighten(&node, left, rounds);
            rounds = CUT_ROUNDS.1;
            let bound = node.cost.saturating_add_signed(relaxed.bound);
            if bound >= self.cutoff {
                return Ok(true);
            }
            if bound + ROUNDING * left >= self.cutoff {
                self.open = self.open.min(bound);
                return Ok(true);
            }
            if self.nodes == 0 || self.run.out_of_time() {
                self.open = self.open.min(bound);
                return Ok(false);
            }
            self.nodes -= 1;
            node.tariff = relaxed.tariff;
            self.round(&node, &relaxed.shares);
            let slack = self.cutoff.saturating_sub(1 + bound) as i64;
            node.columns.retain(|&c| node.tariff.slack(&self.columns[c as usize]) <= slack);
            let Some(branch) = self.choose(&node, left, bound, &relaxed.shares) else { return Ok(true) };
            let first = self.first_child(&node, &branch);
            if !self.explore(first, CUT_ROUNDS.1)? {
                // What was not looked at is bounded by this node.
                self.open = self.open.min(bound);
                return Ok(false);
            }
            self.strike(&mut node, &branch);
        }
    }

    /// Whether everybody is in some group that is left.
    fn covered(&self, node: &Node) -> bool {
        let mut alone: Vec<bool> = node.people.iter().map(|&people| people > 0).collect();
        for &column in &node.columns {
            self.columns[column as usize].members.iter().for_each(|&(r, _)| alone[r as usize] = false);
        }
        !alone.contains(&true)
    }

    fn keep_if_better(&mut self, cost: u64, taken: Vec<u32>) {
        if cost < self.best_cost {
            self.best_cost = cost;
            self.cutoff = self.cutoff.min(cost);
            self.best = Some(taken);
        }
    }

    /// The node's bound, lifted by cuts as long as they help.
    fn tighten(&self, node: &Node, left: u64, rounds: usize) -> Relaxed {
        let mut cuts: Vec<Cut> = node.tariff.prices.cuts.clone();
        let mut best = self.relax(node, &node.tariff, left, &cuts);
        for _ in 0..rounds {
            let missing = self.cutoff as f64 - (node.cost as f64 + best.bound as f64);
            if missing <= 0.0 || self.run.out_of_time() {
                break;
            }
            let shares = best.shares.iter().map(|&(c, share)| (&self.columns[c as usize], share));
            // Cuts that cost nothing do nothing: they give way to new ones.
            cuts = best.tariff.prices.cuts.clone();
            let fresh = exceeded(shares, &node.people, CUTS);
            let known = cuts.len();
            cuts::add(&mut cuts, fresh);
            if cuts.len() == known {
                break;
            }
            let next = self.relax(node, &best.tariff, left, &cuts);
            let lift = (next.bound - best.bound) as f64;
            if next.bound > best.bound {
                best = next;
            }
            if lift < LIFT * missing {
                break;
            }
        }
        best
    }

    /// Solves the node's linear program over as few groups as needed, and proves a bound from its prices.
    fn relax(&self, node: &Node, start: &Tariff, left: u64, cuts: &[Cut]) -> Relaxed {
        let demand = Demand { people: &node.people, groups: left / self.space.problem.k(), cuts };
        let slack = |tariff: &Tariff, c: u32| tariff.slack(&self.columns[c as usize]);
        let mut tariff = start.clone();
        let mut by_slack: Vec<(i64, u32)> = node.columns.iter().map(|&c| (slack(&tariff, c), c)).collect();
        by_slack.sort_unstable();
        let mut working: Vec<u32> = by_slack.iter().take(WORKING).map(|&(_, c)| c).collect();
        let mut shares = Vec::new();
        while !self.run.out_of_time() {
            let columns: Vec<&Column> = working.iter().map(|&c| &self.columns[c as usize]).collect();
            // Without an answer the prices of the node above still prove something once they are marked down.
            let Some(answer) = solve(self.space, &demand, &columns, None) else { break };
            tariff = Tariff::new(answer.prices);
            shares = working.iter().copied().zip(answer.shares).collect();
            let mut dear: Vec<(i64, u32)> = node.columns.iter().map(|&c| (slack(&tariff, c), c)).collect();
            dear.retain(|&(slack, _)| slack < -(1 << 12));
            let known: BTreeSet<u32> = working.iter().copied().collect();
            dear.retain(|(_, c)| !known.contains(c));
            if dear.is_empty() {
                break;
            }
            dear.sort_unstable();
            working.extend(dear.iter().take(WORKING).map(|&(_, c)| c));
        }
        // The dearest of a group that is worth too much is marked down, as in `repair.rs`.
        let mut off: BTreeMap<u32, i64> = BTreeMap::new();
        for &c in &node.columns {
            let too_much = -slack(&tariff, c);
            if too_much > 0 {
                let members = self.columns[c as usize].members.iter().map(|&(record, _)| record);
                let precedes = |a, b| if tariff.prices.precedes(a, b) { a } else { b };
                let off = off.entry(members.reduce(precedes).unwrap_or(0)).or_default();
                *off = too_much.max(*off);
            }
        }
        off.into_iter().for_each(|(record, off)| tariff.prices.of_record[record as usize] -= off);
        let prices = tariff.prices.of_record.iter().zip(&node.people);
        let worth: i128 = prices.map(|(&price, &people)| i128::from(price) * i128::from(people)).sum();
        let groups = i128::from(demand.groups) * i128::from(tariff.prices.per_group);
        let charges = (tariff.prices.cuts.iter())
            .map(|cut| i128::from(cut.price) * i128::from(most_pairs(cut, &node.people)));
        let bound = worth - groups - charges.sum::<i128>();
        let bound = bound.clamp(-i128::from(i64::MAX / 4), i128::from(i64::MAX / 4)) as i64;
        Relaxed { tariff, bound, shares }
    }

    /// Takes groups by falling share as long as they fit: often a grouping already.
    fn round(&mut self, node: &Node, shares: &[(u32, f64)]) {
        let mut by_share: Vec<&(u32, f64)> = shares.iter().filter(|(_, share)| *share > NOISE).collect();
        by_share.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let (mut people, mut cost, mut taken) = (node.people.clone(), node.cost, node.taken.clone());
        for (column, _) in by_share {
            let group = &self.columns[*column as usize];
            while group.take(&mut people) {
                cost += group.cost;
                taken.push(*column);
            }
        }
        if people.iter().all(|&left| left == 0) {
            self.keep_if_better(cost, taken);
        }
    }

    /// How to part the node in two: by the pair whose two branches both lift the bound most.
    fn choose(&self, node: &Node, left: u64, bound: u64, shares: &[(u32, f64)]) -> Option<Branch> {
        let mut together: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        let mut largest: Option<(f64, u32)> = None;
        for &(column, share) in shares.iter().filter(|(_, share)| *share > NOISE) {
            if node.columns.binary_search(&column).is_err() {
                continue;
            }
            if largest.is_none_or(|(most, _)| share > most) {
                largest = Some((share, column));
            }
            let members = &self.columns[column as usize].members;
            let single = |&&(record, _): &&(u32, u64)| node.people[record as usize] == 1;
            for (i, a) in members.iter().enumerate().filter(|(_, m)| single(m)) {
                for b in members[i + 1..].iter().filter(single) {
                    *together.entry((a.0, b.0)).or_default() += share;
                }
            }
        }
        let undecided = |share: f64| share.min(1.0 - share);
        let mut pairs: Vec<(f64, (u32, u32))> =
            together.into_iter().map(|(pair, share)| (undecided(share), pair)).collect();
        pairs.retain(|&(doubt, _)| doubt > 0.02);
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // Groups were struck since the program was solved: a pair must still be together in some and apart in
        // others.
        let open = |&&(_, (a, b)): &&(f64, (u32, u32))| {
            let split = node.columns.iter().any(|&c| self.holds(c, a, b) == 1);
            split && node.columns.iter().any(|&c| self.holds(c, a, b) == 2)
        };
        let tried = if node.columns.len() > SMALL { self.tried } else { 1 };
        let pairs: Vec<(u32, u32)> = pairs.iter().filter(open).take(tried).map(|&(_, pair)| pair).collect();
        let best = match pairs[..] {
            [] | [_] => pairs.first(),
            _ if self.run.out_of_time() => pairs.first(),
            _ => pairs.iter().max_by_key(|&&(a, b)| {
                let lift = |keep: &dyn Fn(usize) -> bool| {
                    let columns = node.columns.iter().copied().filter(|&c| keep(self.holds(c, a, b)));
                    let child = Node { columns: columns.collect(), ..node.clone() };
                    let cuts: Vec<Cut> = node.tariff.prices.cuts.clone();
                    let child = if self.covered(&child) {
                        node.cost.saturating_add_signed(self.relax(&child, &node.tariff, left, &cuts).bound)
                    } else {
                        self.cutoff
                    };
                    u128::from(child.min(self.cutoff).saturating_sub(bound) + 1)
                };
                lift(&|held| held != 1) * lift(&|held| held != 2)
            }),
        };
        match (best, largest) {
            (Some(&(a, b)), _) => Some(Branch::Pair(a, b)),
            (None, Some((_, column))) => Some(Branch::Take(column)),
            (None, None) => node.columns.first().map(|&column| Branch::Take(column)),
        }
    }

    /// How many of two people a group holds.
    fn holds(&self, column: u32, a: u32, b: u32) -> usize {
        let members = &self.columns[column as usize].members;
        members.iter().filter(|&&(record, _)| record == a || record == b).count()
    }

    fn first_child(&self, node: &Node, branch: &Branch) -> Node {
        let mut child = node.clone();
        match *branch {
            Branch::Pair(a, b) => child.columns.retain(|&c| self.holds(c, a, b) != 1),
            Branch::Take(column) => {
                let group = &self.columns[column as usize];
                group.take(&mut child.people);
                child.cost += group.cost;
                child.taken.push(column);
                child.columns.retain(|&c| self.columns[c as usize].fits(&child.people));
            }
        }
        child
    }

    /// The other branch: the pair is apart, or the group is not taken (again).
    fn strike(&self, node: &mut Node, branch: &Branch) {
        match *branch {
            Branch::Pair(a, b) => node.columns.retain(|&c| self.holds(c, a, b) != 2),
            Branch::Take(column) => node.columns.retain(|&c| c != column),
        }
    }
}

struct Relaxed {
    tariff: Tariff,
    bound: i64,
    shares: Vec<(u32, f64)>,
}
