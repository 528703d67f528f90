//! What is left of everybody where earlier releases are laid over a new one.

use crate::report::{percent, thousands};
use kinfold_model::verify::Intersections;
use kinfold_model::{Hint, Unit};
use serde::Serialize;

/// What is left of everybody where earlier releases are laid over a new one: who is in the same groups of all of
/// them is in one intersection class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OverlayReport {
    /// The earlier releases.
    pub releases: Vec<EarlierReport>,
    /// What the numbers are of: `rows`, `people`, or `persons` where a column says whom a row is about.
    pub unit: &'static str,
    /// Everybody in the new release; a person with several rows counts once in every class.
    pub people: u64,
    /// Those who are alone in their class.
    pub alone: u64,
    /// Those in classes of fewer than k.
    pub below_k: u64,
    /// The smallest class.
    pub smallest: u64,
    /// Whether a release with a class below k was to be refused.
    pub refuse: bool,
}

/// An earlier release, compared with the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EarlierReport {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Rows of the table that are in none of its groups: people who are new. They count as the people that they
    /// stand for. Not told where it depends on rows that are withheld.
    pub new: Option<u64>,
    /// Its rows that no row of the table fits: people who have gone. The same holds for it.
    pub gone: Option<usize>,
    /// Whether its groups file said which row was whose; otherwise that is worked out from the cells.
    pub by_groups_file: bool,
}

impl OverlayReport {
    pub(crate) fn new(
        releases: Vec<EarlierReport>,
        found: Intersections,
        unit: Unit,
        persons: bool,
        refuse: bool,
    ) -> Self {
        let unit = if persons { "persons" } else { unit.noun(2) };
        let Intersections { people, alone, below_k, smallest, .. } = found;
        Self { releases, unit, people, alone, below_k, smallest, refuse }
    }

    /// A warning, if a class is below k.
    pub(crate) fn warning(&self, k: u64) -> Option<Hint> {
        (self.below_k > 0).then(|| {
            let (below, all, unit) = (thousands(self.below_k), thousands(self.people), self.unit);
            let [share, alone] =
                [self.below_k, self.alone].map(|people| percent(people as f64 / self.people.max(1) as f64));
            let about = format!(
                "a reader who lays earlier releases over this one finds {below} of {all} {unit} ({share}) among fewer \
                 than {k}, {alone} alone; "
            );
            Hint::new().text(about).named("refuse").text(" prevents that")
        })
    }
}
