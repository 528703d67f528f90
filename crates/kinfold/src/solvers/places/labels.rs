//! Labels without order, in groups of whole labels, the largest group as small as possible: min-max bin
//! covering.
//!
//! # The problem
//! One quasi-identifier, a name or a diagnosis. Every label stands for all people who have it, labels are put
//! together until each group holds k people, and the largest group is to be as small as possible. No
//! algorithm comes within a factor of 2 of the best on every table, unless P = NP (paper *geo*, Theorem 4).
//!
//! # The idea
//! Seven ways to pack items into bins, which are in `bins/`, each behind a card of its own. `label-best` is
//! the one to use: it evens out groups by moving and swapping labels, and on name lists it comes within a
//! per mille of the bound.
//!
//! # Example
//! Ann 5, Bob 3, Cy 3, Di 2 people with k = 5: {Ann}, {Bob, Di}, and Cy too many; {Ann}, {Bob, Cy, Di} is the
//! best, 8 people.
//!
//! # What they lack
//! Nothing is known of labels but their counts: groups mean nothing to a reader. Where there is an order or a
//! map, use it.

use super::bins::{self, Bins, EPSILONS, Items, Refused};
use super::trim::trim;
use super::{SHOWN_BY, found, takes_columns, withheld_first};
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Case, Input, Promise, Setting, Solver, Unsupported};
use kinfold_model::cost::{Cost, ONE, Objective, RuleKind, least_largest};
use kinfold_model::problem::Problem;
use std::collections::BTreeMap;

/// A way to pack labels, with its card.
pub(crate) struct Labels {
    card: &'static Card,
    way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Fold,
    Spread,
    FiveHalves,
    Relaxed,
    Best,
    Exact,
    Intervals,
}

/// What all cards have in common.
const BASE: Card = Card {
    key: "",
    title: "",
    paper: "Du, Eppstein, Goodrich, Lueker: approximability of geometric and geographic generalization, and min-max bin covering",
    objectives: &[Objective::GroupSize],
    uses_effort: false,
    promise: Promise::Heuristic,
    cases: &[],
    slow: false,
    runtime: "linear in labels but for sorting them",
    not_for: "values with an order or on a map: groups of labels mean nothing to a reader",
    settings: &[],
};

/// Only sizes count here: a missing value is a value like others, and weights do not matter.
const ON_ALL_INPUTS: &[Case] = &[Case::kept(
    &[Input::Plain, Input::Counts, Input::Withholding, Input::Missing, Input::Weights],
    SHOWN_BY,
)];

const ORDER: &[Setting] = &[Setting {
    key: "order",
    values: &["sorted", "given", "random", "ascending"],
    about: "how labels are taken: by falling count, as their names sort, at random (by seed), or by ascending count",
}];

pub(crate) const FOLD: Labels = Labels {
    way: Way::Fold,
    card: &Card {
        key: "label-fold",
        title: "labels one after the other into groups, the left-over into the smallest (Theorem 5)",
        promise: Promise::Factor("3"),
        cases: ON_ALL_INPUTS,
        settings: ORDER,
        ..BASE
    },
};

pub(crate) const SPREAD: Labels = Labels {
    way: Way::Spread,
    card: &Card {
        key: "label-spread",
        title: "as label-fold, but the left-over is shared out (section 5)",
        promise: Promise::Factor("3"),
        cases: ON_ALL_INPUTS,
        settings: ORDER,
        ..BASE
    },
};

pub(crate) const FIVE_HALVES: Labels = Labels {
    way: Way::FiveHalves,
    card: &Card {
        key: "label-five-halves",
        title: "labels by falling count, the left-over by cases (Theorem 8)",
        promise: Promise::Factor("5/2"),
        cases: &[
            Case::kept(&[Input::Plain, Input::Counts, Input::Missing, Input::Weights], SHOWN_BY),
            Case::weaker(
                &[Input::Withholding],
                Promise::Factor("3"),
                SHOWN_BY,
                "case 2.2 of Theorem 8 needs all large labels to stay",
            ),
        ],
        ..BASE
    },
};

pub(crate) const RELAXED: Labels = Labels {
    way: Way::Relaxed,
    card: &Card {
        key: "label-relaxed",
        title: "all ways to pack large labels, rounded, for a k so much larger that no group is below k (Theorem 9)",
        promise: Promise::Factor("(1 + ε) (and ε more), for the larger k"),
        cases: &[
            Case::kept(
                &[Input::Plain, Input::Counts, Input::Missing, Input::Weights],
                "packings_keep_their_promises_against_brute_force",
            ),
            Case::declined(
                &[Input::Withholding],
                "every_solver_declines_what_its_card_says",
                "the scheme packs all labels",
            ),
        ],
        runtime: "exponential in the labels of a size above ε k: about a dozen",
        settings: &[Setting {
            key: "epsilon",
            values: &["0.2", "0.1", "0.3"],
            about: "labels of so many k are large; k grows by 1 / (1 − 2ε)",
        }],
        ..BASE
    },
};

pub(crate) const BEST: Labels = Labels {
    way: Way::Best,
    card: &Card {
        key: "label-best",
        title: "the largest labels first into the smallest group, then evened out by moving and swapping labels",
        promise: Promise::Factor("3"),
        cases: ON_ALL_INPUTS,
        ..BASE
    },
};

pub(crate) const EXACT: Labels = Labels {
    way: Way::Exact,
    card: &Card {
        key: "label-exact",
        title: "label-best, then a search for anything smaller until there is none",
        promise: Promise::Optimal,
        cases: ON_ALL_INPUTS,
        slow: true,
        runtime: "a moment where label-best meets the bound, else exponential; a time limit gives the best so far and the bound",
        ..BASE
    },
};

pub(crate) const INTERVALS: Labels = Labels {
    way: Way::Intervals,
    card: &Card {
        key: "interval-optimal",
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
        not_for: "labels without order: label-best makes smaller groups of them; withholding from millions of people: there it is within 3 × optimum",
        ..BASE
    },
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
struct Packed {
    bins: Bins,
    /// What the largest of any grouping holds at least, where that is more than the judge can tell.
    bound: Option<u64>,
    remark: Option<String>,
}

impl From<Bins> for Packed {
    fn from(bins: Bins) -> Self {
        Self { bins, bound: None, remark: None }
    }
}

impl Labels {
    /// Packs all items, with nobody left out.
    fn pack(&self, items: &Items<'_>, run: &Run) -> Packed {
        let order = || match run.settings.get("order").map(String::as_str) {
            Some("given") => items.as_given(),
            Some("random") => items.at_random(run.seed),
            Some("ascending") => items.by_rising_size(),
            _ => items.by_falling_size(),
        };
        match self.way {
            Way::Fold => bins::fold(items, &order()).into(),
            Way::Spread => bins::spread(items, &order()).into(),
            Way::FiveHalves => bins::five_halves(items).into(),
            Way::Best | Way::Exact => bins::best(items).into(),
            // Ordered values may only be grouped in runs, and these are the best.
            Way::Intervals => {
                let bins = bins::intervals(items);
                Packed { bound: Some(bins.fullest()), ..bins.into() }
            }
            // Declined before where it cannot be had; out of time, a quick packing is better than none.
            Way::Relaxed => {
                let go_on = || !run.out_of_time() && run.check().is_ok();
                bins::relaxed(items, percent(&run.settings), go_on).map(Packed::from).unwrap_or_else(|_| {
                    Packed {
                        remark: Some("out of time, it packed as label-best does".to_owned()),
                        ..bins::best(items).into()
                    }
                })
            }
        }
    }

    /// Packs the items that need not be left out from the start, and leaves out what makes the fullest bin
    /// emptier.
    fn pack_leaving(&self, problem: &Problem, shelf: &Shelf, run: &Run) -> Packed {
        let (goes, spare) = withheld_first(problem);
        let all = 0..shelf.sizes.len() as u32;
        let (out, stay): (Vec<u32>, Vec<u32>) =
            all.partition(|&item| goes[shelf.records[item as usize] as usize]);
        let sizes: Vec<u64> = stay.iter().map(|&item| shelf.sizes[item as usize]).collect();
        let mut packed = self.pack(&Items { sizes: &sizes, k: problem.k() }, run);
        let bins = &mut packed.bins;
        bins.items.iter_mut().flatten().for_each(|item| *item = stay[*item as usize]);
        let size = |item: u32| shelf.sizes[item as usize];
        bins.left_out = trim(&mut bins.items, size, problem.k(), spare, |_, _| true);
        bins.levels = bins.items.iter().map(|list| list.iter().map(|&item| size(item)).sum()).collect();
        bins.left_out.extend(out);
        // Others may be left out with more to gain: what is best for those who stay is proven only below.
        Packed { bound: None, ..packed }
    }

    /// Searches for the best, where that is promised.
    fn prove(&self, problem: &Problem, items: &Items<'_>, packed: Packed, run: &Run) -> Packed {
        let (spare, bound) = (problem.may_withhold(), least_largest(problem));
        let go_on = || !run.out_of_time() && run.check().is_ok();
        match self.way {
            Way::Exact => {
                let mut steps = 0u32;
                let proven = bins::exact(items, spare, packed.bins, bound, || {
                    steps += 1;
                    !steps.is_multiple_of(1024) || go_on()
                });
                Packed { bound: Some(proven.bound), ..proven.bins.into() }
            }
            Way::Intervals if spare > 0 => {
                match bins::intervals_leaving(items, spare, &packed.bins, bound, go_on) {
                    Some(bins) => Packed { bound: Some(bins.fullest()), ..bins.into() },
                    None => Packed {
                        remark: Some("too many people to find the best to withhold".to_owned()),
                        ..packed
                    },
                }
            }
            _ => packed,
        }
    }
}

fn percent(settings: &BTreeMap<String, String>) -> u64 {
    match settings.get("epsilon").map(String::as_str) {
        Some("0.1") => 10,
        Some("0.3") => 30,
        _ => EPSILONS[0],
    }
}

impl Solver for Labels {
    fn card(&self) -> &'static Card {
        self.card
    }

    fn within_limits(&self, problem: &Problem) -> Result<(), Unsupported> {
        let key = self.card.key;
        takes_columns(problem, key, 1)?;
        if problem.connected().is_some() {
            return Err(Unsupported(format!("{key} does not use maps: use region-tree, or kind category")));
        }
        let ordered = matches!(problem.rules()[0].kind(), RuleKind::Line { .. });
        if self.way == Way::Intervals && !ordered {
            return Err(Unsupported("interval-optimal takes values with an order, not labels".into()));
        }
        if self.way != Way::Intervals && ordered {
            return Err(Unsupported(format!("{key} takes labels: use interval-optimal, or kind category")));
        }
        if self.way == Way::Relaxed && problem.may_withhold() > 0 {
            return Err(Unsupported(
                "label-relaxed promises nothing where withholding is allowed: use label-best or label-exact"
                    .into(),
            ));
        }
        Ok(())
    }

    fn within_settings(
        &self,
        problem: &Problem,
        settings: &BTreeMap<String, String>,
    ) -> Result<(), Unsupported> {
        if self.way != Way::Relaxed {
            return Ok(());
        }
        let (shelf, percent) = (Shelf::new(problem), percent(settings));
        let items = Items { sizes: &shelf.sizes, k: problem.k() };
        bins::relaxed_can(&items, percent).map_err(|why| {
            let k = bins::stricter_k(problem.k(), percent);
            let why = match why {
                Refused::TooMany(large) => format!("{large} labels are large, and there are too many ways"),
                _ => format!("the table has only size {}", items.total()),
            };
            Unsupported(format!(
                "label-relaxed tries all ways to pack large labels into groups of {k}: {why}"
            ))
        })
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        run.check()?;
        let shelf = Shelf::new(problem);
        let items = Items { sizes: &shelf.sizes, k: problem.k() };
        let packed = match problem.may_withhold() {
            0 => self.pack(&items, run),
            _ => self.pack_leaving(problem, &shelf, run),
        };
        run.check()?;
        let Packed { bins: packed, bound, remark } = self.prove(problem, &items, packed, run);
        run.check()?;
        let mut group_of = vec![None; problem.records()];
        for (bin, list) in (0u32..).zip(&packed.items) {
            list.iter().for_each(|&item| group_of[shelf.records[item as usize] as usize] = Some(bin));
        }
        let bound = bound.map(|people| Cost(people * ONE));
        Ok(Answer { remark, ..Answer::new(found(problem, &group_of), bound) })
    }
}
