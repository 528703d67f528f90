//! How likely people are found again, for machines.

use super::ReachedReport;
use crate::RiskOptions;
use kinfold_model::risk::{AtRisk, Journalist, LikelyIdentifier, PopulationUniques, SizeCount, Subset};
use kinfold_model::verify::{Exposed, Linkage, Shown};
use kinfold_model::{Hint, Policy, Unit, Verdict};
use serde::Serialize;

/// How likely people are found again in a table or a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RiskReport {
    /// Rows of the table.
    pub rows: usize,
    /// What counts as a person: a row, or what a column of counts or of persons says.
    pub unit: Unit,
    /// People they stand for.
    pub people: u64,
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// Classes of people who look alike on the quasi-identifiers.
    pub classes: u64,
    /// People per class, on average.
    pub average_class: f64,
    /// How many classes there are of each size.
    pub class_sizes: Vec<SizeCount>,
    /// People whom nobody equals.
    pub sample_uniques: u64,
    /// The same as a share.
    pub sample_uniques_share: f64,
    /// Against somebody who knows that a person is in the table.
    pub prosecutor: Prosecutor,
    /// Against somebody who knows the population, if something is known of it.
    pub journalist: Option<Journalist>,
    /// The share of people that are found if everybody is looked up: the mean risk.
    pub marketer: f64,
    /// Estimates of how many people are unique in the population, if its size is known.
    pub population_uniques: Option<PopulationUniques>,
    /// The sets of few quasi-identifiers that single out most people: the best of each size, best first.
    pub telling_sets: Vec<Subset>,
    /// Every quasi-identifier alone.
    pub single_columns: Vec<Subset>,
    /// All quasi-identifiers together.
    pub all_columns: Option<Subset>,
    /// Sets of up to so many columns were looked at.
    pub sets_up_to: usize,
    /// How many sets were looked at.
    pub sets_looked_at: usize,
    /// Columns that are likely identifiers in the sense of HIPAA Safe Harbor.
    pub safe_harbor: Vec<LikelyIdentifier>,
    /// What knowing somebody's class tells of sensitive columns.
    pub attributes: Vec<AttributeRisk>,
    /// Which rows could be about whom, if the original was given.
    pub linkage: Option<Linkage>,
    /// The share of generalized values that the ends of ranges and the labels of sets tell exactly, if the original
    /// was given.
    pub values_told: Option<f64>,
    /// The share of people of whom alone it is true that they fit the cells of a group and have the value at one
    /// of its ends, or one of its labels.
    pub singled_out: Option<f64>,
    /// What else the user should know.
    #[serde(skip)]
    pub notes: Vec<Hint>,
}

/// The risk against somebody who knows that a person is in the table: 1 / people in the class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prosecutor {
    /// The highest of anybody.
    pub highest: f64,
    /// The mean of everybody.
    pub average: f64,
    /// The lowest of anybody.
    pub lowest: f64,
    /// People above thresholds.
    pub above: Vec<AtRisk>,
}

/// What knowing somebody's class tells of a sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttributeRisk {
    /// People whose value is certain: everybody in their class has it.
    pub certain_people: u64,
    /// The same as a share.
    pub certain_share: f64,
    /// People in classes where more than 80 % have the same value.
    pub likely_people: u64,
    /// The same as a share.
    pub likely_share: f64,
    /// The share of people whose value the commonest of their class is.
    pub best_guess: f64,
    /// The share of people who have the commonest value of all: what a guess without the table gets right.
    pub base_rate: f64,
    /// What every class reaches.
    #[serde(flatten)]
    pub reached: ReachedReport,
}

/// Sets of each size that are listed.
const LISTED: usize = 5;

impl RiskReport {
    #[expect(clippy::too_many_arguments, reason = "one place puts the report together")]
    pub(crate) fn new(
        rows: usize,
        policy: &Policy,
        options: &RiskOptions<'_>,
        found: &Exposed,
        journalist: Option<Journalist>,
        population_uniques: Option<PopulationUniques>,
        verdict: &Verdict,
        linkage: Option<Linkage>,
    ) -> Self {
        let classes = &found.classes;
        let people = classes.people();
        let inverse = |size: u64| if size == 0 { 0.0 } else { 1.0 / size as f64 };
        let sets = found.subsets.as_ref().map_or(&[][..], |subsets| &subsets.sets);
        let up_to = found.subsets.as_ref().map_or(0, |subsets| subsets.up_to);
        let columns = found.subsets.as_ref().map_or(0, |subsets| subsets.all.columns.len());
        let mut notes = Vec::new();
        if policy.person_column().is_some() && !found.by_person {
            notes.push(Hint::from("rows are counted: the column that says whom rows are about is not there"));
        }
        Self {
            rows,
            unit: Unit::counted(policy.count_column().is_some() || found.by_person),
            people,
            quasi_identifiers: policy.quasi().map(|(column, _)| column.name.clone()).collect(),
            classes: classes.count(),
            average_class: people as f64 / classes.count().max(1) as f64,
            class_sizes: classes.sizes().collect(),
            sample_uniques: classes.of_size(1),
            sample_uniques_share: classes.of_size(1) as f64 / people.max(1) as f64,
            prosecutor: Prosecutor {
                highest: inverse(classes.smallest()),
                average: classes.average_risk(),
                lowest: inverse(classes.largest()),
                above: options.thresholds.iter().map(|&threshold| classes.above(threshold)).collect(),
            },
            marketer: journalist.as_ref().map_or(classes.average_risk(), |journalist| journalist.average),
            journalist,
            population_uniques,
            // All columns together are told apart.
            telling_sets: (2..=up_to.min(columns.saturating_sub(1)))
                .flat_map(|size| telling(sets, size))
                .collect(),
            single_columns: sets.iter().filter(|set| set.columns.len() == 1).cloned().collect(),
            all_columns: found.subsets.as_ref().map(|subsets| subsets.all.clone()),
            sets_up_to: up_to,
            sets_looked_at: sets.len(),
            safe_harbor: found.safe_harbor.clone(),
            attributes: verdict.shown.iter().map(AttributeRisk::new).collect(),
            linkage,
            values_told: None,
            singled_out: None,
            notes,
        }
    }
}

/// The sets of this size that single out most people.
fn telling(sets: &[Subset], size: usize) -> impl Iterator<Item = Subset> {
    let mut of_size: Vec<&Subset> = sets.iter().filter(|set| set.columns.len() == size).collect();
    of_size
        .sort_by(|a, b| b.distinction.total_cmp(&a.distinction).then(b.separation.total_cmp(&a.separation)));
    of_size.into_iter().take(LISTED).cloned()
}

impl AttributeRisk {
    fn new(shown: &Shown) -> Self {
        let share = |people: u64| people as f64 / shown.people.max(1) as f64;
        Self {
            certain_people: shown.one_value_people,
            certain_share: share(shown.one_value_people),
            likely_people: shown.likely_people,
            likely_share: share(shown.likely_people),
            best_guess: share(shown.guessed_people),
            base_rate: share(shown.commonest_people),
            reached: ReachedReport::new(shown),
        }
    }
}
