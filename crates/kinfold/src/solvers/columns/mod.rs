//! Columns: keeps as many whole columns as can be, by weight; the others are dropped.
//!
//! # The problem
//! Cells must not be blanked here and there: a column is published for everybody or for nobody. Which ones
//! must go, so that everybody looks like at least k − 1 others on those that stay?
//!
//! # The idea
//! A search through sets of columns with early pruning on counts (`search.rs`). Rows that look alike on the
//! columns kept are a group. Where the policy allows it, people whose look is too rare are withheld.
//!
//! # Example
//! Ages all different, two sexes in equal numbers: the ages go, the sexes stay.
//!
//! # Promise
//! No other set of columns is better. At the deadline the answer is the best set so far.
//!
//! # What it lacks
//! With dozens of columns of few values each there are too many sets that serve.

mod search;

use crate::{Answer, Card, Case, Input, Promise, Run, Solver, Stopped};
use kinfold_model::{Cost, Found, Objective, Problem};
use search::looks_on;
pub use search::{Kept, best_sets, curve};

pub(crate) struct Columns;

const CARD: Card = Card {
    key: "columns",
    title: "the fewest columns to drop, by growing sets of columns that can be kept",
    paper: "Meyerson, Williams: on the complexity of optimal k-anonymity, section 3.1",
    objectives: &[Objective::Columns],
    promise: Promise::Optimal,
    cases: &[Case::kept(Input::COMMON, "the_search_equals_trying_all_sets")],
    runtime: "less than a second at 100,000 rows and 25 columns, if few of them can be kept together",
    not_for: "dozens of columns of few values each, without a time limit",
    ..Card::BASE
};

impl Solver for Columns {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn group(&self, problem: &Problem, run: &Run) -> Result<Answer, Stopped> {
        // There is always one: the set of no columns.
        let kept = best_sets(problem, 1, run)?.swap_remove(0);
        let people = |records: &Vec<u32>| records.iter().map(|&r| problem.record_size(r)).sum::<u64>();
        let looks = looks_on(problem, &kept.columns);
        let groups = looks.into_iter().filter(|records| people(records) >= problem.k());
        let rows = groups.map(|records| records.into_iter().flat_map(|r| problem.rows_of(r)).copied());
        let bound = kept.best.then(|| Cost(problem.withheld_cost() - kept.worth));
        Ok(Answer::new(Found::of_groups(problem.rows(), rows), bound))
    }
}
