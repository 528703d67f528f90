//! Region Tree: regions of a map in connected areas of at least k people, the largest area as small as
//! possible.
//!
//! # The problem
//! Postcodes are to be published as connected areas. Planar maps make it no easier: even with k = 3
//! people it is NP-complete to come within a third of the best (paper *geo*, section 2).
//!
//! # The idea
//! A spanning tree of low degree is cut from below as soon as a branch holds k people; what is left at the
//! root joins a neighbour. (The paper's main text proposes something else and warns of it; this is the
//! version of its appendix.) Then large areas are split, regions on borders move to smaller neighbours, and
//! the largest areas are parted anew together with a neighbour, as long as everything hangs together.
//!
//! # Example
//! Eight regions in a row of 2 people each, k = 4: the tree is the row, and every second edge is cut.
//!
//! # Promise
//! The largest area holds at most its topmost region's people and (d − 1)(k − 1) others, where d is the
//! tree's degree, and k − 1 more where the left-over went: d + 1 times the best. Improving only makes it
//! smaller. The degree is at most one above that of the best tree: 4 at most on a map that is planar and
//! 3-connected. With withholding the tree is that of the regions that need not go.
//!
//! # What it lacks
//! Areas may be long and thin: only people count. Parts of the map with fewer than k people are withheld
//! where the policy allows it.

use super::areas::{SpanningTree, cut, improve};
use super::trim::trim;
use super::{SHOWN_BY, found, takes_one_column, withheld_first};
use crate::parts::numbering::groups_of;
use crate::{Answer, Card, Case, Input, Promise, Run, Solver, Stopped, Unsupported};
use kinfold_model::problem::Connected;
use kinfold_model::{Found, Objective, Problem};

pub(crate) struct RegionTree;

const CARD: Card = Card {
    key: "region-tree",
    title: "connected areas of a map: a low-degree spanning tree cut from below, then borders moved and areas split",
    paper: "Du, Eppstein, Goodrich, Lueker: approximability of geometric and geographic generalization, and min-max bin covering",
    objectives: &[Objective::GroupSize],
    promise: Promise::Factor("(degree of the tree + 1)"),
    cases: &[
        Case::kept(&[Input::Plain, Input::Counts, Input::Withholding, Input::Weights], SHOWN_BY),
        Case::declined(&[Input::Missing], "a missing region has no neighbours on the map"),
    ],
    runtime: "seconds at 30,000 regions",
    not_for: "columns other than regions: give the map with kind region=EDGES.csv",
    ..Card::BASE
};

impl Solver for RegionTree {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        takes_one_column(problem, CARD.key)?;
        let takes = || "region-tree takes a column of kind region".to_owned();
        Unsupported::unless(problem.connected().is_some(), takes)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let Some(connected) = problem.connected() else {
            return Ok(Answer::new(Found::plain(vec![0; problem.rows()]), None));
        };
        let Connected { graph, column, .. } = connected;
        let k = problem.k();
        let (goes, spare) = withheld_first(problem);
        let mut people = vec![0; graph.regions()];
        let mut closed = vec![false; graph.regions()];
        let mut region_of = vec![0; problem.records()];
        for record in 0..problem.records() as u32 {
            let region = problem.codes(record)[*column];
            region_of[record as usize] = region;
            closed[region as usize] = goes[record as usize];
            people[region as usize] = if goes[record as usize] { 0 } else { problem.record_size(record) };
        }
        run.check()?;
        let graph = &graph.without(&closed);
        let tree = SpanningTree::new(graph);
        run.check()?;
        let area = cut(graph, &tree, &people, k);
        let area = improve(graph, &people, k, area, || run.goes_on());
        run.check()?;
        let mut groups = vec![Vec::new(); groups_of(&area)];
        for record in (0..problem.records() as u32).filter(|&record| !goes[record as usize]) {
            groups[area[region_of[record as usize] as usize] as usize].push(record);
        }
        let size = |record: u32| problem.record_size(record);
        // Parts of the map that hold too few are no areas.
        groups.retain(|group| group.iter().map(|&record| size(record)).sum::<u64>() >= k);
        trim(&mut groups, size, k, spare, |group, gone| {
            let others = group.iter().filter(|&&record| record != gone);
            connected.joins(&others.map(|&record| region_of[record as usize]).collect::<Vec<u32>>())
        });
        let remark = Some(format!("its spanning tree has degree {}", tree.highest_degree()));
        Ok(Answer { remark, ..found(problem, groups.into_iter()).into() })
    }
}
