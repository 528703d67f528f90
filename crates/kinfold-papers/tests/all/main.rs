//! Tests of the papers' methods, of what all solvers promise, and the engine's tests of every solver for them.

mod cluster;
mod instances;
mod label_sizes;
mod labels;
#[cfg(feature = "exact")]
mod milp;
mod optimize_paper;
#[cfg(feature = "exact")]
mod pattern;
mod promises;
mod reductions;
mod split_carry;
mod stars_factors;

#[path = "../../../kinfold/tests/all/cases.rs"]
mod cases;
#[path = "../../../kinfold/tests/all/loss.rs"]
mod loss;
#[path = "../../../kinfold/tests/all/properties.rs"]
mod properties;
#[path = "../../../kinfold/tests/all/support/mod.rs"]
#[allow(dead_code)] // not all of it is needed here
mod support;

use kinfold::model::encode::{Encoded, encode};
use kinfold::model::problem::Problem;
use kinfold::{Choice, Solvers};
use kinfold_papers::instances::Instance;

/// The solvers that the engine's tests of every solver go through here.
fn own() -> Solvers {
    Solvers::only(kinfold_papers::SOLVERS)
}

/// All solvers.
fn catalogue() -> Solvers {
    Solvers::standard().with(kinfold_papers::SOLVERS)
}

/// An instance as the command would read it: its table, under its policy.
fn encoded(instance: &Instance) -> Encoded {
    let table = instance.table().unwrap();
    encode(&table, &support::policy_for(&table, &instance.policy())).unwrap()
}

/// Every solver that there is, with its settings, but for those that decline the problem or would take hours.
fn all_choices_for(problem: &Problem) -> Vec<Choice> {
    support::fitting(support::choices_of(&catalogue()), problem)
}
