//! Every group that costs at most so much more than it is worth.
//!
//! Prices that prove a bound split the cost of any grouping into the bound and what each of its groups costs
//! beyond its worth. So a grouping that is to beat the best known one has no group that costs more beyond its
//! worth than the best known grouping costs beyond the bound. Those groups are few, and are listed here:
//! built person by person from the dearest on, given up when no choice of further people can bring them
//! within the limit.
//!
//! The same search finds the dearest group around an anchor where pairs have prices, which
//! [`price`](super::price) does not know of: it lets only ever better groups count.

use super::boxes::{Around, Candidate, Space};
use super::master::Column;
use super::price::{Members, Priced, at_best, candidates};
use super::tariff::Tariff;
use crate::{Run, Stopped};

/// Anchors that are looked at between two counts.
const BATCH: usize = 64;

/// All groups whose cost exceeds their worth and the price per group by `slack` at most; `None` if they are
/// more than `limit`.
pub(crate) fn within_slack(
    space: &Space<'_>,
    tariff: &Tariff,
    slack: u64,
    limit: usize,
    run: &Run,
) -> Result<Option<Vec<Column>>, Stopped> {
    let anchors: Vec<u32> = (0..space.records()).filter(|&r| space.people[r as usize] > 0).collect();
    let mut all = Vec::new();
    for batch in anchors.chunks(BATCH) {
        let found = run.each(batch, |&anchor| {
            (!run.out_of_time()).then(|| around(space, tariff, slack, limit, anchor)).flatten()
        })?;
        for groups in found {
            let Some(groups) = groups else { return Ok(None) };
            all.extend(groups);
        }
        if all.len() > limit {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

/// The groups within the widest slack, up to `most`, for which they are about `limit` at most; wide lists
/// take longer than narrow ones, so it widens step by step.
pub(crate) fn within_limit(
    space: &Space<'_>,
    tariff: &Tariff,
    most: u64,
    limit: usize,
    run: &Run,
) -> Result<Vec<Column>, Stopped> {
    let mut slack = most / 1024 + 1;
    let mut list = Vec::new();
    loop {
        match within_slack(space, tariff, slack, limit, run)? {
            Some(wider) => list = wider,
            None => return Ok(list),
        }
        if slack >= most {
            return Ok(list);
        }
        slack = (slack + slack / 2 + 1).min(most);
    }
}

struct Enumeration<'a> {
    space: &'a Space<'a>,
    tariff: &'a Tariff,
    k: i64,
    /// The anchor's price: nobody is dearer.
    price: i64,
    /// What a group must be worth beyond its cost; usually negative.
    floor: i64,
    /// Whether a group that is found raises the floor.
    rising: bool,
    /// Started groups that are looked at; what those left open can be worth at most.
    budget: usize,
    open: i64,
    limit: usize,
    found: Vec<Column>,
}

/// A group in the making.
struct Started {
    around: Around,
    members: Members,
    people: i64,
    /// What its people are worth, less what they may be worth more because of pairs: that can only grow.
    worth: i64,
}

impl<'a> Enumeration<'a> {
    /// Groups around an anchor that are worth at least `floor` beyond their cost.
    fn new(space: &'a Space<'a>, tariff: &'a Tariff, anchor: u32, floor: i64) -> Self {
        Self {
            space,
            tariff,
            k: space.problem.k() as i64,
            price: tariff.prices.of(anchor),
            floor,
            rising: false,
            budget: usize::MAX,
            open: i64::MIN,
            limit: usize::MAX,
            found: Vec::new(),
        }
    }

    /// Searches; false if there are too many groups.
    fn run(&mut self, anchor: u32) -> bool {
        let Self { space, tariff, k, price, floor, .. } = *self;
        // k people, none dearer than the anchor, pay for a box that reaches as far as this.
        let radius = if floor <= 0 { price - floor / k + 1 } else { price }.max(0) as u64;
        let start = Started {
            around: Around::new(space, anchor),
            members: vec![(anchor, 1)],
            people: 1,
            worth: price,
        };
        let mut candidates = candidates(space, &tariff.prices, anchor, radius, |c| self.hopeful(&start, c));
        candidates.sort_unstable_by_key(|c| (std::cmp::Reverse(c.price), c.record));
        self.grow(&start, &candidates)
    }
}

/// The most that a group around this anchor is worth beyond its cost and what it may be worth more.
pub(crate) fn dearest(space: &Space<'_>, tariff: &Tariff, budget: usize, anchor: u32) -> Priced {
    let per_group = tariff.prices.per_group as i64;
    let mut search = Enumeration::new(space, tariff, anchor, per_group + 1);
    if search.price <= 0 || space.people[anchor as usize] == 0 {
        return Priced::default();
    }
    (search.rising, search.budget) = (true, budget);
    search.run(anchor);
    let most = (search.floor - 1).max(search.open) - per_group;
    Priced { most, groups: search.found.into_iter().map(|column| column.members).collect() }
}

fn around(space: &Space<'_>, tariff: &Tariff, slack: u64, limit: usize, anchor: u32) -> Option<Vec<Column>> {
    let mut search = Enumeration::new(space, tariff, anchor, tariff.prices.per_group as i64 - slack as i64);
    search.limit = limit;
    search.run(anchor).then_some(search.found)
}

impl Enumeration<'_> {
    /// Whether some group with this record can be worth enough.
    fn hopeful(&self, started: &Started, candidate: &Candidate) -> bool {
        let people = started.people + 1;
        let margin = self.price - candidate.reach;
        let others = if margin > 0 { 2 * self.k - 1 - people } else { (self.k - people).max(0) };
        started.worth + candidate.price - people * candidate.reach + others * margin >= self.floor
    }

    /// Lists the groups that start like this one; false once they are too many.
    fn grow(&mut self, started: &Started, candidates: &[Candidate]) -> bool {
        let cost = started.around.cost as i64;
        let worth = started.worth - started.people * cost;
        if started.people >= self.k && worth >= self.floor {
            let mut members = started.members.clone();
            members.sort_unstable();
            self.found.push(Column { members, cost: (started.people * cost) as u64 });
            if self.rising {
                self.floor = worth + 1;
            }
            if self.found.len() > self.limit {
                return false;
            }
        }
        if started.people == 2 * self.k - 1 {
            return true;
        }
        for (at, joins) in candidates.iter().enumerate() {
            let mut next = Started {
                around: started.around.clone(),
                members: started.members.clone(),
                people: started.people + 1,
                worth: started.worth + joins.price - self.tariff.for_pairs(&started.members, joins.record),
            };
            next.around.stretch(self.space, joins.record);
            match next.members.iter_mut().find(|(record, _)| *record == joins.record) {
                Some((_, copies)) => *copies += 1,
                None => next.members.push((joins.record, 1)),
            }
            let mut rest = Vec::with_capacity(candidates.len() - at);
            for other in &candidates[at..] {
                let copies = other.copies - u64::from(other.record == joins.record);
                let reach = next.around.cost_with(self.space, other.record) as i64;
                let other = Candidate { copies, reach, ..*other };
                if copies > 0 && self.hopeful(&next, &other) {
                    rest.push(other);
                }
            }
            let complete =
                next.people >= self.k && next.worth - next.people * next.around.cost as i64 >= self.floor;
            let mut near = rest.clone();
            near.sort_unstable_by_key(|c| c.reach);
            let best = at_best(&near, self.k as usize, next.people as usize, next.worth).map(|best| best.0);
            if !complete && best.is_none_or(|best| best < self.floor) {
                continue;
            }
            if self.budget == 0 {
                let now = next.worth - next.people * next.around.cost as i64;
                self.open = self.open.max(best.unwrap_or(now)).max(now);
                continue;
            }
            self.budget -= 1;
            if !self.grow(&next, &rest) {
                return false;
            }
        }
        true
    }
}
