//! Labels without order, in groups of whole labels, the largest group as small as possible: min-max bin covering.
//!
//! # The problem
//! One quasi-identifier, a name or a diagnosis. Every label stands for all people who have it, labels are put together until each
//! group holds k people, and the largest group is to be as small as possible. No algorithm comes within a factor of 2 of the best on
//! every table, unless P = NP (paper *geo*, Theorem 4).
//!
//! # The idea
//! Seven ways to pack items into bins, which are in [`bins`](crate::bins), each behind a card of its own. `label-best` is the one to use:
//! it evens out groups by moving and swapping labels, and on name lists it comes within a per mille of the bound.
//!
//! # Example
//! Ann 5, Bob 3, Cy 3, Di 2 people with k = 5: {Ann}, {Bob, Di}, and Cy too many; {Ann}, {Bob, Cy, Di} is the best, 8 people.
//!
//! # What they lack
//! Nothing is known of labels but their counts: groups mean nothing to a reader. Where there is an order or a map, use it.

use super::{found, takes_columns};
use crate::bins::{self, Bins, EPSILONS, Items, Refused};
use crate::run::{Run, Stopped};
use crate::solve::{Answer, Card, Case, Input, Promise, Setting, Solver, Unsupported};
use kinfold_model::cost::{Cost, ONE, Objective, RuleKind};
use kinfold_model::problem::Problem;

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

const ORDER: &[Setting] = &[Setting {
    key: "order",
    values: &["sorted", "given", "random"],
    about: "how labels are taken: by falling count, as their names sort, or at random (--seed)",
}];

pub(crate) const FOLD: Labels = Labels {
    way: Way::Fold,
    card: &Card {
        key: "label-fold",
        title: "labels one after the other into groups, the left-over into the smallest (Theorem 5)",
        promise: Promise::Factor("3"),
        cases: &[
            Case::kept(&[Input::Plain, Input::Counts], "label_solvers_keep_their_promises_and_exact_is_best"),
            Case::weaker(
                &[Input::Withholding, Input::Missing, Input::Weights],
                Promise::Heuristic,
                "bounds_hold_where_people_may_be_withheld",
                "not shown",
            ),
        ],
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
        cases: &[
            Case::kept(&[Input::Plain, Input::Counts], "label_solvers_keep_their_promises_and_exact_is_best"),
            Case::weaker(
                &[Input::Withholding, Input::Missing, Input::Weights],
                Promise::Heuristic,
                "bounds_hold_where_people_may_be_withheld",
                "not shown",
            ),
        ],
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
            Case::kept(&[Input::Plain, Input::Counts], "label_solvers_keep_their_promises_and_exact_is_best"),
            Case::weaker(
                &[Input::Withholding, Input::Missing, Input::Weights],
                Promise::Heuristic,
                "bounds_hold_where_people_may_be_withheld",
                "not shown",
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
            Case::kept(&[Input::Plain, Input::Counts], "packings_keep_their_promises_against_brute_force"),
            Case::weaker(
                &[Input::Withholding, Input::Missing, Input::Weights],
                Promise::Heuristic,
                "bounds_hold_where_people_may_be_withheld",
                "not shown",
            ),
        ],
        runtime: "exponential in the labels of more than ε k people: about a dozen",
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
        cases: &[
            Case::kept(&[Input::Plain, Input::Counts], "label_solvers_keep_their_promises_and_exact_is_best"),
            Case::weaker(
                &[Input::Withholding, Input::Missing, Input::Weights],
                Promise::Heuristic,
                "bounds_hold_where_people_may_be_withheld",
                "not shown",
            ),
        ],
        ..BASE
    },
};

pub(crate) const EXACT: Labels = Labels {
    way: Way::Exact,
    card: &Card {
        key: "label-exact",
        title: "label-best, then a search for anything smaller until there is none",
        promise: Promise::Optimal,
        cases: &[
            Case::kept(&[Input::Plain, Input::Counts], "label_solvers_keep_their_promises_and_exact_is_best"),
            Case::weaker(
                &[Input::Withholding, Input::Missing, Input::Weights],
                Promise::Heuristic,
                "bounds_hold_where_people_may_be_withheld",
                "not shown",
            ),
        ],
        slow: true,
        runtime: "a moment where label-best meets the bound, else exponential; --time-limit gives the best so far and the bound",
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
            Case::kept(&[Input::Plain, Input::Counts], "intervals_are_the_best_runs"),
            Case::weaker(
                &[Input::Withholding, Input::Missing, Input::Weights],
                Promise::Heuristic,
                "bounds_hold_where_people_may_be_withheld",
                "not shown",
            ),
        ],
        not_for: "labels without order: label-best makes smaller groups of them",
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
    fn pack(&self, items: &Items<'_>, run: &Run) -> Packed {
        let order = || match run.settings.get("order").map(String::as_str) {
            Some("given") => items.as_given(),
            Some("random") => items.at_random(run.seed),
            _ => items.by_falling_size(),
        };
        match self.way {
            Way::Fold => bins::fold(items, &order()).into(),
            Way::Spread => bins::spread(items, &order()).into(),
            Way::FiveHalves => bins::five_halves(items).into(),
            Way::Best => bins::best(items).into(),
            // Ordered values may only be grouped in runs, and these are the best.
            Way::Intervals => {
                let bins = bins::intervals(items);
                Packed { bound: Some(bins.fullest()), ..bins.into() }
            }
            Way::Exact => {
                let mut steps = 0u32;
                let proven = bins::exact(items, || {
                    steps += 1;
                    !steps.is_multiple_of(1024) || !run.out_of_time() && run.check().is_ok()
                });
                Packed { bound: Some(proven.bound), ..proven.bins.into() }
            }
            // Declined before where it cannot be had; out of time, a quick packing is better than none.
            Way::Relaxed => {
                let go_on = || !run.out_of_time() && run.check().is_ok();
                bins::relaxed(items, percent(run), go_on).map(Packed::from).unwrap_or_else(|_| Packed {
                    remark: Some("out of time, it packed as label-best does".to_owned()),
                    ..bins::best(items).into()
                })
            }
        }
    }
}

fn percent(run: &Run) -> u64 {
    match run.settings.get("epsilon").map(String::as_str) {
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
            return Err(Unsupported(format!(
                "{key} knows nothing of maps: use region-tree, or kind category"
            )));
        }
        let ordered = matches!(problem.rules()[0].kind(), RuleKind::Line { .. });
        if self.way == Way::Intervals && !ordered {
            return Err(Unsupported("interval-optimal takes values with an order, not labels".into()));
        }
        if self.way != Way::Intervals && ordered {
            return Err(Unsupported(format!("{key} takes labels: use interval-optimal, or kind category")));
        }
        if self.way == Way::Relaxed {
            let shelf = Shelf::new(problem);
            let items = Items { sizes: &shelf.sizes, k: problem.k() };
            for percent in EPSILONS {
                let Err(why) = bins::relaxed_can(&items, percent) else { continue };
                let k = bins::stricter_k(problem.k(), percent);
                let why = match why {
                    Refused::TooMany(large) => {
                        format!("{large} labels are large, and there are too many ways")
                    }
                    _ => format!("there are only {} people", items.total()),
                };
                return Err(Unsupported(format!(
                    "label-relaxed tries all ways to pack large labels into groups of {k}: {why}"
                )));
            }
        }
        Ok(())
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        run.check()?;
        let shelf = Shelf::new(problem);
        let items = Items { sizes: &shelf.sizes, k: problem.k() };
        let Packed { bins: packed, bound, remark } = self.pack(&items, run);
        run.check()?;
        let mut group_of = vec![None; problem.records()];
        for (bin, list) in (0u32..).zip(&packed.items) {
            list.iter().for_each(|&item| group_of[shelf.records[item as usize] as usize] = Some(bin));
        }
        // Withholding people makes groups smaller: with it nothing is proven beyond what the judge knows.
        // The same where values are missing: these may join any run, not only the last.
        let proven = problem.may_withhold() == 0 && problem.rules()[0].missing_code().is_none();
        let bound = bound.filter(|_| proven).map(|people| Cost(people * ONE));
        Ok(Answer { remark, ..Answer::new(found(problem, &group_of), bound) })
    }
}
