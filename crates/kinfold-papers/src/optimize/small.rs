//! The best grouping of a few dozen rows, mostly in about a millisecond: what a block of Split & Carry is solved by
//! (paper *optimize*, Algorithm 1, line 7).
//!
//! # The problem
//! `exact` finds prices by column generation, which pays for hundreds of rows. Split & Carry asks for
//! thousands of blocks of a dozen rows or two.
//!
//! # The idea
//! So few rows have so few groups that all which matter can be listed at once. Moving and swapping rows makes
//! the grouping at hand a good one. Nobody is worth more than the way to the (k − 1)-th nearest other person,
//! and with such prices a better grouping holds only groups that cost less beyond their worth than the
//! grouping at hand costs beyond the bound (`bounds/enumerate.rs`). Over the list of these, prices are raised
//! as far as the list allows, which strikes most of it. What is left is walked through: the first person
//! without a group tries one after another, the best first, unless what the others are worth says that it is
//! in vain, or the same people were left before at less cost. Where that takes long, the prices of the list's
//! linear program cut it short.
//!
//! Where the list gets too long, column generation (`bounds/lp.rs`) finds better prices, and narrow lists
//! come first.
//!
//! # Exactness
//! All bounds are of whole numbers. The linear program is not trusted: its prices are marked down until they
//! hold for the whole list.
//!
//! # What it lacks
//! The number of groups grows as rows to the power of 2k − 1: it gives up where lists stay long.

use kinfold::model::{Cost, Prices, Rule, RuleKind};
use kinfold::toolkit::{
    Column, Members, Space, fewest_stars_start, generated_prices, grouping, prices_of_groups,
    prices_of_nearest,
};
use kinfold::{Effort, Run, Stopped};
use std::collections::HashMap;

/// People and labels that fit a word.
const WORD: usize = 64;
/// Beyond so many people moving and swapping takes long, too.
const MOST_PEOPLE: u64 = 128;
/// Groups in a list.
const LONGEST: usize = 30_000;
/// Steps of search before the linear program is asked.
const QUICK: usize = 500;
/// Groups in the linear program at first, and groups that join it at a time.
const WORKING: usize = 300;
/// With good prices, the first list holds groups within this part of the margin: one in so many.
const FIRST_PART: u64 = 8;
/// Each next list is within so many times the margin.
const WIDER: u64 = 2;

/// A grouping that is never worse than `start`, and whether it is proven to be the best. `steps`: of the walk through
/// a list; `rounds`: of column generation. Too many people or labels for the search are only moved and swapped.
pub(super) fn best(
    space: &Space<'_>,
    start: Vec<Members>,
    steps: usize,
    rounds: usize,
    run: &Run,
) -> Result<(Vec<Members>, bool), Stopped> {
    let problem = space.problem;
    let boxes = Boxes::new(space).filter(|_| problem.people() <= MOST_PEOPLE);
    let Some(boxes) = boxes else { return Ok((start, false)) };
    let start = boxes.descend(&start, problem.k() as usize);
    if problem.people() > WORD as u64 {
        return Ok((start, false));
    }
    let cost = space.cost_of(&start);
    let mut search = BlockSearch { space, boxes, steps, groups: start, cost };
    let mut proven = search.within(&prices_of_nearest(space), 1);
    if !proven && rounds > 0 && !run.out_of_time() {
        let cost = Cost(search.cost);
        let known = generated_prices(space, search.groups.clone(), cost, rounds, run)?;
        proven = search.within(&known, FIRST_PART);
        if !proven {
            // A better grouping narrows the lists.
            let run = &Run { call: run.call.quietly(), effort: Effort::Normal, ..run.clone() };
            search.take(grouping(problem, &fewest_stars_start(problem, run)?));
            proven = search.within(&known, FIRST_PART);
        }
    }
    Ok((search.groups, proven))
}

/// The best grouping so far.
struct BlockSearch<'a> {
    space: &'a Space<'a>,
    boxes: Boxes<'a>,
    steps: usize,
    groups: Vec<Members>,
    cost: u64,
}

impl BlockSearch<'_> {
    /// Takes a grouping if it is better.
    fn take(&mut self, groups: Vec<Members>) {
        let cost = self.space.cost_of(&groups);
        if cost < self.cost {
            (self.groups, self.cost) = (groups, cost);
        }
    }

    /// Looks for better groupings among the groups that cost little beyond their worth; says whether there is
    /// none left. A narrow list comes first, one `part` of what a better grouping may cost beyond the bound:
    /// what it finds narrows the rest.
    fn within(&mut self, prices: &Prices, part: u64) -> bool {
        let least = prices.bound(self.space.problem).0;
        let whole = |cost: u64| cost.saturating_sub(least + 1);
        let mut margin = whole(self.cost) / part + 1;
        while self.cost > least {
            margin = margin.min(whole(self.cost));
            let Some(groups) = self.boxes.list(self.space, prices, margin) else { return false };
            // A grouping with another group than these costs at least as much.
            let mut walk = Walk::new(self.space, groups, self.cost.min(least + margin + 1));
            let dear = raised(self.space, &walk.groups, prices);
            let finished = walk.search(&dear, QUICK) || {
                let dear = improved(self.space, &walk.groups, &dear);
                walk.search(&dear, self.steps)
            };
            if let Some(best) = &walk.best {
                self.take(best.iter().map(|&g| walk.groups[g as usize].members.clone()).collect());
            }
            if !finished {
                return false;
            }
            if margin >= whole(self.cost) {
                return true;
            }
            margin *= WIDER;
        }
        true
    }
}

/// What a box covers in a column: the ends of a run, or which labels as bits.
type Side = (u64, u64);

enum Kind<'a> {
    /// Places on a line.
    Line,
    /// Labels, each a bit of its own.
    Labels { step: u64 },
    /// Codes whose cost depends on the first and the last.
    Run(&'a Rule),
}

/// The records of a block in a form that makes boxes cheap to grow.
struct Boxes<'a> {
    kinds: Vec<Kind<'a>>,
    /// Sides of record 0 in every column, then of record 1, …
    records: Vec<Side>,
    people: &'a [u64],
}

impl<'a> Boxes<'a> {
    /// `None` if some column has too many labels.
    fn new(space: &'a Space<'_>) -> Option<Self> {
        let mut kinds = Vec::new();
        let mut labels: Vec<Vec<u32>> = Vec::new();
        for (column, rule) in space.rules().iter().enumerate() {
            let mut codes: Vec<u32> = (0..space.records()).map(|r| space.codes(r)[column]).collect();
            codes.sort_unstable();
            codes.dedup();
            kinds.push(match rule.kind() {
                RuleKind::Line { missing: false, .. } => Kind::Line,
                RuleKind::Set { .. } if codes.len() > WORD => return None,
                RuleKind::Set { step, .. } => Kind::Labels { step: *step },
                _ => Kind::Run(rule),
            });
            labels.push(codes);
        }
        let side = |(column, &code): (usize, &u32)| match space.rules()[column].kind() {
            RuleKind::Line { at, missing: false } => (at[code as usize], at[code as usize]),
            RuleKind::Set { .. } => (1 << labels[column].partition_point(|&c| c < code), 0),
            _ => (u64::from(code), u64::from(code)),
        };
        let records = (0..space.records())
            .flat_map(|r| space.codes(r).iter().enumerate().map(side).collect::<Vec<_>>());
        Some(Self { records: records.collect(), kinds, people: &space.people })
    }

    fn sides(&self, record: u32) -> &[Side] {
        &self.records[record as usize * self.kinds.len()..][..self.kinds.len()]
    }

    /// Makes `grown` the box stretched to a record, and returns what it costs.
    fn stretch(&self, sides: &[Side], record: u32, grown: &mut Vec<Side>) -> u64 {
        grown.clear();
        let mut cost = 0;
        for ((kind, &(a, b)), &(c, d)) in self.kinds.iter().zip(sides).zip(self.sides(record)) {
            let side = match kind {
                Kind::Labels { step } => {
                    cost += step * (u64::from((a | c).count_ones()) - 1);
                    (a | c, 0)
                }
                Kind::Line => {
                    cost += b.max(d) - a.min(c);
                    (a.min(c), b.max(d))
                }
                Kind::Run(rule) => {
                    cost += rule.between(a.min(c) as u32, b.max(d) as u32).0;
                    (a.min(c), b.max(d))
                }
            };
            grown.push(side);
        }
        cost
    }

    /// What a group of these people costs.
    fn cost(&self, people: &[u32]) -> u64 {
        let Some((&first, others)) = people.split_first() else { return 0 };
        let (mut sides, mut grown, mut cost) = (self.sides(first).to_vec(), Vec::new(), 0);
        for &record in others {
            cost = self.stretch(&sides, record, &mut grown);
            std::mem::swap(&mut sides, &mut grown);
        }
        people.len() as u64 * cost
    }

    /// Moves and swaps people between groups as long as that makes the grouping cheaper.
    fn descend(&self, start: &[Members], k: usize) -> Vec<Members> {
        let one_by_one = |members: &Members| {
            members.iter().flat_map(|&(record, copies)| (0..copies).map(move |_| record)).collect()
        };
        let mut groups: Vec<Vec<u32>> = start.iter().map(one_by_one).collect();
        let mut costs: Vec<u64> = groups.iter().map(|group| self.cost(group)).collect();
        let mut better = true;
        while better {
            better = false;
            for a in 0..groups.len() {
                for b in (0..groups.len()).filter(|&b| b != a) {
                    if costs[a] + costs[b] > 0 && self.exchange(&mut groups, &mut costs, a, b, k) {
                        better = true;
                    }
                }
            }
        }
        let by_record = |mut group: Vec<u32>| {
            group.sort_unstable();
            group.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
        };
        groups.into_iter().map(by_record).collect()
    }

    /// Moves one person from `a` to `b`, or swaps two, where that helps.
    fn exchange(&self, groups: &mut [Vec<u32>], costs: &mut [u64], a: usize, b: usize, k: usize) -> bool {
        let before = costs[a] + costs[b];
        for i in 0..groups[a].len() {
            let (mut left, mut right) = (groups[a].clone(), groups[b].clone());
            let leaves = left.swap_remove(i);
            right.push(leaves);
            if left.len() >= k && right.len() < 2 * k {
                let after = [self.cost(&left), self.cost(&right)];
                if after[0] + after[1] < before {
                    (groups[a], groups[b]) = (left, right);
                    (costs[a], costs[b]) = (after[0], after[1]);
                    return true;
                }
            }
            for j in 0..if a < b { groups[b].len() } else { 0 } {
                let (mut left, mut right) = (left.clone(), right.clone());
                left.push(right.swap_remove(j));
                let first = self.cost(&left);
                if first >= before {
                    continue;
                }
                let second = self.cost(&right);
                if first + second < before {
                    (groups[a], groups[b]) = (left, right);
                    (costs[a], costs[b]) = (first, second);
                    return true;
                }
            }
        }
        false
    }

    /// All groups that cost at most so much more than they are worth; `None` if they are too many.
    fn list(&self, space: &Space<'_>, prices: &Prices, slack: u64) -> Option<Vec<Column>> {
        let mut dearest = prices.of_record.clone();
        for record in (1..dearest.len()).rev() {
            dearest[record - 1] = dearest[record - 1].max(dearest[record]);
        }
        let k = space.problem.k() as i64;
        let mut lister = Lister {
            boxes: self,
            prices,
            dearest,
            k,
            slack: slack as i64 - prices.per_group as i64,
            grown: vec![Vec::new(); 2 * k as usize],
            chosen: Vec::new(),
            found: Vec::new(),
        };
        for record in 0..space.records() {
            lister.grown[1] = self.sides(record).to_vec();
            lister.chosen.push(record);
            let few = lister.grow(1, prices.of(record));
            lister.chosen.pop();
            if !few {
                return None;
            }
        }
        Some(lister.found)
    }
}

struct Lister<'a> {
    boxes: &'a Boxes<'a>,
    prices: &'a Prices,
    /// The dearest price of a record and all after it.
    dearest: Vec<i64>,
    k: i64,
    slack: i64,
    /// The box of the first so many people.
    grown: Vec<Vec<Side>>,
    chosen: Vec<u32>,
    found: Vec<Column>,
}

impl Lister<'_> {
    /// Lists the groups that start with those chosen, of ascending records; false once they are too many.
    fn grow(&mut self, people: i64, worth: i64) -> bool {
        let last = self.chosen[people as usize - 1];
        let taken = self.chosen.iter().rev().take_while(|&&r| r == last).count() as u64;
        let first = last + u32::from(taken == self.boxes.people[last as usize]);
        for record in first..self.boxes.people.len() as u32 {
            let (before, after) = self.grown.split_at_mut(people as usize + 1);
            let cost = self.boxes.stretch(&before[people as usize], record, &mut after[0]) as i64;
            let (people, worth) = (people + 1, worth + self.prices.of(record));
            // The others each pay for the box at least, and are worth no more than the dearest.
            let margin = cost - self.dearest[record as usize];
            let (needed, room) = ((self.k - people).max(0), 2 * self.k - 1 - people.max(self.k));
            if people * cost - worth + needed * margin + room * margin.min(0) > self.slack {
                continue;
            }
            self.chosen.push(record);
            if people >= self.k && people * cost - worth <= self.slack {
                let same = self.chosen.chunk_by(|a, b| a == b);
                let members = same.map(|same| (same[0], same.len() as u64)).collect();
                self.found.push(Column { members, cost: (people * cost) as u64 });
            }
            let few = self.found.len() <= LONGEST && (people == 2 * self.k - 1 || self.grow(people, worth));
            self.chosen.pop();
            if !few {
                return false;
            }
        }
        true
    }
}

/// Raises prices as far as a list of groups allows, first by halves, so that all get something.
fn raised(space: &Space<'_>, groups: &[Column], prices: &Prices) -> Prices {
    let mut prices = prices.clone();
    let mut slack: Vec<i64> = groups.iter().map(|group| group.slack(&prices)).collect();
    let mut holding: Vec<Vec<(u32, i64)>> = vec![Vec::new(); space.people.len()];
    for (g, group) in (0u32..).zip(groups) {
        group.members.iter().for_each(|&(r, copies)| holding[r as usize].push((g, copies as i64)));
    }
    for part in [2, 2, 2, 1] {
        for (price, holding) in prices.of_record.iter_mut().zip(&holding) {
            let most = holding.iter().map(|&(g, copies)| slack[g as usize] / copies).min().unwrap_or(0);
            let rise = most / part;
            *price += rise;
            holding.iter().for_each(|&(g, copies)| slack[g as usize] -= copies * rise);
        }
    }
    prices
}

/// The prices of the list's linear program, marked down until no group is worth too much; those known if they
/// are better.
fn improved(space: &Space<'_>, groups: &[Column], known: &Prices) -> Prices {
    let mut prices = known.clone();
    let (mut working, mut rest): (Vec<&Column>, Vec<&Column>) = (Vec::new(), groups.iter().collect());
    loop {
        rest.sort_by_key(|group| group.slack(&prices));
        let dear = rest.partition_point(|group| group.slack(&prices) < -(1 << 12));
        let joining = if working.is_empty() { rest.len() } else { dear };
        if joining == 0 {
            break;
        }
        working.extend(rest.drain(..joining.min(WORKING)));
        let Some(better) = prices_of_groups(space, &working) else { break };
        prices = better;
    }
    for group in groups {
        let too_much = -group.slack(&prices);
        let records = group.members.iter().map(|&(record, _)| record);
        let dearest = records.reduce(|a, b| if prices.precedes(a, b) { a } else { b });
        if let Some(dearest) = dearest.filter(|_| too_much > 0) {
            prices.of_record[dearest as usize] -= too_much;
        }
    }
    if prices.bound(space.problem) > known.bound(space.problem) { prices } else { known.clone() }
}

/// Depth-first search for the best grouping that a list allows.
struct Walk<'a> {
    space: &'a Space<'a>,
    groups: Vec<Column>,
    /// Per record the first of its bits, of which as many are set, from the first on, as people are without a
    /// group.
    first_bit: Vec<u32>,
    /// Groupings that cost as much are not looked for.
    cutoff: i64,
    best: Option<Vec<u32>>,
    taken: Vec<u32>,
}

/// What a search knows beside the list.
struct Guide<'a> {
    prices: &'a Prices,
    /// Records, those with the fewest groups first, each with its groups by what they cost beyond their
    /// worth.
    choices: Vec<(u32, Vec<(i64, u32)>)>,
    /// The least cost at which these people were left.
    seen: HashMap<u64, i64>,
    steps: usize,
}

/// People without a group, how many they are and what they are worth; what the others cost.
#[derive(Clone, Copy)]
struct Node {
    free: u64,
    people: u64,
    worth: i64,
    cost: i64,
}

impl<'a> Walk<'a> {
    fn new(space: &'a Space<'a>, groups: Vec<Column>, cutoff: u64) -> Self {
        let first_bit = space.people.iter().scan(0, |next, &people| {
            *next += people as u32;
            Some(*next - people as u32)
        });
        let first_bit = first_bit.collect();
        Self { space, groups, first_bit, cutoff: cutoff as i64, best: None, taken: Vec::new() }
    }

    /// Searches; false if the steps do not suffice.
    fn search(&mut self, prices: &Prices, steps: usize) -> bool {
        let slack = self.cutoff - prices.bound(self.space.problem).0 as i64;
        let mut lists = vec![Vec::new(); self.space.people.len()];
        for (g, group) in (0u32..).zip(&self.groups) {
            let over = group.slack(prices);
            if over < slack {
                group.members.iter().for_each(|&(record, _)| lists[record as usize].push((over, g)));
            }
        }
        lists.iter_mut().for_each(|list| list.sort_unstable());
        let mut choices: Vec<(u32, Vec<(i64, u32)>)> = (0u32..).zip(lists).collect();
        choices.sort_by_key(|(record, list)| (list.len(), *record));
        let people = self.space.problem.people();
        let worth =
            prices.of_record.iter().zip(&self.space.people).map(|(&price, &n)| price * n as i64).sum();
        let all = Node { free: u64::MAX >> (64 - people), people, worth, cost: 0 };
        self.explore(all, &mut Guide { prices, choices, seen: HashMap::new(), steps })
    }

    fn explore(&mut self, node: Node, guide: &mut Guide<'_>) -> bool {
        if node.people == 0 {
            if node.cost < self.cutoff {
                self.cutoff = node.cost;
                self.best = Some(self.taken.clone());
            }
            return true;
        }
        let groups = (node.people / self.space.problem.k()) as i64;
        let bound = node.cost + node.worth - groups * guide.prices.per_group as i64;
        if bound >= self.cutoff || guide.seen.get(&node.free).is_some_and(|&before| before <= node.cost) {
            return true;
        }
        guide.seen.insert(node.free, node.cost);
        if guide.steps == 0 {
            return false;
        }
        guide.steps -= 1;
        let is_free = |record: u32| node.free >> self.first_bit[record as usize] & 1 == 1;
        let Some(at) = guide.choices.iter().position(|&(record, _)| is_free(record)) else { return true };
        for i in 0..guide.choices[at].1.len() {
            let (over, g) = guide.choices[at].1[i];
            if bound + over >= self.cutoff {
                break;
            }
            let Some(free) = self.without(node.free, g) else { continue };
            let group = &self.groups[g as usize];
            let size = group.members.iter().map(|&(_, copies)| copies).sum::<u64>();
            let cost = group.cost as i64;
            let worth = node.worth - (cost + guide.prices.per_group as i64 - over);
            self.taken.push(g);
            let next = Node { free, people: node.people - size, worth, cost: node.cost + cost };
            let finished = self.explore(next, guide);
            self.taken.pop();
            if !finished {
                return false;
            }
        }
        true
    }

    /// Who is left when a group is taken; `None` if it does not fit.
    fn without(&self, free: u64, group: u32) -> Option<u64> {
        let mut left = free;
        for &(record, copies) in &self.groups[group as usize].members {
            let (first, people) = (self.first_bit[record as usize], self.space.people[record as usize]);
            if free >> (u64::from(first) + copies - 1) & 1 == 0 {
                return None;
            }
            let all = u64::MAX >> (64 - people) << first;
            left = left & !all | (left & all) >> copies & all;
        }
        Some(left)
    }
}
