//! Labels without order, in groups of whole labels, the largest group as small as possible: min-max bin
//! covering. And the same in runs of values that have an order.
//!
//! # The problem
//! One quasi-identifier, a name or a diagnosis. Every label stands for all people who have it, labels are put
//! together until each group holds k people, and the largest group is to be as small as possible. No
//! algorithm comes within a factor of 2 of the best on every table, unless P = NP (paper *geo*, Theorem 4).
//!
//! # The idea
//! Labels are items and groups are bins: `bins/` has ways to pack. `labels` evens out groups by moving and
//! swapping labels, and on name lists it comes within a per mille of the bound; with `prove` it then searches
//! for anything smaller. `intervals` cuts ordered values into the best runs there are. The paper's own ways to
//! pack are in another crate, built on [`labels_by`].
//!
//! # Example
//! Ann 5, Bob 3, Cy 3, Di 2 people with k = 5: {Ann}, {Bob, Di}, and Cy too many; {Ann}, {Bob, Cy, Di} is the
//! best, 8 people.
//!
//! # What they lack
//! Nothing is known of labels but their counts: groups mean nothing to a reader. Where there is an order or a
//! map, use it.

use super::bins::{self, Bins, Items};
use super::trim::trim;
use super::{SHOWN_BY, found, takes_one_column, withheld_first};
use crate::{Answer, Card, Case, Input, Promise, Run, Setting, Solver, Stopped, Unsupported};
use kinfold_model::cost::least_largest;
use kinfold_model::{Cost, ONE, Objective, Problem, RuleKind};

pub(crate) struct Labels;

pub(crate) struct Intervals;

/// What the cards of all that pack labels have in common: only sizes count here, so a missing value is a value
/// like others, and weights do not matter.
pub const LABELS: Card = Card {
    key: "labels",
    title: "the largest labels first into the smallest group, then evened out by moving and swapping labels",
    paper: "Du, Eppstein, Goodrich, Lueker: approximability of geometric and geographic generalization, and min-max bin covering",
    objectives: &[Objective::GroupSize],
    promise: Promise::Factor("3"),
    cases: &[Case::kept(Input::COMMON, SHOWN_BY)],
    runtime: "linear in labels but for sorting them",
    not_for: "values with an order or on a map: groups of labels mean nothing to a reader",
    ..Card::BASE
};

const PROVED: Card = Card {
    promise: Promise::Factor("3 (1 with prove)"),
    runtime: "linear in labels but for sorting them; with prove a moment where the bound is met, else exponential: a time limit gives the best so far and the bound",
    settings: &[Setting {
        key: "prove",
        values: &["false", "true"],
        about: "search for anything smaller until there is none: the answer is optimal",
    }],
    ..LABELS
};

const INTERVALS: Card = Card {
    key: "intervals",
    title: "runs of ordered values, the best there are",
    promise: Promise::Optimal,
    cases: &[
        Case::kept(&[Input::Plain, Input::Counts, Input::Missing, Input::Weights], SHOWN_BY),
        Case::weaker(
            &[Input::Withholding],
            Promise::Factor("1 (3 for sizes in the millions)"),
            SHOWN_BY,
            "the best is found by counting people one by one, which takes too long for millions",
        ),
    ],
    not_for: "labels without order: labels makes smaller groups of them; withholding from millions of people: there it is within 3 × optimum",
    ..LABELS
};

/// The item of every record, in the order of labels.
pub(crate) struct Shelf {
    records: Vec<u32>,
    pub(crate) sizes: Vec<u64>,
}

impl Shelf {
    pub(crate) fn new(problem: &Problem) -> Self {
        let mut records: Vec<u32> = (0..problem.records() as u32).collect();
        records.sort_unstable_by_key(|&record| problem.codes(record)[0]);
        let sizes = records.iter().map(|&record| problem.record_size(record)).collect();
        Self { records, sizes }
    }
}

/// What a way to pack came to.
#[derive(Debug)]
pub struct Packed {
    /// The packing.
    pub bins: Bins,
    /// What the largest of any grouping holds at least, where that is more than the judge can tell.
    pub bound: Option<u64>,
    /// What else is worth knowing of it.
    pub remark: Option<String>,
}

impl From<Bins> for Packed {
    fn from(bins: Bins) -> Self {
        Self { bins, bound: None, remark: None }
    }
}

/// Declines what is not one column of labels.
pub fn takes_labels(problem: &Problem, key: &str) -> Result<(), Unsupported> {
    let ordered = takes_values(problem, key)?;
    Unsupported::unless(!ordered, || format!("{key} takes labels: use intervals, or kind category"))
}

/// Whether the one column has an order.
fn takes_values(problem: &Problem, key: &str) -> Result<bool, Unsupported> {
    takes_one_column(problem, key)?;
    Unsupported::unless(problem.connected().is_none(), || {
        format!("{key} does not use maps: use region-tree, or kind category")
    })?;
    Ok(matches!(problem.rules()[0].kind(), RuleKind::Line { .. }))
}

/// Groups labels by a way to pack them. It is given those that need not be left out from the start, and after it
/// what makes the largest group smaller is left out, as far as that is allowed. Then `prove` may search for
/// better among all.
pub fn labels_by(
    problem: &Problem,
    run: &Run,
    pack: impl Fn(&Items<'_>) -> Packed,
    prove: impl FnOnce(&Items<'_>, Packed) -> Packed,
) -> Result<Answer, Stopped> {
    run.check()?;
    let shelf = Shelf::new(problem);
    let items = Items { sizes: &shelf.sizes, k: problem.k() };
    let packed = match problem.may_withhold() {
        0 => pack(&items),
        _ => pack_leaving(problem, &shelf, pack),
    };
    run.check()?;
    let Packed { bins: packed, bound, remark } = prove(&items, packed);
    run.check()?;
    let groups = packed.items.iter().map(|bin| bin.iter().map(|&item| shelf.records[item as usize]));
    let bound = bound.map(|people| Cost(people * ONE));
    Ok(Answer { remark, ..Answer::new(found(problem, groups), bound) })
}

/// Packs the items that need not be left out from the start, and leaves out what makes the fullest bin emptier.
fn pack_leaving(problem: &Problem, shelf: &Shelf, pack: impl Fn(&Items<'_>) -> Packed) -> Packed {
    let (goes, spare) = withheld_first(problem);
    let all = 0..shelf.sizes.len() as u32;
    let (out, stay): (Vec<u32>, Vec<u32>) =
        all.partition(|&item| goes[shelf.records[item as usize] as usize]);
    let sizes: Vec<u64> = stay.iter().map(|&item| shelf.sizes[item as usize]).collect();
    let mut packed = pack(&Items { sizes: &sizes, k: problem.k() });
    let bins = &mut packed.bins;
    bins.items.iter_mut().flatten().for_each(|item| *item = stay[*item as usize]);
    let size = |item: u32| shelf.sizes[item as usize];
    bins.left_out = trim(&mut bins.items, size, problem.k(), spare, |_, _| true);
    bins.levels = bins.items.iter().map(|list| list.iter().map(|&item| size(item)).sum()).collect();
    bins.left_out.extend(out);
    // Others may be left out with more to gain: what is best for those who stay is proven only by a search.
    Packed { bound: None, ..packed }
}

impl Solver for Labels {
    fn card(&self) -> &'static Card {
        &PROVED
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        takes_labels(problem, LABELS.key)
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        let prove = |items: &Items<'_>, packed: Packed| {
            if !run.is_on("prove") {
                return packed;
            }
            let mut steps = 0u32;
            let (spare, bound) = (problem.may_withhold(), least_largest(problem));
            let proven = bins::exact(items, spare, packed.bins, bound, || {
                steps += 1;
                !steps.is_multiple_of(1024) || run.goes_on()
            });
            Packed { bound: Some(proven.bound), ..proven.bins.into() }
        };
        labels_by(problem, run, |items| bins::best(items).into(), prove)
    }
}

impl Solver for Intervals {
    fn card(&self) -> &'static Card {
        &INTERVALS
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let ordered = takes_values(problem, INTERVALS.key)?;
        Unsupported::unless(ordered, || "intervals takes values with an order, not labels".to_owned())
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        // Ordered values may only be grouped in runs, and these are the best.
        let pack = |items: &Items<'_>| {
            let bins = bins::intervals(items);
            Packed { bound: Some(bins.fullest()), ..bins.into() }
        };
        let prove = |items: &Items<'_>, packed: Packed| {
            let (spare, bound) = (problem.may_withhold(), least_largest(problem));
            if spare == 0 {
                return packed;
            }
            match bins::intervals_leaving(items, spare, &packed.bins, bound, || run.goes_on()) {
                Some(bins) => Packed { bound: Some(bins.fullest()), ..bins.into() },
                None => Packed {
                    remark: Some("too many people to find the best to withhold".to_owned()),
                    ..packed
                },
            }
        };
        labels_by(problem, run, pack, prove)
    }
}
