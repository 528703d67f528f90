//! Risk as a call: a table or a release and a policy in, a report out.

use crate::Error;
use crate::report::RiskReport;
use kinfold_model::risk::{journalist_by_estimate, journalist_by_population, population_uniques};
use kinfold_model::verify::{exposed, link, told};
use kinfold_model::{Lookup, Phase, Policy, Published, Table};

/// What is asked of the risk, and what else may be looked at.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RiskOptions<'a> {
    /// People at a risk above these are counted.
    pub thresholds: Vec<f64>,
    /// How many people the population has from which the table is a sample.
    pub population_size: Option<u64>,
    /// The share of the population that is in the table.
    pub sampling_fraction: Option<f64>,
    /// The population itself: who of it fits is counted.
    pub population: Option<&'a Table>,
    /// The table that a release was made from: who of it fits which rows?
    pub original: Option<&'a Table>,
    /// What names in the release stand for.
    pub lookup: Lookup,
    /// Sets of quasi-identifiers of up to so many columns are looked at.
    pub subset_columns: usize,
}

/// The thresholds that are usual: 0.2, and 0.09 for data made public (EMA 2014, Health Canada 2019).
pub const USUAL_THRESHOLDS: [f64; 2] = [0.2, 0.09];

impl Default for RiskOptions<'_> {
    fn default() -> Self {
        Self {
            thresholds: USUAL_THRESHOLDS.to_vec(),
            population_size: None,
            sampling_fraction: None,
            population: None,
            original: None,
            lookup: Lookup::new(),
            subset_columns: 4,
        }
    }
}

impl RiskOptions<'_> {
    /// What the policy asks of the risk for its report.
    pub fn of(policy: &Policy) -> Self {
        let (said, usual) = (&policy.report, Self::default());
        let thresholds = said.threshold.clone().unwrap_or(usual.thresholds);
        let (population_size, sampling_fraction) = (said.population_size, said.sampling_fraction);
        Self { thresholds, population_size, sampling_fraction, ..Self::default() }
    }

    /// Whether what is asked makes sense, whatever the table is. [`risk`] asks this, too; who has long work to do
    /// before asks it first.
    pub fn check(&self) -> Result<(), Error> {
        let threshold = self.thresholds.iter().find(|t| !(0.0..=1.0).contains(*t));
        let no_risk = threshold.map_or(String::new(), |t| format!("a threshold of {t} is no risk"));
        let both = self.population_size.is_some() && self.sampling_fraction.is_some();
        let fraction = self.sampling_fraction.is_some_and(|fraction| !(fraction > 0.0 && fraction <= 1.0));
        Error::refuse([
            (threshold.is_some(), no_risk.as_str(), "risks are from 0 to 1, such as 0.2 and 0.09"),
            (
                both,
                "a population size and a sampling fraction are both given",
                "give one of population_size and sampling_fraction: the other follows",
            ),
            (
                fraction,
                "a sampling fraction is above 0 and at most 1",
                "it is the share of the population that is in the table, such as 0.05",
            ),
        ])
    }

    /// How many people the population has, as far as that was said, checked against those of the sample.
    fn population_of(&self, people: u64) -> Result<Option<f64>, Error> {
        let by_size = self.population_size.map(|size| size as f64);
        let by_fraction = self.sampling_fraction.map(|fraction| people as f64 / fraction);
        if by_size.is_some_and(|size| size < people as f64) {
            return Err(Error::unsuitable(
                "the population is smaller than the table, which is a part of it",
                "the population is everybody who could be in the table",
            ));
        }
        Ok(by_size.or(by_fraction))
    }
}

/// Says how likely people are found again in a table or a release, which must have been read whole.
pub fn risk(published: Published, policy: &Policy, options: &RiskOptions<'_>) -> Result<RiskReport, Error> {
    let published = published.with_lookup(options.lookup.clone());
    let mut report = risk_beside_ends(&published, policy, options)?;
    if let Some(original) = options.original {
        let found = told(&published, original, &published.policy_as_read(policy));
        let ends = found.map_err(|e| Error::from(e).in_policy(policy))?;
        report.values_told = ends.map(|ends| ends.share_told());
        report.singled_out = ends.map(|ends| ends.share_singled_out());
    }
    Ok(report)
}

/// The same, but what exact ends tell is left to the caller.
pub(crate) fn risk_beside_ends(
    published: &Published,
    policy: &Policy,
    options: &RiskOptions<'_>,
) -> Result<RiskReport, Error> {
    let in_policy = |e: Error| e.in_policy(policy);
    options.check()?;
    let policy = &published.policy_as_read(policy);
    published.call().phase(Phase::Verifying)?;
    let found = exposed(published, policy, options.population, options.subset_columns);
    let found = found.map_err(|e| in_policy(e.into()))?;
    let verdict = kinfold_model::verify::verify(published, policy).map_err(|e| in_policy(e.into()))?;
    let linkage = options.original.map(|original| link(published, original, policy)).transpose();
    let linkage = linkage.map_err(|e| in_policy(e.into()))?;
    let size = options.population_of(found.classes.people())?;
    let size = size.or_else(|| options.population.map(|table| table.rows() as f64));
    let size = size.map(|size| size.max(found.classes.people() as f64));
    let people = found.classes.people() as f64;
    let journalist = match (&found.fitting, size) {
        (Some(fitting), _) => Some(journalist_by_population(fitting, &options.thresholds)),
        (None, Some(size)) => {
            Some(journalist_by_estimate(&found.classes, people / size, &options.thresholds))
        }
        (None, None) => None,
    };
    let uniques = size.filter(|_| people > 0.0).map(|size| population_uniques(&found.classes, size));
    Ok(RiskReport::new(published.rows(), policy, options, &found, journalist, uniques, &verdict, linkage))
}
