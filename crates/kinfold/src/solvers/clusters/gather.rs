//! Gathering: the largest radius is as small as can be, within a factor of 2, or of 4 where outliers are left
//! out (paper *cluster*, section 2). No better factor than 2 is possible unless P = NP.
//!
//! # The problem
//! Groups of r = k rows or more around centres, so that nobody is far from the centre of the group. There may
//! be a limit on the number of groups (`max_groups`), and a share ε of the rows that may be left out
//! (`withhold`): those far from everybody, who would decide for all.
//!
//! # The idea
//! Guess the largest distance T = 2R within a group of the best grouping. Condition 1: everybody has r rows
//! within T. Condition 2: pick centres more than T apart until all rows are within T of one, and share the
//! rows out so that every centre gets r of them: a flow from centres to rows within T. Whatever T the best
//! grouping has, both hold; so the least T that passes is no larger, and gives a radius of T where no radius
//! can be below T/2 (theorem 2.3). If the centres picked are too many, the distance fails: at most one is
//! picked from each group of the best grouping, so at its distance they are few enough (section 2.4).
//!
//! With outliers: `outliers.rs` (theorem 2.4), and with a limit besides: `few_outliers.rs` (theorem 2.8).
//!
//! Where the paper says "arbitrary", centres are picked where rows are dense, and rows go to the nearest
//! centre; after that, changes that can only lower the radius are made (`balls.rs`). Distances are whole
//! numbers, so bisection needs no list of them.
//!
//! # Example
//! Places 0, 1, 2, 10, 11 with r = 2: T = 1 fails for nobody but leaves three centres 0, 2 and 10 without six
//! rows; T = 2 passes with centres 0 and 10 or 1 and 10. Places 0, 1, 10, 11, 30, 31 with two groups at most:
//! 0 to 11 around 10 or 1, radius 10, and 30 with 31.
//!
//! # What it lacks
//! Unless rows may be left out, one row far from all others decides for everybody. If they may, as many are
//! left out as help, which is often all that may be.

use super::balls::{Balls, join_nearest};
use super::space::{Space, Tree};
use super::threshold::{Bounded, least};
use super::{few_outliers, outliers};
use crate::{Answer, Card, Case, Input, Promise, Run, Setting, Solver, Stopped, Unsupported};
use kinfold_model::flow::Network;
use kinfold_model::{Cost, Objective, Problem};
use std::collections::BTreeMap;

pub(crate) struct Gather;

const CARD: Card = Card {
    key: "gather",
    title: "the largest radius around a centre, by thresholds and flows; with outliers withheld, and a limit on groups",
    paper: "Aggarwal, Panigrahy, Feder, Thomas, Kenthapadi, Khuller, Zhu: achieving anonymity via clustering, theorems 2.3, 2.4 and 2.8",
    objectives: &[Objective::Radius],
    promise: Promise::Factor("2 (2.02 beyond 50,000 distinct records)"),
    cases: &[
        Case::kept(&[Input::Plain, Input::Missing, Input::Weights], "theorem_2_3_gather_is_within_2"),
        Case::kept(&[Input::Limit], "section_2_4_kr_center_is_within_2"),
        Case::weaker(
            &[Input::Withholding],
            Promise::Factor("4 (3 with records; 4.04 beyond 50,000 distinct records)"),
            "theorem_2_4_gather_outliers_is_within_4_and_with_records_within_3",
            "the best may leave out others",
        ),
        Case::weaker(
            &[Input::LimitWithholding],
            Promise::Factor("4 (4.04 beyond 50,000 distinct records)"),
            "theorem_2_8_kr_center_outliers_is_within_4",
            "the best may leave out others",
        ),
        Case::weaker(
            &[Input::Middles],
            Promise::Factor(
                "2 (4 with withholding, also with records; 2.02 and 4.04 beyond 50,000 distinct records)",
            ),
            "factors_hold_where_centres_are_middles",
            "the factor of 3 is for centres at records",
        ),
        Case::declined(&[Input::Counts], "under objectives that make clusters a row is one person"),
    ],
    runtime: "n log n to n², depending on the distances",
    not_for: "low information loss by cell: objective ncp",
    settings: &[Setting {
        key: "records",
        values: &["false", "true"],
        about: "without a limit on groups: the variant with centres at records, whose factor is 3 with withholding, too",
    }],
    ..Card::BASE
};

impl Solver for Gather {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_settings(
        &self,
        problem: &Problem,
        settings: &BTreeMap<String, String>,
    ) -> Result<(), Unsupported> {
        let records = settings.get("records").is_some_and(|value| value == "true");
        Unsupported::unless(!records || problem.clusters().max_groups.is_none(), || {
            "gather:records makes as many groups as it likes: use gather".to_owned()
        })
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let space = Space::new(problem);
        let tree = Tree::of_all(&space);
        let reaches = tree.reaches(problem.k(), run)?;
        let bound = ball_bound(&tree, &reaches, problem.may_withhold());
        let answers = match problem.clusters().max_groups {
            most if problem.may_withhold() == 0 && !run.is_on("records") => {
                vec![gathered(&tree, &reaches, most, run)?]
            }
            None => outliers::leaving_out(&tree, &reaches, run)?,
            Some(most) => vec![few_outliers::leaving_out(&tree, &reaches, most, bound, run)?],
        };
        let (mut least, mut best) = (0, None);
        for (mut balls, reach, proven) in answers {
            balls.improve(run)?;
            least = least.max(balls.at_records(bound.max(reach)).max(proven));
            if best.as_ref().is_none_or(|b: &Balls<'_, '_>| balls.cost() < b.cost()) {
                best = Some(balls);
            }
        }
        let best = best.unwrap_or_else(|| Balls::one(&space));
        Ok(Answer::new(best.found(), Some(Cost(least))))
    }
}

/// Theorem 2.3, and with a limit on centres section 2.4.
fn gathered<'s, 'p>(
    tree: &Tree<'s, 'p>,
    reaches: &[u64],
    most: Option<u64>,
    run: &Run,
) -> Result<Bounded<'s, 'p>, Stopped> {
    let space = tree.space;
    // Dense places first: they serve most rows, so there are few centres to find rows for.
    let mut order: Vec<u32> = (0..space.records() as u32).collect();
    order.sort_unstable_by_key(|&record| (reaches[record as usize], record));
    let start = reaches.iter().copied().max().unwrap_or(0);
    let most = most.map_or(usize::MAX, |most| most as usize);
    let attempt = |reach: u64| {
        Ok(centres(tree, &order, reach, most).and_then(|centres| share_out(tree, centres, reach)))
    };
    least(space, start, run, attempt, |shares, reach| rows_of(space, &shares, reach))
}

/// Nobody's group is smaller than the least ball around some record that holds k rows and this one. All but
/// `left_out` rows pay.
fn ball_bound(tree: &Tree<'_, '_>, reaches: &[u64], left_out: u64) -> u64 {
    let mut order: Vec<u32> = (0..reaches.len() as u32).collect();
    order.sort_unstable_by_key(|&record| (std::cmp::Reverse(reaches[record as usize]), record));
    // A ball around the record itself is known. Whoever is dearest of those left is the bound.
    let mut dearest: std::collections::BinaryHeap<std::cmp::Reverse<(u64, u64)>> = Default::default();
    let mut held = 0;
    for record in order {
        let known = reaches[record as usize];
        let least = dearest.peek().map_or(0, |top| top.0.0);
        if held > left_out && known <= least {
            break;
        }
        let size = tree.space.size(record);
        dearest.push(std::cmp::Reverse((tree.least_ball(record, reaches, known), size)));
        held += size;
        while let Some(&std::cmp::Reverse((_, size))) = dearest.peek() {
            if held - size <= left_out {
                break;
            }
            held -= size;
            dearest.pop();
        }
    }
    if held > left_out { dearest.peek().map_or(0, |top| top.0.0) } else { 0 }
}

/// Centres more than the distance apart that reach everybody, if they are few enough.
fn centres(tree: &Tree<'_, '_>, order: &[u32], reach: u64, most: usize) -> Option<Vec<u32>> {
    let mut marked = vec![false; order.len()];
    let mut centres = Vec::new();
    for &record in order {
        if marked[record as usize] {
            continue;
        }
        if centres.len() == most {
            return None;
        }
        centres.push(record);
        tree.within(record, reach, |near| marked[near as usize] = true);
    }
    Some(centres)
}

/// A centre, and how many rows of which records it must have.
type Share = (u32, Vec<(u32, u64)>);

/// Condition 2: k rows within the distance for every centre, if that can be.
fn share_out(tree: &Tree<'_, '_>, centres: Vec<u32>, reach: u64) -> Option<Vec<Share>> {
    let (space, k) = (tree.space, tree.space.problem().k());
    let records = space.records();
    let (source, sink) = ((centres.len() + records) as u32, (centres.len() + records) as u32 + 1);
    let mut network = Network::new(centres.len() + records + 2);
    let mut edges: Vec<Vec<(u32, usize)>> = Vec::with_capacity(centres.len());
    for (number, &centre) in (0u32..).zip(&centres) {
        network.add(source, number, k);
        let mut own = Vec::new();
        tree.within(centre, reach, |near| own.push(near));
        edges.push(
            own.iter()
                .map(|&near| {
                    (near, network.add(number, centres.len() as u32 + near, space.size(near).min(k)))
                })
                .collect(),
        );
    }
    for record in 0..records as u32 {
        network.add(centres.len() as u32 + record, sink, space.size(record));
    }
    if network.send(source, sink) < k * centres.len() as u64 {
        return None;
    }
    let shares = centres.into_iter().zip(edges).map(|(centre, edges)| {
        let flows = edges.into_iter().map(|(record, edge)| (record, network.through(edge)));
        (centre, flows.filter(|&(_, flow)| flow > 0).collect())
    });
    Some(shares.collect())
}

/// Rows for every centre: those that it must have, and whoever is left goes to the nearest.
fn rows_of(space: &Space<'_>, shares: &[Share], reach: u64) -> Vec<(u32, Vec<u32>)> {
    let problem = space.problem();
    let mut taken = vec![0usize; space.records()];
    let mut groups: Vec<(u32, Vec<u32>)> = Vec::with_capacity(shares.len());
    for (centre, flows) in shares {
        let mut rows = Vec::new();
        for &(record, flow) in flows {
            let from = taken[record as usize];
            rows.extend(&problem.rows_of(record)[from..from + flow as usize]);
            taken[record as usize] += flow as usize;
        }
        groups.push((*centre, rows));
    }
    let rest = |record: u32| &problem.rows_of(record)[taken[record as usize]..];
    let left = (0..space.records() as u32).map(|record| (record, rest(record)));
    join_nearest(space, &mut groups, left.filter(|(_, rest)| !rest.is_empty()), reach);
    groups
}
