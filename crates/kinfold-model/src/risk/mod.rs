//! How likely people are found again in a table or a release: the definitions, typed and plain.
//!
//! Everything is worked out from classes: people who look alike on the quasi-identifiers. What is counted is
//! exact; what is said of a population that nobody has counted is an estimate, and called one.

mod classes;
mod gamma;
mod population;
mod safe_harbor;
mod subsets;

pub use classes::{AtRisk, Classes, SizeCount};
pub use population::{
    Estimate, Journalist, Method, PopulationUniques, journalist_by_estimate, journalist_by_population,
    population_uniques,
};
pub use safe_harbor::{Basis, LikelyIdentifier, SafeHarbor, safe_harbor};
pub(crate) use subsets::subsets;
pub use subsets::{Subset, Subsets};
