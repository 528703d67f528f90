//! Paper *geo*, section 4: ways to put labels into groups, the largest group as small as possible (min-max bin
//! covering). Fold is Theorem 5, Spread is from the experiments of section 5; both are in the engine, which starts
//! with them. Theorem 8 is in `five_halves.rs` and Theorem 9 in `relaxed.rs`.
//!
//! # Example
//! Ann 5, Bob 3, Cy 3, Di 2 people with k = 5: Fold makes {Ann} and {Bob, Cy}, and Di joins the smaller one.
//!
//! # What they lack
//! `labels` of the engine makes smaller groups than any of them.

mod five_halves;
mod relaxed;
#[cfg(test)]
mod tests;

use five_halves::five_halves;
use kinfold::model::Problem;
use kinfold::toolkit::{
    Items, LABELS, Packed, SHOWN_BY, best, fold, labels_by, people_per_label, spread, takes_labels,
};
use kinfold::{Answer, Card, Case, Input, Promise, Run, Setting, Solver, Stopped, Unsupported};
use relaxed::{EPSILONS, Refused, relaxed, relaxed_can, stricter_k};
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
}

const ORDER: &[Setting] = &[Setting {
    key: "order",
    values: &["sorted", "given", "random", "ascending"],
    about: "how labels are taken: by falling count, as their names sort, at random (by seed), or by ascending count",
}];

const GEO: Card = Card { method_of: Some("geo"), ..LABELS };

pub(crate) const FOLD: Labels = Labels {
    way: Way::Fold,
    card: &Card {
        key: "label-fold",
        title: "labels one after the other into groups, the left-over into the smallest (Theorem 5)",
        settings: ORDER,
        ..GEO
    },
};

pub(crate) const SPREAD: Labels = Labels {
    way: Way::Spread,
    card: &Card {
        key: "label-spread",
        title: "as label-fold, but the left-over is shared out (section 5)",
        settings: ORDER,
        ..GEO
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
        ..GEO
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
            Case::declined(&[Input::Withholding], "the scheme packs all labels"),
        ],
        runtime: "exponential in the labels of a size above ε k: about a dozen",
        settings: &[Setting {
            key: "epsilon",
            values: &["0.2", "0.1", "0.3"],
            about: "labels of so many k are large; k grows by 1 / (1 − 2ε)",
        }],
        ..GEO
    },
};

impl Labels {
    fn pack(&self, items: &Items<'_>, run: &Run) -> Packed {
        let order = || match run.settings.get("order").map(String::as_str) {
            Some("given") => items.as_given(),
            Some("random") => items.at_random(run.seed),
            Some("ascending") => items.by_rising_size(),
            _ => items.by_falling_size(),
        };
        match self.way {
            Way::Fold => fold(items, &order()).into(),
            Way::Spread => spread(items, &order()).into(),
            Way::FiveHalves => five_halves(items).into(),
            // Declined before where it cannot be had; out of time, a quick packing is better than none.
            Way::Relaxed => relaxed(items, percent(&run.settings), || run.goes_on()).map_or_else(
                |_| Packed {
                    remark: Some("out of time, it packed as labels does".to_owned()),
                    ..best(items).into()
                },
                Packed::from,
            ),
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
        takes_labels(problem, self.card.key)?;
        Unsupported::unless(self.way != Way::Relaxed || problem.may_withhold() == 0, || {
            "label-relaxed promises nothing where withholding is allowed: use labels or labels:prove"
                .to_owned()
        })
    }

    fn within_settings(
        &self,
        problem: &Problem,
        settings: &BTreeMap<String, String>,
    ) -> Result<(), Unsupported> {
        if self.way != Way::Relaxed {
            return Ok(());
        }
        let (sizes, percent) = (people_per_label(problem), percent(settings));
        let items = Items { sizes: &sizes, k: problem.k() };
        relaxed_can(&items, percent).map_err(|why| {
            let k = stricter_k(problem.k(), percent);
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
        labels_by(problem, run, |items| self.pack(items, run), |_, packed| packed)
    }
}
