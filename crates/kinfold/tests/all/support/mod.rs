//! What several tests need: what those of the model share, every solver with its settings, and releases read back.

pub mod factors;
pub mod oracles;

#[path = "../../../../kinfold-model/tests/all/support/mod.rs"]
#[allow(dead_code)] // not all of it is needed here
mod model;

use kinfold::model::policy::Policy;
use kinfold::model::problem::Problem;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::model::verify::{Published, read_lookup};
use kinfold::{Anonymized, Choice, Effort, Error, Grouped, Options, Release, Run, Solvers, anonymize};
pub use model::*;

/// Every solver that this binary tests, and each of its settings with two values beside the default.
pub fn choices() -> Vec<Choice> {
    choices_of(&crate::own())
}

pub fn choices_of(solvers: &Solvers) -> Vec<Choice> {
    let mut all = vec![Choice::Auto];
    for card in solvers.cards() {
        all.push(solvers.choice(card.key).unwrap());
        for setting in card.settings {
            for value in setting.values[1..].iter().take(2) {
                all.push(solvers.choice(&format!("{}:{}={value}", card.key, setting.key)).unwrap());
            }
        }
    }
    all
}

/// Rows up to which solvers that use linear programs take no time that matters.
const PROGRAM_ROWS: [(&str, usize); 4] = [("milp", 7), ("exact", 24), ("polish", 24), ("stars-pattern", 24)];

/// The same, without solvers that decline the problem or would take hours.
pub fn choices_for(problem: &Problem) -> Vec<Choice> {
    fitting(choices(), problem)
}

pub fn fitting(choices: Vec<Choice>, problem: &Problem) -> Vec<Choice> {
    let declined = |choice: &Choice| {
        let long = |key: &str| PROGRAM_ROWS.iter().any(|&(k, most)| key == k && problem.rows() > most);
        choice.supports(problem).is_err() || long(choice.card().key)
    };
    choices.into_iter().filter(|choice| !declined(choice)).collect()
}

pub fn run_with_threads(threads: usize) -> Run {
    Run { threads, seed: 11, effort: Effort::Quick, ..Run::default() }
}

/// A verified release of a table.
pub fn anonymized(table: &Table, policy: &Policy, options: &Options) -> Result<Anonymized, Error> {
    held(anonymize(table, policy, options)?)
}

/// A verified release: in memory, or without Arrow as bytes that are thrown away.
pub fn held(grouped: Grouped<'_>) -> Result<Anonymized, Error> {
    #[cfg(feature = "columnar")]
    return grouped.into_batches();
    #[cfg(not(feature = "columnar"))]
    return grouped.into_files(kinfold::Files::default());
}

/// A release as a stranger gets it, with its lookup file if it has one: read from the bytes of a text file, and
/// from Arrow batches.
pub fn read_back(release: &mut Release, policy: &Policy) -> [Published; 2] {
    let lookup = release.lookup(false).map(|text| read_lookup(&text).unwrap().unwrap()).unwrap_or_default();
    let mut bytes = Vec::new();
    release.write_csv(&mut bytes).unwrap();
    let options = ReadOptions { delimiter: Some(release.delimiter()), ..ReadOptions::default() };
    let written = Published::read(Source::from_bytes(bytes, &options).unwrap(), policy, true).unwrap();
    #[cfg(feature = "columnar")]
    let handed = {
        let (schema, batches) = release.batches().unwrap();
        Published::from_batches(&schema, &batches, policy, true, &options).unwrap()
    };
    #[cfg(not(feature = "columnar"))]
    let handed = written.clone();
    [written, handed].map(|published| published.with_lookup(lookup.clone()))
}
